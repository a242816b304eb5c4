"""The vectors of one generation as one process holds them: rows of the database, in a matrix."""

from dataclasses import dataclass
from functools import cache
from typing import Final, Self

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Select, bindparam, func, select

from smriti_es.embedders import FloatMatrix
from smriti_es.events.database import fetch_rows
from smriti_es.projections.generation import Generation
from smriti_es.projections.vectors.exact import VectorMatrix
from smriti_es.projections.vectors.graph import VectorGraph
from smriti_es.projections.vectors.tables import STORED, vector_tables

Positions = npt.NDArray[np.int64]
_ROWS_PER_READ: Final = 10_000


@dataclass(slots=True)
class LoadedVectors:
    """What this process holds of one generation of vectors.

    Attributes:
        generation: Which.
        matrix: The vectors, in the order of their numbers.
        erasure: The last erasure that it knows of: after another one nothing of it may be kept.
        sequences: The `vector_seq` of each row, ascending; never longer than the matrix.
        graph: The graph that serves, or None. It may lag behind the rows.
        looked_at: Which writing of the graph's file was looked at last.
    """

    generation: Generation
    matrix: VectorMatrix
    erasure: int
    sequences: Positions
    graph: VectorGraph | None = None
    looked_at: tuple[int, ...] | None = None

    @classmethod
    def nothing(cls, generation: Generation, dimension: int, erasure: int) -> Self:
        """Begin without rows."""
        return cls(generation, VectorMatrix(dimension), erasure, np.empty(0, np.int64))

    def __len__(self) -> int:
        return len(self.sequences)

    @property
    def last_sequence(self) -> int:
        """The number of the last row, -1 for none."""
        return int(self.sequences[-1]) if len(self.sequences) else -1

    def read_on(self, connection: Connection, log: int) -> None:
        """Read the rows that came since, inside the snapshot of a read."""
        statement = _rows_after(self.generation.number)
        while True:
            values = {"this_log": log, "last": self.last_sequence}
            rows = fetch_rows(connection, statement, values)
            if rows:
                stored = np.frombuffer(b"".join([row[2] for row in rows]), STORED)
                vectors = stored.reshape(len(rows), -1).astype(np.float32)
                vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
                self.matrix.extend(np.array([row[1] for row in rows], np.int64), vectors)
                self.sequences = np.concatenate(
                    [self.sequences, np.array([row[0] for row in rows], np.int64)]
                )
            if len(rows) < _ROWS_PER_READ:
                return

    def after(self, sequence: int) -> tuple[Positions, FloatMatrix]:
        """Give number and vector of every row behind a number."""
        sequences = self.sequences
        first = int(np.searchsorted(sequences, sequence, side="right"))
        return sequences[first:], self.matrix.vectors[first : len(sequences)]


def newest_vector(connection: Connection, log: int, generation: Generation) -> int:
    """Give the number of the last row, -1 before the first; erased ones leave gaps below it."""
    rows = fetch_rows(connection, _last(generation.number), {"this_log": log})
    return int(rows[0][0])


@cache
def _rows_after(generation: int) -> Select[tuple[int, int, bytes]]:
    c = vector_tables(generation).vector.c
    return (
        select(c.vector_seq, c.position, c.vector)
        .where(c.log == bindparam("this_log"), c.vector_seq > bindparam("last"))
        .order_by(c.vector_seq)
        .limit(_ROWS_PER_READ)
    )


@cache
def _last(generation: int) -> Select[tuple[int]]:
    c = vector_tables(generation).vector.c
    return select(func.coalesce(func.max(c.vector_seq), -1)).where(c.log == bindparam("this_log"))
