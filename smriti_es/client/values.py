"""Read what a server wrote back into the values that the engine gives."""

from collections.abc import Hashable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from smriti_es.events.instants import parse_instant

Value = TypeVar("Value")


def value_of(kind: type[Value], form: Mapping[str, Any], **told: Any) -> Value:
    """Make a value of the engine out of its JSON form.

    Args:
        kind: Its class, a dataclass.
        form: What was written; members that the class does not have are left out.
        told: Fields that are known otherwise.
    """
    hints = _hints(cast("Hashable", kind))
    known = {name: _read(hint, form[name]) for name, hint in hints.items() if name in form}
    return kind(**(known | told))


@cache
def _hints(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in fields(kind)}


def _read(hint: Any, given: Any) -> Any:
    """Read a member as its field is typed; a time was written as text, and is a number."""
    if given is None:
        return None
    kinds = [each for each in get_args(hint) if each is not type(None)]
    if get_origin(hint) in (Union, UnionType):
        return _read(kinds[0], given) if len(kinds) == 1 else given
    if hint is int and isinstance(given, str):
        return parse_instant(given).at
    if get_origin(hint) is tuple:
        return _read_tuple(kinds, given)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(given)
    return value_of(cast("type[Any]", hint), given) if is_dataclass(hint) else given


def _read_tuple(kinds: list[Any], given: Any) -> tuple[Any, ...]:
    if kinds[-1] is Ellipsis:
        return tuple(_read(kinds[0], each) for each in given)
    parts = given.values() if isinstance(given, Mapping) else given
    return tuple(_read(kind, part) for kind, part in zip(kinds, parts, strict=True))
