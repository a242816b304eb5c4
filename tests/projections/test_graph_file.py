import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from filelock import FileLock
from numpy.typing import NDArray

from smriti_es.events.errors import StorageBusy, StorageUnavailable
from smriti_es.projections.vectors import graph_file
from smriti_es.projections.vectors.graph import VectorGraph
from smriti_es.projections.vectors.hnsw import HnswIndex

Vectors = NDArray[np.float32]
DIMENSION = 16
EMBEDDER = "0123456789abcdef"


def unit_vectors(count: int, *, seed: int = 1) -> Vectors:
    vectors = np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32)
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


def refusal(path: Path, *, embedder: str = EMBEDDER, generation: int = 1) -> str:
    load = VectorGraph.load(path, embedder=embedder, generation=generation)
    assert load.graph is None
    assert load.refused is not None
    assert load.refused.detail
    return load.refused.reason


def found(graph: VectorGraph, query: Vectors, k: int) -> list[int]:
    hits = graph.search(query, k)
    assert hits is not None
    return [int(label) for label in hits[0]]


def edit_sidecar(path: Path, **changes: Any) -> None:
    """Change a sidecar and put its checksum right, as only a program could."""
    sidecar = path.with_name(path.name + ".json")
    values = json.loads(sidecar.read_text()) | changes
    del values["seal"]
    seal = hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
    sidecar.write_text(json.dumps(values | {"seal": seal}))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vectors.hnsw"


def test_a_saved_graph_answers_as_before(path: Path) -> None:
    vectors = unit_vectors(300)
    graph = build(vectors)
    graph.save(path)
    again = loaded(path)
    assert (len(again), again.last_vector_seq, again.recall) == (300, 299, graph.recall)
    for query in unit_vectors(20, seed=6):
        assert found(again, query, 10) == found(graph, query, 10)


def test_the_sidecar_says_what_the_graph_is(path: Path) -> None:
    graph = build(unit_vectors(40))
    graph.erase(3)
    sidecar = graph.save(path)
    assert sidecar is not None
    written = json.loads(path.with_name("vectors.hnsw.json").read_text())
    assert written["embedder"] == EMBEDDER
    assert written["generation"] == 1
    assert written["last_vector_seq"] == 39
    assert written["count"] == sidecar.count == 39
    assert written["erased"] == [3]
    assert written["dimension"] == DIMENSION
    assert written["recall"] == 1.0
    assert written["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_files_are_for_their_owner_alone(path: Path) -> None:
    build(unit_vectors(5)).save(path)
    files = sorted(path.parent.iterdir())
    assert [file.name for file in files] == [
        "vectors.hnsw",
        "vectors.hnsw.json",
        "vectors.hnsw.lock",
    ]
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


def test_a_loaded_graph_can_be_added_to_and_saved_again(path: Path) -> None:
    vectors = unit_vectors(1400)
    build(vectors[:1000]).save(path)
    graph = loaded(path)
    graph.add(np.arange(1000, 1400), vectors[1000:])
    graph.save(path)
    again = loaded(path)
    assert len(again) == 1400
    assert [found(again, vectors[label], 1) for label in (5, 999, 1399)] == [[5], [999], [1399]]


def test_a_file_that_is_not_there_is_missing(path: Path) -> None:
    assert refusal(path) == "missing"


def test_half_a_pair_is_missing(path: Path) -> None:
    build(unit_vectors(5)).save(path)
    path.unlink()
    assert refusal(path) == "missing"


def test_a_graph_of_another_embedder_is_not_loaded(path: Path) -> None:
    build(unit_vectors(5)).save(path)
    assert refusal(path, embedder="fedcba9876543210") == "other embedder"


def test_a_graph_of_another_generation_is_not_loaded(path: Path) -> None:
    build(unit_vectors(5)).save(path)
    assert refusal(path, generation=2) == "other generation"


def test_a_graph_of_another_format_is_not_loaded(path: Path) -> None:
    build(unit_vectors(5)).save(path)
    edit_sidecar(path, format=99)
    assert refusal(path) == "other format"


@pytest.mark.parametrize("size", [0, 1, 95, 96, 1000])
def test_a_truncated_file_is_damaged(path: Path, size: int) -> None:
    build(unit_vectors(50)).save(path)
    path.write_bytes(path.read_bytes()[:size])
    assert refusal(path) == "damaged"


@pytest.mark.parametrize("place", [0, 40, 100, 5000])
def test_a_file_with_one_other_bit_is_damaged(path: Path, place: int) -> None:
    build(unit_vectors(50)).save(path)
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    assert refusal(path) == "damaged"


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "null", "7", '"x"', "{}", '{"format": 1}', "\x00", '{"format": [1]}']
)
def test_a_sidecar_that_is_none_is_no_error(path: Path, content: str) -> None:
    build(unit_vectors(5)).save(path)
    path.with_name("vectors.hnsw.json").write_text(content)
    assert refusal(path) in {"damaged", "other format"}


def test_a_sidecar_that_was_changed_is_damaged(path: Path) -> None:
    build(unit_vectors(5)).save(path)
    sidecar = path.with_name("vectors.hnsw.json")
    sidecar.write_text(sidecar.read_text().replace('"dimension": 16', '"dimension": 17'))
    assert refusal(path) == "damaged"


def test_what_the_library_cannot_read_is_damaged(path: Path) -> None:
    build(unit_vectors(5)).save(path)
    path.write_bytes(b"not a graph at all")
    edit_sidecar(path, sha256=hashlib.sha256(b"not a graph at all").hexdigest())
    assert refusal(path) == "damaged"


def test_a_sidecar_of_another_count_is_damaged(path: Path) -> None:
    build(unit_vectors(5)).save(path)
    edit_sidecar(path, count=4)
    assert refusal(path) == "damaged"


def test_a_file_that_cannot_be_read_is_no_error(path: Path) -> None:
    build(unit_vectors(5)).save(path)
    path.with_name("vectors.hnsw.json").unlink()
    path.with_name("vectors.hnsw.json").mkdir()
    assert refusal(path) == "unreadable"


def test_what_a_crash_left_behind_is_written_over(path: Path) -> None:
    path.with_name("vectors.hnsw.new").write_bytes(b"half a graph")
    path.with_name("vectors.hnsw.json.new").write_bytes(b"{")
    build(unit_vectors(5)).save(path)
    assert len(loaded(path)) == 5
    assert not list(path.parent.glob("*.new"))


def test_a_disk_that_takes_a_part_keeps_the_old_pair(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(unit_vectors(5)).save(path)
    monkeypatch.setattr(HnswIndex, "save", lambda self, to: None)
    with pytest.raises(StorageUnavailable):
        build(unit_vectors(9)).save(path)
    assert len(loaded(path)) == 5
    assert not list(path.parent.glob("*.new"))


def test_a_place_that_cannot_be_written_is_an_error_of_storage(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StorageUnavailable):
        build(unit_vectors(5)).save(tmp_path / "file" / "vectors.hnsw")


def test_a_pair_that_a_crash_tore_apart_is_damaged(path: Path) -> None:
    build(unit_vectors(5)).save(path)
    sidecar = path.with_name("vectors.hnsw.json")
    older = sidecar.read_text()
    build(unit_vectors(6)).save(path)
    sidecar.write_text(older)
    assert refusal(path) == "damaged"


def test_files_held_by_another_are_busy(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = build(unit_vectors(5))
    graph.save(path)
    monkeypatch.setattr(graph_file, "_LOCK_TIMEOUT_S", 0)
    with ThreadPoolExecutor(1) as other:
        lock = FileLock(path.with_name("vectors.hnsw.lock"), thread_local=False)
        other.submit(lock.acquire).result()
        try:
            assert refusal(path) == "busy"
            with pytest.raises(StorageBusy):
                graph.save(path)
        finally:
            other.submit(lock.release).result()
