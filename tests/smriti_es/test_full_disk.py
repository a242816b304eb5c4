"""A full disk refuses an add whole, halts no projection, and is forgotten once there is room."""

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import exc, text

from smriti_es.engine import Engine
from smriti_es.events.errors import StorageUnavailable
from smriti_es.events.records import Append, NewEvent


def limit_pages(engine: Engine, more: int) -> None:
    with engine._opened.database.write() as connection:
        pages = connection.execute(text("PRAGMA page_count")).scalar_one()
        connection.execute(text(f"PRAGMA max_page_count={pages + more}"))


@pytest.mark.sqlite_only("a file is kept from growing")
@pytest.mark.parametrize("more", range(0, 24, 6))
def test_an_add_onto_a_disk_with_too_little_room_halts_nothing(
    engine: Callable[..., Engine], more: int
) -> None:
    memory = engine()
    memory.add("We moved to Lisbon.", session="before")
    limit_pages(memory, more)
    with pytest.raises(StorageUnavailable, match="full"):
        for number in range(100):
            words = " ".join(f"word{number}x{index}" for index in range(300))
            memory.add(words, session=f"s{number}")
    assert memory.status().degraded == ("semantic: the engine was opened without an embedder",)
    limit_pages(memory, 10_000)
    memory.add("And on to Porto.", session="after")
    assert [hit.text for hit in memory.search("Porto").hits] == ["And on to Porto."]
    assert memory.verify().ok


@pytest.mark.parametrize("name", ["turns", "lexical"])
def test_a_disk_that_is_full_when_a_projection_folds_is_not_held_against_the_projection(
    engine: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def full(*_: Any) -> None:
        said = sqlite3.OperationalError("database or disk is full")
        raise exc.OperationalError("INSERT", None, said)

    memory = engine()
    opened = memory._opened
    memory.add("We moved to Lisbon.", session="before")
    before = memory.head
    event = next(memory.events(before)).event
    assert event is not None
    turn, refused = NewEvent(event), Append([NewEvent(event)], opened.actor, expected=before + 9)
    monkeypatch.setattr(opened.projector.projections[name], "apply", full)
    # The neighbour that is refused makes each stand in a savepoint of its own.
    outcomes = opened.log.append_all([refused, Append([turn], opened.actor)])
    assert isinstance(outcomes[1], StorageUnavailable)
    monkeypatch.undo()
    assert memory.head == before
    assert memory.verify().ok
    assert memory.status().degraded == ("semantic: the engine was opened without an embedder",)
