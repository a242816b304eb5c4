"""Where the bytes of a database go, table by table."""

import re
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Final

# The version and generation behind a projection's table name.
_SUFFIX: Final = re.compile(r"_v\d+_g\d+$")


def bytes_by_table(path: Path) -> dict[str, int]:
    """Measure what each table takes with its indexes.

    The tables of a copy are dropped one after the other, and the pages that come free are counted:
    exact, and possible in every build of SQLite.

    Args:
        path: A database that no connection has open.

    Returns:
        Bytes by table, without version and generation in the names; `rest` is the schema and what
        was free before.
    """
    with tempfile.TemporaryDirectory(prefix="bench-copy-", dir=path.parent) as folder:
        copy = Path(folder, "copy.db")
        shutil.copyfile(path, copy)
        with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode=OFF")
            connection.execute("PRAGMA secure_delete=OFF")
            size = _pragma(connection, "page_size")
            pages = _pragma(connection, "page_count")
            found: dict[str, int] = {}
            for name in _droppable(connection):
                before = _pragma(connection, "freelist_count")
                connection.execute(f'DROP TABLE "{name}"')
                freed = _pragma(connection, "freelist_count") - before
                found[_SUFFIX.sub("", name)] = freed * size
    found["rest"] = pages * size - sum(found.values())
    return found


def _droppable(connection: sqlite3.Connection) -> list[str]:
    """List the tables; those without pages of their own, views of others, come first."""
    rows = connection.execute("PRAGMA table_list").fetchall()
    own = [(row[1], row[2]) for row in rows if not row[1].startswith("sqlite_")]
    views = {
        name
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%fts5vocab%'"
        )
    }
    droppable = [name for name, kind in own if kind in ("table", "virtual")]
    return sorted(droppable, key=lambda name: (name not in views, name))


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
