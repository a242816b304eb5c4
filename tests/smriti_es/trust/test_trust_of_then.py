"""`trust="then"`: the past as it was trusted, for owners and auditors."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput

Open = Callable[..., Engine]


@pytest.fixture
def moved(engine: Open) -> tuple[Engine, int, int]:
    """Pune, then Rome by a session that was quarantined later: the head before that, and that."""
    memory = engine()
    memory.add("I live in Pune.", session="s6", at="2026-01-15")
    memory.add("I moved to Rome.", session="s7", at="2026-03-01")
    then = memory.head
    return memory, then, memory.quarantine(session="s7", reason="somebody else spoke")


def values(facts: Any) -> list[str]:
    return [fact.object for fact in facts]


def test_today_withholds_from_the_past_and_then_does_not(moved: tuple[Engine, int, int]) -> None:
    memory, then, _ = moved
    assert values(memory.facts(known_at=then)) == []
    assert values(memory.at(then).facts()) == []
    assert values(memory.facts(known_at=then, trust="then")) == ["Rome"]
    assert values(memory.at(then, trust="then").facts()) == ["Rome"]


def test_what_is_withheld_today_is_labelled_and_what_is_not_is_not(
    moved: tuple[Engine, int, int],
) -> None:
    memory, then, quarantine = moved
    facts = memory.facts(known_at=then, trust="then", statuses=None)
    assert {fact.object: fact.withheld for fact in facts} == {"Pune": (), "Rome": (quarantine,)}
    turns = memory.at(then, trust="then").turns()
    assert [turn.withheld for turn in turns] == [(), (quarantine,)]
    sessions = memory.at(then, trust="then").sessions()
    assert [(each.name, each.withheld) for each in sessions] == [("s6", ()), ("s7", (quarantine,))]


def test_a_fact_is_labelled_for_the_words_that_support_it(engine: Open) -> None:
    memory = engine()
    (turn,) = memory.add("I live in Pune.", session="s6", at="2026-01-15").positions
    then = memory.head
    quarantine = memory.quarantine(turn=turn, cascade=False)
    (fact,) = memory.facts(known_at=then, trust="then")
    assert (fact.evidence, fact.withheld) == (((turn, "I live in Pune"),), (quarantine,))
    (today,) = memory.facts()
    assert (today.evidence, today.withheld) == ((), ())


def test_what_was_released_since_is_withheld_where_it_was_withheld(
    moved: tuple[Engine, int, int],
) -> None:
    memory, _, quarantine = moved
    held = memory.head
    memory.release(quarantine)
    assert values(memory.facts(known_at=held, trust="then")) == ["Pune"]
    assert values(memory.facts(trust="then")) == ["Rome"]


def test_a_rejection_leaves_what_was_believed_before_it(engine: Open) -> None:
    memory = engine(trust="open")
    rome = memory.assert_fact("user", "lives_in", "Rome", origin="agent")
    then = memory.head
    memory.change_trust("regulated")
    memory.reject(rome)
    (fact,) = memory.facts(known_at=then, trust="then")
    assert (fact.object, fact.withheld) == ("Rome", (memory.head,))
    assert values(memory.facts(known_at=then)) == []


def test_a_view_may_be_asked_for_the_trust_of_today(moved: tuple[Engine, int, int]) -> None:
    memory, then, _ = moved
    assert values(memory.at(then, trust="then").facts(trust="today")) == []


def test_an_explanation_shows_and_labels_the_turn(moved: tuple[Engine, int, int]) -> None:
    memory, then, quarantine = moved
    (rome,) = memory.facts(known_at=then, trust="then")
    turn, *others = memory.explain(rome.position, known_at=then, trust="then").rests_on
    assert (turn.content.text, turn.withheld) == ("I moved to Rome.", (quarantine,))
    assert [each.withheld for each in others] == [(quarantine,)] * len(others)


def test_a_quarantine_is_a_change_under_the_trust_of_then(moved: tuple[Engine, int, int]) -> None:
    memory, then, _ = moved
    told = [(each.kind, each.fact.object) for each in memory.diff(then, memory.head, trust="then")]
    assert told == [("re-dated", "Pune"), ("no longer believed", "Rome")]
    assert [each.kind for each in memory.diff(then, memory.head)] == ["re-dated"]


def test_now_is_the_same_under_both(moved: tuple[Engine, int, int]) -> None:
    memory, _, _ = moved
    assert memory.facts(trust="then") == memory.facts()


def test_a_replay_may_not_leave_something_out_under_the_trust_of_then(
    moved: tuple[Engine, int, int],
) -> None:
    memory, then, _ = moved
    with pytest.raises(InvalidInput, match="do not go together"):
        memory.replay(then, without={"session": "s6"}, trust="then")


@pytest.mark.parametrize(
    "ask",
    [
        lambda memory: memory.facts(trust="now"),
        lambda memory: memory.history(trust="now"),
        lambda memory: memory.explain(1, trust="now"),
        lambda memory: memory.diff(0, 1, trust="now"),
        lambda memory: memory.at(1, trust="now"),
        lambda memory: memory.replay(1, trust="now"),
    ],
)
def test_any_other_trust_is_refused(engine: Open, ask: Callable[[Engine], Any]) -> None:
    memory = engine()
    memory.assert_fact("user", "lives_in", "Pune")
    with pytest.raises(InvalidInput, match="trust is 'now'"):
        ask(memory)
