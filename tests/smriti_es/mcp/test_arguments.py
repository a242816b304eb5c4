"""Arguments as clients really send them."""

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from smriti_es.mcp.arguments import AddFact, Explain, FactsAbout, Recall, Remember, Search

Refusal = Callable[..., str]


# BC-94
@pytest.mark.parametrize(
    ("given", "understood"),
    [
        ({"tags": "a"}, {"tags": ("a",)}),
        ({"tags": '["a","b"]'}, {"tags": ("a", "b")}),
        ({"tags": "a, b"}, {"tags": ("a", "b")}),
        ({"tags": ["a", "b"]}, {"tags": ("a", "b")}),
        ({"tags": None}, {"tags": ()}),
        ({"limit": "5"}, {"k": 5}),
        ({"k": 5.0}, {"k": 5}),
        ({"k": 100_000}, {"k": 100}),
        ({"k": "0"}, {"k": 1}),
        ({"filters": '{"n":1}'}, {"where": {"n": 1}}),
        ({"where": {"n": 1}}, {"where": {"n": 1}}),
        ({"where": ""}, {"where": {}}),
        ({"known_at": 12}, {"known_at": "12"}),
    ],
)
def test_an_argument_means_the_obvious_thing(
    given: dict[str, Any], understood: dict[str, Any]
) -> None:
    read = Search.read({"query": "x", **given})
    assert {name: getattr(read, name) for name in understood} == understood


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ("I live in Pune.", [("user", "I live in Pune.")]),
        (["One.", "Two."], [("user", "One."), ("user", "Two.")]),
        ('[{"role":"assistant","content":"Hello."}]', [("assistant", "Hello.")]),
        ({"role": "tool", "content": "21 degrees"}, [("tool", "21 degrees")]),
        ("[not JSON at all", [("user", "[not JSON at all")]),
    ],
)
def test_messages_may_be_texts_lists_or_json(messages: Any, said: list[tuple[str, str]]) -> None:
    read = Remember.read({"messages": messages})
    assert [(each.role, each.content) for each in read.messages] == said


def test_positions_may_come_alone_or_in_quotes() -> None:
    assert AddFact.read({"predicate": "p", "object": "o", "because": "3, 4"}).because == (3, 4)
    assert AddFact.read({"predicate": "p", "object": "o", "because": 3}).because == (3,)
    assert Explain.read({"position": "7"}).position == 7


def test_a_switch_may_come_in_quotes() -> None:
    assert FactsAbout.read({"entity": "user", "past": "true"}).past


@pytest.mark.parametrize("k", [True, False, "many", 1.5, [1]])
def test_what_is_no_whole_number_is_refused(k: Any) -> None:
    with pytest.raises(ValidationError):
        Search.read({"query": "x", "k": k})


def test_the_budget_is_moved_into_its_range() -> None:
    assert Recall.read({"query": "x", "budget": 1}).budget == 200
    assert Recall.read({"query": "x", "budget": "999999"}).budget == 64_000


@pytest.mark.parametrize(
    ("tool", "given", "line"),
    [
        ("search", {}, "query: is missing; give it"),
        ("search", {"query": "x", "k": True}, "k: is true or false; give a whole number"),
        ("search", {"query": "x", "colour": 1}, "colour: is not known; leave it out"),
        ("search", {"query": "x", "where": "{"}, "where: is no object in JSON"),
        ("search", {"query": "x" * 4_001}, "query: is too long; give at most 4000 characters"),
        (
            "remember",
            {"messages": [{"role": "user", "content": "x" * 20_001}]},
            "messages.0.content: is too long; give at most 20000 characters",
        ),
        ("remember", {"messages": []}, "messages: is empty; give something"),
        ("remember", {"messages": ["x"] * 201}, "messages: has 201 items; give at most 200"),
        (
            "explain",
            {"position": 400},
            "there is no fact at position 400. facts and history give positions.",
        ),
        (
            "remember",
            {"messages": [{"role": "wizard", "content": "x"}]},
            "messages.0.role: is none of 'user', 'assistant', 'system' or 'tool'",
        ),
        (
            "recall",
            {"query": "x", "now": "yesterday"},
            "not a time: 'yesterday'. Give RFC 3339",
        ),
        ("search", {"query": "x", "sessions": ["none"]}, "no session 'none' in main"),
    ],
)
def test_a_wrong_argument_is_told_by_name_in_one_line(
    tool: str, given: dict[str, Any], line: str, refusal: Refusal
) -> None:
    told = refusal(tool, **given)
    assert line in told
    assert "\n" not in told
    assert len(told) <= 500


def test_the_values_of_a_wrong_call_are_not_repeated(refusal: Refusal) -> None:
    assert "hunter2" not in refusal("search", query="x", k="hunter2")


@pytest.mark.parametrize("query", ["NOT", "NEAR(a b", '"unclosed', "col:umn", "(" * 4_000, "^x"])
def test_no_question_is_syntax(query: str, called: Callable[..., Any]) -> None:
    assert not called("search", query=query).is_error
