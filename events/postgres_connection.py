"""Small steps on a connection to PostgreSQL that SQLAlchemy has no words for."""

import time
from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

import psycopg
from sqlalchemy import Connection, exc
from sqlalchemy.engine import URL, make_url

from smriti_es.events.errors import InvalidInput

T = TypeVar("T")
# Between two tries to reach a server, seconds.
PAUSE_S: Final = 0.1


def patiently(connect: Callable[[], T], patience_s: float) -> T:
    """Connect, trying again for a while where the server is not there."""
    until = time.monotonic() + patience_s
    while True:
        try:
            return connect()
        except exc.OperationalError:
            if time.monotonic() >= until:
                raise
            time.sleep(PAUSE_S)


def parsed(url: str | URL) -> URL:
    """Read the URL of a database.

    Raises:
        InvalidInput: It is none that is supported.
    """
    try:
        parsed = make_url(url)
    except (exc.ArgumentError, ValueError) as error:
        raise InvalidInput("the URL of the database cannot be read", field="location") from error
    if parsed.drivername not in ("postgresql", "postgresql+psycopg"):
        raise InvalidInput(
            f"{parsed.drivername}:// is not supported",
            hint='Give "postgresql+psycopg://user@host/database".',
            field="location",
        )
    return parsed


def version_text(version: int) -> str:
    """Write a version of the server as people do."""
    return f"{version // 10_000}.{version % 10_000}"


def driver_of(connection: Connection) -> psycopg.Connection[Any]:
    """Give the connection that the driver knows."""
    return cast("psycopg.Connection[Any]", connection.connection.driver_connection)


def run(connection: Connection, *statements: str) -> Any:
    """Run statements without values in one exchange; gives the first value of the last one.

    SQLAlchemy takes one at a time, and the driver would try to prepare them.
    """
    driver = driver_of(connection)
    try:
        cursor = driver.execute("; ".join(statements).encode(), prepare=False)
        while cursor.nextset():
            pass
        row = cursor.fetchone() if cursor.description else None
    except psycopg.Error as error:
        raise told(error, connection) from error
    return None if not row else row[0]


def told(error: psycopg.Error, connection: Connection) -> Any:
    """Give what SQLAlchemy would make of an error of the driver."""
    is_lost = driver_of(connection).broken
    if is_lost:
        connection.invalidate(error)
    return exc.DBAPIError.instance(
        "BEGIN",
        None,
        error,
        psycopg.Error,
        hide_parameters=True,
        connection_invalidated=is_lost,
        dialect=connection.dialect,
    )
