"""What follows from facts is no more trusted than they are, and applies only where all of them do.

Source: decision 20; design page on trust, "Where a read may look".
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from sqlalchemy import Connection, Select, Table, and_, bindparam, select

from smriti_es.captured import ORIGINS
from smriti_es.events.catalogue import FactAsserted
from smriti_es.events.errors import InvalidInput
from smriti_es.events.tables import payload_table
from smriti_es.scopes import joined_scopes, scope_parts


@dataclass(frozen=True, slots=True)
class Premise:
    """What a fact that follows from another takes from it.

    Attributes:
        position: Position of the other.
        origin: Its origin.
        scope: Its scope, as it was said.
    """

    position: int
    origin: str
    scope: str


def read_premises(
    connection: Connection, log: int, facts: Table, positions: Sequence[int]
) -> list[Premise]:
    """Read facts that others follow from, by position."""
    rows = connection.execute(_premises(facts), {"in_log": log, "positions": positions})
    return [
        Premise(row.position, row.origin, json.loads(row.body).get("scope", "")) for row in rows
    ]


def inheriting(event: FactAsserted, premises: Sequence[Premise], *, named: bool) -> FactAsserted:
    """Give a statement the lowest origin and all the scopes of what it follows from.

    Args:
        event: The statement, with scopes and an origin of its own.
        premises: What it follows from.
        named: Whether somebody named its origin, and is to be told that it cannot be so high.

    Raises:
        InvalidInput: The origin that was named is higher than that of a premise.
    """
    if not premises:
        return event
    lowest = max(premises, key=lambda premise: ORIGINS.index(premise.origin))
    lowered = ORIGINS.index(lowest.origin) > ORIGINS.index(event.origin)
    if lowered and named:
        raise InvalidInput(
            f"origin {event.origin} is higher than {lowest.origin}, which the fact at position "
            f"{lowest.position} has that this one follows from",
            hint=f"Leave it out, or give {' or '.join(ORIGINS[ORIGINS.index(lowest.origin) :])}.",
            field="origin",
        )
    own = scope_parts(event.scope)
    inherited = (part for premise in premises for part in scope_parts(premise.scope))
    return replace(
        event,
        origin=lowest.origin if lowered else event.origin,
        scope=joined_scopes((*own, *inherited)),
    )


@cache
def _premises(facts: Table) -> Select[Any]:
    fact, stored = facts.c, payload_table.c
    content = and_(stored.log == fact.log, stored.position == fact.position)
    named = fact.position.in_(bindparam("positions", expanding=True))
    return (
        select(fact.position, fact.origin, stored.body)
        .join_from(facts, payload_table, content)
        .where(fact.log == bindparam("in_log"), named)
        .order_by(fact.position)
    )
