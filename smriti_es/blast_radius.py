"""What rests on what: everything that would not be there without some turns, facts or sessions.

Statements are followed along the turns that support them and the facts that they were derived from,
not along the extraction as a whole: one poisoned turn does not take along what was found in its
neighbours. Source: design page on trust, "Quarantine, lineage, blast radius"; decision 33.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self, TypedDict

from sqlalchemy import Column, Connection, Table, or_, select, true

from smriti_es.captured import TimeGiven
from smriti_es.checked_values import Place, checked_label, checked_position
from smriti_es.events.database import in_parts
from smriti_es.events.errors import InvalidInput, NotFound
from smriti_es.events.key_form import key_form
from smriti_es.events.log import EventLog
from smriti_es.projections.facts import FactTables, fact_tables
from smriti_es.projections.generation import Generation
from smriti_es.projections.lineage import children_of_any
from smriti_es.projections.turns import TurnTables, turn_tables
from smriti_es.roles import checked_origin
from smriti_es.scopes import scope_parts

_NAME_MAX: Final = 200


class Named(TypedDict, total=False):
    """What an owner names: exactly one of these.

    Attributes:
        turn: Position of a turn.
        session: Name of a session.
        fact: Position of a fact, or of a stated end.
        origin: Everything that came from an origin: its turns, and facts stated directly.
        actor: Everything that an actor recorded, by its opaque name.
    """

    turn: int
    session: str
    fact: int
    origin: str
    actor: str


class NamedForHold(TypedDict, total=False):
    """What can be held: one of these.

    Attributes:
        turn: Position of a turn.
        session: Name of a session; it need not exist yet.
        fact: Position of a fact.
        entity: Somebody or something that facts speak of, by any name.
        space: Name of a space.
    """

    turn: int
    session: str
    fact: int
    entity: str
    space: str


class NamedForErasure(NamedForHold, total=False):
    """What an owner may have erased: exactly one of these.

    Attributes:
        origin: Everything that came from an origin: its turns, and facts stated directly.
        before: Everything that was said before a time.
    """

    origin: str
    before: TimeGiven


@dataclass(frozen=True, slots=True)
class Target:
    """One thing that an owner named, checked: its kind, and its position or name."""

    kind: str
    name: int | str


def target_of(
    named: Mapping[str, Any], kinds: Sequence[str] = tuple(Named.__annotations__)
) -> Target:
    """Check what an owner names.

    Args:
        named: What it is.
        kinds: Which kinds of things may be named.

    Raises:
        InvalidInput: Not exactly one thing is named, or it cannot be the name of anything.
    """
    hint = f"Name exactly one of {', '.join(kinds)}."
    if not isinstance(named, Mapping):
        raise InvalidInput(f"{named!r} names nothing", hint=f'Give {{"session": "s2"}}. {hint}')
    given = [(kind, name) for kind, name in named.items() if name is not None]
    if strange := [kind for kind, _ in given if kind not in kinds]:
        raise InvalidInput(f"nothing can be named by {strange[0]!r}", hint=hint)
    if len(given) != 1:
        raise InvalidInput(
            f"{len(given)} things are named" if given else "nothing is named", hint=hint
        )
    kind, name = given[0]
    place = Place(kind)
    if kind in ("turn", "fact"):
        return Target(kind, checked_position(name, place))
    if kind == "origin":
        return Target(kind, checked_origin(name, place))
    return Target(kind, checked_label(name, place, _NAME_MAX))


@dataclass(frozen=True, slots=True)
class BlastRadius:
    """Positions of everything that rests on a target, the target itself included.

    Attributes:
        sessions: Of the events that started them.
        turns: Of turns.
        facts: Of statements; digests are among them.
        ends: Of stated ends.
        served: Of receipts of answers in which any of it was handed out; see `verify_receipt`.
    """

    sessions: tuple[int, ...] = ()
    turns: tuple[int, ...] = ()
    facts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    served: tuple[int, ...] = ()

    @property
    def positions(self) -> tuple[int, ...]:
        """All that was recorded of it, ascending; answers are none of it."""
        return tuple(sorted({*self.sessions, *self.turns, *self.facts, *self.ends}))


@dataclass(frozen=True, slots=True)
class Tracer:
    """Follows what rests on what, in one snapshot.

    Attributes:
        connection: The snapshot.
        log: The log.
        turns: Tables of turns and sessions.
        facts: Tables of facts.
        lineage: Generation of the lineage projection that serves.
        space: The space in which sessions are looked for.
    """

    connection: Connection
    log: EventLog
    turns: TurnTables
    facts: FactTables
    lineage: int
    space: str

    @classmethod
    def of(
        cls, connection: Connection, log: EventLog, serving: Mapping[str, Generation], space: str
    ) -> Self:
        """Take the tables of the generations that serve."""
        return cls(
            connection,
            log,
            turn_tables(serving["turns"].number),
            fact_tables(serving["facts"].number),
            serving["lineage"].number,
            space,
        )

    def radius(self, target: Target, *, cascade: bool = True) -> BlastRadius:
        """Give what a target is, and with `cascade` everything that rests on it.

        Raises:
            NotFound: There is no such thing.
        """
        named: set[int] = getattr(self, f"_of_{target.kind}")(target.name)
        return self.resting_on(named) if cascade else self._sorted_out(named)

    def with_served(self, radius: BlastRadius, receipts: Table) -> BlastRadius:
        """Add the answers that were handed out with something of it in them."""
        children = self._children(radius.positions)
        return replace(radius, served=self._among(receipts, sorted(children)))

    def _of_turn(self, position: int) -> set[int]:
        table = self.turns.turn
        return self._required(table, table.c.position == position, f"no turn at {position}")

    def _of_fact(self, position: int) -> set[int]:
        found = {
            each
            for table in (self.facts.fact, self.facts.end)
            for each in self._matching(table, table.c.position == position)
        }
        if not found:
            raise NotFound(f"there is no fact at position {position}")
        return found

    def _of_session(self, name: str) -> set[int]:
        c = self.turns.session.c
        of_name = (c.name == name) & (c.space == self.space)
        missing = f"no session {name!r} in {self.space}"
        (started,) = self._required(self.turns.session, of_name, missing)
        said = self.turns.turn
        return {started, *self._matching(said, said.c.session == started)}

    def _of_origin(self, origin: str) -> set[int]:
        said, fact = self.turns.turn, self.facts.fact
        return {
            *self._matching(said, said.c.origin == origin),
            *self._matching(fact, fact.c.origin == origin),
        }

    def of_entity(self, names: Sequence[str]) -> set[int]:
        """Give the statements and ends that name an entity, by all of its names in key form.

        As their subject, value or scope, or among their entities; not in the midst of a text.
        """
        within, fact, end = self.facts.entity, self.facts.fact, self.facts.end
        found = self._matching(within, within.c.entity.in_(list(names)))
        for table in (fact, end):
            c = table.c
            scopes = [scope for scope in self._distinct(c.scope) if _scope_names(scope, names)]
            named = or_(c.subject.in_(names), c.value.in_(names), c.scope.in_(scopes))
            found |= self._matching(table, named)
        return found

    def everything(self) -> set[int]:
        """Give every session, turn, fact and end."""
        tables = (self.turns.session, self.turns.turn, self.facts.fact, self.facts.end)
        return {each for table in tables for each in self._matching(table, true())}

    def sessions_within(self, turns: set[int]) -> set[int]:
        """Give the sessions of which every turn is among some turns."""
        said = self.turns.turn.c
        rows = self.connection.execute(
            select(said.session, said.position).where(said.log == self.log.log)
        )
        some: set[int] = set()
        others: set[int] = set()
        for session, position in rows:
            (some if position in turns else others).add(session)
        return some - others

    def of_session_in_key_form(self, name: str, space: str) -> set[int]:
        """Give the sessions of which the name has this key form, with their turns."""
        table = self.turns.session
        sessions = self.connection.execute(
            select(table.c.position, table.c.name).where(
                table.c.log == self.log.log, table.c.space == space
            )
        )
        started = [each.position for each in sessions if key_form(each.name) == name]
        said = self.turns.turn
        return {*started, *self._matching(said, said.c.session.in_(started))}

    def of_spaces_in_key_form(self, name: str) -> set[int]:
        """Give everything in the spaces of which the name has this key form."""
        spaces = {
            space
            for table in (self.turns.session, self.facts.fact, self.facts.end)
            for space in self._distinct(table.c.space)
            if key_form(space) == name
        }
        return {each for space in spaces for each in self._of_space(space)}

    def _of_space(self, name: str) -> set[int]:
        started, said = self.turns.session, self.turns.turn
        sessions = self._matching(started, started.c.space == name)
        within = select(started.c.position).where(
            started.c.log == self.log.log, started.c.space == name
        )
        turns = self._matching(said, said.c.session.in_(within))
        facts, ends = (
            self._matching(table, table.c.space == name)
            for table in (self.facts.fact, self.facts.end)
        )
        if not (sessions or facts or ends):
            raise NotFound(f"there is no space {name!r}")
        return {*sessions, *turns, *facts, *ends}

    def _of_before(self, moment: int) -> set[int]:
        """Give what was said before a moment, and the sessions of which all of it was."""
        started, said = self.turns.session, self.turns.turn
        over = or_(
            (started.c.turns > 0) & (started.c.last_said_at < moment),
            (started.c.turns == 0) & (started.c.known < moment),
        )
        found = {
            *self._matching(started, over),
            *(
                each
                for table in (said, self.facts.fact, self.facts.end)
                for each in self._matching(table, table.c.said_at < moment)
            ),
        }
        if not found:
            raise NotFound("nothing was said before that")
        return found

    def _of_actor(self, actor: str) -> set[int]:
        recorded = {
            event.position
            for event in self.log.read(connection=self.connection)
            if event.header.actor.id == actor
        }
        if not recorded:
            raise NotFound(f"nothing was recorded by {actor!r}")
        return set(self._sorted_out(recorded).positions)

    def resting_on(self, named: Iterable[int]) -> BlastRadius:
        """Follow statements from what supports them, generation by generation."""
        found = set(named)
        frontier = sorted(found)
        while frontier:
            claims = self._sorted_out(self._children(frontier) - found)
            frontier = sorted({*claims.facts, *claims.ends})
            found.update(frontier)
        return self._sorted_out(found)

    def _children(self, positions: Sequence[int]) -> set[int]:
        found = children_of_any(self.connection, self.log.log, self.lineage, positions)
        return {child for _, child in found}

    def _sorted_out(self, positions: Iterable[int]) -> BlastRadius:
        wanted = sorted(positions)
        tables = (self.turns.session, self.turns.turn, self.facts.fact, self.facts.end)
        return BlastRadius(*(self._among(table, wanted) for table in tables))

    def _among(self, table: Table, positions: Sequence[int]) -> tuple[int, ...]:
        return tuple(
            position
            for part in in_parts(positions)
            for position in sorted(self._matching(table, table.c.position.in_(part)))
        )

    def _required(self, table: Table, condition: Any, missing: str) -> set[int]:
        found = self._matching(table, condition)
        if not found:
            raise NotFound(missing)
        return found

    def _distinct(self, column: Column[str]) -> list[str]:
        log = column.table.c.log
        found = select(column).where(log == self.log.log).distinct()
        return list(self.connection.execute(found).scalars())

    def _matching(self, table: Table, condition: Any) -> set[int]:
        statement = select(table.c.position).where(table.c.log == self.log.log, condition)
        return set(self.connection.execute(statement).scalars())


def _scope_names(scope: str, names: Sequence[str]) -> bool:
    """Tell whether one of the scopes of a statement, in key form, is that of an entity."""
    return any(part.partition(":")[2] in names for part in scope_parts(scope) if part)
