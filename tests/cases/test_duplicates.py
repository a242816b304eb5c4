"""Inputs that other memories got wrong: duplicates and growth (BC-15 to BC-22, BC-48)."""

import tracemalloc
from collections.abc import Callable
from typing import Any

from smriti_es.embedders import Embedder
from smriti_es.engine import Engine

Open = Callable[..., Engine]


def test_the_same_words_twice_are_one_fact_with_two_witnesses(engine: Open) -> None:
    memory = engine()
    memory.add("I live in Pune.", session="a")
    memory.add("I live in Pune.", session="b")
    (fact,) = memory.facts()
    assert len(fact.restated_by) == 1
    assert len(memory.turns()) == 2
    supported = [each.fact.evidence[0][0] for each in memory.history()]
    assert supported == [turn.position for turn in memory.turns()]


def test_the_same_turn_twice_is_never_none(engine: Open) -> None:
    memory = engine()
    for _ in range(2):
        memory.add("The workshop is closed on Sundays.", session="a")
    assert [turn.text for turn in memory.turns()] == ["The workshop is closed on Sundays."] * 2
    assert len(memory.search("When is the workshop closed?")) == 2


def test_a_script_that_runs_twice_records_nothing_twice(engine: Open) -> None:
    memory = engine()
    given: dict[str, Any] = {"session": "a", "at": "2026-01-01", "idempotency_key": "log-12"}
    first = memory.add("Line 12 is located in hall B.", **given)
    head = memory.head
    again = memory.add("Line 12 is located in hall B.", **given)
    assert (again.positions, again.repeated) == (first.positions, True)
    assert memory.head == head
    facts = memory.facts()
    without_key = memory.add("Line 12 is located in hall B.", session="a", at="2026-01-01")
    assert without_key.replayed == 1
    memory.add("Line 12 is located in hall B.", session="another", at="2026-01-01")
    assert [fact.object for fact in memory.facts()] == [fact.object for fact in facts]


def test_what_was_merged_into_another_is_reached_through_the_history_alone(engine: Open) -> None:
    memory = engine(extractor=None)
    merged = memory.assert_fact("user", "owns", "a kiln", statement="Owns a kiln.")
    kept = memory.assert_fact(
        "user", "owns", "a front-loading kiln", statement="Owns a front-loading kiln."
    )
    for _ in range(2):
        assert [hit.position for hit in memory.search("Which kiln?")] == [kept]
        past = memory.search("Which kiln?", history=True)
        assert {hit.position for hit in past} == {kept, merged}
        assert memory.history()[0].fact.superseded_by == kept
        for name in ("facts", "revisions", "lexical"):
            assert memory.rebuild(name).equal


def test_consolidating_again_changes_nothing(engine: Open) -> None:
    memory = engine()
    for number in range(10):
        memory.add("I live in Pune." if number % 2 else "I live in PUNE!", session=f"s{number}")
    assert len(memory.facts()) == 1
    before = (memory.head, memory.history())
    for _ in range(5):
        assert memory.extract_pending() == []
    assert (memory.head, memory.history()) == before


def test_maintenance_takes_no_more_memory_for_more_facts(
    engine: Open, line_extractor: Callable[..., Any]
) -> None:
    memory = engine(extractor=line_extractor())
    peaks = []
    for session in range(3):
        for part in range(6):
            lines = [f"thing {session}-{part}-{n} | is | fine" for n in range(200)]
            memory.add("\n".join(lines), session=f"s{session}", at="2026-01-01")
        tracemalloc.start()
        memory.rebuild("facts")
        memory.extract_pending()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert memory.status().facts == 3_600
    assert peaks[2] < 1.2 * peaks[0]


def test_four_ways_of_saying_one_thing_take_one_place(engine: Open, embedder: Embedder) -> None:
    memory = engine(extractor=None, embedder=embedder)
    for number, said in enumerate(
        (
            "Parks in bay 14.",
            "The car is usually in bay 14.",
            "Bay 14 is the parking bay.",
            "Uses bay 14 to park.",
        )
    ):
        memory.assert_fact("user", "parks_in", "Bay 14" if number % 2 else "bay 14", statement=said)
    memory.assert_fact(
        "user", "allergic_to", "walnuts", statement="Allergic to walnuts.", multi=True
    )
    memory.wait_for_vectors()
    found = [hit.text for hit in memory.search("What should I know of bay and walnuts?", k=3)]
    assert sorted(found) == ["Allergic to walnuts.", "Parks in bay 14."]
    assert len(memory.history()) == 5


def test_two_spellings_of_an_accent_are_one_entity(engine: Open) -> None:
    memory = engine(extractor=None)
    memory.assert_fact("Caf\u00e9", "opens", "08:00", valid_from="2026-01-01")
    memory.assert_fact("Cafe\u0301", "opens", "09:00", valid_from="2026-02-01")
    assert [fact.object for fact in memory.facts("CAF\u00c9")] == ["09:00"]
    assert [each.fact.subject for each in memory.history()] == ["Caf\u00e9", "Cafe\u0301"]
