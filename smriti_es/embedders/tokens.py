"""Token vectors: what a model made of each piece of a word, before it averaged them.

A mean over a text blurs its details; late interaction compares a question with a text piece by
piece. Both come out of one call of the model. Source: Khattab and Zaharia, "ColBERT" (SIGIR 2020).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeGuard

from smriti_es.egress import endpoint_of
from smriti_es.embedders.checked import call_translated, checked_matrix
from smriti_es.embedders.embedder import Embedder, FloatMatrix
from smriti_es.embedders.identity import EmbedderIdentity
from smriti_es.events.errors import EmbedderError
from smriti_es.events.guard import assert_outside_transaction

Span = tuple[int, int]
# Products of signed bytes add up exactly in float32 (see `token_rows`).
_DIMENSION_MAX: Final = 1024


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """A text as its model read it.

    Attributes:
        vectors: (tokens, dimension) float32, unit length; only tokens with a letter or a digit,
            unless there are none.
        spans: Where each of them stands in the text, half-open.
    """

    vectors: FloatMatrix
    spans: tuple[Span, ...]


class TokenEmbedder(Embedder, Protocol):
    """What an embedder that gives token vectors has besides; see `Embedder`."""

    @property
    def token_space(self) -> str | None:
        """Name what token vectors may be compared with one another; None: there are none."""
        ...

    def embed_tokens(self, texts: Sequence[str]) -> tuple[FloatMatrix, list[TokenVectors]]:
        """Embed texts, in one call of the model: what `embed` gives, and their token vectors."""
        ...


class PooledOnly:
    """An embedder without its token vectors: for a memory that is not to keep them."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner

    @property
    def identity(self) -> EmbedderIdentity:
        """What made the vectors."""
        return self._inner.identity

    @property
    def endpoint(self) -> str | None:
        """Where texts are sent, as the embedder says it."""
        return endpoint_of(self._inner)

    @property
    def weak(self) -> bool:
        """True when the vectors compare spelling rather than meaning."""
        return self._inner.weak

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """Embed texts: (count, dimension) float32, unit length, row order = text order."""
        return self._inner.embed(texts)


def token_space_of(embedder: Embedder) -> str | None:
    """Name the space of an embedder's token vectors, or give None for one that makes none."""
    return embedder.token_space if _gives_tokens(embedder) else None


def _gives_tokens(embedder: Embedder) -> TypeGuard[TokenEmbedder]:
    return hasattr(embedder, "embed_tokens")


def embed_tokens_checked(
    embedder: Embedder, texts: Sequence[str]
) -> tuple[FloatMatrix, list[TokenVectors]]:
    """Embed texts with their tokens and refuse whatever cannot be used.

    Args:
        embedder: One whose `token_space` is not None; its own exceptions become EmbedderError.
        texts: The texts.

    Returns:
        What `embed_checked` gives, and the token vectors of each text.

    Raises:
        EmbedderError: The embedder failed, or what it returned is not what was asked for.
        CallInsideTransaction: A write transaction is open.
    """
    assert _gives_tokens(embedder), "asked of one that has token vectors"
    assert_outside_transaction("the embedder")
    pooled, tokens = call_translated(embedder.embed_tokens, texts)
    vectors = checked_matrix(pooled, count=len(texts), dimension=embedder.identity.dimension)
    if len(tokens) != len(texts):
        raise EmbedderError(
            f"the embedder returned the tokens of {len(tokens)} texts for {len(texts)}",
            expected=len(texts),
            found=len(tokens),
        )
    return vectors, [_checked(each, index) for index, each in enumerate(tokens)]


def _checked(tokens: TokenVectors, index: int) -> TokenVectors:
    import numpy

    shape = tokens.vectors.shape
    if len(shape) != 2 or shape[1] == 0 or shape[0] != len(tokens.spans):
        raise EmbedderError(
            f"the embedder's token vectors for text {index} have the shape {shape} "
            f"and {len(tokens.spans)} places",
            index=index,
        )
    if shape[1] > _DIMENSION_MAX:
        raise EmbedderError(
            f"the embedder's token vectors have {shape[1]:,} dimensions; at most "
            f"{_DIMENSION_MAX:,} can be compared exactly"
        )
    if not numpy.isfinite(tokens.vectors).all():
        raise EmbedderError(
            f"the embedder's token vectors for text {index} hold a number that is not finite",
            index=index,
        )
    return tokens
