"""A caller's filter on metadata: parsed into a small closed tree, and what that tree means.

::

    {"level": 4}                                  equal
    {"level": {"gte": 2, "lt": 5}}                both
    {"level": {"in": [1, 2]}, "topic": "kiln"}    several keys: all of them
    {"$or": [{"level": 1}, {"NOT": {"topic": "kiln"}}]}

Operators: eq, ne, in, gt, gte, lt, lte, range, contains. Connectives: and, or (over a list), not
(over one condition), in any case. Both may carry a leading `$`.

What it means, here and in every database:

- A comparison holds only where the key holds a value. A key that is absent, or holds an empty list,
  matches nothing, under `ne` as well; `not` turns the answer for the item round, so an absent key
  passes it.
- Numbers compare with numbers, texts with texts (by code point), booleans with booleans and only
  under eq, ne and in. `true` is not 1. Values of two types are never equal and never in order.
- A list matches eq, in and contains when any of its entries does, ne when none equals; it is in no
  order.
- `range` takes both ends in. `contains` looks for a part of a text, exactly as written.

Source: decision 12.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from smriti_es.captured import MetadataValue, Scalar
from smriti_es.checked_values import CONNECTIVES, Place, checked_label
from smriti_es.filter_operands import OPERATORS, Operator, checked_operand, family

__all__ = [
    "OPERATORS",
    "And",
    "Comparison",
    "Filter",
    "Not",
    "Operator",
    "Or",
    "matches",
    "parse_filter",
]

FILTER_DEPTH_MAX = 8
FILTER_NODES_MAX = 200
_KEY_LENGTH_MAX = 200

_PLACE = Place("where")


@dataclass(frozen=True, slots=True)
class Comparison:
    """One key against a value.

    Attributes:
        key: The metadata key.
        operator: One of `OPERATORS`.
        value: A scalar; a tuple of scalars under `in`; `(low, high)` under `range`.
        families: The kind of each value: Python takes 1 and True for equal, filters do not.
    """

    key: str
    operator: Operator
    value: Scalar | tuple[Scalar, ...]
    families: tuple[type, ...] = field(init=False)

    def __post_init__(self) -> None:
        values = self.value if isinstance(self.value, tuple) else (self.value,)
        object.__setattr__(self, "families", tuple(map(family, values)))


@dataclass(frozen=True, slots=True)
class And:
    """All of at least one condition."""

    parts: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Any of at least one condition."""

    parts: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class Not:
    """Every item that the condition does not match."""

    part: "Filter"


Filter: TypeAlias = Comparison | And | Or | Not


def parse_filter(where: Mapping[str, object] | None) -> Filter | None:
    """Read a caller's filter.

    What cannot be understood is refused, never left out: a filter that is dropped would match
    everything.

    Args:
        where: The filter as mappings and lists; None or an empty mapping is no filter.

    Returns:
        The tree, or None for no filter.

    Raises:
        InvalidInput: An unknown operator, a value that the operator cannot compare with, a
            condition that is empty, more than 8 levels, 200 conditions, or 500 choices under `in`.
    """
    if where is None or where == {}:
        return None
    parsed = _parse_condition(where, depth=1)
    nodes = _count_nodes(parsed)
    if nodes > FILTER_NODES_MAX:
        raise _PLACE.refusal(
            f"has {nodes} conditions, at most {FILTER_NODES_MAX} are allowed",
            'Use {"in": [...]} instead of many conditions on one key.',
            limit=FILTER_NODES_MAX,
        )
    return parsed


def matches(condition: Filter | None, metadata: Mapping[str, MetadataValue]) -> bool:
    """Tell whether an item's metadata meets a filter.

    The plain meaning, against which every translation into a query is tested.

    Args:
        condition: A parsed filter; None matches everything.
        metadata: The item's metadata.
    """
    match condition:
        case None:
            return True
        case And(parts):
            return all(matches(part, metadata) for part in parts)
        case Or(parts):
            return any(matches(part, metadata) for part in parts)
        case Not(part):
            return not matches(part, metadata)
        case Comparison(key, operator, value):
            return _compares(metadata.get(key, ()), operator, value)


def _compares(found: MetadataValue, operator: Operator, value: Scalar | tuple[Scalar, ...]) -> bool:
    entries = (found,) if isinstance(found, (str, int, float)) else tuple(found)
    choices = value if isinstance(value, tuple) else (value,)
    equal = any(_equal(entry, choice) for entry in entries for choice in choices)
    if operator in {"eq", "in"}:
        return equal
    if operator == "ne":
        return bool(entries) and not equal
    if operator == "contains":
        return any(isinstance(entry, str) and str(value) in entry for entry in entries)
    return isinstance(found, (str, int, float)) and _in_order(found, operator, value)


def _equal(entry: Scalar, value: Scalar) -> bool:
    return family(entry) is family(value) and entry == value


def _in_order(found: Scalar, operator: Operator, value: Scalar | tuple[Scalar, ...]) -> bool:
    low, high = value if isinstance(value, tuple) else (value, value)
    if isinstance(found, bool) or family(found) is not family(low):
        return False
    # One family on all sides, which the type checker cannot see.
    item, least, most = cast("tuple[float, float, float]", (found, low, high))
    outcomes: dict[Operator, bool] = {
        "gt": item > least,
        "gte": item >= least,
        "lt": item < least,
        "lte": item <= least,
        "range": least <= item <= most,
    }
    return outcomes[operator]


def _parse_condition(where: object, depth: int) -> Filter:
    if depth > FILTER_DEPTH_MAX:
        raise _PLACE.refusal(
            f"is nested more than {FILTER_DEPTH_MAX} deep",
            "Write it flatter.",
            limit=FILTER_DEPTH_MAX,
        )
    if not isinstance(where, Mapping):
        raise _PLACE.refusal(
            f"has a {type(where).__name__} where a condition belongs",
            'Give a mapping such as {"level": {"gte": 4}}.',
        )
    if not where:
        raise _PLACE.refusal("has an empty condition", "Leave it out, or name a key.")
    parts = [part for key, value in where.items() for part in _parse_entry(key, value, depth)]
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _parse_entry(key: object, value: object, depth: int) -> list[Filter]:
    name = checked_label(key, Place("key in where"), _KEY_LENGTH_MAX)
    connective = name.removeprefix("$").lower()
    if connective in CONNECTIVES:
        return [_parse_connective(connective, value, depth)]
    if name.startswith("$"):
        known = ", ".join(f"${word}" for word in CONNECTIVES)
        raise _PLACE.refusal(
            f"has the unknown connective {name!r}", f"Use one of {known}, or a key.", operator=name
        )
    if not isinstance(value, Mapping):
        return [_parse_comparison(name, "eq", value)]
    if not value:
        raise _PLACE.refusal(f"compares {name!r} with nothing", f"Use {_known_operators()}.")
    return [_parse_comparison(name, operator, operand) for operator, operand in value.items()]


def _parse_connective(connective: str, value: object, depth: int) -> Filter:
    if connective == "not":
        return Not(_parse_condition(value, depth + 1))
    if not isinstance(value, (list, tuple)) or not value:
        raise _PLACE.refusal(
            f"has {connective!r} over something that is not a list of conditions",
            f'Give for example {{"{connective}": [{{"level": 1}}, {{"level": 5}}]}}.',
        )
    parts = tuple(_parse_condition(part, depth + 1) for part in value)
    return And(parts) if connective == "and" else Or(parts)


def _parse_comparison(key: str, operator: object, operand: object) -> Comparison:
    name = operator.removeprefix("$") if isinstance(operator, str) else operator
    if name not in OPERATORS:
        raise _PLACE.refusal(
            f"has the unknown operator {operator!r} on {key!r}",
            f"Use {_known_operators()}.",
            operator=operator,
        )
    return Comparison(key, name, checked_operand(name, operand, Place(f"where {key!r} {name}")))


def _known_operators() -> str:
    return f"one of {', '.join(OPERATORS)}"


def _count_nodes(condition: Filter) -> int:
    match condition:
        case And(parts) | Or(parts):
            return 1 + sum(_count_nodes(part) for part in parts)
        case Not(part):
            return 1 + _count_nodes(part)
        case Comparison():
            return 1
