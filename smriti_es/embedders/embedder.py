"""What an embedder is: the one contract that every adapter keeps."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from smriti_es.embedders.identity import EmbedderIdentity

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    FloatMatrix = NDArray[numpy.float32]
else:
    # The name can be imported and annotated with, and numpy stays unloaded until a vector is made.
    FloatMatrix = Any


class Embedder(Protocol):
    """Turns texts into vectors whose dot product is their likeness.

    An embedder MUST give the same vector for the same text as long as its identity stays the same,
    and MUST be safe to call from several threads.
    """

    @property
    def identity(self) -> EmbedderIdentity:
        """What made the vectors; may ask the model once, and raises EmbedderError if it cannot."""
        ...

    @property
    def weak(self) -> bool:
        """True when the vectors compare spelling rather than meaning."""
        ...

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """Embed texts: (count, dimension) float32, unit length, row order = text order."""
        ...
