"""The graph's file beside a memory: kept, used, and never the reason why an answer fails."""

from pathlib import Path

import pytest

from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine
from smriti_es.projections.vectors.graph import VectorGraph
from smriti_es.settings import Settings

TEXTS = ("A pear.", "Two pears.", "A kiln at night.", "The tram to work.", "Bees and honey.")


@pytest.fixture
def file(tmp_path: Path, embedder: CallableEmbedder) -> Path:
    """A closed memory of five turns, all embedded, without a graph."""
    with open_memory(tmp_path / "memory.db", embedder, graph_threshold=100) as memory:
        for text in TEXTS:
            memory.add(text, session="s1")
        memory.wait_for_vectors()
    return tmp_path / "memory.db"


def open_memory(
    path: Path, embedder: CallableEmbedder, *, graph_threshold: int = 3, read_only: bool = False
) -> Engine:
    """Open a memory in which a graph serves from three vectors on."""
    settings = Settings(embed_in_background=False, graph_threshold=graph_threshold)
    return Engine.open(
        path, embedder=embedder, extractor=None, settings=settings, read_only=read_only
    )


@pytest.fixture
def graph(file: Path) -> Path:
    """Where the graph's file lies."""
    return file.with_name("memory.db-vectors-1.hnsw")


@pytest.fixture
def exact(file: Path, embedder: CallableEmbedder) -> list[tuple[int, float]]:
    """What an answer is when every vector is compared."""
    with open_memory(file, embedder, graph_threshold=100) as memory:
        return answer(memory)


def answer(memory: Engine) -> list[tuple[int, float]]:
    return [(hit.position, round(hit.score, 6)) for hit in memory.search("pears at night")]


def test_a_graph_is_kept_beside_the_memory_and_used_by_the_next(
    file: Path,
    graph: Path,
    embedder: CallableEmbedder,
    exact: list[tuple[int, float]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with open_memory(file, embedder) as memory:
        memory.wait_for_vectors()
        assert answer(memory) == exact
    assert graph.is_file()
    monkeypatch.delattr(VectorGraph, "begun")
    with open_memory(file, embedder) as memory:
        assert answer(memory) == exact
        assert memory.status().degraded == ()


@pytest.mark.parametrize("behind", ["", ".json"])
def test_a_folder_in_the_place_of_the_graph_is_said_and_every_vector_is_compared(
    behind: str, file: Path, graph: Path, embedder: CallableEmbedder, exact: list[tuple[int, float]]
) -> None:
    place = graph.with_name(graph.name + behind)
    place.mkdir()
    with open_memory(file, embedder) as memory:
        found = memory.search("pears at night")
        said = f"graph: not used: {place} is no file: remove it"
        assert found.degraded == (said,)
        assert [(hit.position, round(hit.score, 6)) for hit in found] == exact
        assert memory.context("pears at night").degraded == (said,)
        assert memory.status().degraded == (said,)


def test_once_the_folder_is_gone_the_graph_comes_with_the_next_turn(
    file: Path, graph: Path, embedder: CallableEmbedder
) -> None:
    graph.mkdir()
    with open_memory(file, embedder) as memory:
        memory.search("pears")
        graph.rmdir()
        memory.add("Another pear.", session="s1")
        memory.search("pears")
        memory.wait_for_vectors()
        assert memory.search("pears").degraded == ()
        assert memory.status().degraded == ()
    assert graph.is_file()


@pytest.mark.parametrize("behind", [".new", ".lock"])
def test_a_graph_that_cannot_be_kept_serves_all_the_same_and_says_why(
    behind: str, file: Path, graph: Path, embedder: CallableEmbedder, exact: list[tuple[int, float]]
) -> None:
    place = graph.with_name(graph.name + behind)
    place.mkdir()
    with open_memory(file, embedder) as memory:
        memory.wait_for_vectors()
        assert answer(memory) == exact
        (said,) = memory.status().degraded
    assert said.startswith(f"graph: not kept for other processes: {place}: ")


def test_a_damaged_graph_is_built_anew_and_nothing_is_said(
    file: Path, graph: Path, embedder: CallableEmbedder, exact: list[tuple[int, float]]
) -> None:
    with open_memory(file, embedder) as memory:
        memory.wait_for_vectors()
    graph.write_bytes(b"no graph")
    with open_memory(file, embedder) as memory:
        assert answer(memory) == exact
        memory.wait_for_vectors()
        assert answer(memory) == exact
        assert memory.status().degraded == ()
    assert graph.read_bytes() != b"no graph"


def test_a_graph_to_which_nothing_came_is_not_written_again(
    file: Path, graph: Path, embedder: CallableEmbedder
) -> None:
    with open_memory(file, embedder) as memory:
        memory.wait_for_vectors()
    written = graph.stat().st_ino
    with open_memory(file, embedder) as memory:
        memory.search("pears")
        memory.wait_for_vectors()
        assert graph.stat().st_ino == written
        memory.add("Another pear.", session="s1")
        memory.wait_for_vectors()
    assert graph.stat().st_ino != written


def test_a_memory_that_is_only_read_builds_no_graph(
    file: Path, graph: Path, embedder: CallableEmbedder, exact: list[tuple[int, float]]
) -> None:
    with open_memory(file, embedder, read_only=True) as memory:
        assert answer(memory) == exact
        assert memory.status().degraded == ()
    assert not graph.exists()
