"""The header of an event and its canonical bytes: the part that is hashed and kept for ever.

The bytes are RFC 8785 JSON narrowed to what every encoder agrees on: printable ASCII without quote
or backslash in strings, integers below 2**53, no floats, no null. Under that narrowing the standard
library's encoder gives exactly the RFC's bytes. Source: RFC 8785; docs/format.md, "Header".
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, cast, get_args

from smriti_es.events.errors import IntegrityError, InvalidInput, SchemaNewer

SPEC: Final = "smriti-es/1"
GENESIS_PREVIOUS: Final = "0" * 64
HEADER_BYTES_MAX: Final = 64 * 1024
# Of a value in a header, which is a level itself.
NESTING_MAX: Final = 63
INTEGER_MAX: Final = 2**53 - 1
_NO_FACETS: Final[Mapping[str, Any]] = MappingProxyType({})

ActorKind = Literal["owner", "agent", "tool", "untrusted", "engine", "import"]
ACTOR_KINDS: Final[tuple[str, ...]] = get_args(ActorKind)

TYPE_LENGTH_MAX: Final = 64

# Made once: building an encoder costs more than a small header.
_decode = json.JSONDecoder().raw_decode
_encode = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
).encode

# The profile, checked on the written bytes in one pass: strings without escapes, integers, and
# punctuation. A float has a point or an exponent, null and booleans are letters outside a string.
_PROFILE: Final = re.compile(rb'(?:"[ !#-\[\]-~]*"|-?[0-9]+|[\[\]{},:])*+')
_PLAIN: Final = re.compile(r"[ !#-\[\]-~]*")
_LONG_INTEGERS: Final = re.compile(rb"[:\[,]-?([0-9]{16,})")
_STRINGS: Final = re.compile(rb'"[^"]*"')
_NEWER: Final = re.compile(r"smriti-es/[1-9][0-9]{0,3}")

# The one spelling that a header has, as a pattern: to read it so costs a tenth of reading it as
# any JSON and writing it anew to compare. Only facets, which differ by type, are read as JSON.
_NUMBER: Final = "(0|[1-9][0-9]{0,15})"
# One level of names in ASCII with short whole numbers and plain strings.
_MEMBER: Final = r'"[ !#-\[\]-~]*":(?:"[ !#-\[\]-~]*"|-?[1-9][0-9]{0,14}|0)'
_FLAT = rf"\{{(?:{_MEMBER}(?:,{_MEMBER})*)?\}}"
_COUNT: Final = "([1-9][0-9]{0,15})"
_REF: Final = "(?:0|[1-9][0-9]{0,15})"
_BEFORE_FACETS = (
    rf'\{{"actor":\{{"id":"([ !#-\[\]-~]*)","kind":"({"|".join(ACTOR_KINDS)})"\}},'
    rf'"commit":\[{_NUMBER},{_COUNT}\],'
    rf'"id":"([0-9a-f]{{32}})","known":{_NUMBER},"log":"([0-9a-f]{{32}})",'
    rf'(?:"pay":\{{"c":"([0-9a-f]{{64}})","n":{_NUMBER}\}},)?'
    rf'"pos":{_NUMBER},"prev":"([0-9a-f]{{64}})",'
    rf'"refs":\[((?:{_REF}(?:,{_REF})*)?)\],"spec":"{re.escape(SPEC)}",'
    rf'"type":"([ !#-\[\]-~]{{1,{TYPE_LENGTH_MAX}}})","ver":{_COUNT},"x":'
)
# With flat facets, as all of ours are, and with whatever else may come.
_FLAT_FORM: Final = re.compile(rf"{_BEFORE_FACETS}({_FLAT})\}}")
_FORM: Final = re.compile(rf"{_BEFORE_FACETS}(\{{.*\}})\}}")


@dataclass(frozen=True, slots=True)
class Actor:
    """Who appended an event.

    Attributes:
        kind: What sort of actor; `import` and `engine` act for somebody else.
        id: An opaque name in printable ASCII; never personal.
    """

    kind: ActorKind
    id: str


class PayloadReference(NamedTuple):
    """What a header says of its payload: length in bytes and commitment (64 hex)."""

    size: int
    commitment: str


# A tuple with names, and not a dataclass: one is made of every event that is read or written, and a
# frozen dataclass of as many fields takes four times as long to make.
class Header(NamedTuple):
    """The hashed part of one event (its names on the wire in brackets).

    Attributes:
        log: 32 hex, the log's opaque id.
        position: 0-based place in the log [`pos`].
        previous: Leaf hash of the event before, 64 hex; zeros at genesis [`prev`].
        id: UUIDv7 as 32 hex.
        commit: First position and number of events of the commit.
        type: Event type.
        version: Version of its payload schema [`ver`].
        known: Knowledge time, microseconds since the epoch.
        actor: Who appended it.
        refs: Positions this event was derived from, ascending, all before its own.
        facets: Small closed map of integers, enums and hex, per type [`x`].
        payload: Length and commitment of the content, or None when there is none [`pay`].
    """

    log: str
    position: int
    previous: str
    id: str
    commit: tuple[int, int]
    type: str
    version: int
    known: int
    actor: Actor
    refs: tuple[int, ...] = ()
    facets: Mapping[str, Any] = _NO_FACETS
    payload: PayloadReference | None = None


def encode_header(header: Header) -> bytes:
    """Write the canonical bytes.

    Raises:
        InvalidInput: A value does not have the form of its field or lies outside the canonical
        profile, or the header is larger than 64 KiB.
    """
    if name := _misshapen(header):
        raise InvalidInput(f"{name} does not have the form that a header gives it")
    actor, pay = header.actor, header.payload
    reference = "" if pay is None else f'"pay":{{"c":"{pay.commitment}","n":{pay.size}}},'
    text = (
        f'{{"actor":{{"id":"{actor.id}","kind":"{actor.kind}"}},'
        f'"commit":[{header.commit[0]},{header.commit[1]}],'
        f'"id":"{header.id}","known":{header.known},"log":"{header.log}",'
        f'{reference}"pos":{header.position},"prev":"{header.previous}",'
        f'"refs":[{",".join(map(str, header.refs))}],"spec":"{SPEC}",'
        f'"type":"{header.type}","ver":{header.version},"x":{_facets_text(header.facets)}}}'
    )
    if len(text) > HEADER_BYTES_MAX:
        raise InvalidInput(f"header of {len(text)} bytes; the limit is {HEADER_BYTES_MAX}")
    return text.encode("ascii")


def _facets_text(facets: Mapping[str, Any]) -> str:
    """Write facets; flat ones, as all of ours are, go past the encoder of any JSON."""
    members = []
    for name, value in sorted(facets.items()):
        if not _is_plain(name):
            break
        if type(value) is int and -INTEGER_MAX <= value <= INTEGER_MAX:
            members.append(f'"{name}":{value}')
        elif type(value) is str and _is_plain(value):
            members.append(f'"{name}":"{value}"')
        else:
            break
    else:
        return f"{{{','.join(members)}}}"
    return canonical_bytes(facets).decode()


def canonical_bytes(value: Mapping[str, Any], bytes_max: int = HEADER_BYTES_MAX) -> bytes:
    """Encode a map under the narrowed RFC 8785 profile, refusing whatever lies outside it.

    Args:
        value: The map.
        bytes_max: How large it may be.

    Raises:
        InvalidInput: It holds a float, null, boolean, other character or too large integer, or is
            too large or nested too deep itself.
    """
    try:
        encoded = _encode(value).encode("ascii")
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"a header cannot hold this: {error}") from error
    if len(encoded) > bytes_max:
        raise InvalidInput(f"{len(encoded)} bytes of canonical JSON; the limit is {bytes_max}")
    if _PROFILE.fullmatch(encoded) is None:
        raise InvalidInput(
            f"outside the canonical profile: {encoded.decode()[:200]}",
            hint="Use integers, and strings of printable ASCII without quote and backslash.",
        )
    # Digits within a string mean nothing; to leave the strings out costs more and is rarely needed.
    if _has_long_integer(encoded) and _has_long_integer(_STRINGS.sub(b'""', encoded)):
        raise InvalidInput(f"integer beyond 53 bits: {encoded.decode()[:200]}")
    if _nesting(encoded) > NESTING_MAX:
        raise InvalidInput(f"nested more than {NESTING_MAX} levels deep")
    return encoded


def _nesting(encoded: bytes) -> int:
    """Tell how deep lists and maps lie in one another."""
    if encoded.count(b"[") + encoded.count(b"{") <= NESTING_MAX:
        return 0  # it cannot be too deep
    depth = deepest = 0
    for byte in _STRINGS.sub(b"", encoded):
        depth += (byte in b"[{") - (byte in b"]}")
        deepest = max(deepest, depth)
    return deepest


def _has_long_integer(encoded: bytes) -> bool:
    return any(int(digits) > INTEGER_MAX for digits in _LONG_INTEGERS.findall(encoded))


def _misshapen(header: Header) -> str:
    """Name the first field that a header's form does not admit; "": it admits them all."""
    actor, pay = header.actor, header.payload
    form = {
        "log": _is_hex(header.log, 32),
        "pos": _is_number(header.position),
        "prev": _is_hex(header.previous, 64),
        "id": _is_hex(header.id, 32),
        "commit": all(map(_is_number, header.commit)) and header.commit[1] > 0,
        "type": _is_plain(header.type) and 0 < len(header.type) <= TYPE_LENGTH_MAX,
        "ver": _is_number(header.version) and header.version > 0,
        "known": _is_number(header.known),
        "actor": _is_plain(actor.kind) and actor.kind in ACTOR_KINDS and _is_plain(actor.id),
        "x": _is_map(header.facets),
        "pay": pay is None or (_is_number(pay.size) and _is_hex(pay.commitment, 64)),
        "refs": _are_ascending((*header.refs, header.position)),
    }
    return "" if all(form.values()) else next(name for name in form if not form[name])


def _is_number(value: object) -> bool:
    return type(value) is int and 0 <= value <= INTEGER_MAX


def _is_plain(value: object) -> bool:
    return type(value) is str and _is_plain_text(value)


@lru_cache(maxsize=4_096)
def _is_plain_text(text: str) -> bool:
    return _PLAIN.fullmatch(text) is not None


def _is_hex(value: object, digits: int) -> bool:
    return type(value) is str and len(value) == digits and not value.strip("0123456789abcdef")


def _is_text(value: object) -> bool:
    return type(value) is str


def _is_map(value: object) -> bool:
    return isinstance(value, Mapping) and all(map(_is_text, value))


def _are_ascending(positions: tuple[int, ...]) -> bool:
    before = -1
    for position in positions:
        if type(position) is not int or position <= before:
            return False
        before = position
    return True


def decode_header(encoded: bytes) -> Header:
    """Read canonical bytes back.

    Raises:
        IntegrityError: The bytes are not exactly what `encode_header` writes.
        SchemaNewer: They are of a later format, and say which.
    """
    try:
        return _read(encoded.decode("ascii"))
    except (ValueError, RecursionError) as error:
        if (spec := _newer_spec(encoded)) is not None:
            raise SchemaNewer(f"a header is written in the newer format {spec}") from error
        raise IntegrityError(f"header cannot be read: {error}") from error


def _newer_spec(encoded: bytes) -> str | None:
    """Give the format that a header says it has, where that is another one than this."""
    try:
        members = json.loads(encoded.decode())
    except (ValueError, RecursionError):
        return None
    spec = members.get("spec") if isinstance(members, dict) else None
    is_newer = isinstance(spec, str) and spec != SPEC and _NEWER.fullmatch(spec) is not None
    return spec if is_newer else None


def _read(text: str) -> Header:
    """Read a header that is written in the one form that there is of it.

    Raises:
        ValueError: It is written in another.
    """
    flat = _FLAT_FORM.fullmatch(text)
    form = flat or _FORM.fullmatch(text)
    if form is None or len(text) > HEADER_BYTES_MAX:
        raise ValueError("it is not in canonical form")
    name, kind, first, count, id, known, log, digest, size, position, *rest = form.groups()
    previous, refs, type, version, facets = rest
    at, known_at, begin, events, form_version, bytes_long = numbers = (
        int(position),
        int(known),
        int(first),
        int(count),
        int(version),
        int(size or 0),
    )
    origins = tuple(map(int, refs.split(","))) if refs else ()
    # Each of `refs` lies before the position, and so within the range, too.
    if max(numbers) > INTEGER_MAX:
        raise ValueError("a number lies beyond 53 bits")
    if not _are_ascending((*origins, at)):
        raise ValueError(f"refs {origins} are not ascending and before it")
    return Header(
        log=log,
        position=at,
        previous=previous,
        id=id,
        commit=(begin, events),
        type=type,
        version=form_version,
        known=known_at,
        actor=_actor(kind, name),
        refs=origins,
        facets=_facets(facets, flat=flat is not None),
        payload=None if digest is None else PayloadReference(bytes_long, digest),
    )


@lru_cache(maxsize=1_024)
def _actor(kind: str, name: str) -> Actor:
    """Give an actor; a log has few of them and names them in every header."""
    return Actor(cast(ActorKind, kind), name)


def _facets(text: str, *, flat: bool) -> dict[str, Any]:
    """Read facets; flat ones need not be written anew to compare."""
    found: dict[str, Any]
    found, _ = _decode(text)
    names = [*found]
    # No string holds a quote, so a name that came twice would leave a colon too many.
    same = flat and text.count('":') == len(names) and names == sorted(names)
    if not (same or canonical_bytes(found).decode() == text):
        raise ValueError("it is not in canonical form")
    return found
