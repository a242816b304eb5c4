"""A verified reading gives every event of a log that is whole, and stops at what was changed."""

from collections.abc import Callable

import pytest

from smriti_es.events.catalogue import Erased
from smriti_es.events.errors import ChainBroken, IntegrityError, PayloadMissing
from smriti_es.events.header import Actor
from smriti_es.events.log import EventLog
from smriti_es.events.records import NewEvent
from smriti_es.events.verified_reading import read_verified

OWNER = Actor("owner", "test")


def erase(log: EventLog, position: int) -> None:
    event = Erased(ranges=[[position, position]], part_of=-1, predecessor="lapse")
    log.append([NewEvent(event)], actor=OWNER)


@pytest.mark.parametrize("start", [0, 1, 4, 6, 7])
def test_a_log_that_is_whole_is_read_as_it_is(whole: EventLog, start: int) -> None:
    assert list(read_verified(whole, start)) == list(whole.read(start))


def test_a_part_is_read_up_to_its_end(whole: EventLog) -> None:
    assert [each.position for each in read_verified(whole, 2, 5)] == [2, 3, 4]
    assert [each.position for each in read_verified(whole, 5, 100)] == [5, 6]


@pytest.mark.parametrize(
    ("edit", "error", "message"),
    [
        ("DELETE FROM event WHERE position = 4", ChainBroken, "position 4 is missing"),
        ("DELETE FROM event WHERE position = 6", ChainBroken, "position 6 is missing"),
        ("UPDATE event SET leaf = zeroblob(32) WHERE position = 3", ChainBroken, "position 3 "),
        (
            "UPDATE event SET (leaf, header) = (SELECT leaf, header FROM event WHERE position = 4) "
            "WHERE position = 5",
            ChainBroken,
            "position 5 does not follow",
        ),
        ("UPDATE event SET type = 'X' WHERE position = 2", IntegrityError, "row at position 2"),
        ("UPDATE event SET known = 1 WHERE position = 2", IntegrityError, "row at position 2"),
        ("UPDATE payload SET key = zeroblob(32) WHERE position = 4", IntegrityError, "position 4"),
        (
            "UPDATE payload SET body = cast(replace(body, '\"d\"', '\"D\"') AS BLOB) "
            "WHERE position = 4",
            IntegrityError,
            "payload at position 4",
        ),
        ("UPDATE log SET head = zeroblob(32)", ChainBroken, "does not end where"),
        ("DELETE FROM payload WHERE position = 4", PayloadMissing, "no event erased it"),
    ],
)
def test_what_was_changed_stops_the_reading(
    whole: EventLog, tamper: Callable[..., int], edit: str, error: type[Exception], message: str
) -> None:
    assert tamper(edit) == 1
    with pytest.raises(error, match=message):
        list(read_verified(whole))


def test_a_payload_that_was_erased_is_read_as_none(whole: EventLog) -> None:
    erase(whole, 4)
    assert [each.position for each in read_verified(whole) if each.event is None] == [4]


def test_a_payload_that_is_there_though_it_was_erased_stops_the_reading(
    whole: EventLog, tamper: Callable[..., int]
) -> None:
    erase(whole, 4)
    tamper("INSERT INTO payload SELECT log, 4, key, body FROM payload WHERE position = 5")
    with pytest.raises(IntegrityError, match="payload at position 4"):
        list(read_verified(whole))


def test_the_first_event_of_a_part_must_link_to_the_one_before_it(
    whole: EventLog, tamper: Callable[..., int]
) -> None:
    tamper(
        "UPDATE event SET header = (SELECT header FROM event WHERE position = 2) WHERE position = 3"
    )
    with pytest.raises(ChainBroken, match="position 4 does not follow"):
        list(read_verified(whole, 4))
