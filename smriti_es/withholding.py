"""What is withheld, as a command sees it under the head lock."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Final

from sqlalchemy import Connection, Select, bindparam, select

from smriti_es.events.database import fetch_rows
from smriti_es.events.errors import InvalidInput
from smriti_es.events.records import Transaction
from smriti_es.projections.projector import Projector
from smriti_es.projections.trust import (
    TrustProjection,
    TrustTables,
    causes_among,
    last_erasure,
    trust_tables,
)
from smriti_es.trust import TrustPolicy, profile_named

_LAST_ERASURE: Final = "last erasure"  # what a transaction remembers it under


@cache
def _anything(tables: TrustTables) -> Select[Any]:
    c = tables.withheld.c
    active = c.log == bindparam("in_log"), c.released_known.is_(None)
    return select(c.item).where(*active).limit(1)


@dataclass(frozen=True)
class Withholding:
    """Whose word counts for more in a log, and what is withheld there.

    Attributes:
        connection: An open transaction.
        log: The log's number.
        tables: Tables of the trust generation that serves.
    """

    connection: Connection
    log: int
    tables: TrustTables

    @classmethod
    def under(cls, projector: Projector, transaction: Transaction) -> "Withholding":
        """Look at it inside an append; commits that share the lock look once more each."""
        generation = projector.serving_in(transaction)[TrustProjection.name].number
        return cls(transaction.connection, transaction.log, trust_tables(generation))

    @classmethod
    def read(cls, projector: Projector, connection: Connection) -> "Withholding":
        """Look at it in a snapshot."""
        serving = projector.serving(connection)
        generation = projector.readable(serving, TrustProjection.name).number
        return cls(connection, projector.log.log, trust_tables(generation))

    @cached_property
    def policy(self) -> TrustPolicy:
        """The policy of trust that holds."""
        c = self.tables.standing.c
        statement = select(c.profile).where(c.log == self.log)
        return profile_named(self.connection.execute(statement).scalar_one())

    @cached_property
    def anything(self) -> bool:
        """Whether anything is withheld at all; mostly nothing is."""
        return bool(fetch_rows(self.connection, _anything(self.tables), {"in_log": self.log}))

    def causes_among(self, items: Sequence[int]) -> dict[int, set[int]]:
        """Give, of the items that are withheld, what withholds them."""
        if not items or not self.anything:
            return {}
        return causes_among(self.connection, self.tables, self.log, items)

    def withheld_among(self, items: Sequence[int], *, releasing: int | None = None) -> set[int]:
        """Give the items that are withheld, and still will be when one quarantine is lifted."""
        return {item for item, causes in self.causes_among(items).items() if causes - {releasing}}


def last_erasure_in(projector: Projector, transaction: Transaction) -> int:
    """Give the position of the last erasure, -1 before the first.

    Commits that share the lock look once for all of them.
    """
    if _LAST_ERASURE not in transaction.seen:
        tables = Withholding.under(projector, transaction).tables
        found = last_erasure(transaction.connection, tables, transaction.log)
        transaction.seen[_LAST_ERASURE] = found
    return int(transaction.seen[_LAST_ERASURE])


def note_erasure(transaction: Transaction) -> None:
    """Let commits that share the lock look again for the last erasure."""
    transaction.seen.pop(_LAST_ERASURE, None)


def profile_of(projector: Projector) -> str:
    """Give the name of the profile of trust that a log has."""
    with projector.log.database.read() as connection:
        return Withholding.read(projector, connection).policy.name


def assert_profile(projector: Projector, wanted: str | None) -> None:
    """Refuse to take a memory for one of another profile of trust than it has; None: of any.

    Raises:
        InvalidInput: It has another one.
    """
    there = profile_of(projector) if wanted is not None else None
    if there != wanted:
        raise InvalidInput(
            f"this memory has the profile of trust {there!r}, not {wanted!r}",
            hint="Leave it out, or change it with `change_trust`.",
            field="trust",
        )
