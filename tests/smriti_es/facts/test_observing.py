"""`observe`: what is summed up, by whom, and what is kept of it."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.beliefs import FactStatus
from smriti_es.drafting import Drafting
from smriti_es.engine import Engine
from smriti_es.events.catalogue import FactAsserted
from smriti_es.events.errors import ExtractionError, InvalidInput, NotAllowed, StorageBusy
from smriti_es.extraction.contract import Evidence, ExtractedFact, SourceTurn
from smriti_es.observing import FACTS_MAX
from smriti_es.predicates import SHIPPED, SingleValued

Open = Callable[..., Engine]

FARES = ("a taxi for $40", "a train for $120", "a bus for $25")


def test_two_facts_of_an_entity_make_one_digest_that_sums_them_up(chat: Any, book: Any) -> None:
    facts = book.live_and_work()
    done = book.observe(chat)
    (digest,) = book.digests()
    assert (digest.position,) == done.written
    assert (digest.subject, digest.predicate, digest.kind) == ("Rachel", "digest:entity", "digest")
    assert (digest.statement, digest.because) == ("Digest number 1.", tuple(facts))


def test_a_third_fact_and_a_refresh_supersede_the_digest_and_keep_its_history(
    memory: Engine, chat: Any, book: Any
) -> None:
    book.live_and_work()
    first = book.observe(chat).written[0]
    memory.assert_fact("Rachel", "drives", "a Fiat")
    (second,) = book.observe(chat).written
    assert [digest.position for digest in book.digests()] == [second]
    every = book.digests(statuses=None)
    assert [(each.position, each.status) for each in every] == [
        (first, FactStatus.SUPERSEDED),
        (second, FactStatus.CURRENT),
    ]


def test_a_group_below_the_minimum_costs_no_call(memory: Engine, chat: Any, book: Any) -> None:
    memory.assert_fact("Rachel", "lives_in", "Berlin")
    book.live_and_work("Tom")
    done = book.observe(chat, min_facts=3)
    assert (done.written, done.unchanged, chat.asked) == ((), 0, [])


def test_events_with_distinct_entities_make_one_digest_of_their_predicate(
    memory: Engine, chat: Any, book: Any
) -> None:
    for name in ("Ana", "Ben", "Cem"):
        memory.assert_fact("user", "met", name, multi=True, entities=[name])
    book.observe(chat)
    assert [digest.predicate for digest in book.digests()] == ["digest:met"]


def test_granularity_chooses_the_kinds_of_groups(memory: Engine, chat: Any, book: Any) -> None:
    for name in ("Ana", "Ben"):
        memory.assert_fact("Rachel", "met", name, multi=True)
    book.observe(chat, granularity=["predicate"])
    assert [digest.predicate for digest in book.digests()] == ["digest:met"]
    book.observe(chat, granularity=["entity"])
    assert {digest.predicate for digest in book.digests()} == {"digest:met", "digest:entity"}


def test_a_subject_chooses_its_groups_under_any_of_its_names(
    memory: Engine, chat: Any, book: Any
) -> None:
    book.live_and_work()
    book.live_and_work("Tom")
    memory.alias("Rachel Smith", "Rachel")
    book.observe(chat, subject="rachel smith")
    assert [digest.subject for digest in book.digests()] == ["Rachel"]


def test_totals_are_added_up_in_code_and_units_are_never_mixed(
    memory: Engine, chat: Any, book: Any
) -> None:
    book.pay(*FARES, "one day in a lounge")
    memory.assert_fact("user", "paid_for", "parking", statement="Parked for 3 hours.", multi=True)
    book.observe(chat)
    (digest,) = book.digests()
    assert digest.statement == "Digest number 1.\nTotals: $185 ($40 + $120 + $25)."


def test_each_scope_has_a_digest_of_its_own(chat: Any, book: Any) -> None:
    book.pay(*FARES)
    book.pay("a boat", "a tent", scope="trip:Azores")
    book.observe(chat)
    assert {(digest.scope, len(digest.because)) for digest in book.digests()} == {
        ("", 3),
        ("trip:Azores", 2),
    }


def test_refreshing_leaves_one_digest_for_each_key_and_scope(chat: Any, book: Any) -> None:
    for fare in FARES:
        book.pay(fare)
        book.pay(fare, scope="trip:Azores")
        book.observe(chat, min_facts=1)
    assert [(digest.scope, len(digest.because)) for digest in book.digests()] == [
        ("trip:Azores", 3),
        ("", 3),
    ]
    assert len(book.digests(statuses=None)) == 6


def test_the_model_is_shown_scope_and_interval_of_each_fact(chat: Any, book: Any) -> None:
    book.pay("a boat", valid_from="2026-01-15", valid_to="2027-01-15")
    book.pay("a tent", valid_from="2026-02")
    book.pay("a map", "a lamp", scope="trip:Azores")
    book.observe(chat)
    shown = [str(messages[1]["content"]) for messages in chat.asked]
    assert '"scope": "(no scope: applies everywhere)"' in shown[0]
    assert '"from": "2026-01-15T00:00:00.000000Z", "until": "2027-01-15T00:00' in shown[0]
    assert '"until": "(present)"' in shown[0]
    assert '"scope": "trip:Azores"' in shown[1]
    assert "What the facts are about: user: paid for (trip:Azores)" in shown[1]


def test_observing_without_a_writer_is_refused(memory: Engine) -> None:
    with pytest.raises(InvalidInput, match="needs a writer") as caught:
        memory.observe()
    assert "DigestWriter" in caught.value.hint


@pytest.mark.parametrize(
    "options",
    [{"min_facts": 0}, {"granularity": []}, {"granularity": ["day"]}, {"granularity": "entity"}],
)
def test_strange_arguments_are_refused_before_any_call(
    options: dict[str, Any], chat: Any, book: Any
) -> None:
    book.live_and_work()
    with pytest.raises(InvalidInput):
        book.observe(chat, **options)
    assert chat.asked == []


def test_a_memory_that_is_read_only_is_not_observed(engine: Open, chat: Any, book: Any) -> None:
    book.on(engine(extractor=None)).live_and_work()
    with pytest.raises(NotAllowed):
        book.on(engine(read_only=True)).observe(chat)
    assert chat.asked == []


def test_the_raw_reply_is_kept_with_the_digest(memory: Engine, book: Any) -> None:
    book.live_and_work()
    (position,) = book.observe(book.chat("<think>Hm.</think> Rachel works.")).written
    (event,) = [each.event for each in memory.events(position, position + 1)]
    assert isinstance(event, FactAsserted)
    assert (event.statement, event.source) == ("Rachel works.", "llm-digest/1")
    assert event.metadata["reply"] == "<think>Hm.</think> Rachel works."
    assert (event.metadata["model"], event.metadata["tokens_out"]) == ("scripted", 7)


def test_the_lineage_of_a_digest_leads_to_its_facts(memory: Engine, chat: Any, book: Any) -> None:
    facts = book.live_and_work()
    (digest,) = book.observe(chat).written
    assert [cause.position for cause in memory.explain(digest).rests_on] == facts


def test_an_empty_answer_writes_nothing_and_is_said(book: Any) -> None:
    book.live_and_work()
    done = book.observe(book.chat("   "))
    assert (done.written, done.skipped) == ((), (("Rachel", "the model wrote nothing"),))


def test_a_group_too_large_to_be_shown_whole_is_left_out_and_said(chat: Any, book: Any) -> None:
    book.pay(*(f"coffee {number}" for number in range(FACTS_MAX + 1)))
    done = book.observe(chat)
    assert (done.skipped, chat.asked) == (
        (("user: paid for", "201 facts; a digest sums up 200 at most"),),
        [],
    )


def test_an_outage_keeps_what_was_written_and_goes_on_from_there(book: Any) -> None:
    book.live_and_work()
    book.live_and_work("Tom")
    with pytest.raises(ExtractionError):
        book.observe(book.chat("Rachel works.", ExtractionError("out of reach")))
    chat = book.chat()
    done = book.observe(chat)
    assert (len(done.written), done.unchanged, len(chat.asked)) == (1, 1, 1)


def test_a_fact_taken_back_while_the_model_writes_leaves_the_digest_unwritten(
    memory: Engine, book: Any
) -> None:
    facts = book.live_and_work()
    done = book.observe(book.chat(meanwhile=lambda: memory.retract(facts[0])))
    assert (done.written, done.skipped) == (
        (),
        (("Rachel", "a fact of it was taken back meanwhile"),),
    )


def test_progress_is_told_group_by_group(chat: Any, book: Any) -> None:
    book.live_and_work()
    book.pay(*FARES)
    seen: list[tuple[str, int, int]] = []
    book.observe(chat, progress=lambda *told: seen.append(told))
    assert seen == [("observe", 0, 2), ("observe", 1, 2), ("observe", 2, 2)]


@pytest.mark.parametrize(
    ("predicate", "kind"), [("mood", "digest"), ("digest:entity", "knowledge")]
)
def test_only_observe_writes_digests(predicate: str, kind: str, memory: Engine) -> None:
    with pytest.raises(InvalidInput):
        memory.assert_fact("Rachel", predicate, "busy", kind=kind)
    shown = {7: SourceTurn(7, "user", None, "Busy.", 1, "owner")}
    drafting = Drafting("own/1", "main", shown, SingleValued.of(SHIPPED))
    found = ExtractedFact("Rachel", predicate, "busy", "Busy.", (Evidence(7, "Busy"),), kind=kind)
    drafting.add(found)
    assert drafting.drafts == []
    assert [item["reason"] for item in drafting.dropped] == [
        "digests are written by `observe` alone"
    ]


def test_two_do_not_observe_at_once(memory: Engine, chat: Any, book: Any) -> None:
    book.live_and_work()
    opened = memory._opened
    with (
        opened.database.exclusive(f"observe-{opened.log.log}"),
        pytest.raises(StorageBusy, match="somebody else observes"),
    ):
        book.observe(chat)
    assert chat.asked == []
    assert len(book.observe(chat).written) == 1
