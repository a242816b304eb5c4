"""`trust`: what is withheld from reads, by which decision, and the rules that a log has.

A row here is what every read's predicate looks at. What is withheld now is withheld at whatever
knowledge time one reads: what was found to be poisoned is poisoned in the past as well. What was
withheld then and released since is withheld there too, for it was not believed then. Source: design
page on trust; decision 22.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, ClassVar, NamedTuple

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Index,
    MetaData,
    String,
    Table,
    and_,
    bindparam,
    case,
    or_,
    select,
    update,
)

from smriti_es.events.catalogue import (
    Erased,
    FactRejected,
    LogOpened,
    Quarantined,
    Released,
    SettingsChanged,
)
from smriti_es.events.catalogue.facts import NOBODY
from smriti_es.events.database import fetch_rows, in_parts, insert_rows
from smriti_es.events.erasure import positions_in
from smriti_es.events.header import Header
from smriti_es.events.records import RecordedEvent
from smriti_es.events.tables import BigNumber
from smriti_es.projections.keeping import (
    KEEPING,
    STEMS,
    KeepingTables,
    fold_keeping,
    forget_names,
    keeping_tables,
)
from smriti_es.projections.labels import position_key
from smriti_es.projections.projection import Fold, Projection, rows_by_key


@dataclass(frozen=True, slots=True)
class TrustTables:
    """The tables of one generation.

    Attributes:
        standing: One row a log: its profile of trust, and the last event that changed anything.
        quarantine: One row a quarantine.
        withheld: What is or was withheld, a row for each item and cause.
        keeping: Holds, retention, erasures, tombstones.
        then: Whether the past is read under the trust of its day, and not under that of today.
    """

    standing: Table
    quarantine: Table
    withheld: Table
    keeping: KeepingTables
    then: bool = False

    def of_then(self) -> "TrustTables":
        """Give the same tables, read under the trust of the day that is asked about."""
        return replace(self, then=True)

    def of_today(self) -> "TrustTables":
        """Give the same tables, read under the trust of today."""
        return replace(self, then=False)


@cache
def trust_tables(generation: int) -> TrustTables:
    """Give the tables of a generation."""
    suffix = f"v{TrustProjection.version}_g{generation}"
    metadata = MetaData()
    return TrustTables(
        Table(
            f"trust_{suffix}",
            metadata,
            Column("log", BigNumber, primary_key=True, autoincrement=False),
            Column("profile", String(32), nullable=False),
            # Position of the last event that changed what may be read, by which caches are told.
            Column("changed", BigInteger, nullable=False),
            # Position of the last erasure, -1 before the first: older content may be gone.
            Column("erased", BigInteger, nullable=False),
        ),
        Table(
            f"quarantine_{suffix}",
            metadata,
            *position_key(),
            Column("known", BigInteger, nullable=False),
            Column("released_known", BigInteger, nullable=True),
            # Position of what released it.
            Column("released", BigInteger, nullable=True),
        ),
        Table(
            f"withheld_{suffix}",
            metadata,
            Column("log", BigNumber, primary_key=True, autoincrement=False),
            Column("item", BigNumber, primary_key=True, autoincrement=False),
            # The quarantine, or the rejection.
            Column("cause", BigNumber, primary_key=True, autoincrement=False),
            Column("known", BigInteger, nullable=False),
            Column("released_known", BigInteger, nullable=True),
            Index(f"withheld_by_cause_{suffix}", "log", "cause"),
            sqlite_with_rowid=False,
        ),
        keeping_tables(suffix),
    )


class TrustProjection(Projection):
    """Quarantines, rejections, the profile of trust; holds, retention, erasures and tombstones."""

    name: ClassVar[str] = "trust"
    version: ClassVar[int] = 2
    stems: ClassVar[tuple[str, ...]] = ("trust", "quarantine", "withheld", *STEMS)

    def tables(self, generation: int) -> Sequence[Table]:
        """Give the eight tables of a generation."""
        tables = trust_tables(generation)
        kept = [getattr(tables.keeping, each.name) for each in fields(tables.keeping)]
        return (tables.standing, tables.quarantine, tables.withheld, *kept)

    def apply(self, prepared: Sequence[RecordedEvent], fold: Fold) -> None:
        """Apply what was decided, in order: what is withheld may be released in the same batch."""
        tables = trust_tables(fold.generation)
        changed: dict[str, Any] = {}
        for recorded in prepared:
            if isinstance(recorded.event, LogOpened):
                row = (fold.log, recorded.event.trust, recorded.position, NOBODY)
                insert_rows(fold.connection, tables.standing, [row])
            elif isinstance(recorded.event, SettingsChanged):
                changed |= {"profile": recorded.event.trust, "changed": recorded.position}
            elif recorded.header.type == Erased.TYPE:
                changed |= {"changed": recorded.position, "erased": recorded.position}
            elif _changes_what_is_withheld(recorded, tables, fold):
                changed["changed"] = recorded.position
            if recorded.header.type in KEEPING:
                fold_keeping(recorded, tables.keeping, fold)
        if changed:
            of_log = tables.standing.c.log == fold.log
            fold.connection.execute(update(tables.standing).where(of_log).values(changed))

    def erase(self, positions: Sequence[int], fold: Fold) -> None:
        """Forget the names in holds and retention; all else says what happened to what is gone."""
        forget_names(positions, trust_tables(fold.generation).keeping, fold)

    def canonical_rows(self, fold: Fold) -> Iterable[Sequence[Any]]:
        """Give all rows, table by table."""
        return rows_by_key(self.tables(fold.generation), fold)


def not_withheld(
    tables: TrustTables,
    log: ColumnElement[int],
    item: ColumnElement[int],
    known: ColumnElement[int] | None = None,
) -> ColumnElement[bool]:
    """Write that an item is withheld by nothing.

    Args:
        tables: Tables of the generation that serves.
        log: The log that it belongs to, a column or a parameter.
        item: Its position, a column of the statement that this becomes part of.
        known: The knowledge time as of which is read; None: now.
    """
    w = tables.withheld.c
    counts = _counts(tables, known)
    return ~select(w.item).where(w.log == log, w.item == item, counts).exists()


def _counts(tables: TrustTables, known: ColumnElement[int] | None) -> ColumnElement[bool]:
    """Write that a row of what is withheld counts: it is not released, or was not yet then.

    Under the trust of then it counts also only from when it was withheld.
    """
    w = tables.withheld.c
    unreleased: ColumnElement[bool] = w.released_known.is_(None)
    if known is None:
        return unreleased
    if tables.then:
        return and_(w.known <= known, or_(unreleased, w.released_known > known))
    return or_(unreleased, and_(w.known <= known, w.released_known > known))


class WithheldAsOf(NamedTuple):
    """Names what is withheld from a read, so that what it saw can be kept until that changes.

    Attributes:
        changed: Position of the last event that changed it.
        erased: Position of the last erasure, -1 before the first.
        known: Knowledge time as of which more is withheld than now; None: nothing is.
    """

    changed: int
    erased: int
    known: int | None = None


def withheld_as_of(
    connection: Connection, tables: TrustTables, log: int, known: int | None
) -> WithheldAsOf:
    """Say what is withheld from a read as of a knowledge time; None: now."""
    changed, erased = _last_changes(connection, tables, log)
    if known is not None:
        values = {"in_log": log, "known": known}
        if not fetch_rows(connection, _released_since(tables.withheld), values):
            known = None  # so that reads of the past share what is kept
    return WithheldAsOf(changed, erased, known)


@cache
def _released_since(withheld: Table) -> Any:
    c = withheld.c
    return (
        select(c.item)
        .where(
            c.log == bindparam("in_log"),
            c.known <= bindparam("known"),
            c.released_known > bindparam("known"),
        )
        .limit(1)
    )


def last_change(connection: Connection, tables: TrustTables, log: int) -> int:
    """Give the position of the last event that changed what may be read."""
    return _last_changes(connection, tables, log)[0]


def last_erasure(connection: Connection, tables: TrustTables, log: int) -> int:
    """Give the position of the last erasure, -1 before the first."""
    return _last_changes(connection, tables, log)[1]


def _last_changes(connection: Connection, tables: TrustTables, log: int) -> tuple[int, int]:
    rows = fetch_rows(connection, _changes(tables.standing), {"in_log": log})
    return (int(rows[0][0]), int(rows[0][1])) if rows else (NOBODY, NOBODY)


@cache
def _changes(standing: Table) -> Any:
    c = standing.c
    return select(c.changed, c.erased).where(c.log == bindparam("in_log"))


def causes_among(
    connection: Connection,
    tables: TrustTables,
    log: int,
    items: Sequence[int],
    known: int | None = None,
) -> dict[int, set[int]]:
    """Give, of the items that are withheld, the quarantines and rejections that withhold them.

    Args:
        connection: A snapshot.
        tables: Tables of the generation that serves.
        log: The log's number.
        items: Positions.
        known: The knowledge time as of which is read; None: now.
    """
    found: dict[int, set[int]] = {}
    statement = _causes(tables, past=known is not None)
    for part in in_parts(items):
        values = {"in_log": log, "items": part, "known": known}
        for item, cause in connection.execute(statement, values):
            found.setdefault(item, set()).add(cause)
    return found


def withheld_at_one_of(
    connection: Connection, tables: TrustTables, log: int, times: tuple[int, int]
) -> dict[int, int]:
    """Give what was withheld at one of two knowledge times and not at the other, and why.

    Under the trust of today what is withheld now is withheld at both.

    Returns:
        By item the position of the event between the two that withheld or released it last.
    """
    first, last = times
    w, q = tables.withheld.c, tables.quarantine.c
    released = and_(w.known <= first, w.released_known > first, w.released_known <= last)
    withheld = and_(w.known > first, w.known <= last, w.released_known > last)
    if tables.then:
        unreleased = w.released_known.is_(None)
        withheld = or_(withheld, and_(w.known > first, w.known <= last, unreleased))
    rows = connection.execute(
        select(w.item, case((released, q.released), else_=w.cause).label("change"))
        .join(tables.quarantine, and_(q.log == w.log, q.position == w.cause))
        .where(w.log == log, or_(released, withheld))
    )
    found: dict[int, int] = {}
    for item, change in rows:
        found[item] = max(change, found.get(item, change))
    return found


@cache
def _causes(tables: TrustTables, *, past: bool) -> Any:
    c = tables.withheld.c
    among = c.item.in_(bindparam("items", expanding=True))
    counts = _counts(tables, bindparam("known") if past else None)
    return select(c.item, c.cause).where(c.log == bindparam("in_log"), among, counts)


def _changes_what_is_withheld(recorded: RecordedEvent, tables: TrustTables, fold: Fold) -> bool:
    """Apply a quarantine, release or rejection by its header: reasons may have been erased."""
    header, facets = recorded.header, recorded.header.facets
    if header.type == FactRejected.TYPE:
        _withhold(tables, [facets["fact"]], header.position, header, fold)
    elif header.type == Quarantined.TYPE:
        cause = facets["part_of"]
        if cause < 0:
            cause = header.position
            row = (fold.log, cause, header.known, None, None)
            insert_rows(fold.connection, tables.quarantine, [row])
        _withhold(tables, positions_in(facets["ranges"]), cause, header, fold)
    elif header.type == Released.TYPE:
        _release(tables, facets["quarantine"], header, fold)
    else:
        return False
    return True


def _withhold(
    tables: TrustTables, items: Sequence[int], cause: int, header: Header, fold: Fold
) -> None:
    rows = [(fold.log, item, cause, header.known, None) for item in items]
    insert_rows(fold.connection, tables.withheld, rows)


def _release(tables: TrustTables, quarantine: int, header: Header, fold: Fold) -> None:
    c, w = tables.quarantine.c, tables.withheld.c
    released = update(tables.quarantine).where(c.log == fold.log, c.position == quarantine)
    at = {"released_known": header.known, "released": header.position}
    fold.connection.execute(released.values(at))
    items = update(tables.withheld).where(w.log == fold.log, w.cause == quarantine)
    fold.connection.execute(items.values(released_known=header.known))
