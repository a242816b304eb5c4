"""`entities`: which names stand for the same entity, and since when the memory holds so."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, ClassVar

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Index,
    MetaData,
    Select,
    String,
    Table,
    bindparam,
    select,
    update,
)

from smriti_es.events.catalogue import AliasRemoved, EntityAliased
from smriti_es.events.database import insert_rows
from smriti_es.events.key_form import key_form
from smriti_es.events.records import RecordedEvent
from smriti_es.events.tables import BigNumber
from smriti_es.projections.projection import Fold, Projection, rows_by_key


@cache
def alias_table(generation: int) -> Table:
    """Give the table of a generation."""
    suffix = f"v{EntitiesProjection.version}_g{generation}"
    return Table(
        f"alias_{suffix}",
        MetaData(),
        Column("log", BigNumber, primary_key=True, autoincrement=False),
        Column("position", BigNumber, primary_key=True, autoincrement=False),
        Column("alias", String, nullable=False),
        Column("canonical", String, nullable=False),
        # As given, for people.
        Column("alias_name", String, nullable=False),
        Column("canonical_name", String, nullable=False),
        Column("known_from", BigInteger, nullable=False),
        Column("known_to", BigInteger, nullable=True),
        Index(f"alias_by_known_{suffix}", "log", "known_from"),
    )


class EntitiesProjection(Projection):
    """Aliases, on knowledge time."""

    name: ClassVar[str] = "entities"
    version: ClassVar[int] = 1
    stems: ClassVar[tuple[str, ...]] = ("alias",)

    def tables(self, generation: int) -> Sequence[Table]:
        """Give the one table of a generation."""
        return (alias_table(generation),)

    def apply(self, prepared: Sequence[RecordedEvent], fold: Fold) -> None:
        """Open and close aliases."""
        table = alias_table(fold.generation)
        for recorded in prepared:
            event, known = recorded.event, recorded.header.known
            if isinstance(event, EntityAliased):
                names = (key_form(event.alias), key_form(event.canonical))
                given = (event.alias, event.canonical)
                row = (fold.log, recorded.position, *names, *given, known, None)
                insert_rows(fold.connection, table, [row])
            elif recorded.header.type == AliasRemoved.TYPE:
                aliased = recorded.header.facets["aliased"]
                fold.connection.execute(
                    update(table)
                    .where(table.c.log == fold.log, table.c.position == aliased)
                    .values(known_to=known)
                )

    def canonical_rows(self, fold: Fold) -> Iterable[Sequence[Any]]:
        """Give all rows."""
        return rows_by_key(self.tables(fold.generation), fold)


class Names:
    """Which names stand for which entity, at one knowledge time.

    Args:
        pairs: (alias, canonical) in key form, in the order in which they were recorded.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._parent: dict[str, str] = {}
        for alias, canonical in pairs:
            root, over = self.root(alias), self.root(canonical)
            if root != over:
                self._parent[root] = over
        self._members: dict[str, set[str]] = {}
        for name in list(self._parent):
            root = self.root(name)
            self._members.setdefault(root, {root}).add(name)

    def root(self, name: str) -> str:
        """Give the name that stands for an entity, by any of its names in key form."""
        while name in self._parent:
            name = self._parent[name]
        return name

    def key(self, name: str) -> str:
        """Bring a name into the form in which it is compared."""
        return key_form(name)

    def all_of(self, name: str) -> tuple[str, ...]:
        """Give every name of the entity that a name in key form stands for, sorted."""
        root = self.root(name)
        return tuple(sorted(self._members.get(root, {root})))


def names_at(connection: Connection, log: int, generation: int, known: int | None = None) -> Names:
    """Read who is who, now or as of a knowledge time in microseconds."""
    statement = _aliases(alias_table(generation), past=known is not None)
    rows = connection.execute(statement, {"in_log": log, "known": known})
    return Names((row.alias, row.canonical) for row in rows)


@cache
def _aliases(table: Table, *, past: bool) -> Select[Any]:
    """Select the aliases of now, or of a knowledge time; built once, for every read needs it."""
    c, known = table.c, bindparam("known", type_=BigInteger)
    statement = select(c.alias, c.canonical).where(c.log == bindparam("in_log"))
    if past:
        then = (c.known_from <= known) & (c.known_to.is_(None) | (c.known_to > known))
        return statement.where(then).order_by(c.position)
    return statement.where(c.known_to.is_(None)).order_by(c.position)
