"""Vectors kept on disk, so that a bench measures the engine and not the model.

A vector depends on its text alone: the model is run on one text at a time, because the dynamic
quantisation of the default model lets texts of one batch move each other's vectors a little.
"""

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from smriti_es.closing import ClosedOnExit
from smriti_es.embedders import Embedder, EmbedderIdentity, FloatMatrix

CACHE_FILE: Final = Path(__file__).parents[1] / ".cache" / "vectors.sqlite3"
_TEXTS_PER_STEP: Final = 64

Progress = Callable[[int, int], None]


def cache_key(model: str, text: str) -> bytes:
    """Name the vector of a text by one model: SHA-1 of the model's id, a NUL, and the text."""
    return hashlib.sha1(f"{model}\0{text}".encode()).digest()


class CachedEmbedder(ClosedOnExit):
    """Gives vectors from a file and asks the model only for what is not there.

    Args:
        inner: The model.
        path: The file; made when it is missing.

    Attributes:
        misses: How many texts the model was asked for.
    """

    def __init__(self, inner: Embedder, path: Path = CACHE_FILE) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._inner = inner
        self._model = f"{inner.identity.model}@{inner.identity.revision}"
        self._door = threading.Lock()
        self._file = sqlite3.connect(path, check_same_thread=False, timeout=60.0)
        self._file.execute("CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, vector BLOB)")
        self.misses = 0

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @property
    def identity(self) -> EmbedderIdentity:
        """The model's identity."""
        return self._inner.identity

    @property
    def weak(self) -> bool:
        """What the model says of itself."""
        return self._inner.weak

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """Give vectors: (count, dimension) float32, unit length, row order = text order."""
        with self._door:
            return self._vectors(texts)

    def fill(self, texts: Sequence[str], progress: Progress) -> int:
        """Embed whatever is missing beforehand.

        Args:
            texts: What will be asked for.
            progress: Called with texts done and texts to do.

        Returns:
            How many texts the model was asked for.
        """
        missing = [text for text in dict.fromkeys(texts) if self._found(text) is None]
        for start in range(0, len(missing), _TEXTS_PER_STEP):
            progress(start, len(missing))
            self.embed(missing[start : start + _TEXTS_PER_STEP])
        progress(len(missing), len(missing))
        return len(missing)

    def _vectors(self, texts: Sequence[str]) -> FloatMatrix:
        found = {text: vector for text in texts if (vector := self._found(text)) is not None}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            self.misses += len(missing)
            made = dict(zip(missing, self._inner.embed(missing), strict=True))
            self._keep(made)
            found.update(made)
        return np.stack([found[text] for text in texts])

    def _keep(self, made: Mapping[str, FloatMatrix]) -> None:
        rows = [
            (cache_key(self._model, text), vector.astype("<f4").tobytes())
            for text, vector in made.items()
        ]
        with self._file:
            self._file.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?)", rows)

    def _found(self, text: str) -> FloatMatrix | None:
        row = self._file.execute(
            "SELECT vector FROM vector WHERE key = ?", (cache_key(self._model, text),)
        ).fetchone()
        return None if row is None else np.frombuffer(row[0], "<f4").astype(np.float32)
