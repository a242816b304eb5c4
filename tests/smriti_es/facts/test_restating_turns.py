"""A turn that says nothing but a fact: what stands for it, and which of several."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es import Engine

WHERE = "Where does Rachel live?"
OSLO = "Rachel | lives_in | Oslo"
ROME = "Rachel | lives_in | Rome | from=2020"


@pytest.fixture
def memory(engine: Any, line_extractor: Callable[..., Any]) -> Engine:
    opened: Engine = engine(extractor=line_extractor())
    return opened


def found(memory: Any, **options: Any) -> list[str]:
    """The sessions of the turns and the values of the facts that are found, best first."""
    hits = memory.search(WHERE, **options)
    return [hit.turn.session if hit.fact is None else hit.fact.object for hit in hits]


def test_a_turn_that_only_states_what_holds_no_longer_is_no_answer(memory: Engine) -> None:
    memory.add(ROME, session="a")
    assert found(memory) == ["a"]
    memory.add(OSLO, session="b")
    assert sorted(found(memory)) == ["Oslo", "b"]


def test_where_it_is_asked_what_was_the_fact_stands_for_its_turn_and_tells_how_it_stands(
    memory: Engine,
) -> None:
    memory.add(ROME, session="a")
    memory.add(OSLO, session="b")
    hits = memory.search(WHERE, history=True)
    facts = {hit.fact.object: str(hit.fact.status) for hit in hits if hit.fact is not None}
    assert facts == {"Oslo": "current", "Rome": "superseded"}
    assert [hit.turn.session for hit in hits if hit.turn is not None] == ["b"]


@pytest.mark.parametrize(
    "turn",
    [f"{ROME}\nShe liked it there.", f"{ROME}\nRachel | likes | tea"],
    ids=["words of its own", "a fact that holds"],
)
def test_a_turn_that_says_more_is_an_answer_of_its_own(turn: str, memory: Engine) -> None:
    memory.add(turn, session="a")
    memory.add(OSLO, session="b")
    assert "a" in found(memory)


def test_a_fact_that_was_taken_back_says_nothing_of_its_turn(memory: Engine) -> None:
    (fact,) = memory.add(ROME, session="a").facts
    memory.retract(fact)
    assert found(memory) == ["a"]


def test_a_turn_whose_fact_ended_or_was_corrected_is_no_answer(memory: Engine) -> None:
    (fact,) = memory.add(ROME, session="a").facts
    memory.end_fact(fact, at="2021")
    assert found(memory) == []
    assert found(memory, history=True) == ["Rome"]
    memory.add("Rachel | lives_in | Bari | from=2024", session="b")
    memory.add("Rachel | lives_in | Pisa | from=2024", session="c")
    assert "b" not in found(memory)


def test_of_turns_that_state_one_fact_the_best_stands_for_all(memory: Engine) -> None:
    for session in "abcd":
        memory.add(OSLO, session=session)
    memory.add("Where Rachel lives, they grow oats.", session="e")
    assert sorted(found(memory, k=2)) == ["a", "e"]
    assert len(memory.turns()) == 5


def test_what_a_turn_states_is_told_for_both_times_that_are_asked(memory: Engine) -> None:
    memory.add(ROME, session="a")
    before = memory.head
    memory.add("Rachel | lives_in | Oslo | from=2024", session="b")
    assert found(memory.at(before)) == ["a"]
    assert found(memory, known_at=before) == ["a"]
    assert "a" in found(memory, valid_at="2022")
    with memory.replay(before) as replay:
        assert found(replay) == ["a"]


def test_a_turn_whose_fact_only_repeats_one_that_is_withheld_is_left_alone(memory: Engine) -> None:
    (first,) = memory.add(OSLO, session="a").facts
    memory.add(OSLO, session="b")
    before = memory.head
    memory.quarantine(fact=first, cascade=False)
    assert "b" in found(memory.at(before))
    assert "b" in found(memory)


def test_who_asks_for_turns_alone_gets_all_of_them(memory: Engine) -> None:
    for session in "ab":
        memory.add(ROME, session=session)
    memory.add(OSLO, session="c")
    assert sorted(found(memory, roles=["user"])) == ["a", "b", "c"]


def test_a_context_keeps_what_was_said_with_its_date(memory: Engine) -> None:
    memory.add(ROME, session="a", at="2020-01-01")
    memory.add(OSLO, session="b", at="2026-01-01")
    assert ROME in memory.context(WHERE).text
