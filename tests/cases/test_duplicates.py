"""Inputs that other memories got wrong: duplicates and growth (BC-15 to BC-22, BC-48)."""

import tracemalloc
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from smriti_es.embedders import Embedder
from smriti_es.engine import Engine
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
