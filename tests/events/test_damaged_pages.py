"""A page of the file that cannot be read: what lies on it is named, all else is verified."""

from collections.abc import Callable
from pathlib import Path

import pytest

from smriti_es.events.database import translated_errors
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.errors import StorageDamaged
from smriti_es.events.header import Actor
from smriti_es.events.idempotency import Idempotency
from smriti_es.events.log import EventLog
from smriti_es.events.records import NewEvent
from smriti_es.events.stored_rows import Unreadable, stored_rows
from smriti_es.events.verification import Verification, verify_log

pytestmark = pytest.mark.sqlite_only("pages of a file are damaged")

Turn = Callable[..., NewEvent]
DamagePage = Callable[[Path, bytes | int], None]
RootPage = Callable[[Path, str], int]
TURNS = 60


@pytest.fixture
def long_log(log: EventLog, database: SqliteDatabase, turn: Turn, owner: Actor) -> EventLog:
    """A closed log of 61 events, whose rows fill several pages: turn N stands at position N."""
    for number in range(1, TURNS + 1):
        said = turn(f"turn {number:03} {'x' * 300}")
        log.append([said], actor=owner, once=Idempotency(f"key {number}", b""))
    database.close()
    return log


@pytest.fixture
def verified_again(long_log: EventLog) -> Callable[[], Verification]:
    """Open the file anew and verify the log."""

    def verify() -> Verification:
        database = SqliteDatabase(long_log.database.location, read_only=True)
        try:
            return verify_log(EventLog(database, long_log.log, long_log.log_id, long_log.clock))
        finally:
            database.close()

    return verify


def test_an_event_that_cannot_be_read_is_named_and_what_follows_is_verified(
    database: SqliteDatabase, verified_again: Callable[[], Verification], damage_page: DamagePage
) -> None:
    damage_page(database.path, b'"pos":30,')
    found = verified_again()
    lost = [finding.position for finding in found.findings]
    assert 30 in lost
    assert lost == list(range(lost[0] or 0, (lost[0] or 0) + len(lost)))
    assert {(finding.place, finding.unreadable) for finding in found.findings} == {("event", True)}
    assert found.events == TURNS + 1


def test_a_payload_that_cannot_be_read_is_named_and_the_chain_holds(
    database: SqliteDatabase, verified_again: Callable[[], Verification], damage_page: DamagePage
) -> None:
    damage_page(database.path, b"turn 030")
    found = verified_again()
    assert 30 in [finding.position for finding in found.findings]
    places = {(finding.place, finding.unreadable) for finding in found.findings}
    assert places == {("payload", True)}


def test_a_damaged_index_of_the_log_is_told_and_loses_nothing(
    database: SqliteDatabase,
    verified_again: Callable[[], Verification],
    damage_page: DamagePage,
    root_page: RootPage,
) -> None:
    damage_page(database.path, root_page(database.path, "sqlite_autoindex_event_1"))
    found = verified_again()
    assert [f.position for f in found.findings if f.place == "index"] == list(range(TURNS + 1))
    assert found.findings[0].problem == "cannot be read: database disk image is malformed"
    assert [f.unreadable for f in found.findings].count(False) == 0


@pytest.mark.parametrize(("table", "place"), [("log", "log"), ("keyring", "keyring")])
def test_a_row_beside_the_events_that_cannot_be_read_is_a_finding(
    database: SqliteDatabase,
    verified_again: Callable[[], Verification],
    damage_page: DamagePage,
    root_page: RootPage,
    table: str,
    place: str,
) -> None:
    damage_page(database.path, root_page(database.path, table))
    assert (None, place, True) in [
        (finding.position, finding.place, finding.unreadable)
        for finding in verified_again().findings
    ]


def test_what_an_index_no_longer_leads_to_is_found_in_the_table(
    database: SqliteDatabase,
    log: EventLog,
    long_log: EventLog,
    damage_page: DamagePage,
    root_page: RootPage,
) -> None:
    del long_log
    damage_page(database.path, root_page(database.path, "sqlite_autoindex_payload_1"))
    again = SqliteDatabase(database.path, read_only=True)
    with again.read() as connection:
        rows = [row for batch in stored_rows(connection, log.log, TURNS + 1) for row in batch]
    again.close()
    assert {type(row) for row in rows} == {Unreadable}
    assert {row.place for row in rows} == {"index"}
    assert b"turn 030" in rows[30].row.body


def test_the_database_names_a_damaged_page_of_its_own_file(
    database: SqliteDatabase, long_log: EventLog, damage_page: DamagePage, root_page: RootPage
) -> None:
    del long_log
    whole = SqliteDatabase(database.path, read_only=True)
    assert whole.self_check() is None
    whole.close()
    page = root_page(database.path, "event_by_type")
    damage_page(database.path, page)
    damaged = SqliteDatabase(database.path, read_only=True)
    assert f"{page}" in str(damaged.self_check())
    damaged.close()


def test_a_file_that_is_none_any_more_is_damaged_in_its_own_words(
    database: SqliteDatabase, long_log: EventLog, damage_page: DamagePage
) -> None:
    del long_log
    damage_page(database.path, 1)
    damaged = SqliteDatabase(database.path, read_only=True)
    assert "not a database" in str(damaged.self_check())
    damaged.close()


def test_damage_that_was_dealt_with_inside_a_snapshot_does_not_come_up_again(
    database: SqliteDatabase, long_log: EventLog, damage_page: DamagePage
) -> None:
    del long_log
    damage_page(database.path, b"turn 030")
    again = SqliteDatabase(database.path, read_only=True)
    with again.read() as connection, pytest.raises(Exception, match="malformed"):
        connection.exec_driver_sql("SELECT * FROM payload ORDER BY log, position").all()
    with again.read() as connection:
        assert connection.exec_driver_sql("SELECT 1").scalar() == 1
    again.close()


def test_a_name_that_the_driver_cannot_read_is_damage_and_no_error_of_unicode() -> None:
    with pytest.raises(StorageDamaged, match="could not decode") as caught, translated_errors("x"):
        b"\xff\xfe".decode()
    assert "smriti-es log verify" in caught.value.hint
