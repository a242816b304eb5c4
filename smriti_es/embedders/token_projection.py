"""Token vectors in fewer dimensions: a third of a model's keep what late interaction needs of them.

Which third is told by a file, which `fit_token_projection` makes for a model; without one the first
128 dimensions are kept, which finds a little less.
"""

import hashlib
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from smriti_es.embedders.tokens import Span, TokenVectors

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

TOKEN_DIMENSION: Final = 128
_WORD: Final = re.compile(r"\w")


class TokenProjection:
    """Reduces the token vectors of a model.

    Args:
        path: A file that `fit_token_projection` wrote; None: the first dimensions are kept.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path

    @cached_property
    def digest(self) -> str:
        """Tell projections apart: 16 hex digits, or the words "leading 128"."""
        if self._path is None:
            return f"leading {TOKEN_DIMENSION}"
        return hashlib.sha256(self._path.read_bytes()).hexdigest()[:16]

    def token_vectors(
        self, text: str, offsets: Sequence[Span], rows: "NDArray[numpy.float32]"
    ) -> TokenVectors:
        """Reduce the token vectors of a text.

        Raises:
            ValueError: The file is for a model of another dimension, or no such file.

        Args:
            text: The text.
            offsets: Where each token stands; (0, 0) for those that the model adds.
            rows: (tokens, dimension) float32.

        Returns:
            The vectors of what has a letter or a digit; of everything that was said, if nothing
            has.
        """
        import numpy

        said = [number for number, (start, end) in enumerate(offsets) if start < end]
        words = [number for number in said if _WORD.search(text[slice(*offsets[number])])]
        kept = words or said
        whole = rows[kept]
        reduced = whole[:, :TOKEN_DIMENSION] if self._path is None else whole @ self._matrix
        lengths = numpy.linalg.norm(reduced, axis=1, keepdims=True)
        unit = (reduced / numpy.where(lengths > 0.0, lengths, 1.0)).astype(numpy.float32)
        return TokenVectors(unit, tuple((offsets[n][0], offsets[n][1]) for n in kept))

    @cached_property
    def _matrix(self) -> "NDArray[numpy.float32]":
        import numpy

        assert self._path is not None
        matrix: NDArray[numpy.float32] = numpy.load(self._path).astype(numpy.float32)
        return matrix
