"""The canonical bytes of a header are RFC 8785's, for every header there can be."""

import json
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.events.chain import leaf_hash
from smriti_es.events.errors import IntegrityError, InvalidInput
from smriti_es.events.header import (
    ACTOR_KINDS,
    INTEGER_MAX,
    Actor,
    Header,
    PayloadReference,
    canonical_bytes,
    decode_header,
    encode_header,
)

PRINTABLE = "".join(chr(code) for code in range(32, 127) if chr(code) not in '"\\')

texts = st.text(PRINTABLE, max_size=20)
integers = st.integers(-INTEGER_MAX, INTEGER_MAX)
values = st.recursive(
    integers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
maps = st.dictionaries(texts, values, max_size=6)
numbers = st.integers(0, INTEGER_MAX)


def hexadecimal(digits: int) -> st.SearchStrategy[str]:
    return st.binary(min_size=digits // 2, max_size=digits // 2).map(bytes.hex)


@st.composite
def headers(draw: st.DrawFn) -> Header:
    """Any header that has the form of one."""
    position = draw(numbers)
    return Header(
        log=draw(hexadecimal(32)),
        position=position,
        previous=draw(hexadecimal(64)),
        id=draw(hexadecimal(32)),
        commit=(draw(numbers), draw(st.integers(1, INTEGER_MAX))),
        type=draw(st.text(PRINTABLE, min_size=1, max_size=64)),
        version=draw(st.integers(1, INTEGER_MAX)),
        known=draw(numbers),
        actor=Actor(draw(st.sampled_from(ACTOR_KINDS)), draw(texts)),
        refs=tuple(sorted(draw(st.sets(st.integers(0, position - 1), max_size=4))))
        if position
        else (),
        facets=draw(maps),
        payload=draw(st.none() | st.builds(PayloadReference, numbers, hexadecimal(64))),
    )


@given(maps)
def test_canonical_bytes_are_those_of_rfc_8785(value: dict[str, Any]) -> None:
    assert canonical_bytes(value) == rfc8785.dumps(value)


@given(maps)
def test_canonical_bytes_are_read_back_by_any_json_parser(value: dict[str, Any]) -> None:
    assert json.loads(canonical_bytes(value)) == value


@given(
    st.dictionaries(
        st.text(max_size=5),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
            ),
            max_leaves=6,
        ),
        max_size=4,
    )
)
def test_whatever_is_not_refused_has_the_bytes_of_rfc_8785(value: dict[str, Any]) -> None:
    try:
        encoded = canonical_bytes(value)
    except InvalidInput:
        return
    assert encoded == rfc8785.dumps(value)
    assert encoded.isascii()
    assert json.loads(encoded) == value


@given(headers())
def test_a_header_is_read_back_as_it_was_written(header: Header) -> None:
    assert decode_header(encode_header(header)) == header


@given(headers())
def test_a_header_has_the_bytes_that_rfc_8785_gives_its_members(header: Header) -> None:
    encoded = encode_header(header)
    assert rfc8785.dumps(json.loads(encoded)) == encoded


@given(headers(), st.data())
def test_an_edited_byte_makes_another_leaf_and_is_never_read_as_the_same_header(
    header: Header, data: st.DataObject
) -> None:
    encoded = bytearray(encode_header(header))
    encoded[data.draw(st.integers(0, len(encoded) - 1))] ^= data.draw(st.integers(1, 255))
    edited = bytes(encoded)
    assert leaf_hash(edited) != leaf_hash(encode_header(header))
    try:
        found = decode_header(edited)
    except IntegrityError:
        return
    assert found != header
    assert encode_header(found) == edited


@given(st.binary(max_size=400) | maps.map(rfc8785.dumps))
def test_bytes_that_are_no_header_are_refused_and_nothing_else_happens(encoded: bytes) -> None:
    with pytest.raises(IntegrityError):
        decode_header(encoded)
