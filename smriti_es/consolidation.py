"""Relink: compare the chain that should be with the chain that is, and record the difference.

Every command that changes which facts are admitted or when they hold calls `relink`, under the head
lock. Projections apply the events that come out of it; they decide nothing themselves.
Source: design page on time, "Supersession".
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    CursorResult,
    Select,
    Table,
    bindparam,
    select,
)

from smriti_es.admission import Admission, Claim, admit
from smriti_es.chain import (
    Link,
    Replacement,
    StatedEnd,
    Statement,
    multiple_chains,
    single_chain,
)
from smriti_es.chain_members import (
    Member,
    Pending,
    new_member,
    recorded_end,
    recorded_statement,
)
from smriti_es.events.catalogue import (
    ArbitrationDecided,
    Event,
    FactAdmitted,
    FactAsserted,
    FactEnded,
    FactIntervalRevised,
    FactLapsed,
    FactProposed,
    FactReaffirmed,
    FactReopened,
    FactSuperseded,
)
from smriti_es.events.catalogue.facts import NOBODY
from smriti_es.events.database import in_parts
from smriti_es.events.key_form import key_form
from smriti_es.events.records import NewEvent
from smriti_es.projections.entities import Names
from smriti_es.projections.facts import ADMITTED, LAPSED, PROPOSED, FactTables
from smriti_es.withholding import Withholding

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


@dataclass(frozen=True, slots=True)
class Relinker:
    """Relinks chains of one log inside one append.

    Attributes:
        connection: The write transaction.
        log: The log's number.
        tables: Tables of the facts generation that serves.
        withholding: Whose word counts for more, and what is withheld.
        names: Who is who once the command is recorded.
    """

    connection: Connection
    log: int
    tables: FactTables
    withholding: Withholding
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
        by_key: dict[FactKey, list[Member]] = {}
        claims: dict[int, FactAsserted | FactEnded] = {**pending.asserted, **pending.ended}
        for at, event in claims.items():
            by_key.setdefault(self.key_of(event), []).append(new_member(at, event))
        events: list[NewEvent] = []
        for key in sorted(causes):
            members = {
                member.claim.position: member
                for member in (*self._recorded(key, pending), *by_key.get(key, ()))
                if member.claim.position not in pending.gone
            }
            named = causes[key][:_CAUSES_MAX]
            events += [_caused(change, named) for change in self._changes(members, pending)]
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
        """Give the keys of recorded statements and stated ends."""
        wanted = list(positions)
        return {
            key
            for table in (self.tables.fact, self.tables.end)
            for part in in_parts(wanted)
            for key in self._keys(table, table.c.position.in_(part))
        }

    def keys_below(self, origin: str) -> set[FactKey]:
        """Give every key of which anything was said by another origin than this one."""
        return {
            key
            for table in (self.tables.fact, self.tables.end)
            for key in self._keys(table, table.c.origin != origin)
        }

    def keys_of_subjects(self, names: Iterable[str]) -> set[FactKey]:
        """Give every key whose subject bears one of the names, in key form."""
        return self._keys(self.tables.fact, self.tables.fact.c.subject.in_(list(names)))

    def _keys(self, table: Table, condition: ColumnElement[bool]) -> set[FactKey]:
        c = table.c
        rows = self.connection.execute(
            select(c.space, c.subject, c.predicate, c.scope)
            .where(c.log == self.log, condition)
            .distinct()
        )
        return {
            FactKey(row.space, self.names.root(row.subject), row.predicate, row.scope)
            for row in rows
        }

    def _recorded(self, key: FactKey, pending: Pending) -> list[Member]:
        """Read what was claimed of a key and may stand, as far as nothing withholds it."""
        members = [
            recorded_statement(row, pending)
            for row in self._rows(self.tables.fact, key)
            if row.state in (ADMITTED, LAPSED, PROPOSED)
        ]
        members += [
            recorded_end(row, pending)
            for row in self._rows(self.tables.end, key)
            if row.state in (ADMITTED, PROPOSED) and row.retracted_known is None
        ]
        withheld = self.withholding.withheld_among(
            [member.claim.position for member in members], releasing=pending.releasing
        )
        return [member for member in members if member.claim.position not in withheld]

    def opposed_by(self, key: FactKey) -> Mapping[int, int]:
        """Give the claims of a key that wait as things stand, each with what it would move."""
        members = {member.claim.position: member for member in self._recorded(key, Pending())}
        return self._admission(members, Pending()).against

    def _changes(self, members: Mapping[int, Member], pending: Pending) -> Iterator[Event]:
        """Say what takes each claim of a key from where it is recorded to where it should be."""
        admission = self._admission(members, pending)
        for position in sorted(members):
            yield from _settled(members[position], admission)

    def _admission(self, members: Mapping[int, Member], pending: Pending) -> Admission:
        """Decide which claims of a key stand."""
        replacements = self._replacements(members, pending)

        def chain_of(claims: Sequence[Claim]) -> Mapping[int, Link]:
            statements = [each.said for each in claims if isinstance(each.said, Statement)]
            ends = [each.said for each in claims if isinstance(each.said, StatedEnd)]
            if any(members[each.position].single for each in claims):
                return single_chain(statements, ends)
            return multiple_chains(statements, ends, replacements)

        policy = pending.policy or self.withholding.policy
        return admit([member.claim for member in members.values()], policy, chain_of)

    def _replacements(self, members: Mapping[int, Member], pending: Pending) -> list[Replacement]:
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


def _settled(member: Member, admission: Admission) -> Iterator[Event]:
    """Say what takes a claim from where it is recorded to where it should be."""
    position, said = member.claim.position, member.claim.said
    if position in admission.against:
        if member.state == ADMITTED:
            yield FactProposed(fact=position, against=admission.against[position])
        return
    if member.state == PROPOSED:
        stated_to = said.stated_to if isinstance(said, Statement) else None
        yield FactAdmitted(fact=position, valid_to=stated_to)
        member = replace(member, link=Link(stated_to))
    if isinstance(said, Statement):
        change = _change(member, admission.links[position])
        if change is not None:
            yield change


def _change(member: Member, link: Link) -> Event | None:
    """Say what takes a statement from its recorded place to the one it should have."""
    fact, before = member.claim.position, member.link
    if before == link:
        return None
    if link.folded_into is not None:
        return FactReaffirmed(fact=fact, standing=link.folded_into)
    moved = before.lapsed or before.superseded_by is not None or before.folded_into is not None
    if link.superseded_by is not None:
        assert link.valid_to is not None
        if before.superseded_by is None:
            return FactSuperseded(fact=fact, by=link.superseded_by, valid_to=link.valid_to)
        return FactIntervalRevised(fact=fact, by=link.superseded_by, valid_to=link.valid_to)
    return _by_itself(fact, link, moved=moved)


def _by_itself(fact: int, link: Link, *, moved: bool) -> Event:
    """Say that a statement has a place that no other one takes."""
    if link.lapsed:
        return FactLapsed(fact=fact)
    if moved:
        return FactReopened(fact=fact, valid_to=link.valid_to)
    return FactIntervalRevised(fact=fact, by=NOBODY, valid_to=link.valid_to)


def _caused(change: Event, causes: Sequence[int]) -> NewEvent:
    named = [getattr(change, name, NOBODY) for name in ("fact", "by", "standing", "against")]
    refs = {position for position in (*named, *causes) if position != NOBODY}
    return NewEvent(change, tuple(sorted(refs)))
