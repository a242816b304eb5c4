"""What a new statement does to the ones before it, recorded as events in the same commit."""

import threading
from collections.abc import Callable, Sequence

import pytest

from smriti_es.engine import Engine
from smriti_es.events.catalogue import FactSuperseded

Story = Callable[..., list[str]]
Types = Callable[[Engine, int], list[str]]


def test_a_later_value_supersedes_the_one_before(memory: Engine, story: Story) -> None:
    old = memory.assert_fact("user", "lives_in", "Hyderabad", valid_from="2026-01-15")
    new = memory.assert_fact("user", "lives_in", "Bengaluru", valid_from="2026-06-01")
    assert story(memory, valid_at="2026-07-01") == [
        "Hyderabad 2026-01-15..2026-06-01 superseded",
        "Bengaluru 2026-06-01.. current",
    ]
    assert memory.history("user")[0].fact.superseded_by == new
    assert [fact.position for fact in memory.facts("user", valid_at="2026-03-01")] == [old]


def test_a_statement_and_what_it_changes_are_one_commit(memory: Engine) -> None:
    old = memory.assert_fact("user", "lives_in", "Hyderabad", valid_from="2026-01-15")
    new = memory.assert_fact("user", "lives_in", "Bengaluru", valid_from="2026-06-01")
    asserted, superseded = memory.events(new)
    assert asserted.header.commit == superseded.header.commit == (new, 2)
    assert isinstance(superseded.event, FactSuperseded)
    assert (superseded.event.fact, superseded.event.by) == (old, new)
    assert superseded.header.refs == (old, new)


def test_a_fact_that_is_learned_late_lands_in_the_past(
    memory: Engine, story: Story, types: Types
) -> None:
    memory.assert_fact("user", "lives_in", "Oslo", valid_from="2025-06-01")
    late = memory.assert_fact("user", "lives_in", "Bergen", valid_from="2024-01-01")
    assert story(memory) == [
        "Bergen 2024-01-01..2025-06-01 superseded",
        "Oslo 2025-06-01.. current",
    ]
    assert types(memory, late) == ["FactAsserted", "FactSuperseded"]


def test_a_late_fact_in_the_middle_ends_the_first_and_ends_with_the_last(
    memory: Engine, story: Story, types: Types
) -> None:
    memory.assert_fact("user", "lives_in", "Oslo", valid_from="2026-01-01")
    memory.assert_fact("user", "lives_in", "Bergen", valid_from="2026-06-01")
    late = memory.assert_fact("user", "lives_in", "Pune", valid_from="2026-03-01T02:00:00+05:30")
    assert story(memory, valid_at="2027-01-01") == [
        "Oslo 2026-01-01..2026-02-28T20:30:00Z superseded",
        "Pune 2026-02-28T20:30:00Z..2026-06-01 superseded",
        "Bergen 2026-06-01.. current",
    ]
    assert types(memory, late) == ["FactAsserted", "FactIntervalRevised", "FactSuperseded"]


@pytest.mark.parametrize(
    "order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
)
def test_three_values_chain_alike_in_whatever_order_they_come(
    order: Sequence[int], memory: Engine, story: Story
) -> None:
    values = (("Oslo", "2024-01-01"), ("Pune", "2025-01-01"), ("Bergen", "2026-01-01"))
    for number in order:
        memory.assert_fact("user", "lives_in", values[number][0], valid_from=values[number][1])
    assert story(memory) == [
        "Oslo 2024-01-01..2025-01-01 superseded",
        "Pune 2025-01-01..2026-01-01 superseded",
        "Bergen 2026-01-01.. current",
    ]


def test_undated_a_b_a_ends_with_a_current(memory: Engine) -> None:
    for value in ("tea", "coffee", "tea"):
        memory.assert_fact("user", "favourite_drink", value)
    assert [fact.object for fact in memory.facts()] == ["tea"]
    assert [each.fact.object for each in memory.history()] == ["tea", "coffee", "tea"]


def test_a_restatement_is_evidence_and_no_version(memory: Engine, types: Types) -> None:
    first = memory.assert_fact("user", "lives_in", "Pune", valid_from="2024-01-01")
    again = memory.assert_fact("USER", "Lives in", " pune ", valid_from="2025-01-01")
    assert types(memory, again) == ["FactAsserted", "FactReaffirmed"]
    (fact,) = memory.facts()
    assert (fact.position, fact.restated_by) == (first, (again,))
    assert memory.history()[1].fact.folded_into == first


def test_what_lands_between_a_value_and_its_restatement_parts_them(
    memory: Engine, story: Story, types: Types
) -> None:
    memory.assert_fact("user", "lives_in", "Pune", valid_from="2024-01-01")
    memory.assert_fact("user", "lives_in", "Pune", valid_from="2026-01-01")
    between = memory.assert_fact("user", "lives_in", "Oslo", valid_from="2025-01-01")
    assert story(memory) == [
        "Pune 2024-01-01..2025-01-01 superseded",
        "Oslo 2025-01-01..2026-01-01 superseded",
        "Pune 2026-01-01.. current",
    ]
    assert types(memory, between) == [
        "FactAsserted",
        "FactSuperseded",
        "FactReopened",
        "FactSuperseded",
    ]


def test_taking_back_what_lay_between_folds_them_again(
    memory: Engine, story: Story, types: Types
) -> None:
    memory.assert_fact("user", "lives_in", "Pune", valid_from="2024-01-01")
    memory.assert_fact("user", "lives_in", "Pune", valid_from="2026-01-01")
    between = memory.assert_fact("user", "lives_in", "Oslo", valid_from="2025-01-01")
    before = memory.head
    memory.retract(between)
    assert story(memory) == [
        "Pune 2024-01-01.. current",
        "Oslo 2025-01-01.. retracted",
        "Pune 2026-01-01.. reaffirms",
    ]
    assert types(memory, before + 1) == ["FactRetracted", "FactReopened", "FactReaffirmed"]


def test_taking_back_the_first_of_two_statements_leaves_the_fact_standing_on_the_second(
    memory: Engine, story: Story
) -> None:
    first = memory.assert_fact("user", "lives_in", "Pune", valid_from="2024-01-01")
    memory.assert_fact("user", "lives_in", "Pune", valid_from="2025-01-01")
    memory.retract(first)
    assert story(memory) == ["Pune 2024-01-01.. retracted", "Pune 2025-01-01.. current"]


def test_taking_back_the_newest_value_makes_the_one_before_current_again(
    memory: Engine, story: Story
) -> None:
    memory.assert_fact("user", "lives_in", "Pune", valid_from="2024-01-01")
    newest = memory.assert_fact("user", "lives_in", "Oslo", valid_from="2025-01-01")
    memory.retract(newest)
    assert story(memory) == ["Pune 2024-01-01.. current", "Oslo 2025-01-01.. retracted"]


def test_of_two_values_since_the_same_moment_the_later_said_stands(
    memory: Engine, story: Story
) -> None:
    memory.assert_fact("user", "lives_in", "Oslo", valid_from="2024", said_at="2025-05-02")
    memory.assert_fact("user", "lives_in", "Pune", valid_from="2024", said_at="2025-05-01")
    assert story(memory) == ["Oslo 2024-01-01.. current", "Pune 2024-01-01..2024-01-01 corrected"]


def test_another_subject_or_predicate_supersedes_nothing(memory: Engine, types: Types) -> None:
    memory.assert_fact("user", "lives_in", "Oslo")
    memory.assert_fact("Rachel", "lives_in", "Pune")
    memory.assert_fact("user", "works_at", "Acme")
    assert types(memory, 1) == ["FactAsserted"] * 3
    assert len(memory.facts()) == 3


def test_values_of_different_scopes_stand_beside_one_another(memory: Engine, story: Story) -> None:
    memory.assert_fact("user", "uses", "vim", valid_from="2026-06-01")
    memory.assert_fact("user", "uses", "emacs", scope="project:Atlas", valid_from="2026-06-01")
    memory.assert_fact("user", "uses", "nano", scope="project: atlas ", valid_from="2026-07-01")
    assert story(memory, valid_at="2026-08-01", scopes=["project:ATLAS"]) == [
        "emacs 2026-06-01..2026-07-01 superseded",
        "nano 2026-07-01.. current",
        "vim 2026-06-01.. current",
    ]


def test_spellings_of_a_favourite_are_one_predicate(memory: Engine) -> None:
    memory.assert_fact("user", "favorite colour", "blue")
    memory.assert_fact("user", "favourite-colour", "green")
    assert [fact.object for fact in memory.facts("user", "favorite_colour")] == ["green"]


def test_both_spellings_of_an_accent_are_one_subject(memory: Engine) -> None:
    memory.assert_fact("Caf\u00e9", "opens", "08:00")
    memory.assert_fact("Cafe\u0301", "opens", "09:00")
    (fact,) = memory.facts("CAFE\u0301")
    assert (fact.object, fact.subject) == ("09:00", "Cafe\u0301")


def test_many_values_stand_side_by_side(memory: Engine) -> None:
    for value in ("tea", "jazz", "tea"):
        memory.assert_fact("user", "likes", value, multi=True)
    assert [fact.object for fact in memory.facts()] == ["tea", "jazz"]
    assert memory.facts()[0].restated_by == (3,)


def test_one_statement_that_allows_no_other_makes_the_key_single(
    memory: Engine, story: Story
) -> None:
    memory.assert_fact("user", "drinks", "tea", multi=True, valid_from="2024")
    only = memory.assert_fact("user", "drinks", "water", valid_from="2025")
    memory.assert_fact("user", "drinks", "milk", multi=True, valid_from="2026")
    assert [fact.object for fact in memory.facts()] == ["milk"]
    memory.retract(only)
    assert story(memory)[::2] == ["tea 2024-01-01.. current", "milk 2026-01-01.. current"]


def test_a_stated_end_ends_a_value_without_another(memory: Engine, story: Story) -> None:
    job = memory.assert_fact("user", "works_at", "Acme", valid_from="2024-01-01")
    end = memory.end_fact(job, at="2026-05-01", reason="I quit.")
    assert story(memory) == ["Acme 2024-01-01..2026-05-01 ended"]
    memory.retract_end(end)
    assert story(memory) == ["Acme 2024-01-01.. current"]


def test_an_end_beyond_the_next_value_counts_once_that_is_gone(
    memory: Engine, story: Story, types: Types
) -> None:
    old = memory.assert_fact("user", "works_at", "Acme", valid_from="2024-01-01")
    new = memory.assert_fact("user", "works_at", "Birch", valid_from="2025-01-01")
    end = memory.end_fact(old, at="2025-06-01")
    assert types(memory, end) == ["FactEnded"]
    memory.retract(new)
    assert story(memory)[0] == "Acme 2024-01-01..2025-06-01 ended"


def test_a_value_that_was_ended_and_is_said_again_stands_anew(memory: Engine, story: Story) -> None:
    first = memory.assert_fact("user", "works_at", "Acme", valid_from="2024-01-01")
    memory.end_fact(first, at="2025-01-01")
    memory.assert_fact("user", "works_at", "Acme", valid_from="2026-01-01")
    assert story(memory) == ["Acme 2024-01-01..2025-01-01 ended", "Acme 2026-01-01.. current"]


def test_names_of_one_entity_share_their_history(memory: Engine, story: Story) -> None:
    memory.assert_fact("Rachel", "lives_in", "Oslo", valid_from="2024")
    memory.assert_fact("Rachel Smith", "lives_in", "Pune", valid_from="2025")
    assert len(memory.facts("Rachel")) == 1
    memory.alias("Rachel Smith", "Rachel")
    chained = ["Oslo 2024-01-01..2025-01-01 superseded", "Pune 2025-01-01.. current"]
    assert story(memory, "rachel") == story(memory, "RACHEL SMITH") == chained
    memory.unalias("rachel smith")
    assert story(memory, "Rachel") == ["Oslo 2024-01-01.. current"]
    assert story(memory, "Rachel Smith") == ["Pune 2025-01-01.. current"]


def test_two_writers_at_once_never_make_two_current_values(memory: Engine) -> None:
    def write(writer: int) -> None:
        for number in range(10):
            memory.assert_fact("user", "lives_in", f"place {writer}-{number}")

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(memory.history()) == 40
    assert len(memory.facts(valid_at="2030-01-01")) == 1
    assert memory.verify().ok
