"""An older copy put in the place of a database is noticed, and only an owner lets it go on."""

from collections.abc import Callable
from pathlib import Path

import pytest

from smriti_es.engine import Engine
from smriti_es.events.catalogue import LogRestored
from smriti_es.events.errors import IntegrityError, InvalidInput, LogRolledBack
from smriti_es.events.proofs import check_inclusion
from tests.places import Places

Open = Callable[..., Engine]
Older = Callable[[], Engine]
Tamper = Callable[..., int]
Outside = Callable[[str], Path]


def test_an_older_copy_can_be_read_and_not_be_written(older: Older) -> None:
    memory = older()
    assert [turn.text for turn in memory.turns()] == ["The kettle is red.", "The cup is blue."]
    with pytest.raises(LogRolledBack, match="5 events, and a checkpoint of it attests 8"):
        memory.add("Something new.", session="s1")
    assert memory.head == 4


@pytest.mark.parametrize(
    "write",
    [
        lambda memory: memory.assert_fact("user", "drives", "a Fiat"),
        lambda memory: memory.add_many([]) or memory.checkpoint(),
        lambda memory: memory.rotate_key(),
        lambda memory: memory.quarantine(session="s1"),
    ],
)
def test_no_verb_writes_to_an_older_copy(older: Older, write: Callable[[Engine], object]) -> None:
    memory = older()
    with pytest.raises(LogRolledBack):
        write(memory)
    assert memory.head == 4


def test_an_older_copy_says_so_in_its_status_and_when_it_is_verified(older: Older) -> None:
    memory = older()
    assert any("nothing can be recorded" in said for said in memory.status().degraded)
    (finding,) = memory.verify().log.findings
    assert (finding.position, finding.place) == (5, "checkpoint")
    assert "attests 8 events, there are 5: the end was cut off" in finding.problem


def test_an_older_copy_opens_with_an_embedder_that_was_not_bound_yet(
    older: Older, engine: Open, embedder: object
) -> None:
    older().close()
    memory = engine(embedder=embedder)
    assert memory.head == 4


def test_an_older_copy_that_went_on_by_itself_is_noticed_too(
    older: Older, outside: Outside, engine: Open
) -> None:
    newest = outside("checkpoint")
    aside = newest.rename(newest.with_name("aside"))
    diverged = older()
    for number in range(6):
        diverged.add(f"Another history {number}.", session="s1")
    diverged.close()
    aside.rename(newest)
    memory = engine(extractor=None)
    with pytest.raises(LogRolledBack, match="first 8 events of the log are not those"):
        memory.add("More.", session="s1")
    (finding,) = memory.verify(projections=False).log.findings
    assert (finding.position, finding.place) == (5, "checkpoint")
    assert finding.problem == "attests other events than those at positions 5 to 7"


def test_an_older_copy_with_an_erasure_to_finish_opens(
    attested: Engine, places: Places, engine: Open
) -> None:
    attested.erase(session="s1")
    attested.close()
    before = places.copied("memory.db")
    memory = engine(extractor=None)
    memory.add("More.", session="s2")
    memory.checkpoint()
    memory.close()
    places.put_back("memory.db", before)
    again = engine(extractor=None)
    with pytest.raises(LogRolledBack):
        again.erase(session="s1")


def test_the_newest_database_put_back_goes_on(
    older: Older, places: Places, engine: Open, attested: Engine
) -> None:
    attested.close()
    newest = places.copied("memory.db")
    older().close()
    places.put_back("memory.db", newest)
    memory = engine(extractor=None)
    memory.add("On we go.", session="s1")
    assert memory.verify().ok


def test_an_owner_lets_a_restored_log_go_on(older: Older, outside: Outside, engine: Open) -> None:
    memory = older()
    given_up = outside("checkpoint").read_text("utf-8")
    assert memory.accept_restore(reason="The disk died.") == 5
    (recorded,) = memory.events(5)
    assert isinstance(recorded.event, LogRestored)
    assert recorded.header.actor.kind == "owner"
    assert (recorded.event.size, recorded.event.checkpoint) == (8, given_up)
    assert recorded.event.reason == "The disk died."
    memory.add("On we go.", session="s1")
    memory.close()
    again = engine(extractor=None)
    again.add("And on.", session="s1")
    assert again.verify().ok


def test_after_a_restore_the_log_is_attested_as_another(older: Older) -> None:
    memory = older()
    before = memory.checkpoints()[0]
    memory.accept_restore(reason="The disk died.")
    memory.add("On we go.", session="s1")
    made = memory.checkpoint()
    assert made.origin == f"{before.origin}/5"
    assert [each.origin for each in memory.checkpoints()] == [before.origin, made.origin]
    proof = memory.prove(2)
    key = str(memory.signing_keys()[-1].key)
    assert check_inclusion(str(proof), proof.header, [key]) == made
    assert memory.verify().ok


def test_a_checkpoint_that_was_given_up_is_told_as_such(older: Older, outside: Outside) -> None:
    memory = older()
    given_up = outside("checkpoint").read_text("utf-8")
    memory.accept_restore(reason="The disk died.")
    (finding,) = memory.verify(checkpoint=given_up, projections=False).log.findings
    assert "attests 8 events, there are 6" in finding.problem
    assert "the log was restored since" in finding.problem


def test_a_checkpoint_from_before_the_backup_holds_after_a_restore(older: Older) -> None:
    memory = older()
    before = memory.checkpoints()[0]
    memory.accept_restore(reason="The disk died.")
    assert memory.verify(checkpoint=before, projections=False).log.unproved == ()
    assert memory.verify(checkpoint=before).ok


def test_a_restore_that_was_recorded_is_not_asked_for_again(
    older: Older, outside: Outside, engine: Open
) -> None:
    memory = older()
    newest = outside("checkpoint")
    note = newest.read_bytes()
    memory.accept_restore(reason="The disk died.")
    memory.close()
    newest.write_bytes(note)  # as after a crash between the two
    again = engine(extractor=None)
    again.add("On we go.", session="s1")
    assert again.verify().ok
    assert again.checkpoint().size == 7


def test_a_copy_from_before_a_restore_is_noticed_too(
    older: Older, places: Places, engine: Open
) -> None:
    memory = older()
    before = places.copied("memory.db")
    memory.accept_restore(reason="The disk died.")
    memory.checkpoint()
    memory.close()
    places.put_back("memory.db", before)
    again = engine(extractor=None)
    with pytest.raises(LogRolledBack, match="a checkpoint of it attests 6"):
        again.add("More.", session="s1")


def test_a_log_that_goes_on_has_nothing_to_accept(attested: Engine) -> None:
    with pytest.raises(InvalidInput, match="goes on from the newest checkpoint"):
        attested.accept_restore(reason="For fun.")
    assert attested.head == 4


@pytest.mark.parametrize("content", [b"", b"words", b"\xff\xfe"])
def test_a_damaged_file_beside_the_database_stops_recording(
    attested: Engine, outside: Outside, engine: Open, content: bytes
) -> None:
    attested.close()
    outside("checkpoint").write_bytes(content)
    memory = engine(extractor=None)
    with pytest.raises(IntegrityError, match="newest checkpoint, is damaged") as caught:
        memory.add("More.", session="s1")
    assert "delete the file" in caught.value.hint
    (finding,) = memory.verify().log.findings
    assert finding.place == "checkpoint"
    with pytest.raises(IntegrityError, match="is damaged"):
        memory.accept_restore(reason="?")


def test_a_newest_checkpoint_that_was_edited_stops_recording(
    attested: Engine, outside: Outside, engine: Open
) -> None:
    attested.close()
    path = outside("checkpoint")
    path.write_text(path.read_text("utf-8").replace("\n5\n", "\n4\n"), "utf-8")
    with pytest.raises(LogRolledBack, match="first 4 events"):
        engine(extractor=None).add("More.", session="s1")


def test_a_memory_without_the_file_opens_as_ever(
    attested: Engine, outside: Outside, engine: Open
) -> None:
    attested.close()
    outside("checkpoint").unlink()
    memory = engine(extractor=None)
    memory.add("More.", session="s1")
    assert memory.verify().ok


def test_an_older_copy_of_one_tenant_s_log_does_not_stop_another(
    older: Older, engine: Open
) -> None:
    older()
    other = engine(tenant="other", extractor=None)
    other.add("Mine.", session="s1")
    assert other.verify().ok


def test_an_older_copy_that_is_only_read_is_verified_as_such(older: Older, engine: Open) -> None:
    older().close()
    reading = engine(read_only=True)
    assert [each.place for each in reading.verify().log.findings] == ["checkpoint"]
