"""Which database a location names, and open it."""

import os
from typing import TYPE_CHECKING

from smriti_es.events.database import BUSY_TIMEOUT_MS, Database
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.errors import MissingExtra
from smriti_es.events.locations import names_server

if TYPE_CHECKING:
    from smriti_es.events.dialect_postgres import PostgresDatabase


def open_database(
    location: str | os.PathLike[str],
    *,
    read_only: bool = False,
    busy_timeout_ms: int = BUSY_TIMEOUT_MS,
) -> Database:
    """Open the database that a location names.

    Args:
        location: The path of an SQLite file, `:memory:`, or `postgresql+psycopg://…`.
        read_only: Never write, lock or migrate.
        busy_timeout_ms: How long to wait for another writer before `StorageBusy`.

    Raises:
        StorageError: It cannot be opened.
        MissingExtra: It is on a server, and the driver is not installed.
    """
    if isinstance(location, str) and names_server(location):
        return _postgres()(location, read_only=read_only, busy_timeout_ms=busy_timeout_ms)
    return SqliteDatabase(location, read_only=read_only, busy_timeout_ms=busy_timeout_ms)


def _postgres() -> "type[PostgresDatabase]":
    try:
        import psycopg  # noqa: F401  what is missing is said in our words
    except ImportError as error:
        raise MissingExtra(
            "a memory on PostgreSQL needs psycopg",
            hint="pip install 'smriti-es[postgres]'",
            extra="postgres",
        ) from error
    from smriti_es.events.dialect_postgres import PostgresDatabase

    return PostgresDatabase
