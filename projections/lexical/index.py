"""What the full-text projection needs of a database: the postings of terms, however it keeps them.

The terms are made before by our own analysis, and the ranking is computed afterwards over what a
read may see; a database says only which documents hold a term, and how often.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection

from smriti_es.projections.projection import Fold

Positions = npt.NDArray[np.int64]
# The position of a document and its terms in reading order, with repeats.
Indexed = tuple[int, list[str]]
# A term, the position of a document, and how often the one occurs in the other.
Posting = tuple[str, int, int]
# A term, the positions of the documents that have it, ascending, and how often each does.
TermPostings = tuple[str, list[int], list[int]]


class PostingIndex(ABC):
    """The postings of one database; `suffix` ends the names of a generation's tables."""

    @abstractmethod
    def create(self, fold: Fold, suffix: str) -> None:
        """Create the tables of a generation where they are missing."""

    @abstractmethod
    def clear(self, fold: Fold, suffix: str) -> None:
        """Delete all postings of the log."""

    @abstractmethod
    def add(self, items: Sequence[Indexed], fold: Fold, suffix: str) -> None:
        """Add documents that are not there yet."""

    @abstractmethod
    def erase(self, positions: set[int], fold: Fold, suffix: str) -> None:
        """Delete documents that are there."""

    @abstractmethod
    def forget(self, items: Sequence[Indexed], fold: Fold, suffix: str) -> None:
        """Delete documents that are there, and whose terms are at hand."""

    @abstractmethod
    def optimize(self, fold: Fold, suffix: str) -> None:
        """Let go of the terms of what was deleted."""

    @abstractmethod
    def by_term(self, fold: Fold, suffix: str) -> Iterator[TermPostings]:
        """Give every posting of the log, term by term in code point order."""

    def all(self, fold: Fold, suffix: str) -> Iterator[Posting]:
        """Give every posting of the log, by term and position."""
        for term, positions, frequencies in self.by_term(fold, suffix):
            for position, frequency in zip(positions, frequencies, strict=True):
                yield (term, position, frequency)

    @abstractmethod
    def of(
        self, connection: Connection, log: int, suffix: str, term: str
    ) -> tuple[Positions, Positions]:
        """Give where a term occurs.

        Returns:
            Positions of the documents, ascending, and how often the term occurs in each; equally
            long.
        """
