"""What a read and an append say when the stored rows are not what was written."""

from collections.abc import Callable

import pytest

from smriti_es.events.catalogue import EVENT_TYPES
from smriti_es.events.errors import ChainBroken, IntegrityError, NotFound, SchemaNewer
from smriti_es.events.header import Actor
from smriti_es.events.idempotency import Idempotency
from smriti_es.events.log import EventLog
from smriti_es.events.merkle_tree import CompactRange
from smriti_es.events.records import NewEvent
from smriti_es.events.registry import open_log

pytestmark = pytest.mark.sqlite_only("a column of SQLite holds values of any type")

Turn = Callable[..., NewEvent]
Tamper = Callable[..., int]


@pytest.fixture
def log_of_four(log: EventLog, turn: Turn, owner: Actor) -> EventLog:
    """A log with a turn at each of the positions 1, 2 and 3."""
    for text in ("one", "two", "three"):
        log.append([turn(text)], actor=owner, once=Idempotency(text, b""))
    return log


@pytest.mark.parametrize("start", [0, 1, 2])
def test_a_read_stops_where_an_event_is_missing(
    log_of_four: EventLog, tamper: Tamper, start: int
) -> None:
    assert tamper("DELETE FROM event WHERE position = 2") == 1
    reading = log_of_four.read(start)
    assert [next(reading).position for _ in range(start, 2)] == list(range(start, 2))
    with pytest.raises(ChainBroken) as caught:
        next(reading)
    assert (caught.value.position, caught.value.found) == (2, 3)


def test_a_read_of_a_header_that_is_none_fails(log_of_four: EventLog, tamper: Tamper) -> None:
    assert tamper("UPDATE event SET header = x'7b7d' WHERE position = 2") == 1
    with pytest.raises(IntegrityError, match="header"):
        list(log_of_four.read())


def test_a_read_of_a_payload_that_is_none_fails(log_of_four: EventLog, tamper: Tamper) -> None:
    assert tamper("UPDATE payload SET body = x'5b5d' WHERE position = 2") == 1
    with pytest.raises(IntegrityError, match="payload"):
        list(log_of_four.read())


@pytest.mark.parametrize("value", ["'{}'", "17", "1.5"])
@pytest.mark.parametrize("column", ["event.header", "event.leaf", "payload.body"])
def test_a_read_of_a_column_that_holds_no_bytes_fails(
    column: str, value: str, log_of_four: EventLog, tamper: Tamper
) -> None:
    table, _, name = column.partition(".")
    assert tamper(f"UPDATE {table} SET {name} = {value} WHERE position = 2") == 1
    with pytest.raises(IntegrityError, match="bytes"):
        list(log_of_four.read())


def test_an_event_whose_content_is_gone_is_read_with_none(
    log_of_four: EventLog, tamper: Tamper
) -> None:
    assert tamper("DELETE FROM payload WHERE position = 2") == 1
    recorded = list(log_of_four.read())[2]
    assert recorded.event is None
    assert recorded.header.type == "TurnRecorded"


def test_a_read_of_an_event_of_a_later_release_says_so(
    log_of_four: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(EVENT_TYPES, "TurnRecorded")
    with pytest.raises(SchemaNewer, match="TurnRecorded version 1"):
        list(log_of_four.read())


def test_an_append_onto_a_head_that_was_turned_back_fails_and_changes_nothing(
    log_of_four: EventLog, tamper: Tamper, turn: Turn, owner: Actor
) -> None:
    peaks = CompactRange().extend([event.leaf for event in log_of_four.read(stop=3)]).to_bytes()
    turn_back = "UPDATE log SET size = 3, head = (SELECT leaf FROM event WHERE position = 2)"
    assert tamper(f"{turn_back}, peaks = ?", peaks) == 1
    with pytest.raises(IntegrityError, match="beyond the head of the log, position 2"):
        log_of_four.append([turn("four")], actor=owner)
    assert tamper("UPDATE event SET type = type") == 4


@pytest.mark.parametrize("peaks", [b"", bytes(31), bytes(64), "words", 7])
def test_an_append_onto_a_tree_that_is_damaged_fails_and_changes_nothing(
    log_of_four: EventLog, tamper: Tamper, turn: Turn, owner: Actor, peaks: object
) -> None:
    assert tamper("UPDATE log SET peaks = ?", peaks) == 1
    with pytest.raises(
        IntegrityError, match="tree in the head row of the log is damaged"
    ) as caught:
        log_of_four.append([turn("four")], actor=owner)
    assert "log verify" in caught.value.hint
    assert tamper("UPDATE event SET type = type") == 4


def test_without_the_head_row_every_call_says_that_it_is_gone(
    log_of_four: EventLog, tamper: Tamper, turn: Turn, owner: Actor
) -> None:
    tamper("DELETE FROM log")
    with pytest.raises(IntegrityError, match="head row"):
        log_of_four.append([turn()], actor=owner)
    with pytest.raises(IntegrityError, match="head row"):
        assert log_of_four.head
    with pytest.raises(NotFound):
        open_log(log_of_four.database, "default", clock=log_of_four.clock)


def test_without_the_log_s_key_an_idempotent_append_fails_and_a_plain_one_does_not(
    log_of_four: EventLog, tamper: Tamper, turn: Turn, owner: Actor
) -> None:
    tamper("DELETE FROM keyring")
    with pytest.raises(IntegrityError, match="key"):
        log_of_four.append([turn()], actor=owner, once=Idempotency("one", b""))
    assert log_of_four.append([turn()], actor=owner).first == 4
