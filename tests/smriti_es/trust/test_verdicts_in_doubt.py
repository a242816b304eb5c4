"""What was left out for a fact that is quarantined later is looked for once more."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from smriti_es.embedders import Embedder
from smriti_es.engine import Engine
from smriti_es.extraction.arbitration import Verdict
from smriti_es.verdicts_in_doubt import IN_DOUBT

Open = Callable[..., Engine]


@dataclass
class Skipping:
    """An arbiter that takes whatever is alike for the same."""

    asked: list[tuple[str, list[str]]] = field(default_factory=list)
    model: str = "scripted"

    def decide(self, new: Any, candidates: Sequence[Any]) -> Verdict:
        self.asked.append((new.object, [candidate.object for candidate in candidates]))
        return Verdict("skip", 0)


@pytest.fixture
def arbiter() -> Skipping:
    return Skipping()


@pytest.fixture
def poisoned(
    engine: Open, line_extractor: Callable[..., Any], embedder: Embedder, arbiter: Skipping
) -> tuple[Engine, int]:
    """Poison in session b, for which tea in session c was left out; and the turn of that."""
    memory = engine(extractor=line_extractor(), arbiter=arbiter, embedder=embedder)
    memory.add("user | likes | strong black poison", session="b")
    (left_out,) = memory.add("user | likes | strong black tea", session="c").positions
    assert values(memory) == ["strong black poison"]
    return memory, left_out


def values(memory: Engine) -> list[str]:
    return [fact.object for fact in memory.facts()]


def test_what_was_left_out_waits_to_be_read_again(poisoned: tuple[Engine, int]) -> None:
    memory, left_out = poisoned
    memory.quarantine(session="b")
    assert memory.status().extraction_failed == ((left_out, IN_DOUBT),)
    assert values(memory) == []
    memory.extract_pending()
    assert (values(memory), memory.status().extraction_failed) == (["strong black tea"], ())


def test_nobody_is_asked_about_what_is_withheld(
    poisoned: tuple[Engine, int], arbiter: Skipping
) -> None:
    memory, _ = poisoned
    memory.quarantine(session="b")
    memory.extract_pending()
    assert arbiter.asked == [("strong black tea", ["strong black poison"])]


def test_it_is_so_for_the_fact_alone_as_well(poisoned: tuple[Engine, int]) -> None:
    memory, left_out = poisoned
    (fact,) = memory.facts()
    memory.quarantine(fact=fact.position)
    assert memory.status().extraction_failed == ((left_out, IN_DOUBT),)


def test_a_turn_that_is_withheld_with_it_is_not_read_again(poisoned: tuple[Engine, int]) -> None:
    memory, _ = poisoned
    memory.quarantine(session="c")
    head = memory.head
    memory.quarantine(session="b")
    events = [event.header.type for event in memory.events(head + 1)]
    assert "ExtractionFailed" not in events


def test_a_verdict_on_something_else_is_left_alone(
    engine: Open, line_extractor: Callable[..., Any], embedder: Embedder, arbiter: Skipping
) -> None:
    memory = engine(extractor=line_extractor(), arbiter=arbiter, embedder=embedder)
    memory.add("user | likes | strong black coffee", session="a")
    memory.add("user | likes | strong black tea", session="c")
    memory.add("user | owns | a strong poison", session="b")
    memory.quarantine(session="b")
    assert memory.status().extraction_failed == ()


def test_reading_again_records_nothing_twice(poisoned: tuple[Engine, int]) -> None:
    memory, _ = poisoned
    memory.add("user | owns | a boat\nuser | likes | strong black water", session="c")
    memory.quarantine(session="b")
    memory.extract_pending()
    assert sorted(values(memory)) == ["a boat", "strong black tea", "strong black water"]
    assert memory.verify().ok


def test_the_failure_names_the_extractor_and_the_turn(poisoned: tuple[Engine, int]) -> None:
    memory, left_out = poisoned
    at = memory.quarantine(session="b")
    (failed,) = [event for event in memory.events(at) if event.header.type == "ExtractionFailed"]
    said: Any = failed.event
    assert (said.turns, said.extractor, failed.header.refs) == ([left_out], "lines/1", (left_out,))
