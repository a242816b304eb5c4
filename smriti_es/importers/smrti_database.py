"""smrti: its SQLite file of atoms, opened to read only."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from smriti_es.events.errors import InvalidInput
from smriti_es.importers.documents import Document
from smriti_es.importers.records import Conversation, Items, LeftOut, RecordPlace, known
from smriti_es.importers.source import Advanced, not_counted

MAGIC: Final = b"SQLite format 3\0"
_ROWS_AT_ONCE: Final = 500
_ATOMS: Final = """
SELECT id, type, content, probability, tenant_id, space, created_at, metadata FROM atoms
WHERE type IN ('episode', 'belief', 'goal') ORDER BY created_at, rowid
"""
_OTHERS: Final = """
SELECT type, count(*) FROM atoms WHERE type NOT IN ('episode', 'belief', 'goal')
GROUP BY type ORDER BY type
"""
_WANTED: Final = frozenset(
    {"id", "type", "content", "probability", "tenant_id", "space", "created_at", "metadata"}
)


def read_smrti(document: Document, advanced: Advanced = not_counted) -> Items:
    """Read the memories of a smrti database.

    Episodes, beliefs and goals become turns of that kind in the session `smrti:<tenant>/<space>`;
    those of agents have that origin. Atoms that were forgotten there stay forgotten. Entities and
    the edges between them are left out and counted: they were derived, and facts are found anew.

    Args:
        document: The database file.
        advanced: Told how many bytes were read.

    Raises:
        InvalidInput: It is no database of smrti, or cannot be read.
    """
    if document.path is None:
        raise InvalidInput(f"{document.name} lies in an archive", hint="Unpack the database.")
    try:
        with closing(_opened(document.path)) as connection:
            yield from _atoms(connection, document.name)
            yield from _derived(connection, document.name)
    except sqlite3.Error as error:
        raise InvalidInput(
            f"{document.name} cannot be read as a database of smrti: {error}",
            hint="Stop smrti, and name its file.",
        ) from error
    advanced(document.size)


def tables_of(path: Path) -> set[str]:
    """List the tables of an SQLite file; none where it cannot be read."""
    try:
        with closing(_opened(path)) as connection:
            return {
                row[0]
                for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            }
    except sqlite3.Error:
        return set()


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _atoms(connection: sqlite3.Connection, file: str) -> Items:
    columns = {row[1] for row in connection.execute("PRAGMA table_info(atoms)")}
    if missing := _WANTED - columns:
        raise InvalidInput(
            f"{file}: its table of atoms has no {', '.join(sorted(missing))}",
            hint="Name a database of smrti.",
        )
    for rows in _read(connection):
        sessions: dict[str, tuple[list[Mapping[str, Any]], list[RecordPlace]]] = {}
        for row in rows:
            place = RecordPlace(file, name=f"atom {row['id']}")
            about = _about(row["metadata"])
            if about is None:
                yield LeftOut(place, "unreadable", "its metadata is no JSON object")
            elif about.get("forgotten"):
                yield LeftOut(place, "forgotten")
            else:
                name = f"smrti:{row['tenant_id']}/{row['space']}"
                messages, places = sessions.setdefault(name, ([], []))
                messages.append(_message(row, about))
                places.append(place)
        for name, (messages, places) in sessions.items():
            carried = {"source": "smrti"}
            yield Conversation(name, messages, places, places[0], tags=("smrti",), metadata=carried)


def _read(connection: sqlite3.Connection) -> Iterator[list[sqlite3.Row]]:
    connection.row_factory = sqlite3.Row
    cursor = connection.execute(_ATOMS)
    while rows := cursor.fetchmany(_ROWS_AT_ONCE):
        yield rows


def _message(row: sqlite3.Row, about: Mapping[str, Any]) -> Mapping[str, Any]:
    by_agent = about.get("source") == "agent"
    return {
        "role": "assistant" if by_agent else "user",
        "content": row["content"],
        "id": f"smrti:{row['id']}",
        "timestamp": _time(row["created_at"]),
        "kind": row["type"],
        "metadata": known(tenant=row["tenant_id"], space=row["space"])
        | ({"probability": row["probability"]} if row["type"] == "belief" else {}),
    }


def _about(metadata: Any) -> Mapping[str, Any] | None:
    if metadata is None or metadata == "":
        return {}
    try:
        about = json.loads(metadata)
    except (TypeError, ValueError, RecursionError):
        return None
    return about if isinstance(about, dict) else None


def _time(text: Any) -> Any:
    """Give a time as it is meant: SQLite's own form is in UTC and does not say so."""
    if isinstance(text, str) and len(text) == len("2026-01-15 10:00:00"):
        return f"{text.replace(' ', 'T')}Z"
    return text


def _derived(connection: sqlite3.Connection, file: str) -> Items:
    counted = connection.execute(_OTHERS)
    for kind, count in counted:
        place = RecordPlace(file, name=f"atoms of the type {kind}")
        yield LeftOut(place, "derived", f"{count:,} of them; facts are found anew", count)
