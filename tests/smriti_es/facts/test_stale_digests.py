"""Digests go stale with their facts, are refreshed by `observe` and by nothing else, and end."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.beliefs import FactStatus
from smriti_es.engine import Engine

FARES = ("a taxi for $40", "a train for $120", "a bus for $25")


def test_unchanged_facts_cost_no_call_and_make_no_new_digest(
    memory: Engine, chat: Any, book: Any
) -> None:
    book.live_and_work()
    book.pay(*FARES)
    book.observe(chat)
    head, calls = memory.head, len(chat.asked)
    done = book.observe(chat)
    assert (done.written, done.unchanged, done.head) == ((), 2, head)
    assert len(chat.asked) == calls


def test_another_model_does_not_rewrite_what_has_not_changed(chat: Any, book: Any) -> None:
    book.live_and_work()
    book.observe(chat)
    other = book.chat()
    assert book.observe(other).written == ()
    assert other.asked == []


def test_a_restatement_is_no_change(memory: Engine, chat: Any, book: Any) -> None:
    book.live_and_work()
    book.observe(chat)
    memory.assert_fact("Rachel", "lives_in", "berlin")
    assert book.digests()[0].stale is False
    assert book.observe(chat).written == ()


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
    change: Callable[[Engine, list[int]], object], memory: Engine, chat: Any, book: Any
) -> None:
    facts = book.live_and_work()
    book.observe(chat, min_facts=1)
    change(memory, facts)
    (digest,) = memory.facts("Rachel", "digest:entity")
    assert digest.stale
    book.observe(chat, min_facts=1)
    (digest,) = memory.facts("Rachel", "digest:entity")
    assert not digest.stale


def test_a_digest_goes_stale_by_itself_when_a_fact_of_it_runs_out(
    memory: Engine, chat: Any, book: Any
) -> None:
    book.live_and_work()
    memory.assert_fact("Rachel", "rents", "a flat", multi=True, valid_to="2026-09-01")
    book.observe(chat)
    assert [each.stale for each in book.digests()] == [False]
    assert [each.stale for each in book.digests(valid_at="2026-09-02")] == [True]


def test_a_digest_in_the_same_words_is_one_of_its_own(memory: Engine, book: Any) -> None:
    chat = book.chat("Rachel is busy.", "Rachel is busy.")
    book.live_and_work()
    book.observe(chat)
    memory.assert_fact("Rachel", "drives", "a Fiat")
    (second,) = book.observe(chat).written
    (digest,) = book.digests()
    assert (digest.position, digest.stale, len(digest.because)) == (second, False, 3)


def test_a_digest_ends_when_too_few_facts_are_left_to_sum_up(
    memory: Engine, chat: Any, book: Any
) -> None:
    facts = book.live_and_work()
    (digest,) = book.observe(chat).written
    memory.retract(facts[0])
    done = book.observe(chat)
    assert (done.written, done.ended, len(chat.asked)) == ((), (digest,), 1)
    assert book.digests() == []
    assert [each.status for each in book.digests(statuses=None)] == [FactStatus.ENDED]


def test_a_group_that_comes_back_gets_a_digest_again(memory: Engine, chat: Any, book: Any) -> None:
    facts = book.live_and_work()
    book.observe(chat)
    memory.end_fact(facts[0])
    end = memory.head - 1
    book.observe(chat)
    memory.retract_end(end)
    (again,) = book.observe(chat).written
    assert [(each.position, each.stale) for each in book.digests()] == [(again, False)]


def test_a_digest_that_was_just_taken_back_does_not_come_back_in_the_same_moment(
    memory: Engine, chat: Any, clock: Any, book: Any
) -> None:
    book.live_and_work()
    clock.step = 0
    (digest,) = book.observe(chat).written
    memory.retract(digest)
    done = book.observe(chat)
    assert done.written == ()
    assert done.skipped == (("Rachel", "a digest of these facts was just taken back"),)


def test_what_is_said_of_the_user_under_a_name_leaves_that_names_digest_as_it_is(
    memory: Engine, chat: Any, book: Any
) -> None:
    book.live_and_work()
    memory.alias("user", "Rachel")
    memory.assert_fact("user", "drives", "a Fiat")
    (digest,) = book.observe(chat).written
    assert [(each.position, each.stale) for each in book.digests()] == [(digest, False)]


def test_only_digests_of_the_groups_asked_for_are_ended(
    memory: Engine, chat: Any, book: Any
) -> None:
    for subject in ("Rachel", "Tom"):
        book.live_and_work(subject)
        book.pay(*FARES[:2])
    book.observe(chat)
    for fact in memory.facts("Tom"):
        memory.retract(fact.position)
    assert book.observe(chat, subject="Rachel").ended == ()
    assert book.observe(chat, granularity=["predicate"]).ended == ()
    assert len(book.observe(chat).ended) == 1


def test_a_digest_that_stands_well_outlives_a_higher_minimum(chat: Any, book: Any) -> None:
    book.live_and_work()
    book.observe(chat)
    assert book.observe(chat, min_facts=5).ended == ()
    assert len(book.digests()) == 1


def test_nothing_that_a_digest_says_comes_back_to_it_as_material(
    memory: Engine, chat: Any, book: Any
) -> None:
    book.live_and_work()
    (digest,) = book.observe(chat).written
    follows = memory.assert_fact("Rachel", "mood", "busy", because=[digest])
    memory.assert_fact("Rachel", "pace", "fast", because=[follows])
    assert [each.stale for each in book.digests()] == [False]
    assert book.observe(chat).written == ()


def test_a_stale_fact_is_no_material(memory: Engine, chat: Any, book: Any) -> None:
    premise = memory.assert_fact("Tom", "lives_in", "Rome")
    book.live_and_work()
    memory.assert_fact("Rachel", "visits", "Rome", because=[premise])
    book.observe(chat)
    memory.retract(premise)
    assert [each.stale for each in memory.facts("Rachel", "digest:entity")] == [True]
    book.observe(chat)
    (digest,) = memory.facts("Rachel", "digest:entity")
    assert (digest.stale, len(digest.because)) == (False, 2)


def test_what_follows_from_a_digest_is_stale_once_the_digest_is(
    memory: Engine, chat: Any, book: Any
) -> None:
    book.live_and_work()
    (digest,) = book.observe(chat).written
    memory.assert_fact("user", "worries_about", "Rachel", because=[digest])
    memory.assert_fact("Rachel", "drives", "a Fiat")
    (follows,) = memory.facts("user")
    assert follows.stale


def test_a_clock_set_back_does_not_bring_an_old_digest_back(
    memory: Engine, chat: Any, clock: Any, book: Any
) -> None:
    book.live_and_work(valid_from="2026-01-01")
    book.observe(chat)
    clock.now -= 3_600_000_000
    memory.assert_fact("Rachel", "drives", "a Fiat", valid_from="2026-01-01")
    (second,) = book.observe(chat).written
    clock.now += 7_200_000_000
    assert [digest.position for digest in book.digests()] == [second]
