"""Exact similarity: every vector of one embedder in one matrix, compared with a query.

The matrix is a cache of the vector rows, held by one process. Nothing is ever taken out of it:
after an erasure it is dropped and read again, so that no erased vector stays in memory. Source:
design page on projections, "Vectors"; decision 31.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from smriti_es.events.errors import InvalidInput
from smriti_es.projections.places import Places as Slots
from smriti_es.projections.vectors.screening import (
    Codes,
    FloatMatrix,
    FloatVector,
    Mask,
    Places,
    Rounded,
    estimated,
    rounded,
    undecided,
)

Positions = NDArray[np.int64]

_FIRST_CAPACITY = 1024
# Below this share of the rows, copying out the wanted ones costs less than comparing all of them.
_SPARSE_SHARE = 0.25
# Comparing fewer rows takes no longer than finding out which of them need not be.
_WORTH_SCREENING = 4_096


class VectorMatrix:
    """A growing matrix of unit vectors, each belonging to an item (the position of a turn).

    An item may have several vectors, one for each chunk of a long turn. Readers in any number of
    threads may go on while one thread extends: each read sees the rows of one moment, whole. A
    similarity depends on the two vectors alone, to the last bit, and not on what else is compared.

    Args:
        dimension: Length of every vector.

    Raises:
        InvalidInput: The dimension is below 1.
    """

    def __init__(self, dimension: int) -> None:
        if dimension < 1:
            raise InvalidInput(
                f"a vector has at least one number, not {dimension}",
                hint="Give the dimension of the embedder.",
                field="dimension",
            )
        self.dimension = dimension
        self._extending = threading.Lock()
        self._store = _Store.of(_FIRST_CAPACITY, dimension)
        self._rows = self._store.first(0)

    def __len__(self) -> int:
        return len(self._rows.items)

    @property
    def items(self) -> Positions:
        """The item of every row, in row order; not to be written to."""
        return self._rows.items

    @property
    def vectors(self) -> FloatMatrix:
        """Every row, (rows, dimension) float32; not to be written to."""
        return self._rows.vectors

    def extend(self, items: ArrayLike, vectors: ArrayLike) -> None:
        """Append rows; all of them become visible together.

        Args:
            items: (count,) positions of the turns, in any order, repeated for further chunks.
            vectors: (count, dimension) unit length, row order = items order. They are copied.

        Raises:
            InvalidInput: The shapes do not fit each other or the matrix; nothing was added.
        """
        new_items = np.asarray(items, np.int64)
        new_vectors = np.asarray(vectors, np.float32)
        if new_vectors.shape != (len(new_items), self.dimension):
            raise InvalidInput(
                f"vectors of shape {new_vectors.shape} do not fit {len(new_items)} items "
                f"in a matrix of dimension {self.dimension}",
                hint="Give one vector an item; keep each embedder in a matrix of its own.",
                field="vectors",
            )
        with self._extending:
            start = len(self._rows.items)
            end = start + len(new_items)
            self._store = self._store.with_room_for(end, used=start)
            self._store = self._store.put(start, new_items, new_vectors)
            # One assignment publishes the rows: a reader has either none of them or all.
            self._rows = self._store.first(end)

    def similarities(self, query: ArrayLike) -> FloatVector:
        """Compare every row with the query.

        Args:
            query: (dimension,) unit length.

        Returns:
            (rows,) float32 cosine of each row, in row order.

        Raises:
            InvalidInput: The query has another dimension.
        """
        return self._rows.compare(self._checked(query))

    def best_per_item(self, query: ArrayLike, positions: Positions) -> FloatVector:
        """Compare the wanted items with the query, each by its most similar vector.

        Args:
            query: (dimension,) unit length.
            positions: (count,) int64, ascending, no repeats: the items wanted.

        Returns:
            (count,) float32 aligned with `positions`; NaN for an item that has no vector yet.

        Raises:
            InvalidInput: The query has another dimension.

        Cost: one pass over the matrix (1 ms for 10,000 x 384 on one thread), less when few of its
        items are wanted.
        """
        rows = self._rows
        checked = self._checked(query)
        if len(positions) < _SPARSE_SHARE * len(rows.items):
            rows = rows.only(positions)
        return rows.by_item(rows.compare(checked), positions)

    def nearest_per_item(
        self, query: ArrayLike, positions: Positions, groups: Sequence[Mask], depth: int
    ) -> FloatVector:
        """Compare the wanted items with the query as far as the nearest and the range ask for it.

        Args:
            query: (dimension,) unit length.
            positions: (count,) int64, ascending, no repeats: the items wanted.
            groups: Masks over `positions`; the nearest are wanted of each.
            depth: How many of them.

        Returns:
            As `best_per_item`, and NaN for items that are neither among the `depth` nearest of
            their group nor the farthest of all; those have the cosine they have there, to the bit.

        Raises:
            InvalidInput: The query has another dimension.
        """
        rows = self._rows
        wanted = min(len(positions), len(rows.items))
        if wanted < max(_WORTH_SCREENING, _SPARSE_SHARE * len(rows.items)):
            return self.best_per_item(query, positions)
        checked = self._checked(query)
        estimates, margin = estimated(rows.rounded, checked)
        nearest = np.full(len(positions), np.nan, np.float32)

        def compare(places: Places) -> FloatVector:
            some = rows.only(positions[places])
            nearest[places] = some.by_item(some.compare(checked), positions[places])
            return nearest[places]

        compare(undecided(rows.by_item(estimates, positions), margin, groups, depth, compare))
        return nearest

    def _checked(self, query: ArrayLike) -> FloatVector:
        vector = np.asarray(query, np.float32)
        if vector.shape != (self.dimension,):
            raise InvalidInput(
                f"a query of shape {vector.shape} does not fit a matrix of {self.dimension}",
                hint="Embed the query with the embedder of the matrix.",
                field="query",
            )
        return vector


@dataclass(frozen=True)
class _Rows:
    """The published rows of one moment, and what reads work out about them once.

    `rounded` holds the vectors once more, for screening, and nothing where they are few.
    """

    items: Positions
    vectors: FloatMatrix
    rounded: Rounded

    def compare(self, query: FloatVector) -> FloatVector:
        # Not by BLAS: its sums depend on how many rows there are, and it wakes other threads.
        similarities: FloatVector = np.einsum("ij,j->i", self.vectors, query)
        return similarities

    def only(self, wanted: Positions) -> "_Rows":
        """Copy out the rows of the wanted items (ascending), in the order of the items."""
        first = np.searchsorted(self._sorted_items, wanted, "left")
        counts = np.searchsorted(self._sorted_items, wanted, "right") - first
        # The places of each item's rows follow one another: first, first + 1, ...
        ends = np.cumsum(counts)
        within = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - counts, counts)
        chosen = np.repeat(first, counts) + within
        if self._order is not None:
            chosen = self._order[chosen]
        return _Rows(self.items[chosen], self.vectors[chosen], _NONE_ROUNDED)

    def by_item(self, similarities: FloatVector, positions: Positions) -> FloatVector:
        """Give for each wanted item (ascending) the best of its rows; NaN where it has none."""
        if self.one_each_ascending and np.array_equal(self.items, positions):
            return similarities
        by_item = np.full(len(positions), np.nan, np.float32)
        if len(self.items) == 0:
            return by_item
        slots, found = self._slots.of(positions)
        by_item[found] = self.best(similarities)[slots[found]]
        return by_item

    def best(self, similarities: FloatVector) -> FloatVector:
        """Reduce the similarities of rows to the best of each item, aligned with `distinct`."""
        if self._order is not None:
            similarities = similarities[self._order]
        if len(self.distinct) == len(similarities):
            return similarities
        best: FloatVector = np.maximum.reduceat(similarities, self._starts)
        return best

    @cached_property
    def one_each_ascending(self) -> bool:
        return bool(np.all(self.items[1:] > self.items[:-1]))

    @cached_property
    def distinct(self) -> Positions:
        """The items, ascending, each once."""
        distinct: Positions = self._sorted_items[self._starts]
        return distinct

    @cached_property
    def _slots(self) -> Slots:
        return Slots(self.distinct)

    @cached_property
    def _order(self) -> NDArray[np.intp] | None:
        """What sorts the rows by item, or None when they are sorted as they stand."""
        if np.all(self.items[1:] >= self.items[:-1]):
            return None
        return np.argsort(self.items, kind="stable")

    @cached_property
    def _sorted_items(self) -> Positions:
        return self.items if self._order is None else self.items[self._order]

    @cached_property
    def _starts(self) -> NDArray[np.intp]:
        """Where, in sorted order, the rows of each item begin."""
        items = self._sorted_items
        return np.flatnonzero(np.concatenate(([True], items[1:] != items[:-1])))


@dataclass(frozen=True, slots=True)
class _Store:
    """The arrays behind the rows, zero beyond what is used."""

    items: Positions
    vectors: FloatMatrix
    codes: Codes
    scales: FloatVector
    error: float = 0.0

    @classmethod
    def of(cls, capacity: int, dimension: int) -> "_Store":
        return cls(
            np.zeros(capacity, np.int64),
            np.zeros((capacity, dimension), np.float32),
            np.zeros((capacity, dimension), np.int8),
            np.zeros(capacity, np.float32),
        )

    def first(self, count: int) -> _Rows:
        coarse = Rounded(self.codes[:count], self.scales[:count], self.error)
        return _Rows(self.items[:count], self.vectors[:count], coarse)

    def put(self, start: int, items: Positions, vectors: FloatMatrix) -> "_Store":
        """Write rows behind those that are used."""
        end, coarse = start + len(items), rounded(vectors)
        self.items[start:end], self.vectors[start:end] = items, vectors
        self.codes[start:end], self.scales[start:end] = coarse.codes, coarse.scales
        return replace(self, error=max(self.error, coarse.error))

    def with_room_for(self, count: int, *, used: int) -> "_Store":
        """Give a store that holds `count` rows; older readers keep the arrays they have."""
        if count <= len(self.items):
            return self
        capacity = max(count, 2 * len(self.items))
        grown = replace(_Store.of(capacity, self.vectors.shape[1]), error=self.error)
        for name in ("items", "vectors", "codes", "scales"):
            getattr(grown, name)[:used] = getattr(self, name)[:used]
        return grown


_NONE_ROUNDED = rounded(np.zeros((0, 1), np.float32))
