"""Ids sort by their time and are UUIDs of version 7."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.events.identifiers import event_id

ZEROS = bytes(10)
ONES = b"\xff" * 10


def test_an_id_has_the_layout_of_the_example_in_rfc_9562() -> None:
    # Appendix A.6: 2022-02-22 19:22:22 UTC, rand_a 0xCC3, rand_b 0x18C4DC0C0C07398F.
    made = event_id(1_645_557_742_000_000, bytes.fromhex("cc318c4dc0c0c07398f0"))
    assert made == "017f22e279b07cc398c4dc0c0c07398f"


@given(st.integers(0, 2**53 - 1), st.binary(min_size=10, max_size=10))
def test_an_id_is_a_version_7_uuid_that_tells_its_millisecond(at: int, tail: bytes) -> None:
    made = event_id(at, tail)
    parsed = uuid.UUID(made)
    assert made == parsed.hex
    assert parsed.version == 7
    assert parsed.variant == uuid.RFC_4122
    assert parsed.int >> 80 == at // 1_000


def test_all_of_the_randomness_ends_up_in_the_id() -> None:
    assert event_id(0, ZEROS) == "00000000000070008000000000000000"
    assert event_id(0, ONES) == "0000000000007fffbfffffffffffffff"


@given(st.integers(0, 2**52), st.integers(0, 2**52))
def test_ids_sort_as_their_milliseconds_do(one: int, other: int) -> None:
    ids = (event_id(one, ONES), event_id(other, ONES))
    assert (ids[0] < ids[1]) is (one // 1_000 < other // 1_000)


@pytest.mark.parametrize("at", [-1, -(2**53), 2**90])
def test_a_time_outside_of_what_an_id_can_tell_still_gives_an_id(at: int) -> None:
    assert uuid.UUID(event_id(at, ZEROS)).version == 7
