"""`observe`: digests that say what they sum up, are stale until refreshed, and displace nothing."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from smriti_es.beliefs import Fact, FactStatus
from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine
from smriti_es.events.catalogue import FactAsserted
from smriti_es.events.errors import ExtractionError, InvalidInput, NotAllowed
from smriti_es.extraction.chat import Message, Reply
from smriti_es.extraction.digest_writer import DigestWriter
from smriti_es.observing import FACTS_MAX

Open = Callable[..., Engine]

FARES = ("a taxi for $40", "a train for $120", "a bus for $25")
HOW_MUCH = "How much has the user paid for in total?"


class Chat:
    """A model that numbers its answers, or gives the texts that it was made with."""

    model = "scripted"

    def __init__(self, *replies: str | Exception) -> None:
        self.asked: list[Sequence[Message]] = []
        self._replies = list(replies)

    def complete(self, messages: Sequence[Message], *, json_mode: bool) -> Reply:
        self.asked.append(messages)
        number = len(self.asked)
        reply = self._replies.pop(0) if self._replies else f"Digest number {number}."
        if isinstance(reply, Exception):
            raise reply
        return Reply(reply, {"calls": 1, "tokens_out": 7})


@pytest.fixture
def chat() -> Chat:
    return Chat()


@pytest.fixture
def memory(engine: Open) -> Engine:
    return engine(extractor=None)


def pay(memory: Engine, *fares: str, **options: Any) -> list[int]:
    return [
        memory.assert_fact(
            "user", "paid_for", fare, statement=f"The user paid for {fare}.", multi=True, **options
        )
        for fare in fares
    ]


def live_and_work(memory: Engine, name: str = "Rachel", **options: Any) -> list[int]:
    return [
        memory.assert_fact(name, "lives_in", "Berlin", **options),
        memory.assert_fact(name, "works_at", "Acme", **options),
    ]


def digests(memory: Any, **options: Any) -> list[Fact]:
    found: list[Fact] = memory.facts(kinds=["digest"], scopes=None, **options)
    return found


def observe(memory: Engine, chat: Chat, **options: Any) -> Any:
    return memory.observe(writer=DigestWriter(chat), **options)


def test_two_facts_of_an_entity_make_one_digest_that_sums_them_up(
    memory: Engine, chat: Chat
) -> None:
    facts = live_and_work(memory)
    done = observe(memory, chat)
    (digest,) = digests(memory)
    assert (digest.position,) == done.written
    assert (digest.subject, digest.predicate, digest.kind) == ("Rachel", "digest:entity", "digest")
    assert (digest.statement, digest.because) == ("Digest number 1.", tuple(facts))


def test_a_third_fact_and_a_refresh_supersede_the_digest_and_keep_its_history(
    memory: Engine, chat: Chat
) -> None:
    live_and_work(memory)
    first = observe(memory, chat).written[0]
    memory.assert_fact("Rachel", "drives", "a Fiat")
    (second,) = observe(memory, chat).written
    assert [digest.position for digest in digests(memory)] == [second]
    every = digests(memory, statuses=None)
    assert [(each.position, each.status) for each in every] == [
        (first, FactStatus.SUPERSEDED),
        (second, FactStatus.CURRENT),
    ]


def test_digests_are_given_only_to_who_asks_for_them(memory: Engine, chat: Chat) -> None:
    facts = live_and_work(memory)
    observe(memory, chat)
    assert [fact.position for fact in memory.facts("Rachel")] == facts
    assert [each.fact.position for each in memory.history("Rachel")] == facts
    (digest,) = memory.facts("Rachel", "digest:entity")
    assert digest.kind == "digest"
    assert len(memory.history("Rachel", "digest:entity")) == 1


def test_a_group_below_the_minimum_costs_no_call(memory: Engine, chat: Chat) -> None:
    memory.assert_fact("Rachel", "lives_in", "Berlin")
    live_and_work(memory, "Tom")
    done = observe(memory, chat, min_facts=3)
    assert (done.written, done.unchanged, chat.asked) == ((), 0, [])


def test_events_with_distinct_entities_make_one_digest_of_their_predicate(
    memory: Engine, chat: Chat
) -> None:
    for name in ("Ana", "Ben", "Cem"):
        memory.assert_fact("user", "met", name, multi=True, entities=[name])
    observe(memory, chat)
    assert [digest.predicate for digest in digests(memory)] == ["digest:met"]


def test_granularity_chooses_the_kinds_of_groups(memory: Engine, chat: Chat) -> None:
    for name in ("Ana", "Ben"):
        memory.assert_fact("Rachel", "met", name, multi=True)
    observe(memory, chat, granularity=["predicate"])
    assert [digest.predicate for digest in digests(memory)] == ["digest:met"]
    observe(memory, chat, granularity=["entity"])
    assert {digest.predicate for digest in digests(memory)} == {"digest:met", "digest:entity"}


def test_a_subject_chooses_its_groups_under_any_of_its_names(memory: Engine, chat: Chat) -> None:
    live_and_work(memory)
    live_and_work(memory, "Tom")
    memory.alias("Rachel Smith", "Rachel")
    observe(memory, chat, subject="rachel smith")
    assert [digest.subject for digest in digests(memory)] == ["Rachel"]


def test_totals_are_added_up_in_code_and_units_are_never_mixed(memory: Engine, chat: Chat) -> None:
    pay(memory, *FARES, "one day in a lounge")
    memory.assert_fact("user", "paid_for", "parking", statement="Parked for 3 hours.", multi=True)
    observe(memory, chat)
    (digest,) = digests(memory)
    assert digest.statement == "Digest number 1.\nTotals: $185 ($40 + $120 + $25)."


def test_a_digest_takes_no_place_of_a_fact_or_a_turn(
    engine: Open, embedder: CallableEmbedder, chat: Chat
) -> None:
    memory = engine(extractor=None, embedder=embedder)
    memory.add("Have I paid for lunch?", session="s")
    pay(memory, *FARES)
    memory.wait_for_vectors()

    def ranked() -> list[tuple[int, float]]:
        return [(hit.position, hit.score) for hit in memory.search(HOW_MUCH, k=3)]

    before = ranked()
    observe(memory, chat)
    memory.wait_for_vectors()
    assert (ranked(), memory.status().pending) == (before, 0)
    assert len(memory.search(HOW_MUCH, k=3).observed) == 1


def test_a_digest_appears_for_a_question_that_counts_and_for_no_other(
    memory: Engine, chat: Chat
) -> None:
    pay(memory, *FARES)
    precise = "What has the user paid for?"
    before = memory.context(precise).text
    observe(memory, chat)
    counting = memory.context(HOW_MUCH)
    line = "- [DIGEST of 3 facts] Digest number 1. Totals: $185 ($40 + $120 + $25)."
    assert line in counting.text.splitlines()
    assert [digest.predicate for digest in counting.observed] == ["digest:paid_for"]
    assert memory.context(precise).text == before
    assert memory.search(precise).observed == ()


def test_a_digest_that_sums_up_nothing_that_was_found_does_not_appear(
    memory: Engine, chat: Chat
) -> None:
    pay(memory, *FARES)
    live_and_work(memory)
    observe(memory, chat)
    found = memory.search(HOW_MUCH).observed
    assert [digest.predicate for digest in found] == ["digest:paid_for"]


def test_digests_stay_within_a_fifth_of_the_budget(memory: Engine) -> None:
    pay(memory, *FARES)
    observe(memory, Chat("word " * 100))
    assert memory.context(HOW_MUCH, budget=4_000).observed != ()
    small = memory.context(HOW_MUCH, budget=1_000)
    assert (small.observed, len(small.facts)) == ((), 3)


@pytest.mark.parametrize("budget", [1, 60, 140, 200, 320, 500, 900])
def test_a_context_with_facts_and_digests_never_exceeds_its_budget(
    budget: int, memory: Engine, chat: Chat
) -> None:
    pay(memory, *FARES)
    observe(memory, chat)
    assert len(memory.context(HOW_MUCH, budget=budget).text) <= budget
    in_words = memory.context(HOW_MUCH, budget=budget, measure=lambda text: len(text.split()))
    assert len(in_words.text.split()) <= budget


def test_each_scope_has_a_digest_of_its_own(memory: Engine, chat: Chat) -> None:
    pay(memory, *FARES)
    pay(memory, "a boat", "a tent", scope="trip:Azores")
    observe(memory, chat)
    assert {(digest.scope, len(digest.because)) for digest in digests(memory)} == {
        ("", 3),
        ("trip:Azores", 2),
    }


def test_only_who_is_in_a_scope_sees_its_digest(memory: Engine, chat: Chat) -> None:
    pay(memory, "a boat", "a tent", scope="trip:Azores")
    observe(memory, chat)
    assert memory.facts(kinds=["digest"]) == []
    assert memory.search(HOW_MUCH).observed == ()
    within = memory.context(HOW_MUCH, scopes=["trip:Azores"])
    assert "- [DIGEST of 2 facts | trip:Azores] Digest number 1." in within.text


def test_refreshing_leaves_one_digest_for_each_key_and_scope(memory: Engine, chat: Chat) -> None:
    for fare in FARES:
        pay(memory, fare)
        pay(memory, fare, scope="trip:Azores")
        observe(memory, chat, min_facts=1)
    assert [(digest.scope, len(digest.because)) for digest in digests(memory)] == [
        ("trip:Azores", 3),
        ("", 3),
    ]
    assert len(digests(memory, statuses=None)) == 6


def test_the_model_is_shown_scope_and_interval_of_each_fact(memory: Engine, chat: Chat) -> None:
    pay(memory, "a boat", valid_from="2026-01-15", valid_to="2027-01-15")
    pay(memory, "a tent", valid_from="2026-02")
    pay(memory, "a map", "a lamp", scope="trip:Azores")
    observe(memory, chat)
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
    options: dict[str, Any], memory: Engine, chat: Chat
) -> None:
    live_and_work(memory)
    with pytest.raises(InvalidInput):
        observe(memory, chat, **options)
    assert chat.asked == []


def test_a_memory_that_is_read_only_is_not_observed(memory: Engine, engine: Open) -> None:
    live_and_work(memory)
    chat = Chat()
    with pytest.raises(NotAllowed):
        observe(engine(read_only=True), chat)
    assert chat.asked == []


def test_unchanged_facts_cost_no_call_and_make_no_new_digest(memory: Engine, chat: Chat) -> None:
    live_and_work(memory)
    pay(memory, *FARES)
    observe(memory, chat)
    head, calls = memory.head, len(chat.asked)
    done = observe(memory, chat)
    assert (done.written, done.unchanged, done.head) == ((), 2, head)
    assert len(chat.asked) == calls


def test_another_model_does_not_rewrite_what_has_not_changed(memory: Engine, chat: Chat) -> None:
    live_and_work(memory)
    observe(memory, chat)
    other = Chat()
    assert observe(memory, other).written == ()
    assert other.asked == []


def test_a_restatement_is_no_change(memory: Engine, chat: Chat) -> None:
    live_and_work(memory)
    observe(memory, chat)
    memory.assert_fact("Rachel", "lives_in", "berlin")
    assert digests(memory)[0].stale is False
    assert observe(memory, chat).written == ()


@pytest.mark.parametrize(
    "change",
    [
        lambda memory, facts: memory.assert_fact("Rachel", "drives", "a Fiat"),
        lambda memory, facts: memory.assert_fact("Rachel", "lives_in", "Rome"),
        lambda memory, facts: memory.end_fact(facts[0]),
        lambda memory, facts: memory.end_fact(facts[0], at="2030-01-01"),
        lambda memory, facts: memory.retract(facts[1]),
        lambda memory, facts: memory.assert_fact("Tom", "knows", "Rachel", entities=["Rachel"]),
    ],
    ids=["joined", "superseded", "ended", "will end", "retracted", "named elsewhere"],
)
def test_a_digest_is_stale_once_its_facts_change_until_it_is_refreshed(
    change: Callable[[Engine, list[int]], object], memory: Engine, chat: Chat
) -> None:
    facts = live_and_work(memory)
    observe(memory, chat, min_facts=1)
    change(memory, facts)
    (digest,) = memory.facts("Rachel", "digest:entity")
    assert digest.stale
    observe(memory, chat, min_facts=1)
    (digest,) = memory.facts("Rachel", "digest:entity")
    assert not digest.stale


def test_a_digest_goes_stale_by_itself_when_a_fact_of_it_runs_out(
    memory: Engine, chat: Chat
) -> None:
    live_and_work(memory)
    memory.assert_fact("Rachel", "rents", "a flat", multi=True, valid_to="2026-09-01")
    observe(memory, chat)
    assert [each.stale for each in digests(memory)] == [False]
    assert [each.stale for each in digests(memory, valid_at="2026-09-02")] == [True]


def test_a_stale_digest_says_so_in_a_context(memory: Engine, chat: Chat) -> None:
    pay(memory, *FARES)
    observe(memory, chat)
    pay(memory, "a ferry for $10")
    shown = memory.context(HOW_MUCH).text
    assert "- [DIGEST of 3 facts | STALE: what it rests on has changed] Digest number 1." in shown


def test_a_digest_in_the_same_words_is_one_of_its_own(memory: Engine) -> None:
    chat = Chat("Rachel is busy.", "Rachel is busy.")
    live_and_work(memory)
    observe(memory, chat)
    memory.assert_fact("Rachel", "drives", "a Fiat")
    (second,) = observe(memory, chat).written
    (digest,) = digests(memory)
    assert (digest.position, digest.stale, len(digest.because)) == (second, False, 3)


def test_a_digest_ends_when_too_few_facts_are_left_to_sum_up(memory: Engine, chat: Chat) -> None:
    facts = live_and_work(memory)
    (digest,) = observe(memory, chat).written
    memory.retract(facts[0])
    done = observe(memory, chat)
    assert (done.written, done.ended, len(chat.asked)) == ((), (digest,), 1)
    assert digests(memory) == []
    assert [each.status for each in digests(memory, statuses=None)] == [FactStatus.ENDED]


def test_a_group_that_comes_back_gets_a_digest_again(memory: Engine, chat: Chat) -> None:
    facts = live_and_work(memory)
    observe(memory, chat)
    memory.end_fact(facts[0])
    end = memory.head - 1
    observe(memory, chat)
    memory.retract_end(end)
    (again,) = observe(memory, chat).written
    assert [(each.position, each.stale) for each in digests(memory)] == [(again, False)]


def test_only_digests_of_the_groups_asked_for_are_ended(memory: Engine, chat: Chat) -> None:
    for subject in ("Rachel", "Tom"):
        live_and_work(memory, subject)
        pay(memory, *FARES[:2])
    observe(memory, chat)
    for fact in memory.facts("Tom"):
        memory.retract(fact.position)
    assert observe(memory, chat, subject="Rachel").ended == ()
    assert observe(memory, chat, granularity=["predicate"]).ended == ()
    assert len(observe(memory, chat).ended) == 1


def test_a_digest_that_stands_well_outlives_a_higher_minimum(memory: Engine, chat: Chat) -> None:
    live_and_work(memory)
    observe(memory, chat)
    assert observe(memory, chat, min_facts=5).ended == ()
    assert len(digests(memory)) == 1


def test_a_digest_takes_the_lowest_origin_of_its_facts(
    memory: Engine, chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    pay(memory, *FARES[:2])
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
    from smriti_es.fact_writing import AssertFacts, FactDraft

    memory._do(AssertFacts(memory._opened.projector, [FactDraft(untrusted)]))
    observe(memory, chat)
    assert [digest.origin for digest in digests(memory)] == ["untrusted"]
    assert memory.context(HOW_MUCH).observed == ()
    assert len(memory.context(HOW_MUCH, origins=["owner", "untrusted"]).observed) == 1


def test_nothing_that_a_digest_says_comes_back_to_it_as_material(
    memory: Engine, chat: Chat
) -> None:
    live_and_work(memory)
    (digest,) = observe(memory, chat).written
    follows = memory.assert_fact("Rachel", "mood", "busy", because=[digest])
    memory.assert_fact("Rachel", "pace", "fast", because=[follows])
    assert [each.stale for each in digests(memory)] == [False]
    assert observe(memory, chat).written == ()


def test_a_stale_fact_is_no_material(memory: Engine, chat: Chat) -> None:
    premise = memory.assert_fact("Tom", "lives_in", "Rome")
    live_and_work(memory)
    memory.assert_fact("Rachel", "visits", "Rome", because=[premise])
    observe(memory, chat)
    memory.retract(premise)
    assert [each.stale for each in memory.facts("Rachel", "digest:entity")] == [True]
    observe(memory, chat)
    (digest,) = memory.facts("Rachel", "digest:entity")
    assert (digest.stale, len(digest.because)) == (False, 2)


def test_what_follows_from_a_digest_is_stale_once_the_digest_is(memory: Engine, chat: Chat) -> None:
    live_and_work(memory)
    (digest,) = observe(memory, chat).written
    memory.assert_fact("user", "worries_about", "Rachel", because=[digest])
    memory.assert_fact("Rachel", "drives", "a Fiat")
    (follows,) = memory.facts("user")
    assert follows.stale


def test_the_raw_reply_is_kept_with_the_digest(memory: Engine) -> None:
    live_and_work(memory)
    (position,) = observe(memory, Chat("<think>Hm.</think> Rachel works.")).written
    (event,) = [each.event for each in memory.events(position, position + 1)]
    assert isinstance(event, FactAsserted)
    assert (event.statement, event.source) == ("Rachel works.", "llm-digest/1")
    assert event.metadata["reply"] == "<think>Hm.</think> Rachel works."
    assert (event.metadata["model"], event.metadata["tokens_out"]) == ("scripted", 7)


def test_the_lineage_of_a_digest_leads_to_its_facts(memory: Engine, chat: Chat) -> None:
    facts = live_and_work(memory)
    (digest,) = observe(memory, chat).written
    assert [cause.position for cause in memory.explain(digest).rests_on] == facts


def test_an_empty_answer_writes_nothing_and_is_said(memory: Engine) -> None:
    live_and_work(memory)
    done = observe(memory, Chat("   "))
    assert (done.written, done.skipped) == ((), (("Rachel", "the model wrote nothing"),))


def test_a_group_too_large_to_be_shown_whole_is_left_out_and_said(engine: Open, chat: Chat) -> None:
    memory = engine(":memory:", extractor=None)
    pay(memory, *(f"coffee {number}" for number in range(FACTS_MAX + 1)))
    done = observe(memory, chat)
    assert (done.skipped, chat.asked) == (
        (("user: paid for", "201 facts; a digest sums up 200 at most"),),
        [],
    )


def test_an_outage_keeps_what_was_written_and_goes_on_from_there(memory: Engine) -> None:
    live_and_work(memory)
    live_and_work(memory, "Tom")
    with pytest.raises(ExtractionError):
        observe(memory, Chat("Rachel works.", ExtractionError("out of reach")))
    chat = Chat()
    done = observe(memory, chat)
    assert (len(done.written), done.unchanged, len(chat.asked)) == (1, 1, 1)


def test_a_fact_taken_back_while_the_model_writes_leaves_the_digest_unwritten(
    memory: Engine,
) -> None:
    facts = live_and_work(memory)

    class Meddling(Chat):
        def complete(self, messages: Sequence[Message], *, json_mode: bool) -> Reply:
            memory.retract(facts[0])
            return super().complete(messages, json_mode=json_mode)

    done = observe(memory, Meddling())
    assert (done.written, done.skipped) == (
        (),
        (("Rachel", "a fact of it was taken back meanwhile"),),
    )


def test_a_clock_set_back_does_not_bring_an_old_digest_back(
    memory: Engine, chat: Chat, clock: Any
) -> None:
    live_and_work(memory, valid_from="2026-01-01")
    observe(memory, chat)
    clock.now -= 3_600_000_000
    memory.assert_fact("Rachel", "drives", "a Fiat", valid_from="2026-01-01")
    (second,) = observe(memory, chat).written
    clock.now += 7_200_000_000
    assert [digest.position for digest in digests(memory)] == [second]


def test_progress_is_told_group_by_group(memory: Engine, chat: Chat) -> None:
    live_and_work(memory)
    pay(memory, *FARES)
    seen: list[tuple[str, int, int]] = []
    observe(memory, chat, progress=lambda *told: seen.append(told))
    assert seen == [("observe", 0, 2), ("observe", 1, 2), ("observe", 2, 2)]


def test_digests_are_read_as_of_any_commit_and_replay_gives_the_same(
    memory: Engine, chat: Chat
) -> None:
    facts = pay(memory, *FARES)
    observe(memory, chat)
    pay(memory, "a ferry for $10")
    live_and_work(memory)
    memory.alias("Rachel Smith", "Rachel")
    observe(memory, chat)
    memory.retract(facts[0])
    memory.unalias("Rachel Smith")
    observe(memory, chat)
    for known in sorted({sum(event.header.commit) - 1 for event in memory.events()}):
        then = memory.at(known)
        with memory.replay(known) as replayed:
            assert digests(then, statuses=None) == digests(replayed, statuses=None)
            assert then.context(HOW_MUCH, now="2026-07-01") == replayed.context(
                HOW_MUCH, now="2026-07-01"
            )
            assert then.search(HOW_MUCH).observed == replayed.search(HOW_MUCH).observed


def test_what_was_known_of_a_digest_then_is_told_then(memory: Engine, chat: Chat) -> None:
    pay(memory, *FARES)
    observe(memory, chat)
    then = memory.head
    pay(memory, "a ferry for $10")
    assert [digest.stale for digest in digests(memory)] == [True]
    assert [digest.stale for digest in digests(memory.at(then))] == [False]


def test_a_memory_with_digests_verifies_and_rebuilds_equal(memory: Engine, chat: Chat) -> None:
    pay(memory, *FARES)
    observe(memory, chat)
    assert memory.verify().ok
    assert all(memory.rebuild(name).equal for name in ("facts", "revisions", "lexical"))
