"""A log is held against checkpoints from elsewhere, and what was cut off or rewritten is found."""

from collections.abc import Callable
from pathlib import Path

import pytest

from smriti_es.engine import Engine
from smriti_es.events import ed25519
from smriti_es.events.catalogue import TurnRecorded
from smriti_es.events.checkpoint import Checkpoint
from smriti_es.events.errors import InvalidInput
from smriti_es.events.findings import Finding
from smriti_es.events.header import Actor
from smriti_es.events.log import EventLog
from smriti_es.events.records import NewEvent
from smriti_es.events.signed_note import NoteSignature, SignedNote
from smriti_es.events.stored_tree import build_tree

Open = Callable[..., Engine]
Say = Callable[..., None]
Tamper = Callable[..., int]


@pytest.fixture
def forget(outside: Callable[[str], Path], tamper: Tamper) -> Callable[[], None]:
    """Drop every checkpoint in the database and outside it, as whoever rewrites a log would."""

    def run() -> None:
        tamper("DELETE FROM checkpoint")
        outside("checkpoint").unlink(missing_ok=True)

    return run


def cut_off(memory: Engine, tamper: Tamper, size: int) -> None:
    """Cut off the end of a log, whole commits, together with everything that remembers it."""
    for table in ("event", "payload", "idempotency"):
        tamper(f"DELETE FROM {table} WHERE position >= ?", size)
    columns = "size, head, known"
    tamper(
        f"UPDATE log SET ({columns}) = (SELECT ?, leaf, known FROM event WHERE position = ?)",
        size,
        size - 1,
    )
    with memory._opened.database.write() as connection:
        build_tree(connection, memory._opened.log.log)


def checked(memory: Engine, checkpoint: Checkpoint | str) -> list[Finding]:
    return list(memory.verify(checkpoint=checkpoint, projections=False).log.findings)


def test_a_log_that_goes_on_from_a_checkpoint_verifies(attested: Engine, say: Say) -> None:
    given = attested.checkpoints()[0]
    say(5)
    for form in (given, str(given), str(given).encode()):
        verified = attested.verify(checkpoint=form)
        assert (verified.ok, verified.log.unproved) == (True, ())


def test_a_cut_off_end_is_found_by_a_copy_of_a_checkpoint_alone(
    attested: Engine, say: Say, tamper: Tamper, forget: Callable[[], None]
) -> None:
    say(3)
    copy = str(attested.checkpoint())
    forget()
    cut_off(attested, tamper, 6)
    assert attested.verify(projections=False).ok
    (finding,) = checked(attested, copy)
    assert (finding.position, finding.place) == (6, "checkpoint")
    assert finding.problem == "attests 8 events, there are 6: the end was cut off"


def test_a_cut_off_end_is_found_by_the_checkpoint_in_the_database(
    attested: Engine, say: Say, tamper: Tamper
) -> None:
    say(3)
    attested.checkpoint()
    cut_off(attested, tamper, 6)
    positions = {(each.position, each.place) for each in attested.verify().log.findings}
    assert positions == {(6, "checkpoint")}


def test_an_end_that_was_written_anew_is_found_with_the_last_checkpoint_that_holds(
    attested: Engine, say: Say, tamper: Tamper, forget: Callable[[], None]
) -> None:
    say(1)
    attested.checkpoint()
    say(2)
    copy = str(attested.checkpoint())
    cut_off(attested, tamper, 6)
    tamper("DELETE FROM checkpoint WHERE size > 6")
    another = TurnRecorded(session=1, ordinal=0, origin="owner", role="user", text="another")
    log = attested._opened.log
    bare = EventLog(log.database, log.log, log.log_id, log.clock)
    bare.append([NewEvent(another)] * 4, actor=Actor("owner", "forger"))
    found = checked(attested, copy)
    assert {each.place for each in found} == {"checkpoint"}
    assert {each.problem for each in found} >= {
        "attests other events than those at positions 6 to 7"
    }


@pytest.mark.parametrize("given", ["", "words", b"\xff", "log\n5\nAAAA\n\n\u2014 a AAAAAAA=\n"])
def test_what_is_no_checkpoint_is_refused(attested: Engine, given: str | bytes) -> None:
    with pytest.raises(InvalidInput):
        attested.verify(checkpoint=given)


def test_a_checkpoint_of_another_log_is_a_finding(attested: Engine, engine: Open) -> None:
    other = engine("other.db", extractor=None)
    (finding,) = checked(attested, other.checkpoint())
    assert finding.place == "checkpoint"
    assert finding.problem.startswith("is one of 'smriti-es/")


def test_a_checkpoint_that_somebody_else_signed_decides_nothing(attested: Engine) -> None:
    own = attested.checkpoints()[0]
    (line,) = own.note.signatures
    forged = NoteSignature(line.name, line.key_id, ed25519.sign(bytes(32), own.note.text.encode()))
    verified = attested.verify(checkpoint=str(SignedNote(own.note.text, (forged,))))
    assert verified.ok
    (told,) = verified.log.unproved
    assert "not signed by the key that the log names" in told


def test_a_forged_checkpoint_that_the_log_does_not_go_on_from_is_a_finding(
    attested: Engine,
) -> None:
    own = attested.checkpoints()[0]
    forged = SignedNote(own.note.text.replace("\n5\n", "\n4\n"), own.note.signatures)
    (finding,) = checked(attested, str(forged))
    assert finding.problem == "attests other events than those at positions 0 to 3"


def test_the_old_key_is_not_accepted_for_what_came_after_its_time(attested: Engine) -> None:
    own = attested.checkpoints()[0]
    attested.rotate_key()
    new = attested.checkpoint()
    swapped = SignedNote(new.note.text, own.note.signatures)
    (told,) = attested.verify(checkpoint=str(swapped)).log.unproved
    assert "not signed by the key" in told


def test_of_a_log_with_a_hole_nothing_is_proved(attested: Engine, tamper: Tamper, say: Say) -> None:
    say(1)
    copy = str(attested.checkpoint())
    assert tamper("DELETE FROM event WHERE position = 2") == 1
    verified = attested.verify(checkpoint=copy, projections=False).log
    assert not verified.ok
    assert verified.unproved == ("events before 6 are missing: nothing can be proved",)


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        ("UPDATE checkpoint SET size = 4", "that of 4 events is another one"),
        ("UPDATE checkpoint SET origin = 'x'", "that of 5 events is another one"),
        ("UPDATE checkpoint SET note = 'x'", "that of 5 events is none: this is no signed note"),
        ("UPDATE checkpoint SET note = x'00'", "that of 5 events is none: "),
        ("UPDATE checkpoint SET note = 7", "that of 5 events is none: "),
    ],
)
def test_an_edited_checkpoint_in_the_database_is_found(
    attested: Engine, tamper: Tamper, edit: str, problem: str
) -> None:
    assert tamper(edit) == 1
    found = attested.verify(projections=False).log.findings
    assert [each.problem[: len(problem)] for each in found] == [problem]
    assert {(each.position, each.place) for each in found} == {(None, "checkpoint")}


def test_a_checkpoint_in_the_database_that_the_log_s_key_did_not_sign_is_found(
    attested: Engine, tamper: Tamper
) -> None:
    own = attested.checkpoints()[0]
    (line,) = own.note.signatures
    forged = NoteSignature(line.name, line.key_id, ed25519.sign(bytes(32), own.note.text.encode()))
    note = str(SignedNote(own.note.text, (forged,)))
    tamper("UPDATE checkpoint SET note = ?", note)
    (finding,) = attested.verify(projections=False).log.findings
    assert finding.problem == "that of 5 events is not signed by the log's key"


def test_a_deleted_checkpoint_is_not_missed_as_long_as_a_later_one_is_there(
    attested: Engine, say: Say, tamper: Tamper
) -> None:
    say()
    attested.checkpoint()
    assert tamper("DELETE FROM checkpoint WHERE size = 5") == 1
    assert attested.verify().ok
