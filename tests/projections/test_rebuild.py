"""Rebuild beside and switch: nobody waits, nothing is lost, and what fails changes nothing."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from sqlalchemy import inspect

from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine
from smriti_es.events.catalogue import EmbedderChanged
from smriti_es.events.errors import EmbedderError, ProjectionFailed, StorageBusy
from smriti_es.projections import rebuild as rebuilding
from smriti_es.projections.lexical.projection import LexicalProjection
from smriti_es.projections.projection import fingerprint
from smriti_es.results import ProjectionStatus

OpenEngine = Callable[..., Engine]
State = Callable[[Engine, str], ProjectionStatus]
Spoil = Callable[..., Callable[[], None]]
Said = Callable[..., Sequence[Any]]
NAMES = (
    "turns",
    "entities",
    "lineage",
    "trust",
    "facts",
    "revisions",
    "extractions",
    "lexical",
    "receipts",
    "vectors",
)


class Killed(BaseException):
    """Stands in for the end of the process."""


@pytest.fixture
def in_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a rebuild take two events a step, up to the last one."""
    monkeypatch.setattr(rebuilding, "BATCH", 2)
    monkeypatch.setattr(rebuilding, "LAST_STRETCH", 0)


@pytest.fixture
def memory(
    engine: OpenEngine, embedder: CallableEmbedder, a_life: Callable[[Engine], None]
) -> Engine:
    """A memory with a small history, all of it embedded."""
    opened = engine(embedder=embedder)
    a_life(opened)
    opened.wait_for_vectors()
    return opened


def tables(memory: Engine) -> set[str]:
    with memory._opened.database.read() as connection:
        found = inspect(connection).get_table_names()
        return {name for name in found if "_g" in name and "_v" in name}


@pytest.mark.parametrize("name", NAMES)
def test_a_rebuild_gives_what_was_there(name: str, memory: Engine, state: State) -> None:
    steps: list[tuple[str, int, int]] = []
    report = memory.rebuild(name, progress=lambda *step: steps.append(step))
    assert (report.projection, report.generation, report.resumed_at) == (name, 2, 0)
    assert report.equal
    assert report.before == report.after != ""
    assert report.events == memory.head + 1
    assert state(memory, name).generation == 2
    assert [phase for phase, _, _ in steps if phase != "fold"] == ["compare", "done"]
    assert all(0 <= done <= total for _, done, total in steps)


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_memory_can_be_rebuilt(
    name: str, engine: OpenEngine, embedder: CallableEmbedder
) -> None:
    memory = engine(embedder=embedder)
    memory.wait_for_vectors()
    assert memory.rebuild(name).equal


@pytest.mark.usefixtures("in_small_steps")
@pytest.mark.parametrize("name", ["turns", "lexical"])
def test_others_append_at_every_step_of_a_rebuild(
    name: str, memory: Engine, engine: OpenEngine
) -> None:
    other = engine()
    added: list[int] = []

    def append(phase: str, done: int, total: int) -> None:
        # In a thread of its own: a rebuild that held a lock here would wait for itself.
        if len(added) < 12:
            thread = threading.Thread(
                target=lambda: added.extend(other.add(f"{phase} {done}", session="b").positions)
            )
            thread.start()
            thread.join(20)
            assert not thread.is_alive()

    report = memory.rebuild(name, progress=append)
    assert report.equal
    assert len(added) == 12
    assert {turn.position for turn in memory.turns(sessions=["b"])} == set(added)
    assert memory.verify().ok


def test_an_append_that_waits_for_the_switch_lands_in_the_new_generation(
    memory: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    flip: Any = rebuilding._flip
    waiting: list[threading.Thread] = []

    def flip_while_one_waits(*parts: Any) -> Any:
        waiting.append(
            threading.Thread(target=memory.add, args=("Just now.",), kwargs={"session": "b"})
        )
        waiting[0].start()
        old = flip(*parts)
        assert waiting[0].is_alive()
        return old

    monkeypatch.setattr(rebuilding, "_flip", flip_while_one_waits)
    report = memory.rebuild("turns")
    waiting[0].join(20)
    assert report.equal
    assert memory.turns(newest=True)[0].text == "Just now."
    assert memory.verify().ok


@pytest.mark.parametrize("name", ["turns", "lexical"])
def test_a_rebuild_beside_writers_that_never_pause_loses_nothing(name: str, memory: Engine) -> None:
    done = threading.Event()
    added: list[int] = []

    def write(session: str) -> None:
        while not done.is_set():
            added.extend(memory.add(f"turn of {session}", session=session).positions)

    writers = [threading.Thread(target=write, args=(f"w{n}",)) for n in range(3)]
    for writer in writers:
        writer.start()
    try:
        reports = [memory.rebuild(name) for _ in range(5)]
    finally:
        done.set()
        for writer in writers:
            writer.join(20)
    assert all(report.equal for report in reports)
    sessions = [f"w{n}" for n in range(3)]
    assert [turn.position for turn in memory.turns(sessions=sessions, limit=10_000)] == sorted(
        added
    )
    assert memory.verify().ok


@pytest.mark.usefixtures("in_small_steps")
@pytest.mark.parametrize("name", NAMES)
def test_a_killed_rebuild_goes_on_where_it_stopped(
    name: str, memory: Engine, engine: OpenEngine, embedder: CallableEmbedder, state: State
) -> None:
    def kill(phase: str, done: int, total: int) -> None:
        if done >= 6:
            raise Killed

    with pytest.raises(Killed):
        memory.rebuild(name, progress=kill)
    (left,) = (each for each in memory.status().projections if each.state == "building")
    assert (left.name, left.generation, left.folded) == (name, 2, 6)
    assert state(memory, name).generation == 1
    memory.add("Meanwhile.", session="b", wait_for="vectors")
    memory.close()
    again = engine(embedder=embedder)
    report = again.rebuild(name)
    assert (report.resumed_at, report.generation) == (6, 2)
    assert report.equal
    assert again.verify().ok


@pytest.mark.usefixtures("in_small_steps")
def test_what_a_killed_rebuild_of_another_release_left_is_swept(
    memory: Engine, tamper: Callable[..., int]
) -> None:
    def kill(phase: str, done: int, total: int) -> None:
        if done >= 4:
            raise Killed

    with pytest.raises(Killed):
        memory.rebuild("turns", progress=kill)
    assert tamper("UPDATE projection SET version = 7 WHERE name = 'turns' AND generation = 2") == 1
    report = memory.rebuild("turns")
    assert (report.generation, report.resumed_at) == (3, 0)
    assert report.equal
    assert {each.generation for each in memory.status().projections if each.name == "turns"} == {3}


@pytest.mark.parametrize("name", NAMES)
def test_two_rebuilds_of_one_projection_exclude_each_other(
    name: str, memory: Engine, engine: OpenEngine, embedder: CallableEmbedder
) -> None:
    other = engine(embedder=embedder)
    refused: list[StorageBusy] = []

    def try_too(phase: str, done: int, total: int) -> None:
        if phase == "fold" and not refused:
            with pytest.raises(StorageBusy) as caught:
                other.rebuild(name)
            refused.append(caught.value)

    assert memory.rebuild(name, progress=try_too).equal
    assert refused[0].retryable
    assert other.rebuild(name).generation == 3


def test_rebuilds_of_two_projections_and_of_two_tenants_go_beside_each_other(
    memory: Engine, engine: OpenEngine
) -> None:
    other = engine(tenant="other")
    other.add("Mine.", session="a")
    beside: list[str] = []

    def rebuild_others(phase: str, done: int, total: int) -> None:
        if phase == "fold" and not beside:
            beside.append(engine().rebuild("lexical").projection)
            beside.append(other.rebuild("turns").projection)

    assert memory.rebuild("turns", progress=rebuild_others).equal
    assert beside == ["lexical", "turns"]
    assert memory.verify().ok
    assert other.verify().ok


@pytest.mark.parametrize("stretch", [0, 200])
def test_a_rebuild_that_fails_leaves_what_serves(
    stretch: int, memory: Engine, spoil: Spoil, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuilding, "LAST_STRETCH", stretch)
    memory.add("A pear with poison.", session="b")
    found = [hit.position for hit in memory.search("pear")]
    repair = spoil(LexicalProjection)
    with pytest.raises(ProjectionFailed) as caught:
        memory.rebuild("lexical")
    assert caught.value.position == memory.head
    serving = state(memory, "lexical")
    assert (serving.generation, serving.state, serving.behind) == (1, "active", 0)
    (built,) = (each for each in memory.status().projections if each.state == "building")
    assert "cannot digest poison" in str(built.error)
    assert [hit.position for hit in memory.search("pear")] == found
    memory.add("One more pear.", session="b")
    assert len(memory.search("pear")) == len(found) + 1
    repair()
    assert memory.rebuild("lexical").equal
    assert memory.verify().ok


def test_no_table_of_a_retired_generation_stays(memory: Engine) -> None:
    before = tables(memory)
    for name in NAMES:
        memory.rebuild(name)
    assert {name.replace("_g2", "_g1") for name in tables(memory)} == before
    assert all("_g2" in name for name in tables(memory))


def test_a_rebuild_that_dies_before_its_sweep_is_swept_at_the_next_open(
    memory: Engine, engine: OpenEngine, embedder: CallableEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(projector: object) -> int:
        raise Killed

    found = [hit.position for hit in memory.search("pear")]
    with monkeypatch.context() as patch:
        patch.setattr(rebuilding, "sweep", die)
        with pytest.raises(Killed):
            memory.rebuild("lexical")
    assert [hit.position for hit in memory.search("pear")] == found
    memory.close()
    again = engine(embedder=embedder)
    assert not any("document_v2_g1" in name for name in tables(again))
    assert again.verify().ok


def test_whoever_reads_keeps_the_state_in_which_the_read_began(memory: Engine) -> None:
    opened = memory._opened
    with opened.database.read() as connection:
        serving = opened.projector.serving(connection)
        prints = []
        for _ in range(2):
            prints.append(
                [
                    fingerprint(
                        opened.projector.projections[name],
                        opened.projector.fold(connection, serving[name]),
                    )
                    for name in NAMES
                ]
            )
            if len(prints) == 1:
                thread = threading.Thread(target=lambda: [memory.rebuild(name) for name in NAMES])
                thread.start()
                thread.join(30)
    assert prints[0] == prints[1]
    assert memory.verify().ok


def test_searches_go_on_while_generations_come_and_go(memory: Engine) -> None:
    expected = [hit.position for hit in memory.search("three pears")]
    done = threading.Event()
    answers: list[list[int]] = []

    def ask() -> None:
        while not done.is_set() or not answers:
            answers.append([hit.position for hit in memory.search("three pears")])

    readers = [threading.Thread(target=ask) for _ in range(2)]
    for reader in readers:
        reader.start()
    try:
        for _ in range(3):
            for name in NAMES:
                memory.rebuild(name)
    finally:
        done.set()
        for reader in readers:
            reader.join(20)
    assert answers
    assert all(answer == expected for answer in answers)


def test_a_halted_projection_is_rebuilt_without_a_fingerprint_before(
    engine: OpenEngine, spoil: Spoil
) -> None:
    memory = engine()
    repair = spoil(LexicalProjection)
    memory.add("poison pear", session="a")
    repair()
    report = memory.rebuild("lexical")
    assert report.before is None
    assert not report.equal
    assert len(memory.search("pear")) == 1
    assert memory.verify().ok


# Vectors


def changes(memory: Engine) -> list[EmbedderChanged]:
    return [each.event for each in memory.events() if isinstance(each.event, EmbedderChanged)]


def test_the_same_embedder_rebuilt_is_no_event(memory: Engine) -> None:
    head = memory.head
    assert memory.rebuild("vectors").equal
    assert memory.head == head
    assert len(changes(memory)) == 1


def test_another_embedder_takes_over_in_one_step_and_is_recorded(
    memory: Engine, engine: OpenEngine
) -> None:
    before = [hit.position for hit in memory.search("pear")]
    served: list[tuple[list[int], tuple[str, ...]]] = []

    def embed(texts: list[str]) -> list[list[float]]:
        found = memory.search("pear")
        served.append(([hit.position for hit in found], found.degraded))
        return [[1.0, len(text) / 100] for text in texts]

    successor = engine(embedder=CallableEmbedder(embed, model="successor", dimension=2))
    assert successor.search("pear").degraded[0].startswith("semantic: the vectors were made by")
    report = successor.rebuild("vectors")
    assert not report.equal
    assert served[0] == (before, ())
    assert [change.embedder["model"] for change in changes(memory)] == ["word-sums", "successor"]
    assert changes(memory)[-1].generation == report.generation == 2
    assert successor.search("pear").degraded == ()
    assert memory.search("pear").degraded[0].startswith("semantic: the vectors were made by")
    assert all(each.ok for each in successor.check())


def test_an_embedder_out_of_reach_leaves_the_old_vectors_serving(
    memory: Engine, engine: OpenEngine
) -> None:
    def refuse(texts: list[str]) -> list[list[float]]:
        raise ConnectionError("nobody there")

    broken = engine(embedder=CallableEmbedder(refuse, model="broken", dimension=2))
    with pytest.raises(EmbedderError, match="nobody there"):
        broken.rebuild("vectors")
    assert memory.search("pear").degraded == ()
    assert len(changes(memory)) == 1
    assert memory.verify().ok


def test_an_engine_without_embedder_cannot_rebuild_vectors(engine: OpenEngine) -> None:
    with pytest.raises(EmbedderError, match="without an embedder"):
        engine().rebuild("vectors")
