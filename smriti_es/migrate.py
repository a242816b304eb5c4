"""Bring a database to the schema of this release when it is opened.

A database that is current costs one small read, and alembic is not even loaded. One that is older
is copied aside first when it holds data. One that is newer is refused: this release must not touch
it.
"""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, inspect, text

from smriti_es.events.database import Database
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.durable_files import sync_folder
from smriti_es.events.errors import SchemaNewer, SchemaOutdated, StorageUnavailable

SCHEMA_REVISION: Final = "0002"
# Every revision up to this release's, oldest first: what is not among them is newer.
REVISIONS: Final = ("0001", "0002")
VERSION_TABLE: Final = "smriti_es_schema"


def migrate(database: Database, *, read_only: bool = False) -> Path | None:
    """Bring the schema to this release's, or leave it when it is there already.

    Args:
        database: The database.
        read_only: Never change it.

    Returns:
        The copy made beforehand, or None when none was needed.

    Raises:
        SchemaNewer: A later release wrote it.
        SchemaOutdated: It is older, and `read_only` forbids to change it.
        StorageUnavailable: It is not a memory at all.
    """
    revision = _revision_before(database)
    if revision == SCHEMA_REVISION:
        return None
    if revision is not None and revision not in REVISIONS:
        raise SchemaNewer(
            f"{database.location} has schema {revision}, this release knows up to {SCHEMA_REVISION}"
        )
    if read_only:
        raise SchemaOutdated(f"{database.location} has schema {revision or 'none'}")
    if not isinstance(database, SqliteDatabase):
        with database.creating() as connection:
            # Looked at again under the lock: another process may have been faster.
            if _revision(connection) != SCHEMA_REVISION:
                _upgrade(connection)
        return None
    with database.held():
        # Looked at again under the lock: another process may have been faster, and its copy of the
        # older file must not be overwritten.
        revision = _revision_before(database)
        if revision == SCHEMA_REVISION:
            return None
        copy = _copy_aside(database) if revision is not None else None
        with database.write() as connection:
            _upgrade(connection)
    return copy


def _revision_before(database: Database) -> str | None:
    if isinstance(database, SqliteDatabase) and _is_empty_file(database):
        return None
    with database.read() as connection:
        revision = _revision(connection)
        if revision is None and inspect(connection).get_table_names():
            raise StorageUnavailable(
                f"{database.location} holds other tables and no memory",
                hint="Name a new file for the memory.",
            )
        return revision


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    found = connection.execute(text("SELECT version_num FROM smriti_es_schema")).scalar()
    return None if found is None else str(found)


def _is_empty_file(database: SqliteDatabase) -> bool:
    path = database.path
    return not database.in_memory and path.is_file() and path.stat().st_size == 0


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    # A per cent sign in the path would be taken for the beginning of a placeholder.
    config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def migrations_folder() -> Path:
    """Find the migration scripts: in the installed package, else in the checkout."""
    installed = Path(__file__).with_name("migrations")
    return installed if installed.is_dir() else Path(__file__).resolve().parent.parent / "alembic"


def _copy_aside(database: Database) -> Path | None:
    """Copy the file beside itself through SQLite's own backup, which sees one consistent state."""
    if not isinstance(database, SqliteDatabase) or database.in_memory:
        return None
    copy = database.path.with_name(f"{database.path.name}.before-schema-{SCHEMA_REVISION}")
    free = shutil.disk_usage(database.path.parent).free
    if free < database.path.stat().st_size:
        raise StorageUnavailable(
            f"no room for the copy that a migration of {database.location} needs",
            hint=f"Free {database.path.stat().st_size} bytes and open it again.",
        )
    try:
        os.close(os.open(copy, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600))
        with (
            closing(sqlite3.connect(f"{database.path.as_uri()}?mode=ro", uri=True)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            source.backup(target)
        # SQLite's journal of it could come back with a power failure, and undo the copy.
        sync_folder(copy.parent)
    except (OSError, sqlite3.DatabaseError) as error:
        raise StorageUnavailable(
            f"{copy}, the copy that a migration needs, cannot be written: {error}",
            hint="Free space or make the folder writable, and open it again.",
        ) from error
    return copy
