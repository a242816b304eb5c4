"""What screening leaves out must not matter, whatever the vectors are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from smriti_es.projections.vectors import exact
from smriti_es.projections.vectors.exact import VectorMatrix
from smriti_es.projections.vectors.screening import estimated, rounded

DIMENSION = 16
Rows = NDArray[np.float32]


@pytest.fixture(autouse=True)
def _few_rows_are_screened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "_WORTH_SCREENING", 1)


def unit_vectors(count: int, seed: int, *, spread: float = 1.0) -> Rows:
    """Make vectors around one direction: the less they spread, the more of them nearly tie."""
    random = np.random.default_rng(seed)
    vectors = np.eye(DIMENSION)[0] + spread * random.standard_normal((count, DIMENSION))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def matrix_of(items: NDArray[np.int64], vectors: Rows) -> VectorMatrix:
    matrix = VectorMatrix(DIMENSION)
    matrix.extend(items, vectors)
    return matrix


@settings(max_examples=80)
@given(
    seed=st.integers(0, 2**20),
    count=st.integers(1, 400),
    spread=st.sampled_from([0.0, 0.001, 0.01, 0.3, 5.0]),
    depth=st.integers(1, 30),
    pieces=st.integers(1, 3),
    facts=st.floats(0, 1),
)
def test_the_nearest_of_each_group_and_the_farthest_are_those_of_comparing_all(
    seed: int, count: int, spread: float, depth: int, pieces: int, facts: float
) -> None:
    random = np.random.default_rng(seed)
    items = random.integers(0, 2 * count, count * pieces)
    matrix = matrix_of(items, unit_vectors(count * pieces, seed, spread=spread))
    query = unit_vectors(1, seed + 1, spread=0.5)[0]
    wanted = np.arange(2 * count)
    fact = random.random(2 * count) < facts
    groups = (~fact, fact)
    every = matrix.best_per_item(query, wanted)
    some = matrix.nearest_per_item(query, wanted, groups, depth)
    given_ = ~np.isnan(some)
    assert some[given_].tolist() == every[given_].tolist()
    assert float(np.nanmin(some)) == float(np.nanmin(every))
    for group in groups:
        best = np.sort(every[group & ~np.isnan(every)])[::-1][:depth]
        assert np.sort(some[group & given_])[::-1][: len(best)].tolist() == best.tolist()


def test_most_of_what_is_far_away_is_not_compared() -> None:
    vectors = unit_vectors(5_000, 1, spread=2.0)
    matrix = matrix_of(np.arange(5_000), vectors)
    everything = np.ones(5_000, np.bool_)
    found = matrix.nearest_per_item(vectors[7], np.arange(5_000), [everything], 10)
    assert 11 <= np.count_nonzero(~np.isnan(found)) < 100


def test_items_without_a_vector_have_no_cosine() -> None:
    matrix = matrix_of(np.array([2, 4]), unit_vectors(2, 1))
    query, wanted = unit_vectors(1, 2)[0], np.arange(1, 6)
    found = matrix.nearest_per_item(query, wanted, [np.ones(5, np.bool_)], 1)
    assert np.isnan(found).tolist() == [True, False, True, False, True]


def test_nothing_but_items_without_a_vector_gives_no_cosine() -> None:
    matrix = matrix_of(np.array([2, 4]), unit_vectors(2, 1))
    found = matrix.nearest_per_item(
        unit_vectors(1, 2)[0], np.array([5, 6, 7]), [np.ones(3, np.bool_)], 1
    )
    assert np.isnan(found).all()


@given(seed=st.integers(0, 2**20), spread=st.sampled_from([0.0, 0.01, 0.3, 5.0, 1e4]))
def test_an_estimate_is_never_farther_off_than_it_says(seed: int, spread: float) -> None:
    vectors, query = unit_vectors(50, seed, spread=spread), unit_vectors(1, seed + 1)[0]
    estimates, margin = estimated(rounded(vectors), query)
    assert float(np.abs(estimates - vectors @ query).max()) <= margin


def test_an_estimate_of_usual_vectors_is_off_by_little() -> None:
    _, margin = estimated(rounded(unit_vectors(1_000, 1)), unit_vectors(1, 2)[0])
    assert margin < 0.02


def test_a_vector_of_zeros_rounds_to_zeros() -> None:
    found = rounded(np.zeros((1, DIMENSION), np.float32))
    assert not found.codes.any()
    assert found.error == 0.0
