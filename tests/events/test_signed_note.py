"""Signed notes are read and written as everybody else reads and writes them."""

import base64
import hashlib
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.events import ed25519
from smriti_es.events.errors import InvalidInput
from smriti_es.events.signed_note import (
    COSIGNATURE,
    PLAIN,
    NoteKey,
    NoteSignature,
    SignedNote,
    cosignature,
    cosigned_message,
    decoded,
)

# The example that Go's package for notes publishes.
PUBLISHED_KEY: Final = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PUBLISHED: Final = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
    "\n"
    "\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdng"
    "otpRZb6KE6RyyBwJnAM=\n"
)
SECRET: Final = bytes(range(32))
KEY: Final = NoteKey("log.example", PLAIN, ed25519.public_key_of(SECRET))
WITNESS: Final = NoteKey("witness.example", COSIGNATURE, ed25519.public_key_of(SECRET))
TEXT: Final = "one line\nanother\n"


def signature_of(key: NoteKey, text: str, secret: bytes = SECRET) -> NoteSignature:
    return NoteSignature(key.name, key.id, ed25519.sign(secret, text.encode()))


def note(*signatures: NoteSignature, text: str = TEXT) -> SignedNote:
    return SignedNote(text, signatures or (signature_of(KEY, text),))


def test_the_published_note_is_signed_by_the_published_key() -> None:
    assert SignedNote.parse(PUBLISHED).is_signed_by(NoteKey.parse(PUBLISHED_KEY))


def test_the_published_note_and_key_are_written_as_they_were_read() -> None:
    assert str(SignedNote.parse(PUBLISHED)) == PUBLISHED
    assert str(NoteKey.parse(PUBLISHED_KEY)) == PUBLISHED_KEY


def test_a_note_is_read_from_bytes_as_from_text() -> None:
    assert SignedNote.parse(PUBLISHED.encode()) == SignedNote.parse(PUBLISHED)


def test_a_note_of_ours_comes_back() -> None:
    assert SignedNote.parse(str(note())) == note()
    assert SignedNote.parse(str(note())).is_signed_by(KEY)


def test_a_text_with_empty_lines_ends_at_the_last_of_them() -> None:
    text = "one\n\ntwo\n\n\nthree\n"
    assert SignedNote.parse(str(note(text=text))).text == text


@pytest.mark.parametrize("at", range(len(TEXT) - 1))
def test_a_changed_text_is_not_signed(at: int) -> None:
    changed = TEXT[:at] + chr(ord(TEXT[at]) ^ 1) + TEXT[at + 1 :]
    assert not SignedNote(changed, note().signatures).is_signed_by(KEY)


@given(st.integers(0, 64 * 8 - 1))
def test_a_signature_with_a_flipped_bit_is_none(bit: int) -> None:
    (good,) = note().signatures
    number = int.from_bytes(good.signature, "big") ^ 1 << bit
    bad = NoteSignature(good.name, good.key_id, number.to_bytes(64, "big"))
    assert not note(bad).is_signed_by(KEY)


def test_a_signature_of_an_unknown_key_does_no_harm() -> None:
    stranger = NoteKey("stranger", PLAIN, ed25519.public_key_of(bytes([9]) * 32))
    signed = note(NoteSignature(stranger.name, stranger.id, bytes(64)), *note().signatures)
    assert signed.is_signed_by(KEY)
    assert not signed.is_signed_by(stranger)


def test_a_false_signature_in_a_key_s_name_spoils_a_true_one_beside_it() -> None:
    false = NoteSignature(KEY.name, KEY.id, bytes(64))
    assert not note(*note().signatures, false).is_signed_by(KEY)


@pytest.mark.parametrize(
    "other",
    [
        NoteKey("another.example", PLAIN, KEY.public_key),
        NoteKey(KEY.name, PLAIN, ed25519.public_key_of(bytes(32))),
        NoteKey(KEY.name, COSIGNATURE, KEY.public_key),
    ],
)
def test_a_key_of_another_name_kind_or_secret_has_not_signed(other: NoteKey) -> None:
    assert not note().is_signed_by(other)


def test_a_cosignature_covers_text_and_time() -> None:
    message = cosigned_message(TEXT, 1_679_315_147)
    assert message == b"cosignature/v1\ntime 1679315147\n" + TEXT.encode()
    signed = cosignature(ed25519.sign(SECRET, message), 1_679_315_147)
    assert signed == bytes.fromhex("00000000641850cb") + ed25519.sign(SECRET, message)
    assert note(NoteSignature(WITNESS.name, WITNESS.id, signed)).is_signed_by(WITNESS)


@pytest.mark.parametrize("length", [8, 64, 71, 73])
def test_a_cosignature_of_another_length_is_none(length: int) -> None:
    assert not note(NoteSignature(WITNESS.name, WITNESS.id, bytes(length))).is_signed_by(WITNESS)


def test_a_cosignature_with_another_time_is_none() -> None:
    signed = ed25519.sign(SECRET, cosigned_message(TEXT, 7))
    found = NoteSignature(WITNESS.name, WITNESS.id, cosignature(signed, 8))
    assert not note(found).is_signed_by(WITNESS)


def test_a_plain_signature_is_no_cosignature() -> None:
    assert not note(signature_of(WITNESS, TEXT)).is_signed_by(WITNESS)


def test_added_signatures_stand_below_and_are_not_repeated() -> None:
    message = cosigned_message(TEXT, 1)
    signed = cosignature(ed25519.sign(SECRET, message), 1)
    added = NoteSignature(WITNESS.name, WITNESS.id, signed)
    both = note().with_signatures([added, *note().signatures])
    assert both.signatures == (*note().signatures, added)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "text\n",
        "text\n\n",
        "\n\n\u2014 a AAAAAAA=",
        "\u2014 a AAAAAAA=\n",  # no text above
        "text\n\u2014 a AAAAAAA=\n",
        "text\n\n\u2014 a AAAAAAA=",  # the last line has no end
        "text\n\n\u2014 a AAAA=\n",
        "text\n\n\u2014 a AAAAAA==\n",  # an id, and no signature
        "text\n\n\u2014 a b AAAAAAA=\n",
        "text\n\n\u2014 a+b AAAAAAA=\n",
        "text\n\n\u2014 a\u00a0b AAAAAAA=\n",
        "text\n\n- a AAAAAAA=\n",
        "text\n\n\u2014 a AAAAAAB=\n",  # a second spelling of the same bytes
        "text\n\n\u2014 a AAAAAAA=\nmore\n",
        "te\txt\n\n\u2014 a AAAAAAA=\n",
        "text\r\n\n\u2014 a AAAAAAA=\n",
        "text\n\n" + "\u2014 a AAAAAAA=\n" * 101,
    ],
)
def test_what_is_no_signed_note_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        SignedNote.parse(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("text", "this is no signed note"),
        ("text\n\n- a AAAAAAA=\n", "is no signature of a note"),
        ("text\n\n" + "\u2014 a AAAAAAA=\n" * 101, "a note with 101 signatures"),
        (b"\xff\n\n\xe2\x80\x94 a AAAAAAA=\n", "a note that is no UTF-8"),
        ("x" * 1024 * 1024 + "\n\n\u2014 a AAAAAAA=\n", "a note of 1048591 bytes or more"),
    ],
    ids=lambda each: repr(each)[:30],
)
def test_a_refusal_says_what_is_wrong_with_the_argument_note(text: str | bytes, said: str) -> None:
    with pytest.raises(InvalidInput, match=said) as refused:
        SignedNote.parse(text)
    assert refused.value.field == "note"


def test_a_note_may_have_a_hundred_signatures() -> None:
    found = SignedNote.parse("text\n\n" + "\u2014 a AAAAAAA=\n" * 100)
    assert len(found.signatures) == 100


def test_a_note_may_have_a_mebibyte() -> None:
    below = "\n\n\u2014 a AAAAAAA=\n"
    longest = "x" * (1024 * 1024 - len(below)) + below
    assert str(SignedNote.parse(longest)) == longest


def test_signatures_stand_one_below_the_other() -> None:
    signatures = (NoteSignature("a", bytes(4), b"\0"), NoteSignature("b", bytes(4), b"\1"))
    assert str(note(*signatures)) == f"{TEXT}\n\u2014 a AAAAAAA=\n\u2014 b AAAAAAE=\n"


@given(st.text(max_size=60) | st.binary(max_size=60))
def test_reading_a_note_fails_in_one_way_only(text: str | bytes) -> None:
    with pytest.raises(InvalidInput):
        SignedNote.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "PeterNeumann",
        "PeterNeumann+c74f20a3",
        "PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeuman+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TX",
        "PeterNeumann+c74f20a3+AhpC2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "Peter Neumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq_LDE4izWy10TW",
    ],
)
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="no public key") as refused:
        NoteKey.parse(text)
    assert refused.value.field == "key"


def test_a_key_says_of_which_kind_it_is() -> None:
    for key, kind in ((KEY, 1), (WITNESS, 4)):
        _, id, material = str(key).split("+", 2)
        assert base64.b64decode(material) == bytes([kind]) + key.public_key
        named = hashlib.sha256(key.name.encode() + b"\n" + bytes([kind]) + key.public_key)
        assert id == named.hexdigest()[:8]


@pytest.mark.parametrize("key", [KEY, WITNESS, NoteKey("\u00e9", PLAIN, bytes(32))])
def test_a_key_of_either_kind_comes_back(key: NoteKey) -> None:
    assert NoteKey.parse(f" {key}\n") == key


@pytest.mark.parametrize(
    "key",
    [
        NoteKey("log", 2, bytes(32)),
        NoteKey("log", 0, bytes(32)),
        NoteKey("log", PLAIN, bytes(31)),
        NoteKey("log", PLAIN, bytes(33)),
        NoteKey("a b", PLAIN, bytes(32)),
        NoteKey("", PLAIN, bytes(32)),
    ],
)
def test_a_key_of_another_kind_length_or_name_is_refused(key: NoteKey) -> None:
    with pytest.raises(InvalidInput, match="no public key"):
        NoteKey.parse(str(key))


@given(st.text(max_size=80))
def test_reading_a_key_fails_in_one_way_only(text: str) -> None:
    with pytest.raises(InvalidInput):
        NoteKey.parse(text)


@given(st.binary(max_size=60))
def test_base64_is_read_in_its_only_spelling(data: bytes) -> None:
    assert decoded(base64.b64encode(data).decode()) == data
    assert decoded(base64.b64encode(data).decode() + "\n") == b""


@pytest.mark.parametrize("encoded", ["AAF=", "AAE", "AA E=", "AAE=AAE=", "A", "\u00e9", "AA-_"])
def test_what_is_no_base64_gives_nothing(encoded: str) -> None:
    assert decoded(encoded) == b""


def test_a_public_key_that_is_none_has_signed_nothing() -> None:
    assert not ed25519.is_signed(bytes(31), bytes(64), b"")
