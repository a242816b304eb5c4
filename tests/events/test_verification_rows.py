"""Rows that were removed, moved, added, swapped or brought over from another log are found."""

from collections.abc import Callable

import pytest

from smriti_es.events.log import EventLog
from smriti_es.events.stored_tree import build_tree
from smriti_es.events.verification import Finding, verify_log

Tamper = Callable[..., int]
Place = tuple[int | None, str]


def make_tree(log: EventLog) -> None:
    """Let the tree follow from what stands in the table of events."""
    with log.database.write() as connection:
        build_tree(connection, log.log)


def places(log: EventLog) -> list[Place]:
    return [(finding.position, finding.place) for finding in verify_log(log).findings]


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ("DELETE FROM event WHERE position = 0", (0, "event")),
        ("DELETE FROM event WHERE position = 3", (3, "event")),
        ("DELETE FROM event WHERE position = 6", (6, "event")),
        ("DELETE FROM event WHERE position > 3", (4, "payload")),
        ("DELETE FROM event", (0, "event")),
        ("DELETE FROM payload WHERE position = 0", (0, "payload")),
        ("DELETE FROM payload WHERE position = 4", (4, "payload")),
        ("DELETE FROM idempotency WHERE position = 5", (5, "idempotency")),
        ("DELETE FROM keyring", (None, "keyring")),
        ("DELETE FROM log", (None, "log")),
        ("UPDATE event SET log = 2 WHERE position = 4", (4, "event")),
        ("UPDATE payload SET log = 2 WHERE position = 4", (4, "payload")),
        ("UPDATE idempotency SET log = 2 WHERE position = 1", (1, "idempotency")),
        ("UPDATE keyring SET log = 2", (None, "keyring")),
        ("UPDATE log SET log = 2", (None, "log")),
        ("UPDATE event SET position = 7 WHERE position = 4", (4, "event")),
        ("UPDATE event SET position = -1 WHERE position = 0", (None, "event.position")),
        ("UPDATE payload SET position = 9 WHERE position = 4", (9, "payload")),
        ("UPDATE event SET position = position + 100", (0, "event")),
    ],
)
def test_a_removed_or_moved_row_is_found(
    whole: EventLog, tamper: Tamper, edit: str, expected: Place
) -> None:
    assert tamper(edit) >= 1
    assert expected in places(whole)


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (
            "INSERT INTO event SELECT log, 7, type, known, leaf, header FROM event "
            "WHERE position = 6",
            (7, "event.header"),
        ),
        (
            "INSERT INTO event SELECT log, 99, type, known, leaf, header FROM event "
            "WHERE position = 6",
            (7, "event"),
        ),
        (
            "INSERT INTO event SELECT log, -1, type, known, leaf, header FROM event "
            "WHERE position = 0",
            (None, "event.position"),
        ),
        (
            "INSERT INTO payload SELECT log, 7, key, body FROM payload WHERE position = 6",
            (7, "payload"),
        ),
        (
            "INSERT INTO payload SELECT log, -1, key, body FROM payload WHERE position = 6",
            (None, "payload"),
        ),
        ("INSERT INTO idempotency VALUES (1, 'key', 'request', 4)", (4, "idempotency")),
    ],
)
def test_an_added_row_is_found(whole: EventLog, tamper: Tamper, edit: str, expected: Place) -> None:
    assert tamper(edit) == 1
    assert expected in places(whole)


def swap(tamper: Tamper, table: str, columns: str, one: int, other: int) -> None:
    """Exchange some columns of two rows, by way of a third table."""
    tamper(f"CREATE TABLE aside AS SELECT * FROM {table} WHERE log = 1")
    assert (
        tamper(
            f"UPDATE {table} SET ({columns}) = (SELECT {columns} FROM aside "
            f"WHERE aside.position = {one + other} - {table}.position) "
            f"WHERE log = 1 AND position IN ({one}, {other})"
        )
        == 2
    )


@pytest.mark.parametrize(("one", "other"), [(1, 2), (4, 5), (0, 6)])
@pytest.mark.parametrize(
    ("table", "columns", "place"),
    [
        ("event", "type, known, leaf, header", "event.header"),
        ("event", "leaf", "event.leaf"),
        ("payload", "key, body", "payload"),
        ("payload", "key", "payload"),
        ("payload", "body", "payload"),
    ],
)
def test_swapped_rows_and_columns_are_found_at_both_positions(
    whole: EventLog,
    tamper: Tamper,
    table: str,
    columns: str,
    place: str,
    one: int,
    other: int,
) -> None:
    swap(tamper, table, columns, one, other)
    found = places(whole)
    for position in (one, other):
        assert any(at == position and name.startswith(place) for at, name in found)


def test_swapped_idempotency_entries_are_found(whole: EventLog, tamper: Tamper) -> None:
    tamper("UPDATE idempotency SET position = 6 - position")
    assert sorted(verify_log(whole).findings, key=lambda finding: finding.position or 0) == [
        Finding(position, "idempotency", "its entry is not what the payload says")
        for position in (1, 5)
    ]


@pytest.mark.parametrize("position", [0, 3, 6])
def test_an_event_of_another_log_put_in_the_place_of_one_is_found(
    whole: EventLog, other: EventLog, tamper: Tamper, position: int
) -> None:
    for table, columns in (("event", "type, known, leaf, header"), ("payload", "key, body")):
        tamper(
            f"UPDATE {table} SET ({columns}) = (SELECT {columns} FROM {table} AS twin "
            f"WHERE twin.log = 2 AND twin.position = {table}.position) "
            f"WHERE log = 1 AND position = {position}"
        )
    assert (max(position, 1), "event.header") in places(whole)
    assert verify_log(other).ok


def test_the_tail_of_another_log_put_behind_the_beginning_of_one_is_found(
    whole: EventLog, other: EventLog, tamper: Tamper
) -> None:
    for table in ("event", "payload"):
        tamper(f"DELETE FROM {table} WHERE log = 1 AND position >= 4")
        tamper(f"UPDATE {table} SET log = 1 WHERE log = 2 AND position >= 4")
    assert (4, "event.header") in places(whole)
    assert (None, "log.head") in places(whole)
    assert (4, "payload") not in places(whole)


def test_damage_in_one_log_is_not_laid_at_another_s_door(
    whole: EventLog, other: EventLog, tamper: Tamper
) -> None:
    tamper("DELETE FROM event WHERE log = 2 AND position = 3")
    tamper("DELETE FROM idempotency WHERE log = 2")
    tamper("DELETE FROM keyring WHERE log = 2")
    assert not verify_log(other).ok
    assert verify_log(whole).ok


def test_a_tail_cut_off_in_the_middle_of_a_commit_is_found_though_its_head_row_agrees(
    whole: EventLog, tamper: Tamper
) -> None:
    tamper("DELETE FROM event WHERE position = 6")
    tamper("DELETE FROM payload WHERE position = 6")
    tamper("UPDATE log SET size = 6, head = (SELECT leaf FROM event WHERE position = 5)")
    make_tree(whole)
    assert places(whole) == [(6, "event")]


def test_a_tail_of_whole_commits_cut_off_together_with_its_head_is_not_found_here(
    whole: EventLog, tamper: Tamper
) -> None:
    # A known limit: only a checkpoint kept elsewhere can tell.
    for table in ("event", "payload", "idempotency"):
        tamper(f"DELETE FROM {table} WHERE position >= 5")
    tamper(
        "UPDATE log SET (size, head, known) = (SELECT 5, leaf, known FROM event WHERE position = 4)"
    )
    make_tree(whole)
    assert verify_log(whole).ok
    assert verify_log(whole).events == 5
