"""A model is asked whether a fact replaces one like it: never in doubt, never alone, never lost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from smriti_es.embedders import Embedder
from smriti_es.engine import Engine
from smriti_es.events.catalogue import ArbitrationDecided
from smriti_es.extraction.arbitration import Verdict

Open = Callable[..., Engine]
Story = Callable[..., list[str]]


@dataclass
class Scripted:
    """An arbiter that gives its verdicts one after the other, and says what it was asked."""

    verdicts: list[Verdict | Exception]
    asked: list[tuple[str, list[str]]] = field(default_factory=list)
    model: str = "scripted"

    def decide(self, new: Any, candidates: Sequence[Any]) -> Verdict:
        self.asked.append((new.object, [candidate.object for candidate in candidates]))
        verdict = self.verdicts.pop(0) if self.verdicts else Verdict("add")
        if isinstance(verdict, Exception):
            raise verdict
        return verdict


@pytest.fixture
def arbitrated(
    engine: Open, line_extractor: Callable[..., Any], embedder: Embedder
) -> Callable[..., tuple[Engine, Scripted]]:
    """Open a memory with an arbiter that has these verdicts to give."""

    def make(*verdicts: Verdict | Exception) -> tuple[Engine, Scripted]:
        arbiter = Scripted(list(verdicts))
        return engine(extractor=line_extractor(), arbiter=arbiter, embedder=embedder), arbiter

    return make


LIKES_TEA = "user | likes | strong black tea | from=2024-01-01"
LIKES_COFFEE = "user | likes | strong black coffee | from=2025-01-01"


def decisions(memory: Engine) -> list[ArbitrationDecided]:
    return [e.event for e in memory.events() if isinstance(e.event, ArbitrationDecided)]


def test_an_arbiter_may_say_that_a_value_replaces_one_like_it(
    arbitrated: Callable[..., tuple[Engine, Scripted]], story: Story
) -> None:
    memory, arbiter = arbitrated(Verdict("supersede", 0, reply="{...}"))
    (old,) = memory.add(LIKES_TEA, session="a").facts
    (new,) = memory.add(LIKES_COFFEE, session="a").facts
    assert arbiter.asked == [("strong black coffee", ["strong black tea"])]
    assert story(memory)[0] == "strong black tea 2024-01-01..2025-01-01 superseded"
    (decided,) = decisions(memory)
    assert (decided.fact, decided.target, decided.action) == (new, old, "supersede")
    assert (decided.reply, decided.model, decided.candidates) == ("{...}", "scripted", [old])


def test_a_value_that_comes_back_after_it_was_replaced_is_current(
    arbitrated: Callable[..., tuple[Engine, Scripted]],
) -> None:
    memory, arbiter = arbitrated(Verdict("supersede", 0), Verdict("supersede", 0))
    for line in (LIKES_TEA, LIKES_COFFEE, "user | likes | strong black tea | from=2026-01-01"):
        memory.add(line, session="a")
    assert len(arbiter.asked) == 2
    assert [fact.object for fact in memory.facts()] == ["strong black tea"]


def test_a_late_value_may_be_the_one_that_was_replaced(
    arbitrated: Callable[..., tuple[Engine, Scripted]], story: Story
) -> None:
    memory, arbiter = arbitrated(Verdict("supersede", 0))
    memory.add(LIKES_COFFEE, session="a")
    memory.add(LIKES_TEA, session="a")
    assert arbiter.asked == [("strong black tea", ["strong black coffee"])]
    assert story(memory) == [
        "strong black tea 2024-01-01..2025-01-01 superseded",
        "strong black coffee 2025-01-01.. current",
    ]


def test_a_verdict_to_skip_is_recorded_with_what_was_said(
    arbitrated: Callable[..., tuple[Engine, Scripted]],
) -> None:
    memory, _ = arbitrated(Verdict("skip", 0, reply="the same"))
    (old,) = memory.add(LIKES_TEA, session="a").facts
    assert memory.add(LIKES_COFFEE, session="a").facts == ()
    (decided,) = decisions(memory)
    assert (decided.fact, decided.target, decided.action) == (-1, old, "skip")
    assert (decided.reply, decided.statement) == ("the same", "user likes strong black coffee")
    assert [fact.object for fact in memory.facts()] == ["strong black tea"]


@pytest.mark.parametrize(
    ("verdict", "status"),
    [
        (Verdict("supersede", 7), "invalid_target"),
        (Verdict("supersede", -1), "invalid_target"),
        (Verdict("supersede", None), "invalid_target"),
        (Verdict("skip", 1), "invalid_target"),
        (RuntimeError("it broke"), "failed"),
    ],
)
def test_a_verdict_that_makes_no_sense_adds_the_fact(
    verdict: Verdict | Exception,
    status: str,
    arbitrated: Callable[..., tuple[Engine, Scripted]],
) -> None:
    memory, _ = arbitrated(verdict)
    memory.add(LIKES_TEA, session="a")
    memory.add(LIKES_COFFEE, session="a")
    assert [fact.object for fact in memory.facts()] == ["strong black tea", "strong black coffee"]
    (decided,) = decisions(memory)
    assert (decided.action, decided.target, decided.status) == ("add", -1, status)


@pytest.mark.parametrize("action", ["supersede", "skip"])
def test_a_verdict_on_a_fact_that_went_meanwhile_adds_the_new_one(
    action: Any, arbitrated: Callable[..., tuple[Engine, Scripted]]
) -> None:
    memory, arbiter = arbitrated()
    (old,) = memory.add(LIKES_TEA, session="a").facts

    def decide(new: Any, candidates: Sequence[Any]) -> Verdict:
        memory.retract(old)
        return Verdict(action, 0)

    arbiter.decide = decide  # type: ignore[method-assign]
    assert len(memory.add(LIKES_COFFEE, session="a").facts) == 1
    assert [fact.object for fact in memory.facts()] == ["strong black coffee"]
    assert [each.status for each in decisions(memory)] == ["target is gone"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # one value at a time: settled by time
        ("user | lives_in | old town Oslo", "user | lives_in | old town Pune"),
        # a role beside an employer, a place beside a club: other predicates
        ("user | job_title | the head gardener", "user | works_at | the head gardener"),
        ("user | visited | the old harbour", "user | joined | the old harbour"),
        # preferences stand side by side
        ("user | prefers | strong black tea", "user | prefers | strong black coffee"),
        # another scope
        (LIKES_TEA, LIKES_COFFEE + " | scope=project:Atlas"),
        (LIKES_TEA + " | scope=project:Atlas", LIKES_COFFEE),
        # another subject
        (LIKES_TEA, LIKES_COFFEE.replace("user", "Rachel")),
        # the same value, in another spelling
        (LIKES_TEA, LIKES_TEA.replace("tea", "Tea").replace("2024", "2025")),
        # nothing alike
        (LIKES_TEA, "user | likes | walks"),
    ],
)
def test_nobody_is_asked_where_nothing_is_in_doubt(
    one: str, other: str, arbitrated: Callable[..., tuple[Engine, Scripted]]
) -> None:
    memory, arbiter = arbitrated()
    memory.add(one, session="a")
    memory.add(other, session="a")
    assert arbiter.asked == []


def test_verdicts_are_not_recorded_twice_for_facts_that_are_there_already(
    arbitrated: Callable[..., tuple[Engine, Scripted]],
) -> None:
    memory, _ = arbitrated(Verdict("supersede", 0))
    memory.add(LIKES_TEA, session="a")
    memory.add(LIKES_COFFEE, session="a")
    before = memory.head
    worker = memory._opened.extraction
    assert worker is not None
    worker.extracting.pointer.done = worker.extracting.pointer.persisted = 0
    with memory._opened.database.write() as connection:
        connection.exec_driver_sql("UPDATE projection SET folded = 0 WHERE name = 'extraction'")
    assert memory.extract_pending() == []
    assert memory.head == before
