"""Several projections rebuilt in one pass: as each by itself, and the log is read once."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine
from smriti_es.events.errors import NotFound, ProjectionFailed, StorageBusy
from smriti_es.projections import folding_together
from smriti_es.projections import rebuild as rebuilding
from smriti_es.projections.lexical.projection import LexicalProjection
from smriti_es.projections.projector import Projector
from smriti_es.results import ProjectionStatus

OpenEngine = Callable[..., Engine]
State = Callable[[Engine, str], ProjectionStatus]
Spoil = Callable[..., Callable[[], None]]
EVERY = (
    *("turns", "entities", "lineage", "trust", "facts", "revisions"),
    *("extractions", "lexical", "receipts", "vectors"),
)


class Killed(BaseException):
    """Stands in for the end of the process."""


@pytest.fixture
def in_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a rebuild take two events a step, up to the last one."""
    for module in (rebuilding, folding_together):
        monkeypatch.setattr(module, "BATCH", 2)
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


def test_all_projections_come_out_as_they_were(memory: Engine, state: State) -> None:
    reports = memory.rebuild_all()
    assert [report.projection for report in reports] == list(EVERY)
    assert [report.projection for report in reports if not report.equal] == []
    assert {state(memory, name).generation for name in EVERY} == {2}
    assert {report.events for report in reports} == {memory.head + 1}
    assert memory.verify().ok


def test_only_what_is_named_is_rebuilt(memory: Engine, state: State) -> None:
    reports = memory.rebuild_all(["lexical", "facts"])
    assert [report.projection for report in reports] == ["facts", "lexical"]
    assert {name for name in EVERY if state(memory, name).generation == 2} == {"facts", "lexical"}


def test_an_unknown_name_changes_nothing(memory: Engine, state: State) -> None:
    with pytest.raises(NotFound):
        memory.rebuild_all(["lexical", "none"])
    assert {state(memory, name).generation for name in EVERY} == {1}


@pytest.mark.usefixtures("in_small_steps")
def test_the_log_is_read_once_for_all(memory: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    events_from, read = Projector.events_from, [0]

    def counting(self: Projector, start: int, limit: int, connection: Any = None) -> Any:
        found = events_from(self, start, limit, connection)
        read[0] += len(found)
        return found

    monkeypatch.setattr(Projector, "events_from", counting)
    memory.rebuild_all([name for name in EVERY if name != "vectors"])
    assert read[0] == memory.head + 1


@pytest.mark.usefixtures("in_small_steps")
def test_others_append_at_every_step(memory: Engine, engine: OpenEngine) -> None:
    other = engine()
    added: list[int] = []

    def append(phase: str, done: int, total: int) -> None:
        if len(added) < 8:
            thread = threading.Thread(
                target=lambda: added.extend(other.add(f"{phase} {done}", session="b").positions)
            )
            thread.start()
            thread.join(20)
            assert not thread.is_alive()

    reports = memory.rebuild_all(["turns", "facts", "lexical"], progress=append)
    assert [report.equal for report in reports] == [True] * 3
    assert {turn.position for turn in memory.turns(sessions=["b"])} == set(added)
    assert memory.verify().ok


@pytest.mark.usefixtures("in_small_steps")
def test_it_goes_on_where_rebuilds_were_killed(memory: Engine) -> None:
    def killed_at(position: int) -> Callable[[str, int, int], None]:
        def kill(phase: str, done: int, total: int) -> None:
            if done >= position:
                raise Killed

        return kill

    with pytest.raises(Killed):
        memory.rebuild("turns", progress=killed_at(6))
    with pytest.raises(Killed):
        memory.rebuild_all(["turns", "lexical"], progress=killed_at(4))
    reports = memory.rebuild_all(["turns", "lexical", "facts"])
    resumed = {report.projection: report.resumed_at for report in reports}
    assert resumed == {"turns": 6, "facts": 0, "lexical": 4}
    assert [report.equal for report in reports] == [True] * 3
    assert memory.verify().ok


@pytest.mark.parametrize("stretch", [0, 200])
def test_one_that_fails_leaves_all_that_serve(
    stretch: int, memory: Engine, spoil: Spoil, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuilding, "LAST_STRETCH", stretch)
    memory.add("A pear with poison.", session="b")
    repair = spoil(LexicalProjection)
    with pytest.raises(ProjectionFailed) as caught:
        memory.rebuild_all(["turns", "lexical"])
    assert (caught.value.position, caught.value.projection) == (memory.head, "lexical")
    assert {state(memory, name).generation for name in ("turns", "lexical")} == {1}
    repair()
    assert [report.equal for report in memory.rebuild_all(["turns", "lexical"])] == [True, True]
    assert memory.verify().ok


def test_it_excludes_a_rebuild_of_any_of_them(memory: Engine, engine: OpenEngine) -> None:
    other = engine()
    refused: list[str] = []

    def try_too(phase: str, done: int, total: int) -> None:
        if phase == "fold" and not refused:
            for name in ("turns", "lexical"):
                with pytest.raises(StorageBusy):
                    other.rebuild(name)
                refused.append(name)
            assert other.rebuild("facts").equal

    assert [report.equal for report in memory.rebuild_all(["lexical", "turns"], progress=try_too)]
    assert refused == ["turns", "lexical"]
