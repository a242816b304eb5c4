"""Relink: compare the chain that should be with the chain that is, and record the difference.

Every command that changes which facts are admitted or when they hold calls `relink`, under the head
lock. Projections apply the events that come out of it; they decide nothing themselves.
Source: design page on time, "Supersession".
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from sqlalchemy import Connection, CursorResult, Select, Table, bindparam, select

from smriti_es.chain import (
    Link,
    Replacement,
    StatedEnd,
    Statement,
    multiple_chains,
    single_chain,
)
from smriti_es.events.catalogue import (
    ArbitrationDecided,
    Event,
    FactAsserted,
    FactEnded,
    FactIntervalRevised,
    FactReaffirmed,
    FactReopened,
    FactSuperseded,
)
from smriti_es.events.catalogue.facts import NOBODY
from smriti_es.events.key_form import key_form
from smriti_es.events.records import NewEvent
from smriti_es.projections.entities import Names
from smriti_es.projections.facts import ADMITTED, FactTables

# A header has room for many references, but not for any number of them.
_CAUSES_MAX: Final = 64


@dataclass(frozen=True, slots=True, order=True)
class FactKey:
    """What a chain belongs to, with the subject as an entity.

    Attributes:
        space: The space.
        subject: The name that stands for the subject, in key form.
        predicate: In key form.
        scope: In key form.
    """

    space: str
    subject: str
    predicate: str
    scope: str


@dataclass(slots=True)
class _Member:
    """A statement of a chain with its place as it is recorded."""

    statement: Statement
    single: bool
    link: Link
    # Whether its place was ever recorded; a new statement's stated end is.
    new: bool = False


@dataclass(slots=True)
class Pending:
    """What a command is about to record, and what is about to go: the chain must know both.

    Attributes:
        asserted: New statements, by the position that they will have.
        ended: New stated ends.
        replacements: New decisions that one statement replaces another.
        retracted: Positions of facts that are about to be taken back.
        ends_retracted: Positions of stated ends that are about to be taken back.
    """

    asserted: dict[int, FactAsserted] = field(default_factory=dict)
    ended: list[FactEnded] = field(default_factory=list)
    replacements: list[Replacement] = field(default_factory=list)
    retracted: set[int] = field(default_factory=set)
    ends_retracted: set[int] = field(default_factory=set)

    def take_over(self, events: Sequence[NewEvent], position: int) -> None:
        """Take over statements and verdicts about to be recorded from a position on."""
        for at, new in enumerate(events, position):
            if isinstance(new.event, FactAsserted):
                self.asserted[at] = new.event
            elif isinstance(new.event, ArbitrationDecided) and new.event.action == "supersede":
                self.replacements.append(Replacement(new.event.fact, new.event.target))


@dataclass(frozen=True, slots=True)
class Relinker:
    """Relinks chains of one log inside one append.

    Attributes:
        connection: The write transaction.
        log: The log's number.
        tables: Tables of the facts generation that serves.
        names: Who is who once the command is recorded.
    """

    connection: Connection
    log: int
    tables: FactTables
    names: Names

    def key_of(self, event: FactAsserted | FactEnded) -> FactKey:
        """Give the key of a statement or a stated end."""
        return FactKey(
            event.space,
            self.names.root(key_form(event.subject)),
            event.predicate,
            key_form(event.scope),
        )

    def relink(self, causes: Mapping[FactKey, Sequence[int]], pending: Pending) -> list[NewEvent]:
        """Give the events that bring the chains of some keys to what they should be.

        Args:
            causes: Per key the positions of the events that made it necessary; of very many the
                first are named.
            pending: What the command records besides.
        """
        asserted: dict[FactKey, dict[int, FactAsserted]] = {}
        for position, event in pending.asserted.items():
            asserted.setdefault(self.key_of(event), {})[position] = event
        events: list[NewEvent] = []
        for key in sorted(causes):
            members = self._members(key, asserted.get(key, {}), pending)
            links = self._chain(key, members, pending)
            for position in sorted(members):
                change = _change(members[position], links[position])
                if change is not None:
                    events.append(_caused(change, causes[key][:_CAUSES_MAX]))
        return events

    def causes_in(
        self, events: Sequence[NewEvent], position: int, pending: Pending
    ) -> dict[FactKey, list[int]]:
        """Give the keys that statements, ends and verdicts concern, each with their positions.

        Args:
            events: About to be recorded from a position on.
            position: Where the first of them will stand.
            pending: Has taken over the statements among them.
        """
        causes: dict[FactKey, list[int]] = {}
        for at, new in enumerate(events, position):
            match new.event:
                case FactAsserted() | FactEnded() as said:
                    causes.setdefault(self.key_of(said), []).append(at)
                case ArbitrationDecided() as verdict if verdict.fact in pending.asserted:
                    causes[self.key_of(pending.asserted[verdict.fact])].append(at)
        return causes

    def keys_at(self, positions: Iterable[int]) -> set[FactKey]:
        """Give the keys of recorded facts."""
        wanted = list(positions)
        fact = self.tables.fact.c
        rows = self.connection.execute(
            select(fact.space, fact.subject, fact.predicate, fact.scope).where(
                fact.log == self.log, fact.position.in_(wanted)
            )
        )
        return {
            FactKey(row.space, self.names.root(row.subject), row.predicate, row.scope)
            for row in rows
        }

    def keys_of_subjects(self, names: Iterable[str]) -> set[FactKey]:
        """Give every key whose subject bears one of the names, in key form."""
        fact = self.tables.fact.c
        rows = self.connection.execute(
            select(fact.space, fact.subject, fact.predicate, fact.scope)
            .where(fact.log == self.log, fact.subject.in_(list(names)))
            .distinct()
        )
        return {
            FactKey(row.space, self.names.root(row.subject), row.predicate, row.scope)
            for row in rows
        }

    def _members(
        self, key: FactKey, asserted: Mapping[int, FactAsserted], pending: Pending
    ) -> dict[int, _Member]:
        members = {
            row.position: _recorded_member(row)
            for row in self._rows(self.tables.fact, key)
            if row.state == ADMITTED and row.position not in pending.retracted
        }
        for position, event in asserted.items():
            members[position] = _new_member(position, event)
        return members

    def _chain(
        self, key: FactKey, members: dict[int, _Member], pending: Pending
    ) -> dict[int, Link]:
        statements = [member.statement for member in members.values()]
        ends = self._ends(key, pending)
        if any(member.single for member in members.values()):
            return single_chain(statements, ends)
        return multiple_chains(statements, ends, self._replacements(members, pending))

    def _ends(self, key: FactKey, pending: Pending) -> list[StatedEnd]:
        ends = [
            StatedEnd(row.value, row.valid_to, row.said_at)
            for row in self._rows(self.tables.end, key)
            if row.retracted_known is None and row.position not in pending.ends_retracted
        ]
        ends += [
            StatedEnd(key_form(event.object), event.valid_to, event.said_at)
            for event in pending.ended
            if self.key_of(event) == key
        ]
        return ends

    def _replacements(self, members: dict[int, _Member], pending: Pending) -> list[Replacement]:
        edge = self.tables.edge.c
        rows = self.connection.execute(
            select(edge.position, edge.of).where(edge.log == self.log, edge.of.in_(list(members)))
        )
        return [*(Replacement(row.position, row.of) for row in rows), *pending.replacements]

    def _rows(self, table: Table, key: FactKey) -> CursorResult[Any]:
        values = {
            "in_log": self.log,
            "subjects": self.names.all_of(key.subject),
            "of_predicate": key.predicate,
            "in_space": key.space,
            "in_scope": key.scope,
        }
        return self.connection.execute(_of_key(table), values)


@cache
def _of_key(table: Table) -> Select[Any]:
    """Select the rows of a key; built once, for building it costs more than running it."""
    c = table.c
    return select(table).where(
        c.log == bindparam("in_log"),
        c.subject.in_(bindparam("subjects", expanding=True)),
        c.predicate == bindparam("of_predicate"),
        c.space == bindparam("in_space"),
        c.scope == bindparam("in_scope"),
    )


def _recorded_member(row: Any) -> _Member:
    statement = Statement(
        row.position, row.fact, row.value, row.valid_from, row.said_at, row.stated_to
    )
    link = Link(row.valid_to, row.superseded_by, row.folded_into)
    return _Member(statement, row.single, link)


def _new_member(position: int, event: FactAsserted) -> _Member:
    statement = Statement(
        position,
        event.fact,
        key_form(event.object),
        event.valid_from,
        event.said_at,
        event.valid_to,
    )
    return _Member(statement, event.single, Link(event.valid_to), new=True)


def _change(member: _Member, link: Link) -> Event | None:
    """Say what takes a statement from its recorded place to the one it should have."""
    fact, before = member.statement.position, member.link
    if before == link:
        return None
    if link.folded_into is not None:
        return FactReaffirmed(fact=fact, standing=link.folded_into)
    moved = before.superseded_by is not None or before.folded_into is not None
    if link.superseded_by is not None:
        assert link.valid_to is not None
        if before.superseded_by is None:
            return FactSuperseded(fact=fact, by=link.superseded_by, valid_to=link.valid_to)
        return FactIntervalRevised(fact=fact, by=link.superseded_by, valid_to=link.valid_to)
    if moved:
        return FactReopened(fact=fact, valid_to=link.valid_to)
    return FactIntervalRevised(fact=fact, by=NOBODY, valid_to=link.valid_to)


def _caused(change: Event, causes: Sequence[int]) -> NewEvent:
    named = [getattr(change, name, NOBODY) for name in ("fact", "by", "standing")]
    refs = {position for position in (*named, *causes) if position != NOBODY}
    return NewEvent(change, tuple(sorted(refs)))
