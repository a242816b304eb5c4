"""`context` and `search`: answers, filters, and what did not take part in them."""

from collections.abc import Callable
from typing import Any

import pytest

Call = Callable[..., Any]

ALL = {
    "I live in Hyderabad, near the lake.",
    "My sister plays the veena.",
    "I live in Bengaluru now.",
}


def texts(done: Any) -> set[str]:
    return {hit["turn"]["text"] for hit in done.json["hits"]}


def test_context_prints_dated_evidence(two_homes: Call) -> None:
    done = two_homes("context", "where do I live?", "--now", "2026-07-01", "--budget", 400)
    assert done.code == 0
    assert "# 2026-01-15 Thu\n  user: I live in Hyderabad, near the lake.\n" in done.out
    assert "# 2026-06-02 Tue\n  user: I live in Bengaluru now.\n" in done.out


def test_context_in_json_carries_text_and_evidence(two_homes: Call) -> None:
    found = two_homes("context", "where do I live?", "--now", "2026-07-01", "--json").json
    assert found["text"].startswith("[memory, as of 2026-07-01 Wed")
    assert {
        "position": 3,
        "session": "s1",
        "said_at": "2026-01-15T10:00:00.000000Z",
        "whole": True,
    } in (found["evidence"])
    assert (found["head"], found["pending"], len(found["digest"])) == (6, 0, 64)


def test_context_stays_within_its_budget(two_homes: Call) -> None:
    assert len(two_homes("context", "where do I live?", "--budget", 120).out) <= 121


def test_context_without_evidence_prints_nothing_and_says_so(two_homes: Call) -> None:
    done = two_homes("context", "where do I live?", "--since", "2027")
    assert (done.code, done.out) == (0, "")
    assert "note: nothing was found" in done.err


def test_search_shows_the_best_turn_first(two_homes: Call) -> None:
    done = two_homes("search", "veena")
    row = done.out.splitlines()[1].split()
    assert (row[0], row[2]) == ("1", "2026-01-15")
    assert "My sister plays the veena." in done.out


def test_search_explains_its_scores_when_asked(two_homes: Call) -> None:
    (hit,) = two_homes("search", "veena", "-k", 1, "--explain", "--json").json["hits"]
    assert hit["explanation"]["lexical"] == pytest.approx(0.5)
    assert "lexical 0.500" in two_homes("search", "veena", "-k", 1, "--explain").out


def test_search_leaves_the_explanation_out_unless_asked(two_homes: Call) -> None:
    (hit,) = two_homes("search", "veena", "-k", 1, "--json").json["hits"]
    assert hit["explanation"] == {}


def test_search_without_hits_says_so(two_homes: Call) -> None:
    done = two_homes("search", "veena", "--until", "2020")
    assert (done.code, done.out) == (0, "")
    assert "note: nothing was found" in done.err


@pytest.mark.parametrize(
    ("filters", "left"),
    [
        (("--session", "s2"), {"I live in Bengaluru now."}),
        (("--session", "s1", "--session", "s2"), ALL),
        (("--tag", "family"), {"My sister plays the veena."}),
        (("--tag", "home", "--tag", "family"), set()),
        (("--any-tag", "home", "--any-tag", "family"), ALL),
        (("--role", "assistant"), set()),
        (("--origin", "owner"), ALL),
        (("--kind", "note"), set()),
        (("--since", "2026-03"), {"I live in Bengaluru now."}),
        (("--until", "2026-01-15", "--tag", "home"), {"I live in Hyderabad, near the lake."}),
        (("--where", "{}"), ALL),
        (("--where", '{"level": 4}'), set()),
    ],
)
def test_filters_narrow_an_answer(
    filters: tuple[str, ...], left: set[str], two_homes: Call
) -> None:
    assert texts(two_homes("search", "live sister", "--json", *filters)) == left


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        (("--session", "s9"), "no session 's9' in main"),
        (("--role", "pilot"), "roles has no 'pilot'"),
        (("--where", "{"), "--where is not JSON"),
        (("--where", "[1]"), "--where is not a JSON object"),
        (("--where", '{"level": {"near": 4}}'), "where has the unknown operator 'near'"),
        (("--since", ""), "not a time: ''"),
        (("-k", "0"), "k is 0"),
        (("--now", "then"), "not a time: 'then'"),
    ],
)
def test_a_filter_that_cannot_be_understood_is_refused_and_never_left_out(
    filters: tuple[str, ...], message: str, two_homes: Call
) -> None:
    done = two_homes("search", "live", *filters)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_a_weak_embedder_is_said_beside_the_answer_and_in_the_document(two_homes: Call) -> None:
    weak = "semantic: weak, the embedder compares spelling and not meaning"
    assert f"note: {weak}\n" in two_homes("search", "veena").err
    assert two_homes("search", "veena", "--json").json["degraded"] == [weak]


def test_turns_without_vectors_are_said_beside_the_answer_and_in_the_document(
    two_homes: Call,
) -> None:
    two_homes("add", "The veena needs a new string.", "--no-wait")
    assert "note: 1 turn waits for its vector" in two_homes("search", "veena").err
    assert two_homes("context", "veena", "--json").json["pending"] == 1


def test_vectors_of_another_embedder_are_said_beside_the_answer(two_homes: Call) -> None:
    done = two_homes("search", "veena", "--embedder", "none")
    assert "note: semantic: the engine was opened without an embedder" in done.err


def test_several_spaces_can_be_read_at_once(two_homes: Call) -> None:
    two_homes("add", "I live on a boat.", "--space", "other")
    assert texts(two_homes("search", "live boat", "--space", "other", "--json")) == {
        "I live on a boat."
    }
    both = two_homes("search", "live boat", "--space", "main", "--space", "other", "--json")
    assert {"I live on a boat.", "I live in Bengaluru now."} <= texts(both)


@pytest.mark.parametrize(
    "verb", [("search", "boat"), ("context", "boat"), ("turns",), ("sessions",), ("facts",)]
)
def test_a_space_that_does_not_exist_is_no_empty_answer(
    verb: tuple[str, ...], two_homes: Call
) -> None:
    done = two_homes("--space", "nope", *verb)
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines() == [
        "error: there is no space 'nope'",
        "hint: Check the name; the first write to a space makes it.",
    ]


def test_search_shows_facts_and_turns_by_rank(moved: Call) -> None:
    hits = moved("search", "Where does the user live?", "--json").json["hits"]
    facts = [hit["fact"]["object"] for hit in hits if hit["fact"] is not None]
    assert facts == ["Bengaluru"]
    assert all((hit["turn"] is None) != (hit["fact"] is None) for hit in hits)
    assert [hit["fact"]["valid_from"] for hit in hits if hit["fact"]] == [
        "2023-06-01T00:00:00.000000Z"
    ]


def test_search_shows_people_how_a_fact_stands(moved: Call) -> None:
    out = moved("search", "Where does the user live?").out
    assert "2023-06-01  " in out
    assert "[CURRENT since 2023-06-01] The user lives in Bengaluru." in out


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ((), "- [CURRENT since 2023-06-01] The user lives in Bengaluru."),
        (("--valid-at", "2023-03-01"), "- [CURRENT 2023-01-15..2023-06-01] The user lives in Hyde"),
        (("--known-at", "2023-05-01"), "- [CURRENT since 2023-01-15] The user lives in Hyderabad."),
        (("--known-at", "5"), "- [CURRENT since 2023-01-15] The user lives in Hyderabad."),
        (("--history",), "- [SUPERSEDED on 2023-06-01, since 2023-01-15] The user lives in Hyde"),
    ],
)
def test_context_answers_as_of_either_clock(
    times: tuple[str, ...], expected: str, moved: Call
) -> None:
    asked = ("context", "Where does the user live?", "--now", "2023-07-01")
    assert expected in moved(*asked, *times).out


def test_context_as_of_then_holds_nothing_that_was_said_later(moved: Call) -> None:
    out = moved("context", "Where do I live?", "--known-at", "2023-05-01").out
    assert "Hyderabad" in out
    assert "Bengaluru" not in out


def test_context_in_json_carries_its_facts(moved: Call) -> None:
    found = moved("context", "Where does the user live?", "--json").json
    assert [fact["object"] for fact in found["facts"]] == ["Bengaluru"]
    assert found["observed"] == []


def test_a_scope_lets_its_facts_answer(moved: Call) -> None:
    asked = ("search", "What is the deadline of Atlas?", "--json")
    found = moved(*asked, "--scope", "project:Atlas").json["hits"]
    assert "September" in [hit["fact"]["object"] for hit in found if hit["fact"]]
    assert not any(hit["fact"] for hit in moved(*asked).json["hits"] if "Atlas" in str(hit))


def test_a_counting_question_gets_digests_beside_its_hits(moved: Call, model: Any) -> None:
    for fare in ("a taxi for $40", "a bus for $25"):
        moved("assert", "user", "paid_for", fare, "--multi")
    model.says("Two fares.")
    moved("observe", "--llm", model.address)
    asked = ("How much has the user paid for in total?",)
    (digest,) = moved("search", *asked, "--json").json["observed"]
    assert digest["statement"] == "Two fares.\nTotals: $65 ($40 + $25)."
    line = "- [DIGEST of 2 facts] Two fares. Totals: $65 ($40 + $25)."
    assert line in moved("search", *asked).out
    assert line in moved("context", *asked).out
