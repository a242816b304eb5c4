"""What is proved to somebody holds for ever: after appends, and after content is gone."""

from collections.abc import Callable

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import ChainBroken, InvalidInput, NotFound
from smriti_es.events.header import encode_header
from smriti_es.events.proofs import check_consistency, check_inclusion

Open = Callable[..., Engine]
Say = Callable[..., None]
Tamper = Callable[..., int]


def key(memory: Engine) -> list[str]:
    return [str(each.key) for each in memory.signing_keys()]


def test_every_event_is_proved(attested: Engine) -> None:
    headers = [encode_header(event.header) for event in attested.events()]
    for position, header in enumerate(headers):
        proof = attested.prove(position)
        assert proof.header == header
        assert check_inclusion(str(proof), header, key(attested)) == attested.checkpoints()[0]


def test_an_event_after_the_newest_checkpoint_cannot_be_proved_yet(
    attested: Engine, say: Say
) -> None:
    say()
    with pytest.raises(NotFound, match="attests 5 events, none at 5") as caught:
        attested.prove(5)
    assert "log checkpoint" in caught.value.hint
    attested.checkpoint()
    proof = attested.prove(5)
    assert check_inclusion(str(proof), proof.header, key(attested)).size == 6


def test_without_a_checkpoint_nothing_can_be_proved(engine: Open) -> None:
    memory = engine()
    with pytest.raises(NotFound, match="no checkpoint of this log yet"):
        memory.prove(0)
    with pytest.raises(NotFound, match="no checkpoint of this log yet"):
        memory.prove_consistency(0)


def test_every_older_checkpoint_is_proved_to_be_continued(attested: Engine, say: Say) -> None:
    for count in (1, 3, 2):
        say(count)
        attested.checkpoint()
    made = attested.checkpoints()
    assert [each.size for each in made] == [5, 6, 9, 11]
    for newer in made:
        for older in made:
            if older.size <= newer.size:
                proof = attested.prove_consistency(older.size, newer.size)
                found = check_consistency(str(proof), str(older), key(attested))
                assert found == newer


def test_consistency_with_the_newest_is_meant_where_none_is_named(
    attested: Engine, say: Say
) -> None:
    say(2)
    attested.checkpoint()
    assert attested.prove_consistency(3).checkpoint.size == 7


@pytest.mark.parametrize(
    ("old_size", "size", "error", "told"),
    [
        (6, None, InvalidInput, "6 events are more than the 5"),
        (2, 4, NotFound, "no checkpoint of 4 events"),
        (-1, None, InvalidInput, "old_size"),
        (True, None, InvalidInput, "old_size"),
    ],
)
def test_what_cannot_be_proved_is_refused(
    attested: Engine, old_size: int, size: int | None, error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        attested.prove_consistency(old_size, size)


@pytest.mark.parametrize("position", [-1, True, "1"])
def test_what_is_no_position_is_refused(attested: Engine, position: int) -> None:
    with pytest.raises(InvalidInput, match="position"):
        attested.prove(position)


def test_old_proofs_and_checkpoints_hold_after_many_appends(attested: Engine, say: Say) -> None:
    old = attested.checkpoints()[0]
    proofs = [attested.prove(position) for position in range(old.size)]
    say(40)
    attested.checkpoint()
    for proof in proofs:
        assert check_inclusion(str(proof), proof.header, key(attested)) == old
    assert attested.verify(checkpoint=str(old)).ok
    again = attested.prove_consistency(old.size)
    assert check_consistency(str(again), str(old), key(attested)).size == 45


def test_old_proofs_and_checkpoints_hold_after_content_is_gone(
    attested: Engine, say: Say, tamper: Tamper
) -> None:
    old = attested.checkpoints()[0]
    proofs = [attested.prove(position) for position in range(old.size)]
    assert tamper("DELETE FROM payload WHERE position = 2") == 1
    say(4)
    new = attested.checkpoint()
    for proof in proofs:
        assert check_inclusion(str(proof), proof.header, key(attested)) == old
        assert attested.prove(proof.position).header == proof.header
    again = attested.prove_consistency(old.size)
    assert check_consistency(str(again), str(old), key(attested)) == new
    places = {each.place for each in attested.verify(checkpoint=old).log.findings}
    assert places == {"payload"}


def test_old_proofs_and_checkpoints_hold_after_an_erasure(attested: Engine, say: Say) -> None:
    old = attested.checkpoints()[0]
    proofs = [attested.prove(position) for position in range(old.size)]
    attested.erase(session="s1", reason="She asked.")
    assert attested.turns() == []
    attested.add("A new beginning.", session="s2")
    new = attested.checkpoint()
    for proof in proofs:
        assert check_inclusion(str(proof), proof.header, key(attested)) == old
        assert attested.prove(proof.position).header == proof.header
    again = attested.prove_consistency(old.size)
    assert check_consistency(str(again), str(old), key(attested)) == new
    verified = attested.verify(checkpoint=old)
    assert (verified.ok, verified.log.unproved) == (True, ())


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE event SET header = (SELECT header FROM event WHERE position = 3) "
        "WHERE position = 2",
        "UPDATE event SET leaf = zeroblob(32) WHERE position = 3",
    ],
)
def test_what_is_not_as_it_was_attested_is_not_proved(
    attested: Engine, tamper: Tamper, damage: str
) -> None:
    assert tamper(damage) == 1
    with pytest.raises(ChainBroken, match="position 2") as caught:
        attested.prove(2)
    assert caught.value.position == 2


def test_a_log_whose_tree_was_changed_is_not_proved_to_go_on(
    attested: Engine, tamper: Tamper
) -> None:
    assert tamper("UPDATE event SET leaf = zeroblob(32) WHERE position = 1") == 1
    with pytest.raises(ChainBroken, match="the tree is not what was attested"):
        attested.prove_consistency(3)


def test_a_memory_that_is_only_read_proves(attested: Engine, engine: Open) -> None:
    reading = engine(read_only=True)
    assert str(reading.prove(1)) == str(attested.prove(1))
