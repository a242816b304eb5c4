"""What an erasure takes along: the named content, and everything that was derived from it.

Content lives in payloads. A derived payload goes when anything that it was derived from goes: facts
and digests along the turns and facts that support them, an extraction and the raw replies in it
with any turn that it read or fact that it gave, a verdict with any fact that it was about, a
receipt with anything that was served. Source: design page on trust, "Erasure", 1; decision 33.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from sqlalchemy import ColumnElement, Connection, Table, or_, select

from smriti_es.blast_radius import BlastRadius, Target, Tracer
from smriti_es.erasure_lineage import ErasureLineage
from smriti_es.events.catalogue import (
    AliasRemoved,
    ArbitrationDecided,
    ExtractionCompleted,
    ExtractionFailed,
    FactRejected,
    Quarantined,
    Released,
    SessionStarted,
    TurnRecorded,
)
from smriti_es.events.database import in_parts
from smriti_es.events.errors import NotFound
from smriti_es.events.key_form import key_form
from smriti_es.events.log import EventLog
from smriti_es.events.records import RecordedEvent, decode_recorded
from smriti_es.events.tables import event_table, payload_table
from smriti_es.projections.entities import Names, alias_table, names_at
from smriti_es.projections.generation import Generation
from smriti_es.projections.lineage import children_of_any, lineage_table
from smriti_es.projections.trust import TrustTables, trust_tables

_EXTRACTIONS = (ExtractionCompleted.TYPE, ExtractionFailed.TYPE)
# What says that a quarantine or an alias, which goes, was lifted or continued.
_LIFTING = (Quarantined.TYPE, Released.TYPE, AliasRemoved.TYPE)


@dataclass(frozen=True, slots=True)
class ErasurePlan:
    """Positions whose content goes.

    Attributes:
        content: Sessions, turns, facts and ends.
        aliases: Aliases of an erased entity.
        events: Every event that goes, with its content, by position; derived ones among them.
    """

    content: BlastRadius
    aliases: tuple[int, ...]
    events: Mapping[int, RecordedEvent] = field(repr=False)

    @property
    def positions(self) -> list[int]:
        """All of them, ascending."""
        return sorted(self.events)

    @property
    def derived(self) -> int:
        """How many events go that only repeat content, or say something of it."""
        return len(self.events.keys() - {*self.content.positions, *self.aliases})


@dataclass(frozen=True, slots=True)
class Planner:
    """Finds what goes with a target, in one snapshot.

    Attributes:
        tracer: Follows what rests on what.
        trust: Tables of quarantines, holds and retention.
        aliases: The table of aliases.
        names: Who is who.
    """

    tracer: Tracer
    trust: TrustTables
    aliases: Table
    names: Names

    @classmethod
    def of(
        cls, connection: Connection, log: EventLog, serving: Mapping[str, Generation], space: str
    ) -> Self:
        """Take the tables of the generations that serve."""
        entities = serving["entities"].number
        return cls(
            Tracer.of(connection, log, serving, space),
            trust_tables(serving["trust"].number),
            alias_table(entities),
            names_at(connection, log.log, entities),
        )

    def plan(self, target: Target) -> ErasurePlan:
        """List everything that goes with a target.

        Raises:
            NotFound: There is no such thing.
        """
        if target.kind == "entity":
            names = self.names.all_of(self.names.root(key_form(str(target.name))))
            plan = self.plan_of(self.tracer.resting_on(self.tracer.of_entity(names)), names)
        elif target.kind == "space":
            plan = self.plan_of(self.tracer.radius(target), space=str(target.name))
        else:
            plan = self.plan_of(self._content_of(target))
        if not plan.events:
            raise NotFound(f"there is nothing of {target.kind} {target.name!r}")
        return plan

    def _content_of(self, target: Target) -> BlastRadius:
        content = self.tracer.radius(target)
        if target.kind != "origin":
            return content
        # A session of which nothing is left would keep its name.
        emptied = self.tracer.sessions_within(set(content.turns))
        return replace(content, sessions=tuple(sorted(emptied)))

    def names_without(self, aliases: Sequence[int]) -> Names:
        """Say who is who once some aliases are gone."""
        if not aliases:
            return self.names
        c = self.aliases.c
        rows = self.tracer.connection.execute(
            select(c.position, c.alias, c.canonical)
            .where(c.log == self._log, c.known_to.is_(None))
            .order_by(c.position)
        )
        return Names((each.alias, each.canonical) for each in rows if each.position not in aliases)

    def names_since(self, known: int) -> Names:
        """Say who was who at any time since a knowledge time, microseconds."""
        c = self.aliases.c
        rows = self.tracer.connection.execute(
            select(c.alias, c.canonical)
            .where(c.log == self._log, or_(c.known_to.is_(None), c.known_to > known))
            .order_by(c.position)
        )
        return Names((each.alias, each.canonical) for each in rows)

    def aliases_of(self, names: Sequence[str]) -> list[int]:
        """Give the events that aliased one of some names, in key form."""
        return self._positions(self.aliases, self._bears(names))

    def plan_of(
        self,
        content: BlastRadius,
        names: Sequence[str] = (),
        *,
        space: str | None = None,
        rules: bool = True,
    ) -> ErasurePlan:
        """List everything that goes with content.

        Args:
            content: Sessions, turns, facts and ends.
            names: All names of an entity that goes, in key form.
            space: A space that goes as a whole.
            rules: Whether the rules go that say how long a session is kept.
        """
        recorded = self._read(content.positions)
        aliases = self.aliases_of(names) if names else []
        going = self._derived(content, recorded)
        going |= self._lifted([*aliases, *self._quarantines_of(content)])
        going |= self._naming(recorded, names, space, rules=rules)
        events = {**recorded, **self._read(sorted(going - recorded.keys()))}
        # What was erased before has no content left to go.
        kept = {at: each for at, each in sorted(events.items()) if each.event is not None}
        return ErasurePlan(content, tuple(aliases), kept)

    def _derived(self, content: BlastRadius, recorded: Mapping[int, RecordedEvent]) -> set[int]:
        """Give the events that repeat content, or what was said about it."""
        claims = [*content.facts, *content.ends]
        given = self._extractions_of(claims) | self._parents(claims, (FactRejected.TYPE,))
        verdicts = self._positions(event_table, event_table.c.type == ArbitrationDecided.TYPE)
        referring = {*self._children(content.positions), *verdicts} - recorded.keys()
        around = self._read(sorted(referring)).values()
        return given | ErasureLineage(content, recorded, around).going()

    def _lifted(self, positions: Sequence[int]) -> set[int]:
        """Give quarantines and aliases with what continued or lifted them."""
        after = self._read(sorted(self._children(positions))).values()
        return {*positions, *(each.position for each in after if each.header.type in _LIFTING)}

    def _extractions_of(self, claims: Sequence[int]) -> set[int]:
        """Give the extractions that statements came from: their raw replies hold them.

        What else read the same turns may say the same: an attempt that failed, or one that another
        process made, of which every fact was known already.
        """
        sources = self._parents(claims, (*_EXTRACTIONS, TurnRecorded.TYPE))
        return self._of_types(sources | self._children(sorted(sources)), _EXTRACTIONS)

    def _parents(self, claims: Sequence[int], types: Sequence[str]) -> set[int]:
        c, e = lineage_table(self.tracer.lineage).c, event_table.c
        found: set[int] = set()
        for part in in_parts(claims):
            rows = self.tracer.connection.execute(
                select(c.parent)
                .join(event_table, (e.log == c.log) & (e.position == c.parent))
                .where(c.log == self._log, c.child.in_(part), e.type.in_(types))
            )
            found.update(rows.scalars())
        return found

    def _of_types(self, positions: set[int], types: Sequence[str]) -> set[int]:
        c = event_table.c
        return {
            at
            for part in in_parts(sorted(positions))
            for at in self._positions(event_table, c.position.in_(part) & c.type.in_(types))
        }

    def _quarantines_of(self, content: BlastRadius) -> list[int]:
        """Give the quarantines of what goes, and of which all goes: what they say may name it."""
        w, quarantine = self.trust.withheld, self.trust.quarantine
        items = content.positions
        causes = {
            row
            for part in in_parts(items)
            for row in self._positions(w, w.c.item.in_(part), column=w.c.cause)
        }
        standing = self._positions(quarantine, quarantine.c.position.in_(sorted(causes)))
        return [
            each.position
            for each in self._read(sorted(causes & set(standing))).values()
            if self._is_of(each.event, content)
            or set(self._positions(w, w.c.cause == each.position, column=w.c.item)) <= set(items)
        ]

    def _is_of(self, quarantined: Any, content: BlastRadius) -> bool:
        """Tell whether a quarantine names a turn, fact or session that goes."""
        if not isinstance(quarantined, Quarantined):
            return False
        target = quarantined.target
        named = {target.get("turn"), target.get("fact")} & set(content.positions)
        sessions = [
            each.event.session
            for each in self._read(content.sessions).values()
            if isinstance(each.event, SessionStarted)
        ]
        return bool(named) or target.get("session") in sessions

    def _naming(
        self,
        recorded: Mapping[int, RecordedEvent],
        names: Sequence[str],
        space: str | None,
        *,
        rules: bool,
    ) -> set[int]:
        """Give the holds and the retention that name what goes.

        None of these holds is in force: one that is forbids the erasure.
        """
        hold, kept = self.trust.keeping.hold, self.trust.keeping.retention
        by_position = [str(at) for at in recorded]
        found = self._positions(hold, self._held(("turn", "fact"), by_position))
        found += self._positions(hold, self._held(("entity",), names))
        if space is not None:
            found += self._positions(hold, self._held(("space",), [key_form(space)]))
            found += self._positions(kept, kept.c.space == space)
        for each in recorded.values():
            if isinstance(each.event, SessionStarted):
                within, name = each.event.space, each.event.session
                held = self._held(("session",), [key_form(name)]) & (hold.c.space == within)
                found += self._positions(hold, held)
                of_session = (kept.c.space == within) & (kept.c.session == name)
                found += self._positions(kept, of_session) if rules else []
        return set(found) | self._lifted_holds(set(found))

    def _held(self, kinds: Sequence[str], names: Sequence[str]) -> ColumnElement[bool]:
        c = self.trust.keeping.hold.c
        # Few are held, and all of that may go.
        wanted = set(names)
        held = self.tracer.connection.execute(
            select(c.position, c.name).where(c.log == self._log, c.kind.in_(kinds))
        )
        return c.position.in_([row.position for row in held if row.name in wanted])

    def _lifted_holds(self, holds: set[int]) -> set[int]:
        c = self.trust.keeping.hold.c
        held = c.position.in_(sorted(holds)) & c.released.is_not(None)
        return set(self._positions(self.trust.keeping.hold, held, column=c.released))

    def _bears(self, names: Sequence[str]) -> ColumnElement[bool]:
        c = self.aliases.c
        return or_(c.alias.in_(list(names)), c.canonical.in_(list(names)))

    @property
    def _log(self) -> int:
        return self.tracer.log.log

    def _children(self, positions: Sequence[int]) -> set[int]:
        connection, lineage = self.tracer.connection, self.tracer.lineage
        found = children_of_any(connection, self._log, lineage, positions)
        return {child for _, child in found}

    def _positions(
        self, table: Table, condition: Any, *, column: ColumnElement[int] | None = None
    ) -> list[int]:
        wanted = table.c.position if column is None else column
        statement = select(wanted).where(table.c.log == self._log, condition)
        return list(self.tracer.connection.execute(statement).scalars())

    def _read(self, positions: Sequence[int]) -> dict[int, RecordedEvent]:
        return read_events(self.tracer.connection, self._log, positions)


def read_events(
    connection: Connection, log: int, positions: Sequence[int]
) -> dict[int, RecordedEvent]:
    """Read events by position, in order of position."""
    e, p = event_table.c, payload_table.c
    joined = event_table.outerjoin(payload_table, (p.log == e.log) & (p.position == e.position))
    found: dict[int, RecordedEvent] = {}
    for part in in_parts(positions):
        rows = connection.execute(
            select(e.position, e.header, e.leaf, p.body)
            .select_from(joined)
            .where(e.log == log, e.position.in_(part))
            .order_by(e.position)
        )
        for row in rows:
            found[row.position] = decode_recorded(row.header, row.leaf, row.body)
    return found
