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
from smriti_es.embedders.tokens import TokenVectors, embed_tokens_checked, token_space_of
from smriti_es.projections.vectors.token_rows import quantised

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
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS token (key BLOB PRIMARY KEY, spans BLOB, vectors BLOB)"
        )
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
            if self.token_space is not None:
                return self._with_tokens(texts)[0]  # so that the model is asked once for both
            return self._vectors(texts)

    @property
    def token_space(self) -> str | None:
        """The model's space of token vectors."""
        return token_space_of(self._inner)

    def embed_tokens(self, texts: Sequence[str]) -> tuple[FloatMatrix, list[TokenVectors]]:
        """Give vectors, and token vectors as exactly as a memory keeps them."""
        with self._door:
            return self._with_tokens(texts)

    def fill(self, texts: Sequence[str], progress: Progress) -> int:
        """Embed whatever is missing beforehand.

        Args:
            texts: What will be asked for.
            progress: Called with texts done and texts to do.

        Returns:
            How many texts the model was asked for.
        """
        missing = [text for text in dict.fromkeys(texts) if not self._is_kept(text)]
        for start in range(0, len(missing), _TEXTS_PER_STEP):
            progress(start, len(missing))
            self.embed(missing[start : start + _TEXTS_PER_STEP])
        progress(len(missing), len(missing))
        return len(missing)

    def _is_kept(self, text: str) -> bool:
        if self.token_space is not None and self._found_tokens(text) is None:
            return False
        return self._found(text) is not None

    def _vectors(self, texts: Sequence[str]) -> FloatMatrix:
        found = {text: vector for text in texts if (vector := self._found(text)) is not None}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            self.misses += len(missing)
            made = dict(zip(missing, self._inner.embed(missing), strict=True))
            self._keep(made)
            found.update(made)
        return np.stack([found[text] for text in texts])

    def _with_tokens(self, texts: Sequence[str]) -> tuple[FloatMatrix, list[TokenVectors]]:
        missing = [text for text in dict.fromkeys(texts) if self._found_tokens(text) is None]
        if missing:
            self.misses += len(missing)
            vectors, tokens = embed_tokens_checked(self._inner, missing)
            self._keep(dict(zip(missing, vectors, strict=True)))
            self._keep_tokens(dict(zip(missing, tokens, strict=True)))
        found = [self._found_tokens(text) for text in texts]
        return self._vectors(texts), [each for each in found if each is not None]

    def _keep_tokens(self, made: Mapping[str, TokenVectors]) -> None:
        rows = [
            (
                cache_key(self._token_model, text),
                np.array(tokens.spans, "<i4").tobytes(),
                quantised(tokens.vectors).tobytes(),
            )
            for text, tokens in made.items()
        ]
        with self._file:
            self._file.executemany("INSERT OR REPLACE INTO token VALUES (?, ?, ?)", rows)

    @property
    def _token_model(self) -> str:
        return f"{self._model}#{self.token_space}"

    def _found_tokens(self, text: str) -> TokenVectors | None:
        row = self._file.execute(
            "SELECT spans, vectors FROM token WHERE key = ?",
            (cache_key(self._token_model, text),),
        ).fetchone()
        if row is None:
            return None
        spans = np.frombuffer(row[0], "<i4").reshape(-1, 2)
        numbers = np.frombuffer(row[1], np.int8).astype(np.float32)
        vectors = numbers.reshape(len(spans), -1)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = (vectors / np.maximum(lengths, 1.0)).astype(np.float32)
        return TokenVectors(unit, tuple((int(start), int(end)) for start, end in spans))

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
