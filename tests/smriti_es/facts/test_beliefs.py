"""How facts stand: at a world time, in a scope, under a name, and on what they rest."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.beliefs import FactStatus
from smriti_es.engine import Engine
from smriti_es.events.errors import NotFound

Open = Callable[..., Engine]
Story = Callable[..., list[str]]
YEAR = 365 * 86_400_000_000


@pytest.fixture
def moved(memory: Engine) -> Engine:
    """Oslo since 2024, Pune since 2025, Bergen from 2028 on; the job ended in May 2026."""
    memory.assert_fact("user", "lives_in", "Oslo", valid_from="2024-01-01")
    memory.assert_fact("user", "lives_in", "Pune", valid_from="2025-01-01")
    memory.assert_fact("user", "lives_in", "Bergen", valid_from="2028-01-01")
    job = memory.assert_fact("user", "works_at", "Acme", valid_from="2020-01-01")
    memory.end_fact(job, at="2026-05-01")
    wrong = memory.assert_fact("user", "named", "Rae", valid_from="2024-01-01")
    memory.retract(wrong)
    memory.assert_fact("user", "age", "41", valid_from="2026-01-01", said_at="2026-01-01")
    memory.assert_fact("user", "age", "14", valid_from="2026-01-01", said_at="2025-12-31")
    return memory


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("current", ["Pune", "41"]),
        ("scheduled", ["Bergen"]),
        ("superseded", ["Oslo"]),
        ("ended", ["Acme"]),
        ("corrected", ["14"]),
        ("retracted", ["Rae"]),
    ],
)
def test_a_fact_has_one_status_at_a_world_time(
    status: str, expected: list[str], moved: Engine, objects: Any
) -> None:
    assert objects(moved, statuses=[status]) == expected


def test_without_statuses_everything_that_was_stated_is_read(moved: Engine, objects: Any) -> None:
    assert objects(moved, statuses=None) == ["Acme", "Oslo", "Rae", "Pune", "41", "14", "Bergen"]
    assert {fact.status for fact in moved.facts(statuses=None)} == set(FactStatus) - {
        "reaffirms",
        "lapsed",
    }


@pytest.mark.parametrize(
    ("valid_at", "expected"),
    [
        ("2019", []),
        ("2023-12-31T23:59:59.999999Z", ["Acme"]),
        ("2024-01-01", ["Acme", "Oslo"]),
        ("2024-12-31T23:59:59.999999Z", ["Acme", "Oslo"]),
        ("2025-01-01", ["Acme", "Pune"]),
        ("2026-04-30", ["Acme", "Pune", "41"]),
        ("2026-05-01", ["Pune", "41"]),
        ("2028-01-01T05:29:59+05:30", ["Pune", "41"]),
        ("2028-01-01T05:30:00+05:30", ["41", "Bergen"]),
    ],
)
def test_an_interval_holds_its_first_instant_and_not_its_last(
    valid_at: str, expected: list[str], moved: Engine, objects: Any
) -> None:
    assert objects(moved, valid_at=valid_at) == expected


def test_a_scheduled_fact_becomes_current_by_itself(
    memory: Engine, clock: Any, objects: Any
) -> None:
    memory.assert_fact("user", "works_at", "Acme", valid_from="2024")
    memory.assert_fact("user", "works_at", "Birch", valid_from="2026-07-01")
    assert objects(memory) == ["Acme"]
    assert objects(memory, statuses=["scheduled"]) == ["Birch"]
    head = memory.head
    clock.now += YEAR
    assert objects(memory) == ["Birch"]
    assert objects(memory, statuses=["superseded"]) == ["Acme"]
    assert memory.head == head


def test_a_stated_end_in_the_future_ends_by_itself(
    memory: Engine, clock: Any, objects: Any
) -> None:
    memory.assert_fact("user", "works_at", "Acme", valid_from="2024", valid_to="2026-08-01")
    assert objects(memory) == ["Acme"]
    clock.now += YEAR
    assert objects(memory) == []
    assert objects(memory, statuses=["ended"]) == ["Acme"]


@pytest.fixture
def scoped(memory: Engine) -> Engine:
    """One thing said everywhere and in two projects."""
    for value, scope in (("vim", ""), ("emacs", "project:Atlas"), ("nano", "project:Borealis")):
        memory.assert_fact("user", "edits_with", value, scope=scope)
    return memory


@pytest.mark.parametrize(
    ("scopes", "expected"),
    [
        ((), ["vim"]),
        (["project:Atlas"], ["emacs", "vim"]),
        (["PROJECT: atlas"], ["emacs", "vim"]),
        (["project:Borealis", "project:Atlas"], ["emacs", "nano", "vim"]),
        (["project:Corona"], ["vim"]),
        (None, ["emacs", "nano", "vim"]),
    ],
)
def test_facts_of_named_scopes_come_before_unscoped_ones(
    scopes: Any, expected: list[str], scoped: Engine, objects: Any
) -> None:
    assert objects(scoped, scopes=scopes) == expected


@pytest.mark.parametrize(
    ("written", "begins", "precision"),
    [
        ("2019", "2019-01-01T00:00:00.000000Z", "year"),
        ("2024-03", "2024-03-01T00:00:00.000000Z", "month"),
        ("2024-W10", "2024-03-04T00:00:00.000000Z", "week"),
        ("2024-03-09", "2024-03-09T00:00:00.000000Z", "day"),
        ("2024-03-09T10:00:00+05:30", "2024-03-09T04:30:00.000000Z", "instant"),
    ],
)
def test_a_coarse_date_is_the_first_instant_of_its_period(
    written: str, begins: str, precision: str, memory: Engine
) -> None:
    memory.assert_fact("user", "lives_in", "Oslo", valid_from=written)
    (fact,) = memory.facts()
    assert (fact.interval[0], fact.precision) == (begins, precision)


def test_facts_are_found_by_every_name_of_what_they_are_about(memory: Engine, objects: Any) -> None:
    memory.alias("Rae", "Rachel Smith")
    memory.assert_fact("Rachel  SMITH", "lives_in", "Oslo")
    memory.assert_fact("user", "married_to", "Rae", entities=["Rae"])
    assert objects(memory, "rae") == ["Oslo"]
    assert objects(memory, entity="rachel smith") == ["Oslo", "Rae"]
    assert objects(memory, object="RAE") == ["Rae"]


def test_names_are_resolved_as_of_the_knowledge_time(memory: Engine, objects: Any) -> None:
    memory.assert_fact("Rachel", "likes", "tea", multi=True)
    apart = memory.head
    memory.alias("Rae", "Rachel")
    together = memory.head
    memory.unalias("Rae")
    assert objects(memory, "Rae", known_at=apart) == []
    assert objects(memory, "Rae", known_at=together) == ["tea"]
    assert objects(memory, "Rae") == []
    assert memory.at(together).names_of("Rae") == ("rachel", "rae")


def test_facts_are_narrowed_by_kind_and_predicate_in_any_spelling(
    memory: Engine, objects: Any
) -> None:
    memory.assert_fact("user", "Works at", "Acme", kind="profile")
    memory.assert_fact("user", "visited", "Oslo", kind="event", multi=True)
    assert objects(memory, predicate="works-at") == ["Acme"]
    assert objects(memory, kinds=["event", "preference"]) == ["Oslo"]


def stale(memory: Any, **options: Any) -> list[str]:
    return [f.object for f in memory.facts(statuses=None, **options) if f.stale]


def test_a_fact_is_stale_when_a_premise_is_superseded(memory: Engine) -> None:
    home = memory.assert_fact("user", "lives_in", "Oslo", valid_from="2024")
    memory.assert_fact("user", "pays", "tax in Norway", valid_from="2024", because=[home])
    assert stale(memory) == []
    memory.assert_fact("user", "lives_in", "Pune", valid_from="2025")
    assert stale(memory) == ["tax in Norway"]
    assert memory.facts("user", "pays")[0].status == "current"


def test_a_fact_is_stale_when_a_premise_ends_or_is_taken_back(memory: Engine) -> None:
    job = memory.assert_fact("user", "works_at", "Acme", valid_from="2024")
    pet = memory.assert_fact("user", "has", "a dog", valid_from="2024")
    memory.assert_fact("user", "gets", "a bonus", valid_from="2024", because=[job])
    memory.assert_fact("user", "buys", "dog food", valid_from="2024", because=[pet])
    end = memory.end_fact(job, at="2025-01-01")
    assert stale(memory) == ["a bonus"]
    memory.retract(pet)
    assert stale(memory) == ["a bonus", "dog food"]
    memory.retract_end(end)
    assert stale(memory) == ["dog food"]


def test_staleness_reaches_through_every_depth(memory: Engine) -> None:
    last = memory.assert_fact("user", "step", "0", multi=True)
    first = last
    for number in range(1, 6):
        last = memory.assert_fact("user", "step", str(number), multi=True, because=[last])
    memory.retract(first)
    assert stale(memory) == ["1", "2", "3", "4", "5"]


def test_a_premise_that_only_repeats_another_stands_as_long_as_that(memory: Engine) -> None:
    first = memory.assert_fact("user", "lives_in", "Oslo", valid_from="2024")
    again = memory.assert_fact("user", "lives_in", "Oslo", valid_from="2025")
    memory.assert_fact("user", "pays", "tax", valid_from="2024", because=[again])
    assert stale(memory) == []
    memory.retract(first)
    assert stale(memory) == []
    memory.end_fact(again, at="2025-06-01")
    assert stale(memory) == ["tax"]


def test_staleness_is_asked_at_both_times(memory: Engine) -> None:
    job = memory.assert_fact("user", "works_at", "Acme", valid_from="2024")
    memory.assert_fact("user", "gets", "a bonus", valid_from="2024", because=[job])
    then = memory.head
    memory.end_fact(job, at="2025-01-01")
    assert stale(memory, valid_at="2024-06-01") == []
    assert stale(memory, valid_at="2025-01-01") == ["a bonus"]
    assert stale(memory, valid_at="2025-01-01", known_at=then) == []


def test_many_ways_to_the_same_premise_are_gone_once(memory: Engine) -> None:
    layer = [memory.assert_fact("user", "is", f"0-{n}", multi=True) for n in range(2)]
    root = layer[0]
    for depth in range(1, 25):
        layer = [
            memory.assert_fact("user", "is", f"{depth}-{n}", multi=True, because=layer)
            for n in range(2)
        ]
    memory.retract(root)
    (fact,) = memory.facts(object="24-1")
    assert fact.stale


def test_a_fact_says_what_supports_it_and_who_said_so(
    engine: Open, line_extractor: Callable[..., Any]
) -> None:
    memory = engine(extractor=line_extractor())
    added = memory.add("Listen:\nRachel | lives_in | Oslo", session="a")
    (fact,) = memory.facts()
    assert fact.evidence == ((added.positions[0], "Rachel | lives_in | Oslo"),)
    assert (fact.source, fact.origin, fact.said_at) == (
        "lines/1",
        "owner",
        memory.turns()[0].said_at,
    )


def test_an_explanation_names_the_events_that_a_belief_rests_on(
    engine: Open, line_extractor: Callable[..., Any]
) -> None:
    memory = engine(extractor=line_extractor())
    added = memory.add("Rachel | lives_in | Oslo", session="a", at="2024-01-01")
    (old,) = added.facts
    (new,) = memory.add("Rachel | lives_in | Pune", session="a", at="2025-01-01").facts
    why = memory.explain(old)
    assert why.fact.position == old
    assert [(c.type, c.position) for c in why.rests_on] == [
        ("TurnRecorded", added.positions[0]),
        ("ExtractionCompleted", old - 1),
    ]
    assert [c.type for c in why.decided] == ["FactSuperseded"]
    assert [r.superseded_by for r in why.revisions] == [None, new]
    by_position = {event.position: event for event in memory.events()}
    for cause in (*why.rests_on, *why.decided):
        recorded = by_position[cause.position]
        assert (cause.leaf, cause.known) == (recorded.leaf.hex(), recorded.header.known)
        assert (cause.content, cause.actor) == (recorded.event, "owner:local")
    with pytest.raises(NotFound):
        memory.explain(added.positions[0])


def test_a_history_tells_what_was_believed_and_when(memory: Engine, clock: Any) -> None:
    clock.step = 0
    old = memory.assert_fact("user", "lives_in", "Oslo", valid_from="2024-01-01")
    clock.now += 60_000_000
    new = memory.assert_fact("user", "lives_in", "Pune", valid_from="2025-01-01")
    clock.now += 60_000_000
    memory.retract(new)
    first, second, third = memory.history("user")[0].revisions
    assert [r.number for r in (first, second, third)] == [0, 1, 2]
    assert first.valid_to is None
    assert (second.valid_to, second.superseded_by) == (1_735_689_600_000_000, new)
    assert (third.valid_to, third.superseded_by, third.known_to) == (None, None, None)
    assert (
        second.known_from - first.known_from == third.known_from - second.known_from == 60_000_000
    )
    assert (first.cause, first.state) == (old, "admitted")
    assert [r.state for r in memory.history("user")[1].revisions] == ["admitted", "retracted"]


def test_scopes_of_a_history_are_all_unless_some_are_named(scoped: Engine, story: Story) -> None:
    assert [line.split()[0] for line in story(scoped)] == ["emacs", "nano", "vim"]
    named = story(scoped, scopes=["project:Atlas"])
    assert [line.split()[0] for line in named] == ["emacs", "vim"]
