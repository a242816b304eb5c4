"""Whatever is done to a log through its door keeps it whole; whatever is done past it is found."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from smriti_es.events.catalogue import TurnRecorded
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.errors import ConflictError, IdempotencyConflict, SmritiError
from smriti_es.events.header import Actor
from smriti_es.events.idempotency import Idempotency
from smriti_es.events.log import EventLog
from smriti_es.events.records import Append, Commit, NewEvent, Transaction
from smriti_es.events.registry import Founding, open_log
from smriti_es.events.tables import metadata
from smriti_es.events.verification import verify_log

OWNER = Actor("owner", "tester")
START = 1_780_394_400_000_000


class Refused(Exception):
    """What a command raises that decides against itself."""


@dataclass(frozen=True)
class Step:
    """One request: its turns, what head it expects, its key and body, and whether it gives up."""

    texts: tuple[str, ...]
    behind: int | None
    key: str | None
    request: bytes
    gives_up: bool
    clock_moves: int


steps = st.builds(
    Step,
    texts=st.lists(st.text(max_size=8), max_size=3).map(tuple),
    behind=st.none() | st.integers(0, 2),
    key=st.none() | st.sampled_from(["k", "l"]),
    request=st.sampled_from([b"x", b"y"]),
    gives_up=st.booleans() | st.just(False),
    clock_moves=st.sampled_from([1, 1_000_000, 0, -1, -3_600_000_000]),
)


@dataclass
class Model:
    """What the log should hold, kept the simple way."""

    texts: list[str] = field(default_factory=list)
    done: dict[str, tuple[bytes, int, int]] = field(default_factory=dict)

    def expected(self, step: Step) -> int | None:
        return None if step.behind is None else len(self.texts) - step.behind

    def take(self, step: Step) -> type[Exception] | tuple[int, int, bool]:
        """Say what becomes of a step: an error, or first position, count and whether replayed."""
        if step.key in self.done:
            request, first, count = self.done[step.key]
            return IdempotencyConflict if request != step.request else (first, count, True)
        if step.behind:
            return ConflictError
        if step.gives_up:
            return Refused
        first = len(self.texts) + 1
        self.texts.extend(step.texts)
        if step.key is not None and step.texts:
            self.done[step.key] = (step.request, first, len(step.texts))
        return first, len(step.texts), False


@contextmanager
def new_log(clock: Callable[[], int]) -> Iterator[EventLog]:
    database = SqliteDatabase(":memory:")
    with database.write() as connection:
        metadata.create_all(connection)
    yield open_log(database, "default", clock=clock, founding=Founding("UTC", "test"))
    database.close()


def request_of(step: Step, expected: int | None) -> Append:
    def decide(_: Transaction) -> list[NewEvent]:
        if step.gives_up:
            raise Refused
        return [
            NewEvent(
                TurnRecorded(session=0, ordinal=0, origin="owner", role="user", text=one), (0,)
            )
            for one in step.texts
        ]

    once = None if step.key is None else Idempotency(step.key, step.request)
    return Append(decide, OWNER, expected, once)


def outcome_of(found: Commit | Exception) -> type[Exception] | tuple[int, int, bool]:
    return (
        type(found) if isinstance(found, Exception) else (found.first, found.count, found.replayed)
    )


def append(log: EventLog, request: Append) -> Commit | Exception:
    try:
        return log.append(
            request.command, actor=request.actor, expected=request.expected, once=request.once
        )
    except (SmritiError, Refused) as error:
        return error


@given(st.lists(st.lists(steps, min_size=1, max_size=4), max_size=6))
def test_any_mixture_of_appends_does_what_a_list_would_and_leaves_the_log_whole(
    groups: list[list[Step]],
) -> None:
    times = [START]
    model = Model()
    with new_log(lambda: times[0]) as log:
        for group in groups:
            times[0] += sum(step.clock_moves for step in group)
            taken = [(request_of(step, model.expected(step)), model.take(step)) for step in group]
            requests = [request for request, _ in taken]
            together = len(requests) > 1
            found = log.append_all(requests) if together else [append(log, requests[0])]
            assert [outcome_of(one) for one in found] == [expected for _, expected in taken]
        recorded = list(log.read())
        said = [one.event.text for one in recorded if isinstance(one.event, TurnRecorded)]
        assert said == model.texts
        assert [one.position for one in recorded] == list(range(len(model.texts) + 1))
        for before, after in pairwise(recorded):
            same = before.header.commit == after.header.commit
            assert same == (before.header.known == after.header.known)
            assert before.header.known <= after.header.known
        assert verify_log(log).findings == ()


COLUMNS = [
    ("event", "position"),
    ("event", "type"),
    ("event", "known"),
    ("event", "leaf"),
    ("event", "header"),
    ("payload", "position"),
    ("payload", "key"),
    ("payload", "body"),
    ("idempotency", "key_mac"),
    ("idempotency", "request_mac"),
    ("idempotency", "position"),
    ("log", "size"),
    ("log", "head"),
    ("log", "known"),
    ("log", "tenant"),
    ("log", "log_id"),
    ("keyring", "hmac_key"),
]


@pytest.fixture(scope="module")
def varied() -> Iterator[EventLog]:
    """A log of several commits of several sizes, some of them idempotent."""
    with new_log(lambda: START) as log:
        for number in range(6):
            step = Step(("a", "b", "c")[: 1 + number % 3], None, None, b"", False, 0)
            once = Idempotency(f"key {number}", b"request") if number % 2 else None
            log.append(request_of(step, None).command, actor=OWNER, once=once)
        yield log


def flipped(value: Any, bit: int) -> Any:
    """The value with one of its bits turned over."""
    if isinstance(value, int):
        return value ^ 1 << bit % 53
    raw = bytearray(value if isinstance(value, bytes) else value.encode())
    # Text stays ASCII, and so stays text.
    raw[bit // 8 % len(raw)] ^= 1 << bit % (8 if isinstance(value, bytes) else 7)
    return bytes(raw) if isinstance(value, bytes) else raw.decode()


@given(st.sampled_from(COLUMNS), st.integers(0, 99), st.integers(0, 9_999))
def test_any_flipped_bit_of_any_stored_value_is_found(
    varied: EventLog, column: tuple[str, str], row: int, bit: int
) -> None:
    assert verify_log(varied).ok
    table, name = column
    with varied.database.write() as connection:
        rows = connection.execute(text(f"SELECT rowid, {name} FROM {table} ORDER BY rowid")).all()
        chosen = rows[row % len(rows)]
        update = text(f"UPDATE {table} SET {name} = :value WHERE rowid = :row")
        edited = flipped(chosen[1], bit)
        if edited in {value for _, value in rows} and name == "position":
            edited = edited + 1_000  # two rows cannot have one key
        connection.execute(update, {"value": edited, "row": chosen[0]})
    found = verify_log(varied)
    with varied.database.write() as connection:
        connection.execute(update, {"value": chosen[1], "row": chosen[0]})
    assert not found.ok
    assert verify_log(varied).ok
