"""The graph of a memory in earnest: several processes, what was erased, filters, the past."""

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from smriti_es import graph_keeping
from smriti_es.doctor import GraphReport
from smriti_es.embedders import CallableEmbedder, HashEmbedder
from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput
from smriti_es.projections.vectors.graph import VectorGraph
from smriti_es.recall.weights import RecallSettings
from smriti_es.settings import Settings
from smriti_es.view import View

THINGS = ("pear", "kiln", "tram", "bee", "river", "lamp", "coat", "stone", "boat", "bread")
PLACES = ("at night", "in the garden", "by the road", "under the bridge")
TEXTS = [f"The {thing} is {place}." for thing in THINGS for place in PLACES]
QUESTION = "Which pear is under the bridge?"
EVERY_VECTOR = 10_000


@pytest.fixture
def file(tmp_path: Path, embedder: CallableEmbedder) -> Path:
    """A closed memory of forty turns in four sessions, all embedded, without a graph."""
    with open_memory(tmp_path / "memory.db", embedder, graph_threshold=EVERY_VECTOR) as memory:
        for number, text in enumerate(TEXTS):
            memory.add(text, session=f"s{number % 4}")
        memory.wait_for_vectors()
    return tmp_path / "memory.db"


@pytest.fixture
def graph(file: Path) -> Path:
    return file.with_name("memory.db-vectors-1.hnsw")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many vectors the graph was asked for, each time that it was asked."""
    asked: list[int] = []
    search = VectorGraph.search

    def counting(self: VectorGraph, query: object, k: int) -> object:
        asked.append(k)
        return search(self, query, k)  # type: ignore[arg-type]

    monkeypatch.setattr(VectorGraph, "search", counting)
    return asked


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a graph answer in so small a memory, and lack no more than three vectors."""
    monkeypatch.setattr("smriti_es.semantic._LACKING", 3)
    monkeypatch.setattr("smriti_es.semantic._SELECTIVE", 0.3)
    monkeypatch.setattr("smriti_es.semantic._SELECTIVE_DEPTHS", 1)


def open_memory(
    path: Path,
    embedder: CallableEmbedder,
    *,
    graph_threshold: int = 20,
    background: bool = False,
) -> Engine:
    settings = Settings(
        embed_in_background=background,
        graph_threshold=graph_threshold,
        recall=RecallSettings(depth=5),
    )
    return Engine.open(path, embedder=embedder, extractor=None, settings=settings)


def answer(memory: View, **filters: object) -> list[tuple[int, float]]:
    found = memory.search(QUESTION, k=5, **filters)  # type: ignore[arg-type]
    return [(hit.position, round(hit.score, 6)) for hit in found]


def exactly(path: Path, embedder: CallableEmbedder, **filters: object) -> list[tuple[int, float]]:
    """Answer with every vector compared."""
    with open_memory(path, embedder, graph_threshold=EVERY_VECTOR) as memory:
        return answer(memory, **filters)


def until(true: Callable[[], bool]) -> None:
    """Wait for what another thread does."""
    for _ in range(2_000):
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it never came")


def test_a_read_builds_no_graph(file: Path, graph: Path, embedder: CallableEmbedder) -> None:
    expected = exactly(file, embedder)
    with open_memory(file, embedder) as memory:
        assert answer(memory) == expected
    assert not graph.exists()


def test_a_graph_answers_as_if_every_vector_were_compared(
    file: Path, embedder: CallableEmbedder, asked: list[int]
) -> None:
    expected = exactly(file, embedder)
    with open_memory(file, embedder) as memory:
        memory.wait_for_vectors()
        assert answer(memory) == expected
    assert asked == [5]


def test_a_graph_is_built_beside_the_reads_after_opening(
    file: Path, graph: Path, embedder: CallableEmbedder
) -> None:
    expected = exactly(file, embedder)
    with open_memory(file, embedder, background=True) as memory:
        assert answer(memory) == expected
        until(graph.exists)
        assert answer(memory) == expected


def test_how_far_a_graph_is_stands_in_the_status_while_it_is_built(
    file: Path, embedder: CallableEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_keeping, "_STEP", 10)
    with open_memory(file, embedder) as memory:
        pauses = iter([False, False, True])
        memory._opened.keep_graph(lambda: next(pauses))
        said = "graph: being built, 20 of 40 vectors; every vector is compared meanwhile"
        assert memory.status().degraded == (said,)
        assert memory.search(QUESTION).degraded == ()
        memory.wait_for_vectors()
        assert memory.status().degraded == ()


def test_a_graph_that_was_begun_is_saved_on_closing_and_the_next_process_goes_on(
    file: Path, graph: Path, embedder: CallableEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_keeping, "_STEP", 10)
    expected = exactly(file, embedder)
    with open_memory(file, embedder) as memory:
        pauses = iter([False, True])
        memory._opened.keep_graph(lambda: next(pauses))
        memory._opened.save_graph()
    added: list[int] = []
    grow = VectorGraph.grow

    def counting(self: VectorGraph, labels: np.ndarray, vectors: np.ndarray) -> None:
        added.extend(labels.tolist())
        grow(self, labels, vectors)

    monkeypatch.setattr(VectorGraph, "grow", counting)
    with open_memory(file, embedder) as memory:
        assert answer(memory) == expected
        memory.wait_for_vectors()
        assert answer(memory) == expected
    assert added == list(range(10, 40))


def test_what_another_process_embedded_is_found_beside_a_graph_that_lacks_it(
    file: Path, embedder: CallableEmbedder, asked: list[int]
) -> None:
    with open_memory(file, embedder) as memory:
        memory.wait_for_vectors()
        with open_memory(file, embedder, graph_threshold=EVERY_VECTOR) as other:
            new = other.add("Under the bridge is the pear.", session="s3")
            other.wait_for_vectors()
        expected = exactly(file, embedder)
        assert answer(memory) == expected
        assert new.positions[0] in dict(expected)
    assert asked == [5]


def test_a_graph_that_lacks_much_is_not_asked(
    file: Path, embedder: CallableEmbedder, asked: list[int]
) -> None:
    with open_memory(file, embedder) as memory:
        memory.wait_for_vectors()
        with open_memory(file, embedder, graph_threshold=EVERY_VECTOR) as other:
            for number in range(8):
                other.add(f"Pear number {number} is ripe.", session="s9")
            other.wait_for_vectors()
        assert answer(memory) == exactly(file, embedder)
    assert asked == []


def test_the_graph_that_another_process_built_is_taken_over(
    file: Path, embedder: CallableEmbedder, asked: list[int]
) -> None:
    expected = exactly(file, embedder)
    with open_memory(file, embedder) as memory:
        memory.search("Where is the kiln?")
        with open_memory(file, embedder) as other:
            other.wait_for_vectors()
        assert asked == []
        assert answer(memory) == expected
    assert asked == [5]


def test_processes_that_add_and_search_at_once_find_everything(
    file: Path, embedder: CallableEmbedder, tmp_path: Path
) -> None:
    program = tmp_path / "adds.py"
    program.write_text(PROGRAM, "utf-8")
    started = [
        subprocess.Popen([sys.executable, program, tmp_path / "shared.db", name])
        for name in ("one", "other")
    ]
    assert [each.wait(timeout=120) for each in started] == [0, 0]
    settings = Settings(embed_in_background=False, graph_threshold=10)
    shared = tmp_path / "shared.db"
    with Engine.open(shared, embedder=HashEmbedder(), extractor=None, settings=settings) as memory:
        memory.wait_for_vectors()
        told = memory.status()
        assert (told.turns, told.vectors, told.pending) == (60, 60, 0)
        graph = memory.doctor().graph
        assert graph is not None
        assert (graph.state, graph.vectors, graph.recall) == ("whole", 60, 1.0)


PROGRAM = """
import sys
from smriti_es import Engine, Settings
from smriti_es.embedders import HashEmbedder

path, own = sys.argv[1:]
settings = Settings(graph_threshold=10)
with Engine.open(path, embedder=HashEmbedder(), extractor=None, settings=settings) as memory:
    for number in range(30):
        said = f"{own} saw heron number {number}"
        memory.add(said, session=own, wait_for="vectors")
        best = memory.search(f"heron number {number} that {own} saw")[0]
        assert best.text == said, (best.text, said)
"""


def test_no_vector_of_an_erased_turn_stays_in_the_file(
    file: Path, graph: Path, embedder: CallableEmbedder
) -> None:
    with open_memory(file, embedder) as memory:
        memory.wait_for_vectors()
        gone = memory.search(QUESTION)[0]
        vector = vector_in_file(memory, gone.text)
        assert vector in graph.read_bytes()
        assert memory.erase(turn=gone.position).verified
        assert vector not in graph.read_bytes()
        assert answer(memory) == exactly(file, embedder)


def test_a_graph_that_was_being_built_while_a_turn_was_erased_is_not_kept(
    file: Path, graph: Path, embedder: CallableEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_keeping, "_STEP", 10)
    with open_memory(file, embedder) as memory, open_memory(file, embedder) as other:
        pauses = iter([False, False, True])
        memory._opened.keep_graph(lambda: next(pauses))
        gone = other.search(QUESTION)[0]
        vector = vector_in_file(other, gone.text)
        other.erase(turn=gone.position)
        memory._opened.save_graph()
        assert not graph.exists()
        memory.wait_for_vectors()
        assert vector not in graph.read_bytes()
        assert answer(memory) == exactly(file, embedder)


def vector_in_file(memory: Engine, text: str) -> bytes:
    """The bytes of a text's vector, as a row has it and as the graph's file must."""
    embedder = memory._opened.embedder
    assert embedder is not None
    stored = np.asarray(embedder.embed([text]), np.float32).astype(np.float16).astype(np.float32)
    return bytes((stored / np.linalg.norm(stored, axis=1, keepdims=True)).tobytes())


@pytest.mark.parametrize("filters", [{"sessions": ["s3"]}, {"sessions": ["s1", "s3"]}])
def test_a_filtered_answer_is_as_if_every_vector_were_compared(
    filters: dict[str, object], file: Path, embedder: CallableEmbedder
) -> None:
    with open_memory(file, embedder) as memory:
        memory.wait_for_vectors()
        found = answer(memory, **filters)
        assert found == exactly(file, embedder, **filters)
        assert len(found) == 5


def test_the_graph_is_not_asked_about_the_past(
    file: Path, embedder: CallableEmbedder, asked: list[int]
) -> None:
    with open_memory(file, embedder) as memory:
        memory.wait_for_vectors()
        then = memory.head - 10
        memory.add("A pear was under the bridge all along.", session="s5")
        memory.wait_for_vectors()
        with open_memory(file, embedder, graph_threshold=EVERY_VECTOR) as other:
            assert answer(memory.at(then)) == answer(other.at(then))
    assert asked == []


def test_a_memory_restored_from_an_older_copy_does_not_use_the_newer_graph(
    file: Path, graph: Path, embedder: CallableEmbedder
) -> None:
    older = file.with_name("older.db")
    shutil.copy(file, older)
    with open_memory(file, embedder) as memory:
        memory.add("The anchor is by the road.", session="s7")
        memory.wait_for_vectors()
    for beside in file.parent.glob("memory.db-[ws]*"):
        beside.unlink()
    shutil.copy(older, file)
    with open_memory(file, embedder, graph_threshold=EVERY_VECTOR) as memory:
        memory.add("A pear fell from the bridge.", session="s7")
        memory.wait_for_vectors()
    with open_memory(file, embedder) as memory:
        assert answer(memory) == exactly(file, embedder)
        assert memory._opened.reader.semantic.graph_problem is None
        memory.wait_for_vectors()
        assert answer(memory) == exactly(file, embedder)


def test_the_doctor_says_how_much_the_graph_finds(file: Path, embedder: CallableEmbedder) -> None:
    with open_memory(file, embedder) as memory:
        memory.wait_for_vectors()
        found = memory.doctor(questions=10)
        assert found.ok
        assert found.graph == GraphReport(40, 20, "whole", "", 40, 10, 0, 1.0)
        assert [each.projection for each in found.projections if each.problem] == []


def test_the_doctor_compares_with_the_exact_nearest(
    file: Path, embedder: CallableEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = VectorGraph.search

    def half(self: VectorGraph, query: Any, k: int) -> Any:
        found = search(self, query, 2 * k)
        return None if found is None else (found[0][1::2], found[1][1::2])

    with open_memory(file, embedder) as memory:
        memory.wait_for_vectors()
        monkeypatch.setattr(VectorGraph, "search", half)
        found = memory.doctor(questions=10)
        assert found.graph is not None
        assert found.graph.recall == pytest.approx(0.5, abs=0.05)
        assert not found.ok


def test_the_doctor_names_a_damaged_graph_and_one_that_lacks_something(
    file: Path, graph: Path, embedder: CallableEmbedder
) -> None:
    with open_memory(file, embedder) as memory:
        memory.wait_for_vectors()
        memory.add("A swan.", session="s8", wait_for="vectors")
        lacking = memory.doctor().graph
        assert lacking is not None
        assert (lacking.ok, lacking.held, lacking.vectors) == (True, 40, 41)
        assert lacking.detail == "it lacks the last 1, which are compared beside it"
        content = bytearray(graph.read_bytes())
        content[len(content) // 2] ^= 4
        graph.write_bytes(content)
        damaged = memory.doctor().graph
        assert damaged is not None
        assert (damaged.ok, damaged.state) == (False, "damaged")
        graph.unlink()
        missing = memory.doctor().graph
        assert missing is not None
        assert (missing.ok, missing.state) == (True, "missing")


def test_a_small_memory_needs_no_graph_and_the_doctor_says_so(
    file: Path, embedder: CallableEmbedder
) -> None:
    with open_memory(file, embedder, graph_threshold=EVERY_VECTOR) as memory:
        assert memory.doctor().graph == GraphReport(40, EVERY_VECTOR, "not needed")


@pytest.mark.parametrize("questions", [0, 10_001, True, "8"])
def test_the_doctor_asks_a_sensible_number_of_questions(
    questions: Any, file: Path, embedder: CallableEmbedder
) -> None:
    with open_memory(file, embedder) as memory, pytest.raises(InvalidInput):
        memory.doctor(questions=questions)
