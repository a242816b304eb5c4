"""`sqlite3.connect` on top of apsw, as far as the memory uses it, so that it runs on a VFS of ours.

The module of the standard library offers no way to one. Both are bindings of the same C library,
and the memory's statements, transactions and pragmas reach it unchanged. Errors are those of
`sqlite3`, by which SQLAlchemy knows them.
"""

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import apsw

from tests.crash.power import recording_vfs

_CHANGES_ROWS: Final = re.compile(r"\s*(insert|update|delete|replace)\b", re.IGNORECASE)
Rewrite = Callable[[str], str]
Row = tuple[Any, ...]


@contextmanager
def _as_sqlite3() -> Iterator[None]:
    try:
        yield
    except apsw.ConstraintError as error:
        raise sqlite3.IntegrityError(str(error)) from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise sqlite3.DatabaseError(str(error)) from error
    except apsw.Error as error:
        raise sqlite3.OperationalError(str(error)) from error


class ApswConnection:
    """A connection in autocommit mode: transactions begin and end by statements alone.

    Args:
        source: The path, or the URI, of the file.
        uri: Whether it is a URI.
        rewrite: Changes each statement before it runs, for a mistake that is planted.
    """

    def __init__(self, source: str, *, uri: bool, rewrite: Rewrite) -> None:
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        with _as_sqlite3():
            self.raw = apsw.Connection(
                source, flags | (apsw.SQLITE_OPEN_URI if uri else 0), recording_vfs.NAME
            )
        self.rewrite = rewrite
        self.closed = False

    @property
    def writing(self) -> bool:
        return not self.closed and self.raw.txn_state("main") == apsw.SQLITE_TXN_WRITE

    @property
    def total_changes(self) -> int:
        return self.raw.total_changes()

    def cursor(self) -> "ApswCursor":
        return ApswCursor(self)

    def execute(self, statement: str, parameters: Sequence[Any] = ()) -> "ApswCursor":
        return self.cursor().execute(statement, parameters)

    def commit(self) -> None:
        if self.raw.in_transaction:
            self.execute("COMMIT")

    def rollback(self) -> None:
        if self.raw.in_transaction:
            self.execute("ROLLBACK")

    def create_function(
        self, name: str, count: int, function: Callable[..., Any], *, deterministic: bool = False
    ) -> None:
        self.raw.create_scalar_function(name, function, count, deterministic=deterministic)

    def close(self) -> None:
        self.closed = True
        with _as_sqlite3():
            self.raw.close()


class ApswCursor:
    """A cursor that has read all rows when a statement has run."""

    def __init__(self, connection: ApswConnection) -> None:
        self.connection = connection
        self.arraysize = 1
        self._forget()

    def _forget(self) -> None:
        self.description: tuple[Row, ...] | None = None
        self.rowcount = -1
        self.lastrowid: int | None = None
        self._rows: Iterator[Row] = iter(())

    def execute(self, statement: str, parameters: Sequence[Any] = ()) -> "ApswCursor":
        self._forget()
        raw, statement = self.connection.raw, self.connection.rewrite(statement)
        with _as_sqlite3():
            cursor = raw.cursor()
            cursor.exec_trace = self._described
            self._rows = iter(cursor.execute(statement, parameters).fetchall())
        if _CHANGES_ROWS.match(statement):
            self.rowcount, self.lastrowid = raw.changes(), raw.last_insert_rowid()
        return self

    def executemany(self, statement: str, many: Sequence[Sequence[Any]]) -> "ApswCursor":
        changed = sum(self.execute(statement, parameters).rowcount for parameters in many)
        self.rowcount = changed
        return self

    def fetchone(self) -> Row | None:
        return next(self._rows, None)

    def fetchmany(self, size: int | None = None) -> list[Row]:
        wanted = size or self.arraysize
        return [row for _, row in zip(range(wanted), self._rows, strict=False)]

    def fetchall(self) -> list[Row]:
        return list(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return self._rows

    def close(self) -> None:
        self._rows = iter(())

    def _described(self, cursor: apsw.Cursor, statement: str, parameters: Any) -> bool:
        # Asked before it runs: afterwards a statement that gave no row is said to have no columns.
        named = cursor.get_description()
        self.description = tuple((each[0], *[None] * 6) for each in named) or None
        return True


@contextmanager
def in_place_of_sqlite3(rewrite: Rewrite) -> Iterator[list[ApswConnection]]:
    """Let whatever connects by `sqlite3.connect` connect here; gives the connections made."""
    made: list[ApswConnection] = []

    def connect(source: Any, *, uri: bool = False, **_: Any) -> ApswConnection:
        made.append(ApswConnection(str(source), uri=uri, rewrite=rewrite))
        return made[-1]

    real: Any = sqlite3.connect
    sqlite3.connect = connect  # type: ignore[assignment]
    try:
        yield made
    finally:
        sqlite3.connect = real
