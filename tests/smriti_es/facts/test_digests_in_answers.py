"""Digests in answers: to questions that count, beside what was found and never in its place."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine
from smriti_es.events.catalogue import FactAsserted
from smriti_es.fact_draft import FactDraft
from smriti_es.fact_writing import AssertFacts

Open = Callable[..., Engine]

FARES = ("a taxi for $40", "a train for $120", "a bus for $25")
HOW_MUCH = "How much has the user paid for in total?"


def test_digests_are_given_only_to_who_asks_for_them(memory: Engine, chat: Any, book: Any) -> None:
    facts = book.live_and_work()
    book.observe(chat)
    assert [fact.position for fact in memory.facts("Rachel")] == facts
    assert [each.fact.position for each in memory.history("Rachel")] == facts
    (digest,) = memory.facts("Rachel", "digest:entity")
    assert digest.kind == "digest"
    assert len(memory.history("Rachel", "digest:entity")) == 1


def test_a_digest_takes_no_place_of_a_fact_or_a_turn(
    engine: Open, embedder: CallableEmbedder, chat: Any, book: Any
) -> None:
    memory = engine(extractor=None, embedder=embedder)
    book = book.on(memory)
    memory.add("Have I paid for lunch?", session="s")
    book.pay(*FARES)
    memory.wait_for_vectors()

    def ranked() -> list[tuple[int, float]]:
        return [(hit.position, hit.score) for hit in memory.search(HOW_MUCH, k=3)]

    before = ranked()
    book.observe(chat)
    memory.wait_for_vectors()
    assert (ranked(), memory.status().pending) == (before, 0)
    assert len(memory.search(HOW_MUCH, k=3).observed) == 1


def test_a_digest_appears_for_a_question_that_counts_and_for_no_other(
    memory: Engine, chat: Any, book: Any
) -> None:
    book.pay(*FARES)
    precise = "What has the user paid for?"
    before = memory.context(precise).text
    book.observe(chat)
    counting = memory.context(HOW_MUCH)
    line = "- [DIGEST of 3 facts] Digest number 1. Totals: $185 ($40 + $120 + $25)."
    assert line in counting.text.splitlines()
    assert [digest.predicate for digest in counting.observed] == ["digest:paid_for"]
    assert memory.context(precise).text == before
    assert memory.search(precise).observed == ()


def test_a_digest_that_sums_up_nothing_that_was_found_does_not_appear(
    memory: Engine, chat: Any, book: Any
) -> None:
    book.pay(*FARES)
    book.live_and_work()
    book.observe(chat)
    found = memory.search(HOW_MUCH).observed
    assert [digest.predicate for digest in found] == ["digest:paid_for"]


def test_digests_stay_within_a_fifth_of_the_budget(memory: Engine, book: Any) -> None:
    book.pay(*FARES)
    book.observe(book.chat("word " * 100))
    assert memory.context(HOW_MUCH, budget=4_000).observed != ()
    small = memory.context(HOW_MUCH, budget=1_000)
    assert (small.observed, len(small.facts)) == ((), 3)


@pytest.mark.parametrize("budget", [1, 60, 140, 200, 320, 500, 900])
def test_a_context_with_facts_and_digests_never_exceeds_its_budget(
    budget: int, memory: Engine, chat: Any, book: Any
) -> None:
    book.pay(*FARES)
    book.observe(chat)
    assert len(memory.context(HOW_MUCH, budget=budget).text) <= budget
    in_words = memory.context(HOW_MUCH, budget=budget, measure=lambda text: len(text.split()))
    assert len(in_words.text.split()) <= budget


def test_only_who_is_in_a_scope_sees_its_digest(memory: Engine, chat: Any, book: Any) -> None:
    book.pay("a boat", "a tent", scope="trip:Azores")
    book.observe(chat)
    assert memory.facts(kinds=["digest"]) == []
    assert memory.search(HOW_MUCH).observed == ()
    within = memory.context(HOW_MUCH, scopes=["trip:Azores"])
    assert "- [DIGEST of 2 facts | trip:Azores] Digest number 1." in within.text


def test_a_stale_digest_says_so_in_a_context(memory: Engine, chat: Any, book: Any) -> None:
    book.pay(*FARES)
    book.observe(chat)
    book.pay("a ferry for $10")
    shown = memory.context(HOW_MUCH).text
    assert "- [DIGEST of 3 facts | STALE: what it rests on has changed] Digest number 1." in shown


def test_a_digest_takes_the_lowest_origin_of_its_facts(
    memory: Engine, chat: Any, monkeypatch: pytest.MonkeyPatch, book: Any
) -> None:
    book.pay(*FARES[:2])
    untrusted = FactAsserted(
        origin="untrusted",
        fact="",
        space="main",
        subject="user",
        predicate="paid_for",
        object="a boat",
        statement="The user paid for a boat.",
        said_at=1,
        valid_from=1,
    )

    memory._do(AssertFacts(memory._opened.projector, [FactDraft(untrusted)]))
    book.observe(chat)
    assert [digest.origin for digest in book.digests()] == ["untrusted"]
    assert memory.context(HOW_MUCH).observed == ()
    assert len(memory.context(HOW_MUCH, origins=["owner", "untrusted"]).observed) == 1


def test_digests_are_read_as_of_any_commit_and_replay_gives_the_same(
    memory: Engine, chat: Any, book: Any
) -> None:
    facts = book.pay(*FARES)
    book.observe(chat)
    book.pay("a ferry for $10")
    book.live_and_work()
    memory.alias("Rachel Smith", "Rachel")
    book.observe(chat)
    memory.retract(facts[0])
    memory.unalias("Rachel Smith")
    book.observe(chat)
    for known in sorted({sum(event.header.commit) - 1 for event in memory.events()}):
        then = memory.at(known)
        with memory.replay(known) as replayed:
            assert book.digests(of=then, statuses=None) == book.digests(of=replayed, statuses=None)
            assert then.context(HOW_MUCH, now="2026-07-01") == replayed.context(
                HOW_MUCH, now="2026-07-01"
            )
            assert then.search(HOW_MUCH).observed == replayed.search(HOW_MUCH).observed


def test_what_was_known_of_a_digest_then_is_told_then(memory: Engine, chat: Any, book: Any) -> None:
    book.pay(*FARES)
    book.observe(chat)
    then = memory.head
    book.pay("a ferry for $10")
    assert [digest.stale for digest in book.digests()] == [True]
    assert [digest.stale for digest in book.digests(of=memory.at(then))] == [False]


def test_a_memory_with_digests_verifies_and_rebuilds_equal(
    memory: Engine, chat: Any, book: Any
) -> None:
    book.pay(*FARES)
    book.observe(chat)
    assert memory.verify().ok
    assert all(memory.rebuild(name).equal for name in ("facts", "revisions", "lexical"))
