"""`facts`: what has been stated, and how each statement stands now.

The chain (which value follows which) is decided when something is appended; this projection applies
what was decided and decides nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, ClassVar, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    MetaData,
    String,
    Table,
    bindparam,
    update,
)

from smriti_es.events.catalogue import (
    ArbitrationDecided,
    Erased,
    FactAdmitted,
    FactApproved,
    FactAsserted,
    FactEnded,
    FactEndRetracted,
    FactIntervalRevised,
    FactLapsed,
    FactProposed,
    FactReaffirmed,
    FactRejected,
    FactReopened,
    FactRetracted,
    FactSuperseded,
)
from smriti_es.events.database import insert_rows, run_for_each
from smriti_es.events.erasure import positions_in
from smriti_es.events.key_form import key_form
from smriti_es.events.records import RecordedEvent
from smriti_es.events.tables import BigNumber
from smriti_es.projections.labels import LabelRows, attribute_table, position_key, tag_table
from smriti_es.projections.projection import Fold, Projection, delete_rows, rows_by_key

ADMITTED: Final = "admitted"
PROPOSED: Final = "proposed"
REJECTED: Final = "rejected"
RETRACTED: Final = "retracted"
# What had followed it, or ended it, was erased: it is over, and nobody knows since when.
LAPSED: Final = "lapsed"
_PLACE: Final = ("state", "valid_to", "superseded_by", "folded_into")


@dataclass(frozen=True, slots=True)
class FactTables:
    """The tables of one generation.

    Attributes:
        fact: One row a statement, with its place in the chain as it is now.
        end: Stated ends.
        edge: Decisions that one fact replaces another one of a predicate with many values.
        premise: Which fact was derived from which.
        entity: Names in a fact, in key form.
        tag: The caller's tags.
        attribute: The caller's metadata.
    """

    fact: Table
    end: Table
    edge: Table
    premise: Table
    entity: Table
    tag: Table
    attribute: Table


@cache
def fact_tables(generation: int) -> FactTables:
    """Give the tables of a generation."""
    suffix = f"v{FactsProjection.version}_g{generation}"
    metadata = MetaData()
    return FactTables(
        _fact_table(suffix, metadata),
        _end_table(suffix, metadata),
        _pair_table("edge", "of", suffix, metadata),
        _pair_table("premise", "premise", suffix, metadata),
        Table(
            f"fact_entity_{suffix}",
            metadata,
            Column("log", BigNumber, primary_key=True, autoincrement=False),
            Column("entity", String, primary_key=True),
            Column("position", BigNumber, primary_key=True, autoincrement=False),
            sqlite_with_rowid=False,
        ),
        tag_table(f"fact_tag_{suffix}", metadata),
        attribute_table(f"fact_attribute_{suffix}", metadata),
    )


def _fact_table(suffix: str, metadata: MetaData) -> Table:
    return Table(
        f"fact_{suffix}",
        metadata,
        *position_key(),
        Column("fact", String(32), nullable=False),
        Column("space", String, nullable=False),
        Column("subject", String, nullable=False),
        Column("predicate", String, nullable=False),
        Column("scope", String, nullable=False),
        # The value in key form, by which two statements say the same.
        Column("value", String, nullable=False),
        Column("single", Boolean, nullable=False),
        Column("state", String(16), nullable=False),
        Column("origin", String(16), nullable=False),
        # Whether an owner let it stand, whoever said it.
        Column("approved", Boolean, nullable=False),
        Column("kind", String, nullable=False),
        Column("said_at", BigInteger, nullable=False),
        Column("known", BigInteger, nullable=False),
        Column("valid_from", BigInteger, nullable=False),
        Column("stated_to", BigInteger, nullable=True),
        Column("valid_to", BigInteger, nullable=True),
        Column("superseded_by", BigInteger, nullable=True),
        Column("folded_into", BigInteger, nullable=True),
        # Position of the erasure that took what had followed it, or ended it; of a proposal, what
        # it would have moved.
        Column("lapse_mark", BigInteger, nullable=True),
        Index(f"fact_by_subject_{suffix}", "log", "subject", "predicate"),
        Index(f"fact_by_predicate_{suffix}", "log", "predicate"),
        # By its id a statement that was recorded before is recognised.
        Index(f"fact_by_id_{suffix}", "log", "fact"),
    )


def _end_table(suffix: str, metadata: MetaData) -> Table:
    return Table(
        f"fact_end_{suffix}",
        metadata,
        *position_key(),
        Column("space", String, nullable=False),
        Column("subject", String, nullable=False),
        Column("predicate", String, nullable=False),
        Column("scope", String, nullable=False),
        Column("value", String, nullable=False),
        Column("valid_to", BigInteger, nullable=False),
        Column("said_at", BigInteger, nullable=False),
        Column("known", BigInteger, nullable=False),
        Column("retracted_known", BigInteger, nullable=True),
        Column("origin", String(16), nullable=False),
        Column("state", String(16), nullable=False),
        Column("approved", Boolean, nullable=False),
        Index(f"fact_end_by_subject_{suffix}", "log", "subject", "predicate"),
    )


def _pair_table(name: str, other: str, suffix: str, metadata: MetaData) -> Table:
    return Table(
        f"fact_{name}_{suffix}",
        metadata,
        *position_key(),
        Column(other, BigNumber, primary_key=True, autoincrement=False),
        Index(f"fact_{name}_back_{suffix}", "log", other),
    )


@dataclass(slots=True)
class _Rows:
    """What one batch adds and changes, gathered before it is written in few statements."""

    facts: list[tuple[Any, ...]] = field(default_factory=list)
    ends: list[tuple[Any, ...]] = field(default_factory=list)
    edges: list[tuple[Any, ...]] = field(default_factory=list)
    premises: list[tuple[Any, ...]] = field(default_factory=list)
    entities: list[tuple[Any, ...]] = field(default_factory=list)
    labels: LabelRows = field(default_factory=LabelRows)
    # The last change of each fact's place, by position; and ends that were taken back.
    changes: dict[int, dict[str, Any]] = field(default_factory=dict)
    taken_back: list[dict[str, Any]] = field(default_factory=list)
    # Statements and stated ends, which of the two nobody needs to know here.
    reviewed: dict[int, dict[str, Any]] = field(default_factory=dict)
    approved: list[dict[str, Any]] = field(default_factory=list)
    marks: list[dict[str, Any]] = field(default_factory=list)


class FactsProjection(Projection):
    """Statements of fact, as they stand now."""

    name: ClassVar[str] = "facts"
    version: ClassVar[int] = 3
    stems: ClassVar[tuple[str, ...]] = (
        "fact",
        "fact_end",
        "fact_edge",
        "fact_premise",
        "fact_entity",
        "fact_tag",
        "fact_attribute",
    )

    def tables(self, generation: int) -> Sequence[Table]:
        """Give the seven tables of a generation."""
        tables = fact_tables(generation)
        return tuple(getattr(tables, each.name) for each in fields(tables))

    def apply(self, prepared: Sequence[RecordedEvent], fold: Fold) -> None:
        """Apply statements and what was decided about them."""
        rows = _Rows()
        for recorded in prepared:
            if (change := link_change(recorded)) is not None:
                position, values = change
                rows.changes[position] = values
                if recorded.header.type in _REVIEWED:
                    rows.reviewed[position] = {"at": position, "state": values["state"]}
                if recorded.header.type == FactApproved.TYPE:
                    rows.approved.append({"at": position, "approved": True})
            else:
                _gather(rows, recorded, fold.log)
        _write(fact_tables(fold.generation), rows, fold)

    def erase(self, positions: Sequence[int], fold: Fold) -> None:
        """Delete statements and ends; no decision to replace one leads to what is gone."""
        super().erase(positions, fold)
        edge = fact_tables(fold.generation).edge
        delete_rows(fold, edge, edge.c.of, positions)

    def canonical_rows(self, fold: Fold) -> Iterable[Sequence[Any]]:
        """Give all rows, table by table."""
        return rows_by_key(self.tables(fold.generation), fold)


# What takes a statement out of its chain; the header alone says so, whatever was erased.
_TAKEN_OUT: Final = {
    FactRetracted.TYPE: RETRACTED,
    FactProposed.TYPE: PROPOSED,
    FactRejected.TYPE: REJECTED,
    FactLapsed.TYPE: LAPSED,
}
_REVIEWED: Final = frozenset(
    {FactProposed.TYPE, FactAdmitted.TYPE, FactApproved.TYPE, FactRejected.TYPE}
)
# Whatever followed a statement, or ended it, was erased with these.
_LAPSING: Final = frozenset({FactSuperseded.TYPE, FactIntervalRevised.TYPE, FactReopened.TYPE})


def link_change(recorded: RecordedEvent) -> tuple[int, dict[str, Any]] | None:
    """Read what an event changes of a fact's place: its position and the new values, or None.

    Both `facts` and `revisions` apply it, each to rows of its own.
    """
    header = recorded.header
    if (state := _TAKEN_OUT.get(header.type)) is not None:
        return header.facets["fact"], _link(state, None, None, None)
    if recorded.event is None and header.type in _LAPSING:
        return header.facets["fact"], _link(LAPSED, None, None, None)
    match recorded.event:
        case FactAdmitted() | FactApproved() | FactReopened() as event:
            return event.fact, _link(ADMITTED, event.valid_to, None, None)
        case FactSuperseded() | FactIntervalRevised() as event:
            by = event.by if event.by >= 0 else None
            return event.fact, _link(ADMITTED, event.valid_to, by, None)
        case FactReaffirmed() as event:
            return event.fact, _link(ADMITTED, None, None, event.standing)
        case _:
            return None


def _link(state: str, valid_to: int | None, by: int | None, standing: int | None) -> dict[str, Any]:
    return {"state": state, "valid_to": valid_to, "superseded_by": by, "folded_into": standing}


def _gather(rows: _Rows, recorded: RecordedEvent, log: int) -> None:
    """Gather what an event adds, or takes back of what was said of an end."""
    header, facets = recorded.header, recorded.header.facets
    match recorded.event:
        case FactAsserted() as event:
            _add_fact(rows, recorded, event, log)
        case FactEnded() as event:
            rows.ends.append(_end_row(recorded, event, log))
    # Of these the header says all that counts: what was said of it may have been erased.
    if header.type == FactEndRetracted.TYPE:
        rows.taken_back.append({"at": facets["end"], "retracted_known": header.known})
    elif header.type == ArbitrationDecided.TYPE and facets["action"] == "supersede":
        rows.edges.append((log, facets["fact"], facets["target"]))
    elif header.type == Erased.TYPE:
        mark = header.position if facets["predecessor"] == "lapse" else None
        predecessors = positions_in(facets["predecessors"])
        rows.marks += [{"at": each, "lapse_mark": mark} for each in predecessors]


def _add_fact(rows: _Rows, recorded: RecordedEvent, event: FactAsserted, log: int) -> None:
    at, subject = recorded.position, key_form(event.subject)
    rows.facts.append(
        (
            log,
            at,
            event.fact,
            event.space,
            subject,
            event.predicate,
            key_form(event.scope),
            key_form(event.object),
            event.single,
            ADMITTED,
            event.origin,
            False,
            event.kind,
            event.said_at,
            recorded.header.known,
            event.valid_from,
            event.valid_to,
            event.valid_to,
            None,
            None,
            None,
        )
    )
    rows.premises.extend((log, at, premise) for premise in sorted(set(event.because)))
    names = {subject, *map(key_form, event.entities)} - {""}
    rows.entities.extend((log, name, at) for name in sorted(names))
    rows.labels.add(log, at, event.tags, event.metadata)


def _end_row(recorded: RecordedEvent, event: FactEnded, log: int) -> tuple[Any, ...]:
    return (
        log,
        recorded.position,
        event.space,
        key_form(event.subject),
        event.predicate,
        key_form(event.scope),
        key_form(event.object),
        event.valid_to,
        event.said_at,
        recorded.header.known,
        None,
        event.origin,
        ADMITTED,
        False,
    )


def _write(tables: FactTables, rows: _Rows, fold: Fold) -> None:
    """Write what a batch adds, then what it changes: whatever is changed was added before."""
    insert_rows(fold.connection, tables.fact, rows.facts)
    insert_rows(fold.connection, tables.end, rows.ends)
    insert_rows(fold.connection, tables.edge, rows.edges)
    insert_rows(fold.connection, tables.premise, rows.premises)
    insert_rows(fold.connection, tables.entity, rows.entities)
    rows.labels.write(fold.connection, tables.tag, tables.attribute)
    changes = [values | {"at": position} for position, values in rows.changes.items()]
    _update(tables.fact, _PLACE, changes, fold)
    _update(tables.end, ("state",), list(rows.reviewed.values()), fold)
    _update(tables.fact, ("lapse_mark",), rows.marks, fold)
    _update(tables.end, ("retracted_known",), rows.taken_back, fold)
    _update(tables.end, ("approved",), rows.approved, fold)
    settled = [each | {"lapse_mark": None} for each in rows.approved]
    _update(tables.fact, ("approved", "lapse_mark"), settled, fold)


def _update(
    table: Table, names: tuple[str, ...], changes: Sequence[dict[str, Any]], fold: Fold
) -> None:
    statement = _update_statement(table, names)
    run_for_each(fold.connection, statement, [each | {"in_log": fold.log} for each in changes])


@cache
def _update_statement(table: Table, names: tuple[str, ...]) -> Any:
    return (
        update(table)
        .where(table.c.log == bindparam("in_log"), table.c.position == bindparam("at"))
        .values({name: bindparam(name) for name in names})
    )
