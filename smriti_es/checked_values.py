"""Check the small values that callers attach: texts, labels, tags and metadata.

Everything is refused at the door with its place, or stored as it was given; nothing is silently
changed.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from smriti_es.captured import Limits, Scalar
from smriti_es.events.errors import InvalidInput

# A filter reads these words as connectives, so that no metadata key may be one of them.
CONNECTIVES = ("and", "or", "not")
# Beyond this a double, and so many a reader of JSON, can no longer tell neighbours apart.
INTEGER_MAX = 2**53

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the input a value stands, for the message of an error.

    Attributes:
        field: What the value is, in the caller's words.
        index: 0-based place of its message; None when it belongs to the whole call.
    """

    field: str
    index: int | None = None

    def refusal(self, problem: str, hint: str, **values: Any) -> InvalidInput:
        """Build the error; `problem` continues a sentence that begins with the field."""
        where = self.field if self.index is None else f"message {self.index}: {self.field}"
        return InvalidInput(
            f"{where} {problem}", hint=hint, field=self.field, index=self.index, **values
        )


def checked_text(value: object, place: Place) -> str:
    """Check that a value is text that has a UTF-8 form.

    Args:
        value: Anything.
        place: Where it stands.

    Returns:
        The text, unchanged; a subclass of str (an enum member, say) as the plain text it holds.

    Raises:
        InvalidInput: It is no text, or holds half of a surrogate pair (`offset` says where).
    """
    if not isinstance(value, str):
        raise place.refusal(
            f"must be text, not {type(value).__name__}", "Convert it to str before the call."
        )
    if not value.isascii() and (half := _SURROGATE.search(value)):
        raise place.refusal(
            f"holds half of a surrogate pair at offset {half.start()}",
            'Decode the source with errors="replace", or drop that character.',
            offset=half.start(),
        )
    return str.__str__(value)


def checked_label(value: object, place: Place, length_max: int) -> str:
    """Check a short text that names something: a role, a name, an id, a tag, a key.

    Args:
        value: Anything.
        place: Where it stands.
        length_max: The most characters it may have.

    Returns:
        The text, unchanged.

    Raises:
        InvalidInput: It is no text, blank, too long, or holds NUL (which one of the databases
            refuses).
    """
    text = checked_text(value, place)
    if not text.strip():
        raise place.refusal("is blank", "Leave it out, or give it a value.")
    return _bounded(text, place, length_max)


def _bounded(text: str, place: Place, length_max: int) -> str:
    if len(text) > length_max:
        raise place.refusal(
            f"has {len(text)} characters, at most {length_max} are allowed",
            "Shorten it; put long text into the content.",
            limit=length_max,
        )
    if "\0" in text:
        raise place.refusal(
            f"holds NUL at offset {text.index(chr(0))}",
            "Remove the NUL; only the content may hold one.",
            offset=text.index("\0"),
        )
    return text


def checked_names(values: object, place: Place) -> tuple[str, ...]:
    """Check a list of texts that something is narrowed to.

    Args:
        values: A list, tuple or set.
        place: Where they stand.

    Returns:
        The texts, unchanged; of a list in its order.

    Raises:
        InvalidInput: A single text was given instead of a list, or one of them is no text.
    """
    if not isinstance(values, (list, tuple, set, frozenset)):
        shown = repr(values) if isinstance(values, str) else "..."
        raise place.refusal("takes a list of names", f"Write {place.field}=[{shown}].")
    return tuple(checked_text(value, place) for value in values)


def checked_position(value: object, place: Place) -> int:
    """Check the position of an event.

    Raises:
        InvalidInput: It is no whole number, or beyond any log.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= INTEGER_MAX:
        raise place.refusal("is no position", "Give the whole number that names an event.")
    return value


def checked_positions(values: object, place: Place) -> tuple[int, ...]:
    """Check a list of positions.

    Raises:
        InvalidInput: One position was given instead of a list, or one of them is none.
    """
    if not isinstance(values, (list, tuple, set, frozenset)):
        shown = repr(values) if isinstance(values, int) else "..."
        raise place.refusal("takes a list of positions", f"Write {place.field}=[{shown}].")
    return tuple(checked_position(value, place) for value in values)


def checked_scalar(value: object, place: Place, length_max: int) -> Scalar:
    """Check one metadata value.

    Args:
        value: Anything.
        place: Where it stands.
        length_max: The most characters that a text may have.

    Returns:
        The value as a plain str, bool, int or float.

    Raises:
        InvalidInput: It is of another type, a float that is not finite, an integer beyond 2**53, or
            a text that is too long or holds NUL.
    """
    if isinstance(value, str):
        return _bounded(checked_text(value, place), place, length_max)
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        if abs(value) > INTEGER_MAX:
            raise place.refusal("is an integer beyond 2**53", "Give it as text.")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise place.refusal(f"is {value}, not a finite number", "Leave it out.")
        return float(value)
    raise place.refusal(
        f"is of type {type(value).__name__}",
        "Give text, a number or a boolean; leave a key without a value out.",
    )


def checked_tags(tags: object, place: Place, limits: Limits) -> frozenset[str]:
    """Check the tags of a turn, a session, a fact or a call.

    Args:
        tags: A list, tuple or set of texts, or None.
        place: Where they stand.
        limits: How many and how long.

    Returns:
        The tags, unchanged.

    Raises:
        InvalidInput: A single text was given instead of a list, or a tag is blank, too long, or no
            text.
    """
    if tags is None:
        return frozenset()
    if not isinstance(tags, (list, tuple, set, frozenset)):
        raise place.refusal(
            f"must be a list of texts, not {type(tags).__name__}", 'Give for example ["work"].'
        )
    checked = frozenset(checked_label(tag, place, limits.tag_length_max) for tag in tags)
    if len(checked) > limits.tags_max:
        raise place.refusal(
            f"has {len(checked)} entries, at most {limits.tags_max} are allowed",
            "Keep the tags that you filter by; put the rest into the content.",
            limit=limits.tags_max,
        )
    return checked


def checked_metadata(
    metadata: object, place: Place, limits: Limits
) -> dict[str, Scalar | list[Scalar]]:
    """Check the metadata of a turn, a session, a fact or a call.

    Args:
        metadata: A flat mapping, or None.
        place: Where it stands.
        limits: How many keys and how long.

    Returns:
        The metadata with its keys sorted.

    Raises:
        InvalidInput: It is no mapping, is nested, or a key or value cannot be stored and filtered
            by.
    """
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise place.refusal(
            f"must be a mapping, not {type(metadata).__name__}", 'Give for example {"level": 4}.'
        )
    if len(metadata) > limits.metadata_max:
        raise place.refusal(
            f"has {len(metadata)} keys, at most {limits.metadata_max} are allowed",
            "Keep the keys that you filter by; put the rest into the content.",
            limit=limits.metadata_max,
        )
    checked = {
        _checked_key(key, place, limits): _checked_value(value, key, place, limits)
        for key, value in metadata.items()
    }
    return dict(sorted(checked.items()))


def _checked_key(key: object, place: Place, limits: Limits) -> str:
    text = checked_label(
        key, Place(f"{place.field} key", place.index), limits.metadata_key_length_max
    )
    if text.startswith("$") or text.lower() in CONNECTIVES:
        raise place.refusal(
            f"has the key {text!r}, which a filter would read as an operator", "Rename the key."
        )
    return text


def _checked_value(
    value: object, key: object, place: Place, limits: Limits
) -> Scalar | list[Scalar]:
    inner = Place(f"{place.field} {key!r}", place.index)
    length_max = limits.metadata_value_length_max
    if not isinstance(value, (list, tuple)):
        return checked_scalar(value, inner, length_max)
    if len(value) > limits.metadata_max:
        raise inner.refusal(
            f"has {len(value)} entries, at most {limits.metadata_max} are allowed",
            "Keep the values that you filter by.",
            limit=limits.metadata_max,
        )
    return [checked_scalar(entry, inner, length_max) for entry in value]
