"""What waits for an owner's word, and what becomes of it."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.catalogue import FactAsserted
from smriti_es.events.errors import InvalidInput, NotFound

Open = Callable[..., Engine]


@pytest.fixture
def memory(engine: Open) -> Engine:
    """An owner said that they live in Pune; an agent, that they live in Rome."""
    memory = engine(":memory:", extractor=None)
    memory.assert_fact("user", "lives_in", "Pune", valid_from="2024-01-01")
    memory.assert_fact("user", "lives_in", "Rome", valid_from="2026-03-01", origin="agent")
    return memory


def stands(memory: Engine) -> list[str]:
    return [f"{each.object} {each.status}" for each in memory.facts(statuses=None)]


def test_what_an_agent_says_never_displaces_what_the_owner_said(memory: Engine) -> None:
    assert stands(memory) == ["Pune current"]
    assert "Rome" not in memory.context("Where does the user live?").text
    assert memory.search("Rome").hits == ()
    assert [each.fact.object for each in memory.history("user")] == ["Pune"]


def test_it_does_not_matter_who_speaks_first(engine: Open) -> None:
    memory = engine(":memory:", extractor=None)
    rome = memory.assert_fact("user", "lives_in", "Rome", valid_from="2026-03-01", origin="agent")
    assert stands(memory) == ["Rome current"]
    memory.assert_fact("user", "lives_in", "Pune", valid_from="2024-01-01")
    assert stands(memory) == ["Pune current"]
    assert [each.position for each in memory.review()] == [rome]


def test_the_queue_says_what_waits_and_what_it_would_change(memory: Engine) -> None:
    (waits,) = memory.review()
    assert (waits.what, waits.object, waits.origin) == ("fact", "Rome", "agent")
    assert waits.against is not None
    assert waits.against.object == "Pune"
    (change,) = waits.changes
    assert (type(change).__name__, change.by) == ("FactSuperseded", waits.position)  # type: ignore[attr-defined]
    assert stands(memory) == ["Pune current"]


def test_the_queue_names_what_opposes_a_proposal_now(memory: Engine) -> None:
    (pune,) = [each.position for each in memory.facts()]
    oslo = memory.assert_fact("user", "lives_in", "Oslo", valid_from="2023-01-01")
    memory.assert_fact("user", "lives_in", "Lima", valid_from="2027-01-01")
    memory.quarantine(fact=pune)
    (waits,) = memory.review()
    assert waits.against is not None
    assert waits.against.position == oslo


def test_what_is_approved_stands_and_explains_who_approved_it(memory: Engine) -> None:
    (waits,) = memory.review()
    memory.approve(waits.position, reason="I moved.")
    assert stands(memory) == ["Pune superseded", "Rome current"]
    approvals = [
        (cause.actor, cause.content.reason)
        for cause in memory.explain(waits.position).decided
        if cause.type == "FactApproved"
    ]
    assert approvals == [("owner:local", "I moved.")]
    assert memory.review() == []
    assert memory.verify().ok


def test_what_is_rejected_is_never_read_again(memory: Engine) -> None:
    (waits,) = memory.review()
    memory.reject(waits.position, reason="Made up.")
    assert (memory.review(), stands(memory)) == ([], ["Pune current"])
    with pytest.raises(NotFound):
        memory.explain(waits.position)
    with pytest.raises(NotFound, match="waits"):
        memory.approve(waits.position)


def test_what_is_edited_is_rejected_and_stated_right_in_one_commit(memory: Engine) -> None:
    (waits,) = memory.review()
    before = memory.head
    new = memory.edit(waits.position, object="Oslo", reason="Oslo, not Rome.")
    assert stands(memory) == ["Pune superseded", "Oslo current"]
    assert {event.header.commit for event in memory.events(before + 1)} == {(before + 1, 3)}
    (fact,) = [each for each in memory.facts() if each.position == new]
    assert (fact.origin, fact.statement) == ("owner", "user lives in Oslo")


@pytest.mark.parametrize(
    "wrong",
    [
        {"object": " "},
        {"object": 5},
        {"object": "a\0b"},
        {"statement": "\ud800"},
        {"valid_from": "2026", "valid_to": "2025"},
    ],
)
def test_what_cannot_be_stored_is_refused_and_the_proposal_waits_on(
    memory: Engine, wrong: dict[str, Any]
) -> None:
    (waits,) = memory.review()
    with pytest.raises(InvalidInput):
        memory.edit(waits.position, **wrong)
    assert [each.position for each in memory.review()] == [waits.position]


def test_an_edit_is_no_more_trusted_than_the_facts_that_it_follows_from(memory: Engine) -> None:
    seen = memory.assert_fact("user", "photographed", "Rome", multi=True, origin="tool")
    proposed = memory.assert_fact(
        "user", "lives_in", "Oslo", valid_from="2026-05-01", because=[seen]
    )
    new = memory.edit(proposed, object="Lima")
    (event,) = [event.event for event in memory.events(new, new + 1)]
    assert isinstance(event, FactAsserted)
    assert event.origin == "tool"


def test_a_proposal_stands_by_itself_once_nothing_opposes_it(memory: Engine) -> None:
    (pune,) = [each.position for each in memory.facts()]
    memory.retract(pune, reason="Never true.")
    assert stands(memory) == ["Pune retracted", "Rome current"]
    assert memory.review() == []


def test_an_end_that_an_agent_states_waits_as_well(engine: Open) -> None:
    memory = engine(":memory:")
    memory.add("I work at Acme.", session="a", at="2026-01-01")
    (acme,) = memory.facts("user", "works_at")
    memory.add(
        {"role": "user", "content": "I no longer work at Acme.", "origin": "untrusted"},
        session="b",
        at="2026-04-01",
    )
    assert [each.position for each in memory.facts("user", "works_at")] == [acme.position]
    (waits,) = memory.review()
    assert (waits.what, waits.origin) == ("end", "untrusted")
    memory.approve(waits.position)
    assert memory.facts("user", "works_at") == []
    assert memory.verify().ok


def test_under_the_regulated_profile_an_agent_waits_even_if_it_contradicts_nobody(
    engine: Open,
) -> None:
    memory = engine(":memory:", extractor=None, trust="regulated")
    memory.assert_fact("user", "owns", "a boat", origin="agent")
    assert memory.facts() == []
    (waits,) = memory.review()
    assert waits.against is None


def test_a_change_of_profile_weighs_anew_what_was_said_before(memory: Engine) -> None:
    memory.change_trust("open", reason="Only I write here.")
    assert (memory.trust, stands(memory)) == ("open", ["Pune superseded", "Rome current"])
    memory.change_trust("personal")
    assert stands(memory) == ["Pune current"]
    assert memory.verify().ok


def test_a_memory_is_not_opened_as_one_of_another_profile(engine: Open) -> None:
    engine("kept.db", trust="regulated").close()
    with pytest.raises(InvalidInput, match="regulated"):
        engine("kept.db", trust="open")
    assert engine("kept.db").trust == "regulated"


def test_a_profile_that_there_is_not_is_refused(memory: Engine) -> None:
    with pytest.raises(InvalidInput, match="lax"):
        memory.change_trust("lax")


def test_the_past_is_read_as_it_was_believed_then(memory: Engine) -> None:
    then = memory.head
    (waits,) = memory.review()
    memory.approve(waits.position)
    assert [each.object for each in memory.at(then).facts()] == ["Pune"]
    with memory.replay(then) as replay:
        assert [each.object for each in replay.facts()] == ["Pune"]
