"""What a model's reply holds, whatever stands around it and whatever form it chose.

A reply gives items when it is `{"facts": [...]}`, a bare list, or what a small model makes of the
two. Whether an item is any good is decided item by item, later.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from smriti_es.extraction.json_scan import FoundJson, find_json

# ok: the items are all there are, be it none. truncated: the reply broke off or is damaged.
# malformed: no JSON. wrong_shape: JSON of something else. schema_echo: our form, not filled in.
ReplyStatus = Literal["ok", "truncated", "malformed", "wrong_shape", "schema_echo"]

STATEMENT_KEYS = ("statement", "fact", "text", "memory", "content", "sentence")
_LIST_KEYS = ("facts", "memories", "items", "results", "data")
_NESTING_MAX = 2
_THOUGHT_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_NOTHING = frozenset({"", "null", "none", "[]", "{}", '""'})
_SCHEMA_TYPES = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})


@dataclass(frozen=True, slots=True)
class ItemsReply:
    """The items of a reply.

    Attributes:
        status: Whether the reply could be read; items count only with ok and truncated.
        items: What it lists, unchecked.
        notes: What was odd about the JSON.
    """

    status: ReplyStatus
    items: tuple[Any, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ObjectReply:
    """The object of a reply.

    Attributes:
        status: ok, malformed or wrong_shape.
        value: The object; empty unless ok.
    """

    status: ReplyStatus
    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Listing:
    items: tuple[Any, ...]
    # Nothing else that the reply may hold is likelier to be what was asked for.
    certain: bool
    lone: bool = False


def read_items(text: str) -> ItemsReply:
    """Read the facts that a reply lists; never raises.

    The first whole value that has the form of an answer counts, wherever it stands; then what is
    left of a damaged one; then a value that merely might be one ("[]" in prose). Nothing said is
    nothing found.
    """
    answer = _answer(text)
    if answer.strip().lower() in _NOTHING:
        return ItemsReply("ok")
    found = list(find_json(answer))
    data = [each for each in found if not is_schema(each.value)]
    listings = [(each, listing) for each in data if (listing := _listing(each.value, each))]
    if not listings:
        echoed = len(data) < len(found) or any(_holds_schema(each.value) for each in data)
        status: ReplyStatus = "schema_echo" if echoed else "wrong_shape" if found else "malformed"
        return ItemsReply(status, notes=_notes(found))
    certain = [each for each in listings if each[1].certain]
    for each, listing in certain:
        if each.complete and not listing.lone:
            return ItemsReply("ok", listing.items, each.notes)
    return _pieces(certain or listings[:1])


def read_object(text: str, *, key: str) -> ObjectReply:
    """Read the first whole object in a reply that has a key; never raises.

    Args:
        text: The reply.
        key: What the object must have, whatever its value.
    """
    found = list(find_json(_answer(text)))
    for each in found:
        if each.complete and isinstance(each.value, dict) and key in each.value:
            return ObjectReply("ok", each.value)
    return ObjectReply("wrong_shape" if found else "malformed", {})


def is_schema(value: object) -> bool:
    """Tell a JSON schema from data: small models like to repeat the form instead of filling it."""
    if not isinstance(value, dict):
        return False
    if "$schema" in value or isinstance(value.get("properties"), dict):
        return True
    kind = value.get("type")
    described = {"items", "required", "enum", "description"} & value.keys()
    return isinstance(kind, str) and kind in _SCHEMA_TYPES and bool(described)


def _answer(text: str) -> str:
    """Leave out what a model thought aloud, unless it said nothing else in JSON."""
    ends = list(_THOUGHT_END.finditer(text))
    if not ends:
        return text
    rest = text[ends[-1].end() :]
    said = rest.strip().lower() in _NOTHING - {""} or next(find_json(rest), None)
    return rest if said else text


def _pieces(listings: Sequence[tuple[FoundJson, _Listing]]) -> ItemsReply:
    """Facts that stand one after another without a list, and what a damaged list leaves."""
    pieces = [each for each in listings if each[1].lone or each is listings[0]]
    complete = all(each.complete for each, _ in pieces)
    items = tuple(item for _, listing in pieces for item in listing.items)
    return ItemsReply("ok" if complete else "truncated", items, _notes(each for each, _ in pieces))


def _notes(found: Iterable[FoundJson]) -> tuple[str, ...]:
    return tuple(note for each in found for note in each.notes)


def _listing(value: object, found: FoundJson, depth: int = 0) -> _Listing | None:
    """What a value lists; None when it has not the form of an answer."""
    if isinstance(value, list):
        return _list_listing(value)
    if not isinstance(value, dict) or depth > _NESTING_MAX:
        return None
    if not value:
        return _Listing((), certain=False)
    for key in _LIST_KEYS:
        if key in value:
            return _named_listing(value[key], found, depth)
    if found.complete and any(isinstance(value.get(key), str) for key in STATEMENT_KEYS):
        return _Listing((value,), certain=True, lone=True)
    return _only_listing(value, found, depth)


def _list_listing(items: list[Any]) -> _Listing | None:
    if any(isinstance(item, dict) and not is_schema(item) for item in items):
        return _Listing(tuple(items), certain=True)
    # `[x]` and `["so"]` also occur in prose, and numbers alone are never facts.
    if all(isinstance(item, str) for item in items):
        return _Listing(tuple(items), certain=False)
    return None


def _named_listing(value: object, found: FoundJson, depth: int) -> _Listing | None:
    """What stands under a key that promises facts."""
    if value is None:
        return _Listing((), certain=True)
    if isinstance(value, list):
        schemas = bool(value) and all(is_schema(item) for item in value)
        return None if schemas else _Listing(tuple(value), certain=True)
    if isinstance(value, str) and found.complete:
        return _Listing((value,), certain=True)
    if not isinstance(value, dict) or is_schema(value):
        return None
    inner = _listing(value, found, depth + 1)
    if inner is None and found.complete:
        return _Listing((value,), certain=True)
    return inner


def _only_listing(value: Mapping[str, Any], found: FoundJson, depth: int) -> _Listing | None:
    """The one list of objects in an object that calls it by a name of its own."""
    inner = [
        listing
        for member in value.values()
        if isinstance(member, list | dict) and not is_schema(member)
        if (listing := _listing(member, found, depth + 1)) and listing.certain
    ]
    return inner[0] if len(inner) == 1 else None


def _holds_schema(value: object) -> bool:
    members = value.values() if isinstance(value, dict) else value
    return isinstance(members, Iterable) and any(
        is_schema(member) or (isinstance(member, list) and any(is_schema(one) for one in member))
        for member in members
    )
