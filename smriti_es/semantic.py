"""The semantic channel: how near each turn is to a question, by the vectors of one embedder.

The matrix and the graph are this process's caches of the vector rows. The matrix catches up by
`vector_seq` inside the snapshot of the read, so that an answer never mixes two states. The graph
only says which vectors are worth comparing: what it lacks is compared beside it, and every cosine
in an answer is the exact one.
"""

import json
import threading
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Select, bindparam, func, select

from smriti_es.embedders import FloatMatrix
from smriti_es.events.database import fetch_rows
from smriti_es.graph_keeping import GraphKeeper, Told
from smriti_es.loaded_vectors import LoadedVectors, newest_vector
from smriti_es.projections.generation import Generation
from smriti_es.projections.vectors.graph import VectorGraph
from smriti_es.projections.vectors.graph_file import remove_pair
from smriti_es.projections.vectors.tables import STORED, vector_tables

Positions = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
# So many rows that the graph lacks, or this share, are compared beside it; with more, all are.
_LACKING: Final = 2_000
_LACKING_SHARE: Final = 0.02
# Of items at even distances the cosine is given, too: ranking wants to know how low they go.
_SAMPLE: Final = 2_048
# A filter is seldom spread evenly, so more is asked of the graph than its share says, to a limit.
_FETCH_MARGIN: Final = 1.5
_FETCH_MAX: Final = 4_096
# What lets through less than this share of what there is, is compared without the graph.
_SELECTIVE: Final = 0.1
_SELECTIVE_DEPTHS: Final = 4


@cache
def _failed(generation: int) -> Select[tuple[int]]:
    failure = vector_tables(generation).failure.c
    return select(failure.position).where(failure.log == bindparam("this_log"))


def failed_positions(connection: Connection, log: int, generation: Generation) -> Positions:
    """Give the positions of turns and facts that could not be embedded, in no order."""
    rows = fetch_rows(connection, _failed(generation.number), {"this_log": log})
    return np.array([row[0] for row in rows], np.int64)


def told_other(generation: Generation | None) -> str:
    """Say that the vectors that serve are not those of the embedder at hand."""
    if generation is None or generation.detail is None:
        return "semantic: there are no vectors yet"
    model = json.loads(generation.detail)["model"]
    return (
        f"semantic: the vectors were made by another embedder, {model}; open the memory with that "
        "one, or switch: `smriti-es embedder switch`"
    )


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


class SemanticIndex:
    """Compares questions with the vectors of one log.

    Args:
        log: The log's number.
        graph_path: Where the graph file lies; None keeps it in memory only.
        graph_threshold: From how many vectors on the graph serves.
        keeps_graph: Whether to build and keep a graph where there is none; otherwise every vector
            is compared.
    """

    def __init__(
        self, log: int, *, graph_path: Path | None, graph_threshold: int, keeps_graph: bool
    ) -> None:
        self._log = log
        self._graph_path = graph_path
        self._graph_threshold = graph_threshold
        self._keeper = GraphKeeper(graph_path, keeps=keeps_graph)
        self._loaded: LoadedVectors | None = None
        self._door = threading.Lock()

    @property
    def graph_problem(self) -> str | None:
        """What keeps the graph's file from being used, and what to do; answers are only slower."""
        return self._keeper.problem

    @property
    def graph_progress(self) -> str | None:
        """How far the graph is that is being built, or None."""
        return self._keeper.told

    def caught_up(
        self, connection: Connection, generation: Generation, dimension: int, erasure: int
    ) -> LoadedVectors:
        """Read the rows that this process has not got yet, and look for the graph's file.

        Args:
            connection: The snapshot of the read.
            generation: The generation of vectors that serves.
            dimension: Of its vectors.
            erasure: Position of the last erasure of content, -1 for none.
        """
        with self._door:
            loaded = self._loaded
            if (
                loaded is None
                or loaded.erasure != erasure
                or loaded.generation.number != generation.number
                or loaded.generation.detail != generation.detail
            ):
                # Only the generation that serves is kept: another embedder's vectors are of no use.
                loaded = LoadedVectors.nothing(generation, dimension, erasure)
                self._loaded = loaded
            loaded.read_on(connection, self._log)
            if len(loaded) >= self._graph_threshold:
                self._keeper.look(loaded)
            return loaded

    def exact(
        self,
        connection: Connection,
        generation: Generation,
        query: FloatMatrix,
        positions: Positions,
        *,
        erasure: int,
    ) -> npt.NDArray[np.float32]:
        """Give the cosine of a question and each of some turns and facts, NaN without a vector."""
        loaded = self._loaded
        if loaded is None or loaded.generation.number != generation.number:
            # Dropped since, or another generation serves by now.
            loaded = self.caught_up(connection, generation, len(query), erasure)
        return loaded.matrix.best_per_item(query, positions)

    def count(self, connection: Connection, generation: Generation) -> int:
        """Count the vectors of a generation."""
        rows = fetch_rows(connection, _counted(generation.number), {"this_log": self._log})
        return int(rows[0][0])

    def rows_for_graph(
        self, connection: Connection, generation: Generation, erasure: int
    ) -> LoadedVectors | None:
        """Read the rows that a graph is to be kept of; None: there are too few for one."""
        if newest_vector(connection, self._log, generation) + 1 < self._graph_threshold:
            return None
        dimension = _dimension(connection, self._log, generation)
        loaded = self.caught_up(connection, generation, dimension, erasure)
        return loaded if len(loaded) >= self._graph_threshold else None

    def keep_graph(self, loaded: LoadedVectors, erased: Callable[[], int], pause: Told) -> None:
        """Build the graph or bring it up to the rows; outside any snapshot, for it takes long.

        Args:
            loaded: What `rows_for_graph` gave.
            erased: Gives the position of the last erasure, as it is whenever it is called.
            pause: Whether to stop after the step at hand; the next call goes on from there.
        """
        self._keeper.keep(loaded, still=self._holding(loaded, erased), pause=pause)

    def save_graph(self, erased: Callable[[], int]) -> None:
        """Save a graph that is not built to the end: the next process goes on from there."""
        if (loaded := self._loaded) is not None:
            self._keeper.save_part(self._holding(loaded, erased))

    def _holding(self, loaded: LoadedVectors, erased: Callable[[], int]) -> Told:
        """Give what tells whether rows are still what there is, before anything of them is kept."""
        return lambda: self._loaded is loaded and erased() == loaded.erasure

    def forget(self) -> None:
        """Drop the caches; the next read fills them again."""
        with self._door:
            self._loaded = None

    def begin_anew(self, generation: Generation, erasure: int) -> None:
        """Drop the caches, and the graph's file unless it is of the generation that serves now."""
        self.forget()
        self._keeper.drop_others(generation, erasure)

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


def compared(
    loaded: LoadedVectors,
    query: FloatMatrix,
    positions: Positions,
    depth: int,
    *,
    exact: bool = False,
    fact: Mask | None = None,
) -> npt.NDArray[np.float32]:
    """Compare a question with turns and facts.

    Args:
        loaded: The vectors.
        query: (dimension,) float32, unit length.
        positions: int64, ascending: what the read may see.
        depth: How many of the nearest turns, and of the nearest facts, must be among those with a
            cosine.
        exact: Never ask the graph, which knows only now.
        fact: Which of the positions are facts; None: none are.

    Returns:
        float32, aligned with `positions`: the best cosine over an item's pieces; NaN where it has
        no vector, and where it is neither among the nearest nor, for the range, the farthest (when
        the graph serves, in a sample).
    """
    chosen = None
    if not exact and loaded.graph is not None and loaded.graph.usable:
        chosen = _worth_comparing(loaded, query, positions, depth, fact)
    if chosen is None:
        is_fact = np.zeros(len(positions), np.bool_) if fact is None else fact
        return loaded.matrix.nearest_per_item(query, positions, (~is_fact, is_fact), depth)
    nearest = np.full(len(positions), np.nan, np.float32)
    nearest[chosen] = loaded.matrix.best_per_item(query, positions[chosen])
    return nearest


def _worth_comparing(
    loaded: LoadedVectors, query: FloatMatrix, positions: Positions, depth: int, fact: Mask | None
) -> Positions | None:
    """Give the places of what the graph holds for the nearest, of what it lacks, and of a sample.

    None: every vector must be compared, for the graph lacks too much or finds too little.
    """
    graph, sequences = loaded.graph, loaded.sequences
    assert graph is not None
    items = loaded.matrix.items[: len(sequences)]
    covered = int(np.searchsorted(sequences, graph.last_vector_seq, side="right"))
    if len(sequences) - covered > max(_LACKING, int(_LACKING_SHARE * covered)):
        return None
    lacking = np.unique(items[covered:])
    chosen = [_places(positions, lacking)]
    everything = np.arange(len(positions))
    groups = [everything]
    if fact is not None and fact.any():
        groups = [everything[~fact], everything[fact]]
    for group in groups:
        if len(group) < max(_SELECTIVE_DEPTHS * depth, int(_SELECTIVE * len(items))):
            if len(group) == len(positions):
                return None  # selective: comparing these alone is exact, and fast
            chosen.append(group)
            continue
        wanted = positions if len(group) == len(positions) else positions[group]
        nearest = _by_graph(graph, query, depth, items, sequences, wanted)
        if nearest is None:
            return None
        chosen += [group[nearest], group[np.linspace(0, len(group) - 1, _SAMPLE).astype(np.int64)]]
    return np.unique(np.concatenate(chosen))


def _by_graph(
    graph: VectorGraph,
    query: FloatMatrix,
    depth: int,
    items: Positions,
    sequences: Positions,
    wanted: Positions,
) -> Positions | None:
    """Give places of the nearest `depth` among the wanted, or None if the graph does not tell."""
    share = min(1.0, len(wanted) / len(items))
    fetch = depth if share == 1.0 else int(_FETCH_MARGIN * depth / share)
    while fetch <= min(_FETCH_MAX, len(graph)):
        found = graph.search(query, fetch)
        if found is None:
            return None
        rows = np.minimum(np.searchsorted(sequences, found[0]), len(sequences) - 1)
        known = sequences[rows] == found[0]
        places = _places(wanted, np.unique(items[rows[known]]))
        if len(places) >= depth:
            return places
        fetch *= 2
    return None


def _places(positions: Positions, wanted: Positions) -> Positions:
    """Give where some positions stand among others, both ascending; leave out those that do not."""
    if len(positions) == 0:
        return np.empty(0, np.int64)
    places = np.minimum(np.searchsorted(positions, wanted), len(positions) - 1)
    there: Positions = places[positions[places] == wanted]
    return there


def _dimension(connection: Connection, log: int, generation: Generation) -> int:
    """Read of how many numbers each vector is, from one of the rows."""
    rows = fetch_rows(connection, _one_vector(generation.number), {"this_log": log})
    return len(rows[0][0]) // STORED.itemsize


@cache
def _one_vector(generation: int) -> Select[tuple[bytes]]:
    vector = vector_tables(generation).vector.c
    return select(vector.vector).where(vector.log == bindparam("this_log")).limit(1)


@cache
def _counted(generation: int) -> Select[Any]:
    vector = vector_tables(generation).vector.c
    return select(func.count()).where(vector.log == bindparam("this_log"))
