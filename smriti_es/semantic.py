"""The semantic channel: how near each turn is to a question, by the vectors of one embedder.

The matrix and the graph are this process's caches of the vector rows; they catch up by `vector_seq`
inside the snapshot of the read, so that an answer never mixes two states.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Select, bindparam, select

from smriti_es.embedders import FloatMatrix
from smriti_es.events.database import fetch_rows
from smriti_es.events.errors import StorageError
from smriti_es.projections.generation import Generation
from smriti_es.projections.vectors.exact import VectorMatrix
from smriti_es.projections.vectors.graph import VectorGraph
from smriti_es.projections.vectors.graph_file import remove_pair
from smriti_es.projections.vectors.tables import STORED, vector_tables

Positions = npt.NDArray[np.int64]
_ROWS_PER_READ: Final = 10_000


@cache
def _failed(generation: int) -> Select[tuple[int]]:
    failure = vector_tables(generation).failure.c
    return select(failure.position).where(failure.log == bindparam("this_log"))


def failed_positions(connection: Connection, log: int, generation: Generation) -> Positions:
    """Give the positions of turns and facts that could not be embedded, in no order."""
    rows = fetch_rows(connection, _failed(generation.number), {"this_log": log})
    return np.array([row[0] for row in rows], np.int64)


def told_failed(turns: int, facts: int) -> list[str]:
    """Say that turns and facts have no vector, if there are any."""
    if turns + facts == 0:
        return []
    counted = [f"{n} {noun}{'s' * (n > 1)}" for n, noun in ((turns, "turn"), (facts, "fact")) if n]
    one = turns + facts == 1
    return [
        f"semantic: {' and '.join(counted)} {'has' if one else 'have'} no vector: embedding "
        f"{'it' if one else 'them'} failed; `smriti-es projections catch-up` tries again"
    ]


@dataclass(slots=True)
class _Loaded:
    """What this process holds of one generation of vectors."""

    matrix: VectorMatrix
    # The last erasure that it knows of: after another one nothing of it may be kept.
    erasure: int
    # Row of the matrix -> vector_seq and position, to speak with the graph.
    sequences: Positions
    last_sequence: int = -1
    graph: VectorGraph | None = None
    # There is no graph to be had, so every vector is compared; looked for again with new ones.
    exact_only: bool = False


class SemanticIndex:
    """Compares questions with the vectors of one log.

    Args:
        log: The log's number.
        graph_path: Where the graph file lies; None keeps it in memory only.
        graph_threshold: From how many vectors on the graph serves.
        keeps_graph: Whether to build and keep a graph where there is none; otherwise every vector
            is compared.

    Attributes:
        graph_problem: What keeps the graph's file from being used, and what to do; None when
            nothing does. Answers are right all the same, only slower.
    """

    def __init__(
        self, log: int, *, graph_path: Path | None, graph_threshold: int, keeps_graph: bool
    ) -> None:
        self._log = log
        self._graph_path = graph_path
        self._keeps_graph = keeps_graph
        self._graph_threshold = graph_threshold
        self._loaded: dict[int, _Loaded] = {}
        self._door = threading.Lock()
        self.graph_problem: str | None = None

    def similarities(
        self,
        connection: Connection,
        generation: Generation,
        query: FloatMatrix,
        positions: Positions,
        depth: int,
        *,
        erasure: int,
        exact: bool = False,
    ) -> npt.NDArray[np.float32]:
        """Compare a question with turns.

        Args:
            connection: The snapshot of the read.
            generation: The generation of vectors that serves.
            query: (dimension,) float32, unit length.
            positions: int64, ascending: the turns that the read may see.
            depth: How many of the nearest must be right when the graph serves.
            erasure: Position of the last erasure of content, -1 for none.
            exact: Never use the graph, which knows only now.

        Returns:
            float32, aligned with `positions`: the best cosine over a turn's pieces; NaN where the
            turn has no vector, and, when the graph serves, where it is not among the nearest.
        """
        loaded = self._catch_up(connection, generation, len(query), erasure)
        if loaded.graph is not None and not exact:
            nearest = self._by_graph(loaded, query, positions, depth)
            if nearest is not None:
                return nearest
        return loaded.matrix.best_per_item(query, positions)

    def exact(
        self, generation: Generation, query: FloatMatrix, positions: Positions
    ) -> npt.NDArray[np.float32]:
        """Compare a question with the turns of another channel; see `similarities`."""
        loaded = self._loaded.get(generation.number)
        if loaded is None:
            return np.full(len(positions), np.nan, np.float32)
        return loaded.matrix.best_per_item(query, positions)

    def forget(self) -> None:
        """Drop the caches; the next read fills them again."""
        with self._door:
            self._loaded.clear()

    def let_go(
        self, generation: Generation, sequences: Sequence[int], erasures: tuple[int, int]
    ) -> None:
        """Take erased vectors out of memory and out of the graph's file.

        Args:
            generation: The generation of vectors that serves.
            sequences: Their numbers; none: they are not known, so that the file goes as a whole.
            erasures: Position of the erasure before, which the file should know of, and of this
                one.

        Raises:
            StorageError: The file cannot be written.
        """
        self.forget()
        if self._graph_path is None:
            return
        before, now = erasures
        read = VectorGraph.load(
            self._graph_path,
            embedder=str(generation.detail),
            generation=generation.number,
            erasure=before,
        )
        if read.graph is None or not sequences:
            remove_pair(self._graph_path)
            return
        for sequence in sequences:
            read.graph.erase(sequence)
        read.graph.erasure = now
        read.graph.save(self._graph_path)

    def _catch_up(
        self, connection: Connection, generation: Generation, dimension: int, erasure: int
    ) -> _Loaded:
        with self._door:
            loaded = self._loaded.get(generation.number)
            if loaded is None or loaded.erasure != erasure:
                loaded = _Loaded(VectorMatrix(dimension), erasure, np.empty(0, np.int64))
                # Only the generation that serves is kept: another embedder's vectors are of no use.
                self._loaded = {generation.number: loaded}
            added = self._read_rows(connection, generation, loaded)
            if len(loaded.matrix) >= self._graph_threshold:
                self._serve_by_graph(generation, loaded, added)
            return loaded

    def _read_rows(
        self, connection: Connection, generation: Generation, loaded: _Loaded
    ) -> tuple[Positions, FloatMatrix]:
        """Extend the matrix by the rows that are new since the last read."""
        vector = vector_tables(generation.number).vector.c
        statement = (
            select(vector.vector_seq, vector.position, vector.vector)
            .where(vector.log == self._log)
            .order_by(vector.vector_seq)
            .limit(_ROWS_PER_READ)
        )
        sequences, gathered = [], []
        while True:
            rows = connection.execute(
                statement.where(vector.vector_seq > loaded.last_sequence)
            ).all()
            if not rows:
                break
            stored = np.frombuffer(b"".join(row.vector for row in rows), STORED)
            vectors = stored.reshape(len(rows), -1).astype(np.float32)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            loaded.matrix.extend(np.array([row.position for row in rows], np.int64), vectors)
            sequences.append(np.array([row.vector_seq for row in rows], np.int64))
            gathered.append(vectors)
            loaded.last_sequence = rows[-1].vector_seq
            if len(rows) < _ROWS_PER_READ:
                break
        if not sequences:
            return np.empty(0, np.int64), np.empty((0, loaded.matrix.dimension), np.float32)
        loaded.sequences = np.concatenate([loaded.sequences, *sequences])
        return np.concatenate(sequences), np.concatenate(gathered)

    def _serve_by_graph(
        self,
        generation: Generation,
        loaded: _Loaded,
        added: tuple[Positions, FloatMatrix],
    ) -> None:
        """Take the graph from its file, catch it up, or build it from the rows."""
        if loaded.graph is not None:
            if len(added[0]):
                loaded.graph.add(*added)
            return
        if loaded.exact_only and not len(added[0]):
            return
        loaded.graph = self._from_file(generation, loaded.erasure)
        loaded.exact_only = loaded.graph is None and not self._may_build()
        if not loaded.exact_only:
            self._complete(generation, loaded)

    def _from_file(self, generation: Generation, erasure: int) -> VectorGraph | None:
        self.graph_problem = None
        if self._graph_path is None:
            return None
        read = VectorGraph.load(
            self._graph_path,
            embedder=str(generation.detail),
            generation=generation.number,
            erasure=erasure,
        )
        if read.refused is not None and read.refused.reason == "unreadable":
            self.graph_problem = f"graph: not used: {read.refused.detail}"
        return read.graph

    def _may_build(self) -> bool:
        # One that could not be kept is not worth the minutes that building it costs.
        return self._keeps_graph and self.graph_problem is None

    def _complete(self, generation: Generation, loaded: _Loaded) -> None:
        """Add to the graph what it lacks, or build it from the rows, and keep it then."""
        vectors = loaded.matrix.vectors
        if loaded.graph is None:
            loaded.graph = VectorGraph.build(
                zip(loaded.sequences.tolist(), vectors, strict=True),
                dimension=loaded.matrix.dimension,
                embedder=str(generation.detail),
                generation=generation.number,
                erasure=loaded.erasure,
            )
        else:
            new = loaded.sequences > loaded.graph.last_vector_seq
            if not new.any():
                return
            loaded.graph.add(loaded.sequences[new], vectors[new])
        if self._graph_path is not None and self._keeps_graph:
            self._save(loaded.graph, self._graph_path)

    def _save(self, graph: VectorGraph, path: Path) -> None:
        try:
            graph.save(path)
        except StorageError as error:
            self.graph_problem = f"graph: not kept for other processes: {error}"

    def _by_graph(
        self, loaded: _Loaded, query: FloatMatrix, positions: Positions, depth: int
    ) -> npt.NDArray[np.float32] | None:
        """Ask the graph; None when it cannot answer in full, so that the caller goes exact."""
        assert loaded.graph is not None
        items = loaded.matrix.items
        visible = np.isin(items, positions)
        allowed = None if visible.all() else loaded.sequences[visible]
        found = loaded.graph.search(query, depth, allowed=allowed)
        if found is None:
            return None
        labels, cosines = found
        rows = np.searchsorted(loaded.sequences, labels)
        places = np.searchsorted(positions, items[rows])
        nearest = np.full(len(positions), -np.inf, np.float32)
        np.maximum.at(nearest, places, cosines)
        nearest[np.isneginf(nearest)] = np.nan
        return nearest
