"""What the tests of the log share: an actor, and turns to append."""

import random
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from smriti_es.events.catalogue import TurnRecorded
from smriti_es.events.database import Database
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.header import Actor
from smriti_es.events.idempotency import Idempotency
from smriti_es.events.log import EventLog
from smriti_es.events.records import NewEvent
from smriti_es.events.registry import Founding, open_log
from smriti_es.events.verification import verify_log
from smriti_es.migrate import migrate

# 2026-06-02T10:00:00Z, where the clock of the tests begins as well.
START = 1_780_394_400_000_000


@pytest.fixture(scope="session")
def owner() -> Actor:
    """Whoever appends."""
    return Actor("owner", "tester")


@pytest.fixture(scope="session")
def turn() -> Callable[..., NewEvent]:
    """Make a turn of the user, to be appended."""

    def make(text: str = "hello", *, refs: tuple[int, ...] = (), **fields: Any) -> NewEvent:
        known = {"session": 0, "ordinal": 0, "origin": "owner", "role": "user"}
        values: dict[str, Any] = known | fields
        return NewEvent(TurnRecorded(text=text, **values), refs)

    return make


@pytest.fixture(scope="session")
def append_seven(turn: Callable[..., NewEvent], owner: Actor) -> Callable[[Database], EventLog]:
    """Found a log in a database and let it have seven events (see `whole`)."""

    def make(database: Database) -> EventLog:
        times = count(START, 1_000_000)
        log = open_log(
            database,
            "default",
            clock=times.__next__,
            randomness=random.Random(1).randbytes,
            founding=Founding("UTC", "smriti-es/test"),
        )
        log.append(
            [turn("a"), turn("b", refs=(1,)), turn("c")], actor=owner, once=Idempotency("k", b"")
        )
        log.append([turn("d", refs=(0, 3))], actor=owner)
        log.append([turn("e"), turn("f")], actor=owner, once=Idempotency("l", b""))
        return log

    return make


@pytest.fixture(scope="session")
def whole_memory(
    tmp_path_factory: pytest.TempPathFactory, append_seven: Callable[[Database], EventLog]
) -> bytes:
    """The bytes of a database file with one log of seven events (see `whole`)."""
    database = SqliteDatabase(tmp_path_factory.mktemp("whole") / "memory.db")
    migrate(database)
    append_seven(database)
    database.close()
    return database.path.read_bytes()


@pytest.fixture
def whole(
    database: Database,
    clock: Callable[[], int],
    randomness: Callable[[int], bytes],
    whole_memory: bytes,
    append_seven: Callable[[Database], EventLog],
) -> EventLog:
    """A log that verifies: genesis, then commits at 1 to 3, at 4 and at 5 to 6."""
    if isinstance(database, SqliteDatabase):
        database.path.write_bytes(whole_memory)
    else:
        append_seven(database)
    log = open_log(database, "default", clock=clock, randomness=randomness)
    assert verify_log(log).ok
    return log


@pytest.fixture
def other(
    whole: EventLog, turn: Callable[..., NewEvent], owner: Actor, database: Database
) -> EventLog:
    """Another tenant's log in the same database, as long as the first."""
    log = open_log(database, "other", clock=whole.clock, founding=Founding("UTC", "test"))
    for text in "uvwxyz":
        log.append([turn(text)], actor=owner, once=Idempotency(text, b""))
    assert verify_log(log).ok
    return log
