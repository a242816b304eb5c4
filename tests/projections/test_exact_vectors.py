import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from smriti_es.events.errors import InvalidInput
from smriti_es.projections.vectors.exact import VectorMatrix

DIMENSION = 8


def unit_vectors(count: int, *, dimension: int = DIMENSION, seed: int = 1) -> NDArray[np.float32]:
    vectors = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def matrix_of(items: list[int], vectors: NDArray[np.float32]) -> VectorMatrix:
    matrix = VectorMatrix(vectors.shape[1])
    matrix.extend(items, vectors)
    return matrix


def positions(*values: int) -> NDArray[np.int64]:
    return np.array(values, np.int64)


def test_similarity_is_the_cosine_in_row_order() -> None:
    matrix = VectorMatrix(2)
    matrix.extend([7, 3], [[1.0, 0.0], [0.6, 0.8]])
    assert matrix.similarities([0.0, 1.0]).tolist() == pytest.approx([0.0, 0.8])
    assert matrix.items.tolist() == [7, 3]


def test_an_empty_matrix_has_no_similarities() -> None:
    matrix = VectorMatrix(2)
    assert len(matrix) == 0
    assert matrix.similarities([1.0, 0.0]).shape == (0,)
    assert np.isnan(matrix.best_per_item([1.0, 0.0], positions(1, 2))).all()


def test_an_item_counts_by_its_most_similar_chunk() -> None:
    matrix = VectorMatrix(2)
    matrix.extend([5, 5, 9], [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    assert matrix.best_per_item([0.0, 1.0], positions(5, 9)).tolist() == pytest.approx([1.0, 0.8])


def test_a_turn_without_vector_is_nan() -> None:
    matrix = matrix_of([2, 4], unit_vectors(2))
    best = matrix.best_per_item(unit_vectors(1)[0], positions(1, 2, 3, 4, 5))
    assert np.isnan(best).tolist() == [True, False, True, False, True]


def test_no_positions_give_no_similarities() -> None:
    matrix = matrix_of([2, 4], unit_vectors(2))
    assert matrix.best_per_item(unit_vectors(1)[0], positions()).shape == (0,)


def test_rows_added_in_many_steps_are_all_there() -> None:
    vectors = unit_vectors(5000)
    matrix = VectorMatrix(DIMENSION)
    for start in range(0, 5000, 37):
        matrix.extend(np.arange(start, min(start + 37, 5000)), vectors[start : start + 37])
    assert len(matrix) == 5000
    np.testing.assert_allclose(matrix.similarities(vectors[9]), vectors @ vectors[9], atol=1e-6)


def test_what_was_handed_in_is_copied() -> None:
    vectors = unit_vectors(3)
    matrix = matrix_of([1, 2, 3], vectors)
    query = vectors[0].copy()
    vectors[:] = 0
    assert matrix.similarities(query)[0] == pytest.approx(1.0, abs=1e-6)


def test_a_similarity_keeps_its_last_bit_when_rows_come_after_it() -> None:
    vectors = unit_vectors(300)
    matrix = VectorMatrix(DIMENSION)
    first: list[float] = []
    for item in range(300):
        matrix.extend([item], vectors[item : item + 1])
        first.append(float(matrix.similarities(vectors[0])[item]))
    assert matrix.similarities(vectors[0]).tolist() == first


def test_few_wanted_items_have_the_similarities_they_have_among_all() -> None:
    vectors = unit_vectors(300)
    matrix = matrix_of(list(range(300)), vectors)
    wanted = positions(*range(5, 300, 31))
    best = matrix.best_per_item(vectors[0], wanted)
    assert best.tolist() == matrix.similarities(vectors[0])[wanted].tolist()


@given(
    items=st.lists(st.integers(0, 40), max_size=60),
    wanted=st.sets(st.integers(0, 45), max_size=46),
    steps=st.integers(1, 7),
)
def test_best_per_item_is_the_maximum_over_its_rows(
    items: list[int], wanted: set[int], steps: int
) -> None:
    vectors = unit_vectors(len(items), seed=3)
    query = unit_vectors(1, seed=4)[0]
    matrix = VectorMatrix(DIMENSION)
    for start in range(0, len(items), steps):
        matrix.extend(items[start : start + steps], vectors[start : start + steps])
    asked = positions(*sorted(wanted))
    best = matrix.best_per_item(query, asked)
    for item, similarity in zip(sorted(wanted), best, strict=True):
        own = [float(vectors[row] @ query) for row, owner in enumerate(items) if owner == item]
        assert float(similarity) == pytest.approx(max(own, default=np.nan), nan_ok=True, abs=1e-6)


def test_readers_see_whole_extensions_while_one_thread_extends() -> None:
    matrix = VectorMatrix(DIMENSION)
    query = np.eye(DIMENSION, dtype=np.float32)[0]
    rows = np.tile(query, (7, 1))
    done = threading.Event()
    torn: list[int] = []

    def read() -> None:
        while not done.is_set():
            similarities = matrix.similarities(query)
            if len(similarities) % 7 or not (similarities == 1.0).all():
                torn.append(len(similarities))

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for step in range(1500):
        matrix.extend(np.full(7, step), rows)
    done.set()
    for reader in readers:
        reader.join()
    assert torn == []
    assert len(matrix) == 1500 * 7


@pytest.mark.parametrize(
    ("items", "vectors"),
    [([1], unit_vectors(2)), ([1, 2], unit_vectors(2, dimension=5)), ([1], unit_vectors(1)[0])],
)
def test_vectors_that_do_not_fit_change_nothing(
    items: list[int], vectors: NDArray[np.float32]
) -> None:
    matrix = matrix_of([1], unit_vectors(1))
    with pytest.raises(InvalidInput) as caught:
        matrix.extend(items, vectors)
    assert caught.value.field == "vectors"
    assert len(matrix) == 1


def test_a_query_of_another_dimension_is_refused() -> None:
    matrix = matrix_of([1], unit_vectors(1))
    with pytest.raises(InvalidInput) as caught:
        matrix.best_per_item(unit_vectors(1, dimension=5)[0], positions(1))
    assert caught.value.field == "query"


def test_a_matrix_needs_a_dimension() -> None:
    with pytest.raises(InvalidInput):
        VectorMatrix(0)
