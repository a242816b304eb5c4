"""`revisions`: what the memory believed of each fact, and when it believed it.

One row a fact and change. The rows of a fact tile knowledge time from its commit on, without gap or
overlap; changes within one commit make one row, since a commit is seen whole or not at all.
"""

from collections.abc import Iterable, Sequence
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
    update,
)

from smriti_es.events.catalogue import FactAsserted
from smriti_es.events.records import RecordedEvent
from smriti_es.events.tables import BigNumber
from smriti_es.projections.facts import ADMITTED, link_change, rows_by_key
from smriti_es.projections.projection import Fold, Projection


@cache
def revision_table(generation: int) -> Table:
    """Give the table of a generation."""
    suffix = f"v{RevisionsProjection.version}_g{generation}"
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
        Index(f"fact_revision_by_known_{suffix}", "log", "known_from"),
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
        for recorded in prepared:
            event = recorded.event
            if isinstance(event, FactAsserted):
                fold.connection.execute(insert(table).values(_first(recorded, event, fold)))
            elif (change := link_change(event)) is not None:
                _revise(table, recorded, *change, fold)

    def canonical_rows(self, fold: Fold) -> Iterable[Sequence[Any]]:
        """Give all rows."""
        return rows_by_key(self.tables(fold.generation), fold)


def _first(recorded: RecordedEvent, event: FactAsserted, fold: Fold) -> dict[str, Any]:
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


def _revise(
    table: Table, recorded: RecordedEvent, fact: int, values: dict[str, Any], fold: Fold
) -> None:
    this = {"this_log": fold.log, "this_fact": fact}
    latest = fold.connection.execute(_latest_statement(table), this).one_or_none()
    if latest is None:
        return  # what it concerns was erased
    known = recorded.header.known
    changed = dict(latest._mapping) | values | {"cause": recorded.position}
    if latest.known_from == known:
        statement = _this_revision(update(table), table).values(**values, cause=recorded.position)
        fold.connection.execute(statement, this | {"this_revision": latest.revision})
        return
    closed = _this_revision(update(table), table).values(known_to=known)
    fold.connection.execute(closed, this | {"this_revision": latest.revision})
    changed |= {"revision": latest.revision + 1, "known_from": known, "known_to": None}
    fold.connection.execute(insert(table).values(changed))


@cache
def _latest_statement(table: Table) -> Any:
    c = table.c
    return select(table).where(
        c.log == bindparam("this_log"), c.fact == bindparam("this_fact"), c.known_to.is_(None)
    )


def _this_revision(statement: Any, table: Table) -> Any:
    c = table.c
    return statement.where(
        c.log == bindparam("this_log"),
        c.fact == bindparam("this_fact"),
        c.revision == bindparam("this_revision"),
    )
