"""The log on PostgreSQL: locks, snapshots, timeouts, connections that break.

The head row of a log is the lock that its correctness rests on. Beside it two tables serve as
gates, locked in modes that a reader of rows does not notice: whoever writes to one log shares the
gate of the writers, and what concerns every log (a migration, a new tenant, tables that come and
go) has it alone; every reader shares the gate of the readers, and tables are dropped only by who
has it alone. Nothing of this needs a sequence or NOTIFY. Source: design pages on events,
"Appending", and on scale.
"""

import copy
import os
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import psycopg
from sqlalchemy import Connection, Engine, RootTransaction, create_engine, event, exc
from sqlalchemy.engine import URL

from smriti_es.events.database import BUSY_TIMEOUT_MS, Database, translated_errors
from smriti_es.events.errors import (
    NotAllowed,
    SchemaNewer,
    StorageUnavailable,
)
from smriti_es.events.local_state import state_folder
from smriti_es.events.postgres_connection import (
    PAUSE_S,
    driver_of,
    parsed,
    patiently,
    run,
    told,
    version_text,
)
from smriti_es.events.postgres_rows import naming
from smriti_es.events.postgres_scrub import (
    ELSEWHERE,
    MAIN_PLACE,
    await_readers,
    of_others,
    search_files,
    write_anew,
)
from smriti_es.events.postgres_text import carry_every_text
from smriti_es.events.postgres_types import DRIVER, READERS_GATE, ROWS_ARE_GUARDED
from smriti_es.events.searched import Searched
from smriti_es.events.server_errors import code_of, may_be_repeated, reason_of, server_error

VERSION_MIN: Final = 150_000
# Of one process; idle ones are kept, up to the first number.
CONNECTIONS_KEPT: Final = 4
CONNECTIONS_MORE: Final = 28
_CONNECT_S: Final = 10
# A transaction of ours that does nothing for so long has lost whoever began it.
_IDLE_MS: Final = 600_000
# How long a server that was there may stay away, as in a restart, seconds.
_RESTART_S: Final = 20.0
# For how long a transaction from before is waited for, whose rows tables written anew would keep.
_COMPACT_WAIT_S: Final = 5.0
_CLAIM_POLL_S: Final = 0.02
_WRITERS: Final = "smriti_es_schema"
# The first of the two numbers of every advisory lock of ours.
_OURS: Final = 0x5E5
_CREATING: Final = 0
_SHARE_READERS: Final = f"LOCK TABLE {READERS_GATE} IN ACCESS SHARE MODE"
_CLOSE_WRITERS: Final = f"LOCK TABLE {_WRITERS} IN EXCLUSIVE MODE"
_SNAPSHOT: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_SIZE: Final = (
    "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class"
    " WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace"
)
# Locked first and read afterwards: each statement sees what was committed before it.
_IS_GUARDED: Final = "SELECT coalesce(row_security_active(to_regclass('event')), false)"
_NUMBER: Final = (
    "SELECT pg_current_xact_id()::text || ' '"
    " || coalesce(row_security_active(to_regclass('event')), false)::text"
)
_WRITE: Final = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"


class PostgresDatabase(Database):
    """A database on a PostgreSQL server, reached with psycopg.

    Args:
        url: `postgresql+psycopg://user@host/database`; further parameters are those of libpq.
        read_only: Never write, lock or migrate.
        busy_timeout_ms: How long to wait for another writer before `StorageBusy`.

    Raises:
        InvalidInput: The URL cannot be read.
        StorageUnavailable: The server cannot be reached, or is too old.
    """

    def __init__(
        self, url: str | URL, *, read_only: bool = False, busy_timeout_ms: int = BUSY_TIMEOUT_MS
    ) -> None:
        self._url = parsed(url)
        self.read_only = read_only
        self.newer = ""
        self._busy_timeout_ms = busy_timeout_ms
        self._process = os.getpid()
        self._closed = threading.Event()
        # The log that its transactions see where the server keeps logs apart; None: every one.
        self._log: int | None = None
        self._held = threading.local()
        self._engine = self._made_engine()
        self._server = ""
        # Whether there is a schema, whose tables are the gates.
        self._has_gates = False
        with translated_errors(self.location), self._connected(patience_s=0.0) as connection:
            version = driver_of(connection).info.server_version
            self._server = version_text(version)
        if version < VERSION_MIN:
            self.close()
            raise StorageUnavailable(
                f"{self.location} runs PostgreSQL {self._server}",
                hint=f"It takes {version_text(VERSION_MIN)} or newer.",
            )

    @property
    def location(self) -> str:
        """Host and name of the database; no user, no password."""
        host = self._url.host or self._url.query.get("host") or "local"
        port = f":{self._url.port}" if self._url.port else ""
        return f"postgresql://{host}{port}/{self._url.database or ''}"

    @property
    def product(self) -> str:
        """PostgreSQL with its version."""
        return f"PostgreSQL {self._server}"

    def of(self, log: int | None) -> "PostgresDatabase":
        """Give this database as it is for one log (see `Database.of`), on the same connections."""
        view = copy.copy(self)
        view._log = log
        return view

    @contextmanager
    def write(self, log: int | None = None) -> Iterator[Connection]:
        """Open a write transaction (see `Database.write`).

        A server that goes away while it commits is asked afterwards whether it did: what is
        acknowledged is there, and what is reported as failed is not.

        Raises:
            NotAllowed: The database was opened to read only.
            SchemaNewer: It can only be read, since a later release wrote to it.
            StorageBusy: Another writer held the lock for longer than the busy timeout.
        """
        if self.newer:
            raise SchemaNewer(f"{self.location} can only be read by this release: {self.newer}")
        if self.read_only:
            raise NotAllowed(
                f"{self.location} was opened to read only", hint="Open it without read_only."
            )
        with (
            translated_errors(self.location),
            self._connected() as connection,
            connection.begin() as transaction,
        ):
            number = self._entered(connection, log)
            yield connection
            self._commit(transaction, number)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a snapshot (see `Database.read`); the tables it knows stay until it ends."""
        with translated_errors(self.location), self._connected() as connection:
            gate = (_SHARE_READERS,) if self._gates(connection) else ()
            with connection.begin() as transaction:
                run(connection, _SNAPSHOT, naming(self._log), *gate)
                yield connection
                transaction.rollback()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep every other writer out (see `Database.held`)."""
        if getattr(self._held, "by_this_thread", False):
            yield
            return
        with translated_errors(self.location), self._connected() as connection, connection.begin():
            run(connection, _WRITE, _CLOSE_WRITERS)
            self._held.by_this_thread = True
            try:
                yield
            finally:
                self._held.by_this_thread = False
            # A connection that was lost meanwhile has kept nobody out.
            connection.exec_driver_sql("SELECT 1")

    @contextmanager
    def exclusive(self, purpose: str, *, wait_s: float = 0.0) -> Iterator[bool]:
        """Claim a long task (see `Database.exclusive`); the server lets go of who goes away."""
        claim = f"({_OURS}, {zlib.crc32(purpose.encode()) & 0x7FFFFFFF})"
        with translated_errors(self.location), self._connected() as connection:
            until = time.monotonic() + wait_s
            while not run(connection, f"SELECT pg_try_advisory_lock{claim}"):
                if time.monotonic() >= until:
                    yield False
                    return
                time.sleep(_CLAIM_POLL_S)
            try:
                yield True
            finally:
                with suppress(exc.DBAPIError):  # a connection that is gone has let go already
                    run(connection, f"SELECT pg_advisory_unlock{claim}")

    @contextmanager
    def creating(self) -> Iterator[Connection]:
        """Open a write transaction in which the schema may be created or changed."""
        with translated_errors(self.location), self._connected() as connection, connection.begin():
            run(connection, _WRITE, f"SELECT pg_advisory_xact_lock({_OURS}, {_CREATING})")
            if self._gates(connection):
                run(connection, _CLOSE_WRITERS)
            connection.info[ROWS_ARE_GUARDED] = run(connection, naming(None), _IS_GUARDED)
            yield connection

    def may_repeat(self, error: Exception) -> bool:
        """Tell whether a write transaction may be repeated (see `Database.may_repeat`)."""
        return may_be_repeated(error)

    def self_check(self) -> str | None:
        """Tell nothing: the server has its own means, as pg_amcheck (see `Database.self_check`)."""
        return None

    def scrub(self, *, wait_s: float) -> str | None:
        """Wait for whoever reads a state from before (see `Database.scrub`)."""
        with self._without_transaction() as driver:
            if await_readers(driver, wait_s):
                return None
        return f"{MAIN_PLACE}: somebody is reading what was before"

    def compact(self) -> str | None:
        """Write the tables anew (see `Database.compact`); they are locked one after the other."""
        with self._without_transaction() as driver:
            if kept := of_others(driver):
                return f"{MAIN_PLACE}: {', '.join(kept)}: only the owner can write them anew"
            if not await_readers(driver, _COMPACT_WAIT_S):
                return f"{MAIN_PLACE}: somebody is reading what was before"
            left = write_anew(driver)
        return f"{MAIN_PLACE}: somebody is reading {', '.join(left)}" if left else None

    def search(self, pieces: Sequence[bytes]) -> Iterator[Searched]:
        """Search the server's files, if the role may (see `Database.search`)."""
        with self._without_transaction() as driver:
            yield from search_files(driver, pieces)

    @contextmanager
    def _without_transaction(self) -> Iterator["psycopg.Connection[Any]"]:
        with translated_errors(self.location), self._connected() as connection:
            try:
                yield driver_of(connection)
            except psycopg.Error as error:
                raise told(error, connection) from error

    @property
    def main_place(self) -> str:
        """What is searched (see `Database.main_place`)."""
        return MAIN_PLACE

    @property
    def elsewhere(self) -> Sequence[str]:
        """What a server keeps that no connection can reach (see `Database.elsewhere`)."""
        return ELSEWHERE

    @property
    def size_bytes(self) -> int:
        """The sizes of the tables with their indexes (see `Database.size_bytes`)."""
        with translated_errors(self.location), self._connected() as connection:
            return int(run(connection, _SIZE))

    def close(self) -> None:
        """Close every connection."""
        if os.getpid() == self._process and not self._closed.is_set():
            self._closed.set()
            self._engine.dispose()

    def beside(self, name: str) -> Path | None:
        """Give where a file of ours lies on this machine (see `Database.beside`)."""
        return state_folder() / name

    def graph_path(self, log: int) -> Path | None:
        """Keep graphs in memory only: a file of a host could not be scrubbed from another."""
        del log
        return None

    def _made_engine(self) -> Engine:
        # What a statement carries is somebody's words or a key: an error must not repeat it.
        engine = create_engine(
            self._url.set(drivername=DRIVER),
            pool_size=CONNECTIONS_KEPT,
            max_overflow=CONNECTIONS_MORE,
            pool_pre_ping=True,
            pool_timeout=self._busy_timeout_ms / 1000,
            hide_parameters=True,
            connect_args={
                "autocommit": True,  # the statement that begins a transaction is ours
                "application_name": "smriti-es",
                "connect_timeout": _CONNECT_S,
            },
        )
        event.listen(engine, "connect", self._prepare_connection)
        return engine

    def _prepare_connection(self, driver: Any, _: Any) -> None:
        carry_every_text(driver)
        driver.execute(
            f"SET lock_timeout = {self._busy_timeout_ms};"
            f"SET idle_in_transaction_session_timeout = {_IDLE_MS};"
            "SET client_encoding = 'UTF8';"
            "SET TIME ZONE 'UTC';"
            # What is acknowledged must survive the server; one that keeps copies may do more.
            "SELECT set_config('synchronous_commit', 'on', false)"
            " WHERE current_setting('synchronous_commit') = 'off'",
            prepare=False,
        )

    @contextmanager
    def _connected(self, *, patience_s: float | None = None) -> Iterator[Connection]:
        """Take a connection out of the pool, waiting for a server that is being restarted.

        Raises:
            StorageUnavailable: It does not come back; nothing is tried again after that.
        """
        self._assert_usable()
        try:
            connection = patiently(
                self._engine.connect, _RESTART_S if patience_s is None else patience_s
            )
        except exc.OperationalError as error:
            raise server_error(code_of(error) or "", reason_of(error), self.location) from None
        with connection:
            # SQLAlchemy's own bookkeeping of transactions begins with the first statement.
            yield connection

    def _gates(self, connection: Connection) -> bool:
        if not self._has_gates:
            found = run(connection, f"SELECT to_regclass('{_WRITERS}')")
            self._has_gates = found is not None
        return self._has_gates

    def _entered(self, connection: Connection, log: int | None) -> str:
        """Begin, pass the gate of the writers, lock the log; gives the transaction's number."""
        steps = [_WRITE, naming(self._log)]
        if not getattr(self._held, "by_this_thread", False):
            mode = "EXCLUSIVE" if log is None else "ROW SHARE"
            steps.append(f"LOCK TABLE {_WRITERS} IN {mode} MODE")
        if log is not None:
            steps.append(f"SELECT FROM log WHERE log = {int(log)} FOR UPDATE")
        number, guarded = str(run(connection, *steps, _NUMBER)).split()
        connection.info[ROWS_ARE_GUARDED] = guarded == "true"
        return number

    def _commit(self, transaction: RootTransaction, number: str) -> None:
        try:
            transaction.commit()
        except exc.DBAPIError as error:
            if not error.connection_invalidated or not self._was_committed(number):
                raise

    def _was_committed(self, number: str) -> bool:
        """Ask the server what became of a transaction whose end was not heard of.

        Raises:
            StorageUnavailable: It does not come back to answer.
        """
        until = time.monotonic() + _RESTART_S
        while time.monotonic() < until:
            try:
                with self._connected(patience_s=0.0) as connection:
                    status = run(connection, f"SELECT pg_xact_status('{number}'::xid8)")
            except (exc.DBAPIError, StorageUnavailable):
                status = "in progress"
            if status != "in progress":
                return bool(status == "committed")
            time.sleep(PAUSE_S)
        raise StorageUnavailable(
            f"{self.location} went away during a commit and does not come back",
            hint="Whether it was written cannot be told: look, or repeat it with the same "
            "idempotency key.",
        )

    def _assert_usable(self) -> None:
        if self._closed.is_set():
            raise StorageUnavailable(f"{self.location} is closed", hint="Open it again.")
        if os.getpid() != self._process:
            raise StorageUnavailable(
                f"{self.location} was opened before a fork",
                hint="Open the memory in the child process; a connection cannot be shared.",
            )
