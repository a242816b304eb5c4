"""A value that was erased to be forgotten, or turned down, is not extracted again."""

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.catalogue import ExtractionCompleted
from smriti_es.events.errors import NotFound

Open = Callable[..., Engine]
SAID = "Ana | lives_in | Pune"


@pytest.fixture
def memory(engine: Open, line_extractor: Callable[..., Any]) -> Engine:
    """Ana was said to live in Pune; nobody is to know it any more."""
    memory = engine(extractor=line_extractor())
    memory.add(SAID, session="a", at="2026-01-01")
    memory.erase(session="a", forget_values=True)
    return memory


def values(memory: Any) -> list[str]:
    return [each.object for each in memory.facts()]


def extractions(memory: Engine) -> list[ExtractionCompleted]:
    said = [recorded.event for recorded in memory.events()]
    return [each for each in said if isinstance(each, ExtractionCompleted)]


def test_a_forgotten_value_is_not_extracted_from_what_is_said_later(memory: Engine) -> None:
    added = memory.add(f"{SAID}\nAna | likes | tea", session="b")
    assert (values(memory), len(added.facts)) == (["tea"], 1)
    assert len(memory.turns()) == 1


def test_an_extraction_says_that_it_dropped_something_and_not_what(memory: Engine) -> None:
    memory.add(f"{SAID}\nAna | likes | tea", session="b")
    (extraction,) = extractions(memory)
    assert extraction.accepted == 1
    assert [dict(each) for each in extraction.dropped] == [
        {"reason": "it was erased or turned down, and is kept from coming back"}
    ]
    assert "pune" not in json.dumps(asdict(extraction), default=str).casefold()


def test_without_forgetting_a_value_may_be_learned_again(
    engine: Open, line_extractor: Callable[..., Any]
) -> None:
    memory = engine(extractor=line_extractor())
    memory.add(SAID, session="a", at="2026-01-01")
    memory.erase(session="a")
    memory.add(SAID, session="b")
    assert values(memory) == ["Pune"]


@pytest.mark.parametrize(
    "said",
    ["ANA | lives_in | pune", " ana  |  lives_in | PUNE ", "Ana | lives_in | Pune | from=2024"],
)
def test_spelling_and_time_make_no_difference(memory: Engine, said: str) -> None:
    memory.add(said, session="b")
    assert [each for each in values(memory) if each.casefold() == "pune"] == []


@pytest.mark.parametrize(
    "said", ["Ana | lives_in | Rome", "Ana | works_in | Pune", "Bob | lives_in | Pune"]
)
def test_another_value_is_extracted(memory: Engine, said: str) -> None:
    memory.add(said, session="b")
    assert len(values(memory)) == 1


def test_what_somebody_states_directly_is_recorded(memory: Engine) -> None:
    memory.assert_fact("Ana", "lives_in", "Pune")
    assert values(memory) == ["Pune"]


def test_what_was_stated_directly_does_not_let_extractions_of_it_in(memory: Engine) -> None:
    memory.retract(memory.assert_fact("Ana", "lives_in", "Pune"))
    memory.add(SAID, session="b")
    assert values(memory) == []


def test_another_space_is_not_concerned(
    engine: Open, memory: Engine, line_extractor: Callable[..., Any]
) -> None:
    team = engine(extractor=line_extractor(), space="team")
    team.add(SAID, session="b")
    assert values(team) == ["Pune"]


def test_another_tenant_is_not_concerned(
    engine: Open, memory: Engine, line_extractor: Callable[..., Any]
) -> None:
    other = engine(extractor=line_extractor(), tenant="other")
    other.add(SAID, session="b")
    assert values(other) == ["Pune"]


def test_a_value_is_forgotten_under_every_name_of_its_subject(
    engine: Open, line_extractor: Callable[..., Any]
) -> None:
    memory = engine(extractor=line_extractor())
    memory.add(SAID, session="a")
    memory.alias("Annie", "Ana")
    memory.erase(session="a", forget_values=True)
    memory.add("annie | lives_in | Pune", session="b")
    assert values(memory) == []


def test_a_value_is_forgotten_under_a_name_that_its_subject_gets_later(memory: Engine) -> None:
    memory.alias("Annie", "Ana")
    memory.add("annie | lives_in | Pune", session="b")
    assert values(memory) == []


def test_a_stated_end_is_forgotten_like_a_fact(
    engine: Open, line_extractor: Callable[..., Any]
) -> None:
    memory = engine(extractor=line_extractor())
    memory.add("Ana | works_at | Acme", session="a", at="2026-01-01")
    memory.add("Ana | works_at | Acme | ended", session="b", at="2026-02-01")
    memory.erase(session="b", predecessor="reopen", forget_values=True)
    memory.add("Ana | works_at | Acme | ended", session="c", at="2026-03-01")
    assert values(memory) == ["Acme"]


def test_values_stay_forgotten_after_reopening_and_rebuilding(
    engine: Open, memory: Engine, line_extractor: Callable[..., Any]
) -> None:
    memory.rebuild("trust")
    memory.close()
    again = engine(extractor=line_extractor())
    again.add(SAID, session="b")
    assert values(again) == []


def test_a_value_that_is_readmitted_is_extracted_again(memory: Engine) -> None:
    memory.readmit_value("Ana", "lives_in", "Pune", reason="she moved back")
    memory.add(SAID, session="b")
    assert values(memory) == ["Pune"]


def test_a_value_is_readmitted_by_any_spelling(memory: Engine) -> None:
    memory.readmit_value(" ANA", "lives in", "pune ")
    memory.add(SAID, session="b")
    assert values(memory) == ["Pune"]


def test_a_value_that_is_readmitted_by_one_name_is_extracted_under_every_other(
    engine: Open, line_extractor: Callable[..., Any]
) -> None:
    memory = engine(extractor=line_extractor())
    memory.add(SAID, session="a")
    memory.alias("Annie", "Ana")
    memory.erase(session="a", forget_values=True)
    memory.readmit_value("annie", "lives_in", "Pune")
    memory.add(SAID, session="b")
    assert values(memory) == ["Pune"]


def test_what_nothing_keeps_out_cannot_be_readmitted(memory: Engine) -> None:
    before = memory.head
    with pytest.raises(NotFound, match="nothing keeps this value from being extracted"):
        memory.readmit_value("Ana", "lives_in", "Rome")
    assert memory.head == before


def test_readmitting_is_an_event_that_does_not_tell_the_value(memory: Engine) -> None:
    memory.readmit_value("Ana", "lives_in", "Pune", reason="she moved back")
    (cleared,) = memory.events(memory.head)
    assert (cleared.header.type, getattr(cleared.event, "reason", "")) == (
        "TombstonesCleared",
        "she moved back",
    )
    assert "pune" not in str(cleared.event).casefold()


@pytest.fixture
def disputed(engine: Open, line_extractor: Callable[..., Any]) -> Engine:
    """The owner says Pune; an agent says Rome, which waits for the owner's word."""
    memory = engine(extractor=line_extractor())
    memory.assert_fact("Ana", "lives_in", "Pune", valid_from="2024-01-01")
    say(memory, "assistant", "Rome", session="a")
    return memory


def say(memory: Engine, role: str, place: str, *, session: str, **options: Any) -> None:
    turn = {"role": role, "content": f"Ana | lives_in | {place} | from=2026"}
    memory.add(turn, session=session, **options)


def test_what_was_turned_down_is_not_proposed_again(disputed: Engine) -> None:
    (waits,) = disputed.review()
    disputed.reject(waits.position)
    say(disputed, "assistant", "rome", session="b")
    assert (disputed.review(), values(disputed)) == ([], ["Pune"])


def test_what_was_turned_down_is_not_proposed_by_anybody_less_trusted(disputed: Engine) -> None:
    (waits,) = disputed.review()
    disputed.reject(waits.position)
    say(disputed, "tool", "Rome", session="b")
    say(disputed, "tool", "Rome", session="c", origin="untrusted")
    assert (disputed.review(), values(disputed)) == ([], ["Pune"])


def test_what_was_turned_down_stands_when_the_owner_says_it(disputed: Engine) -> None:
    (waits,) = disputed.review()
    disputed.reject(waits.position)
    say(disputed, "user", "Rome", session="b")
    assert values(disputed) == ["Rome"]


def test_what_was_turned_down_is_proposed_again_once_it_is_readmitted(disputed: Engine) -> None:
    (waits,) = disputed.review()
    disputed.reject(waits.position)
    disputed.readmit_value("Ana", "lives_in", "Rome")
    say(disputed, "assistant", "Rome", session="b")
    assert [each.object for each in disputed.review()] == ["Rome"]


def test_an_edit_turns_the_wrong_value_down(disputed: Engine) -> None:
    (waits,) = disputed.review()
    disputed.edit(waits.position, object="Oslo")
    say(disputed, "assistant", "Rome", session="b")
    assert (disputed.review(), values(disputed)) == ([], ["Oslo"])


def test_an_edit_of_another_thing_than_the_value_keeps_nothing_out(disputed: Engine) -> None:
    (waits,) = disputed.review()
    disputed.edit(waits.position, valid_from="2025-01-01")
    say(disputed, "assistant", "Rome", session="b")
    assert (disputed.review(), values(disputed)) == ([], ["Rome"])


def test_an_approval_keeps_nothing_out(disputed: Engine) -> None:
    (waits,) = disputed.review()
    disputed.approve(waits.position)
    say(disputed, "assistant", "Rome", session="b")
    assert (disputed.review(), values(disputed)) == ([], ["Rome"])


def test_a_value_that_an_erasure_forgets_is_kept_out_whoever_says_it(disputed: Engine) -> None:
    (waits,) = disputed.review()
    disputed.erase(fact=waits.position, forget_values=True)
    say(disputed, "user", "Rome", session="b")
    assert (disputed.review(), values(disputed)) == ([], ["Pune"])


def test_the_tombstone_of_a_rejection_goes_with_the_proposal_unless_it_is_to_be_forgotten(
    disputed: Engine,
) -> None:
    (waits,) = disputed.review()
    disputed.reject(waits.position)
    disputed.erase(session="a")
    say(disputed, "assistant", "Rome", session="b")
    assert [each.object for each in disputed.review()] == ["Rome"]
