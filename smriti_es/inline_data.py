"""Copy what JSON can carry, and leave pictures, sound and files out of it.

A memory keeps that a picture was sent, how large it was and a digest to know it by, not its bytes.
"""

import base64
import binascii
import hashlib
import math
import re
from collections.abc import Mapping
from typing import NamedTuple

from smriti_es.captured import JsonValue
from smriti_es.checked_values import Place, checked_text

INLINE_LENGTH_MAX = 1024
DEPTH_MAX = 32

# What a person or a tool wrote stays whatever it looks like.
_TEXT_KEYS = frozenset({"text", "content", "transcript", "refusal"})
_MEDIA_KEYS = ("media_type", "mime_type", "mimeType", "format")
# Possessive: what nearly matches is refused in one pass, however long it is.
_DATA_URL = re.compile(r"data:([^;,\s]*+)[^,\s]*+,(.*)", re.DOTALL)
_BASE64 = re.compile(r"[A-Za-z0-9+/_\-\r\n]++={0,2}+[\r\n]*+")
_INTEGER_BITS_MAX = 64


class _Where(NamedTuple):
    """Where the walk stands: for errors, for the depth limit, to name what is left out."""

    place: Place
    depth: int = 0
    key: str = ""
    media_type: str | None = None


def plain_json(value: object, place: Place) -> JsonValue:
    """Copy a value as JSON, with a placeholder for inline data.

    Bytes, and data URLs or base64 text beyond 1 KiB, become `{"omitted": "inline data",
    "media_type", "size_bytes", "sha256"}`.

    Args:
        value: None, booleans, finite numbers, text, lists, tuples and mappings of these.
        place: Where it stands.

    Returns:
        An independent copy of plain Python values.

    Raises:
        InvalidInput: JSON cannot carry it, it is nested more than 32 deep, or a text has no UTF-8
            form.
    """
    return _copy(value, _Where(place))


def _copy(value: object, where: _Where) -> JsonValue:
    if where.depth > DEPTH_MAX:
        raise where.place.refusal(
            f"is nested more than {DEPTH_MAX} deep", "Flatten it, or give it as JSON text."
        )
    if isinstance(value, Mapping):
        return _copy_mapping(value, where)
    if isinstance(value, (list, tuple)):
        inner = where._replace(depth=where.depth + 1)
        return [_copy(entry, inner) for entry in value]
    if isinstance(value, (bytes, bytearray)):
        return _omitted(bytes(value), where.media_type)
    if isinstance(value, str):
        return _copy_text(checked_text(value, where.place), where)
    return _copy_scalar(value, where.place)


def _copy_mapping(value: Mapping[object, object], where: _Where) -> dict[str, JsonValue]:
    media_type = next((value[key] for key in _MEDIA_KEYS if isinstance(value.get(key), str)), None)
    copied: dict[str, JsonValue] = {}
    for key, entry in value.items():
        name = checked_text(key, Place(f"{where.place.field} key", where.place.index))
        inner = _Where(
            where.place,
            where.depth + 1,
            name,
            checked_text(media_type, where.place) if media_type else where.media_type,
        )
        copied[name] = _copy(entry, inner)
    return copied


def _copy_text(text: str, where: _Where) -> JsonValue:
    if len(text) <= INLINE_LENGTH_MAX or where.key in _TEXT_KEYS:
        return text
    if url := _DATA_URL.fullmatch(text):
        return _omitted(_decoded(url[2]), url[1] or where.media_type)
    if _BASE64.fullmatch(text):
        return _omitted(_decoded(text), where.media_type)
    return text


def _copy_scalar(value: object, place: Place) -> JsonValue:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and value.bit_length() <= _INTEGER_BITS_MAX:
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    shown = value if isinstance(value, float) else f"a value of type {type(value).__name__}"
    if isinstance(value, int):
        shown = "an integer beyond 64 bits"
    raise place.refusal(
        f"holds {shown}, which JSON cannot carry", "Convert it to text, a number, a list or a map."
    )


def _decoded(text: str) -> bytes:
    """Return the bytes behind base64 text, or the text's own when it only looks like base64."""
    compact = "".join(text.split()).rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        return base64.b64decode(compact + "=" * (-len(compact) % 4), validate=True)
    except binascii.Error:
        return text.encode()


def _omitted(data: bytes, media_type: str | None) -> dict[str, JsonValue]:
    return {
        "omitted": "inline data",
        "media_type": media_type,
        "size_bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
