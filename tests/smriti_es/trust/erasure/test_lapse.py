"""What becomes of a fact when what had replaced it, or ended it, is erased."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine

Open = Callable[..., Engine]
Chain = tuple[Engine, dict[str, int]]


@pytest.fixture
def chain(engine: Open) -> Chain:
    """A lives in Pune, then in Rome, then in Lima; positions by value."""
    memory = engine()
    at = {
        place: memory.assert_fact("Ana", "lives_in", place, valid_from=year)
        for place, year in (("Pune", "2020"), ("Rome", "2022"), ("Lima", "2024"))
    }
    return memory, at


def stands(memory: Any, **options: Any) -> dict[str, str]:
    """How each value stands, with the year in which it ends, if that is known."""
    found = memory.facts(statuses=None, scopes=None, **options)
    return {
        fact.object: f"{fact.status}" + (f" {fact.interval[1][:4]}" if fact.interval[1] else "")
        for fact in found
    }


def test_a_fact_lapses_when_what_had_replaced_it_is_erased(chain: Chain) -> None:
    memory, at = chain
    gone = memory.erase(fact=at["Rome"])
    assert stands(memory) == {"Pune": "lapsed", "Lima": "current"}
    assert gone.predecessors == (at["Pune"],)
    assert memory.verify().ok


def test_a_lapsed_fact_is_current_nowhere_and_told_with_its_history(chain: Chain) -> None:
    memory, at = chain
    memory.erase(fact=at["Lima"])
    assert [fact.object for fact in memory.facts()] == []
    assert [fact.object for fact in memory.facts(valid_at="2022-06-01", statuses=["current"])] == []
    assert "LAPSED, since 2022, end unknown" in memory.context("Ana Rome", history=True).text
    assert "Rome" not in memory.context("Where does Ana live?", history=False).text


def test_it_lapsed_at_every_earlier_time_since_it_was_replaced(chain: Chain) -> None:
    memory, at = chain
    first, second, third = at.values()
    memory.erase(fact=second)
    assert stands(memory.at(first)) == {"Pune": "current"}
    assert stands(memory.at(memory.at(second).head)) == {"Pune": "lapsed"}
    assert stands(memory.at(third)) == {"Pune": "lapsed", "Lima": "current"}


def test_the_last_fact_erased_leaves_its_predecessor_lapsed(chain: Chain) -> None:
    memory, at = chain
    memory.erase(fact=at["Lima"])
    assert stands(memory) == {"Pune": "superseded 2022", "Rome": "lapsed"}


def test_the_first_fact_erased_changes_nothing_for_the_others(chain: Chain) -> None:
    memory, at = chain
    gone = memory.erase(fact=at["Pune"])
    assert stands(memory) == {"Rome": "superseded 2024", "Lima": "current"}
    assert gone.predecessors == ()


def test_what_was_never_true_lets_its_predecessor_go_on(chain: Chain) -> None:
    memory, at = chain
    memory.erase(fact=at["Rome"], predecessor="reopen")
    assert stands(memory) == {"Pune": "superseded 2024", "Lima": "current"}
    assert memory.verify().ok


def test_a_value_learned_later_next_to_the_lapse_takes_its_place(chain: Chain) -> None:
    memory, at = chain
    memory.erase(fact=at["Rome"])
    memory.assert_fact("Ana", "lives_in", "Oslo", valid_from="2021")
    assert stands(memory) == {
        "Pune": "superseded 2021",
        "Oslo": "superseded 2024",
        "Lima": "current",
    }


def test_a_value_learned_later_beyond_another_one_does_not(chain: Chain) -> None:
    memory, at = chain
    memory.erase(fact=at["Rome"])
    memory.assert_fact("Ana", "lives_in", "Oslo", valid_from="2025")
    assert stands(memory)["Pune"] == "lapsed"


def test_the_lapse_comes_back_when_what_took_its_place_goes(chain: Chain) -> None:
    memory, at = chain
    memory.erase(fact=at["Rome"])
    oslo = memory.assert_fact("Ana", "lives_in", "Oslo", valid_from="2021")
    quarantine = memory.quarantine(fact=oslo)
    assert stands(memory)["Pune"] == "lapsed"
    memory.release(quarantine)
    assert stands(memory)["Pune"] == "superseded 2021"
    memory.retract(oslo)
    assert stands(memory)["Pune"] == "lapsed"


def test_the_lapse_stays_when_what_came_after_it_goes(chain: Chain) -> None:
    memory, at = chain
    memory.erase(fact=at["Rome"])
    memory.retract(at["Lima"])
    assert stands(memory)["Pune"] == "lapsed"


def test_only_what_was_never_true_clears_the_lapse(chain: Chain) -> None:
    memory, at = chain
    memory.erase(fact=at["Rome"])
    oslo = memory.assert_fact("Ana", "lives_in", "Oslo", valid_from="2021")
    memory.erase(fact=oslo, predecessor="reopen")
    assert stands(memory) == {"Pune": "superseded 2024", "Lima": "current"}


def test_an_end_that_is_stated_later_tells_when_a_lapsed_fact_ended(chain: Chain) -> None:
    memory, at = chain
    memory.erase(fact=at["Rome"])
    end = memory.end_fact(at["Pune"], at="2021-05-01")
    assert stands(memory)["Pune"] == "ended 2021"
    memory.retract_end(end)
    assert stands(memory)["Pune"] == "lapsed"


def test_a_fact_lapses_when_the_end_that_was_stated_of_it_is_erased(engine: Open) -> None:
    memory = engine()
    oboe = memory.assert_fact("Ana", "plays", "the oboe", valid_from="2020", multi=True)
    end = memory.end_fact(oboe, at="2023-05-01")
    head = memory.head
    memory.erase(fact=end)
    assert stands(memory) == {"the oboe": "lapsed"}
    assert stands(memory.at(head)) == {"the oboe": "lapsed"}
    assert memory.verify().ok


def test_of_two_equal_ends_the_other_one_still_ends_it(engine: Open) -> None:
    memory = engine()
    oboe = memory.assert_fact("Ana", "plays", "the oboe", valid_from="2020", multi=True)
    first = memory.end_fact(oboe, at="2023-05-01")
    memory.end_fact(oboe, at="2023-05-01")
    memory.erase(fact=first)
    assert stands(memory) == {"the oboe": "ended 2023"}


def test_a_restatement_of_the_erased_value_ends_what_came_before_it(chain: Chain) -> None:
    memory, at = chain
    memory.assert_fact("Ana", "lives_in", "Rome", valid_from="2023")
    memory.erase(fact=at["Rome"])
    assert stands(memory) == {
        "Pune": "superseded 2023",
        "Rome": "superseded 2024",
        "Lima": "current",
    }
    assert memory.verify().ok


def test_a_restatement_stands_by_itself_in_the_past_as_well(engine: Open) -> None:
    memory = engine()
    first = memory.assert_fact("Ana", "lives_in", "Rome", valid_from="2022")
    memory.assert_fact("Ana", "lives_in", "Rome", valid_from="2023")
    head = memory.head
    memory.erase(fact=first)
    assert stands(memory.at(head)) == {"Rome": "current"}


def test_the_same_value_on_both_sides_of_what_is_erased_stays_apart(engine: Open) -> None:
    memory = engine()
    memory.assert_fact("Ana", "lives_in", "Pune", valid_from="2020")
    rome = memory.assert_fact("Ana", "lives_in", "Rome", valid_from="2022")
    memory.assert_fact("Ana", "lives_in", "Pune", valid_from="2024")
    memory.erase(fact=rome)
    lapsed, current = memory.facts(statuses=None)
    assert (lapsed.status, current.status) == ("lapsed", "current")
    assert memory.verify().ok


def test_every_statement_of_a_lapsed_value_keeps_the_lapse(engine: Open) -> None:
    memory = engine()
    first = memory.assert_fact("Ana", "lives_in", "Pune", valid_from="2020")
    memory.assert_fact("Ana", "lives_in", "Pune", valid_from="2021")
    rome = memory.assert_fact("Ana", "lives_in", "Rome", valid_from="2022")
    memory.erase(fact=rome)
    memory.erase(fact=first)
    assert stands(memory) == {"Pune": "lapsed"}
    assert memory.verify().ok


def test_a_change_to_lapsed_is_told_between_two_times(chain: Chain) -> None:
    memory, at = chain
    before = memory.head
    memory.assert_fact("Ana", "lives_in", "Oslo", valid_from="2026")
    memory.erase(fact=memory.facts(object="Oslo", statuses=None)[0].position)
    (change,) = memory.diff(before, memory.head)
    assert (change.kind, change.position) == ("lapsed", at["Lima"])
