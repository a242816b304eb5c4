"""`revisions`: what the memory believed of each fact, and when it believed it.

One row a fact and change. The rows of a fact tile knowledge time from its commit on, without gap or
overlap; changes within one commit make one row, since a commit is seen whole or not at all.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import Any, ClassVar

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    bindparam,
    insert,
    select,
    text,
    update,
)

from smriti_es.events.catalogue import FactAsserted
from smriti_es.events.database import in_parts, run_for_each
from smriti_es.events.records import RecordedEvent
from smriti_es.events.tables import BigNumber
from smriti_es.projections.facts import ADMITTED, link_change
from smriti_es.projections.projection import Fold, Projection, delete_rows, rows_by_key

# A row by the names of its columns.
_Row = dict[str, Any]


@cache
def revision_table(generation: int) -> Table:
    """Give the table of a generation."""
    suffix = f"v{RevisionsProjection.version}_g{generation}"
    repeats, follows = text("folded_into IS NOT NULL"), text("superseded_by IS NOT NULL")
    return Table(
        f"fact_revision_{suffix}",
        MetaData(),
        Column("log", BigNumber, primary_key=True, autoincrement=False),
        Column("fact", BigNumber, primary_key=True, autoincrement=False),
        Column("revision", Integer, primary_key=True, autoincrement=False),
        Column("state", String(16), nullable=False),
        Column("valid_from", BigInteger, nullable=False),
        Column("valid_to", BigInteger, nullable=True),
        Column("superseded_by", BigInteger, nullable=True),
        Column("folded_into", BigInteger, nullable=True),
        Column("known_from", BigInteger, nullable=False),
        Column("known_to", BigInteger, nullable=True),
        # The last event of the commit that made this revision.
        Column("cause", BigInteger, nullable=False),
        # Not by `known_from`: SQLite would take that for the way to a fact's revision of a time.
        Index(f"fact_revision_by_cause_{suffix}", "log", "cause"),
        Index(
            f"fact_revision_by_standing_{suffix}",
            "log",
            "folded_into",
            sqlite_where=repeats,
            postgresql_where=repeats,
        ),
        Index(
            f"fact_revision_by_follower_{suffix}",
            "log",
            "superseded_by",
            sqlite_where=follows,
            postgresql_where=follows,
        ),
    )


class RevisionsProjection(Projection):
    """Beliefs on both time axes."""

    name: ClassVar[str] = "revisions"
    version: ClassVar[int] = 1
    stems: ClassVar[tuple[str, ...]] = ("fact_revision",)

    def tables(self, generation: int) -> Sequence[Table]:
        """Give the one table of a generation."""
        return (revision_table(generation),)

    def apply(self, prepared: Sequence[RecordedEvent], fold: Fold) -> None:
        """Open a revision for each statement and each change of its place."""
        table = revision_table(fold.generation)
        changes = {r.position: change for r in prepared if (change := link_change(r))}
        stored = _latest(table, {fact for fact, _ in changes.values()}, fold)
        # The latest revision of every fact that the batch states or changes.
        latest = {row["fact"]: row for row in stored}
        opened: list[_Row] = []
        for recorded in prepared:
            if isinstance(recorded.event, FactAsserted):
                row = _first(recorded, recorded.event, fold)
            elif recorded.position in changes:
                fact, values = changes[recorded.position]
                if fact not in latest:
                    continue  # what it concerns was erased
                row = _revised(latest[fact], recorded, values)
            else:
                continue
            if row is not latest.get(row["fact"]):
                latest[row["fact"]] = row
                opened.append(row)
        run_for_each(fold.connection, _changing(table), stored)
        run_for_each(fold.connection, _opening(table), opened)

    def erase(self, positions: Sequence[int], fold: Fold) -> None:
        """Delete every belief about statements that were erased."""
        table = revision_table(fold.generation)
        delete_rows(fold, table, table.c.fact, positions)

    def canonical_rows(self, fold: Fold) -> Iterable[Sequence[Any]]:
        """Give all rows."""
        return rows_by_key(self.tables(fold.generation), fold)


def _first(recorded: RecordedEvent, event: FactAsserted, fold: Fold) -> _Row:
    return {
        "log": fold.log,
        "fact": recorded.position,
        "revision": 0,
        "state": ADMITTED,
        "valid_from": event.valid_from,
        "valid_to": event.valid_to,
        "superseded_by": None,
        "folded_into": None,
        "known_from": recorded.header.known,
        "known_to": None,
        "cause": recorded.position,
    }


def _revised(before: _Row, recorded: RecordedEvent, values: dict[str, Any]) -> _Row:
    """Change the latest revision, if this commit opened it; else close it and give the next."""
    known = recorded.header.known
    if before["known_from"] == known:
        before |= values | {"cause": recorded.position}
        return before
    before["known_to"] = known
    return (
        before
        | values
        | {
            "revision": before["revision"] + 1,
            "known_from": known,
            "known_to": None,
            "cause": recorded.position,
        }
    )


def _latest(table: Table, facts: Collection[int], fold: Fold) -> list[_Row]:
    """Read the open revisions of facts, as far as they are stored."""
    rows: list[_Row] = []
    for part in in_parts(sorted(facts)):
        values = {"in_log": fold.log, "facts": part}
        found = fold.connection.execute(_latest_statement(table), values)
        rows += [dict(row) for row in found.mappings()]
    return rows


@cache
def _latest_statement(table: Table) -> Any:
    c = table.c
    within = c.fact.in_(bindparam("facts", expanding=True))
    return select(table).where(c.log == bindparam("in_log"), within, c.known_to.is_(None))


@cache
def _opening(table: Table) -> Any:
    return insert(table)


@cache
def _changing(table: Table) -> Any:
    key = [table.c.log, table.c.fact, table.c.revision]
    named: dict[Any, Any] = {column: bindparam(column.name) for column in table.c}
    of_this = [column == named.pop(column) for column in key]
    return update(table).where(*of_this).values(named)
