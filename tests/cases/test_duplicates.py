"""Inputs that other memories got wrong: duplicates and growth (BC-15 to BC-22, BC-48)."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import smriti_es
from smriti_es.embedders import Embedder
from smriti_es.engine import Engine
from smriti_es.events.catalogue import FactAsserted
from smriti_es.events.records import NewEvent
from smriti_es.extraction.arbitration import Verdict
from smriti_es.extraction.chat import Message, Reply
from smriti_es.extraction.contract import Evidence, ExtractedFact, Extraction, SourceTurn
from smriti_es.extraction.digest_writer import DigestWriter

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


def test_what_was_merged_into_another_is_reached_through_the_history_alone(
    engine: Open, line_extractor: Callable[..., Any], embedder: Embedder
) -> None:
    merging = SimpleNamespace(decide=lambda new, candidates: Verdict("supersede", 0))
    memory = engine(extractor=line_extractor(), arbiter=merging, embedder=embedder)
    (merged,) = memory.add("user | owns | a kiln", session="a", wait_for="vectors").facts
    line = "user | owns | a front-loading kiln"
    (kept,) = memory.add(line, session="a", wait_for="vectors").facts
    for name in ("facts", "revisions", "lineage", "lexical"):
        assert [hit.text for hit in memory.search("kiln")] == [
            "user owns a front-loading kiln",
            line,
        ]
        assert [fact.position for fact in memory.facts("user", "owns")] == [kept]
        past = [hit.fact.position for hit in memory.search("kiln", history=True) if hit.fact]
        assert sorted(past) == [merged, kept]
        assert memory.explain(merged).fact.superseded_by == kept
        assert memory.explain(merged).rests_on[0].content.text == "user | owns | a kiln"
        assert memory.rebuild(name).equal


PARAPHRASES = (
    "I live in Pune.",
    "I'm living in Pune.",
    "I reside in Pune.",
    "I am based in Pune.",
    "My home is in Pune.",
    "I currently live in Pune.",
    "I've been living in Pune.",
    "I moved to Pune.",
    "Pune is where I live.",
    "These days I live in PUNE!",
)


class Paraphrasing:
    """A model that sums up in other words at each call."""

    model = "paraphrasing"

    def __init__(self) -> None:
        self.calls = 0

    def complete(self, messages: Sequence[Message], *, json_mode: bool) -> Reply:
        self.calls += 1
        return Reply(f"Pune, said in way {self.calls}.")


def test_consolidating_again_changes_nothing(engine: Open) -> None:
    memory = engine()
    for number, said in enumerate(PARAPHRASES):
        memory.add(said, session=f"s{number}")
    model, states = Paraphrasing(), []
    before = (memory.facts(), [event.leaf for event in memory.events()])
    for _ in range(5):
        memory.extract_pending()
        memory.observe(writer=DigestWriter(model), min_facts=1)
        digests = memory.facts(kinds=["digest"], statuses=None)
        states.append((memory.head, memory.facts(), digests, memory.history(), model.calls))
    assert [fact.object for fact in before[0]] == ["Pune"]
    assert states[0][1] == before[0]
    assert states[1:] == states[:1] * 4
    assert [event.leaf for event in memory.events()][: len(before[1])] == before[1]


# Run by itself, since the most memory that a process ever had is never told as less again.
MAINTAIN = """
import resource, sys
from smriti_es import Engine
from smriti_es.extraction.chat import Reply
from smriti_es.extraction.digest_writer import DigestWriter

class Model:
    model = "brief"

    def complete(self, messages, *, json_mode):
        return Reply("So it is.")

def most_bytes():
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024

with Engine.open(sys.argv[1], embedder=None) as memory:
    memory.search("warm")
    before = most_bytes()
    memory.extract_pending()
    observed = memory.observe(writer=DigestWriter(Model()))
    rebuilt = memory.rebuild("facts")
    print(most_bytes() - before, len(observed.written), len(observed.skipped), rebuilt.equal)
"""


def test_a_pass_of_maintenance_over_50_000_facts_takes_a_bounded_amount_of_memory(
    engine: Open, places: Any
) -> None:
    memory, many = engine(extractor=None), 50_000
    for start in range(0, many, 1_000):
        facts = [_one_of_many(number) for number in range(start, start + 1_000)]
        memory._opened.log.append(facts, actor=memory._opened.actor)
    memory.close()
    found_in = str(Path(smriti_es.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", MAINTAIN, str(places.named("memory.db"))],
        env={**os.environ, "PYTHONPATH": found_in},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    rise_bytes, written, skipped, equal = done.stdout.split()
    assert int(rise_bytes) < 200_000_000
    assert (written, skipped, equal) == ("2", "1", "True")


def _one_of_many(number: int) -> NewEvent:
    """State something: half of all of one subject, two of another, else of a new one each."""
    subject = "user" if number % 2 else "Rachel" if number < 4 else f"thing {number}"
    return NewEvent(
        FactAsserted(
            origin="owner",
            fact=f"{number:032x}",
            space="main",
            subject=subject,
            predicate="holds",
            object=f"value {number}",
            statement=f"{subject} holds value {number}.",
            said_at=1_780_000_000_000_000,
            valid_from=1_780_000_000_000_000,
        )
    )


class Understanding:
    """An extractor that knows what was meant."""

    name, model, prompt_digest, immediate = "understanding/1", "", "", True

    def extract(self, turns: Sequence[SourceTurn], *, timezone: str) -> Extraction:
        return Extraction(tuple(map(self._read, turns)))

    def _read(self, turn: SourceTurn) -> ExtractedFact:
        said = ("allergic_to", "walnuts") if "walnut" in turn.text else ("parks_in", "bay 14")
        return ExtractedFact("user", *said, turn.text, (Evidence(turn.position, turn.text),))


def test_four_ways_of_saying_one_thing_take_one_place(engine: Open, embedder: Embedder) -> None:
    memory = engine(extractor=Understanding(), embedder=embedder)
    ways = [
        "Parks in bay 14.",
        "The car is usually in bay 14.",
        "Bay 14 is the parking bay.",
        "Uses bay 14 to park.",
    ]
    for number, said in enumerate([*ways, "Allergic to walnuts."]):
        memory.add(said, session=f"s{number}")
    memory.wait_for_vectors()
    found = [hit.text for hit in memory.search("what should I know", k=3)]
    assert "Allergic to walnuts." in found
    assert len(found) == 2
    assert len(set(found) & set(ways)) == 1
    assert len(memory.turns()) == len(memory.history()) == 5


def test_two_spellings_of_an_accent_are_one_entity(engine: Open) -> None:
    memory = engine(extractor=None)
    memory.assert_fact("Caf\u00e9", "opens", "08:00", valid_from="2026-01-01")
    memory.assert_fact("Cafe\u0301", "opens", "09:00", valid_from="2026-02-01")
    assert [fact.object for fact in memory.facts("CAF\u00c9")] == ["09:00"]
    assert [each.fact.subject for each in memory.history()] == ["Caf\u00e9", "Cafe\u0301"]
