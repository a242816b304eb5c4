"""The commands that change who is who, and relink what the names are the subject of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from smriti_es.chain_members import Pending
from smriti_es.events.catalogue import AliasRemoved, EntityAliased
from smriti_es.events.errors import NotFound
from smriti_es.events.key_form import key_form
from smriti_es.events.records import NewEvent, Transaction
from smriti_es.ground import Ground
from smriti_es.projections.entities import Names, alias_table
from smriti_es.projections.projector import Projector


@dataclass(slots=True)
class AliasEntity:
    """Say that two names are one entity, and relink what both are the subject of."""

    projector: Projector
    alias: str
    canonical: str
    reason: str

    def __call__(self, transaction: Transaction) -> list[NewEvent]:
        """Decide on the events."""
        ground = Ground(self.projector, transaction)
        pair = (key_form(self.alias), key_form(self.canonical))
        before = ground.names()
        if before.root(pair[0]) == before.root(pair[1]):
            return []
        names = _names_with(ground, transaction, added=pair)
        event = EntityAliased(alias=self.alias, canonical=self.canonical, reason=self.reason)
        return _renamed(ground, transaction, NewEvent(event), names, names.all_of(pair[1]))


@dataclass(slots=True)
class RemoveAlias:
    """Say that two names are not one entity after all."""

    projector: Projector
    alias: str
    reason: str

    def __call__(self, transaction: Transaction) -> list[NewEvent]:
        """Decide on the events."""
        ground = Ground(self.projector, transaction)
        row = _alias_rows(ground, transaction, key_form(self.alias))
        if row is None:
            raise NotFound(
                f"{self.alias!r} is no alias", hint="engine.names_of(name) gives an entity's names."
            )
        names = _names_with(ground, transaction, removed=row.position)
        event = AliasRemoved(aliased=row.position, reason=self.reason)
        concerned = ground.names().all_of(row.alias)
        return _renamed(ground, transaction, NewEvent(event, (row.position,)), names, concerned)


def _alias_rows(ground: Ground, transaction: Transaction, alias: str) -> Any:
    c = alias_table(ground.aliases).c
    statement = select(c.position, c.alias).where(
        c.log == transaction.log, c.alias == alias, c.known_to.is_(None)
    )
    return transaction.connection.execute(statement.order_by(c.position.desc())).first()


def _names_with(
    ground: Ground,
    transaction: Transaction,
    *,
    added: tuple[str, str] | None = None,
    removed: int | None = None,
) -> Names:
    c = alias_table(ground.aliases).c
    rows = transaction.connection.execute(
        select(c.position, c.alias, c.canonical)
        .where(c.log == transaction.log, c.known_to.is_(None))
        .order_by(c.position)
    )
    pairs = [(row.alias, row.canonical) for row in rows if row.position != removed]
    return Names([*pairs, added] if added is not None else pairs)


def _renamed(
    ground: Ground,
    transaction: Transaction,
    event: NewEvent,
    names: Names,
    concerned: Sequence[str],
) -> list[NewEvent]:
    relinker = ground.relinker(names)
    keys = relinker.keys_of_subjects(concerned)
    causes = {key: [transaction.size] for key in keys}
    return [event, *relinker.relink(causes, Pending())]
