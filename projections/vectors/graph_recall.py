"""How much of the truth a graph finds, and how hard it must look to find enough of it.

Source: decision 41.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from smriti_es.projections.vectors.hnsw import SEED, FloatMatrix, HnswIndex

RECALL_FLOOR = 0.97
_DEPTH = 100  # as deep as the candidates of a question go
_SAMPLE = 64
_EFFORTS = (100, 150, 200, 300, 400, 600, 800)
_NOISE = 0.7  # a question lies near what answers it, not on it
_EXACT_STEP = 8192
ROUNDING = 1e-5  # two ways of adding up one inner product differ by less


@dataclass(frozen=True, slots=True)
class Tuning:
    """The effort that a graph needs, and what it finds with it.

    Attributes:
        ef: Candidates to keep for the 100 nearest.
        recall: Share of the exact 100 nearest that were found, over a fixed sample of questions.
        measured_at: How many vectors the graph held; below zero when it never was.
    """

    ef: int
    recall: float
    measured_at: int

    @classmethod
    def of_nothing(cls) -> Self:
        """Give the tuning of a graph without vectors, which finds all of them."""
        return cls(_EFFORTS[0], 1.0, 0)

    @classmethod
    def of_a_part(cls) -> Self:
        """Give the tuning of a graph that is not built to the end: it may not answer."""
        return cls(_EFFORTS[0], 0.0, -_DEPTH)

    @property
    def usable(self) -> bool:
        """Whether the graph may answer; if not, the exact scan must."""
        return self.recall >= RECALL_FLOOR

    @property
    def outgrown(self) -> int:
        """The count of vectors from which the measurement says little."""
        return self.measured_at + max(_DEPTH, self.measured_at // 4)

    def effort(self, k: int) -> int:
        """Give the ef for `k` results, with the margin that was measured."""
        return max(self.ef, k * self.ef // _DEPTH)


def tune(index: HnswIndex) -> Tuning:
    """Raise the effort until the graph finds enough, or is known not to.

    The sample is fixed: vectors at even distances, each moved by noise of a fixed seed. Finding
    another vector that is just as similar counts as found.

    Returns:
        The first effort that reaches the floor, else the last one tried.

    Cost: one exact pass over the vectors, and at most 448 searches.
    """
    labels = index.labels()
    if len(labels) == 0:
        return Tuning.of_nothing()
    depth = min(_DEPTH, len(labels))
    chosen = labels[np.unique(np.linspace(0, len(labels) - 1, _SAMPLE).astype(np.int64))]
    queries = near(index.vectors(chosen), SEED)
    needed = _exact_similarity_at(depth, queries, index, labels) - ROUNDING
    for ef in _EFFORTS:
        hits = index.nearest(queries, depth, ef=ef)
        recall = 0.0 if hits is None else float(np.mean(hits[1] >= needed[:, np.newaxis]))
        if recall >= RECALL_FLOOR:
            break
    return Tuning(ef, recall, len(labels))


def near(vectors: FloatMatrix, seed: int) -> FloatMatrix:
    """Make questions that lie near vectors: each moved by noise, of unit length again."""
    noise = np.random.default_rng(seed).standard_normal(vectors.shape)
    moved = vectors + _NOISE * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    return np.asarray(moved / np.linalg.norm(moved, axis=1, keepdims=True), np.float32)


def _exact_similarity_at(
    depth: int, queries: FloatMatrix, index: HnswIndex, labels: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Give, for each query, the similarity of its `depth`-th nearest vector."""
    best = np.empty((len(queries), 0), np.float32)
    for start in range(0, len(labels), _EXACT_STEP):
        some = queries @ index.vectors(labels[start : start + _EXACT_STEP]).T
        best = np.concatenate((best, some), axis=1)
        if best.shape[1] > depth:
            best = np.partition(best, -depth, axis=1)[:, -depth:]
    return np.asarray(best.min(axis=1), np.float32)
