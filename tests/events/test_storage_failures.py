"""What fails below the log is told plainly, with what to do, and leaves nothing half-written."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import exc, insert, text

from smriti_es.events import dialect_sqlite
from smriti_es.events.catalogue import TurnRecorded
from smriti_es.events.database import is_storage_failure, storage_error
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.errors import StorageBusy, StorageDamaged, StorageError, StorageUnavailable
from smriti_es.events.header import Actor
from smriti_es.events.log import EventLog
from smriti_es.events.records import Append, NewEvent
from smriti_es.events.tables import payload_table
from smriti_es.events.verification import verify_log
from smriti_es.migrate import migrate

pytestmark = pytest.mark.sqlite_only("files, disks and locks of SQLite")

Turn = Callable[..., NewEvent]
NOBODY = 65_534


def limit_pages(database: SqliteDatabase, more: int) -> None:
    """Let the database grow by that many pages and then be as full as a disk."""
    with database.write() as connection:
        pages = connection.execute(text("PRAGMA page_count")).scalar_one()
        connection.execute(text(f"PRAGMA max_page_count={pages + more}"))


def writing_driver(database: SqliteDatabase) -> sqlite3.Connection:
    with database.write() as connection:
        driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver


@pytest.fixture
def unwritable() -> Iterator[Path]:
    """A folder that this process may read and not write, also when the superuser runs the tests."""
    outside = Path(tempfile.mkdtemp())
    outside.chmod(0o755)
    folder = outside / "unwritable"
    folder.mkdir()
    shutil.copy(__file__, folder / "readable.db")
    folder.joinpath("readable.db").chmod(0o444)
    folder.joinpath("writable.db").touch()
    folder.joinpath("writable.db").chmod(0o666)
    folder.chmod(0o555)
    superuser = os.geteuid() == 0
    if superuser:
        os.setresuid(NOBODY, NOBODY, 0)
    yield folder
    if superuser:
        os.setresuid(0, 0, 0)
    folder.chmod(0o755)
    shutil.rmtree(outside)


@pytest.mark.parametrize("name", ["new.db", "readable.db"])
def test_a_file_that_may_not_be_written_is_refused_when_it_is_opened(
    unwritable: Path, name: str
) -> None:
    with pytest.raises(StorageUnavailable, match="cannot be written: Permission denied") as caught:
        SqliteDatabase(unwritable / name)
    assert "read_only=True" in caught.value.hint


def test_a_folder_that_takes_no_lock_file_is_refused_at_the_first_write(unwritable: Path) -> None:
    database = SqliteDatabase(unwritable / "writable.db")
    with pytest.raises(StorageUnavailable, match="lock file"), database.write():
        pass


@pytest.mark.parametrize("place", ["missing/memory.db", "a-file/memory.db", "."])
def test_a_place_where_no_file_can_be_is_refused(tmp_path: Path, place: str) -> None:
    (tmp_path / "a-file").touch()
    with pytest.raises(StorageUnavailable, match="cannot be written"):
        SqliteDatabase(tmp_path / place)


@pytest.mark.parametrize("place", ["missing.db", "missing/memory.db"])
def test_reading_only_what_is_not_there_is_refused_and_makes_nothing(
    tmp_path: Path, place: str
) -> None:
    database = SqliteDatabase(tmp_path / place, read_only=True)
    with pytest.raises(StorageUnavailable, match="unable to open"):
        migrate(database, read_only=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize("content", [b"Dear diary, " * 500, b"\x00" * 8_192, b"short"])
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(
    tmp_path: Path, content: bytes, read_only: bool
) -> None:
    (tmp_path / "notes.txt").write_bytes(content)
    database = SqliteDatabase(tmp_path / "notes.txt", read_only=read_only)
    with pytest.raises(StorageDamaged, match="not a database"):
        migrate(database, read_only=read_only)
    database.close()
    assert (tmp_path / "notes.txt").read_bytes() == content


def damage(path: Path, how: str) -> None:
    stored = path.read_bytes()
    if how == "truncated":
        path.write_bytes(stored[: len(stored) // 2])
    else:
        path.write_bytes(stored[:4_096] + b"\xa5" * (len(stored) - 4_096))


@pytest.mark.parametrize("how", ["truncated", "overwritten"])
def test_a_damaged_file_is_told_when_it_is_read_and_when_it_is_written(
    log: EventLog, database: SqliteDatabase, turn: Turn, owner: Actor, how: str
) -> None:
    log.append([turn("x" * 5_000)], actor=owner)
    database.close()
    damage(database.path, how)
    again = SqliteDatabase(database.path)
    damaged = EventLog(again, log.log, log.log_id, log.clock)
    with pytest.raises(StorageDamaged, match="is damaged or not a memory") as caught:
        list(damaged.read())
    assert "smriti-es log verify" in caught.value.hint
    with pytest.raises(StorageDamaged, match="is damaged or not a memory"):
        damaged.append([turn()], actor=owner)
    again.close()


def test_a_full_disk_refuses_an_append_whole_and_takes_it_once_there_is_room(
    log: EventLog, database: SqliteDatabase, turn: Turn, owner: Actor
) -> None:
    limit_pages(database, 3)
    with pytest.raises(StorageUnavailable, match="full") as caught:
        log.append([turn("small"), turn("x" * 100_000)], actor=owner)
    assert "Free space" in caught.value.hint
    assert log.head == 0
    assert verify_log(log).ok
    limit_pages(database, 1_000)
    assert log.append([turn("small"), turn("x" * 100_000)], actor=owner).count == 2
    assert verify_log(log).ok


def test_a_full_disk_refuses_everybody_in_the_group_with_the_true_reason(
    log: EventLog, database: SqliteDatabase, turn: Turn, owner: Actor
) -> None:
    limit_pages(database, 3)
    said = ["before", "x" * 100_000, "after"]
    outcomes = log.append_all([Append([turn(one)], owner) for one in said])
    assert [type(outcome) for outcome in outcomes] == [StorageUnavailable] * 3
    assert all("full" in str(outcome) for outcome in outcomes)
    assert log.head == 0
    assert log.append([turn("small")], actor=owner).first == 1
    assert verify_log(log).ok


def fold_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialect_sqlite, "CHECKPOINT_ROWS", 0)
    monkeypatch.setattr(dialect_sqlite, "CHECKPOINT_BYTES", 0)


def test_the_write_ahead_log_is_folded_in_once_it_is_large_and_not_before(
    log: EventLog,
    database: SqliteDatabase,
    turn: Turn,
    owner: Actor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log.append([turn("first words")], actor=owner)
    assert b"first words" not in database.path.read_bytes()
    fold_always(monkeypatch)
    log.append([turn("second words")], actor=owner)
    stored = database.path.read_bytes()
    assert b"first words" in stored
    assert b"second words" in stored


def test_what_was_committed_is_not_told_to_have_failed_when_it_cannot_be_folded_in(
    log: EventLog,
    database: SqliteDatabase,
    turn: Turn,
    owner: Actor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(action: int, name: str | None, *_: Any) -> int:
        folding = action == sqlite3.SQLITE_PRAGMA and name == "wal_checkpoint"
        return sqlite3.SQLITE_DENY if folding else sqlite3.SQLITE_OK

    fold_always(monkeypatch)
    driver = writing_driver(database)
    driver.set_authorizer(refuse)
    assert log.append([turn("kept")], actor=owner).first == 1
    assert b"kept" not in database.path.read_bytes()
    driver.set_authorizer(None)
    assert log.append([turn("next")], actor=owner).first == 2
    assert b"kept" in database.path.read_bytes()


def test_an_error_of_the_database_does_not_repeat_what_was_said(
    log: EventLog, database: SqliteDatabase
) -> None:
    row = {"log": log.log, "position": 0, "key": b"secret key", "body": b"secret words"}
    with pytest.raises(exc.IntegrityError) as caught, database.write() as connection:
        connection.execute(insert(payload_table).values(row))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("reason", "kind", "hint"),
    [
        ("database is locked", StorageBusy, "Try again"),
        ("database table is locked", StorageBusy, "Try again"),
        ("database disk image is malformed", StorageDamaged, "log verify"),
        ("file is not a database", StorageDamaged, "log verify"),
        ("no such table: event", StorageDamaged, "log verify"),
        ("Could not decode to UTF-8 column 'leaf'", StorageDamaged, "log verify"),
        ("database or disk is full", StorageUnavailable, "Free space"),
        ("attempt to write a readonly database", StorageUnavailable, "read_only=True"),
        ("disk I/O error", StorageUnavailable, "Check that the path"),
    ],
)
def test_what_a_driver_says_is_translated_with_what_to_do(
    reason: str, kind: type[StorageError], hint: str
) -> None:
    error = storage_error(reason, "/somewhere/memory.db")
    assert type(error) is kind
    assert error.retryable is (kind is StorageBusy)
    assert hint in error.hint
    assert reason in str(error)
    assert "/somewhere/memory.db" in str(error)


def driver_error(said: str) -> exc.DBAPIError:
    return exc.OperationalError("INSERT", None, sqlite3.OperationalError(said))


@pytest.mark.parametrize(
    ("error", "gave_way"),
    [
        (driver_error("database or disk is full"), True),
        (driver_error("disk I/O error"), True),
        (driver_error("database is locked"), True),
        (MemoryError(), True),
        (driver_error("no such table: lexical"), False),
        (driver_error('near "SELEC": syntax error'), False),
        (ValueError("the disk is full"), False),
    ],
    ids=repr,
)
def test_a_database_that_gives_way_is_told_apart_from_a_statement_that_is_wrong(
    error: Exception, gave_way: bool
) -> None:
    assert is_storage_failure(error) is gave_way


def test_the_words_of_a_turn_survive_a_refused_neighbour(
    log: EventLog, database: SqliteDatabase, turn: Turn, owner: Actor
) -> None:
    log.append([turn("here before")], actor=owner)
    limit_pages(database, 1)
    with pytest.raises(StorageUnavailable):
        log.append([turn("x" * 100_000)], actor=owner)
    said = [r.event.text for r in log.read(1) if isinstance(r.event, TurnRecorded)]
    assert said == ["here before"]
