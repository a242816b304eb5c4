"""Whatever is edited, removed, moved, added or swapped in the stored log is found and named.

Each test begins with a log that verifies, so that what it finds is what it did.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from smriti_es.events import stored_rows, verification
from smriti_es.events.database import Database
from smriti_es.events.errors import ChainBroken
from smriti_es.events.header import Actor
from smriti_es.events.log import EventLog
from smriti_es.events.records import NewEvent
from smriti_es.events.verification import Finding, verify_log

Turn = Callable[..., NewEvent]
Tamper = Callable[..., int]
Run = Callable[..., Any]
Place = tuple[int | None, str]
EVENTS = 7


def places(log: EventLog) -> list[Place]:
    return [(finding.position, finding.place) for finding in verify_log(log).findings]


def flips(
    run: Run, log: EventLog, table: str, column: str, position: int | None, *, step: int = 1
) -> Iterator[list[Place]]:
    """Flip one bit of every `step`th byte of a stored value; give what is found each time."""
    where = "log = 1" if position is None else f"log = 1 AND position = {position}"
    write = f"UPDATE {table} SET {column} = ? WHERE {where}"
    (stored,) = run(f"SELECT {column} FROM {table} WHERE {where}").fetchone()
    raw = stored if isinstance(stored, bytes) else stored.encode()
    for index in range(0, len(raw), step):
        edited = raw[:index] + bytes([raw[index] ^ 1]) + raw[index + 1 :]
        value = edited if isinstance(stored, bytes) else edited.decode()
        assert run(write, value).rowcount == 1
        yield places(log)
    run(write, stored)
    assert verify_log(log).ok


@pytest.mark.parametrize(("position", "step"), [(0, 7), (3, 1), (6, 7)])
def test_a_flipped_bit_in_any_byte_of_a_header_is_found_at_its_position(
    whole: EventLog, past_the_library: Run, position: int, step: int
) -> None:
    found = list(flips(past_the_library, whole, "event", "header", position, step=step))
    assert len(found) > 350 // step
    assert {places[0] for places in found} == {(position, "event.leaf")}
    unlinked = (position + 1, "event.header") if position < EVENTS - 1 else (None, "log.head")
    assert all(unlinked in places for places in found)


@pytest.mark.parametrize(
    ("table", "column", "position", "expected"),
    [
        ("event", "leaf", 0, (0, "event.leaf")),
        ("event", "leaf", 4, (4, "event.leaf")),
        ("event", "leaf", 6, (6, "event.leaf")),
        ("event", "type", 4, (4, "event.type")),
        ("payload", "body", 0, (0, "payload")),
        ("payload", "body", 4, (4, "payload")),
        ("payload", "key", 6, (6, "payload")),
        ("log", "head", None, (None, "log.head")),
        ("log", "peaks", None, (None, "log.peaks")),
        ("log", "log_id", None, (None, "log.log_id")),
        ("log", "tenant", None, (None, "log.tenant")),
        ("keyring", "hmac_key", None, (None, "keyring.hmac_key")),
        ("idempotency", "request_mac", 1, (1, "idempotency")),
        ("idempotency", "key_mac", 5, (5, "idempotency")),
    ],
)
def test_a_flipped_bit_in_any_byte_of_a_column_is_found_and_nothing_else_is_blamed(
    whole: EventLog,
    past_the_library: Run,
    table: str,
    column: str,
    position: int | None,
    expected: Place,
) -> None:
    found = list(flips(past_the_library, whole, table, column, position))
    assert len(found) >= 7
    assert {frozenset(places) for places in found if expected[1] != "payload"} <= {
        frozenset([expected])
    }
    assert {places[0] for places in found} == {expected}


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ("UPDATE event SET known = known + 1 WHERE position = 4", (4, "event.known")),
        ("UPDATE event SET known = -known WHERE position = 0", (0, "event.known")),
        ("UPDATE event SET type = 'SessionStarted' WHERE position = 6", (6, "event.type")),
        ("UPDATE log SET size = size + 1", (None, "log.size")),
        ("UPDATE log SET size = size - 1", (None, "log.size")),
        ("UPDATE log SET known = known + 1", (None, "log.known")),
        ("UPDATE log SET head = zeroblob(32)", (None, "log.head")),
        ("UPDATE idempotency SET position = 2 WHERE position = 1", (1, "idempotency")),
        (
            "UPDATE payload SET body = CAST(body || ' ' AS BLOB) WHERE position = 2",
            (2, "payload.body"),
        ),
        ("UPDATE payload SET body = x'' WHERE position = 2", (2, "payload.body")),
        ("UPDATE payload SET key = zeroblob(32) WHERE position = 2", (2, "payload")),
    ],
)
def test_an_edited_number_or_a_changed_length_is_found_and_nothing_else_is_blamed(
    whole: EventLog, tamper: Tamper, edit: str, expected: Place
) -> None:
    assert tamper(edit) == 1
    assert places(whole) == [expected]


@pytest.mark.parametrize(
    ("table", "column", "place"),
    [
        ("event", "header", "event.leaf"),
        ("event", "leaf", "event.leaf"),
        ("event", "type", "event.type"),
        ("event", "known", "event.known"),
        ("event", "position", "event"),
        ("payload", "body", "payload.body"),
        ("payload", "key", "payload"),
        ("payload", "position", "payload"),
        ("idempotency", "key_mac", "idempotency"),
        ("idempotency", "request_mac", "idempotency"),
        ("idempotency", "position", "idempotency"),
        ("log", "size", "log.size"),
        ("log", "head", "log.head"),
        ("log", "peaks", "log.peaks"),
        ("log", "known", "log.known"),
        ("log", "log_id", "log.log_id"),
        ("log", "tenant", "log.tenant"),
        ("keyring", "hmac_key", "keyring.hmac_key"),
    ],
)
@pytest.mark.parametrize("value", ["'words'", "x'00ff'", "1.5", "-1"])
@pytest.mark.sqlite_only("its columns hold values of any type")
def test_a_value_of_another_type_or_range_is_a_finding_and_no_failure(
    whole: EventLog, tamper: Tamper, table: str, column: str, place: str, value: str
) -> None:
    where = "WHERE position = 5" if table in {"event", "payload", "idempotency"} else ""
    assert tamper(f"UPDATE {table} SET {column} = {value} {where}") == 1
    assert (5 if where else None, place) in places(whole)


@pytest.mark.sqlite_only("its columns hold values of any type")
def test_bytes_turned_into_text_of_the_same_characters_are_found(
    whole: EventLog, tamper: Tamper
) -> None:
    tamper("UPDATE event SET header = CAST(header AS TEXT) WHERE position = 4")
    assert (4, "event.leaf") in places(whole)


@pytest.mark.sqlite_only("its columns hold values of any type")
def test_bytes_turned_into_text_that_is_none_are_told_as_unreadable(
    whole: EventLog, tamper: Tamper
) -> None:
    tamper("UPDATE event SET leaf = CAST(x'ff' AS TEXT) WHERE position = 4")
    (finding,) = verify_log(whole).findings
    assert (finding.position, finding.place, finding.unreadable) == (4, "event", True)
    assert finding.problem.startswith("cannot be read: Could not decode to UTF-8 column")


def test_a_key_with_zeros_added_is_found_though_hmac_would_take_it_for_the_same(
    whole: EventLog, tamper: Tamper, database: Database
) -> None:
    with database.read() as connection:
        longer = whole.read_rows(4, 1, connection)[0].key + b"\0"
    tamper("UPDATE payload SET key = ? WHERE position = 4", longer)
    assert places(whole) == [(4, "payload")]


def test_what_is_found_can_be_shown_and_raised(whole: EventLog, tamper: Tamper) -> None:
    verify_log(whole).raise_if_broken()
    tamper("UPDATE event SET known = 7 WHERE position = 4")
    tamper("UPDATE log SET size = 9")
    found = verify_log(whole)
    assert [str(finding) for finding in found.findings] == [
        "position 4, event.known: is 7, the header says 1780394402000000",
        "log, log.size: is 9, the events say 7",
    ]
    with pytest.raises(ChainBroken, match=r"position 4, event\.known") as caught:
        found.raise_if_broken()
    assert caught.value.position == 4


def test_a_log_that_verifies_tells_its_length_and_its_head(whole: EventLog) -> None:
    found = verify_log(whole)
    assert (found.ok, found.findings, found.events) == (True, (), EVENTS)
    assert found.head == list(whole.read())[-1].leaf.hex()
    assert not replace(found, findings=(Finding(1, "event", "edited"),)).ok


@pytest.mark.parametrize("batch", [1, 2, 3, EVENTS, 100])
def test_the_size_of_the_batches_changes_nothing_of_what_is_found(
    whole: EventLog, tamper: Tamper, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    tamper("DELETE FROM event WHERE position = 3")
    tamper("UPDATE payload SET key = zeroblob(32) WHERE position = 5")
    expected = verify_log(whole)
    monkeypatch.setattr(stored_rows, "READ_BATCH", batch)
    assert verify_log(whole) == expected
    assert len(expected.findings) > 2


def test_no_more_is_told_than_can_be_read(
    whole: EventLog, tamper: Tamper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verification, "FINDINGS_MAX", 3)
    tamper("UPDATE event SET known = 0")
    assert places(whole) == [(0, "event.known"), (1, "event.known"), (2, "event.known")]


def test_progress_is_told_up_to_the_end_and_an_append_meanwhile_does_no_harm(
    whole: EventLog, turn: Turn, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_rows, "READ_BATCH", 3)
    told: list[tuple[str, int, int]] = []

    def tell(phase: str, done: int, total: int) -> None:
        told.append((phase, done, total))
        whole.append([turn("meanwhile")], actor=owner)

    assert verify_log(whole, tell).ok
    assert told == [("verify", 3, 7), ("verify", 6, 7), ("verify", 7, 7)]
    assert verify_log(whole).events == EVENTS + 3
