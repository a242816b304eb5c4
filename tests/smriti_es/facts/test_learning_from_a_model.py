"""From what a model said to what the memory answers: scope, time, other words, all its turns."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine
from smriti_es.events.catalogue import ExtractionCompleted
from smriti_es.extraction.llm import LLMExtractor
from smriti_es.settings import Settings

Open = Callable[..., Engine]
HOME = {
    "statement": "The user lives in Hyderabad.",
    "predicate": "lives_in",
    "object": "Hyderabad",
    "search_keys": ["city", "town"],
    "turns": [1],
}
RUST = {
    "statement": "The user uses Rust for project Apollo.",
    "predicate": "uses",
    "object": "Rust",
    "scope": "project:apollo",
    "search_keys": ["language"],
    "turns": [2],
}
SAID = ("I live in Hyderabad.", "For project Apollo I use Rust.", "And it rains.")


@pytest.fixture
def learning(engine: Open, book: Any) -> Callable[..., Engine]:
    """Open a memory whose model gives these lists of facts, one a call."""

    def make(*replies: list[dict[str, Any]], **options: Any) -> Engine:
        chat = book.chat(*(json.dumps({"facts": facts}) for facts in replies))
        by_hand = Settings(embed_in_background=False, extract_in_background=False)
        return engine(extractor=LLMExtractor(chat), settings=by_hand, **options)

    return make


def test_what_a_model_found_is_found_by_words_that_nobody_said(
    learning: Callable[..., Engine],
) -> None:
    memory = learning([HOME])
    memory.add(SAID[0], session="a")
    memory.extract_pending()
    (hit,) = memory.search("which city")
    assert hit.fact is not None
    assert (hit.text, hit.fact.status) == ("The user lives in Hyderabad.", "current")


def test_the_scope_is_part_of_what_is_embedded_and_other_words_are_not(
    learning: Callable[..., Engine],
) -> None:
    embedded: list[str] = []

    def embed(texts: list[str]) -> list[list[float]]:
        embedded.extend(texts)
        return [[1.0, float(len(text))] for text in texts]

    seeing = CallableEmbedder(embed, model="seeing", dimension=2)
    memory = learning([HOME, RUST], embedder=seeing)
    memory.add([{"role": "user", "content": text} for text in SAID], session="a")
    memory.extract_pending()
    memory.assert_fact("user", "uses", "Go", scope="project:Borealis", statement="Go is used.")
    memory.wait_for_vectors()
    assert embedded[len(SAID) :] == [
        HOME["statement"],
        "The user uses Rust for project Apollo. scope:project:apollo",
        "Go is used. scope:project:Borealis",
    ]


def test_a_fact_of_no_scope_has_an_empty_one(learning: Callable[..., Engine]) -> None:
    memory = learning([HOME])
    memory.add(SAID[0], session="a")
    memory.extract_pending()
    memory.assert_fact("user", "works_at", "Acme")
    assert [fact.scope for fact in memory.facts()] == ["", ""]


def test_a_scope_that_stays_wrong_costs_two_calls_and_neither_the_turn_nor_the_other_fact(
    learning: Callable[..., Engine], events: Any
) -> None:
    typo = RUST | {"scope": "project:apolo"}
    memory = learning([HOME, typo], [typo])
    memory.add([{"role": "user", "content": text} for text in SAID], session="a")
    memory.extract_pending()
    assert [fact.object for fact in memory.facts(scopes=None)] == ["Hyderabad"]
    assert [turn.text for turn in memory.turns()] == list(SAID)
    (completed,) = events(memory, ExtractionCompleted)
    summary = completed.details["scope_summary"]
    assert (summary["outcome"], summary["facts_dropped_after_retry"]) == ("rejected", 1)
    assert len(completed.replies) == 2


def test_a_date_that_cannot_be_read_never_wins_over_one_that_can(
    learning: Callable[..., Engine],
) -> None:
    vague = HOME | {"object": "Pune", "event_date": "once upon a time"}
    memory = learning([HOME | {"event_date": "2026-03-01"}], [vague])
    memory.add("I live in Hyderabad since March.", session="a", at="2026-04-01")
    memory.extract_pending()
    memory.add("Once upon a time I lived in Pune.", session="b", at="2025-01-01")
    memory.extract_pending()
    pune, home = (each.fact for each in memory.history("user", "lives_in"))
    assert (pune.object, pune.precision) == ("Pune", "unknown")
    assert pune.interval == ("2025-01-01T00:00:00.000000Z", "2026-03-01T00:00:00.000000Z")
    assert (home.object, home.status) == ("Hyderabad", "current")


def test_a_fact_leads_to_every_turn_that_was_read_with_it(learning: Callable[..., Engine]) -> None:
    memory = learning([HOME])
    turns = memory.add([{"role": "user", "content": text} for text in SAID], session="a").positions
    (fact,) = memory.extract_pending()
    rests_on = memory.explain(fact).rests_on
    assert [cause.position for cause in rests_on if cause.type == "TurnRecorded"] == list(turns)
    assert [turn for turn, _ in memory.facts()[0].evidence] == [turns[0]]
