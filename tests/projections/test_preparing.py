"""What opening does to projections that are missing, lag, or were built by another release."""

import re
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from sqlalchemy import inspect

from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.errors import ChainBroken, ProjectionBehind, SchemaNewer, SchemaOutdated
from smriti_es.events.log import EventLog
from smriti_es.projections import preparing, rebuild
from smriti_es.projections.lexical.projection import LexicalProjection
from smriti_es.results import ProjectionStatus
from smriti_es.status import read_status

OpenEngine = Callable[..., Engine]
Release = Callable[[int], None]
State = Callable[[Engine, str], ProjectionStatus]
Spoil = Callable[..., Callable[[], None]]
Said = Callable[..., Sequence[Any]]


def tables(memory: Engine) -> set[str]:
    with memory._opened.database.read() as connection:
        found = inspect(connection).get_table_names()
        return {name.rpartition("_v")[2][:4] for name in found if re.search(r"_v\d", name)}


@pytest.fixture
def old(
    database: SqliteDatabase,
    engine: OpenEngine,
    embedder: CallableEmbedder,
    a_life: Callable[[Engine], None],
    release: Release,
) -> list[str]:
    """Texts of a memory that the release before this one has written and closed."""
    release(8)
    memory = engine(embedder=embedder)
    a_life(memory)
    memory.wait_for_vectors()
    texts = [turn.text for turn in memory.turns()]
    memory.close()
    return texts


def test_what_another_release_built_is_rebuilt_when_the_memory_is_opened(
    old: list[str],
    engine: OpenEngine,
    embedder: CallableEmbedder,
    release: Release,
    state: State,
) -> None:
    release(9)
    memory = engine(embedder=embedder)
    assert [state(memory, name).version for name in ("turns", "lexical", "vectors")] == [9, 9, 9]
    assert [turn.text for turn in memory.turns()] == old
    assert memory.status().pending == len(old) + memory.status().facts
    memory.wait_for_vectors()
    memory.add("Written by the new release.", session="garden", wait_for="vectors")
    assert memory.status().pending == 0
    assert memory.verify().ok


@pytest.mark.sqlite_only("a place of the server has tables from the start")
def test_nothing_of_the_other_release_stays(
    old: list[str], engine: OpenEngine, release: Release
) -> None:
    release(9)
    assert tables(engine()) == {"9_g2"}


@pytest.mark.sqlite_only("a place of the server has tables from the start")
def test_a_release_may_be_taken_back(old: list[str], engine: OpenEngine, release: Release) -> None:
    release(9)
    engine().close()
    release(8)
    memory = engine()
    assert [turn.text for turn in memory.turns()] == old
    assert tables(memory) == {"8_g3"}
    assert memory.verify().ok


@pytest.mark.sqlite_only("a place of the server has tables from the start")
def test_tenants_of_one_file_change_release_one_by_one(
    old: list[str], engine: OpenEngine, release: Release
) -> None:
    other = engine(tenant="other")
    other.add("Mine.", session="a")
    other.close()
    release(9)
    memory = engine()
    assert tables(memory) == {"8_g1", "9_g2"}
    assert memory.verify().ok
    other = engine(tenant="other")
    assert [turn.text for turn in other.turns()] == ["Mine."]
    assert tables(memory) == {"9_g2"}
    assert other.verify().ok
    assert memory.verify().ok


def test_a_reader_refuses_what_it_can_neither_read_nor_rebuild(
    old: list[str], engine: OpenEngine, release: Release
) -> None:
    release(9)
    with pytest.raises(SchemaOutdated, match="version 8"):
        engine(read_only=True)
    engine().close()
    release(8)
    with pytest.raises(SchemaNewer, match="version 9"):
        engine(read_only=True)


def test_a_log_that_was_founded_and_never_opened_is_opened(
    log: EventLog, engine: OpenEngine, embedder: CallableEmbedder
) -> None:
    """What a kill between the founding and the first projections leaves behind."""
    with pytest.raises(SchemaOutdated, match="not there yet"):
        engine(read_only=True, embedder=embedder)
    memory = engine(embedder=embedder)
    memory.add("A pear.", session="a", wait_for="vectors")
    assert memory.verify().ok
    assert [turn.text for turn in engine(read_only=True).turns()] == ["A pear."]


def test_an_index_that_the_new_release_cannot_build_keeps_nobody_out(
    old: list[str], engine: OpenEngine, release: Release, spoil: Spoil, state: State
) -> None:
    release(9)
    spoil(LexicalProjection, "kiln")
    memory = engine()
    halted = state(memory, "lexical")
    assert (halted.state, halted.version, halted.folded) == ("halted", 9, 7)
    assert "cannot digest kiln" in str(halted.error)
    assert memory.search("pear").degraded[0].startswith("lexical: the last")
    memory.add("Another pear.", session="garden")
    memory.skip("lexical", 7, "a known bug")
    assert [hit.text for hit in memory.search("another")] == ["Another pear."]
    assert memory.verify().ok


def test_two_that_open_after_an_upgrade_wait_for_each_other(
    old: list[str], engine: OpenEngine, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    flip: Any = rebuild._flip
    second: list[Engine] = []
    opener = threading.Thread(target=lambda: second.append(engine()))

    def flip_while_another_opens(*parts: Any) -> Any:
        if not opener.ident:
            opener.start()
        return flip(*parts)

    release(9)
    monkeypatch.setattr(rebuild, "_flip", flip_while_another_opens)
    monkeypatch.setattr(preparing, "_LOOK_S", 0.01)
    first = engine()
    opener.join(30)
    assert [turn.text for turn in first.turns()] == [turn.text for turn in second[0].turns()] == old
    assert second[0].verify().ok


def test_a_process_of_the_old_release_that_is_still_running_is_told_so(
    old: list[str], engine: OpenEngine, release: Release
) -> None:
    running = engine()
    release(9)
    engine()
    release(8)
    for call in (
        lambda: running.add("Too late.", session="garden"),
        lambda: running.turns(),
        lambda: running.search("pear"),
        lambda: running.context("pear"),
        lambda: running.sessions(),
    ):
        with pytest.raises(ProjectionBehind, match="another release"):
            call()
    assert running.status().events == running.head + 1


@pytest.mark.sqlite_only("FTS5 takes a document that it has")
def test_a_projection_that_lags_is_caught_up(
    old: list[str], engine: OpenEngine, tamper: Callable[..., int], state: State
) -> None:
    tamper("DELETE FROM document_v8_g1 WHERE position > 5")
    tamper(
        "UPDATE projection SET folded = 6, leaf = (SELECT leaf FROM event WHERE position = 5) "
        "WHERE name = 'lexical'"
    )
    memory = engine()
    assert state(memory, "lexical").behind == 0


@pytest.fixture
def rows_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows of logs in memory were read, read by read."""
    counts: list[int] = []
    read_rows = EventLog.read_rows

    def counted(log: EventLog, start: int, limit: int, connection: Any) -> Sequence[Any]:
        rows = read_rows(log, start, limit, connection)
        if log.database.location == ":memory:":
            counts.append(len(rows))
        return rows

    monkeypatch.setattr(EventLog, "read_rows", counted)
    return counts


def test_all_projections_are_folded_in_one_pass_over_the_log(
    engine: OpenEngine, a_life: Callable[[Engine], None], rows_read: list[int]
) -> None:
    memory = engine()
    a_life(memory)
    with memory.replay(memory.head) as replayed:
        assert [turn.text for turn in replayed.turns()] == [turn.text for turn in memory.turns()]
    assert sum(rows_read) == memory.head + 1


def test_one_that_cannot_fold_keeps_no_other_from_it(
    engine: OpenEngine, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = engine()
    positions = memory.add([{"role": "user", "content": text} for text in "abc"], session="s")
    apply = LexicalProjection.apply

    def refuse(self: LexicalProjection, prepared: Sequence[Any], fold: Any) -> None:
        assert positions.positions[1] not in [event.position for event in prepared]
        apply(self, prepared, fold)

    monkeypatch.setattr(LexicalProjection, "apply", refuse)
    with memory.replay(memory.head) as replayed:
        projections = {each.name: each for each in read_status(replayed._opened).projections}
        assert [turn.text for turn in replayed.turns()] == ["a", "b", "c"]
    assert (projections["lexical"].state, projections["lexical"].folded) == (
        "halted",
        positions.positions[1],
    )
    assert projections["facts"].folded == memory.head + 1


def test_a_head_that_counts_an_event_that_is_not_there_is_no_endless_catch_up(
    engine: OpenEngine, a_life: Callable[[Engine], None], tamper: Callable[..., int]
) -> None:
    memory = engine()
    a_life(memory)
    head = memory.head
    memory.close()
    assert tamper("UPDATE log SET size = size + 1") == 1
    with pytest.raises(ChainBroken) as caught:
        engine()
    assert caught.value.position == head + 1


def test_a_projection_does_not_step_over_an_event_that_is_missing(
    engine: OpenEngine, a_life: Callable[[Engine], None], tamper: Callable[..., int]
) -> None:
    memory = engine()
    a_life(memory)
    memory.close()
    assert tamper("DELETE FROM event WHERE position = 3") == 1
    with pytest.raises(ChainBroken), engine(read_only=True) as reader:
        reader.replay(reader.head)
