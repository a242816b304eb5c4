"""One SQLite file: its rights, its settings, its locks, and who may use it."""

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

import smriti_es
from smriti_es.events import network_file_systems
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.errors import NotAllowed, StorageBusy, StorageUnavailable
from smriti_es.events.header import Actor
from smriti_es.events.log import EventLog
from smriti_es.events.records import NewEvent
from smriti_es.events.registry import Founding, open_log
from smriti_es.events.verification import verify_log
from smriti_es.migrate import migrate

pytestmark = pytest.mark.sqlite_only("the dialect of SQLite itself")

Turn = Callable[..., NewEvent]
PATIENCE_S = 30
# Opens the file named by the first argument, starts a write and waits there to be told to go on.
HOLD_WRITE = """
import sys
from smriti_es.events.dialect_sqlite import SqliteDatabase
database = SqliteDatabase(sys.argv[1])
with database.write() as connection:
    print("locked", flush=True)
    sys.stdin.readline()
"""


def pragma(database: SqliteDatabase, name: str, *, writing: bool) -> object:
    with database.write() if writing else database.read() as connection:
        return connection.execute(text(f"PRAGMA {name}")).scalar()


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_every_file_of_a_memory_is_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        database = SqliteDatabase(tmp_path / "own.db")
        migrate(database)
        with database.read() as connection, database.exclusive("rebuild"):
            connection.execute(text("SELECT 1"))
            found = {path.name: rights(path) for path in tmp_path.iterdir()}
        database.close()
    finally:
        os.umask(before)
    names = ["own.db", "own.db-lock", "own.db-lock-rebuild", "own.db-shm", "own.db-wal"]
    assert found == dict.fromkeys(names, 0o600)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("journal_mode", "wal"),
        ("synchronous", 2),  # FULL
        ("secure_delete", 1),
        ("foreign_keys", 1),
        ("wal_autocheckpoint", 0),
        ("busy_timeout", 5_000),
    ],
)
def test_the_writer_is_durable_and_leaves_no_deleted_text(
    database: SqliteDatabase, name: str, value: object
) -> None:
    assert pragma(database, name, writing=True) == value


@pytest.mark.parametrize(
    ("name", "value"), [("query_only", 1), ("wal_autocheckpoint", 0), ("busy_timeout", 5_000)]
)
def test_a_reader_neither_writes_nor_checkpoints(
    database: SqliteDatabase, name: str, value: object
) -> None:
    assert pragma(database, name, writing=False) == value


def test_a_reading_connection_cannot_write(database: SqliteDatabase) -> None:
    with pytest.raises(StorageUnavailable, match="readonly"), database.read() as connection:
        connection.execute(text("DELETE FROM event"))


def test_a_read_sees_one_state_however_long_it_lasts(
    log: EventLog, database: SqliteDatabase, turn: Turn, owner: Actor
) -> None:
    count = text("SELECT count(*) FROM event")
    with database.read() as connection:
        before = connection.execute(count).scalar()
        log.append([turn()], actor=owner)
        assert connection.execute(count).scalar() == before == 1


def test_a_write_that_raises_is_undone(log: EventLog, database: SqliteDatabase) -> None:
    with pytest.raises(LookupError), database.write() as connection:
        connection.execute(text("DELETE FROM event"))
        raise LookupError
    assert log.head == 0
    assert verify_log(log).ok


def test_closing_folds_the_write_ahead_log_into_the_file(
    log: EventLog, database: SqliteDatabase, turn: Turn, owner: Actor
) -> None:
    log.append([turn("folded in")], actor=owner)
    list(log.read())
    database.close()
    assert sorted(path.name for path in database.path.parent.iterdir()) == [
        "memory.db",
        "memory.db-lock",
    ]
    assert b"folded in" in database.path.read_bytes()


def test_closing_twice_is_fine_and_using_it_afterwards_is_refused(
    log: EventLog, database: SqliteDatabase, turn: Turn, owner: Actor
) -> None:
    database.close()
    database.close()
    with pytest.raises(StorageUnavailable, match="is closed"):
        log.append([turn()], actor=owner)
    with pytest.raises(StorageUnavailable, match="is closed"):
        assert log.head
    with pytest.raises(StorageUnavailable, match="is closed"), database.held():
        pass
    with pytest.raises(StorageUnavailable, match="is closed"), database.exclusive("rebuild"):
        pass


@pytest.mark.parametrize("use", ["read", "write", "held", "close"])
def test_a_database_used_after_a_fork_refuses_even_while_the_parent_writes(
    database: SqliteDatabase, use: str
) -> None:
    # In an interpreter of its own, since the one of the tests has threads.
    script = """
import os, sys, threading
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.errors import StorageUnavailable
database = SqliteDatabase(sys.argv[1])
entered, leave = threading.Event(), threading.Event()
def hold():
    with database.write():
        entered.set()
        leave.wait(30)
holder = threading.Thread(target=hold)
holder.start()
entered.wait(30)
child = os.fork()
if child == 0:
    try:
        if sys.argv[2] == "close":
            database.close()
            os._exit(7)
        with getattr(database, sys.argv[2])():
            os._exit(1)
    except StorageUnavailable as error:
        os._exit(7 if "fork" in str(error) else 2)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
leave.set()
holder.join()
with database.write():
    sys.exit(status)
"""
    ran = _python(script, str(database.path), use)
    _, complaint = ran.communicate(timeout=PATIENCE_S)
    assert ran.returncode == 7, complaint


def test_reading_only_changes_no_byte_and_makes_no_lock_file(
    log: EventLog, database: SqliteDatabase, turn: Turn, owner: Actor, tmp_path: Path
) -> None:
    log.append([turn("said")], actor=owner)
    database.close()
    (tmp_path / "memory.db-lock").unlink()
    before = database.path.read_bytes()
    reading = SqliteDatabase(database.path, read_only=True)
    migrate(reading, read_only=True)
    assert len(list(open_log(reading, "default", clock=log.clock).read())) == 2
    with pytest.raises(NotAllowed, match="read only"), reading.write():
        pass
    reading.close()
    assert database.path.read_bytes() == before
    assert not (tmp_path / "memory.db-lock").exists()


def test_a_memory_without_a_file_works_and_is_gone_when_it_is_closed(
    turn: Turn, owner: Actor
) -> None:
    database = SqliteDatabase(":memory:")
    migrate(database)
    log = open_log(database, "default", clock=lambda: 1, founding=Founding("UTC", "test"))
    log.append([turn()], actor=owner)
    with database.read() as connection:
        assert len(log.read_rows(0, 9, connection)) == 2
    assert verify_log(log).ok
    assert database.in_memory
    assert not Path(":memory:").exists()
    database.close()
    with pytest.raises(StorageUnavailable, match="is closed"):
        assert log.head


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p"])
def test_a_file_on_a_network_file_system_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    mounts = f"/dev/sda1 / ext4 rw 0 0\nserver:/share {tmp_path}/my\\040share {kind} rw 0 0\n"
    (tmp_path / "mounts").write_text(mounts)
    monkeypatch.setattr(network_file_systems, "_MOUNTS", tmp_path / "mounts")
    with pytest.raises(StorageUnavailable, match=f"network file system \\({kind}\\)"):
        SqliteDatabase(tmp_path / "my share" / "memory.db")
    SqliteDatabase(tmp_path / "memory.db").close()
    (tmp_path / "link.db").symlink_to(tmp_path / "my share" / "memory.db")
    with pytest.raises(StorageUnavailable, match="network file system"):
        SqliteDatabase(tmp_path / "link.db")


def test_without_a_list_of_mounts_the_file_is_taken_to_be_local(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network_file_systems, "_MOUNTS", tmp_path / "absent")
    SqliteDatabase(tmp_path / "memory.db").close()
    assert (tmp_path / "memory.db").is_file()


def test_every_name_of_a_file_leads_to_the_same_lock(tmp_path: Path, empty_memory: bytes) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "memory.db").write_bytes(empty_memory)
    (tmp_path / "link.db").symlink_to(tmp_path / "real" / "memory.db")
    linked = SqliteDatabase(tmp_path / "link.db", busy_timeout_ms=1)
    real = SqliteDatabase(tmp_path / "real" / "memory.db", busy_timeout_ms=1)
    with real.write(), pytest.raises(StorageBusy), linked.write():
        pass
    with linked.write():
        assert (tmp_path / "real" / "memory.db-wal").exists()
    assert [path.name for path in tmp_path.glob("link.db*")] == ["link.db"]
    real.close()
    linked.close()


def test_a_write_while_another_process_writes_is_refused_as_busy_and_may_be_repeated(
    log: EventLog, database: SqliteDatabase, turn: Turn, owner: Actor
) -> None:
    impatient = SqliteDatabase(database.path, busy_timeout_ms=1)
    waiting = EventLog(impatient, log.log, log.log_id, log.clock)
    holder = _python(HOLD_WRITE, str(database.path))
    assert holder.stdout is not None
    assert holder.stdout.readline() == "locked\n"
    with pytest.raises(StorageBusy, match="1 ms") as caught:
        waiting.append([turn()], actor=owner)
    assert caught.value.retryable
    assert waiting.head == 0
    holder.communicate("\n", timeout=PATIENCE_S)
    assert waiting.append([turn()], actor=owner).first == 1
    impatient.close()


def test_a_program_that_locks_the_file_without_our_lock_makes_it_busy_too(
    log: EventLog, database: SqliteDatabase, turn: Turn, owner: Actor
) -> None:
    impatient = SqliteDatabase(database.path, busy_timeout_ms=1)
    waiting = EventLog(impatient, log.log, log.log_id, log.clock)
    with closing(sqlite3.connect(database.path, isolation_level=None)) as stranger:
        stranger.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageBusy):
            waiting.append([turn()], actor=owner)
    assert waiting.append([turn()], actor=owner).first == 1
    impatient.close()


def test_a_long_task_is_claimed_by_one_at_a_time(database: SqliteDatabase) -> None:
    other = SqliteDatabase(database.path)
    with database.exclusive("rebuild") as won, other.exclusive("rebuild") as lost:
        assert (won, lost) == (True, False)
        with database.exclusive("rebuild") as again, other.exclusive("sweep") as another:
            assert (again, another) == (False, True)
    with other.exclusive("rebuild") as free:
        assert free
    other.close()


def test_a_held_database_keeps_the_writers_of_other_connections_out(
    database: SqliteDatabase,
) -> None:
    other = SqliteDatabase(database.path, busy_timeout_ms=1)
    with database.held():
        with database.write() as connection:
            assert connection.in_transaction()
        with pytest.raises(StorageBusy), other.write():
            pass
    with other.write():
        pass
    other.close()


def test_threads_take_turns_at_writing(log: EventLog, database: SqliteDatabase) -> None:
    inside, most = [], []
    ready = threading.Barrier(4)

    def write() -> None:
        ready.wait(PATIENCE_S)
        for _ in range(20):
            with database.write():
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert most == [1] * 80


def test_a_file_that_a_crash_left_half_made_is_opened(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "half.db", isolation_level=None)) as making:
        making.execute("PRAGMA cache_size=1")
        making.execute("BEGIN")
        making.execute("CREATE TABLE half (made)")
        making.executemany("INSERT INTO half VALUES (zeroblob(4000))", [()] * 20)
        # What is on the disk in the middle of a transaction: its pages, and how to take them back.
        for beside in ("", "-journal"):
            left = (tmp_path / f"half.db{beside}").read_bytes()
            assert left
            (tmp_path / f"own.db{beside}").write_bytes(left)
    database = SqliteDatabase(tmp_path / "own.db")
    migrate(database)
    with database.read() as connection:
        tables = set(connection.scalars(text("SELECT name FROM sqlite_master")))
    assert "event" in tables
    assert "half" not in tables
    database.close()


def _python(script: str, *arguments: str) -> subprocess.Popen[str]:
    found_in = str(Path(smriti_es.__file__).parents[1])
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        env={**os.environ, "PYTHONPATH": found_in},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
