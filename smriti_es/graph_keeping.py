"""Keeps the graph of one log's vectors: from its file, from the rows, and never inside a read.

A read takes the graph as it is, or compares every vector. What builds, catches up, measures and
saves it works beside the reads, in small steps, and lets go when something more urgent waits.
"""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from smriti_es.events.errors import StorageError
from smriti_es.loaded_vectors import LoadedVectors
from smriti_es.projections.generation import Generation
from smriti_es.projections.vectors.graph import VectorGraph
from smriti_es.projections.vectors.graph_file import building, remove_pair, stamp_of

Told = Callable[[], bool]
# So many vectors go in between two looks at whether to go on: a quarter of a second, or less.
_STEP: Final = 256
# The file is written again when the graph has grown by this share of what is written.
_WORTH_SAVING: Final = 0.1
# So many vectors of a file are compared with the rows that they should be of.
_COMPARED: Final = 32


class GraphKeeper:
    """Builds the graph, keeps it in step with the rows, and keeps its file.

    Args:
        path: Where the file lies; None keeps the graph in memory only.
        keeps: Whether to build and write at all.

    Attributes:
        problem: What keeps the file from being used, and what to do; None when nothing does.
    """

    def __init__(self, path: Path | None, *, keeps: bool) -> None:
        self._path = path
        self._keeps = keeps
        self._saved = 0
        self._building: tuple[LoadedVectors, VectorGraph] | None = None
        self._goal = 0
        self._door = threading.Lock()
        self.problem: str | None = None

    @property
    def told(self) -> str | None:
        """Say how far the graph is that is being built, or None."""
        building = self._building
        if building is None:
            return None
        return (
            f"graph: being built, {len(building[1]):,} of {self._goal:,} vectors; "
            "every vector is compared meanwhile"
        )

    def look(self, loaded: LoadedVectors) -> None:
        """Take the graph from its file, if there is none yet and the file is not the one before."""
        if loaded.graph is not None or self._path is None:
            return
        stamp = stamp_of(self._path)
        if stamp is not None and stamp == loaded.looked_at:
            return
        loaded.looked_at, self.problem = stamp, None
        read = VectorGraph.load(
            self._path,
            embedder=str(loaded.generation.detail),
            generation=loaded.generation.number,
            erasure=loaded.erasure,
        )
        if read.refused is not None and read.refused.reason == "unreadable":
            self.problem = f"graph: not used: {read.refused.detail}"
        if read.graph is not None and _agrees(read.graph, loaded):
            loaded.graph = read.graph
            self._saved = len(read.graph)

    def drop_others(self, generation: Generation, erasure: int) -> None:
        """Remove a file that is of no use to a generation; one that cannot be is a problem."""
        if self._path is None or not self._keeps:
            return
        read = VectorGraph.load(
            self._path,
            embedder=str(generation.detail),
            generation=generation.number,
            erasure=erasure,
        )
        if read.graph is None:
            try:
                remove_pair(self._path)
            except StorageError as error:
                self.problem = f"graph: of vectors out of service, and still there: {error}"

    def keep(self, loaded: LoadedVectors, *, still: Told, pause: Told) -> None:
        """Bring the graph up to the rows, measure it where it has grown, and save it.

        Args:
            loaded: The rows.
            still: Whether they are what there is: no erasure and no other generation since.
            pause: Whether to stop after the step at hand; the next call goes on from there.
        """
        if not self._keeps or (self.problem is not None and loaded.graph is None):
            return  # one that could not be kept is not worth the minutes that building it costs
        with self._door:
            if self._path is None:
                self._grow(loaded, still, pause)
                return
            try:
                with building(self._path) as won:
                    if won:
                        self._grow(loaded, still, pause)
            except OSError as error:
                self.problem = f"graph: not built: {error.filename}: {error.strerror}"

    def save_part(self, still: Told) -> None:
        """Save what was built so far, so that the next process goes on from there."""
        if self._building is not None and self.problem is None:
            self._save(self._building[1], still)

    def _grow(self, loaded: LoadedVectors, still: Told, pause: Told) -> None:
        graph = self._begun(loaded)
        while True:
            labels, vectors = loaded.after(graph.last_vector_seq)
            if len(labels) == 0:
                break
            self._goal = len(graph) + len(labels)
            for start in range(0, len(labels), _STEP):
                if pause():
                    return
                if not still():
                    self._building = None
                    return
                some = slice(start, start + _STEP)
                graph.grow(labels[some], vectors[some])
        if graph.outgrown:
            graph.measure()
        loaded.graph, self._building = graph, None
        if len(graph) - self._saved > _WORTH_SAVING * self._saved:
            self._save(graph, still)

    def _begun(self, loaded: LoadedVectors) -> VectorGraph:
        """Give the graph that serves, or the one that was begun, or begin one."""
        if loaded.graph is not None and loaded.graph.measured:
            return loaded.graph
        if self._building is None or self._building[0] is not loaded:
            graph = loaded.graph or VectorGraph.begun(
                dimension=loaded.matrix.dimension,
                embedder=str(loaded.generation.detail),
                generation=loaded.generation.number,
                erasure=loaded.erasure,
            )
            self._saved = len(graph)
            self._building = (loaded, graph)
        return self._building[1]

    def _save(self, graph: VectorGraph, still: Told) -> None:
        if self._path is None:
            return
        try:
            if graph.save(self._path, still=still) is not None:
                self._saved = len(graph)
        except StorageError as error:
            self.problem = f"graph: not kept for other processes: {error}"


def _agrees(graph: VectorGraph, loaded: LoadedVectors) -> bool:
    """Compare some vectors of a graph with the rows: a database may be older than the file is."""
    labels = graph.labels()
    common = np.intersect1d(labels, loaded.sequences, assume_unique=True)
    if len(common) == 0:
        return len(labels) == 0
    spread = np.linspace(0, len(common) - 1, _COMPARED).astype(np.int64)
    some = common[np.unique(np.concatenate([spread, np.arange(len(common))[-_COMPARED:]]))]
    rows = np.searchsorted(loaded.sequences, some)
    return bool(np.array_equal(graph.vectors(some), loaded.matrix.vectors[rows]))
