"""The few things asked of hnswlib, with types, one lock, and none of its surprises.

One thread and a fixed seed build the same graph from the same rows in the same order. The library's
own filter is not used: it calls Python for every node it passes.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatMatrix = NDArray[np.float32]
Labels = NDArray[np.int64]

SPACE = "ip"  # of unit vectors the inner product is the cosine
LINKS = 16  # the M of the paper
EF_CONSTRUCTION = 200
SEED = 20_260_601

_SMALLEST_CAPACITY = 1024
# So many vectors go in under one hold of the lock: a search waits for them, some milliseconds.
_INSERT_STEP = 8
# A search that would wait longer, as while a file is written, is better answered exactly.
_SEARCH_WAIT_S = 0.05


@dataclass(frozen=True, slots=True)
class IndexState:
    """What the library's file does not say about itself.

    Attributes:
        count: Vectors that a search can find.
        erased: Labels that were overwritten and marked, ascending.
    """

    count: int
    erased: tuple[int, ...]


class HnswIndex:
    """A graph of labelled unit vectors, safe to use from several threads.

    Args:
        dimension: Length of every vector.
        saved: A file written by `save`, to begin with; its bytes must have been checked already.
        erased: The erased labels of that file.

    Raises:
        RuntimeError: The library cannot read the file.
    """

    def __init__(
        self, dimension: int, *, saved: Path | None = None, erased: Sequence[int] = ()
    ) -> None:
        self.dimension = dimension
        self._lock = threading.Lock()
        self._erased = set(erased)
        self._native: Any = _native_index(dimension)
        if saved is None:
            self._native.init_index(
                _SMALLEST_CAPACITY, M=LINKS, ef_construction=EF_CONSTRUCTION, random_seed=SEED
            )
        else:
            self._native.load_index(str(saved))
        self._native.set_num_threads(1)

    def __len__(self) -> int:
        with self._lock:
            return self._live_count()

    def put(self, labels: Labels, vectors: FloatMatrix) -> None:
        """Insert vectors, or replace those of labels that are there already, erased or not."""
        for start in range(0, len(labels), _INSERT_STEP):
            some = labels[start : start + _INSERT_STEP]
            with self._lock:
                self._make_room_for(len(some))
                self._native.add_items(vectors[start : start + _INSERT_STEP], some, num_threads=1)
                self._erased.difference_update(some.tolist())

    def erase(self, label: int) -> bool:
        """Overwrite a vector, then mark it, so that neither memory nor a later file holds it.

        Marking alone would leave the vector where it is. What it is overwritten with is a random
        direction that depends on the label alone; zeros would draw the searches to them.

        Returns:
            Whether there was such a vector.
        """
        noise = np.random.default_rng([SEED, label]).standard_normal(self.dimension)
        unlike = (noise / np.linalg.norm(noise)).astype(np.float32)
        with self._lock:
            if label in self._erased or not self._holds(label):
                return False
            self._native.add_items(unlike[np.newaxis], np.array([label]), num_threads=1)
            self._native.mark_deleted(label)
            self._erased.add(int(label))
            return True

    def nearest(
        self, queries: FloatMatrix, k: int, *, ef: int
    ) -> tuple[Labels, FloatMatrix] | None:
        """Find the `k` vectors that the graph holds for the most similar ones.

        Args:
            queries: (count, dimension) unit length.
            k: From 1 to the number of vectors.
            ef: How many candidates the search keeps; at least `k` are, at most all.

        Returns:
            (count, k) labels and similarities, best first; None when the graph does not reach `k`,
            or is busy with something that takes long.
        """
        if not self._lock.acquire(timeout=_SEARCH_WAIT_S):
            return None
        try:
            self._native.set_ef(max(k, min(ef, self._live_count())))
            labels, distances = self._native.knn_query(queries, k=k, num_threads=1)
        except RuntimeError:  # so it says that it found fewer
            return None
        finally:
            self._lock.release()
        return labels.astype(np.int64), np.float32(1.0) - distances

    def labels(self) -> Labels:
        """Give every label that a search can find, ascending."""
        with self._lock:
            known = np.array(self._native.get_ids_list(), np.int64)
            erased = np.fromiter(self._erased, np.int64, len(self._erased))
        return np.setdiff1d(known, erased)

    def vectors(self, labels: Labels) -> FloatMatrix:
        """Copy out the vectors of labels that are there; rows in the order of the labels."""
        with self._lock:
            return np.asarray(self._native.get_items(labels.tolist(), "numpy"), np.float32)

    def save(self, path: Path) -> IndexState | None:
        """Write the library's file over `path`.

        Returns:
            What belongs beside it; None when the disk took only a part, of which the library itself
            says nothing.
        """
        with self._lock:
            self._native.save_index(str(path))
            if path.stat().st_size != self._native.index_file_size():
                return None
            return IndexState(self._live_count(), tuple(sorted(self._erased)))

    def _live_count(self) -> int:
        return int(self._native.get_current_count()) - len(self._erased)

    def _holds(self, label: int) -> bool:
        try:
            self._native.get_items([label])
        except RuntimeError:
            return False
        return True

    def _make_room_for(self, more: int) -> None:
        needed = self._native.get_current_count() + more
        if needed > self._native.get_max_elements():
            self._native.resize_index(max(needed, 3 * self._native.get_max_elements() // 2))


def _native_index(dimension: int) -> Any:
    import hnswlib  # here, so that a memory below the threshold never loads it

    return hnswlib.Index(space=SPACE, dim=dimension)
