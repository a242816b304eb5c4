"""The operators of a filter, and which value each can compare with."""

from typing import Literal, cast, get_args

from smriti_es.captured import Scalar
from smriti_es.checked_values import Place, checked_label, checked_scalar

Operator = Literal["eq", "ne", "in", "gt", "gte", "lt", "lte", "range", "contains"]
OPERATORS: tuple[Operator, ...] = get_args(Operator)

FILTER_CHOICES_MAX = 500
_TEXT_LENGTH_MAX = 4096


def family(value: Scalar) -> type:
    """Return bool, str or float: values compare within one of these and never across."""
    if isinstance(value, bool):
        return bool
    return str if isinstance(value, str) else float


def checked_operand(
    operator: Operator, operand: object, place: Place
) -> Scalar | tuple[Scalar, ...]:
    """Check the value that a key is compared with.

    Args:
        operator: The operator.
        operand: What the caller gave.
        place: Where it stands.

    Returns:
        A scalar; a tuple of scalars under `in`; `(low, high)` under `range`.

    Raises:
        InvalidInput: The operator cannot compare with such a value.
    """
    match operator:
        case "eq" | "ne":
            return _one(operand, place)
        case "in":
            return _choices(operand, place)
        case "range":
            return _both_ends(operand, place)
        case "contains":
            return _part_of_text(operand, place)
        case _:
            return _orderable(operand, place)


def _one(operand: object, place: Place) -> Scalar:
    if isinstance(operand, (list, tuple, set, frozenset)):
        raise place.refusal("was given a list", 'Use {"in": [...]} for any of several values.')
    return checked_scalar(operand, place, _TEXT_LENGTH_MAX)


def _orderable(operand: object, place: Place) -> Scalar:
    value = _one(operand, place)
    if isinstance(value, bool):
        raise place.refusal("was given a boolean, which has no order", "Use eq or ne.")
    return value


def _choices(operand: object, place: Place) -> tuple[Scalar, ...]:
    if not isinstance(operand, (list, tuple)):
        raise place.refusal(
            f"must be a list, not {type(operand).__name__}", 'Give for example {"in": [1, 2]}.'
        )
    if len(operand) > FILTER_CHOICES_MAX:
        raise place.refusal(
            f"has {len(operand)} choices, at most {FILTER_CHOICES_MAX} are allowed",
            "Use range, or several reads.",
            limit=FILTER_CHOICES_MAX,
        )
    return tuple(_one(choice, place) for choice in operand)


def _both_ends(operand: object, place: Place) -> tuple[Scalar, ...]:
    if not isinstance(operand, (list, tuple)) or len(operand) != 2:
        raise place.refusal("must be a list of two ends", 'Give for example {"range": [1, 3]}.')
    low, high = (_orderable(end, place) for end in operand)
    if family(low) is not family(high):
        raise place.refusal("mixes a number and a text", "Give two numbers or two texts.")
    if cast("float", low) > cast("float", high):
        raise place.refusal("ends before it begins", "Give the lower end first.")
    return (low, high)


def _part_of_text(operand: object, place: Place) -> str:
    if not isinstance(operand, str):
        raise place.refusal(
            f"must be text, not {type(operand).__name__}", "Use eq for an entry of a list."
        )
    return checked_label(operand, place, _TEXT_LENGTH_MAX)
