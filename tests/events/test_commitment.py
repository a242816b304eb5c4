"""A commitment binds key and content, and is computed as the format page says."""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.events.commitment import commitment, matches

KEY = bytes(range(32))
BODY = b'{"text":"I moved to Lisbon"}'


def test_a_commitment_is_the_hmac_of_domain_and_body_under_the_key() -> None:
    by_hand = hmac.new(KEY, b"smriti-es/commit/1\x00" + BODY, hashlib.sha256).hexdigest()
    assert commitment(KEY, BODY) == by_hand


def test_the_commitment_to_this_body_never_changes() -> None:
    # Made with `openssl dgst -sha256 -mac HMAC`.
    frozen = "8be05a2e6e78902d4aa8f8e38044791cc790f0888b1ca118e136f1e473db358c"
    assert commitment(KEY, BODY) == frozen


def test_equal_bodies_under_two_keys_have_commitments_that_tell_nothing_of_it() -> None:
    assert commitment(KEY, BODY) != commitment(bytes(32), BODY)


def test_a_commitment_matches_its_own_key_and_body() -> None:
    assert matches(commitment(KEY, BODY), KEY, BODY)


@pytest.mark.parametrize(
    ("key", "body"),
    [
        (KEY + bytes(1), BODY),
        (KEY, BODY + b" "),
        (KEY, BODY[:-1]),
        (KEY, b""),
        (bytes(32), BODY),
        (KEY[:31], BODY),
    ],
)
def test_a_commitment_matches_no_other_key_or_body(key: bytes, body: bytes) -> None:
    assert not matches(commitment(KEY, BODY), key, body)


@given(st.integers(0, 8 * (len(KEY) + len(BODY)) - 1))
def test_one_flipped_bit_of_key_or_body_breaks_the_match(bit: int) -> None:
    joined = bytearray(KEY + BODY)
    joined[bit // 8] ^= 1 << bit % 8
    assert not matches(commitment(KEY, BODY), bytes(joined[:32]), bytes(joined[32:]))
