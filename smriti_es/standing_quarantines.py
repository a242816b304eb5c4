"""The quarantines that are not lifted, as far as they concern what may be read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from sqlalchemy import ColumnElement, Connection, and_, case, func, or_, select

from smriti_es.projections.facts import FactTables, fact_tables
from smriti_es.projections.generation import Generation
from smriti_es.projections.trust import TrustTables, trust_tables
from smriti_es.projections.turns import TurnTables, turn_tables


@dataclass(frozen=True, slots=True)
class QuarantineReader:
    """Reads which quarantines stand, in one snapshot.

    Attributes:
        connection: The snapshot.
        log: The log's number.
        trust: What is withheld.
        turns: Tables of turns and sessions.
        facts: Tables of facts and ends.
        spaces: The spaces that are read.
    """

    connection: Connection
    log: int
    trust: TrustTables
    turns: TurnTables
    facts: FactTables
    spaces: tuple[str, ...]

    @classmethod
    def of(
        cls,
        connection: Connection,
        log: int,
        serving: Mapping[str, Generation],
        spaces: tuple[str, ...],
    ) -> Self:
        """Take the tables of the generations that serve."""
        return cls(
            connection,
            log,
            trust_tables(serving["trust"].number),
            turn_tables(serving["turns"].number),
            fact_tables(serving["facts"].number),
            spaces,
        )

    def standing(self) -> Sequence[Any]:
        """Give position, known time and number of readable items of each, oldest first.

        One that withholds only what lies in other spaces is left out; one that withholds nothing
        lies in none.
        """
        q, w = self.trust.quarantine.c, self.trust.withheld.c
        readable = func.count(case((self._may_be_read(w.item), w.item))).label("items")
        return self.connection.execute(
            select(q.position, q.known, readable)
            .outerjoin(self.trust.withheld, and_(w.log == q.log, w.cause == q.position))
            .where(q.log == self.log, q.released_known.is_(None))
            .group_by(q.position, q.known)
            .having(or_(readable > 0, func.count(w.item) == 0))
            .order_by(q.position)
        ).all()

    def _may_be_read(self, item: ColumnElement[int]) -> ColumnElement[bool]:
        """Write that an item, whatever it is, lies in a space that is read."""
        session, turn = self.turns.session.c, self.turns.turn.c
        said = and_(session.log == turn.log, session.position == turn.session)
        in_session = (
            select(turn.position)
            .join(self.turns.session, said)
            .where(turn.log == self.log, turn.position == item, session.space.in_(self.spaces))
        )
        by_itself = (
            select(table.c.position).where(
                table.c.log == self.log,
                table.c.position == item,
                table.c.space.in_(self.spaces),
            )
            for table in (self.turns.session, self.facts.fact, self.facts.end)
        )
        return or_(in_session.exists(), *(each.exists() for each in by_itself))
