"""A repeated request takes effect once, exactly, and its key is nowhere to be read."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from smriti_es.events.database import Database
from smriti_es.events.errors import ConflictError, IdempotencyConflict, InvalidInput
from smriti_es.events.header import Actor
from smriti_es.events.idempotency import Idempotency
from smriti_es.events.log import EventLog
from smriti_es.events.opening import open_database
from smriti_es.events.records import Append, Commit, NewEvent, Transaction
from smriti_es.events.registry import Founding, open_log
from smriti_es.events.verification import verify_log

Turn = Callable[..., NewEvent]
ONCE = Idempotency("delivery-17", b"the request")


def test_a_repeated_request_gives_the_first_result_and_writes_nothing(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    first = log.append([turn("a"), turn("b")], actor=owner, once=ONCE)
    log.append([turn("c")], actor=owner)
    again = log.append([turn("a"), turn("b")], actor=owner, once=ONCE)
    assert again == Commit(first.first, 2, first.known, replayed=True)
    assert not first.replayed
    assert log.head == 3


def test_a_repeated_request_is_answered_without_deciding_again(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    log.append([turn()], actor=owner, once=ONCE)

    def decide(transaction: Transaction) -> Sequence[NewEvent]:
        raise AssertionError("decided again")

    assert log.append(decide, actor=owner, once=ONCE).replayed


def test_a_repeated_request_is_answered_though_the_head_has_moved_past_what_it_expects(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    log.append([turn()], actor=owner, once=ONCE, expected=0)
    assert log.append([turn()], actor=owner, once=ONCE, expected=0).replayed


@pytest.mark.parametrize("request_bytes", [b"", b"the request ", b"another"])
def test_the_key_of_another_request_is_refused_and_nothing_is_written(
    log: EventLog, turn: Turn, owner: Actor, request_bytes: bytes
) -> None:
    log.append([turn()], actor=owner, once=ONCE)
    with pytest.raises(IdempotencyConflict):
        log.append([turn()], actor=owner, once=Idempotency(ONCE.key, request_bytes))
    assert log.head == 1


@pytest.mark.parametrize("key", ["delivery-18", "Delivery-17", "delivery-17 ", "\u00e9", "e\u0301"])
def test_the_same_request_under_another_key_is_another_request(
    log: EventLog, turn: Turn, owner: Actor, key: str
) -> None:
    for used in ("delivery-17", "\u00e8"):
        log.append([turn()], actor=owner, once=Idempotency(used, ONCE.request))
    assert not log.append([turn()], actor=owner, once=Idempotency(key, ONCE.request)).replayed
    assert log.head == 3


def test_a_request_that_failed_may_be_repeated_under_its_key(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    with pytest.raises(ConflictError):
        log.append([turn()], actor=owner, once=ONCE, expected=7)
    assert not log.append([turn()], actor=owner, once=ONCE).replayed


def test_a_request_that_wrote_nothing_is_not_remembered(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    log.append([], actor=owner, once=ONCE)
    assert log.append([turn()], actor=owner, once=ONCE).count == 1


def test_one_group_takes_a_repeated_request_once(log: EventLog, turn: Turn, owner: Actor) -> None:
    outcomes = log.append_all([Append([turn()], owner, once=ONCE)] * 3)
    assert [getattr(outcome, "replayed", None) for outcome in outcomes] == [False, True, True]
    assert log.head == 1


def test_a_request_is_remembered_over_a_reopening(
    log: EventLog, turn: Turn, owner: Actor, database: Database, places: Any
) -> None:
    log.append([turn()], actor=owner, once=ONCE)
    database.close()
    again = open_database(places.named("memory.db"))
    reopened = open_log(again, "default", clock=log.clock)
    assert reopened.append([turn()], actor=owner, once=ONCE).replayed
    again.close()


def test_two_tenants_may_use_the_same_key(
    log: EventLog, turn: Turn, owner: Actor, database: Database, clock: Any
) -> None:
    other = open_log(database, "other", clock=clock, founding=Founding("UTC", "test"))
    log.append([turn()], actor=owner, once=ONCE)
    assert not other.append([turn()], actor=owner, once=ONCE).replayed
    assert verify_log(other).ok


@pytest.mark.parametrize("key", ["", "k" * 513])
def test_a_key_that_is_empty_or_too_long_is_refused(
    log: EventLog, turn: Turn, owner: Actor, key: str
) -> None:
    with pytest.raises(InvalidInput, match="1 to 512 characters"):
        log.append([turn()], actor=owner, once=Idempotency(key, b""))
    assert log.head == 0


@pytest.mark.parametrize("key", ["k" * 512, "\u0915\U0001f600", "half \ud800"])
def test_any_other_key_is_taken_exactly(log: EventLog, turn: Turn, owner: Actor, key: str) -> None:
    log.append([turn()], actor=owner, once=Idempotency(key, b""))
    assert log.append([turn()], actor=owner, once=Idempotency(key, b"")).replayed


def test_the_entry_stands_in_the_first_payload_of_the_commit_alone(
    log: EventLog, turn: Turn, owner: Actor, database: Database
) -> None:
    log.append([turn("a"), turn("b")], actor=owner, once=ONCE)
    with database.read() as connection:
        bodies = [json.loads(row.body) for row in log.read_rows(1, 2, connection)]
    assert ["$idempotency" in body for body in bodies] == [True, False]
    assert bodies[0]["$idempotency"].keys() == {"key", "request"}


def test_neither_key_nor_request_can_be_read_in_the_files(
    log: EventLog, turn: Turn, owner: Actor, database: Database
) -> None:
    log.append([turn("findable words")], actor=owner, once=ONCE)
    pieces = (b"findable words", b"delivery-17", b"the request")
    assert {found for place in database.search(pieces) for found in place.found} == {pieces[0]}
