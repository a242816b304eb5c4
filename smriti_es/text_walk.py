"""Change every text in a value of maps and lists, and copy only what changed."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from smriti_es.events.errors import InvalidInput

# Deeper than anything that is ever stored.
_DEPTH_MAX: Final = 64


class NestedTooDeep(InvalidInput):
    """A value holds values at a depth that nothing stores, or holds itself."""


def _as_it_is(_name: str, value: Any) -> Any:
    return value


def map_texts(
    value: Any,
    change: Callable[[str], str],
    *,
    under: Callable[[str, Any], Any] = _as_it_is,
    depth: int = 0,
) -> Any:
    """Change every text in a value, the keys of maps included.

    Args:
        value: Text, and maps, lists, tuples and sets of it; anything else stays as it is.
        change: Gives the new text, or the same object to leave it.
        under: Is asked first what is to stand under a key of a map.
        depth: How deep the value lies.

    Returns:
        The value; the same object when nothing in it changed.

    Raises:
        NestedTooDeep: Something lies deeper than 64.
    """
    if isinstance(value, str):
        return change(value)
    if depth > _DEPTH_MAX:
        raise NestedTooDeep(f"a value is nested more than {_DEPTH_MAX} deep", hint="Flatten it.")
    if isinstance(value, Mapping):
        return _map_of(value, change, under, depth + 1)
    if isinstance(value, (list, tuple)):
        changed = [map_texts(each, change, under=under, depth=depth + 1) for each in value]
        if all(new is old for new, old in zip(changed, value, strict=True)):
            return value
        return changed if isinstance(value, list) else tuple(changed)
    if isinstance(value, (set, frozenset)):
        texts = {change(each) if isinstance(each, str) else each for each in value}
        return value if texts == value else texts
    return value


def _map_of(
    value: Mapping[Any, Any],
    change: Callable[[str], str],
    under: Callable[[str, Any], Any],
    depth: int,
) -> Mapping[Any, Any]:
    changed: dict[Any, Any] = {}
    same = True
    for key, old in value.items():
        new_key, new = key, old
        if isinstance(key, str):
            new_key = change(key)
            new = under(key, old)
        if new is old:
            new = map_texts(old, change, under=under, depth=depth)
        same = same and new is old and new_key is key
        changed[new_key] = new
    return value if same else changed
