"""The caller's tags and metadata as rows: of sessions, turns and facts, in tables of one shape."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Boolean, Column, Connection, Double, Integer, MetaData, String, Table

from smriti_es.events.database import insert_rows
from smriti_es.events.tables import BigNumber


def position_key() -> tuple[Column[Any], Column[Any]]:
    """Give the columns by which a row belongs to an event of a log."""
    return (
        Column("log", BigNumber, primary_key=True, autoincrement=False),
        Column("position", BigNumber, primary_key=True, autoincrement=False),
    )


def tag_table(name: str, metadata: MetaData) -> Table:
    """Give the table that holds a row for each tag."""
    return Table(
        name,
        metadata,
        *position_key(),
        Column("tag", String, primary_key=True),
        sqlite_with_rowid=False,
    )


def attribute_table(name: str, metadata: MetaData) -> Table:
    """Give the table that holds a row for each value of metadata."""
    return Table(
        name,
        metadata,
        *position_key(),
        Column("name", String, primary_key=True),
        Column("item", Integer, primary_key=True),
        # text, number, or flag (a boolean, kept as 0 or 1 in `number`)
        Column("kind", String(8), nullable=False),
        Column("text", String, nullable=True),
        Column("number", Double, nullable=True),
        # Whether the value was a list, which a filter treats as "any of".
        Column("listed", Boolean, nullable=False),
        sqlite_with_rowid=False,
    )


@dataclass(slots=True)
class LabelRows:
    """Rows of tags and of metadata, gathered before they are written in two statements."""

    tags: list[tuple[Any, ...]] = field(default_factory=list)
    attributes: list[tuple[Any, ...]] = field(default_factory=list)

    def add(
        self, log: int, position: int, tags: Sequence[str], metadata: Mapping[str, Any]
    ) -> None:
        """Add those of one event."""
        if tags:
            self.tags.extend((log, position, tag) for tag in sorted(set(tags)))
        for name, value in metadata.items():
            listed = isinstance(value, (list, tuple))
            for item, scalar in enumerate(value if listed else [value]):
                self.attributes.append((log, position, name, item, *_typed(scalar), listed))

    def write(self, connection: Connection, tag: Table, attribute: Table) -> None:
        """Write them."""
        insert_rows(connection, tag, self.tags)
        insert_rows(connection, attribute, self.attributes)


def _typed(scalar: Any) -> tuple[str, str | None, float | None]:
    if isinstance(scalar, bool):
        return ("flag", None, float(scalar))
    if isinstance(scalar, (int, float)):
        return ("number", None, float(scalar))
    return ("text", scalar, None)
