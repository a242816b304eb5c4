"""`review`: what waits for an owner's word is shown, and settled."""

from collections.abc import Callable
from typing import Any

import pytest

Call = Callable[..., Any]

PUNE, ROME = 2, 3
CONDITIONS = ("--said-at", "2026-03-05T10:00:00Z", "--origin", "agent")


@pytest.fixture
def disputed(call: Call) -> Call:
    """The command line, over a memory in which an agent speaks against the owner."""
    call("assert", "user", "lives_in", "Pune", "--from", "2024-01-01")
    call("assert", "user", "lives_in", "Rome", "--from", "2026-03-01", *CONDITIONS)
    return call


def stands(call: Call) -> list[tuple[str, str]]:
    found = call("facts", "user", "--status", "any", "--json").lines
    return [(fact["object"], fact["status"]) for fact in found]


def test_assert_says_that_what_an_agent_says_against_the_owner_is_proposed(call: Call) -> None:
    call("assert", "user", "lives_in", "Pune", "--from", "2024-01-01")
    done = call("assert", "user", "lives_in", "Rome", "--from", "2026-03-01", *CONDITIONS)
    assert (done.code, done.out) == (0, "Proposed at position 3.\n")
    assert done.err == (
        "note: something of it waits for an owner's word: `smriti-es review list`\n"
    )


def test_assert_says_in_json_whether_it_is_proposed(call: Call) -> None:
    said = ("assert", "user", "lives_in", "--json")
    assert call(*said, "Pune", "--from", "2024-01-01").json["proposed"] is False
    assert call(*said, "Rome", "--from", "2026-03-01", *CONDITIONS).json["proposed"] is True


def test_add_says_that_something_it_found_is_proposed(call: Call) -> None:
    said = ("add", "--json", "--session")
    first = call(*said, "s1", "I live in Pune.", "--at", "2026-01-15", SMRITI_ES_EXTRACTOR=None)
    second = call(
        *(*said, "s2", "I moved to Rome.", "--at", "2026-03-01", "--origin", "untrusted"),
        SMRITI_ES_EXTRACTOR=None,
    )
    assert (first.json["proposed"], second.json["proposed"]) == (False, True)


def test_extract_says_that_something_it_found_is_proposed(call: Call) -> None:
    call("add", "I live in Pune.", "--session", "s1", "--at", "2026-01-15")
    call("add", "I moved to Rome.", "--session", "s2", "--at", "2026-03-01", "--origin", "agent")
    done = call("extract", "pending", SMRITI_ES_EXTRACTOR="patterns")
    assert done.out == "Found 2 new facts.\n"
    assert "waits for an owner's word" in done.err


def test_the_list_says_what_waits_whose_word_it_is_and_what_it_would_change(
    disputed: Call,
) -> None:
    lines = disputed("review", "list").out.splitlines()
    assert lines[0].split() == [
        *("position", "what", "whose", "word", "said", "since", "against"),
    ]
    assert lines[1].split() == [
        *("3", "user", "lives_in", "Rome", "agent", "2026-03-05", "10:00", "2026-03-01"),
        *("Pune", "(2)"),
    ]
    assert lines[2].strip() == "if approved: Pune (2) ends 2026-03-01, then this"


def test_the_list_quotes_the_turns_that_support_a_proposal(call: Call) -> None:
    call("add", "I work at Acme.", "--session", "a", "--at", "2026-01-01", SMRITI_ES_EXTRACTOR=None)
    call(
        *("add", "I no longer work at Acme.", "--session", "b", "--at", "2026-04-01"),
        *("--origin", "untrusted"),
        SMRITI_ES_EXTRACTOR=None,
    )
    shown = call("review", "list").out
    assert "end of user works_at Acme" in shown
    (turn,) = call("turns", "--session", "b", "--json").lines
    assert f"turn {turn['position']}: “I no longer work at Acme" in shown


def test_the_list_is_one_line_of_json_for_each_proposal(disputed: Call) -> None:
    (waits,) = disputed("review", "list", "--json").lines
    assert (waits["position"], waits["what"], waits["object"]) == (ROME, "fact", "Rome")
    assert (waits["origin"], waits["evidence"]) == ("agent", [])
    assert (waits["said_at"], waits["valid_from"]) == (
        "2026-03-05T10:00:00.000000Z",
        "2026-03-01T00:00:00.000000Z",
    )
    assert (waits["against"]["position"], waits["against"]["object"]) == (PUNE, "Pune")
    assert waits["changes"] == [
        {
            "type": "FactSuperseded",
            "fact": PUNE,
            "by": ROME,
            "valid_to": "2026-03-01T00:00:00.000000Z",
        }
    ]


def test_the_list_comes_in_pages(disputed: Call) -> None:
    disputed("assert", "user", "lives_in", "Oslo", "--from", "2026-05", "--origin", "agent")
    first = disputed("review", "list", "-n", 1)
    assert "Rome" in first.out
    assert "Oslo" not in first.out
    assert first.err == "note: there may be more: --after 3\n"
    assert [
        each["object"] for each in disputed(*("review", "list", "--json", "--after", 3)).lines
    ] == ["Oslo"]


@pytest.mark.parametrize("limit", [0, -1, 10_001])
def test_a_page_of_another_size_is_an_error(disputed: Call, limit: int) -> None:
    done = disputed("review", "list", "-n", limit)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: limit is {limit}; it must be a whole number from 1 to")


def test_nothing_that_waits_is_said(call: Call) -> None:
    call("init")
    done = call("review", "list")
    assert (done.code, done.out, done.err) == (0, "", "note: nothing was found\n")


def test_what_is_approved_stands(disputed: Call) -> None:
    done = disputed("review", "approve", ROME, "--reason", "I did move.")
    assert (done.code, done.out) == (0, "What was proposed at position 3 stands.\n")
    assert stands(disputed) == [("Pune", "superseded"), ("Rome", "current")]
    assert "I did move." in disputed("explain", ROME).out
    assert disputed("review", "list", "--json").lines == []


def test_approving_answers_in_json(disputed: Call) -> None:
    head = disputed("status", "--json").json["events"]
    assert disputed("review", "approve", ROME, "--json").json == {
        "changed": True,
        "head": head + 1,
    }


def test_what_is_rejected_is_gone(disputed: Call) -> None:
    done = disputed("review", "reject", ROME, "--reason", "made up")
    assert (done.code, done.out) == (0, "What was proposed at position 3 is turned down.\n")
    assert stands(disputed) == [("Pune", "current")]
    assert disputed("explain", ROME).code == 2


def test_what_is_edited_is_stated_corrected(disputed: Call) -> None:
    done = disputed(
        *("review", "edit", ROME, "--object", "Oslo", "--from", "2026-04-01"),
        *("--reason", "Oslo, in April"),
    )
    (event,) = disputed("facts", "user", "--json").lines
    assert done.out == (
        f"What was proposed at position 3 is turned down; stated at position {event['position']}.\n"
    )
    assert (event["object"], event["origin"], event["statement"]) == (
        "Oslo",
        "owner",
        "user lives in Oslo",
    )
    assert event["valid_from"] == "2026-04-01T00:00:00.000000Z"


def test_editing_makes_the_vector_of_what_is_stated(disputed: Call) -> None:
    done = disputed("review", "edit", ROME, "--statement", "Rome it is.", "--json").json
    assert (done["vectors"], disputed("status", "--json").json["pending"]) == ("made", 0)
    waiting = disputed("assert", "user", "lives_in", "Bari", "--from", "2026-06", *CONDITIONS)
    assert waiting.out == "Proposed at position 8.\n"
    assert disputed("review", "edit", 8, "--to", "2027", "--no-wait", "--json").json["vectors"] == (
        "waiting"
    )


@pytest.mark.parametrize("verb", [("approve",), ("reject",), ("edit", "--object", "Oslo")])
def test_what_does_not_wait_cannot_be_settled(disputed: Call, verb: tuple[str, ...]) -> None:
    done = disputed("review", *verb, PUNE)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: nothing at position 2 waits for review\n")
    assert done.err.endswith("hint: `smriti-es review list` lists what does.\n")
    assert disputed("status", "--json").json["events"] == 5
