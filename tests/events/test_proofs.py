"""A proof is a text that stands by itself, and its check takes that text and bytes."""

import base64
from collections.abc import Iterator
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.events import ed25519
from smriti_es.events.chain import leaf_hash
from smriti_es.events.checkpoint import Checkpoint, checkpoint_text, log_id_of, origin_of
from smriti_es.events.errors import InvalidInput, ProofFailed
from smriti_es.events.log_keys import key_of_log
from smriti_es.events.merkle_tree import CompactRange, consistency_proof, inclusion_proof
from smriti_es.events.proofs import (
    ConsistencyProof,
    InclusionProof,
    check_consistency,
    check_inclusion,
)
from smriti_es.events.signed_note import NoteSignature, SignedNote

LOG: Final = "0f" * 16
SECRET: Final = bytes(32)
KEY: Final = key_of_log(LOG, ed25519.public_key_of(SECRET))
STRANGER: Final = key_of_log(LOG, ed25519.public_key_of(bytes([1]) * 32))
HEADERS: Final = tuple(b"header %d" % number for number in range(13))
LEAVES: Final = tuple(map(leaf_hash, HEADERS))


def subtree(level: int, index: int) -> bytes:
    return CompactRange().extend(LEAVES[index << level : (index + 1) << level]).root()


def checkpoint(size: int, *, origin: str = origin_of(LOG, None), key: object = KEY) -> Checkpoint:
    assert key in (KEY, STRANGER)
    text = checkpoint_text(origin, size, CompactRange().extend(LEAVES[:size]).root())
    secret = SECRET if key is KEY else bytes([1]) * 32
    signer = KEY if key is KEY else STRANGER
    signature = NoteSignature(signer.name, signer.id, ed25519.sign(secret, text.encode()))
    return Checkpoint.parse(str(SignedNote(text, (signature,))))


def inclusion(position: int, size: int = 13) -> str:
    hashes = tuple(inclusion_proof(position, size, subtree))
    return str(InclusionProof(position, hashes, checkpoint(size)))


def consistency(old_size: int, size: int = 13) -> str:
    hashes = tuple(consistency_proof(old_size, size, subtree))
    return str(ConsistencyProof(old_size, hashes, checkpoint(size)))


def test_every_event_is_proved_by_a_text() -> None:
    for size in range(1, 14):
        for position in range(size):
            found = check_inclusion(inclusion(position, size), HEADERS[position], [str(KEY)])
            assert found == checkpoint(size)


def test_every_older_checkpoint_is_continued_by_a_text() -> None:
    for size in range(14):
        for old_size in range(size + 1):
            older = str(checkpoint(old_size))
            found = check_consistency(consistency(old_size, size), older, [str(KEY)])
            assert found == checkpoint(size)


def test_a_proof_of_inclusion_has_the_form_of_c2sp() -> None:
    first, second = (base64.b64encode(each).decode() for each in (LEAVES[1], subtree(1, 1)))
    assert inclusion(0, 3) == (
        f"c2sp.org/tlog-proof@v1\nindex 0\n{first}\n"
        f"{base64.b64encode(LEAVES[2]).decode()}\n\n{checkpoint(3)}"
    )
    assert second not in inclusion(0, 3)


def test_a_proof_of_consistency_has_the_form_of_a_request_to_a_witness() -> None:
    sibling = base64.b64encode(LEAVES[2]).decode()
    assert consistency(2, 3) == f"old 2\n{sibling}\n\n{checkpoint(3)}"


def test_what_an_application_adds_to_a_proof_is_passed_over() -> None:
    text = inclusion(3).replace("index", "extra AAAA\nindex", 1)
    assert check_inclusion(text, HEADERS[3], [str(KEY)]).size == 13


def test_another_event_is_not_proved() -> None:
    with pytest.raises(ProofFailed, match="not the one that was attested at 3"):
        check_inclusion(inclusion(3), HEADERS[4], [str(KEY)])


@pytest.mark.parametrize("keys", [[], [str(STRANGER)]])
def test_a_proof_that_no_trusted_key_signed_proves_nothing(keys: list[str]) -> None:
    with pytest.raises(ProofFailed, match="no key that was named"):
        check_inclusion(inclusion(3), HEADERS[3], keys)
    with pytest.raises(ProofFailed, match="no key that was named"):
        check_consistency(consistency(3), str(checkpoint(3)), keys)


def test_one_of_several_trusted_keys_is_enough() -> None:
    assert check_inclusion(inclusion(3), HEADERS[3], [str(STRANGER), str(KEY)]).size == 13


def test_an_older_checkpoint_of_a_stranger_is_not_continued() -> None:
    older = str(checkpoint(3, key=STRANGER))
    with pytest.raises(ProofFailed, match="no key that was named"):
        check_consistency(consistency(3), older, [str(KEY)])


@pytest.mark.parametrize(
    "older", [checkpoint(4), checkpoint(3, origin=origin_of(LOG, 2)), checkpoint(13)]
)
def test_a_proof_from_elsewhere_does_not_lead_from_an_older_checkpoint(older: Checkpoint) -> None:
    with pytest.raises(ProofFailed, match="the proof leads from 3 events"):
        check_consistency(consistency(3), str(older), [str(KEY)])


def spoilt(text: str) -> Iterator[str]:
    """Give a text with each character changed, each line left out, each but the last doubled."""
    for at, character in enumerate(text):
        yield text[:at] + ("B" if character == "A" else "A") + text[at + 1 :]
    lines = text.splitlines(keepends=True)
    for at in range(len(lines)):
        yield "".join(lines[:at] + lines[at + 1 :])
    for at in range(len(lines) - 1):
        yield "".join([*lines[: at + 1], *lines[at:]])


def test_no_change_of_a_proof_of_inclusion_goes_unnoticed() -> None:
    for text in spoilt(inclusion(5)):
        with pytest.raises((InvalidInput, ProofFailed)):
            check_inclusion(text, HEADERS[5], [str(KEY)])


def test_no_change_of_a_proof_of_consistency_goes_unnoticed() -> None:
    for text in spoilt(consistency(5)):
        with pytest.raises((InvalidInput, ProofFailed)):
            check_consistency(text, str(checkpoint(5)), [str(KEY)])


def test_no_change_of_an_older_checkpoint_goes_unnoticed() -> None:
    for text in spoilt(str(checkpoint(5))):
        with pytest.raises((InvalidInput, ProofFailed)):
            check_consistency(consistency(5), text, [str(KEY)])


@given(st.text(max_size=80) | st.binary(max_size=80))
def test_reading_a_proof_fails_in_one_way_only(text: str | bytes) -> None:
    with pytest.raises(InvalidInput):
        InclusionProof.parse(text)
    with pytest.raises(InvalidInput):
        ConsistencyProof.parse(text)


def test_a_proof_with_more_hashes_than_any_tree_has_is_refused() -> None:
    line = base64.b64encode(bytes(32)).decode() + "\n"
    with pytest.raises(InvalidInput, match="no proof"):
        ConsistencyProof.parse(f"old 2\n{line * 64}\n{checkpoint(3)}")


@pytest.mark.parametrize(
    "text",
    [
        "origin\n3\n\n",
        "origin\n03\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n",
        "origin\n-3\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n",
        "origin\n3\nAAAA\n",
        "origin\n3\n" + "00" * 32 + "\n",
        "\n3\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n",
        "origin\n3\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\nmore\n",
    ],
)
def test_a_signed_note_that_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="no checkpoint"):
        Checkpoint.parse(str(SignedNote(text, checkpoint(3).note.signatures)))


def test_a_checkpoint_with_lines_that_others_add_is_read() -> None:
    text = checkpoint(3).note.text + "an extension\n"
    found = Checkpoint.parse(str(SignedNote(text, checkpoint(3).note.signatures)))
    assert (found.size, found.root) == (3, checkpoint(3).root)
    assert found.signers([KEY]) == []


@pytest.mark.parametrize(
    ("origin", "log_id"),
    [
        (origin_of(LOG, None), LOG),
        (origin_of(LOG, 57), LOG),
        ("example.com/log", None),
        ("smriti-es", None),
        (f"smriti-es/{LOG}/57/1", None),
    ],
)
def test_an_origin_names_its_log(origin: str, log_id: str | None) -> None:
    assert log_id_of(origin) == log_id


def test_a_proof_has_at_most_63_hashes() -> None:
    for count in (62, 63):
        hashes = (bytes(32),) * count
        inclusion_of, consistency_of = (
            InclusionProof(0, hashes, checkpoint(3)),
            ConsistencyProof(1, hashes, checkpoint(3)),
        )
        assert InclusionProof.parse(str(inclusion_of)) == inclusion_of
        assert ConsistencyProof.parse(str(consistency_of)) == consistency_of
    with pytest.raises(InvalidInput, match="this is no proof"):
        InclusionProof.parse(str(InclusionProof(0, (bytes(32),) * 64, checkpoint(3))))


@pytest.mark.parametrize(
    "head",
    [
        "c2sp.org/tlog-proof@v1",
        "c2sp.org/tlog-proof@v1\nextra AAAA",
        "c2sp.org/tlog-proof@v1\nindex 01",
        "c2sp.org/tlog-proof@v1\nindex 10000000000000000000",
        f"c2sp.org/tlog-proof@v1\nindex 0\n{base64.b64encode(bytes(31)).decode()}",
        "c2sp.org/tlog-proof@v2\nindex 0",
        "index 0",
        "",
    ],
)
def test_what_is_no_proof_is_refused_as_the_argument_proof(head: str) -> None:
    with pytest.raises(InvalidInput, match="this is no proof") as refused:
        InclusionProof.parse(f"{head}\n\n{checkpoint(3)}")
    assert refused.value.field == "proof"


@pytest.mark.parametrize("head", ["", "old", "old 01", "old 10000000000000000000", "old -1"])
def test_what_is_no_proof_of_consistency_is_refused(head: str) -> None:
    with pytest.raises(InvalidInput, match="this is no proof"):
        ConsistencyProof.parse(f"{head}\n\n{checkpoint(3)}")


def test_a_proof_without_a_checkpoint_is_none() -> None:
    with pytest.raises(InvalidInput, match="this is no proof"):
        InclusionProof.parse(inclusion(0, 3).partition("\n\n")[0])


@pytest.mark.parametrize("number", [0, 10, 19, 90, 9_999_999_999_999_999_999])
def test_the_number_of_a_proof_has_up_to_nineteen_digits(number: int) -> None:
    one, other = (
        InclusionProof(number, (), checkpoint(3)),
        ConsistencyProof(number, (), checkpoint(3)),
    )
    assert InclusionProof.parse(str(one)) == one
    assert ConsistencyProof.parse(str(other)) == other


def test_a_proof_that_was_read_knows_no_header() -> None:
    assert InclusionProof.parse(inclusion(0, 3)).header == b""


def test_keys_and_signatures_have_the_lengths_of_the_rfc() -> None:
    lengths = (ed25519.SECRET_BYTES, ed25519.PUBLIC_KEY_BYTES, ed25519.SIGNATURE_BYTES)
    assert lengths == (32, 32, 64)
