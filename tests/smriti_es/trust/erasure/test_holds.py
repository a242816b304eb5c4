"""What a legal hold keeps is not erased, whatever it is called, until nothing holds it any more."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import HeldError
from smriti_es.extraction.contract import Extraction

Open = Callable[..., Engine]
# 2026-06-02T10:00:00Z, at which the tests' clock begins.
START, DAY = 1_780_394_400_000_000, 86_400_000_000
COURT: dict[str, Any] = {"authority": "District court", "reason": "case 12/7"}


@pytest.fixture
def memory(engine: Open, line_extractor: Callable[..., Any]) -> Engine:
    """Session s7 speaks of Alice, session s8 of Bob."""
    memory = engine(extractor=line_extractor())
    memory.add("alice | likes | tea", session="s7", at="2026-01-01")
    memory.add("Bob | likes | coffee", session="s8", at="2026-01-02")
    return memory


def texts(memory: Any) -> list[str]:
    return [turn.text for turn in memory.turns()]


def stated(memory: Any) -> list[str]:
    return [f"{each.subject} {each.object}" for each in memory.facts()]


def holding(memory: Engine, **target: Any) -> tuple[int, ...]:
    """Give the holds that forbid an erasure, and see that it is indeed refused."""
    told = memory.erase(dry_run=True, **target).holds
    if told:
        with pytest.raises(HeldError) as refused:
            memory.erase(**target)
        assert tuple(refused.value.holds) == told
    return told


def test_a_held_session_is_not_erased_until_the_hold_is_released(memory: Engine) -> None:
    hold = memory.place_hold(session="s7", **COURT)
    with pytest.raises(HeldError):
        memory.erase(session="s7")
    assert texts(memory) == ["alice | likes | tea", "Bob | likes | coffee"]
    memory.release_hold(hold, reason="the case is closed")
    memory.erase(session="s7")
    assert (texts(memory), stated(memory)) == (["Bob | likes | coffee"], ["Bob coffee"])
    assert memory.verify().ok


def test_a_refusal_names_the_hold_and_says_what_to_do(memory: Engine) -> None:
    hold = memory.place_hold(session="s7", **COURT)
    with pytest.raises(HeldError) as refused:
        memory.erase(session="s7")
    assert str(refused.value).startswith(
        f"the hold at position {hold} keeps it; nothing was erased"
    )
    assert refused.value.holds == [hold]


def test_of_many_holds_a_refusal_names_the_first_and_carries_all(memory: Engine) -> None:
    holds = [memory.place_hold(session="s7", **COURT) for _ in range(7)]
    with pytest.raises(HeldError) as refused:
        memory.erase(session="s7")
    first = ", ".join(map(str, holds[:5]))
    assert f"holds at positions {first}... keep it" in str(refused.value)
    assert refused.value.holds == holds


def test_nothing_is_written_when_an_erasure_is_refused(memory: Engine) -> None:
    memory.place_hold(session="s7", **COURT)
    before = memory.head
    with pytest.raises(HeldError):
        memory.erase(session="s7")
    assert memory.head == before


def test_a_dry_run_tells_the_holds_and_refuses_nothing(memory: Engine) -> None:
    first = memory.place_hold(session="s7", **COURT)
    second = memory.place_hold(entity="Alice", **COURT)
    memory.place_hold(session="s8", **COURT)
    before = memory.head
    told = memory.erase(session="s7", dry_run=True)
    assert (told.holds, len(told.content.turns), told.position) == ((first, second), 1, None)
    assert memory.head == before


def test_of_two_holds_the_one_that_is_not_released_still_holds(memory: Engine) -> None:
    first = memory.place_hold(session="s7", **COURT)
    second = memory.place_hold(session="s7", authority="audit", reason="year 2026")
    memory.release_hold(first)
    assert holding(memory, session="s7") == (second,)
    memory.release_hold(second)
    assert holding(memory, session="s7") == ()


def test_a_hold_ceases_when_it_expires(memory: Engine, clock: Any) -> None:
    hold = memory.place_hold(session="s7", expires_at="2026-06-03T00:00Z", **COURT)
    assert holding(memory, session="s7") == (hold,)
    clock.now = START + DAY
    assert holding(memory, session="s7") == ()
    memory.erase(session="s7")
    assert texts(memory) == ["Bob | likes | coffee"]


def test_a_hold_holds_to_the_instant_at_which_it_expires(memory: Engine, clock: Any) -> None:
    memory.place_hold(session="s7", expires_at="2026-06-03T00:00Z", **COURT)
    clock.step = 0
    clock.now = START + 14 * 3_600_000_000 - 1
    assert len(memory.erase(session="s7", dry_run=True).holds) == 1
    clock.now += 1
    assert memory.erase(session="s7", dry_run=True).holds == ()


def test_an_expired_hold_on_an_entity_does_not_keep_what_another_one_does_not(
    memory: Engine, clock: Any
) -> None:
    memory.place_hold(entity="Alice", expires_at="2026-06-02T12:00Z", **COURT)
    clock.now = START + DAY
    memory.erase(entity="Alice")
    assert stated(memory) == ["Bob coffee"]


def test_every_spelling_of_a_name_is_held(memory: Engine) -> None:
    hold = memory.place_hold(entity="  ALICE ", **COURT)
    assert holding(memory, entity="alice") == (hold,)
    assert holding(memory, entity="Alice") == (hold,)


def test_a_hold_on_one_name_keeps_what_is_stated_under_every_other(memory: Engine) -> None:
    memory.assert_fact("A. Liddell", "owns", "a cat")
    memory.alias("A. Liddell", "alice")
    hold = memory.place_hold(entity="Alice", **COURT)
    (cat,) = [each.position for each in memory.facts(object="a cat")]
    assert holding(memory, fact=cat) == (hold,)
    assert holding(memory, entity="a. liddell") == (hold,)


def test_a_hold_that_was_placed_on_an_alias_keeps_the_entity(memory: Engine) -> None:
    memory.alias("A. Liddell", "alice")
    hold = memory.place_hold(entity="a. LIDDELL", **COURT)
    assert holding(memory, entity="alice") == (hold,)


def test_an_alias_that_comes_later_brings_what_it_names_under_the_hold(memory: Engine) -> None:
    hold = memory.place_hold(entity="Alice", **COURT)
    at = memory.assert_fact("A. Liddell", "owns", "a cat")
    assert holding(memory, fact=at) == ()
    memory.alias("A. Liddell", "alice")
    assert holding(memory, fact=at) == (hold,)


def test_a_hold_on_an_entity_keeps_the_session_that_speaks_of_it(memory: Engine) -> None:
    hold = memory.place_hold(entity="Alice", **COURT)
    assert holding(memory, session="s7") == (hold,)
    assert holding(memory, session="s8") == ()


def test_a_hold_on_a_session_keeps_what_it_states_of_an_entity(memory: Engine) -> None:
    hold = memory.place_hold(session="s7", **COURT)
    assert holding(memory, entity="Alice") == (hold,)
    assert holding(memory, entity="Bob") == ()


def test_a_hold_on_a_session_keeps_it_under_every_spelling(memory: Engine) -> None:
    hold = memory.place_hold(session="S7", **COURT)
    assert holding(memory, session="s7") == (hold,)


def test_what_follows_from_held_content_is_held_with_it(memory: Engine) -> None:
    (tea,) = [each.position for each in memory.facts("alice")]
    guest = memory.assert_fact("tea time", "is_at", "five", because=[tea])
    hold = memory.place_hold(session="s7", **COURT)
    assert holding(memory, fact=guest) == (hold,)


def test_a_turn_can_be_held(memory: Engine) -> None:
    (tea, coffee) = [turn.position for turn in memory.turns()]
    hold = memory.place_hold(turn=tea, **COURT)
    assert holding(memory, session="s7") == (hold,)
    assert holding(memory, turn=coffee) == ()


def test_a_fact_can_be_held_and_its_turn_with_it(memory: Engine) -> None:
    (tea,) = [each.position for each in memory.facts("alice")]
    hold = memory.place_hold(fact=tea, **COURT)
    assert holding(memory, fact=tea) == (hold,)
    assert holding(memory, session="s7") == (hold,)


def test_a_space_can_be_held(engine: Open, memory: Engine) -> None:
    other = engine(extractor=None, space="team")
    other.add("Nothing of import.", session="s7")
    hold = memory.place_hold(space="Team", **COURT)
    assert holding(memory, space="team") == (hold,)
    assert holding(memory, space="main") == ()


def test_a_hold_on_a_session_means_that_of_its_space(engine: Open, memory: Engine) -> None:
    other = engine(extractor=None, space="team")
    other.add("Nothing of import.", session="s7")
    hold = memory.place_hold(session="s7", **COURT)
    other.erase(session="s7")
    assert holding(memory, session="s7") == (hold,)


def test_a_hold_that_names_nothing_keeps_everything(memory: Engine) -> None:
    hold = memory.place_hold(**COURT)
    targets: list[dict[str, Any]] = [
        {"session": "s7"},
        {"entity": "Bob"},
        {"before": "2027"},
        {"space": "main"},
    ]
    for target in targets:
        assert holding(memory, **target) == (hold,)


def test_a_hold_keeps_nothing_of_another_tenant(engine: Open, memory: Engine) -> None:
    memory.place_hold(**COURT)
    other = engine(extractor=None, tenant="other")
    other.add("Nothing of import.", session="s7")
    other.erase(session="s7")
    assert texts(other) == []


def test_a_session_that_does_not_exist_yet_can_be_held(memory: Engine) -> None:
    hold = memory.place_hold(session="s9", **COURT)
    memory.add("I was there.", session="s9")
    assert holding(memory, session="s9") == (hold,)


def test_what_a_held_session_gets_later_is_held(memory: Engine) -> None:
    hold = memory.place_hold(session="s7", **COURT)
    (later,) = memory.add("alice | likes | cake", session="s7", at="2026-05-01").positions
    assert holding(memory, turn=later) == (hold,)


def test_a_hold_outlasts_closing_the_memory(engine: Open, memory: Engine) -> None:
    hold = memory.place_hold(session="s7", **COURT)
    memory.close()
    assert holding(engine(extractor=None), session="s7") == (hold,)


def test_a_hold_outlasts_rebuilding_what_is_derived_from_the_log(memory: Engine) -> None:
    hold = memory.place_hold(entity="Alice", **COURT)
    memory.rebuild("trust")
    assert holding(memory, session="s7") == (hold,)


def test_an_erased_session_takes_along_the_released_holds_that_name_it(memory: Engine) -> None:
    hold = memory.place_hold(session="s7", **COURT)
    memory.release_hold(hold, reason="alice asked")
    memory.erase(session="s7")
    assert [each.event for each in memory.events(hold, hold + 2)] == [None, None]
    assert memory.verify().ok


def test_a_hold_on_a_space_keeps_it_however_it_is_spelt(engine: Open) -> None:
    work = engine(space="Work")
    work.add("It rained.", session="s1")
    work.place_hold(space="WORK", reason="", authority="court")
    with pytest.raises(HeldError):
        work.erase(session="s1")
    with pytest.raises(HeldError):
        work.erase(space="Work")


def test_a_hold_on_an_entity_keeps_what_names_it_as_a_value(engine: Open) -> None:
    memory = engine()
    fact = memory.assert_fact("Bob", "married_to", "Ana")
    memory.place_hold(entity="ana", reason="", authority="court")
    with pytest.raises(HeldError):
        memory.erase(fact=fact)


def test_an_alias_that_is_taken_away_lifts_no_hold(engine: Open) -> None:
    memory = engine()
    fact = memory.assert_fact("Annie", "owns", "a kiln")
    memory.alias("Annie", "Ana")
    memory.place_hold(entity="Ana", reason="", authority="court")
    memory.unalias("Annie")
    with pytest.raises(HeldError):
        memory.erase(fact=fact)


def test_what_a_model_replied_about_a_held_turn_keeps_the_others(
    engine: Open, line_extractor: Callable[..., Any]
) -> None:
    class Replying:
        immediate = True
        name = "replying/1"
        model = "scripted"
        prompt_digest = ""

        def extract(self, turns: Any, *, timezone: str) -> Any:
            found = line_extractor().extract(turns, timezone=timezone)
            return Extraction(found.facts, replies=("Bees, and an oboe.",))

    memory = engine(extractor=Replying())
    first, second = memory.add(["Ana | keeps | bees", "Ana | plays | oboe"], session="s").positions
    memory.place_hold(turn=first, reason="", authority="court")
    with pytest.raises(HeldError):
        memory.erase(turn=second)
