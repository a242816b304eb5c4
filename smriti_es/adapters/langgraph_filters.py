"""The filters of LangGraph's stores on the values of items."""

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

_ORDERS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def holds(value: Any, wanted: Any) -> bool:
    """Tell whether a value is what a filter wants: equal, part by part, or in order.

    Args:
        value: What an item has under a key; None where it has nothing.
        wanted: A value, a mapping of values, or of `$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`.

    Raises:
        ValueError: There is no such operator.
    """
    if isinstance(wanted, Mapping):
        if any(str(key).startswith("$") for key in wanted):
            return all(_applies(value, name, operand) for name, operand in wanted.items())
        return isinstance(value, Mapping) and all(
            holds(value.get(key), operand) for key, operand in wanted.items()
        )
    if isinstance(wanted, (list, tuple)):
        return (
            isinstance(value, (list, tuple))
            and len(value) == len(wanted)
            and all(map(holds, value, wanted))
        )
    return bool(value == wanted)


def _applies(value: Any, name: str, operand: Any) -> bool:
    if name == "$eq":
        return bool(value == operand)
    if name == "$ne":
        return bool(value != operand)
    if name not in _ORDERS:
        raise ValueError(f"no operator {name!r}: there are $eq, $ne, {', '.join(_ORDERS)}")
    return _is_number(value) and _is_number(operand) and _ORDERS[name](value, operand)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
