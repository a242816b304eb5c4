"""The key of a log: made once, named by the log, kept from others, and rotated in the open."""

import base64
import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events import ed25519
from smriti_es.events.catalogue import KeyRotated
from smriti_es.events.errors import (
    ConflictError,
    InvalidInput,
    NotAllowed,
    NotFound,
    StorageUnavailable,
)
from smriti_es.events.log_keys import endorsement_message
from smriti_es.events.signed_note import NoteKey
from smriti_es.signing_key import CallbackSigner, KeyFile, SecretKey
from smriti_es.tenant_destruction import destroy_tenant
from tests.places import Places

Open = Callable[..., Engine]
Say = Callable[..., None]


@pytest.fixture
def key_file(outside: Callable[[str], Path]) -> KeyFile:
    """The key file of the attested memory."""
    return KeyFile(outside("key"))


def token(number: int) -> CallbackSigner:
    """A key that lies elsewhere."""
    secret = bytes([number]) * 32
    return CallbackSigner(
        ed25519.public_key_of(secret), lambda message: ed25519.sign(secret, message)
    )


def test_the_key_file_is_for_its_owner_alone(key_file: KeyFile) -> None:
    assert key_file.path.stat().st_mode & 0o777 == 0o600


def test_the_key_file_holds_the_key_that_the_log_names(attested: Engine, key_file: KeyFile) -> None:
    assert attested.signing_keys()[0].key.public_key == key_file.read().public_key


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_a_key_file_that_others_may_use_is_refused(
    attested: Engine, say: Say, key_file: KeyFile, unreadable: Any, mode: int
) -> None:
    say()
    with unreadable(key_file.path, mode), pytest.raises(StorageUnavailable) as caught:
        attested.checkpoint()
    assert "by others" in str(caught.value)
    assert "chmod 600" in caught.value.hint
    assert attested.checkpoint().size == 6


@pytest.mark.parametrize(
    "content", ["", "smriti-es-ed25519 00\n", "smriti-es-ed25519 words\n", "00" * 32, "\u00e9"]
)
def test_a_key_file_that_holds_no_key_is_refused(
    attested: Engine, say: Say, key_file: KeyFile, content: str
) -> None:
    say()
    key_file.path.write_text(content, "utf-8")
    with pytest.raises(StorageUnavailable, match=r"holds no key|cannot be read"):
        attested.checkpoint()


def test_a_key_that_could_not_be_written_leaves_no_half_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    file = KeyFile(tmp_path / "key")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(StorageUnavailable, match="cannot be written"):
            file.made()
    assert list(tmp_path.iterdir()) == []
    assert file.made() == file.read()
    assert list(tmp_path.iterdir()) == [file.path]


def test_whoever_makes_a_key_second_takes_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, link = KeyFile(tmp_path / "key"), os.link

    def slower(source: Path, target: Path) -> None:
        monkeypatch.setattr(os, "link", link)
        file.made(lambda size: bytes(size))
        link(source, target)

    monkeypatch.setattr(os, "link", slower)
    assert file.made().secret == bytes(32)
    assert list(tmp_path.iterdir()) == [file.path]


def test_a_missing_key_file_is_not_made_again(
    attested: Engine, say: Say, key_file: KeyFile
) -> None:
    say()
    key_file.path.unlink()
    with pytest.raises(NotFound, match="is missing") as caught:
        attested.checkpoint()
    assert "--rotate --lost" in caught.value.hint
    assert not key_file.exists()


def test_another_key_than_the_one_in_force_does_not_sign(
    attested: Engine, say: Say, key_file: KeyFile
) -> None:
    say()
    key_file.path.unlink()
    key_file.made(lambda count: bytes([7]) * count)
    for signer in (None, token(7)):
        with pytest.raises(NotAllowed, match=r"signed with the key .* not with this one"):
            attested.checkpoint(signer=signer)


def test_a_secret_is_shown_nowhere() -> None:
    assert repr(SecretKey(bytes(32))) == "SecretKey()"


def test_a_key_in_a_token_signs_and_makes_no_file(engine: Open, tmp_path: Path) -> None:
    memory = engine(extractor=None)
    made = memory.checkpoint(signer=token(1))
    (key,) = memory.signing_keys()
    assert key.key.public_key == token(1).public_key
    assert made.note.is_signed_by(key.key)
    assert list(tmp_path.glob("*-key-*")) == []


def test_a_memory_without_a_file_is_attested_by_a_token(engine: Open) -> None:
    memory = engine(":memory:", extractor=None)
    made = memory.checkpoint(signer=token(1))
    assert memory.verify(checkpoint=str(made)).ok


def test_a_token_that_signs_wrongly_is_refused(engine: Open) -> None:
    memory = engine(extractor=None)
    with pytest.raises(InvalidInput, match="not its signature"):
        memory.checkpoint(signer=CallbackSigner(token(1).public_key, lambda _: bytes(64)))
    assert memory.checkpoints() == []


def test_a_token_with_a_key_of_another_kind_is_refused(engine: Open) -> None:
    memory = engine(extractor=None)
    with pytest.raises(InvalidInput, match="32 bytes of Ed25519"):
        memory.checkpoint(signer=CallbackSigner(bytes(33), lambda _: bytes(64)))
    assert memory.head == 0


def test_a_rotated_key_is_endorsed_by_the_one_before(attested: Engine) -> None:
    (before,) = attested.signing_keys()
    after = attested.rotate_key(reason="A new laptop.")
    assert (after.position, after.previous, after.is_endorsed) == (5, str(before.key), True)
    (recorded,) = attested.events(5)
    assert isinstance(recorded.event, KeyRotated)
    assert recorded.event.reason == "A new laptop."
    signature = base64.b64decode(recorded.event.endorsement)
    message = endorsement_message(str(before.key), str(after.key))
    assert ed25519.is_signed(before.key.public_key, signature, message)


def test_what_the_old_key_signed_stays_valid_and_the_new_one_goes_on(
    attested: Engine, key_file: KeyFile
) -> None:
    old = attested.checkpoints()[0]
    after = attested.rotate_key()
    new = attested.checkpoint()
    assert key_file.read().public_key == after.key.public_key
    assert new.note.is_signed_by(after.key)
    assert not old.note.is_signed_by(after.key)
    assert attested.verify(checkpoint=old).log.unproved == ()
    assert attested.verify(checkpoint=new).ok


def test_the_old_key_signs_nothing_more(attested: Engine, key_file: KeyFile) -> None:
    old = key_file.read()
    attested.rotate_key()
    with pytest.raises(NotAllowed, match="not with this one"):
        attested.checkpoint(signer=old)


def test_a_lost_key_is_replaced_and_everybody_can_see_it(
    attested: Engine, key_file: KeyFile
) -> None:
    key_file.path.unlink()
    with pytest.raises(NotFound):
        attested.rotate_key()
    after = attested.rotate_key(lost=True, reason="The disk died.")
    assert not after.is_endorsed
    assert attested.checkpoint().note.is_signed_by(after.key)
    assert attested.verify().ok


def test_a_key_in_a_token_takes_over_from_the_file_and_back(
    attested: Engine, key_file: KeyFile
) -> None:
    attested.rotate_key(signer=token(1))
    assert attested.checkpoint(signer=token(1)).size == 6
    attested.rotate_key(previous=token(1))
    assert attested.checkpoint().size == 7
    assert [each.is_endorsed for each in attested.signing_keys()] == [True, True, True]


def test_a_key_that_is_not_in_force_endorses_nothing(attested: Engine) -> None:
    with pytest.raises(NotAllowed, match="not with this one"):
        attested.rotate_key(previous=token(9))
    assert len(attested.signing_keys()) == 1


def test_without_a_key_there_is_none_to_rotate(engine: Open) -> None:
    with pytest.raises(InvalidInput, match="no key yet"):
        engine(extractor=None).rotate_key()


def test_of_two_who_rotate_at_once_one_is_told(attested: Engine, engine: Open) -> None:
    twin = engine(extractor=None)

    def overtaken(message: bytes) -> bytes:
        twin.rotate_key()
        return ed25519.sign(bytes([1]) * 32, message)

    attested.rotate_key(signer=token(1))
    with pytest.raises((ConflictError, NotAllowed, NotFound)):
        attested.rotate_key(previous=CallbackSigner(token(1).public_key, overtaken))


@pytest.mark.parametrize("recorded", [True, False])
def test_a_rotation_that_was_interrupted_is_completed_or_forgotten(
    attested: Engine, key_file: KeyFile, recorded: bool
) -> None:
    """A new key is on disk before the log names it, and takes the old one's place after that."""
    old = key_file.path.read_bytes()
    if recorded:
        attested.rotate_key()
        key_file.path.rename(key_file.successor().path)
        key_file.path.write_bytes(old)
        key_file.path.chmod(0o600)
    else:
        key_file.successor().made()
    attested.add("More.", session="s1")
    made = attested.checkpoint()
    assert made.note.is_signed_by(attested.signing_keys()[-1].key)
    assert (key_file.path.read_bytes() == old) is not recorded


def test_an_edited_rotation_is_found(attested: Engine, tamper: Callable[..., int]) -> None:
    attested.rotate_key()
    stranger = NoteKey(attested.signing_keys()[0].key.name, 1, token(3).public_key)
    assert tamper(
        "UPDATE event SET header = cast(replace(header, ?, ?) AS BLOB) WHERE position = 5",
        str(attested.signing_keys()[1].key),
        str(stranger),
    )
    problems = [str(each) for each in attested.verify(projections=False).log.findings]
    assert "position 5, event.header: names a key that none before endorsed" in problems


def test_with_a_tenant_its_key_goes_and_no_other(
    attested: Engine, engine: Open, places: Places, key_file: KeyFile, outside: Any
) -> None:
    other = engine(tenant="other", extractor=None)
    other.checkpoint()
    theirs = other._opened.database.beside(f"key-{other.status().log_id}")
    assert theirs is not None
    assert theirs.exists()
    other.close()
    attested.close()
    destroy_tenant(places.named("memory.db"), "other")
    assert not theirs.exists()
    assert not theirs.with_name(theirs.name.replace("key-", "checkpoint-")).exists()
    assert key_file.path.exists()
    assert outside("checkpoint").exists()
    assert engine(extractor=None).checkpoint().size == 5
