"""An embedder whose time is counted, so that it can be taken off what was measured around it."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from smriti_es.embedders import Embedder, EmbedderIdentity, FloatMatrix
from smriti_es.embedders.tokens import TokenVectors, embed_tokens_checked, token_space_of


class TimedEmbedder:
    """Passes everything on to another embedder and counts the seconds spent there.

    Attributes:
        seconds: Time spent in the inner embedder so far.
    """

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.seconds = 0.0

    @property
    def identity(self) -> EmbedderIdentity:
        """The inner embedder's identity."""
        return self._inner.identity

    @property
    def weak(self) -> bool:
        """What the inner embedder says of itself."""
        return self._inner.weak

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """Embed texts: (count, dimension) float32, unit length, row order = text order."""
        started = time.perf_counter()
        try:
            return self._inner.embed(texts)
        finally:
            self.seconds += time.perf_counter() - started

    @property
    def token_space(self) -> str | None:
        """The inner embedder's space of token vectors."""
        return token_space_of(self._inner)

    def embed_tokens(self, texts: Sequence[str]) -> tuple[FloatMatrix, list[TokenVectors]]:
        """Embed texts with their tokens, in the inner embedder's time, too."""
        started = time.perf_counter()
        try:
            return embed_tokens_checked(self._inner, texts)
        finally:
            self.seconds += time.perf_counter() - started

    @contextmanager
    def timing_the_rest(self, seconds: list[float]) -> Iterator[None]:
        """Append how long the block took without what was spent in `embed` meanwhile.

        Args:
            seconds: Where to append; nothing is appended when the block raises.
        """
        embedding, started = self.seconds, time.perf_counter()
        yield
        elapsed = time.perf_counter() - started
        seconds.append(elapsed - (self.seconds - embedding))
