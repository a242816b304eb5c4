"""Whether a fact still rests on what it was derived from: computed when it is read, kept nowhere.

A fact that follows from others is stale when one of them holds no longer, at any depth. A digest is
stale when the facts that it would sum up are not those that it sums up: one that has joined them
counts like one that fell, and so does one that ends at another time than it was told to.
Source: decision 19.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Row, Select, Table, and_, bindparam, select
from sqlalchemy.sql.elements import ColumnElement

from smriti_es.events.catalogue.facts import DIGEST
from smriti_es.events.database import in_parts
from smriti_es.predicates import DIGEST_PREFIX
from smriti_es.projections.entities import names_at
from smriti_es.projections.speakers import GENERIC_NAMES

if TYPE_CHECKING:
    from smriti_es.beliefs import BeliefReader

# Of an entity, whatever is said of it; any other digest is of one predicate.
ENTITY_DIGEST: Final = f"{DIGEST_PREFIX}entity"
_MARK_DIGITS: Final = 16


def stale_among(reader: "BeliefReader", positions: Sequence[int]) -> set[int]:
    """Tell which of some facts are stale at the reader's two times."""
    return {each for each in _derived_among(reader, positions) if is_stale(reader, each)}


def is_stale(reader: "BeliefReader", position: int, _seen: frozenset[int] = frozenset()) -> bool:
    """Tell whether one fact is stale at the reader's two times."""
    digest = _digest_at(reader, position)
    if digest is not None:
        return bool(inputs_mark(inputs_of(reader, digest)) != digest.value)
    return any(
        not reader.holds(each) or is_stale(reader, each, _seen | {position})
        for each, _ in _premises(reader, position)
        if each not in _seen
    )


def inputs_of(reader: "BeliefReader", digest: Any) -> list[Row[Any]]:
    """Read how the facts stand that a digest would sum up.

    Args:
        reader: Knows both times.
        digest: Its space, subject, predicate and scope, in key form.
    """
    facts = reader.tables.facts
    names = names_at(reader.connection, reader.log, reader.tables.aliases, reader.known)
    known_as = names.all_of(digest.subject)
    if digest.predicate == ENTITY_DIGEST:
        # Also where `user` is somebody's alias: what is said of `user` is the whole memory.
        proper = [name for name in known_as if name not in GENERIC_NAMES]
        within = select(facts.entity.c.position).where(
            facts.entity.c.log == reader.log, facts.entity.c.entity.in_(proper)
        )
        about: ColumnElement[bool] = facts.fact.c.position.in_(within)
    else:
        about = and_(
            facts.fact.c.subject.in_(known_as),
            facts.fact.c.predicate == digest.predicate.removeprefix(DIGEST_PREFIX),
        )
    rows = reader.current(
        about,
        facts.fact.c.space == digest.space,
        facts.fact.c.scope == digest.scope,
        facts.fact.c.kind != DIGEST,
    )
    unfit = unfit_among(reader, [row.position for row in rows])
    return [row for row in rows if row.position not in unfit]


def unfit_among(reader: "BeliefReader", positions: Sequence[int]) -> set[int]:
    """Tell which facts no digest may sum up: the stale ones, and those that follow from a digest.

    Nothing that a digest says comes back to it as material.
    """
    derived = _derived_among(reader, positions)
    return {each for each in derived if not _is_sound(reader, each, frozenset())}


def inputs_mark(inputs: Iterable[Any]) -> str:
    """Name a set of facts as they stand: equal exactly when the same facts hold at the same times.

    Args:
        inputs: Anything with `position`, `valid_from` and `valid_to`.
    """
    standing = sorted(
        (each.position, each.valid_from, -1 if each.valid_to is None else each.valid_to)
        for each in inputs
    )
    digest = hashlib.sha256(json.dumps(standing).encode()).hexdigest()
    facts = "1 fact" if len(standing) == 1 else f"{len(standing)} facts"
    return f"{facts} {digest[:_MARK_DIGITS]}"


def _is_sound(reader: "BeliefReader", position: int, seen: frozenset[int]) -> bool:
    return all(
        kind != DIGEST and reader.holds(each) and _is_sound(reader, each, seen | {position})
        for each, kind in _premises(reader, position)
        if each not in seen
    )


def _derived_among(reader: "BeliefReader", positions: Sequence[int]) -> list[int]:
    """Pick the facts that were derived from others: most facts were not."""
    statement = _derived(reader.tables.facts.premise)
    derived: list[int] = []
    for part in in_parts(positions):
        values = {"in_log": reader.log, "positions": part}
        derived += reader.connection.execute(statement, values).scalars()
    return derived


@cache
def _derived(premises: Table) -> Select[Any]:
    c = premises.c
    among = c.position.in_(bindparam("positions", expanding=True))
    return select(c.position).where(c.log == bindparam("in_log"), among).distinct()


def _premises(reader: "BeliefReader", position: int) -> list[tuple[int, str | None]]:
    """Give what a fact was derived from, each with its kind, or None when it is gone."""
    premise, fact = reader.tables.facts.premise, reader.tables.facts.fact
    same = and_(fact.c.log == premise.c.log, fact.c.position == premise.c.premise)
    rows = reader.connection.execute(
        select(premise.c.premise, fact.c.kind)
        .outerjoin(fact, same)
        .where(premise.c.log == reader.log, premise.c.position == position)
        .order_by(premise.c.premise)
    )
    return [(row.premise, row.kind) for row in rows]


def _digest_at(reader: "BeliefReader", position: int) -> Any:
    fact = reader.tables.facts.fact.c
    return reader.connection.execute(
        select(fact.space, fact.subject, fact.predicate, fact.scope, fact.value).where(
            fact.log == reader.log, fact.position == position, fact.kind == DIGEST
        )
    ).one_or_none()
