"""Ids sort by their time and are UUIDs of version 7."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.events.identifiers import new_event_id


def zeros(count: int) -> bytes:
    return bytes(count)


def ones(count: int) -> bytes:
    return b"\xff" * count


def test_an_id_has_the_layout_of_the_example_in_rfc_9562() -> None:
    # Appendix A.6: 2022-02-22 19:22:22 UTC, rand_a 0xCC3, rand_b 0x18C4DC0C0C07398F.
    tail = 0xCC3 << 62 | 0x18C4DC0C0C07398F
    made = new_event_id(1_645_557_742_000_000, lambda count: tail.to_bytes(count, "big"))
    assert made == "017f22e279b07cc398c4dc0c0c07398f"


@given(st.integers(0, 2**53 - 1), st.binary(min_size=10, max_size=10))
def test_an_id_is_a_version_7_uuid_that_tells_its_millisecond(at: int, tail: bytes) -> None:
    made = new_event_id(at, lambda _: tail)
    parsed = uuid.UUID(made)
    assert made == parsed.hex
    assert parsed.version == 7
    assert parsed.variant == uuid.RFC_4122
    assert parsed.int >> 80 == at // 1_000


def test_all_of_the_randomness_ends_up_in_the_id() -> None:
    assert new_event_id(0, zeros) == "00000000000070008000000000000000"
    assert new_event_id(0, ones) == "0000000000007fffbfffffffffffffff"


def test_an_id_asks_for_ten_random_bytes() -> None:
    asked: list[int] = []

    def count(size: int) -> bytes:
        asked.append(size)
        return bytes(size)

    new_event_id(0, count)
    assert asked == [10]


@given(st.integers(0, 2**52), st.integers(0, 2**52))
def test_ids_sort_as_their_milliseconds_do(one: int, other: int) -> None:
    ids = (new_event_id(one, ones), new_event_id(other, ones))
    assert (ids[0] < ids[1]) is (one // 1_000 < other // 1_000)


@pytest.mark.parametrize("at", [-1, -(2**53), 2**90])
def test_a_time_outside_of_what_an_id_can_tell_still_gives_an_id(at: int) -> None:
    assert uuid.UUID(new_event_id(at, zeros)).version == 7
