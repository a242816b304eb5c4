"""A folder on another disk remembers what it has signed, and signs nothing that contradicts it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from smriti_es.engine import Engine
from smriti_es.events.checkpoint import Checkpoint
from smriti_es.events.errors import (
    InvalidInput,
    LogRolledBack,
    NotAllowed,
    NotFound,
    StorageUnavailable,
)
from smriti_es.http_witness import HttpWitness
from smriti_es.witnesses import FolderWitness, witness_at

Open = Callable[..., Engine]
Outside = Callable[[str], Path]
Older = Callable[[], Engine]
Say = Callable[..., None]


@pytest.fixture
def witness(tmp_path: Path) -> FolderWitness:
    """A witness whose clock stands."""
    return FolderWitness(tmp_path / "elsewhere" / "witness", lambda: 1_780_394_400_000_000)


def test_a_witness_signs_and_its_signature_is_kept(
    attested: Engine, witness: FolderWitness
) -> None:
    made = attested.witness(witness)
    assert made.note.is_signed_by(attested.signing_keys()[0].key)
    assert made.note.is_signed_by(witness.key)
    assert attested.checkpoints() == [made]
    opened = attested._opened
    beside = opened.database.beside(f"checkpoint-{opened.log.log_id}")
    assert beside is not None
    assert beside.read_text("utf-8") == str(made)


def test_a_witness_says_when_it_saw_the_checkpoint(
    attested: Engine, witness: FolderWitness
) -> None:
    signed = attested.witness(witness).note.signatures[-1]
    assert int.from_bytes(signed.signature[:8], "big") == 1_780_394_400


def test_a_witness_goes_on_with_the_log(attested: Engine, witness: FolderWitness, say: Say) -> None:
    for count in (0, 1, 4):
        say(count)
        attested.checkpoint()
        assert attested.witness(witness).note.is_signed_by(witness.key)
    assert [len(each.note.signatures) for each in attested.checkpoints()] == [2, 2, 2]


def test_the_same_checkpoint_may_be_signed_again(attested: Engine, witness: FolderWitness) -> None:
    assert attested.witness(witness) == attested.witness(witness)


def test_a_witness_keeps_its_key_and_its_memory(attested: Engine, witness: FolderWitness) -> None:
    attested.witness(witness)
    again = FolderWitness(witness.folder)
    assert again.key == witness.key
    (memory,) = witness.folder.glob("*.checkpoint")
    assert Checkpoint.parse(memory.read_bytes()).size == 5
    assert (witness.folder / "witness.key").stat().st_mode & 0o777 == 0o600


def test_a_witness_does_not_sign_an_older_state(
    older: Older, attested: Engine, witness: FolderWitness, outside: Outside
) -> None:
    attested.witness(witness)
    outside("checkpoint").unlink()
    memory = older()
    with pytest.raises(LogRolledBack, match="has signed 8 events of this log; these 5"):
        memory.witness(witness)


def test_a_witness_does_not_sign_a_fork_though_it_is_longer(
    older: Older, attested: Engine, witness: FolderWitness, outside: Outside
) -> None:
    attested.witness(witness)
    outside("checkpoint").unlink()
    fork = older()
    for number in range(9):
        fork.add(f"Another history {number}.", session="s1")
    fork.checkpoint()
    with pytest.raises(LogRolledBack, match="do not go on from them"):
        fork.witness(witness)
    assert not fork.checkpoints()[-1].note.is_signed_by(witness.key)


def test_an_older_copy_asks_no_witness(
    older: Older, witness: FolderWitness, outside: Outside
) -> None:
    memory = older()
    newest = outside("checkpoint")
    before = newest.read_bytes()
    with pytest.raises(LogRolledBack, match="attests 8"):
        memory.witness(witness)
    assert newest.read_bytes() == before


def test_a_witness_takes_a_restored_log_for_a_new_one(
    older: Older, attested: Engine, witness: FolderWitness
) -> None:
    attested.witness(witness)
    memory = older()
    memory.accept_restore(reason="The disk died.")
    memory.checkpoint()
    assert memory.witness(witness).note.is_signed_by(witness.key)


def test_several_witnesses_sign_one_checkpoint(attested: Engine, tmp_path: Path) -> None:
    witnesses = [FolderWitness(tmp_path / name) for name in ("one", "two")]
    for each in witnesses:
        attested.witness(each)
    (made,) = attested.checkpoints()
    assert [made.note.is_signed_by(each.key) for each in witnesses] == [True, True]
    assert attested.verify().ok


def test_without_a_checkpoint_there_is_nothing_to_witness(
    engine: Open, witness: FolderWitness
) -> None:
    with pytest.raises(NotFound, match="no checkpoint"):
        engine(extractor=None).witness(witness)


def test_a_memory_that_is_only_read_asks_no_witness(
    attested: Engine, engine: Open, witness: FolderWitness
) -> None:
    reading = engine(read_only=True)
    with pytest.raises(NotAllowed):
        reading.witness(witness)


def test_a_folder_that_cannot_be_made_is_no_witness(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("words")
    with pytest.raises(StorageUnavailable, match="cannot be made"):
        FolderWitness(tmp_path / "file" / "witness")


def test_a_folder_stays_on_this_machine_under_every_profile(
    attested: Engine, engine: Open, witness: FolderWitness
) -> None:
    memory = engine(extractor=None, profile="local")
    assert memory.witness(witness).note.is_signed_by(witness.key)


def test_a_place_on_the_command_line_is_a_folder_or_an_address(tmp_path: Path) -> None:
    folder = witness_at(str(tmp_path / "witness"))
    assert isinstance(folder, FolderWitness)
    there = witness_at(f"https://witness.example/prefix#{folder.key}")
    assert isinstance(there, HttpWitness)
    assert there.endpoint == "https://witness.example/prefix/add-checkpoint"
    assert there.key == folder.key


@pytest.mark.parametrize("place", ["https://witness.example", "https://witness.example#words"])
def test_an_address_without_a_key_is_refused(place: str) -> None:
    with pytest.raises(InvalidInput):
        witness_at(place)


def test_a_key_that_signs_logs_is_no_witness_s(attested: Engine) -> None:
    key = attested.signing_keys()[0].key
    with pytest.raises(InvalidInput, match="no key of a witness"):
        witness_at(f"https://witness.example#{key}")
