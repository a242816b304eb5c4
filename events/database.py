"""What the log needs of a database, whichever it is."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from sqlalchemy import Connection, Executable, Table, exc, insert
from sqlalchemy.engine.interfaces import Dialect

from smriti_es.events.errors import (
    IntegrityError,
    StorageBusy,
    StorageDamaged,
    StorageError,
    StorageUnavailable,
)
from smriti_es.events.searched import Searched
from smriti_es.events.server_errors import (
    code_of,
    gave_way,
    is_damage,
    reason_of,
    server_error,
)

T = TypeVar("T")
# How long to wait for another process before `StorageBusy`.
BUSY_TIMEOUT_MS: Final = 30_000


class Database(ABC):
    """One database: write transactions that exclude each other, and any number of readers.

    Attributes:
        read_only: Never written, locked or migrated.
        newer: What a later release has put there, so that it may only be read; empty: nothing.
    """

    read_only: bool
    newer: str

    @abstractmethod
    def write(self, log: int | None = None) -> AbstractContextManager[Connection]:
        """Open a write transaction, durable once left.

        Args:
            log: The one log that is written to, by its number, so that others may be written at the
                same time where the database can do that; None: nobody else writes anything, over
                all processes.
        """

    def of(self, log: int | None) -> "Database":  # noqa: ARG002
        """Give this database as one log sees it, if the server keeps logs apart; None: as all."""
        return self

    @abstractmethod
    def read(self) -> AbstractContextManager[Connection]:
        """Open a snapshot: whatever is read inside belongs to one state of the database."""

    @abstractmethod
    def held(self) -> AbstractContextManager[None]:
        """Keep every other writer out, over several transactions of this thread."""

    @abstractmethod
    def exclusive(self, purpose: str, *, wait_s: float = 0.0) -> AbstractContextManager[bool]:
        """Claim a long task for this process, so that no two do it at once.

        Args:
            purpose: Name of the task: lower-case letters, digits and dashes.
            wait_s: Seconds to wait for whoever has it.

        Yields:
            Whether the claim was won; it ends with the block, also when the process is killed.
        """

    @abstractmethod
    def creating(self) -> AbstractContextManager[Connection]:
        """Open a write transaction in which the schema may be created or changed."""

    def may_repeat(self, error: Exception) -> bool:
        """Tell whether a write transaction that failed wrote nothing and may go well now."""
        del error
        return False

    @abstractmethod
    def self_check(self) -> str | None:
        """Let the database look through its own storage.

        Returns:
            The first damage it finds, in its own words; None when there is none, or when it cannot
            tell.
        """

    @abstractmethod
    def scrub(self, *, wait_s: float) -> str | None:
        """Let nothing that was deleted stay in a file that only keeps it for a while.

        Args:
            wait_s: How long to wait for whoever still reads what was before, seconds.

        Returns:
            What could not be reached and why; None when nothing is left.
        """

    @abstractmethod
    def compact(self) -> str | None:
        """Write the storage anew without the pages that nothing uses, and what lay in them.

        Returns:
            What could not be written anew and why; None when all of it was.
        """

    @abstractmethod
    def search(self, pieces: Sequence[bytes]) -> Iterator[Searched]:
        """Look for pieces of content in each place that the data may lie in, past the tables."""

    @property
    @abstractmethod
    def main_place(self) -> str:
        """What the place is called in which the data lies; empty where there is none."""

    @property
    @abstractmethod
    def elsewhere(self) -> Sequence[str]:
        """Where else content may lie that no process can reach through this database."""

    @abstractmethod
    def beside(self, name: str) -> Path | None:
        """Give where a file of ours that belongs to this database lies on this machine.

        Args:
            name: What it is, with the log that it is about.

        Returns:
            Its path, whether or not it is there; None for a database that nothing is kept beside.
        """

    @abstractmethod
    def close(self) -> None:
        """Give everything back; further use raises `StorageUnavailable`."""

    @abstractmethod
    def graph_path(self, log: int) -> Path | None:
        """Give where the graph of a log's vectors is kept; None: in memory only."""

    @property
    @abstractmethod
    def location(self) -> str:
        """Where the data lies, for people; without credentials."""

    @property
    @abstractmethod
    def product(self) -> str:
        """What keeps the data, with its version, for people."""

    @property
    @abstractmethod
    def size_bytes(self) -> int:
        """How much the data takes, with whatever is kept beside it."""


@contextmanager
def translated_errors(location: str) -> Iterator[None]:
    """Turn what a driver raises into the errors of this library."""
    try:
        yield
    except exc.DBAPIError as error:
        own = own_error(error, location)
        if own is error:
            raise
        raise own from error
    except UnicodeDecodeError as error:
        # The driver reads names and messages as UTF-8, whatever stands there.
        raise storage_error(f"could not decode {error.object[:40]!r}", location) from error


def own_error(error: Exception, location: str) -> Exception:
    """Give the error of this library for what a driver raised; any other error as it is."""
    # A row that contradicts another is for whoever wrote it to explain.
    if not isinstance(error, exc.DBAPIError) or isinstance(error, exc.IntegrityError):
        return error
    if (code := code_of(error)) is not None:
        return server_error(code, reason_of(error), location)
    return storage_error(_reason(error), location)


def is_storage_failure(error: BaseException) -> bool:
    """Tell whether the database gave way (disk full, lock held), and not what it was asked to do.

    Nothing of the transaction is safe then, and nobody's work is to blame.
    """
    if not isinstance(error, exc.DBAPIError):
        return isinstance(error, MemoryError)
    if (code := code_of(error)) is not None:
        return gave_way(code)
    said = _reason(error).lower()
    return any(sign in said for sign in ("full", "i/o error", "locked", "busy"))


def _reason(error: exc.DBAPIError) -> str:
    """Say what the driver said, or what it had said before the savepoint was lost over it."""
    reason, before = str(error.orig), error.__context__
    while "no such savepoint" in reason and before is not None:
        if isinstance(before, exc.DBAPIError):
            reason = str(before.orig)
        before = before.__context__
    return reason


@contextmanager
def rows_are_new(what: str) -> Iterator[None]:
    """Insert rows that only a damaged database can hold already.

    Raises:
        IntegrityError: A row is there already.
    """
    try:
        yield
    except exc.IntegrityError as error:
        raise IntegrityError(f"{what} is there already: {reason_of(error)}") from error


MAKE_WRITABLE: Final = (
    "Let the folder exist, and it and the file be writable, or open it with read_only=True."
)
_DAMAGE: Final = ("malformed", "not a database", "no such table", "could not decode")


def damage_of(error: exc.DBAPIError) -> str:
    """Give what the database says of storage that it cannot read.

    Raises:
        DBAPIError: The error itself, when it is about something else.
    """
    reason, code = reason_of(error), code_of(error)
    if is_damage(code) if code is not None else _is_damage(reason):
        return reason
    raise error


def _is_damage(reason: str) -> bool:
    said = reason.lower()
    return any(sign in said for sign in _DAMAGE)


def storage_error(reason: str, location: str) -> StorageError:
    """Choose the error for what a driver said."""
    said = reason.lower()
    if "locked" in said or "busy" in said:
        return StorageBusy(f"{location} stayed locked: {reason}")
    if _is_damage(reason):
        return StorageDamaged(f"{location} is damaged or not a memory: {reason}")
    if "full" in said:
        hint = "Free space and repeat the call; nothing of it was written."
    elif "readonly" in said or "read-only" in said:
        hint = MAKE_WRITABLE
    else:
        hint = "Check that the path exists and can be read and written."
    return StorageUnavailable(f"{location} cannot be used: {reason}", hint=hint)


def insert_rows(connection: Connection, table: Table, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows given as tuples in the table's column order.

    The statement is Core's own, compiled once per table; handing the driver tuples instead of
    dictionaries doubles the rate of a bulk import.
    """
    copy = getattr(connection.dialect, "copy_rows", None)
    if not rows or (copy is not None and copy(connection, table, rows)):
        return
    statement, names = _insert_statement(table, connection.dialect)
    if names is None:
        _run(connection, statement, rows, many=True)
    else:
        _run(connection, statement, [dict(zip(names, row, strict=True)) for row in rows], many=True)


@lru_cache(maxsize=256)
def _insert_statement(table: Table, dialect: Dialect) -> tuple[str, tuple[str, ...] | None]:
    names = tuple(column.name for column in table.columns)
    compiled = insert(table).compile(dialect=dialect, column_keys=list(names))
    if compiled.positional:
        return str(compiled), None
    return str(compiled), names


def run_for_each(
    connection: Connection, statement: Executable, rows: Sequence[Mapping[str, Any]]
) -> int:
    """Run a statement once for each set of values of its parameters.

    Like `insert_rows` it goes past what SQLAlchemy does for every single set.

    Args:
        connection: The transaction.
        statement: An insert, update or delete that is built once and kept.
        rows: The values of its parameters by name.

    Returns:
        How many rows of the database it inserted, changed or deleted, all in all.
    """
    if not rows:
        return 0
    text, names, _ = _compiled(statement, connection.dialect)
    values: Sequence[Any] = rows
    if names is not None:
        values = [tuple([row[name] for name in names]) for row in rows]
    return int(_run(connection, text, values, many=True).rowcount)


class _Compiled(NamedTuple):
    """A statement as a driver takes it: names in order, or None where it takes them by name.

    `own` are the values that stand in the statement itself.
    """

    text: str
    names: tuple[str, ...] | None
    own: Mapping[str, Any]


@lru_cache(maxsize=256)
def _compiled(statement: Any, dialect: Dialect) -> _Compiled:
    compiled = statement.compile(dialect=dialect)
    own = {name: value for name, value in compiled.params.items() if value is not None}
    names = tuple(compiled.positiontup) if compiled.positional else None
    return _Compiled(str(compiled), names, own)


# How many values one statement names: databases bound how many it may carry.
_AT_ONCE: Final = 10_000


def in_parts(values: Sequence[T], at_once: int = _AT_ONCE) -> Iterator[Sequence[T]]:
    """Give values in parts of which each may be named in one statement."""
    return (values[start : start + at_once] for start in range(0, len(values), at_once))


def fetch_rows(
    connection: Connection, statement: Executable, values: Mapping[str, Any]
) -> Sequence[Any]:
    """Read the rows of a small statement that every append asks, as the driver gives them.

    Args:
        connection: The transaction.
        statement: A select that is built once and kept; its values stand in it or are named.
        values: The values of its parameters by name.

    Returns:
        The rows. Their values went through no type of SQLAlchemy's: a boolean may be 0 or 1.
    """
    text, names, own = _compiled(statement, connection.dialect)
    given = {**own, **values}
    parameters = given if names is None else tuple([given[name] for name in names])
    found: Sequence[Any] = _run(connection, text, parameters).fetchall()
    return found


def _run(connection: Connection, text: str, values: Any, *, many: bool = False) -> Any:
    """Run a statement on the driver's own cursor: what SQLAlchemy does around one costs more.

    What the driver raises comes as it would from SQLAlchemy.

    Args:
        connection: The transaction.
        text: The statement, as the driver takes it.
        values: Its parameters; with `many` a set of them for each time it is run.
        many: Whether to run it for each set.

    Returns:
        The cursor.
    """
    assert connection.in_transaction(), "a statement outside of any transaction"
    cursor = connection.connection.cursor()
    driver = connection.dialect.loaded_dbapi
    try:
        if many:
            cursor.executemany(text, values)
        else:
            cursor.execute(text, values)
    except driver.Error as error:
        is_gone = connection.dialect.is_disconnect(error, connection.connection, cursor)
        if is_gone:
            connection.invalidate(error)
        else:
            cursor.close()
        raise exc.DBAPIError.instance(
            text,
            None,
            error,
            driver.Error,
            hide_parameters=True,
            connection_invalidated=is_gone,
            dialect=connection.dialect,
        ) from error
    return cursor
