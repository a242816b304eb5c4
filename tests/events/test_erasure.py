"""An `Erased` event takes payloads along; the chain over the headers stays what it was."""

from collections.abc import Callable

import pytest

from smriti_es.events.catalogue import Erased, ProjectionSkipped
from smriti_es.events.erasure import is_unchanged, positions_in, ranges_of
from smriti_es.events.header import Actor
from smriti_es.events.idempotency import Idempotency
from smriti_es.events.log import EventLog
from smriti_es.events.records import Append, NewEvent
from smriti_es.events.verification import verify_log

OWNER = Actor("owner", "test")


def note(text: str) -> NewEvent:
    return NewEvent(ProjectionSkipped(projection="x", target=0, reason=text))


def erased(*ranges: list[int]) -> NewEvent:
    return NewEvent(Erased(ranges=ranges, part_of=-1, predecessor="lapse"))


def findings(log: EventLog) -> list[str]:
    return [str(each) for each in verify_log(log).findings]


@pytest.fixture
def notes(log: EventLog) -> EventLog:
    """A log with notes at positions 1 to 5."""
    log.append([note(f"note {number}") for number in range(1, 6)], actor=OWNER)
    return log


def test_the_payloads_that_are_named_are_gone_and_the_chain_holds(notes: EventLog) -> None:
    before = [each.leaf for each in notes.read()]
    notes.append([erased([2, 3], [5, 5])], actor=OWNER)
    assert [each.position for each in notes.read() if each.event is None] == [2, 3, 5]
    assert [each.leaf for each in notes.read()][:6] == before
    assert findings(notes) == []


def test_a_payload_that_nothing_erased_is_a_loss(
    notes: EventLog, tamper: Callable[..., int]
) -> None:
    notes.append([erased([2, 2])], actor=OWNER)
    assert tamper("DELETE FROM payload WHERE position = 4") == 1
    assert findings(notes) == ["position 4, payload: is missing, and no event erased it"]


def test_a_payload_that_was_erased_and_is_there_is_a_finding(
    notes: EventLog, tamper: Callable[..., int]
) -> None:
    notes.append([erased([2, 2])], actor=OWNER)
    copied = "INSERT INTO payload SELECT log, 2, key, body FROM payload WHERE position = 3"
    assert tamper(copied) == 1
    assert findings(notes) == [
        "position 2, payload: key or body is not what the header commits to",
        "position 2, payload: is there, though the event at 6 erased it",
    ]


def test_an_event_cannot_erase_what_comes_later(notes: EventLog) -> None:
    notes.append([erased([7, 7])], actor=OWNER)
    assert findings(notes) == ["position 6, event.header: erases 7, which comes later"]


def test_what_was_erased_twice_is_said_to_be_neither_there_nor_lost(notes: EventLog) -> None:
    notes.append([erased([2, 2])], actor=OWNER)
    notes.append([erased([2, 3])], actor=OWNER)
    assert findings(notes) == []


def test_the_idempotency_entry_goes_with_the_payload_that_it_stood_in(log: EventLog) -> None:
    once = Idempotency("key", b"request")
    first = log.append([note("a")], actor=OWNER, once=once)
    log.append([erased([1, 1])], actor=OWNER)
    again = log.append([note("a")], actor=OWNER, once=once)
    assert (first.first, again.first, again.replayed) == (1, 3, False)
    assert findings(log) == []


def test_appends_that_share_a_flush_with_an_erasure_are_not_touched(notes: EventLog) -> None:
    requests = [
        Append([note("before")], OWNER),
        Append([erased([2, 2])], OWNER),
        Append([note("after")], OWNER),
    ]
    notes.append_all(requests)
    assert [each.position for each in notes.read() if each.event is None] == [2]
    assert findings(notes) == []


def test_a_failed_erasure_deletes_nothing(notes: EventLog) -> None:
    def fail(step: str) -> None:
        if step == "head moved":
            raise RuntimeError(step)

    notes.on_step = fail
    with pytest.raises(RuntimeError):
        notes.append([erased([2, 2])], actor=OWNER)
    notes.on_step = lambda _: None
    assert all(each.event is not None for each in notes.read())
    assert findings(notes) == []


def test_events_that_were_read_before_an_erasure_are_known_to_be_old(notes: EventLog) -> None:
    read = list(notes.read(1, 6))
    with notes.database.read() as connection:
        assert is_unchanged(connection, notes.log, read)
    notes.append([erased([3, 3])], actor=OWNER)
    with notes.database.read() as connection:
        assert not is_unchanged(connection, notes.log, read)
        assert is_unchanged(connection, notes.log, list(notes.read(1, 6)))
        assert is_unchanged(connection, notes.log, [])


def test_positions_become_ranges_in_parts_that_a_header_has_room_for() -> None:
    assert list(ranges_of([5, 3, 4, 4, 9])) == [[[3, 5], [9, 9]]]
    assert list(ranges_of([])) == []
    parts = list(ranges_of(range(0, 4_002, 2)))
    assert [len(part) for part in parts] == [1_000, 1_000, 1]
    assert positions_in(parts[0])[:3] == [0, 2, 4]
