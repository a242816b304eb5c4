"""Generated histories: the same for the same seed, with everything in them, and a fair referee."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from bench.histories import END, Claim, History, Key, generated_history
from bench.history_questions import NOW, questions_about
from bench.ledger import Ledger

KEY = Key("Ada", "lives_in")


@pytest.fixture(scope="module")
def history() -> History:
    return generated_history(7, 400)


def day(number: int) -> datetime:
    return datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=number)


def states(number: int, value: str, at: int, said: int, **more: bool) -> Claim:
    return Claim(number, KEY, "states", value, day(said), day(at), **more)


def test_a_seed_always_gives_the_same_history(history: History) -> None:
    assert generated_history(7, 400) == history
    assert generated_history(8, 400) != history


def test_a_history_holds_about_as_many_facts_as_it_is_to_hold(history: History) -> None:
    assert history.facts == pytest.approx(400, rel=0.1)


def test_sessions_and_claims_come_in_the_order_in_which_they_were_said(history: History) -> None:
    turns = [turn for session in history.sessions for turn in session.turns]
    assert [turn.at for turn in turns] == sorted(turn.at for turn in turns)
    assert turns[-1].at.date() <= END
    made = [turn for turn in turns if turn.claim is not None]
    assert [turn.claim for turn in made] == list(range(len(history.claims)))
    for turn, claim in zip(made, history.claims, strict=True):
        assert (turn.speaker, turn.at) == (claim.key.person, claim.said_at)


def test_a_history_has_late_planned_ended_repeated_and_retracted_claims(history: History) -> None:
    acts = Counter(claim.act for claim in history.claims)
    assert min(acts["states"], acts["ends"], acts["retracts"]) > 0
    assert any(claim.late for claim in history.claims)
    assert any(claim.at > NOW for claim in history.claims)
    assert any(claim.key.scope for claim in history.claims)
    assert any(claim.many for claim in history.claims)
    said = [turn.text for session in history.sessions for turn in session.turns]
    assert any("still" in text for text in said)


def test_two_speakers_of_a_session_tell_of_themselves(history: History) -> None:
    speakers = [{turn.speaker for turn in session.turns} for session in history.sessions]
    assert all(len(those) <= 2 for those in speakers)
    assert any(len(those) == 2 for those in speakers)


def test_questions_of_every_kind_are_asked(history: History) -> None:
    asked = questions_about(history, Ledger(history.claims), 1, 5)
    assert asked == questions_about(history, Ledger(history.claims), 1, 5)
    counts = Counter(question.kind for question in asked)
    assert set(counts) == {
        "now",
        "then",
        "late",
        "believed",
        "scheduled",
        "not_yet",
        "ended",
        "retracted",
        "in_scope",
        "no_scope",
        "other_scope",
        "many",
    }
    assert max(counts.values()) == 5
    assert all(not question.expected for question in asked if question.kind == "ended")


def test_the_referee_knows_what_followed_what() -> None:
    ledger = Ledger([states(0, "Oslo", 0, 1), states(1, "Rome", 50, 51)])
    assert ledger.value(KEY, day(20), day(90)) == "Oslo"
    assert ledger.value(KEY, day(60), day(90)) == "Rome"
    assert ledger.value(KEY, day(60), day(40)) == "Oslo"
    assert ledger.value(KEY, day(-1), day(90)) is None


def test_the_referee_puts_a_late_claim_into_the_past() -> None:
    claims = [states(0, "Oslo", 0, 1), states(1, "Rome", 50, 51), states(2, "Graz", 20, 80)]
    ledger = Ledger(claims)
    assert ledger.value(KEY, day(30), day(79)) == "Oslo"
    assert ledger.value(KEY, day(30), day(81)) == "Graz"
    assert ledger.value(KEY, day(60), day(81)) == "Rome"


def test_the_referee_knows_that_a_value_has_ended_until_it_is_said_again() -> None:
    ended = Claim(1, KEY, "ends", "Oslo", day(31), day(30))
    ledger = Ledger([states(0, "Oslo", 0, 1), ended, states(2, "Oslo", 60, 60)])
    assert ledger.value(KEY, day(29), day(90)) == "Oslo"
    assert ledger.value(KEY, day(30), day(90)) is None
    assert ledger.value(KEY, day(30), day(31)) == "Oslo"
    assert ledger.value(KEY, day(61), day(90)) == "Oslo"


def test_the_referee_forgets_what_was_taken_back() -> None:
    taken_back = Claim(2, KEY, "retracts", "Rome", day(60), day(60), takes_back=1)
    ledger = Ledger([states(0, "Oslo", 0, 1), states(1, "Rome", 50, 51), taken_back])
    assert ledger.value(KEY, day(55), day(59)) == "Rome"
    assert ledger.value(KEY, day(55), day(61)) == "Oslo"


def test_the_referee_lets_values_of_one_key_stand_side_by_side() -> None:
    ended = Claim(2, KEY, "ends", "Oslo", day(31), day(30))
    both = [states(0, "Oslo", 0, 1, many=True), states(1, "Rome", 5, 6, many=True), ended]
    ledger = Ledger(both)
    assert ledger.is_many(KEY)
    assert ledger.values(KEY, day(20), day(90)) == {"Oslo", "Rome"}
    assert ledger.values(KEY, day(40), day(90)) == {"Rome"}
