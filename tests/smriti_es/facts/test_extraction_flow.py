"""From turns to facts: turns come first, and each fact says what it rests on."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.catalogue import (
    ExtractionCompleted,
    FactEnded,
)
from smriti_es.recording import SessionInput
from smriti_es.settings import Settings

Open = Callable[..., Engine]
Extracting = Callable[..., Any]
OSLO = "Rachel | lives_in | Oslo"
PUNE = "Rachel | lives_in | Pune"
BY_HAND = Settings(embed_in_background=False, extract_in_background=False)


def test_turns_are_committed_before_anything_is_extracted(
    engine: Open, line_extractor: Extracting
) -> None:
    memory = engine(extractor=line_extractor())
    added = memory.add([{"role": "user", "content": OSLO}], session="a")
    commits = [(event.header.type, event.header.commit) for event in memory.events(1)]
    assert commits == [
        ("SessionStarted", (1, 2)),
        ("TurnRecorded", (1, 2)),
        ("ExtractionCompleted", (3, 2)),
        ("FactAsserted", (3, 2)),
    ]
    assert (added.positions, added.facts, added.head) == ((2,), (4,), 4)


def test_an_extraction_says_what_it_was_made_of(
    engine: Open, line_extractor: Extracting, events: Any
) -> None:
    memory = engine(extractor=line_extractor())
    memory.add(f"{OSLO}\nRachel | ? |", session="a")
    (completed,) = events(memory, ExtractionCompleted)
    assert (completed.session, completed.turns, completed.extractor) == (1, [2], "lines/1")
    assert (completed.accepted, completed.status, completed.replies) == (1, "ok", ())
    assert [drop["item"] for drop in completed.dropped] == ["Rachel ? "]


def test_turns_that_say_nothing_leave_no_event(engine: Open, line_extractor: Extracting) -> None:
    memory = engine(extractor=line_extractor())
    added = memory.add("It rained.", session="a")
    assert memory.head == added.head == 2
    assert memory.status().extraction_behind == 0


def test_facts_cite_their_turns_with_the_words(
    engine: Open, line_extractor: Extracting, said: Any
) -> None:
    memory = engine(extractor=line_extractor())
    memory.add(said("It rained.", f"Well, {OSLO}\n {PUNE} | from=2025-01-01 "), session="a")
    turn = memory.turns()[1].position
    old, new = (each.fact for each in memory.history())
    assert [old.evidence, new.evidence] == [
        ((turn, f"{PUNE} | from=2025-01-01"),),
        ((turn, f"Well, {OSLO}"),),
    ]
    (recorded,) = memory.events(old.position, old.position + 1)
    assert recorded.header.refs[0] == turn


def test_an_extracted_fact_holds_since_it_was_said_where_it_names_no_time(
    engine: Open, line_extractor: Extracting, said: Any
) -> None:
    memory = engine(extractor=line_extractor())
    memory.add(
        said(OSLO, "Rachel | drinks | tea | from=2019"), session="a", at="2022-11-16T08:00:00Z"
    )
    drinks, lives = sorted(memory.facts(), key=lambda fact: fact.predicate)
    assert (lives.interval[0], lives.precision) == ("2022-11-16T08:00:00.000000Z", "unknown")
    assert (drinks.interval[0], drinks.precision) == ("2019-01-01T00:00:00.000000Z", "year")
    assert lives.said_at == drinks.said_at == lives.valid_from


@pytest.mark.parametrize(
    ("origins", "lowest"),
    [
        (["owner", "owner"], "owner"),
        (["owner", "agent"], "agent"),
        (["tool", "agent"], "tool"),
        (["untrusted", "owner"], "untrusted"),
    ],
)
def test_the_origin_of_a_fact_is_the_lowest_of_its_support(
    origins: list[str], lowest: str, engine: Open, making: Any, fact_of: Any
) -> None:
    memory = engine(extractor=making(lambda turns: [fact_of(*(turn.position for turn in turns))]))
    memory.add(
        [{"role": "user", "content": f"{n}", "origin": o} for n, o in enumerate(origins)],
        session="a",
    )
    assert [fact.origin for fact in memory.facts()] == [lowest]


def test_what_supports_no_fact_lowers_none(engine: Open, making: Any, fact_of: Any) -> None:
    memory = engine(extractor=making(lambda turns: [fact_of(turns[0].position)]))
    messages = [{"role": "user", "content": "a"}, {"role": "tool", "content": "b"}]
    memory.add(messages, session="a")
    assert [fact.origin for fact in memory.facts()] == ["owner"]


def test_a_turn_that_was_not_shown_supports_nothing(
    engine: Open, making: Any, fact_of: Any
) -> None:
    memory = engine(extractor=making(lambda turns: [fact_of(turns[0].position, 0, 999)]))
    memory.add("a", session="a")
    (fact,) = memory.facts()
    assert fact.evidence == ((2, "words"),)


@pytest.mark.parametrize(
    ("turns", "more"),
    [
        ([999], {}),
        ([], {}),
        ([2], {"value": " "}),
        ([2], {"scope": "Atlas"}),
        ([2], {"subject": " "}),
        ([2], {"predicate": "-"}),
    ],
)
def test_what_cannot_be_taken_over_is_dropped_with_the_reason(
    turns: list[int],
    more: dict[str, Any],
    engine: Open,
    objects: Any,
    events: Any,
    making: Any,
    fact_of: Any,
) -> None:
    given = [fact_of(*turns, **more), fact_of(2, value="Pune")]
    memory = engine(extractor=making(lambda turns: given))
    memory.add("a", session="a")
    assert objects(memory) == ["Pune"]
    (completed,) = events(memory, ExtractionCompleted)
    assert completed.accepted == 1
    assert [set(drop) for drop in completed.dropped] == [{"reason", "item"}]


def test_an_end_that_lies_before_the_beginning_is_no_end(
    engine: Open, making: Any, fact_of: Any
) -> None:
    memory = engine(extractor=making(lambda turns: [fact_of(2, valid_from=9, valid_to=5)]))
    memory.add("a", session="a")
    assert memory.facts()[0].valid_to is None


def test_a_statement_that_a_value_is_over_ends_it(
    engine: Open, line_extractor: Extracting, events: Any
) -> None:
    memory = engine(extractor=line_extractor())
    (job,) = memory.add("user | works_at | Acme | from=2024", session="a", at="2026-01-01").facts
    added = memory.add(
        "user | works_at | acme | to=2026-05-01 | ended", session="a", at="2026-05-20"
    )
    assert added.facts == ()
    assert added.head == memory.head
    (ended,) = events(memory, FactEnded)
    assert (ended.valid_to, ended.source) == (1_777_593_600_000_000, "lines/1")
    assert ended.evidence == [{"turn": added.positions[0], "quote": memory.turns()[1].text}]
    (fact,) = memory.facts(statuses=["ended"])
    assert (fact.position, fact.interval[1]) == (job, "2026-05-01T00:00:00.000000Z")


def test_an_end_without_a_time_is_when_it_was_said(
    engine: Open, line_extractor: Extracting
) -> None:
    memory = engine(extractor=line_extractor())
    memory.add("user | works_at | Acme | from=2024", session="a", at="2026-01-01")
    memory.add("user | works_at | Acme | ended", session="a", at="2026-05-20")
    assert [fact.interval[1] for fact in memory.facts(statuses=None)] == [
        "2026-05-20T00:00:00.000000Z"
    ]


def test_a_session_counts_as_added_once_its_facts_are_there(
    engine: Open, line_extractor: Extracting
) -> None:
    memory, seen = engine(extractor=line_extractor()), []
    sessions = [
        SessionInput(session=f"s{n}", messages=f"user | likes | thing {n}") for n in range(65)
    ]
    memory.add_many(
        sessions,
        progress=lambda phase, done, total: seen.append((phase, done, total, len(memory.facts()))),
    )
    assert seen == [("add", 64, 65, 64), ("add", 65, 65, 65)]
