"""A filter on metadata as a condition of the query; what it means is said in `filters`."""

from collections.abc import Sequence
from typing import Any, cast

from sqlalchemy import Table, and_, false, not_, or_, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.functions import GenericFunction

from smriti_es.captured import Scalar
from smriti_es.filters import And, Comparison, Filter, Not, Or


class place_of(GenericFunction[int]):  # noqa: N801  reads as the SQL function that it is
    """Where a text occurs in another, from 1; 0 when it does not. Exact, unlike LIKE."""

    inherit_cache = True


@compiles(place_of)
def _standard(element: Any, compiler: Any, **options: Any) -> str:
    return f"strpos({compiler.process(element.clauses, **options)})"


@compiles(place_of, "sqlite")
def _sqlite(element: Any, compiler: Any, **options: Any) -> str:
    return f"instr({compiler.process(element.clauses, **options)})"


def tag_conditions(
    tag: Table,
    log: int,
    position: ColumnElement[int],
    every: Sequence[str],
    one_of: Sequence[str],
) -> list[ColumnElement[bool]]:
    """Write what the tags of the row whose position is given must be.

    Args:
        tag: The table of tags.
        log: Whose rows.
        position: The column that names the turn, session or fact.
        every: Tags that it has, all of them.
        one_of: Tags of which it has one; empty: whatever it has.
    """
    tagged = select(tag.c.position).where(tag.c.log == log)
    conditions: list[ColumnElement[bool]] = [
        position.in_(tagged.where(tag.c.tag == name)) for name in every
    ]
    if one_of:
        conditions.append(position.in_(tagged.where(tag.c.tag.in_(one_of))))
    return conditions


def metadata_predicate(
    condition: Filter, attribute: Table, log: int, position: ColumnElement[int]
) -> ColumnElement[bool]:
    """Write a filter as a condition on the row whose position is given.

    Args:
        condition: A parsed filter.
        attribute: The table of metadata.
        log: Whose rows.
        position: The column that names the turn or session.
    """
    match condition:
        case And(parts):
            return and_(*(metadata_predicate(p, attribute, log, position) for p in parts))
        case Or(parts):
            return or_(*(metadata_predicate(p, attribute, log, position) for p in parts))
        case Not(part):
            return not_(metadata_predicate(part, attribute, log, position))
        case Comparison():
            return _comparison(condition, attribute, log, position)


def _comparison(
    comparison: Comparison, attribute: Table, log: int, position: ColumnElement[int]
) -> ColumnElement[bool]:
    c = attribute.c
    there = select(c.position).where(c.log == log, c.name == comparison.key)
    if comparison.operator == "ne":
        equal = there.where(_equals(attribute, cast(Scalar, comparison.value)))
        return and_(position.in_(there), position.not_in(equal))
    return position.in_(there.where(_holds(comparison, attribute)))


def _holds(comparison: Comparison, attribute: Table) -> ColumnElement[bool]:
    c, operator, value = attribute.c, comparison.operator, comparison.value
    if operator == "eq":
        return _equals(attribute, cast(Scalar, value))
    if operator == "in":
        return _one_of(attribute, cast(tuple[Scalar, ...], value))
    if operator == "contains":
        return and_(c.kind == "text", place_of(c.text, value) > 0)
    # A list is in no order.
    single = c.listed.is_(False)
    if operator == "range":
        low, high = cast(tuple[Scalar, Scalar], value)
        column = _column(attribute, low)
        return and_(single, _same_kind(attribute, low), column >= low, column <= high)
    scalar = cast(Scalar, value)
    column = _column(attribute, scalar)
    ordered = {
        "gt": column > scalar,
        "gte": column >= scalar,
        "lt": column < scalar,
        "lte": column <= scalar,
    }[operator]
    return and_(single, _same_kind(attribute, scalar), ordered)


def _one_of(attribute: Table, choices: tuple[Scalar, ...]) -> ColumnElement[bool]:
    """Compare with many values in one list for each kind: a database takes only so deep an `or`."""
    texts = [choice for choice in choices if isinstance(choice, str)]
    flags = [float(choice) for choice in choices if isinstance(choice, bool)]
    numbers = [choice for choice in choices if not isinstance(choice, (str, bool))]
    c = attribute.c
    return or_(
        false(),
        *(
            and_(c.kind == kind, column.in_(given))
            for kind, column, given in (
                ("text", c.text, texts),
                ("flag", c.number, flags),
                ("number", c.number, numbers),
            )
            if given
        ),
    )


def _equals(attribute: Table, value: Scalar) -> ColumnElement[bool]:
    known = float(value) if isinstance(value, bool) else value
    return and_(_same_kind(attribute, value), _column(attribute, value) == known)


def _same_kind(attribute: Table, value: Scalar) -> ColumnElement[bool]:
    if isinstance(value, bool):
        return attribute.c.kind == "flag"
    return attribute.c.kind == ("text" if isinstance(value, str) else "number")


def _column(attribute: Table, value: Scalar) -> ColumnElement[Any]:
    """Pick the column that holds values of this kind; text compares by code point everywhere."""
    return attribute.c.text if isinstance(value, str) else attribute.c.number
