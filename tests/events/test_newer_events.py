"""Events that only a later release knows are found by their last of each type."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.events.chain import leaf_hash
from smriti_es.events.log import EventLog
from smriti_es.events.newer_events import newer_events
from smriti_es.events.verification import Verification, verify_log


def named(log: EventLog) -> list[str]:
    with log.database.read() as connection:
        return newer_events(connection, log.log)


@pytest.fixture
def rewrite(whole: EventLog, tamper: Callable[..., int]) -> Callable[..., None]:
    """Let the last event be one that a later release wrote, with everything that goes with it."""

    def change(old: bytes, new: bytes, type: str = "TurnRecorded") -> None:
        (row,) = whole.read_rows(6, 1, None)
        header = row.header.replace(old, new)
        assert header != row.header
        leaf = leaf_hash(header)
        tamper(
            "UPDATE event SET header = ?, leaf = ?, type = ? WHERE position = 6", header, leaf, type
        )
        tamper("UPDATE log SET head = ?", leaf)

    return change


def found(log: EventLog) -> Verification:
    return verify_log(log)


def of_events(verified: Verification) -> list[Any]:
    return [each for each in verified.findings if each.place.startswith("event")]


def test_a_log_of_this_release_has_none(whole: EventLog) -> None:
    assert named(whole) == []


def test_a_type_that_is_not_known_is_named(whole: EventLog, rewrite: Any) -> None:
    rewrite(b'"type":"TurnRecorded"', b'"type":"NoteWritten"', "NoteWritten")
    assert named(whole) == ["NoteWritten version 1"]


def test_a_version_that_is_not_known_is_named(whole: EventLog, rewrite: Any) -> None:
    rewrite(b'"ver":1', b'"ver":7')
    assert named(whole) == ["TurnRecorded version 7"]


def test_a_format_that_is_not_known_is_named(whole: EventLog, rewrite: Any) -> None:
    rewrite(b"smriti-es/1", b"smriti-es/2")
    assert named(whole) == ["TurnRecorded (a header is written in the newer format smriti-es/2)"]


def test_what_cannot_be_read_is_left_to_the_verification(
    whole: EventLog, tamper: Callable[..., int]
) -> None:
    tamper("UPDATE event SET header = 'text' WHERE position = 6")
    assert named(whole) == []


def test_an_event_of_an_unknown_type_verifies(whole: EventLog, rewrite: Any) -> None:
    rewrite(b'"type":"TurnRecorded"', b'"type":"NoteWritten"', "NoteWritten")
    assert of_events(found(whole)) == []


def test_an_event_of_a_newer_format_is_told_as_newer_and_not_as_damage(
    whole: EventLog, rewrite: Any
) -> None:
    rewrite(b"smriti-es/1", b"smriti-es/2")
    (only,) = of_events(found(whole))
    assert (only.position, only.newer) == (6, True)
    assert "newer format smriti-es/2" in only.problem


def test_an_event_of_a_newer_format_that_was_changed_is_damage(
    whole: EventLog, tamper: Callable[..., int]
) -> None:
    (row,) = whole.read_rows(6, 1, None)
    header = row.header.replace(b"smriti-es/1", b"smriti-es/2")
    tamper("UPDATE event SET header = ? WHERE position = 6", header)
    assert (6, "event.leaf", False) in [
        (each.position, each.place, each.newer) for each in found(whole).findings
    ]


def test_what_follows_an_event_of_a_newer_format_must_link_to_it(
    whole: EventLog, tamper: Callable[..., int]
) -> None:
    (row,) = whole.read_rows(4, 1, None)
    header = row.header.replace(b"smriti-es/1", b"smriti-es/2")
    leaf = leaf_hash(header)
    tamper("UPDATE event SET header = ?, leaf = ? WHERE position = 4", header, leaf)
    assert (5, "does not link to the event before it") in [
        (each.position, each.problem) for each in found(whole).findings
    ]
