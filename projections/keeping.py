"""What must be kept, what must go, and what must not come back: a part of `trust`.

Holds, retention, erasures and tombstones. A tombstone is an HMAC under the tenant's key, so it
tells nothing of what it keeps out. Source: design page on trust, "Erasure" and "Retention and
holds"; decision 36.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sqlalchemy import BigInteger, Column, Integer, MetaData, String, Table, delete, update

from smriti_es.events.catalogue import (
    Erased,
    ErasureCompleted,
    FactRejected,
    HoldPlaced,
    HoldReleased,
    RetentionSet,
    TombstonesCleared,
)
from smriti_es.events.database import in_parts, insert_rows
from smriti_es.events.key_form import key_form
from smriti_es.events.records import RecordedEvent
from smriti_es.events.tables import BigNumber
from smriti_es.projections.labels import position_key
from smriti_es.projections.projection import Fold, delete_rows

# What names a thing by its position rather than in words.
_BY_POSITION: Final = frozenset({"turn", "fact"})
# Whose later word an erasure keeps out: anybody's.
ANYBODY: Final = "owner"


@dataclass(frozen=True, slots=True)
class KeepingTables:
    """The tables of one generation.

    Attributes:
        hold: One row a hold.
        retention: What is kept for how long; the last word on each.
        erasure: One row an erasure, and how far its scrub has come.
        value: Tombstones of values.
        turn: Tombstones of turns.
    """

    hold: Table
    retention: Table
    erasure: Table
    value: Table
    turn: Table


@cache
def keeping_tables(suffix: str) -> KeepingTables:
    """Give the tables of a generation, by what its tables' names end with."""
    metadata = MetaData()
    return KeepingTables(
        Table(
            f"hold_{suffix}",
            metadata,
            *position_key(),
            Column("kind", String(16), nullable=False),
            # In key form, so that it is found by every spelling; a position as text.
            Column("name", String, nullable=False),
            Column("space", String, nullable=False),
            Column("known", BigInteger, nullable=False),
            Column("expires_at", BigInteger, nullable=True),
            Column("released", BigInteger, nullable=True),
        ),
        Table(
            f"retention_{suffix}",
            metadata,
            *position_key(),
            Column("space", String, nullable=False),
            Column("session", String, nullable=False),
            Column("kind", String, nullable=False),
            Column("keep_for", BigInteger, nullable=False),
        ),
        Table(
            f"erasure_{suffix}",
            metadata,
            *position_key(),
            Column("known", BigInteger, nullable=False),
            Column("items", Integer, nullable=False),
            # Position of what says that the scrub is done; None while it waits.
            Column("completed", BigInteger, nullable=True),
            Column("verified", Integer, nullable=True),
        ),
        Table(
            f"tombstone_{suffix}",
            metadata,
            Column("log", BigNumber, primary_key=True, autoincrement=False),
            Column("mac", String(64), primary_key=True),
            Column("position", BigInteger, nullable=False),
            # Statements of this origin and of lower ones are kept out.
            Column("origin", String(16), nullable=False),
            sqlite_with_rowid=False,
        ),
        Table(
            f"turn_tombstone_{suffix}",
            metadata,
            Column("log", BigNumber, primary_key=True, autoincrement=False),
            Column("session", String(64), primary_key=True),
            Column("position", BigNumber, primary_key=True, autoincrement=False),
            Column("ordinal", Integer, nullable=False),
            # Position of the erasure: what came after it was let in again.
            Column("erased", BigInteger, nullable=False),
            Column("said", String(64), nullable=False),
            Column("timed", String(64), nullable=True),
            Column("source", String(64), nullable=True),
            sqlite_with_rowid=False,
        ),
    )


# The events that are folded here.
KEEPING: Final = frozenset(
    kind.TYPE
    for kind in (
        Erased,
        ErasureCompleted,
        HoldPlaced,
        HoldReleased,
        RetentionSet,
        FactRejected,
        TombstonesCleared,
    )
)
STEMS: Final = ("hold", "retention", "erasure", "tombstone", "turn_tombstone")


def fold_keeping(recorded: RecordedEvent, tables: KeepingTables, fold: Fold) -> None:
    """Fold an event that says what is kept, what goes, and what may not come back."""
    header = recorded.header
    if header.type in (Erased.TYPE, ErasureCompleted.TYPE):
        _fold_erasure(recorded, tables, fold)
    elif header.type == HoldReleased.TYPE:
        hold = tables.hold.c
        released = update(tables.hold).where(
            hold.log == fold.log, hold.position == header.facets["hold"]
        )
        fold.connection.execute(released.values(released=header.position))
    match recorded.event:
        case HoldPlaced() as event:
            expires = None if event.expires_at < 0 else event.expires_at
            name = event.name if event.kind in _BY_POSITION else key_form(event.name)
            named = (event.kind, name, event.space)
            row = (fold.log, header.position, *named, header.known, expires, None)
            insert_rows(fold.connection, tables.hold, [row])
        case RetentionSet() as event:
            _set_retention(header.position, event, tables, fold)
        case FactRejected(tombstones=macs, origin=origin) if macs:
            _bury(macs, origin, header.position, tables, fold)
        case TombstonesCleared() as event:
            mac = tables.value.c.mac
            for part in in_parts(event.values):
                gone = delete(tables.value).where(tables.value.c.log == fold.log, mac.in_(part))
                fold.connection.execute(gone)


def forget_names(positions: Sequence[int], tables: KeepingTables, fold: Fold) -> None:
    """Delete holds and retention whose names were erased, and tombstones that a rejection left."""
    for table in (tables.hold, tables.retention, tables.value):
        delete_rows(fold, table, table.c.position, positions)


def _fold_erasure(recorded: RecordedEvent, tables: KeepingTables, fold: Fold) -> None:
    header, event = recorded.header, recorded.event
    c, at = tables.erasure.c, header.facets
    if header.type == ErasureCompleted.TYPE:
        done = update(tables.erasure).where(c.log == fold.log, c.position == at["erased"])
        values = {"completed": header.position, "verified": at["verified"]}
        fold.connection.execute(done.values(values))
        return
    items = sum(last - first + 1 for first, last in at["ranges"])
    if at["part_of"] < 0:
        row = (fold.log, header.position, header.known, items, None, None)
        insert_rows(fold.connection, tables.erasure, [row])
    else:
        more = update(tables.erasure).where(c.log == fold.log, c.position == at["part_of"])
        fold.connection.execute(more.values(items=c["items"] + items))
    if isinstance(event, Erased):
        _bury(event.values, ANYBODY, header.position, tables, fold)
        turns = [
            (
                fold.log,
                each["session"],
                each["position"],
                each["ordinal"],
                header.position,
                each["said"],
                each.get("timed"),
                each.get("source"),
            )
            for each in event.turns
        ]
        insert_rows(fold.connection, tables.turn, turns)


def _set_retention(position: int, event: RetentionSet, tables: KeepingTables, fold: Fold) -> None:
    c, named = tables.retention.c, (event.space, event.session, event.kind)
    same = (c.space == event.space, c.session == event.session, c.kind == event.kind)
    fold.connection.execute(delete(tables.retention).where(c.log == fold.log, *same))
    # What is kept for as long as one likes needs no rule, but as an exception from another one.
    if event.keep_for >= 0 or event.session or event.kind:
        row = (fold.log, position, *named, event.keep_for)
        insert_rows(fold.connection, tables.retention, [row])


def _bury(
    macs: Sequence[str], origin: str, position: int, tables: KeepingTables, fold: Fold
) -> None:
    """Keep values out; of two tombstones of one value, the last counts."""
    c = tables.value.c
    for part in in_parts(macs):
        fold.connection.execute(delete(tables.value).where(c.log == fold.log, c.mac.in_(part)))
    rows: list[tuple[Any, ...]] = [(fold.log, mac, position, origin) for mac in sorted(set(macs))]
    insert_rows(fold.connection, tables.value, rows)
