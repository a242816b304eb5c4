"""The canonical bytes of a header: exactly one spelling, and nothing outside the profile."""

import json
from typing import Any

import pytest

from smriti_es.events.errors import IntegrityError, InvalidInput, SchemaNewer
from smriti_es.events.header import (
    HEADER_BYTES_MAX,
    NESTING_MAX,
    Actor,
    Header,
    PayloadReference,
    canonical_bytes,
    decode_header,
    encode_header,
)

HEADER = Header(
    log="0123456789abcdef" * 2,
    position=7,
    previous="ab" * 32,
    id="018fd4a1c00070008000000000000001",
    commit=(6, 2),
    type="TurnRecorded",
    version=1,
    known=1_780_394_400_000_000,
    actor=Actor("owner", "local"),
    refs=(1, 6),
    facets={"session": 1, "origin": "owner"},
    payload=PayloadReference(12, "cd" * 32),
)
BYTES = (
    b'{"actor":{"id":"local","kind":"owner"},"commit":[6,2],'
    b'"id":"018fd4a1c00070008000000000000001","known":1780394400000000,'
    b'"log":"0123456789abcdef0123456789abcdef",'
    b'"pay":{"c":"cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","n":12},'
    b'"pos":7,"prev":"abababababababababababababababababababababababababababababababab",'
    b'"refs":[1,6],"spec":"smriti-es/1","type":"TurnRecorded","ver":1,'
    b'"x":{"origin":"owner","session":1}}'
)


def header_bytes_with(**members: Any) -> bytes:
    """The header's bytes in canonical form, with some members put in or replaced."""
    wire = json.loads(BYTES) | members
    return json.dumps(wire, sort_keys=True, separators=(",", ":")).encode()


def test_a_header_has_exactly_these_bytes() -> None:
    assert encode_header(HEADER) == BYTES


def test_canonical_bytes_are_read_back_as_the_same_header() -> None:
    assert decode_header(BYTES) == HEADER


def test_a_header_without_content_names_no_payload() -> None:
    encoded = encode_header(HEADER._replace(payload=None))
    assert "pay" not in json.loads(encoded)
    assert decode_header(encoded).payload is None


@pytest.mark.parametrize(
    "value",
    [
        0.5,
        1.0,
        float("nan"),
        None,
        True,
        b"bytes",
        "caf\u00e9",
        'quo"te',
        "back\\slash",
        "line\nend",
        "\x7f",
        "\ud800",
        2**53,
        -(2**53),
        [1, [2**53]],
        [None],
        {"inner": 0.5},
        pytest.param(object(), id="object"),
    ],
    ids=repr,
)
def test_a_value_outside_the_canonical_profile_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput):
        encode_header(HEADER._replace(facets={"value": value}))


@pytest.mark.parametrize(
    "value",
    [0, 2**53 - 1, -(2**53 - 1), "", " ~!#[]{}:,", [], [1, ["a", {}]], {"b": 1, "a": [2]}],
    ids=repr,
)
def test_a_value_inside_the_canonical_profile_comes_back_unchanged(value: object) -> None:
    header = HEADER._replace(facets={"value": value})
    assert decode_header(encode_header(header)) == header


@pytest.mark.parametrize("name", ["chat:12345678901234567890", "[99999999999999999", ",-9" * 20])
def test_digits_within_a_string_are_not_taken_for_an_integer(name: str) -> None:
    header = HEADER._replace(actor=Actor("owner", name))
    assert decode_header(encode_header(header)).actor.id == name


def test_a_header_of_64_kib_is_written_and_one_byte_more_is_refused() -> None:
    room = HEADER_BYTES_MAX - len(encode_header(HEADER._replace(facets={"fill": ""})))
    assert len(encode_header(HEADER._replace(facets={"fill": "x" * room}))) == 65_536
    with pytest.raises(InvalidInput, match="65537 bytes"):
        encode_header(HEADER._replace(facets={"fill": "x" * (room + 1)}))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("log", "0123456789ABCDEF" * 2),
        ("log", "0" * 31),
        ("log", "0" * 33),
        ("position", -1),
        ("position", True),
        ("position", "7"),
        ("previous", "ab" * 31),
        ("previous", "xy" * 32),
        ("id", "01-" * 10 + "01"),
        ("commit", (6, 0)),
        ("commit", (-1, 2)),
        ("type", ""),
        ("type", "T" * 65),
        ("version", 0),
        ("known", -1),
        ("known", 2**53),
        ("actor", Actor("nobody", "local")),  # type: ignore[arg-type]
        ("actor", Actor("owner", 7)),  # type: ignore[arg-type]
        ("refs", (6, 1)),
        ("refs", (1, 1)),
        ("refs", (-1,)),
        ("refs", (7,)),
        ("refs", (8,)),
        ("refs", ("1",)),
        ("facets", [1]),
        ("facets", {1: 2}),
        ("payload", PayloadReference(-1, "cd" * 32)),
        ("payload", PayloadReference(12, "cd" * 31)),
    ],
)
def test_a_field_that_does_not_have_its_form_is_refused(field: str, value: Any) -> None:
    changes: dict[str, Any] = {field: value}
    with pytest.raises(InvalidInput):
        encode_header(HEADER._replace(**changes))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("type", "T"),
        ("type", "T" * 64),
        ("position", 2**53 - 1),
        ("known", 0),
        ("version", 2**53 - 1),
        ("commit", (0, 1)),
        ("actor", Actor("import", "")),
        ("refs", (0, 1, 6)),
        ("payload", PayloadReference(0, "00" * 32)),
    ],
)
def test_a_field_at_the_edge_of_its_form_comes_back_unchanged(field: str, value: Any) -> None:
    changes: dict[str, Any] = {field: value}
    header = HEADER._replace(**changes)
    assert decode_header(encode_header(header)) == header


@pytest.mark.parametrize(
    "encoded",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'"text"',
        b"\xff\xfe\x00",
        b"[" * 60_000,
        b'{"a":' * 60_000,
        BYTES + b"\n",
        b" " + BYTES,
        BYTES[:-1],
        BYTES.replace(b":7,", b": 7,"),
        BYTES.replace(b":7,", b":7.0,"),
        BYTES.replace(b":7,", b":7e0,"),
        BYTES.replace(b":7,", b":07,"),
        BYTES.replace(b":7,", b":-0,"),
        BYTES.replace(b":7,", b":NaN,"),
        BYTES.replace(b":7,", b":null,"),
        BYTES.replace(b":7,", b":true,"),
        BYTES.replace(b":7,", b":" + b"7" * 5_000 + b","),
        BYTES.replace(b'"pos":7', b'"pos":7,"pos":7'),
        BYTES.replace(b'"session":1', b'"session":1,"session":1'),
        BYTES.replace(b'"origin":"owner","session":1', b'"session":1,"origin":"owner"'),
        BYTES.replace(b'"session":1', b'"session":01'),
        BYTES.replace(b'"session":1', b'"session":9007199254740992'),
        BYTES.replace(b'"session":1', b'"session":-9007199254740992'),
        BYTES.replace(b'"session":1', b'"session":-0'),
        BYTES.replace(b'"session":1', b'"session":1.0'),
        BYTES.replace(b'"local"', b'"loc\\u0061l"'),
        BYTES.replace(b'"local"', '"l\u00f6cal"'.encode()),
        BYTES.replace(b'"id":"local","kind":"owner"', b'"kind":"owner","id":"local"'),
        BYTES.replace(b"smriti-es/1", b"smriti-es/0"),
        BYTES.replace(b"smriti-es/1", b"smriti-es/02"),
        BYTES.replace(b"smriti-es/1", b"smriti-es/x"),
        BYTES.replace(b'"spec":"smriti-es/1"', b'"spec":1'),
        BYTES.decode().encode("utf-16"),
    ],
    ids=lambda encoded: repr(encoded[:40]),
)
def test_bytes_that_no_encoder_of_ours_writes_are_refused(encoded: bytes) -> None:
    with pytest.raises(IntegrityError):
        decode_header(encoded)


def test_a_header_of_a_later_format_is_told_as_such_and_not_as_damage() -> None:
    with pytest.raises(SchemaNewer, match="the newer format smriti-es/2"):
        decode_header(BYTES.replace(b"smriti-es/1", b"smriti-es/2"))


def test_a_header_of_a_later_format_need_not_have_the_form_of_ours() -> None:
    with pytest.raises(SchemaNewer):
        decode_header(b'{"spec": "smriti-es/12", "ratio": 0.5}')


def test_a_facet_nested_too_deep_is_refused() -> None:
    deep: Any = []
    for _ in range(NESTING_MAX - 2):
        deep = [deep]
    assert decode_header(encode_header(HEADER._replace(facets={"a": deep}))).facets == {"a": deep}
    with pytest.raises(InvalidInput, match="nested more than 63 levels deep"):
        encode_header(HEADER._replace(facets={"a": [deep]}))


@pytest.mark.parametrize("member", sorted(json.loads(BYTES).keys() - {"pay"}))
def test_a_header_that_lacks_a_member_is_refused(member: str) -> None:
    wire = json.loads(BYTES)
    del wire[member]
    encoded = json.dumps(wire, sort_keys=True, separators=(",", ":")).encode()
    with pytest.raises(IntegrityError):
        decode_header(encoded)


@pytest.mark.parametrize(
    "members",
    [
        {"surplus": 1},
        {"known": "1780394400000000"},
        {"pos": "7"},
        {"commit": ["6", 2]},
        {"commit": [6, 2, 3]},
        {"commit": "62"},
        {"refs": ["1"]},
        {"refs": "16"},
        {"refs": [6, 1]},
        {"refs": [7]},
        {"type": ["TurnRecorded"]},
        {"ver": "1"},
        {"actor": "owner"},
        {"actor": {"id": "local", "kind": "owner", "mail": "a@b"}},
        {"actor": {"id": "local", "kind": "nobody"}},
        {"actor": {"id": 7, "kind": "owner"}},
        {"x": []},
        {"x": "text"},
        {"pay": {"c": 7, "n": 12}},
        {"pay": {"c": "cd" * 32, "n": "12"}},
        {"pay": {"c": "cd" * 32, "m": 1, "n": 12}},
        {"pay": None},
    ],
    ids=repr,
)
def test_a_canonical_header_with_a_member_of_another_form_is_refused(
    members: dict[str, Any],
) -> None:
    with pytest.raises(IntegrityError):
        decode_header(header_bytes_with(**members))


def test_the_header_used_above_is_in_canonical_form_when_nothing_is_changed() -> None:
    assert header_bytes_with() == BYTES


def test_canonical_bytes_sort_names_and_leave_out_white_space() -> None:
    assert canonical_bytes({"b": [1, 2], "B": "x", "a": {}}) == b'{"B":"x","a":{},"b":[1,2]}'
