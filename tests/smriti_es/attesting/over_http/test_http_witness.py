"""A witness over HTTP, as C2SP describes it: what it is asked, and what its answers lead to."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import EgressRefused, LogRolledBack, WitnessError
from smriti_es.http_witness import HttpWitness

Open = Callable[..., Engine]
Older = Callable[[], Engine]
Say = Callable[..., None]
NAME = "witness.example/w1"
SEEN_AT = 1_780_394_400


def test_a_witness_is_asked_as_c2sp_says(
    attested: Engine, server: Any, witness: HttpWitness
) -> None:
    own = attested.checkpoints()[0]
    attested.witness(witness)
    assert server.requests == [("/prefix/add-checkpoint", f"old 0\n\n{own}".encode())]


def test_a_witness_s_signature_is_kept_with_the_checkpoint(
    attested: Engine, witness: HttpWitness
) -> None:
    own = attested.checkpoints()[0]
    made = attested.witness(witness)
    assert made.note.is_signed_by(witness.key)
    assert made.note.signatures[:1] == own.note.signatures
    assert attested.checkpoints() == [made]
    assert attested.verify(checkpoint=str(made)).ok


def test_a_witness_that_has_signed_before_is_told_from_where_the_log_went_on(
    attested: Engine, server: Any, witness: HttpWitness, say: Say
) -> None:
    for count in (0, 1, 5, 3):
        say(count)
        attested.checkpoint()
        attested.witness(witness)
    assert server.statuses == [200] * 4
    assert [body.split(b"\n")[0] for _, body in server.requests] == [
        b"old 0",
        b"old 5",
        b"old 6",
        b"old 11",
    ]


def test_a_witness_that_has_seen_another_size_says_so_and_is_asked_again(
    attested: Engine, server: Any, witness: HttpWitness, say: Say, tamper: Any
) -> None:
    attested.witness(witness)
    tamper("UPDATE checkpoint SET note = ?", str(attested.checkpoints()[0]).rpartition("\u2014")[0])
    say(2)
    attested.checkpoint()
    assert attested.witness(witness).note.is_signed_by(witness.key)
    assert server.statuses == [200, 409, 200]


def test_the_same_checkpoint_may_be_signed_again(
    attested: Engine, server: Any, witness: HttpWitness
) -> None:
    assert attested.witness(witness) == attested.witness(witness)
    assert server.statuses == [200, 200]


def test_a_witness_that_has_seen_more_tells_that_the_log_went_back(
    older: Older, attested: Engine, server: Any, witness: HttpWitness, outside: Any
) -> None:
    attested.witness(witness)
    outside("checkpoint").unlink()
    memory = older()
    with pytest.raises(LogRolledBack, match="has signed 8 events of this log; these 5"):
        memory.witness(witness)


@pytest.mark.parametrize("more", [3, 9])
def test_a_witness_does_not_sign_a_fork(
    older: Older,
    attested: Engine,
    server: Any,
    witness: HttpWitness,
    outside: Any,
    more: int,
) -> None:
    attested.witness(witness)
    outside("checkpoint").unlink()
    fork = older()
    for number in range(more):
        fork.add(f"Another history {number}.", session="s1")
    assert fork.checkpoint().size == 5 + more
    with pytest.raises(LogRolledBack):
        fork.witness(witness)
    assert server.statuses[-1] == (409 if more == 3 else 422)


@pytest.mark.parametrize(
    ("status", "told", "retryable"),
    [
        (400, "answered 400", False),
        (403, "does not know the key", False),
        (404, "does not know this log", False),
        (409, "answered 409", False),
        (429, "answered 429", True),
        (500, "answered 500", True),
        (302, "answered 302", False),
    ],
)
def test_a_witness_that_refuses_is_told_with_what_to_do(
    attested: Engine,
    server: Any,
    witness: HttpWitness,
    status: int,
    told: str,
    retryable: bool,
) -> None:
    server.instead = (status, "text/plain", b"7\n")
    with pytest.raises(WitnessError, match=told) as caught:
        attested.witness(witness)
    assert (caught.value.retryable, caught.value.status) == (retryable, status)
    assert caught.value.hint
    assert len(server.requests) == 1


def test_a_log_that_the_witness_does_not_know_is_told(
    attested: Engine, server: Any, witness: HttpWitness
) -> None:
    server.logs.clear()
    with pytest.raises(WitnessError, match="does not know this log"):
        attested.witness(witness)


def test_a_key_that_the_witness_does_not_know_is_told(
    attested: Engine, server: Any, witness: HttpWitness
) -> None:
    attested.rotate_key()
    attested.checkpoint()
    with pytest.raises(WitnessError, match="does not know the key") as caught:
        attested.witness(witness)
    assert "log keys" in caught.value.hint


def test_a_signature_that_is_not_the_witness_s_own_is_not_kept(
    attested: Engine, server: Any, witness: HttpWitness
) -> None:
    good = server.cosignature(attested.checkpoints()[0].note.text.encode())
    stranger = good.replace(NAME.encode(), b"stranger.example")
    for body in (b"", b"words\n", b"\xff\n", stranger, server.cosignature(b"another text\n")):
        server.instead = (200, "text/plain", body)
        with pytest.raises(WitnessError, match="without a signature of its own"):
            attested.witness(witness)
    assert len(attested.checkpoints()[0].note.signatures) == 1


def test_signatures_of_others_in_an_answer_are_passed_over(
    attested: Engine, server: Any, witness: HttpWitness
) -> None:
    good = server.cosignature(attested.checkpoints()[0].note.text.encode())
    stranger = good.replace(NAME.encode(), b"stranger.example")
    server.instead = (200, "text/plain", stranger + good)
    made = attested.witness(witness)
    assert [each.name for each in made.note.signatures] == [made.origin, NAME]


def test_an_endless_answer_is_cut_off(attested: Engine, server: Any, witness: HttpWitness) -> None:
    server.instead = (200, "text/plain", b"x" * 100_000)
    with pytest.raises(WitnessError, match="more than a signature"):
        attested.witness(witness)


def test_a_witness_that_moves_on_with_every_request_is_given_up(
    attested: Engine, witness: HttpWitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = iter([3, 2, 3, 2, 3])
    monkeypatch.setattr(
        HttpWitness,
        "_post",
        lambda *_: (409, "text/x.tlog.size", f"{next(sizes)}\n".encode()),
    )
    with pytest.raises(WitnessError, match="moved on with every request") as caught:
        attested.witness(witness)
    assert caught.value.retryable


def test_a_witness_out_of_reach_can_be_tried_again(attested: Engine, server: Any) -> None:
    with pytest.raises(WitnessError, match="cannot be reached") as caught:
        attested.witness(HttpWitness("http://127.0.0.1:9", server.key))
    assert caught.value.retryable
    assert len(attested.checkpoints()) == 1


def test_a_password_in_the_address_is_sent_and_never_shown(attested: Engine, server: Any) -> None:
    address = server.address.replace("http://", "http://asha:blue42sky@")
    with pytest.raises(WitnessError) as caught:
        attested.witness(HttpWitness(address, server.key))
    assert "blue42sky" not in f"{caught.value} {caught.value.hint}"


def test_a_client_of_one_s_own_is_used_and_left_open(attested: Engine, server: Any) -> None:
    server.knows(attested)
    with httpx.Client(trust_env=False) as client:
        for _ in range(2):
            attested.witness(HttpWitness(server.address, server.key, client=client))
        assert not client.is_closed


def test_a_profile_holds_for_witnesses_too(attested: Engine, server: Any, engine: Open) -> None:
    memory = engine(extractor=None, profile="local")
    with pytest.raises(EgressRefused, match="the witness"):
        memory.witness(HttpWitness("https://witness.example", server.key))
    assert server.requests == []


def test_a_witness_on_this_machine_is_within_every_profile(
    attested: Engine, server: Any, witness: HttpWitness, engine: Open
) -> None:
    memory = engine(extractor=None, profile="regulated")
    assert memory.witness(witness).note.is_signed_by(witness.key)


def test_nothing_that_was_said_is_sent_to_a_witness(
    attested: Engine, server: Any, witness: HttpWitness
) -> None:
    attested.witness(witness)
    assert b"kettle" not in server.requests[0][1]
