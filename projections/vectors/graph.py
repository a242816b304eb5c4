"""The graph index over vectors: approximate, fast, and only ever a cache of the vector rows.

Whatever happens to its files, the rows can build it again, so no reader sees an error on its
account. It answers for *now*; a read as of the past scans exactly. Source: design page on
projections, "Vectors"; decisions 31 and 41.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from smriti_es.events.errors import InvalidInput
from smriti_es.projections.vectors.graph_file import Refused, Sidecar, read_pair, write_pair
from smriti_es.projections.vectors.graph_recall import Tuning, tune
from smriti_es.projections.vectors.hnsw import FloatMatrix, HnswIndex, Labels

FloatVector = FloatMatrix

# A filter is seldom spread evenly, so more is fetched than its share asks for.
_FETCH_MARGIN = 1.5
_BUILD_STEP = 4096


@dataclass(frozen=True, slots=True)
class GraphLoad:
    """What came of reading a saved graph.

    Attributes:
        graph: The graph, or None when the files are of no use.
        refused: Why there is none, for a report; None when there is one.
    """

    graph: "VectorGraph | None"
    refused: Refused | None


class VectorGraph:
    """An approximate index over the vector rows of one embedder and generation.

    Labels are the `vector_seq` of the rows. Any number of threads may search while one adds or
    erases. Made by `build` or `load`.

    Attributes:
        embedder: Digest of the identity of the embedder.
        generation: The generation of vector rows that it holds.
        last_vector_seq: The highest label ever added, -1 for none: catching up begins after it.
        erasure: The last erasure of content that it knows of, -1 for none. Labels may be given to
            other vectors after another one.
    """

    def __init__(
        self,
        index: HnswIndex,
        *,
        embedder: str,
        generation: int,
        last_vector_seq: int,
        tuning: Tuning,
        erasure: int = -1,
    ) -> None:
        self.embedder = embedder
        self.generation = generation
        self.last_vector_seq = last_vector_seq
        self.erasure = erasure
        self._index = index
        self._tuning = tuning

    @classmethod
    def begun(cls, *, dimension: int, embedder: str, generation: int, erasure: int = -1) -> Self:
        """Give a graph without vectors, which `grow` fills; it answers once it is measured."""
        return cls(
            HnswIndex(dimension),
            embedder=embedder,
            generation=generation,
            last_vector_seq=-1,
            tuning=Tuning.of_a_part(),
            erasure=erasure,
        )

    @classmethod
    def build(
        cls,
        rows: Iterable[tuple[int, FloatVector]],
        *,
        dimension: int,
        embedder: str,
        generation: int,
        erasure: int = -1,
    ) -> Self:
        """Build a graph from the vector rows and measure what it finds.

        The same rows in the same order give the same graph.

        Args:
            rows: `(vector_seq, vector)` of every live row; vectors of `dimension`, unit length.
            dimension: Length of every vector.
            embedder: Digest of the identity of the embedder.
            generation: The generation of the rows.
            erasure: The last erasure of content before they were read, -1 for none.

        Raises:
            InvalidInput: A vector has another dimension.

        Cost: some thousand vectors a second on one thread, fewer as the graph grows.
        """
        graph = cls.begun(
            dimension=dimension, embedder=embedder, generation=generation, erasure=erasure
        )
        for labels, vectors in _in_steps(rows):
            graph.grow(labels, vectors)
        graph.measure()
        return graph

    @classmethod
    def load(cls, path: Path, *, embedder: str, generation: int, erasure: int = -1) -> GraphLoad:
        """Read a saved graph, if it is whole and of this embedder, generation and erasure.

        Args:
            path: What `save` was given.
            embedder: Digest of the identity of the embedder whose vectors are wanted.
            generation: The generation of vector rows that is wanted.
            erasure: The last erasure of content, -1 for none.

        Returns:
            The graph, or the reason why there is none. Nothing that lies on disk raises.
        """
        read = read_pair(path, embedder=embedder, generation=generation, erasure=erasure)
        if isinstance(read, Refused):
            return GraphLoad(None, read)
        index, sidecar = read
        graph = cls(
            index,
            embedder=embedder,
            generation=generation,
            last_vector_seq=sidecar.last_vector_seq,
            tuning=Tuning(sidecar.ef, sidecar.recall, sidecar.measured_at),
            erasure=sidecar.erasure,
        )
        return GraphLoad(graph, None)

    def __len__(self) -> int:
        return len(self._index)

    @property
    def recall(self) -> float:
        """The share of the exact nearest that a fixed sample of questions found."""
        return self._tuning.recall

    @property
    def usable(self) -> bool:
        """Whether the graph finds enough to answer; if not, every search says to go exact."""
        return self._tuning.usable

    def labels(self) -> Labels:
        """Give every label that a search can find, ascending."""
        return self._index.labels()

    def add(self, labels: ArrayLike, vectors: ArrayLike) -> None:
        """Add rows; the vector of a label that is there already is replaced.

        When the graph has grown by a quarter, what it finds is measured anew.

        Args:
            labels: (count,) vector_seq of the rows, none of them negative.
            vectors: (count, dimension) unit length, row order = labels order.

        Raises:
            InvalidInput: The shapes do not fit, or a label is negative; nothing was added.
        """
        self.grow(labels, vectors)
        if self.outgrown:
            self.measure()

    @property
    def measured(self) -> bool:
        """Whether it was ever measured: one that was not is built in part."""
        return self._tuning.measured_at >= 0

    @property
    def outgrown(self) -> bool:
        """Whether it has grown by so much that what was measured says little."""
        return len(self._index) >= self._tuning.outgrown

    def measure(self) -> None:
        """Measure what it finds, and how hard it must look for that."""
        self._tuning = tune(self._index)

    def vectors(self, labels: Labels) -> FloatMatrix:
        """Copy out the vectors of labels that it holds; rows in the order of the labels."""
        return self._index.vectors(labels)

    def erase(self, label: int) -> bool:
        """Take a vector out for good: overwritten in memory and absent from the next file.

        Returns:
            Whether it was there. The file on disk still holds it until `save`.
        """
        return self._index.erase(label)

    def search(
        self, query: ArrayLike, k: int, *, allowed: Labels | None = None
    ) -> tuple[Labels, FloatVector] | None:
        """Find the most similar vectors.

        Args:
            query: (dimension,) unit length.
            k: How many, at least 0.
            allowed: (count,) int64, ascending: the only labels wanted; None for all.

        Returns:
            Labels and their cosine, best first (the lower label first of equals): `k` of them, or
            every one there is when there are fewer. None when the graph cannot promise that, for it
            finds too little or the filter lets too little through: compare exactly instead.

        Raises:
            InvalidInput: The query has another dimension.
        """
        vector = self._checked(np.asarray(query, np.float32)[np.newaxis])
        count = len(self._index)
        share = 1.0 if allowed is None or count == 0 else min(1.0, len(allowed) / count)
        if min(k, count) == 0 or share == 0.0:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        if not self.usable:
            return None
        wanted = k if allowed is None else int(_FETCH_MARGIN * k / share) + 1
        while (fetch := min(wanted, count)) <= _fetch_limit(count):
            found = self._nearest(vector, fetch, allowed)
            if found is None:
                return None
            labels, similarities = found
            if len(labels) >= k or fetch == count:
                return labels[:k], similarities[:k]
            wanted *= 2
        return None

    def save(self, path: Path, *, still: Callable[[], bool] = lambda: True) -> Sidecar | None:
        """Replace the files at `path`; what was erased is then on disk no more.

        Args:
            path: Of the index; its sidecar has `.json` behind the name, its lock file `.lock`.
            still: Asked once nobody else can write or read the files: whether they may still be
                written.

        Returns:
            What the sidecar says; None: they may not.

        Raises:
            StorageBusy: Another process held the files for a minute.
            StorageUnavailable: They could not be written.
        """
        return write_pair(
            self._index,
            path,
            still=still,
            embedder=self.embedder,
            generation=self.generation,
            last_vector_seq=self.last_vector_seq,
            ef=self._tuning.ef,
            recall=self._tuning.recall,
            measured_at=self._tuning.measured_at,
            erasure=self.erasure,
        )

    def _nearest(
        self, query: FloatMatrix, fetch: int, allowed: Labels | None
    ) -> tuple[Labels, FloatVector] | None:
        hits = self._index.nearest(query, fetch, ef=self._tuning.effort(fetch))
        if hits is None:
            return None
        labels, similarities = hits[0][0], hits[1][0]
        if allowed is not None:
            slots = np.minimum(np.searchsorted(allowed, labels), len(allowed) - 1)
            kept = allowed[slots] == labels
            labels, similarities = labels[kept], similarities[kept]
        order = np.lexsort((labels, -similarities))
        return labels[order], similarities[order]

    def grow(self, labels: ArrayLike, vectors: ArrayLike) -> None:
        """Add rows as `add` does, and measure nothing."""
        new_labels = np.asarray(labels, np.int64)
        if len(new_labels) == 0:
            return
        new_vectors = self._checked(np.asarray(vectors, np.float32))
        if len(new_labels) != len(new_vectors) or new_labels.min() < 0:
            raise InvalidInput(
                f"{len(new_vectors)} vectors for labels {new_labels.tolist()[:3]} ...",
                hint="Give one vector a label, and labels from 0.",
                field="labels",
            )
        self._index.put(new_labels, new_vectors)
        self.last_vector_seq = max(self.last_vector_seq, int(new_labels.max()))

    def _checked(self, vectors: FloatMatrix) -> FloatMatrix:
        if vectors.ndim != 2 or vectors.shape[1] != self._index.dimension:
            raise InvalidInput(
                f"vectors of shape {vectors.shape} do not fit a graph of {self._index.dimension}",
                hint="Keep the vectors of each embedder in a graph of their own.",
                field="vectors",
            )
        return vectors


def _fetch_limit(count: int) -> int:
    """Give how many candidates may be fetched before the exact scan is the better way to answer."""
    return max(512, min(4096, count // 4))


def _in_steps(
    rows: Iterable[tuple[int, FloatVector]],
) -> Iterator[tuple[list[int], FloatMatrix]]:
    remaining = iter(rows)
    while step := list(islice(remaining, _BUILD_STEP)):
        shapes = {vector.shape for _, vector in step}
        if len(shapes) > 1:
            raise InvalidInput(
                f"vectors of different shapes: {sorted(shapes)}",
                hint="Build from the rows of one embedder.",
                field="rows",
            )
        yield [label for label, _ in step], np.stack([vector for _, vector in step])
