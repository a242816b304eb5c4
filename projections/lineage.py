"""`lineage`: which event was derived from which, both ways."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, ClassVar

from sqlalchemy import Column, Connection, Index, MetaData, Select, Table, bindparam, select

from smriti_es.events.database import in_parts, insert_rows
from smriti_es.events.records import RecordedEvent
from smriti_es.events.tables import BigNumber
from smriti_es.projections.projection import Fold, Projection, rows_by_key


@cache
def lineage_table(generation: int) -> Table:
    """Give the table of a generation."""
    suffix = f"v{LineageProjection.version}_g{generation}"
    return Table(
        f"lineage_{suffix}",
        MetaData(),
        Column("log", BigNumber, primary_key=True, autoincrement=False),
        Column("child", BigNumber, primary_key=True, autoincrement=False),
        Column("parent", BigNumber, primary_key=True, autoincrement=False),
        Index(f"lineage_by_parent_{suffix}", "log", "parent"),
        sqlite_with_rowid=False,
    )


class LineageProjection(Projection):
    """The references of headers, as rows."""

    name: ClassVar[str] = "lineage"
    version: ClassVar[int] = 1
    stems: ClassVar[tuple[str, ...]] = ("lineage",)

    def tables(self, generation: int) -> Sequence[Table]:
        """Give the one table of a generation."""
        return (lineage_table(generation),)

    def apply(self, prepared: Sequence[RecordedEvent], fold: Fold) -> None:
        """Take over the references; they stand in headers, so erasure does not touch them.

        That a turn belongs to its session is what `turns` says already.
        """
        rows = [
            (fold.log, recorded.position, parent)
            for recorded in prepared
            for parent in recorded.header.refs
            if parent != recorded.header.facets.get("session")
        ]
        insert_rows(fold.connection, lineage_table(fold.generation), rows)

    def canonical_rows(self, fold: Fold) -> Iterable[Sequence[Any]]:
        """Give all rows."""
        return rows_by_key(self.tables(fold.generation), fold)


def parents_of(connection: Connection, log: int, generation: int, child: int) -> list[int]:
    """List the events that one was derived from, ascending."""
    c = lineage_table(generation).c
    statement = select(c.parent).where(c.log == log, c.child == child).order_by(c.parent)
    return list(connection.execute(statement).scalars())


def children_of(connection: Connection, log: int, generation: int, parent: int) -> list[int]:
    """List the events that were derived from one, ascending."""
    c = lineage_table(generation).c
    statement = select(c.child).where(c.log == log, c.parent == parent).order_by(c.child)
    return list(connection.execute(statement).scalars())


def children_of_any(
    connection: Connection, log: int, generation: int, parents: Sequence[int]
) -> list[tuple[int, int]]:
    """List the events that were derived from any of some: parent and child, ascending."""
    found: list[tuple[int, int]] = []
    for part in in_parts(parents):
        values = {"in_log": log, "parents": part}
        rows = connection.execute(_children(lineage_table(generation)), values)
        found += [(row.parent, row.child) for row in rows]
    return sorted(found)


def parents_of_any(
    connection: Connection, log: int, generation: int, children: Sequence[int]
) -> list[tuple[int, int]]:
    """List the events that any of some were derived from: child and parent, ascending."""
    found: list[tuple[int, int]] = []
    for part in in_parts(children):
        values = {"in_log": log, "children": part}
        rows = connection.execute(_parents(lineage_table(generation)), values)
        found += [(row.child, row.parent) for row in rows]
    return sorted(found)


@cache
def _parents(table: Table) -> Select[Any]:
    c = table.c
    among = c.child.in_(bindparam("children", expanding=True))
    return select(c.child, c.parent).where(c.log == bindparam("in_log"), among)


@cache
def _children(table: Table) -> Select[Any]:
    c = table.c
    among = c.parent.in_(bindparam("parents", expanding=True))
    return select(c.parent, c.child).where(c.log == bindparam("in_log"), among)
