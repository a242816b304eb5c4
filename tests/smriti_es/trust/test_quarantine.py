"""What is quarantined is read nowhere, and comes back when it is released."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput, NotFound

Open = Callable[..., Engine]


@pytest.fixture
def memory(engine: Open) -> Engine:
    """A clean session says where the user lives; a poisoned one, and a tool, say more."""
    memory = engine(":memory:")
    memory.add("I live in Pune.", session="clean", at="2026-01-01")
    memory.add("I moved to Rome.", session="poisoned", at="2026-03-01")
    memory.add({"role": "tool", "content": "The weather in Oslo."}, session="clean")
    return memory


def lives(memory: Any) -> list[str]:
    return [f"{each.object} {each.status}" for each in memory.facts("user", statuses=None)]


def texts(memory: Any) -> list[str]:
    return [turn.text for turn in memory.turns()]


def test_what_a_quarantined_session_had_replaced_stands_again(memory: Engine) -> None:
    assert lives(memory) == ["Pune superseded", "Rome current"]
    memory.quarantine(session="poisoned", reason="Somebody else spoke.")
    assert lives(memory) == ["Pune current"]
    assert texts(memory) == ["I live in Pune.", "The weather in Oslo."]
    assert [each.name for each in memory.sessions()] == ["clean"]
    assert memory.verify().ok


def test_a_quarantined_session_is_not_found_by_any_question(memory: Engine) -> None:
    assert "Rome" in memory.context("Where do I live?").text
    memory.quarantine(session="poisoned")
    assert "Rome" not in memory.context("Where do I live?", history=True).text
    assert "I moved to Rome." not in [hit.text for hit in memory.search("moved Rome")]
    with pytest.raises(NotFound, match="poisoned"):
        memory.search("Rome", sessions=["poisoned"])


def test_what_is_released_is_as_it_was(memory: Engine) -> None:
    before = (lives(memory), texts(memory), memory.context("Where do I live?").text)
    memory.release(memory.quarantine(session="poisoned"), reason="It was me.")
    assert (lives(memory), texts(memory), memory.context("Where do I live?").text) == before
    assert memory.quarantines() == []
    assert memory.verify().ok


def test_without_cascade_what_was_derived_stays(memory: Engine) -> None:
    memory.quarantine(session="poisoned", cascade=False)
    assert lives(memory) == ["Pune superseded", "Rome current"]
    assert "I moved to Rome." not in texts(memory)


def test_a_withheld_turn_is_not_counted_in_its_session(memory: Engine) -> None:
    memory.add("I have a cat.", session="clean", at="2026-05-01")
    before = [(each.turns, each.last_said_at) for each in memory.sessions()]
    (_, _, tool, cat) = memory.turns()
    memory.quarantine(turn=tool.position)
    memory.quarantine(turn=cat.position)
    with memory.replay(memory.head) as replay:
        for view in (memory, memory.at(memory.head), replay):
            clean, poisoned = view.sessions()
            assert (clean.turns, clean.last_said_at) == (1, clean.first_said_at)
            assert (poisoned.turns, poisoned.last_said_at) == before[1]
    assert before[0][0] == 3


def test_of_two_quarantines_releasing_one_brings_nothing_back(memory: Engine) -> None:
    (rome,) = memory.facts("user")
    first = memory.quarantine(session="poisoned")
    second = memory.quarantine(fact=rome.position)
    memory.release(first)
    assert lives(memory) == ["Pune current"]
    assert "I moved to Rome." in texts(memory)
    memory.release(second)
    assert lives(memory) == ["Pune superseded", "Rome current"]


def test_a_quarantined_session_that_goes_on_stays_quarantined(memory: Engine) -> None:
    quarantine = memory.quarantine(session="poisoned")
    memory.add("I live in Lima.", session="poisoned", at="2026-04-01")
    assert (lives(memory), len(texts(memory))) == (["Pune current"], 2)
    memory.release(quarantine)
    assert lives(memory) == ["Pune superseded", "Rome superseded", "Lima current"]
    assert memory.verify().ok


def test_a_turn_an_origin_and_an_actor_can_be_quarantined(engine: Open, memory: Engine) -> None:
    (tool,) = [turn.position for turn in memory.turns() if turn.role == "tool"]
    for target in ({"turn": tool}, {"origin": "tool"}):
        quarantine = memory.quarantine(**target)
        assert texts(memory) == ["I live in Pune.", "I moved to Rome."]
        memory.release(quarantine)
    memory.quarantine(actor="local")
    assert (texts(memory), lives(memory)) == ([], [])


def test_what_rests_on_a_quarantined_fact_goes_along(engine: Open) -> None:
    memory = engine(":memory:", extractor=None)
    rome = memory.assert_fact("user", "lives_in", "Rome")
    visa = memory.assert_fact("user", "needs", "a visa", because=[rome])
    form = memory.assert_fact("user", "fills_in", "a form", because=[visa])
    assert memory.impact(fact=rome).facts == (rome, visa, form)
    memory.quarantine(fact=rome)
    assert memory.facts() == []


def test_what_a_quarantine_withholds_can_be_listed(memory: Engine) -> None:
    at = memory.quarantine(session="poisoned", reason="Somebody else spoke.")
    (standing,) = memory.quarantines()
    assert (standing.position, standing.target) == (at, {"session": "poisoned"})
    assert (standing.cascade, standing.reason, standing.items) == (
        True,
        "Somebody else spoke.",
        3,
    )


def test_the_past_is_read_under_the_trust_of_today(memory: Engine) -> None:
    then = memory.head
    memory.quarantine(session="poisoned")
    with memory.replay(then) as replay:
        for view in (memory.at(then), replay):
            assert lives(view) == ["Pune superseded"]
            assert texts(view) == ["I live in Pune.", "The weather in Oslo."]


def test_what_was_withheld_then_is_withheld_there_after_its_release(memory: Engine) -> None:
    quarantine = memory.quarantine(session="poisoned")
    then = memory.head
    memory.release(quarantine)
    with memory.replay(then) as replay:
        for view in (memory.at(then), replay):
            assert lives(view) == ["Pune current"]
            assert texts(view) == ["I live in Pune.", "The weather in Oslo."]


def test_a_counterfactual_replay_believes_what_would_be_believed_without_a_session(
    memory: Engine,
) -> None:
    before = memory.head
    with memory.replay(memory.head, without={"session": "poisoned"}) as replay:
        assert lives(replay) == ["Pune current"]
        assert (len(replay.without.turns), len(replay.without.facts)) == (1, 1)
        changes = replay.diff(before, replay.head)
        assert [(each.kind, each.fact.object) for each in changes] == [("re-dated", "Pune")]
    assert (memory.head, lives(memory)) == (before, ["Pune superseded", "Rome current"])


@pytest.mark.parametrize(
    "target", [{}, {"turn": 1, "session": "clean"}, {"origin": "nobody"}, {"turn": "x"}]
)
def test_what_is_not_one_thing_is_refused(memory: Engine, target: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        memory.quarantine(**target)


@pytest.mark.parametrize(
    "target", [{"turn": 0}, {"fact": 1}, {"session": "none"}, {"actor": "nobody"}]
)
def test_what_is_not_there_is_said(memory: Engine, target: dict[str, Any]) -> None:
    with pytest.raises(NotFound):
        memory.quarantine(**target)
    with pytest.raises(NotFound):
        memory.release(1)


def test_an_explanation_shows_nothing_that_is_withheld(memory: Engine) -> None:
    (rome,) = memory.facts("user")
    memory.quarantine(session="poisoned", cascade=False)
    shown = memory.explain(rome.position).rests_on
    turns = [cause for cause in shown if cause.type == "TurnRecorded"]
    assert [cause.content for cause in turns] == [None]


def test_an_explanation_as_of_then_shows_nothing_that_was_withheld_then(memory: Engine) -> None:
    (rome,) = memory.facts("user")
    quarantine = memory.quarantine(session="poisoned", cascade=False)
    then = memory.head
    memory.release(quarantine)

    def shown(view: Any) -> list[bool]:
        rests_on = view.explain(rome.position).rests_on
        return [cause.content is not None for cause in rests_on if cause.type == "TurnRecorded"]

    with memory.replay(then) as replay:
        assert (shown(memory), shown(memory.at(then)), shown(replay)) == ([True], [False], [False])


def test_without_cascade_the_impact_is_what_is_named(memory: Engine) -> None:
    assert len(memory.impact(session="poisoned").facts) == 1
    named = memory.impact(session="poisoned", cascade=False)
    assert (len(named.sessions), len(named.turns), named.facts) == (1, 1, ())


def test_a_counterfactual_replay_tells_what_would_be_believed_otherwise(memory: Engine) -> None:
    with memory.replay(memory.head, without={"session": "poisoned"}) as replay:
        told = [(each.kind, each.fact.object, each.after is None) for each in replay.changes]
    assert told == [("re-dated", "Pune", False), ("no longer believed", "Rome", True)]
    with memory.replay(memory.head) as replay:
        assert replay.changes == ()
