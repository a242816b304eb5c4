"""Facts from a model: each with its turns, long sessions in chunks, two calls a chunk at most."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.events.errors import ExtractionError, InvalidInput
from smriti_es.events.guard import CallInsideTransaction, transaction_open
from smriti_es.extraction.chat import Reply
from smriti_es.extraction.contract import Evidence, Extractor, SourceTurn
from smriti_es.extraction.llm import LLMExtractor
from smriti_es.extraction.prompts import PROMPT_DIGEST

Turns = Callable[..., list[SourceTurn]]
Scripted = Callable[..., Any]
HYDERABAD = {
    "statement": "The user lives in Hyderabad",
    "subject": "user",
    "predicate": "lives_in",
    "object": "Hyderabad",
    "turns": [1],
    "quote": "I live in Hyderabad",
}
RUST = {
    "statement": "The user uses Rust for project Apollo",
    "subject": "user",
    "predicate": "uses",
    "object": "Rust",
    "scope": "project:apollo",
    "turns": [1],
    "quote": "For project Apollo I use Rust",
}
UNREADABLE = "I am sorry, I cannot do that."


def listing(*items: Any) -> str:
    return json.dumps({"facts": items})


def test_an_extractor_names_itself_its_model_and_its_prompt(scripted: Scripted) -> None:
    extractor: Extractor = LLMExtractor(scripted())
    assert (extractor.name, extractor.model) == ("llm/1", "scripted")
    assert extractor.prompt_digest == PROMPT_DIGEST


def test_a_fact_has_the_turn_and_the_words_that_support_it(
    scripted: Scripted, turns: Turns
) -> None:
    chat = scripted(listing(HYDERABAD))
    found = LLMExtractor(chat).extract(turns("I live in Hyderabad."), timezone="UTC")
    (fact,) = found.facts
    assert (fact.subject, fact.predicate, fact.object) == ("user", "lives_in", "Hyderabad")
    assert fact.evidence == (Evidence(10, "I live in Hyderabad"),)
    assert (found.status, found.dropped) == ("ok", ())
    assert found.replies == (listing(HYDERABAD),)
    assert found.usage == {"calls": 1}
    assert chat.json_modes == [True]


def test_the_details_say_what_was_done(scripted: Scripted, turns: Turns) -> None:
    odd = HYDERABAD | {"predicate": "moved_to", "event_date": "when I was young", "quote": "Huh"}
    reply = listing(odd, {"statement": "x"}, 7)
    said = turns("I live in Hyderabad.", ("assistant", None, "Nice."))
    found = LLMExtractor(scripted(reply)).extract(said, timezone="UTC")
    assert found.details == {
        "chunks": 1,
        "chunk_statuses": ["ok"],
        "raw_chars": len(reply),
        "items": 3,
        "accepted": 1,
        "skipped": 2,
        "duplicates_merged": 0,
        "normalized_predicates": 1,
        "unreadable_dates": 1,
        "quotes_replaced": 1,
        "invented_turns": 0,
        "notes": [],
        "input_roles": {"user": 1, "assistant": 1},
        "scopes": [],
    }
    assert json.loads(json.dumps(found.details)) == found.details


def test_no_turns_need_no_model(scripted: Scripted, turns: Turns) -> None:
    chat = scripted()
    for said in ([], turns("", " ")):
        found = LLMExtractor(chat).extract(said, timezone="UTC")
        assert (found.facts, found.status, found.replies) == ((), "ok", ())
    assert chat.asked == []


def test_an_empty_list_is_fine_and_finds_nothing(scripted: Scripted, turns: Turns) -> None:
    found = LLMExtractor(scripted("[]")).extract(turns("Hello!"), timezone="UTC")
    assert (found.status, found.facts, found.details["items"]) == ("ok", (), 0)


def test_items_that_are_all_unusable_are_said_so(scripted: Scripted, turns: Turns) -> None:
    reply = listing(HYDERABAD | {"entities": "Hyderabad"})
    found = LLMExtractor(scripted(reply)).extract(turns("I live in Hyderabad."), timezone="UTC")
    assert (found.status, found.facts) == ("all_items_rejected", ())
    assert [each.reason for each in found.dropped] == ["its entities are no list"]


def test_a_fact_that_is_listed_twice_is_one_with_both_turns(
    scripted: Scripted, turns: Turns
) -> None:
    again = HYDERABAD | {"object": "hyderabad ", "turns": [2], "quote": "live in Hyderabad"}
    said = turns("I live in Hyderabad.", "Yes, I live in Hyderabad!")
    found = LLMExtractor(scripted(listing(HYDERABAD, again))).extract(said, timezone="UTC")
    (fact,) = found.facts
    assert fact.object == "Hyderabad"
    assert fact.evidence == (
        Evidence(10, "I live in Hyderabad"),
        Evidence(11, "live in Hyderabad"),
    )
    assert found.details["duplicates_merged"] == 1


def test_facts_that_differ_in_scope_or_time_are_not_one(scripted: Scripted, turns: Turns) -> None:
    items = [HYDERABAD, HYDERABAD | {"event_date": "2019"}, HYDERABAD | {"ended": True}]
    said = turns("I live in Hyderabad.")
    found = LLMExtractor(scripted(listing(*items))).extract(said, timezone="UTC")
    assert [(fact.precision, fact.ends) for fact in found.facts] == [
        ("unknown", False),
        ("year", False),
        ("unknown", True),
    ]


def test_a_long_session_is_read_in_chunks_and_a_repeated_fact_given_once(
    scripted: Scripted, turns: Turns
) -> None:
    filler = "We talked about the weather. " * 9
    said = turns(filler, filler, "I live in Hyderabad.", filler, filler)
    in_third = HYDERABAD | {"turns": [3]}
    chat = scripted(listing(in_third), listing(in_third), listing())
    extractor = LLMExtractor(chat, max_chunk_chars=1000, overlap_turns=1)
    found = extractor.extract(said, timezone="UTC")
    assert len(chat.asked) == found.details["chunks"] == len(found.replies) == 2
    assert all('"turn": 3,' in asked[1]["content"] for asked in chat.asked)
    assert [fact.evidence for fact in found.facts] == [(Evidence(12, "I live in Hyderabad"),)]
    assert found.usage == {"calls": 2}


def test_a_turn_of_another_chunk_is_an_invented_one(scripted: Scripted, turns: Turns) -> None:
    filler = "We talked about the weather. " * 9
    said = turns("I live in Hyderabad.", *[filler] * 6)
    chat = scripted(*[listing(HYDERABAD | {"quote": ""})] * 3)
    found = LLMExtractor(chat, max_chunk_chars=1000).extract(said, timezone="UTC")
    assert found.details["chunks"] > 1
    assert len(found.facts) == 1
    assert {each.reason for each in found.dropped} == {"the turns it names do not exist"}
    assert found.details["notes"] == ["no such turn: 1"] * (found.details["chunks"] - 1)


@pytest.mark.parametrize("unreadable", [UNREADABLE, '{"facts": 7}', '{"facts": ["I live'])
def test_a_reply_that_cannot_be_read_is_asked_for_once_more(
    scripted: Scripted, turns: Turns, unreadable: str
) -> None:
    chat = scripted(unreadable, listing(HYDERABAD))
    found = LLMExtractor(chat).extract(turns("I live in Hyderabad."), timezone="UTC")
    assert (found.status, len(found.facts)) == ("repaired", 1)
    assert found.replies == (unreadable, listing(HYDERABAD))
    assert chat.asked[1][2] == {"role": "assistant", "content": unreadable}


def test_two_replies_that_cannot_be_read_are_an_error_that_holds_them(
    scripted: Scripted, turns: Turns
) -> None:
    chat = scripted(UNREADABLE, "No.")
    with pytest.raises(ExtractionError, match=r"scripted could be read: malformed") as caught:
        LLMExtractor(chat).extract(turns("I live in Hyderabad."), timezone="UTC")
    error = caught.value
    assert (error.outcome, error.retryable) == ("malformed", False)
    assert error.replies == (UNREADABLE, "No.")
    assert error.usage == {"calls": 2}
    assert error.details["chunk_statuses"] == ["malformed"]


def test_a_chunk_that_cannot_be_read_does_not_cost_the_others(
    scripted: Scripted, turns: Turns
) -> None:
    filler = "We talked about the weather. " * 30
    chat = scripted(UNREADABLE, UNREADABLE, listing(HYDERABAD | {"turns": [2]}))
    extractor = LLMExtractor(chat, max_chunk_chars=1000, overlap_turns=0)
    found = extractor.extract(turns(filler[:700], "I live in Hyderabad. " * 20), timezone="UTC")
    assert (found.status, len(found.facts)) == ("malformed", 1)
    assert found.details["chunk_statuses"] == ["malformed", "ok"]


def test_silence_that_the_limit_of_tokens_caused_is_not_nothing_found(
    scripted: Scripted, turns: Turns
) -> None:
    chat = scripted(Reply("", finish_reason="length"), listing(HYDERABAD))
    found = LLMExtractor(chat).extract(turns("I live in Hyderabad."), timezone="UTC")
    assert (found.status, len(found.facts)) == ("repaired", 1)
    assert "Write fewer and shorter facts" in chat.asked[1][3]["content"]


def test_a_model_that_is_out_of_reach_is_told_as_it_is(
    scripted: Scripted, turns: Turns, outage: ExtractionError
) -> None:
    with pytest.raises(ExtractionError, match="out of reach") as caught:
        LLMExtractor(scripted(outage)).extract(turns("I live in Hyderabad."), timezone="UTC")
    assert caught.value.retryable


def test_a_mistake_of_ours_is_not_taken_for_an_outage(scripted: Scripted, turns: Turns) -> None:
    with pytest.raises(ZeroDivisionError):
        LLMExtractor(scripted(ZeroDivisionError())).extract(turns("Hello!"), timezone="UTC")


def test_a_valid_scope_costs_one_call(scripted: Scripted, turns: Turns) -> None:
    chat = scripted(listing(RUST))
    found = LLMExtractor(chat).extract(turns("For project Apollo I use Rust."), timezone="UTC")
    assert [fact.scope for fact in found.facts] == ["project:apollo"]
    assert (found.status, found.details["scopes"]) == ("ok", [])
    assert "scope_summary" not in found.details


def test_an_invalid_scope_costs_a_second_call_that_corrects_it(
    scripted: Scripted, turns: Turns
) -> None:
    chat = scripted(listing(RUST | {"scope": "project:apolo"}), listing(RUST))
    found = LLMExtractor(chat).extract(turns("For project Apollo I use Rust."), timezone="UTC")
    assert [fact.scope for fact in found.facts] == ["project:apollo"]
    assert (found.status, len(found.replies)) == ("corrected", 2)
    assert "its value does not stand in the turns" in chat.asked[1][3]["content"]
    assert found.details["scope_summary"] == {
        "outcome": "corrected",
        "attempts": 2,
        "accepted_before_scope": 0,
        "accepted_final": 1,
        "rejected_candidates": 0,
        "validation_rejections": 1,
        "facts_dropped_after_retry": 0,
        "unresolved_candidates": 0,
        "warning": found.details["scope_summary"]["warning"],
    }
    assert "nothing was made global" in found.details["scope_summary"]["warning"]


@pytest.mark.parametrize(
    ("second", "outcome", "dropped"),
    [
        (listing(RUST | {"scope": "project:apolo"}), "rejected", 2),
        (listing(RUST | {"scope": ""}), "rejected", 2),
        ("[]", "retry_completed", 1),
        (UNREADABLE, "retry_parse_failed", 1),
        (ExtractionError("gone"), "retry_failed", 1),
    ],
)
def test_a_scope_that_is_not_mended_keeps_the_fact_out(
    scripted: Scripted, turns: Turns, second: Any, outcome: str, dropped: int
) -> None:
    home = HYDERABAD | {"turns": [2]}
    chat = scripted(listing(RUST | {"scope": "project:apolo"}, home), second)
    said = turns("For project Apollo I use Rust.", "I live in Hyderabad.")
    found = LLMExtractor(chat).extract(said, timezone="UTC")
    assert [fact.object for fact in found.facts] == ["Hyderabad"]
    assert found.status == found.details["scope_summary"]["outcome"] == outcome
    assert found.details["scope_summary"]["facts_dropped_after_retry"] == 1
    assert [each.reason.startswith("its scope: ") for each in found.dropped] == [True] * dropped


def test_a_repaired_reply_gets_no_third_call(scripted: Scripted, turns: Turns) -> None:
    chat = scripted(UNREADABLE, listing(RUST | {"scope": "project:apolo"}))
    found = LLMExtractor(chat).extract(turns("For project Apollo I use Rust."), timezone="UTC")
    assert found.facts == ()
    assert found.status == "rejected"
    assert found.details["scopes"][0]["retry_used"] is False


def test_a_scope_may_be_stated_in_another_chunk(scripted: Scripted, turns: Turns) -> None:
    filler = "We talked about the weather. " * 30
    said = turns(f"This is about project Apollo. {filler[:700]}", f"I use Rust there. {filler}")
    rust = RUST | {"turns": [2], "quote": "I use Rust there"}
    chat = scripted(*[listing()] * 1, *[listing(rust)] * 3)
    extractor = LLMExtractor(chat, max_chunk_chars=1000, overlap_turns=0)
    found = extractor.extract(said, timezone="UTC")
    assert [fact.scope for fact in found.facts] == ["project:apollo"]


def test_days_are_counted_in_the_zone_that_is_given(scripted: Scripted, turns: Turns) -> None:
    item = HYDERABAD | {"event_date": "today"}
    said = turns("I live in Hyderabad.")
    found = [
        LLMExtractor(scripted(listing(item))).extract(said, timezone=zone).facts[0].valid_from
        for zone in ("UTC", "Asia/Kolkata")
    ]
    assert found[0] is not None
    assert found[1] is not None
    assert found[0] - found[1] == 5.5 * 3600 * 1_000_000


def test_no_model_is_asked_inside_a_write_transaction(
    service: Any, connect: Callable[..., Any], turns: Turns
) -> None:
    extractor = LLMExtractor(connect())
    with transaction_open(), pytest.raises(CallInsideTransaction):
        extractor.extract(turns("Hello!"), timezone="UTC")
    assert service.requests == []


@pytest.mark.parametrize("options", [{"max_chunk_chars": 499}, {"overlap_turns": -1}])
def test_numbers_that_cannot_work_are_refused(scripted: Scripted, options: dict[str, int]) -> None:
    with pytest.raises(InvalidInput, match="cannot work"):
        LLMExtractor(scripted(), **options)


def listed_foods(count: int, turn: int = 1) -> list[dict[str, Any]]:
    return [
        HYDERABAD | {"predicate": "eats", "object": f"dish {turn} {at}", "turns": [turn]}
        for at in range(count)
    ]


def test_of_a_turn_that_gives_facts_without_measure_the_first_stay(
    scripted: Scripted, turns: Turns
) -> None:
    chat = scripted(listing(*listed_foods(300)))
    found = LLMExtractor(chat).extract(turns("I live in Hyderabad."), timezone="UTC")
    assert [fact.object for fact in found.facts] == [f"dish 1 {at}" for at in range(50)]
    (dropped,) = found.dropped
    assert dropped.reason == "a turn gives more than 50 facts"
    assert json.loads(dropped.item) == {"turn": 10, "left_out": 250}
    assert (found.details["accepted"], found.details["skipped"]) == (50, 250)


def test_each_turn_may_give_its_fifty_facts(scripted: Scripted, turns: Turns) -> None:
    second = [item | {"quote": "Yes, Hyderabad"} for item in listed_foods(50, turn=2)]
    chat = scripted(listing(*listed_foods(50), *second))
    said = turns("I live in Hyderabad.", "Yes, Hyderabad!")
    found = LLMExtractor(chat).extract(said, timezone="UTC")
    assert (len(found.facts), found.dropped) == (100, ())


def test_what_a_fact_loses_is_told_beside_what_is_left_out(
    scripted: Scripted, turns: Turns
) -> None:
    reply = listing(HYDERABAD | {"event_date": "irgendwann"}, 7)
    found = LLMExtractor(scripted(reply)).extract(turns("I live in Hyderabad."), timezone="UTC")
    assert [fact.time_text for fact in found.facts] == ["irgendwann"]
    assert [each.reason for each in found.dropped] == [
        "it is no object but a number",
        "its event_date could not be read as a time; the rest of it was kept",
    ]
    assert (found.status, found.details["skipped"]) == ("ok", 1)
