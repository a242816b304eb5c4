"""The statements by which beliefs are read, each built once: building costs more than running one.

What a read asks for becomes values of parameters; only which parameters there are makes another
statement.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    Join,
    Select,
    Table,
    and_,
    bindparam,
    func,
    literal,
    or_,
    select,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ColumnElement

from smriti_es.events.tables import payload_table
from smriti_es.filter_predicates import metadata_predicate, tag_conditions
from smriti_es.filters import Filter
from smriti_es.projections.facts import ADMITTED, LAPSED, RETRACTED, FactTables
from smriti_es.projections.trust import TrustTables, not_withheld
from smriti_es.scopes import JOINT


@dataclass(frozen=True, slots=True)
class BeliefTables:
    """The tables that beliefs are read from."""

    facts: FactTables
    revisions: Table
    trust: TrustTables
    aliases: int


def belief_query(
    tables: BeliefTables,
    narrowed_by: AbstractSet[str],
    *,
    past: bool,
    light: bool = False,
) -> Select[Any]:
    """Select facts as they were believed at a knowledge time; what is withheld is left out.

    Args:
        tables: Where they lie.
        narrowed_by: Names of parameters that they must meet: `spaces`, `subjects`, `scopes`,
            `origins`, `kinds`, `positions` and `entities` (one of several), `predicate`, `value`,
            and `other_kind`, which they must not be of.
        past: As of the parameter `known`; else as of now.
        light: Only how they stand, without their content.

    Returns:
        The statement; `in_log` is a parameter, too.
    """
    return _belief_query(tables, frozenset(narrowed_by), past=past, light=light)


@cache
def _belief_query(
    tables: BeliefTables, narrowed_by: frozenset[str], *, past: bool, light: bool
) -> Select[Any]:
    fact, revision = tables.facts.fact, tables.revisions
    of_fact = and_(revision.c.log == fact.c.log, revision.c.fact == fact.c.position)
    joined = _JoinedInOrder(fact, revision, of_fact)
    if not light:
        stored = payload_table.c
        content = and_(stored.log == fact.c.log, stored.position == fact.c.position)
        joined = _JoinedInOrder(joined, payload_table, content)
    conditions = _conditions(tables)
    return (
        select(*_columns(tables, light=light))
        .select_from(joined)
        .where(
            fact.c.log == bindparam("in_log"),
            _then(revision, past=past),
            revision.c.state.in_([ADMITTED, LAPSED, RETRACTED]),
            _not_withheld(tables, fact.c.log, fact.c.position, past=past),
            *(conditions[name] for name in sorted(narrowed_by)),
        )
    )


@cache
def restatement_query(tables: BeliefTables, *, past: bool) -> Select[Any]:
    """Select the facts that only repeat one of `standing`, each with the one that it repeats."""
    r = tables.revisions.c
    # In no order: to sort by position, SQLite would go through all revisions.
    return select(r.fact, r.folded_into).where(
        r.log == bindparam("in_log"),
        _among(r.folded_into, "standing"),
        r.state == ADMITTED,
        _not_withheld(tables, r.log, r.fact, past=past),
        _then(tables.revisions, past=past),
    )


class _JoinedInOrder(Join):
    """A join that begins with its left side.

    SQLite, which knows nothing of how many rows there are, takes a log for a handful of them and
    would begin with all revisions. Source: https://sqlite.org/optoverview.html, "Manual Control Of
    Query Plans Using CROSS JOIN".
    """

    inherit_cache = True


@compiles(_JoinedInOrder, "sqlite")
def _cross_join(join: _JoinedInOrder, compiler: SQLCompiler, **options: Any) -> str:
    left, right = (compiler.process(each, **options) for each in (join.left, join.right))
    assert join.onclause is not None, "both sides are tied"
    del options["asfrom"]
    return f"{left} CROSS JOIN {right} ON {compiler.process(join.onclause, **options)}"


@cache
def follower_query(tables: BeliefTables, *, past: bool) -> Select[Any]:
    """Select those of `following` that took the place of another fact."""
    r = tables.revisions.c
    return select(r.superseded_by).where(
        r.log == bindparam("in_log"),
        _among(r.superseded_by, "following"),
        _not_withheld(tables, r.log, r.fact, past=past),
        _then(tables.revisions, past=past),
    )


def _columns(tables: BeliefTables, *, light: bool) -> list[ColumnElement[Any]]:
    fact, r = tables.facts.fact.c, tables.revisions.c
    standing: list[ColumnElement[Any]] = [
        fact.position,
        r.state,
        r.valid_from,
        r.valid_to,
        r.superseded_by,
        r.folded_into,
    ]
    if light:
        return standing
    said = [fact.fact, fact.space, fact.scope, fact.origin, fact.kind, fact.said_at]
    return [*standing, r.known_from, *said, payload_table.c.body]


def _then(revisions: Table, *, past: bool) -> ColumnElement[bool]:
    """Pick the revision that was believed at the knowledge time."""
    r, known = revisions.c, bindparam("known", type_=BigInteger)
    if not past:
        return r.known_to.is_(None)
    return and_(r.known_from <= known, or_(r.known_to.is_(None), r.known_to > known))


def _not_withheld(
    tables: BeliefTables, log: ColumnElement[int], position: ColumnElement[int], *, past: bool
) -> ColumnElement[bool]:
    known = bindparam("known", type_=BigInteger) if past else None
    return not_withheld(tables.trust, log, position, known)


def _conditions(tables: BeliefTables) -> dict[str, ColumnElement[bool]]:
    fact, entity = tables.facts.fact.c, tables.facts.entity.c
    naming = select(entity.position).where(
        entity.log == bindparam("in_log"), _among(entity.entity, "entities")
    )
    return {
        "spaces": _among(fact.space, "spaces"),
        "subjects": _among(fact.subject, "subjects"),
        "predicate": fact.predicate == bindparam("predicate"),
        "value": fact.value == bindparam("value"),
        "entities": fact.position.in_(naming),
        "scopes": _among(fact.scope, "scopes"),
        "origins": _among(fact.origin, "origins"),
        "kinds": _among(fact.kind, "kinds"),
        "other_kind": fact.kind != bindparam("other_kind"),
        "positions": _among(fact.position, "positions"),
    }


def several_scopes(tables: FactTables, keys: Sequence[str]) -> ColumnElement[bool]:
    """Write that a fact applies within some scopes: in none, in one, or in several of them.

    Of a fact in several scopes, each that is named is taken away; it may be read when nothing of
    them is left.

    Args:
        tables: Where facts lie.
        keys: The scopes, one by one, in key form.
    """
    scope = tables.fact.c.scope
    left: ColumnElement[str] = literal(JOINT) + scope + literal(JOINT)
    # The longest first: "p:a & b" is one scope, and begins with another.
    for key in sorted(keys, key=len, reverse=True):
        if key:
            left = func.replace(left, f"{JOINT}{key}{JOINT}", JOINT)
    return or_(scope.in_(keys), and_(scope.contains(JOINT), left == JOINT))


def label_conditions(
    tables: FactTables,
    log: int,
    tags: Sequence[str],
    tags_any: Sequence[str],
    condition: Filter | None,
) -> list[ColumnElement[bool]]:
    """Write what a fact's tags and metadata must meet (see `FactFilter`)."""
    position = tables.fact.c.position
    conditions = tag_conditions(tables.tag, log, position, tags, tags_any)
    if condition is not None:
        conditions.append(metadata_predicate(condition, tables.attribute, log, position))
    return conditions


def _among(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    return column.in_(bindparam(name, expanding=True))
