"""Inputs that other memories got wrong: what replaces what (BC-01 to BC-08)."""

from collections.abc import Callable
from typing import Any

from smriti_es.engine import Engine

Open = Callable[..., Engine]


def current(memory: Engine, *names: str, **options: Any) -> list[str]:
    return [fact.object for fact in memory.facts(*names, **options)]


def test_unrelated_facts_do_not_close_one_another(engine: Open) -> None:
    memory = engine()
    memory.assert_fact("printer-A", "location", "room 4", valid_from="2026-01-01")
    memory.assert_fact("invoice-77", "status", "paid", valid_from="2026-01-02")
    assert current(memory, "printer-A", "location") == ["room 4"]
    assert current(memory) == ["room 4", "paid"]
    assert {event.header.type for event in memory.events(1)} == {"FactAsserted"}


def test_another_assignment_ends_the_first_and_names_what_follows(engine: Open) -> None:
    memory = engine()
    memory.add("Kestrel is assigned to team Blue.", session="a", at="2026-02-01T09:00Z")
    memory.add("Kestrel was moved to team Green.", session="a", at="2026-03-01T09:00Z")
    assert current(memory, "Kestrel", "assigned_to") == ["team Green"]
    blue, green = (each.fact for each in memory.history("Kestrel", "assigned_to"))
    assert blue.interval == ("2026-02-01T09:00:00.000000Z", "2026-03-01T09:00:00.000000Z")
    assert blue.superseded_by == green.position
    assert current(memory, "Kestrel", "assigned_to", valid_at="2026-02-15") == ["team Blue"]


def test_a_change_of_mind_leaves_one_fact_and_both_in_the_history(engine: Open) -> None:
    memory = engine()
    memory.add("I enjoy spicy soup.", session="a", at="2026-01-01")
    memory.add("I cannot stand spicy soup any more.", session="a", at="2026-02-01")
    (fact,) = memory.facts()
    assert (fact.predicate, fact.object) == ("attitude_to:spicy_soup", "negative")
    assert [each.fact.object for each in memory.history()] == ["positive", "negative"]
    assert len(memory.turns()) == 2


def test_an_outdated_habit_is_found_only_in_the_history_and_marked(engine: Open) -> None:
    memory = engine()
    memory.add("I cycle to the office.", session="a", at="2026-01-01")
    memory.add("I gave up cycling; I take the tram now.", session="a", at="2026-02-01T08:00Z")
    question = "how do I get to the office"
    (tram,) = memory.search(question, k=5)
    assert tram.fact is not None
    assert (tram.text, tram.fact.status) == ("The user commutes by tram.", "current")
    both = [hit.fact for hit in memory.search(question, k=5, history=True)]
    assert [fact and (fact.object, fact.status, fact.interval[1]) for fact in both] == [
        ("bicycle", "superseded", "2026-02-01T08:00:00.000000Z"),
        ("tram", "current", None),
    ]
    text = memory.context(question, history=True).text
    assert "- [SUPERSEDED on 2026-02-01, since 2026-01-01] The user commutes by bicycle." in text
    assert "- [CURRENT since 2026-02-01] The user commutes by tram." in text


def test_the_newest_come_first_in_the_order_of_the_log(engine: Open) -> None:
    memory = engine()
    for number in range(30):
        at = "2026-01-31" if number in (26, 27, 28) else f"2026-01-{number + 1:02}"
        memory.add(f"Reading {number}.", session=f"s{number % 4}", at=at)
    newest = memory.turns(newest=True, limit=5)
    assert [turn.text for turn in newest] == [f"Reading {n}." for n in (29, 28, 27, 26, 25)]
    assert memory.turns(newest=True, limit=5) == newest
    following = memory.turns(newest=True, limit=2, after=newest[-1].position)
    assert [turn.text for turn in following] == ["Reading 24.", "Reading 23."]
