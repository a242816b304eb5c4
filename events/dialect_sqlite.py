"""The log on one SQLite file: locks, pragmas, snapshots, checkpoints of the write-ahead log.

One lock file orders every write and every checkpoint over all processes, because SQLite before
3.51.3 can damage a write-ahead log when two connections write and checkpoint at once
(https://sqlite.org/wal.html).
"""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import quote

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool, StaticPool

from smriti_es.events.database import (
    BUSY_TIMEOUT_MS,
    MAKE_WRITABLE,
    Database,
    storage_error,
    translated_errors,
)
from smriti_es.events.errors import (
    NotAllowed,
    SchemaNewer,
    StorageBusy,
    StorageDamaged,
    StorageUnavailable,
)
from smriti_es.events.network_file_systems import refuse_network_file_system
from smriti_es.events.process_lock import ProcessLock
from smriti_es.events.searched import Searched
from smriti_es.events.sqlite_files import create_private, identity_of
from smriti_es.events.sqlite_scrub import cut_off, files_beside, search_file

# The write-ahead log is folded into the file when it is large (about a thousand pages) and has
# grown by this many rows since: the size alone would not do, for SQLite reuses the log without
# shrinking it.
CHECKPOINT_BYTES: Final = 4 * 1024 * 1024
CHECKPOINT_ROWS: Final = 4_000
# The pause between two tries for the lock file, seconds: well below the cost of one flush.
_LOCK_POLL_S: Final = 0.0005


class SqliteDatabase(Database):
    """One SQLite file, or a private database in memory.

    Args:
        path: The file; `:memory:` for one that lives as long as this object.
        read_only: Never write, lock or migrate.
        busy_timeout_ms: How long to wait for another process before `StorageBusy`.

    Raises:
        StorageUnavailable: The file cannot be opened, or lies on a network file system.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        read_only: bool = False,
        busy_timeout_ms: int = BUSY_TIMEOUT_MS,
    ) -> None:
        self._memory = os.fspath(path) == ":memory:"
        # Links are followed, so that every name of the file leads to one lock file beside it.
        self.path = Path(":memory:") if self._memory else Path(path).resolve()
        self.read_only = read_only
        # What a later release has put there: it may be read here, and not be written.
        self.newer = ""
        self._busy_timeout_ms = busy_timeout_ms
        self._process = os.getpid()
        self._closed = False
        self._identity: tuple[int, int] | None = None
        self._mutex = threading.RLock()
        self._lock: ProcessLock | None = None
        if not self._memory:
            refuse_network_file_system(self.path)
            if not read_only:
                create_private(self.path)
                self._identity = identity_of(self.location)
                self._lock = ProcessLock(self.path.with_name(f"{self.path.name}-lock"))
        self._writers = self._engine(self._connect_writer, pool=StaticPool)
        self._readers = (
            self._writers if self._memory else self._engine(self._connect_reader, pool=QueuePool)
        )
        self._writer: Connection | None = None
        self._rows_at_checkpoint = 0
        self._claims: dict[str, threading.Lock] = {}
        self._claims_door = threading.Lock()

    @property
    def location(self) -> str:
        """The path of the file."""
        return str(self.path)

    @property
    def in_memory(self) -> bool:
        """Whether there is no file at all."""
        return self._memory

    @contextmanager
    def write(self, log: int | None = None) -> Iterator[Connection]:
        """Open the write transaction (see `Database.write`).

        Raises:
            NotAllowed: The database was opened to read only.
            SchemaNewer: It can only be read, since a later release wrote to it.
            StorageBusy: Another process held the lock for longer than the busy timeout.
        """
        del log  # the file has one lock for all
        if self.newer:
            raise SchemaNewer(f"{self.location} can only be read by this release: {self.newer}")
        if self.read_only:
            raise NotAllowed(
                f"{self.location} was opened to read only", hint="Open it without read_only."
            )
        self._assert_usable()
        with translated_errors(self.location), self._mutex, self._locked():
            connection = self._writing_connection()
            try:
                with connection.begin():
                    yield connection
            except BaseException:
                # SQLAlchemy forgets a transaction whose COMMIT failed; SQLite keeps it open.
                if not connection.in_transaction():
                    _driver(connection).rollback()
                raise
            self._checkpoint_when_large(connection)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a snapshot (see `Database.read`)."""
        self._assert_usable()
        if self._memory:
            # The one connection serves both, so a reader waits for the writer to be done.
            with self._mutex, translated_errors(self.location):
                connection = self._writing_connection()
                if connection.in_transaction():
                    yield connection
                else:
                    with connection.begin():
                        yield connection
            return
        with translated_errors(self.location), self._readers.connect() as connection:
            # Rolled back when it is closed: a COMMIT would fail once more over damage that was met
            # and dealt with inside.
            connection.begin()
            yield connection

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep every other writer out (see `Database.held`)."""
        self._assert_usable()
        with self._mutex, self._locked():
            yield

    @contextmanager
    def exclusive(self, purpose: str, *, wait_s: float = 0.0) -> Iterator[bool]:
        """Claim a long task for this process (see `Database.exclusive`)."""
        self._assert_usable()
        with self._claims_door:
            within = self._claims.setdefault(purpose, threading.Lock())
        # First among the threads here, then among processes: a file lock does not part threads.
        if not within.acquire(timeout=wait_s):
            yield False
            return
        try:
            if self._memory:
                yield True
                return
            among = FileLock(f"{self.path}-lock-{purpose}", mode=0o600, thread_local=False)
            try:
                among.acquire(timeout=wait_s, poll_interval=_LOCK_POLL_S)
            except Timeout:
                yield False
                return
            try:
                yield True
            finally:
                among.release()
        finally:
            within.release()

    def creating(self) -> AbstractContextManager[Connection]:
        """Open a write transaction for the schema (see `Database.creating`)."""
        return self.write()

    def self_check(self) -> str | None:
        """Run SQLite's integrity check over every page and index (see `Database.self_check`)."""
        try:
            with self.read() as connection:
                # Told to stop at the first: after it, reading on may fail and lose what was found.
                found = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar_one()
        except StorageDamaged as error:
            return str(error)
        return None if found == "ok" else str(found).partition("***\n")[2] or str(found)

    def scrub(self, *, wait_s: float) -> str | None:
        """Cut the write-ahead log off (see `Database.scrub`)."""
        if self._memory:
            return None
        with translated_errors(self.location), self._mutex, self._locked():
            if cut_off(_driver(self._writing_connection()), wait_s):
                return None
        return f"{self.path.name}-wal: somebody is reading what was before"

    def compact(self) -> str | None:
        """Write the file anew (see `Database.compact`)."""
        if not self._memory:
            with translated_errors(self.location), self._mutex, self._locked():
                _driver(self._writing_connection()).execute("VACUUM")
        return None

    def search(self, pieces: Sequence[bytes]) -> Iterator[Searched]:
        """Search the file and those beside it (see `Database.search`)."""
        return (search_file(path, pieces) for path in self._files())

    def _files(self) -> list[Path]:
        return [] if self._memory else files_beside(self.path)

    @property
    def main_place(self) -> str:
        """The name of the file (see `Database.main_place`)."""
        return "" if self._memory else self.path.name

    @property
    def elsewhere(self) -> Sequence[str]:
        """What no process can reach (see `Database.elsewhere`)."""
        return ("backups, exports and disk blocks",)

    def beside(self, name: str) -> Path | None:
        """Give where a file of ours lies (see `Database.beside`): in the same folder."""
        return None if self._memory else self.path.with_name(f"{self.path.name}-{name}")

    def graph_path(self, log: int) -> Path | None:
        """Give where the graph of a log's vectors is kept (see `Database.graph_path`)."""
        return self.beside(f"vectors-{log}.hnsw")

    @property
    def product(self) -> str:
        """SQLite with its version."""
        return f"SQLite {sqlite3.sqlite_version}"

    @property
    def size_bytes(self) -> int:
        """The sizes of the file and of all beside it (see `Database.size_bytes`)."""
        return sum(each.stat().st_size for each in self._files())

    def close(self) -> None:
        """Fold the write-ahead log into the file and close every connection."""
        if os.getpid() != self._process:
            return  # all of it is the parent's, and its locks may be held for ever here
        with self._mutex:
            if self._closed:
                return
            self._closed = True
            # The writer goes last: SQLite folds the write-ahead log in when the last connection
            # closes, and one that only reads cannot.
            if self._readers is not self._writers:
                self._readers.dispose()
            if self._writer is not None:
                with translated_errors(self.location), self._locked():
                    self._writer.close()
                    self._writers.dispose()
            if self._lock is not None:
                self._lock.close()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        if self._lock is None:
            yield
            return
        try:
            won = self._lock.acquire(self._busy_timeout_ms / 1000)
        except OSError as error:
            raise StorageUnavailable(
                f"the lock file {self._lock.path} cannot be used: {error.strerror}",
                hint=MAKE_WRITABLE,
            ) from error
        if not won:
            raise StorageBusy(
                f"{self.location} stayed locked by another process for {self._busy_timeout_ms} ms"
            )
        try:
            yield
        finally:
            self._lock.release()

    def _writing_connection(self) -> Connection:
        self._assert_usable()
        self._assert_in_place()
        if self._writer is None:
            self._writer = self._writers.connect()
        return self._writer

    def _assert_in_place(self) -> None:
        """Refuse to write to a file that can be reached by its path no more: all of it would go."""
        if self._identity is None or self._identity == (found := identity_of(self.location)):
            return
        what = "is gone" if found is None else "is another file now"
        raise StorageUnavailable(
            f"{self.location} {what}: it was moved or deleted while it was open",
            hint="Put the file back, or open the memory again; nothing was written.",
        )

    def _assert_usable(self) -> None:
        if self._closed:
            raise StorageUnavailable(f"{self.location} is closed", hint="Open it again.")
        if os.getpid() != self._process:
            raise StorageUnavailable(
                f"{self.location} was opened before a fork",
                hint="Open the memory in the child process; a connection cannot be shared.",
            )

    def _checkpoint_when_large(self, connection: Connection) -> None:
        # Past SQLAlchemy, which would open a transaction: inside one nothing can be checkpointed.
        driver = _driver(connection)
        if self._memory or driver.total_changes - self._rows_at_checkpoint < CHECKPOINT_ROWS:
            return
        if os.stat(f"{self.path}-wal").st_size >= CHECKPOINT_BYTES:
            # What was committed is safe in the write-ahead log; a full disk here must not tell the
            # caller otherwise. The next one tries again.
            with suppress(sqlite3.DatabaseError):
                driver.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
                self._rows_at_checkpoint = driver.total_changes

    def _engine(self, connect: Callable[[], sqlite3.Connection], *, pool: Any) -> Engine:
        options = {"pool_size": 16, "max_overflow": 64} if pool is QueuePool else {}
        # What a statement carries is somebody's words or a key: an error must not repeat it.
        engine = create_engine(
            "sqlite+pysqlite://", creator=connect, poolclass=pool, hide_parameters=True, **options
        )
        begin = "BEGIN IMMEDIATE" if connect == self._connect_writer else "BEGIN"
        # The driver's own transaction handling begins too late; the statement is ours instead.
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin))
        return engine

    def _connect_writer(self) -> sqlite3.Connection:
        return self._connect(
            self.location,
            "journal_mode=WAL",
            # With NORMAL a power cut loses acknowledged events.
            "synchronous=FULL",
            "secure_delete=ON",
            "foreign_keys=ON",
            "cache_size=-65536",
            "temp_store=MEMORY",
        )

    def _connect_reader(self) -> sqlite3.Connection:
        if not self.read_only and os.path.exists(f"{self.path}-journal"):
            # A crash while the file was made left it half: only who writes can roll that back.
            with self._mutex, self._locked():
                self._writing_connection()
        source = f"file:{quote(self.location)}?mode=ro"
        return self._connect(source, "query_only=ON", "cache_size=-32768")

    def _connect(self, source: str, *pragmas: str) -> sqlite3.Connection:
        connection = None
        try:
            connection = sqlite3.connect(
                source,
                uri=source.startswith("file:"),
                timeout=self._busy_timeout_ms / 1000,
                isolation_level=None,
                check_same_thread=False,
            )
            for pragma in (f"busy_timeout={self._busy_timeout_ms}", *pragmas):
                connection.execute(f"PRAGMA {pragma}")
            connection.execute("PRAGMA wal_autocheckpoint=0")
        except sqlite3.DatabaseError as error:
            if connection is not None:
                connection.close()
            raise storage_error(str(error), self.location) from error
        return connection


def _driver(connection: Connection) -> sqlite3.Connection:
    return cast(sqlite3.Connection, connection.connection.driver_connection)
