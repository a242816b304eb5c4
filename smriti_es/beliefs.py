"""Read what is believed, on both time axes: as of a knowledge time, at a world time."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import Connection, CursorResult, Row, Select
from sqlalchemy.sql.elements import ColumnElement

from smriti_es.answer import KnownTo
from smriti_es.belief_queries import (
    BeliefTables,
    belief_query,
    follower_query,
    label_conditions,
    restatement_query,
    several_scopes,
)
from smriti_es.events.catalogue.facts import DIGEST
from smriti_es.events.database import in_parts
from smriti_es.events.instants import format_instant
from smriti_es.events.key_form import key_form
from smriti_es.filters import Filter
from smriti_es.predicates import predicate_form
from smriti_es.projections.entities import names_at
from smriti_es.projections.facts import ADMITTED, LAPSED
from smriti_es.scopes import checked_scope, scope_parts
from smriti_es.shown_evidence import Quotes, shown_evidence
from smriti_es.staleness import stale_among
from smriti_es.trust_of_then import withheld_today

# With that of unscoped facts: so many scopes are named when no fact of several can be read.
_ONE_SCOPE: Final = 2


class FactStatus(StrEnum):
    """How a fact stands at a world time."""

    CURRENT = "current"
    SCHEDULED = "scheduled"
    SUPERSEDED = "superseded"
    ENDED = "ended"
    CORRECTED = "corrected"
    RETRACTED = "retracted"
    LAPSED = "lapsed"
    REAFFIRMS = "reaffirms"


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement of fact as the memory believes it.

    Attributes:
        position: Its place in the log, by which it is cited.
        fact: Its id, derived from content.
        space: Its space.
        subject: Whom or what it is about, as it was said.
        predicate: What is said of it.
        object: The value, as it was said.
        scope: Where it applies; "" for everywhere; several are joined by " & ".
        statement: A sentence that stands by itself.
        status: How it stands at the world time that was asked about.
        state: admitted, lapsed or retracted.
        valid_from: Since when, microseconds since the epoch.
        valid_to: Until when, or None.
        precision: How exactly `valid_from` is known.
        said_at: When it was said.
        known_from: Since when the memory believes it so.
        superseded_by: Position of the fact that follows, or None.
        folded_into: Position of the fact that it only repeats, or None.
        restated_by: Positions of the statements that only repeat it.
        origin: owner, agent, tool or untrusted.
        kind: profile, preference, event, knowledge or digest.
        source: What stated it.
        evidence: Turns that support it, with the words.
        because: Positions of the facts that it was derived from.
        stale: Whether one of those holds no longer; of a digest, whether it would now sum up other
            facts than it does.
        entities: Names in it.
        tags: The caller's tags, sorted.
        metadata: The caller's flat map.
        withheld: Positions of what withholds it, or words that support it, today: of a fact that is
            shown under the trust of then (`trust="then"`).
    """

    position: int
    fact: str
    space: str
    subject: str
    predicate: str
    object: str
    scope: str
    statement: str
    status: FactStatus
    state: str
    valid_from: int
    valid_to: int | None
    precision: str
    said_at: int
    known_from: int
    superseded_by: int | None
    folded_into: int | None
    restated_by: tuple[int, ...]
    origin: str
    kind: str
    source: str
    evidence: tuple[tuple[int, str], ...]
    because: tuple[int, ...]
    stale: bool = False
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    withheld: tuple[int, ...] = ()

    @property
    def interval(self) -> tuple[str, str | None]:
        """When it holds, as RFC 3339 text."""
        return (
            format_instant(self.valid_from),
            None if self.valid_to is None else format_instant(self.valid_to),
        )


@dataclass(frozen=True, slots=True)
class FactFilter:
    """Which facts are meant; None: any.

    Attributes:
        spaces: Spaces, by name.
        subject: A name; every alias of the entity is meant.
        predicate: The predicate, in any spelling.
        object: The value, in any spelling.
        entity: A name that occurs in it.
        scopes: Scopes in which one is: their facts, and unscoped ones. None: all scopes.
        origins: Origins.
        kinds: Kinds.
        positions: Positions.
        digests: Whether digests are meant, too.
        tags: Tags that it has, all of them.
        tags_any: Tags of which it has one.
        condition: What its metadata must meet.
    """

    spaces: tuple[str, ...]
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    entity: str | None = None
    scopes: tuple[str, ...] | None = ()
    origins: tuple[str, ...] | None = None
    kinds: tuple[str, ...] | None = None
    positions: tuple[int, ...] | None = None
    digests: bool = True
    tags: tuple[str, ...] = ()
    tags_any: tuple[str, ...] = ()
    condition: Filter | None = None

    @property
    def scope_keys(self) -> tuple[str, ...] | None:
        """The scopes in key form, one by one, and that of unscoped facts first; None: all."""
        if self.scopes is None:
            return None
        named = [part for scope in self.scopes for part in scope_parts(checked_scope(scope))]
        return ("", *dict.fromkeys(map(key_form, named)))


@dataclass(slots=True)
class BeliefReader:
    """Reads the beliefs of one log in one snapshot.

    Attributes:
        connection: The snapshot.
        log: The log's number.
        tables: Tables of the generations that serve.
        known: Knowledge time, microseconds; None: now.
        valid_at: World time, microseconds.
        known_to: Up to where it knows the log.
    """

    connection: Connection
    log: int
    tables: BeliefTables
    known: int | None
    valid_at: int
    known_to: KnownTo

    def facts_of_any_status(self, wanted: FactFilter) -> list[Fact]:
        """Read facts however they stand, restatements included."""
        return self.facts(wanted, statuses=FactStatus)

    def facts(
        self, wanted: FactFilter, *, statuses: Iterable[FactStatus] | None = None
    ) -> list[Fact]:
        """Read facts, the most specific scope first, then by beginning and position.

        Args:
            wanted: Which.
            statuses: How they must stand at the world time; None: any, restatements apart.
        """
        rows = self.connection.execute(*self._narrowed(wanted)).all()
        allowed = None if statuses is None else frozenset(statuses)
        chosen = []
        for row in rows:
            status = status_of(row, self.valid_at)
            if allowed is None and status is FactStatus.REAFFIRMS:
                continue
            if allowed is None or status in allowed:
                chosen.append((row, status))
        facts = self._facts(chosen)
        return sorted(facts, key=lambda f: (f.scope == "", f.scope, f.valid_from, f.position))

    def by_position(self, positions: Sequence[int]) -> dict[int, Fact]:
        """Read facts by position."""
        rows: list[Row[Any]] = []
        for part in in_parts(positions):
            rows += self._read({"positions": part})
        chosen = [(row, status_of(row, self.valid_at)) for row in rows]
        return {fact.position: fact for fact in self._facts(chosen)}

    def followers_among(self, positions: Sequence[int]) -> set[int]:
        """Tell which facts took the place of another one."""
        statement = follower_query(self.tables, past=self.known is not None)
        found: set[int] = set()
        for part in in_parts(positions):
            values = self._when | {"following": part}
            found.update(self.connection.execute(statement, values).scalars())
        return found

    def holds(self, position: int) -> bool:
        """Tell whether a fact stands, now or later, by itself or as a restatement."""
        row = self._read({"positions": [position]}, light=True).one_or_none()
        if row is None:
            return False
        status = status_of(row, self.valid_at)
        if status is FactStatus.REAFFIRMS:
            return self.holds(row.folded_into)
        return status in {FactStatus.CURRENT, FactStatus.SCHEDULED}

    def current(self, *conditions: ColumnElement[bool]) -> list[Row[Any]]:
        """Read how the facts stand that are current, without their content, by position."""
        statement, values = self._query({}, light=True)
        narrowed = statement.where(*conditions).order_by(self.tables.facts.fact.c.position)
        rows = self.connection.execute(narrowed, values)
        return [row for row in rows if status_of(row, self.valid_at) is FactStatus.CURRENT]

    def light(self, wanted: FactFilter) -> tuple[Select[Any], dict[str, Any]]:
        """Give the statement that tells how facts stand, without their content, and its values."""
        return self._narrowed(wanted, light=True)

    @property
    def _when(self) -> dict[str, Any]:
        return {"in_log": self.log, "known": self.known}

    def _read(self, values: dict[str, Any], *, light: bool = False) -> CursorResult[Any]:
        return self.connection.execute(*self._query(values, light=light))

    def _query(
        self, values: dict[str, Any], *, light: bool = False
    ) -> tuple[Select[Any], dict[str, Any]]:
        past = self.known is not None
        statement = belief_query(self.tables, values.keys(), past=past, light=light)
        return statement, values | self._when

    def _narrowed(
        self, wanted: FactFilter, *, light: bool = False
    ) -> tuple[Select[Any], dict[str, Any]]:
        given = self._values(wanted)
        further = label_conditions(
            self.tables.facts, self.log, wanted.tags, wanted.tags_any, wanted.condition
        )
        if len(given.get("scopes", ())) > _ONE_SCOPE:
            further.append(several_scopes(self.tables.facts, given.pop("scopes")))
        statement, values = self._query(given, light=light)
        return statement.where(*further) if further else statement, values

    def _values(self, wanted: FactFilter) -> dict[str, Any]:
        """Say what is wanted as values of parameters (see `belief_query`)."""
        given: dict[str, Any] = {
            "spaces": wanted.spaces,
            "subjects": self._names_of(wanted.subject),
            "predicate": None if wanted.predicate is None else predicate_form(wanted.predicate),
            "value": None if wanted.object is None else key_form(wanted.object),
            "entities": self._names_of(wanted.entity),
            "scopes": wanted.scope_keys,
            "origins": wanted.origins,
            "kinds": wanted.kinds,
            "other_kind": None if wanted.digests else DIGEST,
            "positions": wanted.positions,
        }
        return {name: value for name, value in given.items() if value is not None}

    def _names_of(self, name: str | None) -> tuple[str, ...] | None:
        """Give every name of the entity that a name stands for."""
        if name is None:
            return None
        names = names_at(self.connection, self.log, self.tables.aliases, self.known)
        return names.all_of(key_form(name))

    def _facts(self, chosen: Sequence[tuple[Row[Any], FactStatus]]) -> list[Fact]:
        positions = [row.position for row, _ in chosen]
        restated: dict[int, tuple[int, ...]] = {}
        for part in in_parts(positions):
            restated |= self._restatements(part)
        stale = stale_among(self, positions)
        said = [json.loads(row.body) for row, _ in chosen]
        quotes = shown_evidence(self.connection, self.tables.trust, self.log, said, self.known)
        facts = [
            _fact(
                row,
                status,
                body,
                shown,
                restated.get(row.position, ()),
                stale=row.position in stale,
            )
            for (row, status), body, shown in zip(chosen, said, quotes, strict=True)
        ]
        return self._labelled(facts) if self.tables.trust.then else facts

    def _labelled(self, facts: Sequence[Fact]) -> list[Fact]:
        """Say of facts that are shown under the trust of then what is withheld today."""
        shown = {each.position: (each.position, *dict(each.evidence)) for each in facts}
        causes = withheld_today(self.connection, self.tables.trust, self.log, shown)
        return [replace(each, withheld=causes.get(each.position, ())) for each in facts]

    def _restatements(self, positions: Sequence[int]) -> dict[int, tuple[int, ...]]:
        statement = restatement_query(self.tables, past=self.known is not None)
        values = self._when | {"standing": positions}
        found: dict[int, tuple[int, ...]] = {}
        for row in sorted(self.connection.execute(statement, values)):
            found[row.folded_into] = (*found.get(row.folded_into, ()), row.fact)
        return found


def status_of(row: Any, valid_at: int) -> FactStatus:
    """Say how a fact stands at a world time: a question about an interval, never a stored flag."""
    if row.state != ADMITTED:
        return FactStatus.LAPSED if row.state == LAPSED else FactStatus.RETRACTED
    if row.folded_into is not None:
        return FactStatus.REAFFIRMS
    if row.valid_to is not None and row.valid_to <= row.valid_from:
        return FactStatus.CORRECTED
    if valid_at < row.valid_from:
        return FactStatus.SCHEDULED
    if row.valid_to is None or valid_at < row.valid_to:
        return FactStatus.CURRENT
    return FactStatus.ENDED if row.superseded_by is None else FactStatus.SUPERSEDED


def _fact(
    row: Row[Any],
    status: FactStatus,
    said: Mapping[str, Any],
    evidence: Quotes,
    restated: tuple[int, ...],
    *,
    stale: bool,
) -> Fact:
    return Fact(
        position=row.position,
        fact=row.fact,
        space=row.space,
        subject=said["subject"],
        predicate=said["predicate"],
        object=said["object"],
        scope=said.get("scope", ""),
        statement=said["statement"],
        status=status,
        state=row.state,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        precision=said.get("valid_precision", "instant"),
        said_at=row.said_at,
        known_from=row.known_from,
        superseded_by=row.superseded_by,
        folded_into=row.folded_into,
        restated_by=restated,
        origin=row.origin,
        kind=row.kind,
        source=said.get("source", "direct"),
        evidence=evidence,
        because=tuple(said.get("because", ())),
        stale=stale,
        entities=tuple(said.get("entities", ())),
        tags=tuple(said.get("tags", ())),
        metadata=said.get("metadata", {}),
    )
