"""A checkpoint says how far the log has come, is signed once, and is never signed for a fork."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.catalogue import KeyRotated
from smriti_es.events.checkpoint import Checkpoint
from smriti_es.events.errors import (
    ChainBroken,
    IntegrityError,
    InvalidInput,
    LogRolledBack,
    NotAllowed,
)
from smriti_es.events.merkle_tree import CompactRange

Open = Callable[..., Engine]
Say = Callable[..., None]
Tamper = Callable[..., int]
Outside = Callable[[str], Path]


def root(memory: Engine, size: int) -> bytes:
    leaves = [event.leaf for event in memory.events()][:size]
    return CompactRange().extend(leaves).root()


def test_a_checkpoint_names_the_log_how_many_events_it_has_and_their_root(
    attested: Engine,
) -> None:
    (made,) = attested.checkpoints()
    assert made.origin == f"smriti-es/{attested.status().log_id}"
    assert (made.size, made.root) == (5, root(attested, 5))


def test_a_checkpoint_is_a_signed_note_by_the_key_that_the_log_names(attested: Engine) -> None:
    (made,) = attested.checkpoints()
    (key,) = attested.signing_keys()
    assert Checkpoint.parse(str(made)) == made
    assert made.note.is_signed_by(key.key)
    assert [each.name for each in made.note.signatures] == [made.origin]


def test_the_first_key_is_recorded_before_it_signs(attested: Engine) -> None:
    (recorded,) = attested.events(4)
    (key,) = attested.signing_keys()
    assert recorded.event == KeyRotated(key=str(key.key))
    assert (key.position, key.previous, key.is_endorsed) == (4, "", True)


def test_where_nothing_was_appended_the_last_checkpoint_is_given_again(attested: Engine) -> None:
    assert attested.checkpoint() == attested.checkpoints()[0]
    assert len(attested.checkpoints()) == 1


def test_a_checkpoint_after_an_append_goes_on_from_the_last(attested: Engine, say: Say) -> None:
    say(3)
    made = attested.checkpoint()
    assert (made.size, made.root) == (8, root(attested, 8))
    assert [each.size for each in attested.checkpoints()] == [5, 8]


def test_two_engines_on_one_file_sign_with_one_key(attested: Engine, engine: Open) -> None:
    twin = engine(extractor=None)
    twin.add("From elsewhere.", session="s2")
    assert twin.checkpoint().size == 7
    assert attested.checkpoint() == twin.checkpoint()
    assert len(attested.signing_keys()) == 1


def test_progress_counts_the_events_that_are_new(attested: Engine, say: Say) -> None:
    say(3)
    seen: list[tuple[str, int, int]] = []
    attested.checkpoint(progress=lambda *step: seen.append(step))
    assert seen == [("checkpoint", 8, 8)]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE event SET header = cast(replace(header, '\"ver\":1', '\"ver\":2') AS BLOB) "
        "WHERE position = 6",
        "UPDATE event SET header = (SELECT header FROM event WHERE position = 5) "
        "WHERE position = 6",
        "UPDATE log SET peaks = zeroblob(length(peaks))",
        "DELETE FROM event WHERE position = 6",
    ],
)
def test_what_was_changed_since_the_last_checkpoint_is_not_signed(
    attested: Engine, say: Say, tamper: Tamper, damage: str
) -> None:
    say(3)
    assert tamper(damage) == 1
    with pytest.raises(IntegrityError, match="does not say what its events give"):
        attested.checkpoint()
    assert len(attested.checkpoints()) == 1


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE event SET leaf = (SELECT leaf FROM event WHERE position = 2) WHERE position = 3",
        "UPDATE event SET leaf = zeroblob(32) WHERE position = 4",
    ],
)
def test_a_log_that_does_not_begin_with_the_last_checkpoint_is_not_signed(
    attested: Engine, say: Say, tamper: Tamper, damage: str
) -> None:
    say(3)
    assert tamper(damage) == 1
    with pytest.raises(LogRolledBack, match="first 5 events of the log are not those"):
        attested.checkpoint()


def test_a_log_that_has_lost_an_event_before_the_last_checkpoint_is_not_signed(
    attested: Engine, say: Say, tamper: Tamper
) -> None:
    say(3)
    assert tamper("DELETE FROM event WHERE position = 2") == 1
    with pytest.raises(ChainBroken, match="not whole at position 2"):
        attested.checkpoint()


def test_a_fork_is_not_signed_though_nothing_outside_remembers(
    attested: Engine, outside: Outside, tamper: Tamper
) -> None:
    outside("checkpoint").unlink()
    note = str(attested.checkpoints()[0]).replace("\n5\n", "\n6\n")
    assert tamper("UPDATE checkpoint SET size = 6, note = ?", note) == 1
    with pytest.raises(LogRolledBack, match="5 events, and a checkpoint of it attests 6") as caught:
        attested.checkpoint()
    assert (caught.value.size, caught.value.attested) == (5, 6)
    assert "log restored" in caught.value.hint


def test_a_memory_that_is_only_read_signs_nothing(attested: Engine, engine: Open) -> None:
    reading = engine(read_only=True)
    with pytest.raises(NotAllowed, match="read only"):
        reading.checkpoint()
    assert [each.size for each in reading.checkpoints()] == [5]


@pytest.mark.sqlite_only("every database of a server has a place for keys")
def test_a_memory_without_a_file_wants_a_signer(engine: Open) -> None:
    memory = engine(":memory:")
    with pytest.raises(InvalidInput, match="no key file") as caught:
        memory.checkpoint()
    assert "signer" in caught.value.hint


def test_tenants_of_one_file_are_attested_apart(attested: Engine, engine: Open) -> None:
    other = engine(tenant="other", extractor=None)
    made = other.checkpoint()
    assert made.origin != attested.checkpoints()[0].origin
    assert (made.size, len(attested.checkpoints())) == (2, 1)
    assert str(other.signing_keys()[0].key) != str(attested.signing_keys()[0].key)


def test_an_attested_memory_replays_and_rebuilds_as_before(attested: Engine) -> None:
    with attested.replay(attested.head) as replayed:
        assert [turn.text for turn in replayed.turns()] == [turn.text for turn in attested.turns()]
    assert attested.verify().ok


def test_no_checkpoint_holds_a_word_that_was_said(attested: Engine, outside: Outside) -> None:
    for kind in ("key", "checkpoint"):
        assert b"kettle" not in outside(kind).read_bytes()
    assert "kettle" not in json.dumps([str(each) for each in attested.checkpoints()])


def test_a_kept_checkpoint_that_is_none_any_more_stops_the_next(
    attested: Engine, tamper: Tamper, say: Say
) -> None:
    say()
    assert tamper("UPDATE checkpoint SET note = 'words'") == 1
    with pytest.raises(InvalidInput, match="no signed note"):
        attested.checkpoint()


def test_the_newest_checkpoint_lies_outside_the_database(
    attested: Engine, outside: Outside
) -> None:
    path = outside("checkpoint")
    assert path.read_text("utf-8") == str(attested.checkpoints()[-1])
    assert path.stat().st_mode & 0o777 == 0o600


def bit_flips(note: str) -> list[str]:
    changed = []
    for at, character in enumerate(note):
        if ord(character) < 128 and character != "\n":
            changed.append(note[:at] + chr(ord(character) ^ 1) + note[at + 1 :])
    return changed


def test_a_changed_checkpoint_in_the_database_is_found(attested: Engine, tamper: Tamper) -> None:
    note = str(attested.checkpoints()[0])
    for changed in bit_flips(note)[::7]:
        assert tamper("UPDATE checkpoint SET note = ?", changed) == 1
        findings: list[Any] = list(attested.verify(projections=False).log.findings)
        assert {each.place for each in findings} == {"checkpoint"}, changed
