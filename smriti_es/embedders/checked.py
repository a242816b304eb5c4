"""Nothing that an embedder returns is stored or searched before it went through here."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from smriti_es.embedders.embedder import Embedder, FloatMatrix
from smriti_es.events.errors import EmbedderError, InvalidInput, SmritiError
from smriti_es.events.guard import assert_outside_transaction
from smriti_es.tracing import span, tell

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

_DIMENSION_HINT = (
    "Correct the configured dimension, or switch the log to the new embedder: "
    "vectors of two models cannot be compared."
)


def embed_checked(embedder: Embedder, texts: Sequence[str]) -> FloatMatrix:
    """Embed texts and refuse whatever is not one usable vector for each.

    Args:
        embedder: Any embedder; its own exceptions come back as EmbedderError.
        texts: The texts; an empty sequence gives an empty matrix.

    Returns:
        (count, dimension) float32, unit length, row order = text order.

    Raises:
        EmbedderError: The embedder failed, or returned too few or too many vectors, another
            dimension than its identity says, a null, a number that is not finite, or only zeros.
        InvalidInput: One text was given where a sequence of texts is meant.
        CallInsideTransaction: A write transaction is open.
    """
    if isinstance(texts, str):
        raise InvalidInput(
            "texts is one text, not a sequence of texts",
            hint="Put it into a list, or every character becomes a text of its own.",
            field="texts",
        )
    assert_outside_transaction("the embedder")
    vectors = call_translated(embedder.embed, texts)
    # Asked afterwards: an embedder that learns its dimension from an answer then needs no probe.
    return checked_matrix(vectors, count=len(texts), dimension=embedder.identity.dimension)


def call_translated(function: Callable[[Sequence[str]], Any], texts: Sequence[str]) -> Any:
    """Call somebody else's embedding code, turning whatever it raises into EmbedderError.

    It is `retryable` when a service was out of reach, whatever an HTTP client wrapped around that.
    """
    try:
        with span("embed") as current:
            tell(current, {"texts": len(texts)})
            return function(texts)
    except SmritiError:
        raise
    except Exception as error:  # foreign code may raise anything; a worker must go on
        raise EmbedderError(
            f"the embedder failed: {type(error).__name__}: {error}",
            hint="The cause is chained to this error; the texts can be embedded later.",
            retryable=_passes(error),
        ) from error


def _passes(error: BaseException | None) -> bool:
    """Tell whether an error is, or was caused by, one of the system's: no network, no answer."""
    while error is not None:
        if isinstance(error, OSError):
            return True
        error = error.__cause__
    return False


def checked_matrix(vectors: Any, *, count: int, dimension: int | None) -> FloatMatrix:
    """Check vectors and bring them to unit length.

    Args:
        vectors: What a model returned: nested sequences or an array, of any numeric type.
        count: How many texts it was given.
        dimension: What each vector must have; None accepts any one dimension.

    Returns:
        (count, dimension) float32, unit length.

    Raises:
        EmbedderError: The vectors are not what was asked for; the message names both sides.
    """
    import numpy

    if count == 0:
        return numpy.empty((0, dimension or 0), numpy.float32)
    matrix = _as_matrix(vectors, count)
    if dimension is not None and matrix.shape[1] != dimension:
        raise EmbedderError(
            f"the embedder returned vectors of {matrix.shape[1]} dimensions, expected {dimension}",
            hint=_DIMENSION_HINT,
            expected=dimension,
            found=matrix.shape[1],
        )
    if not (finite := numpy.isfinite(matrix).all(axis=1)).all():
        raise _unusable("holds a number that is not finite", int(finite.argmin()))
    largest = numpy.abs(matrix).max(axis=1, initial=0.0, keepdims=True)
    if not largest.all():
        raise _unusable("is all zeros", int(largest.argmin()))
    scaled = matrix / largest  # so that squares neither overflow nor vanish
    unit: FloatMatrix = scaled / numpy.linalg.norm(scaled, axis=1, keepdims=True)
    return unit.astype(numpy.float32)


def _as_matrix(vectors: Any, count: int) -> "NDArray[numpy.float64]":
    import numpy

    try:
        found = len(vectors)
    except TypeError as error:
        raise EmbedderError(
            f"the embedder returned {type(vectors).__name__}, not a sequence of vectors"
        ) from error
    if found != count:
        raise EmbedderError(
            f"the embedder returned {found} vectors for {count} texts", expected=count, found=found
        )
    try:
        matrix = numpy.asarray(vectors, numpy.float64)
    except (TypeError, ValueError) as error:
        raise _misshapen(vectors) from error
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise _misshapen(vectors)
    return matrix


def _misshapen(vectors: Sequence[Any]) -> EmbedderError:
    """Name what is wrong with rows that do not form a matrix of numbers."""
    lengths = set()
    for index, row in enumerate(vectors):
        if row is None:
            return _unusable("is null", index)
        if isinstance(row, str) or not hasattr(row, "__len__") or len(row) == 0:
            return _unusable("is no list of numbers", index)
        lengths.add(len(row))
    if len(lengths) > 1:
        dimensions = " and ".join(str(length) for length in sorted(lengths))
        return EmbedderError(
            f"the embedder returned vectors of {dimensions} dimensions in one answer",
            hint=_DIMENSION_HINT,
        )
    return EmbedderError("the embedder returned vectors that do not consist of numbers")


def _unusable(problem: str, index: int) -> EmbedderError:
    return EmbedderError(f"the embedder's vector for text {index} {problem}", index=index)
