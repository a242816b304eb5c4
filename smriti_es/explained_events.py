"""Which events an explanation may show: those that rest on nothing that may not be read itself.

Of any other only that it happened is told. One predicate decides for turns, sessions, facts and
ends, whichever way an event leads to them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Select, or_, select

from smriti_es.beliefs import BeliefReader, FactFilter
from smriti_es.events.catalogue import ArbitrationDecided, ExtractionCompleted
from smriti_es.events.records import RecordedEvent
from smriti_es.projections.facts import ADMITTED
from smriti_es.projections.lineage import children_of
from smriti_es.projections.trust import causes_among
from smriti_es.projections.turns import TurnTables
from smriti_es.trust_of_then import withheld_today


@dataclass(frozen=True, slots=True)
class ExplainedEvents:
    """Reads what events say, as far as a read may know it.

    Attributes:
        beliefs: Reads facts, at a knowledge time.
        turns: Tables of turns and sessions.
        lineage: Generation of the lineage projection that serves.
        spaces: The spaces that are read.
        scopes: The scopes that are read beside unscoped facts; None: every scope.
        origins: The origins that are read; None: any.
    """

    beliefs: BeliefReader
    turns: TurnTables
    lineage: int
    spaces: tuple[str, ...]
    scopes: tuple[str, ...] | None
    origins: tuple[str, ...] | None = None

    def content(self, recorded: RecordedEvent) -> Any:
        """Give what an event says; None when it was erased, or rests on what may not be read.

        An extraction of which one statement may not be read is told without what the model replied,
        for that says all of them.
        """
        said = recorded.event
        if self._hides_one_of(_named_by(recorded)):
            return None
        if not isinstance(said, ExtractionCompleted):
            return said
        log, connection = self.beliefs.log, self.beliefs.connection
        found = children_of(connection, log, self.lineage, recorded.position)
        if not self._hides_one_of(found):
            return said
        return replace(said, replies=(), dropped=(), details={})

    def withheld_today(self, recorded: RecordedEvent) -> tuple[int, ...]:
        """Give what withholds an event, or what it names, today, where it is shown nevertheless."""
        reader, shown = self.beliefs, {recorded.position: _named_by(recorded)}
        causes = withheld_today(reader.connection, reader.tables.trust, reader.log, shown)
        return causes.get(recorded.position, ())

    def _hides_one_of(self, positions: Sequence[int]) -> bool:
        """Tell whether one of some turns, sessions, facts and ends may not be read."""
        reader = self.beliefs
        withheld = causes_among(
            reader.connection, reader.tables.trust, reader.log, positions, known=reader.known
        )
        if withheld or any(map(self._finds, self._turns_and_ends_outside(positions))):
            return True
        fact = reader.tables.facts.fact.c
        facts = reader.connection.execute(
            select(fact.position).where(fact.log == reader.log, fact.position.in_(positions))
        ).scalars()
        wanted = FactFilter(
            self.spaces, scopes=self.scopes, origins=self.origins, positions=tuple(positions)
        )
        statement, values = reader.light(wanted)
        readable = {row.position for row in reader.connection.execute(statement, values)}
        return not set(facts) <= readable

    def _turns_and_ends_outside(self, positions: Sequence[int]) -> Iterator[Select[Any]]:
        log = self.beliefs.log
        session, turn = self.turns.session.c, self.turns.turn.c
        end = self.beliefs.tables.facts.end.c
        elsewhere = select(session.position).where(
            session.log == log, session.space.not_in(self.spaces)
        )
        yield elsewhere.where(session.position.in_(positions))
        strange = [turn.session.in_(elsewhere)]
        outside = [end.space.not_in(self.spaces), end.state != ADMITTED]
        if self.origins is not None:
            strange.append(turn.origin.not_in(self.origins))
            outside.append(end.origin.not_in(self.origins))
        yield select(turn.position).where(
            turn.log == log, turn.position.in_(positions), or_(*strange)
        )
        keys = FactFilter(self.spaces, scopes=self.scopes).scope_keys
        if keys is not None:
            outside.append(end.scope.not_in(keys))
        yield select(end.position).where(end.log == log, end.position.in_(positions), or_(*outside))

    def _finds(self, statement: Select[Any]) -> bool:
        return self.beliefs.connection.execute(statement.limit(1)).first() is not None


def _named_by(recorded: RecordedEvent) -> list[int]:
    """Give what an event speaks of, itself included."""
    named = {recorded.position, *recorded.header.refs}
    if isinstance(recorded.event, ArbitrationDecided):
        named |= set(recorded.event.candidates)
    return sorted(named)
