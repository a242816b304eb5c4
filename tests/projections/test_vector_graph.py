import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from smriti_es.events.errors import InvalidInput
from smriti_es.projections.vectors.graph import VectorGraph
from smriti_es.projections.vectors.graph_recall import RECALL_FLOOR, Tuning, tune
from smriti_es.projections.vectors.hnsw import HnswIndex

Vectors = NDArray[np.float32]
DIMENSION = 16
EMBEDDER = "0123456789abcdef"


def unit_vectors(count: int, *, dimension: int = DIMENSION, seed: int = 1) -> Vectors:
    vectors = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def build(vectors: Vectors) -> VectorGraph:
    return VectorGraph.build(
        enumerate(vectors),
        dimension=vectors.shape[1],
        embedder=EMBEDDER,
        generation=1,
    )


def loaded(path: Path) -> VectorGraph:
    graph = VectorGraph.load(path, embedder=EMBEDDER, generation=1).graph
    assert graph is not None
    return graph


def found(
    graph: VectorGraph, query: Vectors, k: int, *, allowed: NDArray[np.int64] | None = None
) -> list[int]:
    hits = graph.search(query, k, allowed=allowed)
    assert hits is not None
    return [int(label) for label in hits[0]]


def exact(vectors: Vectors, query: Vectors, labels: NDArray[np.int64], k: int) -> list[int]:
    similarities = vectors[labels] @ query
    return [int(label) for label in labels[np.argsort(-similarities, kind="stable")][:k]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vectors.hnsw"


# --- searching ---


def test_a_search_gives_the_nearest_first_with_their_cosine() -> None:
    vectors = unit_vectors(500)
    query = unit_vectors(1, seed=2)[0]
    hits = build(vectors).search(query, 10)
    assert hits is not None
    labels, similarities = hits
    assert labels.tolist() == exact(vectors, query, np.arange(500), 10)
    np.testing.assert_allclose(similarities, vectors[labels] @ query, atol=1e-5)


def test_equal_vectors_come_lower_label_first() -> None:
    vectors = np.repeat(unit_vectors(2), 5, axis=0)
    assert found(build(vectors), vectors[7], 5) == [5, 6, 7, 8, 9]


def test_an_empty_graph_finds_nothing() -> None:
    graph = build(unit_vectors(0))
    assert len(graph) == 0
    assert graph.last_vector_seq == -1
    assert found(graph, unit_vectors(1)[0], 5) == []


def test_asking_for_more_than_there_is_gives_all() -> None:
    vectors = unit_vectors(20)
    assert sorted(found(build(vectors), vectors[0], 100)) == list(range(20))


def test_asking_for_none_gives_none() -> None:
    assert found(build(unit_vectors(20)), unit_vectors(1)[0], 0) == []


def test_a_graph_that_finds_too_little_says_to_go_exact() -> None:
    index = HnswIndex(DIMENSION)
    index.put(np.arange(20), unit_vectors(20))
    graph = VectorGraph(
        index, embedder=EMBEDDER, generation=1, last_vector_seq=19, tuning=Tuning(800, 0.9, 20)
    )
    assert not graph.usable
    assert graph.search(unit_vectors(1)[0], 5) is None


def test_a_query_of_another_dimension_is_refused() -> None:
    with pytest.raises(InvalidInput) as caught:
        build(unit_vectors(5)).search(unit_vectors(1, dimension=3)[0], 1)
    assert caught.value.field == "vectors"


# --- filters ---


def test_a_filter_that_lets_too_little_through_says_to_go_exact() -> None:
    vectors = unit_vectors(3000, dimension=8)
    graph = build(vectors)
    assert graph.search(vectors[0], 10, allowed=np.arange(0, 3000, 500)) is None


def test_an_empty_filter_finds_nothing() -> None:
    assert found(build(unit_vectors(20)), unit_vectors(1)[0], 5, allowed=np.arange(0)) == []


def test_labels_unknown_to_the_graph_are_no_hits() -> None:
    vectors = unit_vectors(30)
    allowed = np.array([3, 8, 30, 77])
    assert sorted(found(build(vectors), vectors[0], 5, allowed=allowed)) == [3, 8]


LARGE = unit_vectors(2500, dimension=8, seed=5)


@pytest.fixture(scope="module")
def large_graph() -> VectorGraph:
    return build(LARGE)


@settings(deadline=None)
@given(data=st.data())
def test_a_filtered_answer_is_never_short(large_graph: VectorGraph, data: st.DataObject) -> None:
    draw: Callable[[st.SearchStrategy[int]], int] = data.draw
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    allowed = np.sort(random.choice(2600, draw(st.integers(0, 2600)), replace=False))
    k = draw(st.integers(1, 40))
    hits = large_graph.search(unit_vectors(1, dimension=8, seed=k)[0], k, allowed=allowed)
    if hits is not None:
        assert len(hits[0]) == min(k, int((allowed < 2500).sum()))
        assert np.isin(hits[0], allowed).all()


def test_a_filtered_answer_is_close_to_the_exact_one(large_graph: VectorGraph) -> None:
    allowed = np.arange(0, 2500, 5)
    shares = []
    for query in unit_vectors(30, dimension=8, seed=9):
        truth = exact(LARGE, query, allowed, 10)
        shares.append(len({*truth} & {*found(large_graph, query, 10, allowed=allowed)}) / 10)
    assert np.mean(shares) >= RECALL_FLOOR


# --- building and adding ---


def test_the_same_rows_build_the_same_file(tmp_path: Path) -> None:
    vectors = unit_vectors(300)
    first = build(vectors).save(tmp_path / "first")
    assert build(vectors).save(tmp_path / "second") == first


def test_recall_is_measured_when_built() -> None:
    graph = build(unit_vectors(2000, dimension=32))
    assert RECALL_FLOOR <= graph.recall <= 1.0
    assert graph.usable


def test_the_effort_is_raised_until_enough_is_found() -> None:
    index = HnswIndex(64)
    index.put(np.arange(3000), unit_vectors(3000, dimension=64))
    tuning = tune(index)
    assert tuning.ef > Tuning.of_nothing().ef
    assert tuning.recall >= RECALL_FLOOR


def test_a_graph_that_reaches_too_few_is_not_usable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HnswIndex, "nearest", lambda self, queries, k, *, ef: None)
    graph = build(unit_vectors(20))
    assert graph.recall == 0.0
    assert graph.search(unit_vectors(1)[0], 5) is None


def test_effort_keeps_its_margin_for_deeper_searches() -> None:
    tuning = Tuning(ef=300, recall=0.97, measured_at=5000)
    assert tuning.effort(10) == 300
    assert tuning.effort(1000) == 3000


def test_recall_is_measured_anew_when_the_graph_has_grown() -> None:
    graph = build(unit_vectors(50))
    vectors = unit_vectors(400, seed=3)
    graph.add(np.arange(50, 450), vectors)
    assert graph.last_vector_seq == 449
    assert found(graph, vectors[7], 1) == [57]


def test_the_vector_of_a_known_label_is_replaced() -> None:
    vectors = unit_vectors(30)
    graph = build(vectors)
    replacement = unit_vectors(1, seed=8)
    graph.add([4], replacement)
    assert len(graph) == 30
    assert found(graph, replacement[0], 1) == [4]


@pytest.mark.parametrize(
    ("labels", "vectors"),
    [
        ([50], unit_vectors(2)),
        ([50, 51], unit_vectors(2, dimension=3)),
        ([-1], unit_vectors(1)),
        ([50], unit_vectors(1)[0]),
    ],
)
def test_rows_that_do_not_fit_change_nothing(labels: list[int], vectors: Vectors) -> None:
    graph = build(unit_vectors(5))
    with pytest.raises(InvalidInput):
        graph.add(labels, vectors)
    assert len(graph) == 5
    assert graph.last_vector_seq == 4


def test_rows_of_several_embedders_build_no_graph() -> None:
    rows = [(0, unit_vectors(1)[0]), (1, unit_vectors(1, dimension=3)[0])]
    with pytest.raises(InvalidInput) as caught:
        VectorGraph.build(rows, dimension=DIMENSION, embedder=EMBEDDER, generation=1)
    assert caught.value.field == "rows"


def test_threads_search_while_one_adds_and_erases() -> None:
    vectors = unit_vectors(1500)
    graph = build(vectors[:500])
    done = threading.Event()

    def search() -> int:
        searches = 0
        while not done.is_set() or searches == 0:
            hits = graph.search(vectors[searches % 400], 5)
            assert hits is None or len(hits[0]) == 5
            searches += 1
        return searches

    with ThreadPoolExecutor(3) as pool:
        searching = [pool.submit(search) for _ in range(3)]
        for start in range(500, 1500, 50):
            graph.add(np.arange(start, start + 50), vectors[start : start + 50])
            graph.erase(start)
        done.set()
        assert all(search.result() > 0 for search in searching)
    assert len(graph) == 1480


# --- erasing ---


def test_an_erased_vector_is_never_found() -> None:
    vectors = unit_vectors(60)
    graph = build(vectors)
    assert graph.erase(7)
    assert len(graph) == 59
    assert 7 not in found(graph, vectors[7], 59)
    assert 7 not in graph.labels()


def test_erasing_what_is_not_there_says_so() -> None:
    graph = build(unit_vectors(5))
    assert graph.erase(2)
    assert not graph.erase(2)
    assert not graph.erase(99)


def test_the_bytes_of_an_erased_vector_leave_the_file(path: Path) -> None:
    vectors = unit_vectors(200)
    graph = build(vectors)
    graph.save(path)
    assert vectors[7].tobytes() in path.read_bytes()
    graph.erase(7)
    graph.save(path)
    assert vectors[7, :4].tobytes() not in path.read_bytes()
    assert vectors[8].tobytes() in path.read_bytes()


def test_a_graph_of_which_everything_was_erased_finds_nothing(path: Path) -> None:
    graph = build(unit_vectors(3))
    for label in range(3):
        graph.erase(label)
    graph.save(path)
    assert found(loaded(path), unit_vectors(1)[0], 5) == []


def test_erased_labels_stay_erased_after_loading(path: Path) -> None:
    vectors = unit_vectors(60)
    graph = build(vectors)
    graph.erase(7)
    graph.save(path)
    again = loaded(path)
    assert not again.erase(7)
    assert 7 not in found(again, vectors[7], 59)


def test_an_erased_label_can_be_used_again() -> None:
    graph = build(unit_vectors(60))
    graph.erase(7)
    replacement = unit_vectors(1, seed=8)
    graph.add([7], replacement)
    assert len(graph) == 60
    assert found(graph, replacement[0], 1) == [7]


def test_every_live_vector_finds_itself_after_deletes_and_adds(path: Path) -> None:
    """BC-40: add 100, delete 37 of them, add 50, restart."""
    vectors = unit_vectors(150)
    graph = build(vectors[:100])
    erased = np.random.default_rng(4).choice(100, 37, replace=False)
    for label in erased:
        assert graph.erase(label)
    graph.add(np.arange(100, 150), vectors[100:])
    graph.save(path)
    again = loaded(path)
    live = np.setdiff1d(np.arange(150), erased)
    assert len(again) == len(live) == 113
    assert [found(again, vectors[label], 1) for label in live] == [[label] for label in live]
    assert sorted(found(again, vectors[erased[0]], 113)) == live.tolist()
