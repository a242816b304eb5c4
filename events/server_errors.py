"""What a database server means by the codes of its errors.

Source: https://www.postgresql.org/docs/16/errcodes-appendix.html
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Final

from sqlalchemy import Connection, NestedTransaction, exc

from smriti_es.events.errors import StorageBusy, StorageDamaged, StorageError, StorageUnavailable

# Another transaction was in the way; this one wrote nothing and may be tried again.
_IN_THE_WAY: Final = frozenset({"40001", "40P01"})
_BUSY: Final = _IN_THE_WAY | {"55P03", "57014"}
_DAMAGE: Final = frozenset({"42P01", "42703", "XX001", "XX002", "58P01", "58030"})
_DISK_FULL: Final = "53100"
_RIGHTS: Final = frozenset({"42501", "25006", "28000", "28P01"})
# Classes of which the server itself gave way, whatever it was asked to do.
_GAVE_WAY: Final = ("08", "40", "53", "57", "58", "XX")


def code_of(error: BaseException) -> str | None:
    """Give the five characters by which a server names an error; None for one of a file."""
    if not isinstance(error, exc.DBAPIError) or not hasattr(error.orig, "sqlstate"):
        return None
    if (code := getattr(error.orig, "sqlstate", None)) is not None:
        return str(code)
    # What the driver says by itself: no connection, a broken one, or a value that it cannot carry.
    return "08000" if isinstance(error, exc.OperationalError) else "HY000"


def reason_of(error: exc.DBAPIError) -> str:
    """Say what went wrong as the driver says it, in one line and without anybody's words.

    A server adds to its message the values that it is about, on lines of their own.
    """
    told = getattr(getattr(error.orig, "diag", None), "message_primary", None)
    return " ".join(str(told or error.orig).split())


def gave_way(code: str) -> bool:
    """Tell whether the server could not go on, and it was not for what it was asked."""
    return code.startswith(_GAVE_WAY) or code in _BUSY


def is_damage(code: str) -> bool:
    """Tell whether something of the data cannot be read or is not there."""
    return code in _DAMAGE


def may_be_repeated(error: Exception) -> bool:
    """Tell whether a transaction that failed wrote nothing and may go well now.

    It lost to another one, or its connection while nothing was committed.
    """
    cause = error if isinstance(error, exc.DBAPIError) else error.__cause__
    if not isinstance(cause, exc.DBAPIError):
        return False
    code = code_of(cause) or ""
    return cause.connection_invalidated or code in _IN_THE_WAY or code.startswith(("08", "57P"))


def server_error(code: str, reason: str, location: str) -> StorageError:
    """Choose the error for what a server said."""
    if code in _BUSY:
        return StorageBusy(f"{location} is busy: {reason}")
    if is_damage(code):
        return StorageDamaged(
            f"{location} is damaged or not a memory: {reason}",
            hint="Run `smriti-es log verify`, and look into the server's log.",
        )
    if code == _DISK_FULL:
        hint = "Free space on the server and repeat the call; nothing of it was written."
    elif code in _RIGHTS:
        hint = "Let the role read and write the database, or open it with read_only=True."
    else:
        hint = "Check that the server runs, that it can be reached, and what it has logged."
    return StorageUnavailable(f"{location} cannot be used: {reason}", hint=hint)


class Unharmed:
    """A point in a transaction to which it goes back when a statement fails over damage.

    For many small statements, where `apart` would cost more than they do. SQLite needs none.

    Args:
        connection: The transaction, which ends with a rollback.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._point = self._mark()

    def go_back(self) -> None:
        """Let the transaction go on as if what failed had not been asked."""
        if self._point is not None:
            self._point.rollback()
            self._point = self._mark()

    def _mark(self) -> NestedTransaction | None:
        if self._connection.dialect.name == "sqlite":
            return None
        return self._connection.begin_nested()


@contextmanager
def apart(connection: Connection) -> Iterator[None]:
    """Run a statement that may fail over damage, so that the transaction goes on all the same.

    A server gives a transaction up over any statement that fails, SQLite does not.
    """
    with nullcontext() if connection.dialect.name == "sqlite" else connection.begin_nested():
        yield
