"""A header that cannot be written: the refusal names the first field that is wrong."""

import json
from typing import Any

import pytest

from smriti_es.events.errors import IntegrityError, InvalidInput, SchemaNewer
from smriti_es.events.header import (
    GENESIS_PREVIOUS,
    HEADER_BYTES_MAX,
    INTEGER_MAX,
    Actor,
    Header,
    PayloadReference,
    canonical_bytes,
    decode_header,
    encode_header,
)

# Every field as small as it may be, and as large.
LOWEST = Header(
    log="0" * 32,
    position=0,
    previous="0" * 64,
    id="0" * 32,
    commit=(0, 1),
    type=" ",
    version=1,
    known=0,
    actor=Actor("owner", ""),
    payload=PayloadReference(0, "0" * 64),
)
HIGHEST = Header(
    log="f" * 32,
    position=INTEGER_MAX,
    previous="f" * 64,
    id="f" * 32,
    commit=(INTEGER_MAX, INTEGER_MAX),
    type="~" * 64,
    version=INTEGER_MAX,
    known=INTEGER_MAX,
    actor=Actor("import", " !#[]~" * 20),
    refs=(0, INTEGER_MAX - 1),
    facets={"a": INTEGER_MAX, "b": -INTEGER_MAX},
    payload=PayloadReference(INTEGER_MAX, "f" * 64),
)
DIGITS = "0123456789abcdef"
ORDINARY = Header(
    log=DIGITS * 2,
    position=1_234_567_890,
    previous=DIGITS * 4,
    id=DIGITS * 2,
    commit=(1_234_567_890, 10),
    type="TurnRecorded",
    version=10,
    known=1_780_394_400_000_000,
    actor=Actor("owner", "local"),
    refs=(0, 10, 1_023_456_789),
    payload=PayloadReference(10, DIGITS * 4),
)
BASES = pytest.mark.parametrize(
    "header", [LOWEST, HIGHEST, ORDINARY], ids=["lowest", "highest", "ordinary"]
)
WRONG: list[tuple[str, str, Any]] = [
    ("log", "log", "0" * 31),
    ("log", "log", "0" * 33),
    ("log", "log", "A" * 32),
    ("log", "log", 0),
    ("pos", "position", -1),
    ("pos", "position", INTEGER_MAX + 1),
    ("pos", "position", "0"),
    ("prev", "previous", "0" * 63),
    ("prev", "previous", "0" * 65),
    ("prev", "previous", "g" * 64),
    ("id", "id", "0" * 31),
    ("id", "id", "0" * 33),
    ("commit", "commit", (0, 0)),
    ("commit", "commit", (-1, 1)),
    ("commit", "commit", (0, INTEGER_MAX + 1)),
    ("commit", "commit", ("0", 1)),
    ("type", "type", ""),
    ("type", "type", "T" * 65),
    ("type", "type", "caf\u00e9"),
    ("ver", "version", 0),
    ("ver", "version", -1),
    ("ver", "version", "1"),
    ("ver", "version", INTEGER_MAX + 1),
    ("known", "known", -1),
    ("known", "known", INTEGER_MAX + 1),
    ("known", "known", "0"),
    ("actor", "actor", Actor("owners", "")),  # type: ignore[arg-type]
    ("actor", "actor", Actor("owner", 'a"b')),
    ("actor", "actor", Actor("owner", 7)),  # type: ignore[arg-type]
    ("x", "facets", [1]),
    ("x", "facets", ["a"]),
    ("x", "facets", {1: 2}),
    ("pay", "payload", PayloadReference(-1, "0" * 64)),
    ("pay", "payload", PayloadReference("0", "0" * 64)),  # type: ignore[arg-type]
    ("pay", "payload", PayloadReference(INTEGER_MAX + 1, "0" * 64)),
    ("pay", "payload", PayloadReference(0, "0" * 63)),
    ("pay", "payload", PayloadReference(0, "0" * 65)),
]


@BASES
def test_fields_at_either_end_of_their_range_come_back_unchanged(header: Header) -> None:
    assert decode_header(encode_header(header)) == header


@BASES
@pytest.mark.parametrize(("name", "field", "value"), WRONG, ids=lambda each: repr(each)[:40])
def test_the_refusal_names_the_field(header: Header, name: str, field: str, value: Any) -> None:
    changes: dict[str, Any] = {field: value}
    with pytest.raises(InvalidInput) as refused:
        encode_header(header._replace(**changes))
    assert str(refused.value).startswith(f"{name} does not have the form")


def test_of_two_fields_the_first_one_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"^pos does not have"):
        encode_header(LOWEST._replace(position=-1, version=0))


@pytest.mark.parametrize("header", [LOWEST, LOWEST._replace(payload=None)])
def test_where_all_else_has_its_form_the_refs_are_named(header: Header) -> None:
    changes: dict[str, Any] = {"position": 9, "refs": ("1",)}
    with pytest.raises(InvalidInput, match=r"^refs does not have"):
        encode_header(header._replace(**changes))


@pytest.mark.parametrize("refs", [(5, 3), (3, 3), (3, 9), (10,)])
def test_refs_that_do_not_rise_to_their_event_are_named(refs: tuple[int, ...]) -> None:
    with pytest.raises(InvalidInput, match=r"^refs does not have"):
        encode_header(LOWEST._replace(position=9, refs=refs))


@pytest.mark.parametrize(
    "facets",
    [
        {"b": 1, "a": "x"},
        {"a": 1, "b": [1]},
        {"a": {"b": 'no "quote'[:3]}},
        {"a:": ":", "b": ""},
        {"": 0},
        {"a": "12", "b": "-3"},
        {"a": 10**15 - 1, "b": 10**15},
    ],
    ids=repr,
)
def test_facets_are_written_as_any_canonical_map(facets: dict[str, Any]) -> None:
    encoded = encode_header(LOWEST._replace(facets=facets))
    assert encoded.endswith(b'"x":' + canonical_bytes(facets) + b"}")
    assert decode_header(encoded).facets == facets


@pytest.mark.parametrize(
    "facets", [{'a":1,"b': 2}, {"a": '","b":"c'}, {"a": '","c":"x', "b": [1]}, {"a": "caf\u00e9"}]
)
def test_a_facet_cannot_pass_for_two(facets: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        encode_header(LOWEST._replace(facets=facets))


def test_a_map_may_be_as_large_as_it_is_told_and_not_larger() -> None:
    assert canonical_bytes({"a": 1}, 7) == b'{"a":1}'
    with pytest.raises(InvalidInput, match="7 bytes of canonical JSON; the limit is 6"):
        canonical_bytes({"a": 1}, 6)


def test_brackets_within_a_string_are_no_levels() -> None:
    assert canonical_bytes({"a": "[{" * 100, "b": []}) == b'{"a":"' + b"[{" * 100 + b'","b":[]}'


@pytest.mark.parametrize("empty", [list, dict])
@pytest.mark.parametrize("side", ["before", "behind"])
def test_what_stands_beside_one_another_is_no_level(side: str, empty: Any) -> None:
    deep: Any = []
    for _ in range(60):
        deep = [deep]
    beside: list[Any] = [empty() for _ in range(40)]
    value = [*beside, deep] if side == "before" else [deep, *beside]
    assert json.loads(canonical_bytes({"a": value})) == {"a": value}
    with pytest.raises(InvalidInput, match="nested more than 63 levels deep"):
        canonical_bytes({"a": [value]})


@pytest.mark.parametrize(
    "value",
    [{"a": ["[99999999999999999"]}, {"a": "", "b": ["9" * 20]}, {"a": ["", ":-9999999999999999"]}],
    ids=repr,
)
def test_digits_within_a_string_are_no_number(value: dict[str, Any]) -> None:
    assert json.loads(canonical_bytes(value)) == value


@pytest.mark.parametrize("kind", ["owner", "agent", "tool", "untrusted", "engine", "import"])
def test_each_kind_of_actor_may_append(kind: Any) -> None:
    header = LOWEST._replace(actor=Actor(kind, "a"))
    assert decode_header(encode_header(header)).actor.kind == kind


def test_before_the_first_event_there_are_64_zeros() -> None:
    assert GENESIS_PREVIOUS == "0" * 64


@pytest.mark.parametrize(
    ("member", "number"),
    [
        (b'"commit":[%d,10]', 1_234_567_890),
        (b'"commit":[1234567890,%d]', 10),
        (b'"known":%d', 1_780_394_400_000_000),
        (b'"n":%d', 10),
        (b'"pos":%d', 1_234_567_890),
        (b'"ver":%d', 10),
    ],
)
def test_a_number_beyond_53_bits_is_not_read(member: bytes, number: int) -> None:
    encoded = encode_header(ORDINARY)
    assert member % number in encoded
    decode_header(encoded.replace(member % number, member % INTEGER_MAX))
    for larger in (INTEGER_MAX + 1, 10**16):
        with pytest.raises(IntegrityError):
            decode_header(encoded.replace(member % number, member % larger))


def test_a_header_of_64_kib_is_read_and_one_byte_more_is_not() -> None:
    encoded = encode_header(LOWEST._replace(facets={"fill": ""}))
    room = HEADER_BYTES_MAX - len(encoded)
    longest = encoded.replace(b'"fill":"', b'"fill":"' + b"x" * room)
    assert len(decode_header(longest).facets["fill"]) == room
    with pytest.raises(IntegrityError):
        decode_header(longest.replace(b'"fill":"', b'"fill":"x'))


@pytest.mark.parametrize(
    "facets", [b'{"a":1}{"b":2}', b'{"a":1}}', b'{"a":[1]}{}', b'{"a":1,"b":2}}']
)
def test_facets_end_where_the_map_ends(facets: bytes) -> None:
    encoded = encode_header(LOWEST)
    with pytest.raises(IntegrityError):
        decode_header(encoded.replace(b'"x":{}}', b'"x":' + facets + b"}"))


@pytest.mark.parametrize("number", ["2", "9", "10", "19", "90", "1000", "9999"])
def test_a_later_format_has_a_number_of_up_to_four_digits(number: str) -> None:
    with pytest.raises(SchemaNewer, match=f"the newer format smriti-es/{number}$"):
        decode_header(encode_header(LOWEST).replace(b"es/1", f"es/{number}".encode()))


@pytest.mark.parametrize("number", ["0", "02", "10000", "1.5", "", "-2"])
def test_what_has_no_number_of_a_format_is_damage(number: str) -> None:
    with pytest.raises(IntegrityError):
        decode_header(encode_header(LOWEST).replace(b"es/1", f"es/{number}".encode()))


@pytest.mark.parametrize(
    "facets",
    [b'{"a":[1, 2]}', b'{"a":[1.0]}', b'{"b":[1],"a":2}', b'{"a":[],"a":[]}', b'{"a":[+1]}'],
)
def test_facets_that_are_not_flat_are_in_canonical_form_too(facets: bytes) -> None:
    encoded = encode_header(LOWEST)
    with pytest.raises(IntegrityError):
        decode_header(encoded.replace(b'"x":{}', b'"x":' + facets))


def test_maps_in_maps_are_levels() -> None:
    deep: Any = {}
    for _ in range(62):
        deep = {"a": deep}
    assert json.loads(canonical_bytes(deep)) == deep
    with pytest.raises(InvalidInput, match="nested more than 63 levels deep"):
        canonical_bytes({"a": deep})
