"""What every fact command stands on: the tables that serve, inside one append."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from sqlalchemy import Select, Table, bindparam, select

from smriti_es.consolidation import Relinker
from smriti_es.events.errors import NotFound
from smriti_es.events.records import Transaction
from smriti_es.projections.entities import Names, names_at
from smriti_es.projections.facts import ADMITTED, LAPSED, FactTables, fact_tables
from smriti_es.projections.projector import Projector
from smriti_es.withholding import Withholding


@dataclass(frozen=True)
class Ground:
    """What every fact command stands on: the tables that serve, inside one append."""

    projector: Projector
    transaction: Transaction

    @property
    def tables(self) -> FactTables:
        """Tables of the facts generation that serves."""
        return fact_tables(self.projector.serving_in(self.transaction)["facts"].number)

    @cached_property
    def withholding(self) -> Withholding:
        """Whose word counts for more, and what is withheld."""
        return Withholding.under(self.projector, self.transaction)

    @property
    def aliases(self) -> int:
        """Generation of the entities projection that serves."""
        return self.projector.serving_in(self.transaction)["entities"].number

    def names(self) -> Names:
        """Who is who now."""
        return names_at(self.transaction.connection, self.transaction.log, self.aliases)

    def relinker(self, names: Names | None = None) -> Relinker:
        """Give a relinker for the names as they will be."""
        return Relinker(
            self.transaction.connection,
            self.transaction.log,
            self.tables,
            self.withholding,
            names if names is not None else self.names(),
        )

    def admitted(self, positions: Sequence[int]) -> set[int]:
        """Tell which positions are facts that are admitted."""
        if not positions:
            return set()
        values = {"in_log": self.transaction.log, "positions": positions}
        found = self.transaction.connection.execute(_admitted(self.tables.fact), values)
        admitted = set(found.scalars())
        return admitted - self.withholding.withheld_among(list(admitted))

    def require_admitted(self, positions: Sequence[int]) -> None:
        """Refuse positions that name no admitted fact.

        Raises:
            NotFound: At least one of them does not.
        """
        missing = sorted(set(positions) - self.admitted(positions))
        if missing:
            raise NotFound(
                f"there is no fact at position {missing[0]} that is believed",
                hint="engine.facts() and engine.history() give positions.",
            )


@cache
def _admitted(table: Table) -> Select[Any]:
    c = table.c
    named = c.position.in_(bindparam("positions", expanding=True))
    states = c.state.in_([ADMITTED, LAPSED])
    return select(c.position).where(c.log == bindparam("in_log"), named, states)
