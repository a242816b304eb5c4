"""Take the rows of content that is being erased out of every generation.

What serves and is up to date folds the `Erased` event like any other. This is for what that cannot
do: facts whose chain rests on what goes are folded anew from what is left, the full-text index is
told the words while they are still there, and every generation that lags or is being built begins
again, so that it never meets the content.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select, update

from smriti_es.events.catalogue import FactAsserted
from smriti_es.events.records import RecordedEvent, Transaction
from smriti_es.projections.facts import fact_tables
from smriti_es.projections.generation import ACTIVE, RETIRED, SERVING, Generation
from smriti_es.projections.lexical.projection import LexicalProjection
from smriti_es.projections.projector import Projector


@dataclass(frozen=True, slots=True)
class LettingGo:
    """Takes rows out, inside one append.

    Attributes:
        projector: The runner of the log.
        transaction: The append that erases.
    """

    projector: Projector
    transaction: Transaction

    def rows_of(self, events: Mapping[int, RecordedEvent]) -> None:
        """Take the rows of some events out, wherever the fold of their erasure does not.

        Args:
            events: What is being erased, with its content.
        """
        for generation in self.projector.generations(self.transaction.connection):
            version = self.projector.projections[generation.name].version
            if generation.state != RETIRED and generation.version == version:
                self._let_go(generation, events)

    def _let_go(self, generation: Generation, events: Mapping[int, RecordedEvent]) -> None:
        connection = self.transaction.connection
        serving = self.projector.serving_in(self.transaction)
        projection = self.projector.projections[generation.name]
        if generation.state in SERVING:
            generation = serving[generation.name]  # as far as this transaction has come
        fold = self.projector.fold(connection, generation)
        if not projection.inline:
            projection.erase(sorted(events), fold)  # what was read before is not written any more
        elif generation.state != ACTIVE or generation.folded != self.transaction.size:
            begun = self.projector.begin_again(connection, projection, generation)
            if generation.state in SERVING:
                serving[generation.name] = begun
        elif isinstance(projection, LexicalProjection):
            projection.forget(list(events.values()), fold)

    def facts_of(self, gone: Sequence[int], others: Iterable[RecordedEvent]) -> None:
        """Delete statements, and fold others anew from what is left of their events.

        Args:
            gone: Positions of what is being erased.
            others: What was recorded of the statements that stay and whose chain rested on what
                goes, themselves included; without the content that goes.
        """
        connection = self.transaction.connection
        events = sorted(others, key=lambda each: each.position)
        again = [each.position for each in events if each.header.type == FactAsserted.TYPE]
        serving = self.projector.serving_in(self.transaction)
        marks = self._marks(again)
        for name in ("facts", "revisions"):
            projection = self.projector.projections[name]
            fold = self.projector.fold(connection, serving[name])
            projection.erase([*gone, *again], fold)
            projection.apply(events, fold)
        fact = fact_tables(serving["facts"].number).fact
        for position, mark in marks.items():
            of_fact = (fact.c.log == self.transaction.log) & (fact.c.position == position)
            connection.execute(update(fact).where(of_fact).values(lapse_mark=mark))

    def _marks(self, positions: Sequence[int]) -> dict[int, int]:
        """Read which statements lost what followed them to an earlier erasure."""
        serving = self.projector.serving_in(self.transaction)
        c = fact_tables(serving["facts"].number).fact.c
        rows = self.transaction.connection.execute(
            select(c.position, c.lapse_mark).where(
                c.log == self.transaction.log,
                c.position.in_(positions),
                c.lapse_mark.is_not(None),
            )
        )
        return {row.position: row.lapse_mark for row in rows}
