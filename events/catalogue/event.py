"""What every event type has in common, and how an event becomes bytes and comes back.

An event type is a frozen dataclass with three class constants. Fields named in `FACETS` go to the
header (kept for ever, so never personal); all others go to the payload (erasable). A field equal to
its default is not written, so that adding one with a default changes no stored byte.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from functools import cache
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple, Protocol

from smriti_es.events.errors import IntegrityError, InvalidInput

# Made once: building an encoder costs as much as encoding a small event.
_decode = json.JSONDecoder().raw_decode
_encode = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
).encode


class Event(Protocol):
    """The shape of an event type: past tense, frozen, keyword-only."""

    TYPE: ClassVar[str]
    VERSION: ClassVar[int]
    FACETS: ClassVar[tuple[str, ...]]
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


def facets_of(event: Event) -> dict[str, Any]:
    """Give the part of an event that stands in the header."""
    return {name: getattr(event, name) for name in event.FACETS}


def body_of(event: Event, extra: Mapping[str, Any] | None = None) -> bytes:
    """Write the payload: JSON in UTF-8 with sorted keys, without fields at their default.

    Args:
        event: The event.
        extra: Reserved members that the log itself adds (names start with `$`).

    The bytes are stored and committed to exactly as written here; nothing ever re-encodes them.

    Raises:
        InvalidInput: A value has no form in JSON: a lone surrogate, a NaN, an object.
    """
    names, defaults, values_of = _payload_fields(type(event))
    members = {
        name: value
        for name, value, default in zip(names, values_of(event), defaults, strict=True)
        if value != default
    }
    if extra:
        members.update(extra)
    try:
        return _encode(members).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{event.TYPE} cannot be written as JSON: {error}") from error


def members_of(body: bytes) -> dict[str, Any]:
    """Read the payload's members.

    Raises:
        IntegrityError: The bytes are not a JSON object; only a foreign writer can have made them.
    """
    try:
        text = body.decode()
        members, end = _decode(text)
    except (ValueError, RecursionError) as error:
        raise IntegrityError(f"payload cannot be read: {error}") from error
    if not isinstance(members, dict) or end != len(text):
        raise IntegrityError("payload is not a JSON object")
    return members


def build(kind: type[Event], members: Mapping[str, Any], facets: Mapping[str, Any]) -> Event:
    """Make the event from payload members and facets; reserved members are left out."""
    values = members
    if any(name.startswith("$") for name in members):
        values = {name: value for name, value in members.items() if not name.startswith("$")}
    try:
        return kind(**values, **facets)
    except TypeError as error:
        raise IntegrityError(f"{kind.TYPE} does not have this form: {error}") from error


class _PayloadFields(NamedTuple):
    """The fields that stand in the payload: their names, their defaults, and how to read them."""

    names: tuple[str, ...]
    defaults: tuple[Any, ...]
    values_of: Callable[[Event], tuple[Any, ...]]


@cache
def _payload_fields(kind: type[Event]) -> _PayloadFields:
    found = [item for item in fields(kind) if item.name not in kind.FACETS]
    names = tuple(item.name for item in found)
    return _PayloadFields(
        names,
        tuple(
            item.default if item.default_factory is MISSING else item.default_factory()
            for item in found
        ),
        _reader(names),
    )


def _reader(names: tuple[str, ...]) -> Callable[[Event], tuple[Any, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    # Of fewer names than two, `attrgetter` makes no tuple.
    return lambda event: tuple(getattr(event, name) for name in names)
