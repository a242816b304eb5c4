"""A memory that was opened as an agent: its word is an agent's, and it has no owner's say."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput, NotAllowed

Open = Callable[..., Engine]


def test_what_a_person_said_is_recorded_as_an_agents_report(engine: Open) -> None:
    agent = engine(origin="agent")
    said = [
        {"role": "user", "content": "I live in Pune."},
        {"role": "assistant", "content": "Noted."},
        {"role": "tool", "content": "21 degrees", "tool_call_id": "c1"},
        {"role": "user", "content": "seen on a page", "origin": "untrusted"},
    ]
    agent.add(said, session="s1")
    assert [turn.origin for turn in agent.turns()] == ["agent", "agent", "tool", "untrusted"]
    assert [(fact.object, fact.origin) for fact in agent.facts()] == [("Pune", "agent")]


def test_events_name_an_agent_as_their_actor(engine: Open) -> None:
    agent = engine(origin="agent", actor="robot")
    agent.add("I live in Pune.", session="s1")
    actors = {event.header.actor.kind for event in agent.events() if event.position > 0}
    assert "owner" not in actors
    assert "agent" in actors


def test_a_stated_fact_is_an_agents(engine: Open) -> None:
    agent = engine(origin="agent")
    agent.assert_fact("user", "lives_in", "Pune")
    agent.assert_fact("user", "likes", "chess", origin="tool", multi=True)
    assert {fact.object: fact.origin for fact in agent.facts()} == {
        "Pune": "agent",
        "chess": "tool",
    }


def test_an_origin_above_the_own_is_refused(engine: Open) -> None:
    with pytest.raises(NotAllowed, match="origin owner is above agent"):
        engine(origin="agent").assert_fact("user", "lives_in", "Pune", origin="owner")


def test_an_agents_word_does_not_move_the_owners(engine: Open) -> None:
    owner = engine()
    owner.assert_fact("user", "lives_in", "Pune", valid_from="2024")
    engine(origin="agent").add("I moved to Rome.", session="s1", at="2026-01-01")
    assert [fact.object for fact in owner.facts()] == ["Pune"]
    assert [waits.object for waits in owner.review()] == ["Rome"]


OWNERS: dict[str, Callable[[Engine, int], Any]] = {
    "end_fact": lambda agent, at: agent.end_fact(at),
    "retract": lambda agent, at: agent.retract(at),
    "retract_end": lambda agent, at: agent.retract_end(at),
    "alias": lambda agent, _: agent.alias("Al", "Albert"),
    "unalias": lambda agent, _: agent.unalias("Al"),
    "change_trust": lambda agent, _: agent.change_trust("open"),
    "approve": lambda agent, at: agent.approve(at),
    "reject": lambda agent, at: agent.reject(at),
    "edit": lambda agent, at: agent.edit(at, object="Oslo"),
    "quarantine": lambda agent, at: agent.quarantine(fact=at),
    "release": lambda agent, at: agent.release(at),
    "erase": lambda agent, at: agent.erase(fact=at),
    "readmit_value": lambda agent, _: agent.readmit_value("user", "lives_in", "Pune"),
    "set_retention": lambda agent, _: agent.set_retention(None),
    "place_hold": lambda agent, _: agent.place_hold(reason="r", authority="a"),
    "release_hold": lambda agent, at: agent.release_hold(at),
    "skip": lambda agent, at: agent.skip("turns", at, "why"),
}


@pytest.mark.parametrize("verb", OWNERS)
def test_a_verb_of_an_owner_is_refused_and_changes_nothing(verb: str, engine: Open) -> None:
    owner = engine()
    at = owner.assert_fact("user", "lives_in", "Pune")
    head = owner.head
    with pytest.raises(NotAllowed, match="for the owner of the memory"):
        OWNERS[verb](engine(origin="agent"), at)
    assert owner.head == head


def test_a_sweep_of_what_is_due_is_refused(engine: Open) -> None:
    from datetime import timedelta

    owner = engine()
    owner.add("I live in Pune.", session="s1", at="2020-01-01")
    owner.set_retention(timedelta(days=1))
    with pytest.raises(NotAllowed):
        engine(origin="agent").sweep()
    assert len(owner.turns()) == 1


def test_nobody_can_be_opened_as_something_unknown(engine: Open) -> None:
    with pytest.raises(InvalidInput, match="king"):
        engine(origin="king")


@pytest.mark.parametrize("verb", ["facts", "history"])
def test_a_read_of_facts_may_be_narrowed_to_origins(verb: str, engine: Open) -> None:
    owner = engine()
    owner.assert_fact("user", "likes", "chess", multi=True)
    owner.assert_fact("user", "likes", "chai", multi=True, origin="untrusted")
    read = getattr(owner, verb)
    assert len(read("user", "likes")) == 2
    (found,) = read("user", "likes", origins=["owner", "agent"])
    assert "chess" in repr(found)
    with pytest.raises(InvalidInput):
        read("user", origins=[])
    with pytest.raises(InvalidInput):
        read("user", origins=["king"])
