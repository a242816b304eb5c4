"""What an agent does with the tools, and what it can never do."""

from collections.abc import Callable
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine
from smriti_es.mcp.tools import TOOLS

Tool = Callable[..., dict[str, Any]]
SAID = [{"role": "user", "content": "I live in Pune.", "timestamp": "2026-01-15"}]


def test_what_is_remembered_is_recalled_as_text_that_only_our_lines_begin(answer: Tool) -> None:
    answer("remember", messages=SAID)
    recalled = answer("recall", query="Where do I live?", now="2026-07-01")
    assert recalled["context"].splitlines()[1:] == [
        "- [CURRENT since 2026-01-15] The user lives in Pune.",
        "# 2026-01-15 Thu",
        "  user: I live in Pune.",
    ]


def test_a_recalled_context_is_the_text_of_the_result_as_it_is(
    answer: Tool, called: Callable[..., Any]
) -> None:
    answer("remember", messages=SAID)
    result = called("recall", query="Where do I live?")
    assert result.content[0].text == result.structured_content["context"]


def test_a_recall_that_finds_nothing_says_what_could_not_be_found_yet(
    engine: Callable[..., Engine], embedder: CallableEmbedder
) -> None:
    from smriti_es.mcp.arguments import Recall, Remember
    from smriti_es.mcp.tools import _recall, _remember
    from smriti_es.serving.agent_memory import AgentMemory

    opened = engine(origin="agent", extractor=None, embedder=embedder)
    memory = AgentMemory(opened, "today")
    asked = Recall.read({"query": "nothing alike"})
    assert _recall(memory, asked).as_text() == "Nothing is known about that."
    _remember(memory, Remember.read({"messages": "The kiln runs at night."}))
    told = _recall(memory, asked)
    assert (told.context, told.pending) == ("", 1)
    assert told.as_text().startswith("Nothing was found about that, but 1 of what was recorded")


def test_what_an_agent_remembers_is_recorded_as_an_agents_word(answer: Tool, owner: Engine) -> None:
    answer("remember", messages=SAID, session="s1")
    (turn,) = owner.turns()
    (fact,) = owner.facts()
    assert (turn.origin, fact.origin) == ("agent", "agent")
    recorded = [(event.header.actor.kind, event.header.actor.id) for event in owner.events()]
    assert ("agent", "mcp") in recorded


def test_what_comes_without_a_session_belongs_to_the_one_of_the_server(answer: Tool) -> None:
    assert answer("remember", messages=SAID)["session"] == "today"


def test_a_search_gives_positions_that_the_other_tools_take(answer: Tool) -> None:
    answer("remember", messages=SAID)
    (found,) = answer("facts_about", entity="user")["facts"]
    explained = answer("explain", position=found["position"])
    assert explained["evidence"] == [{"turn": 2, "quote": "I live in Pune"}]
    hits = answer("search", query="Where is Pune?")["results"]
    assert [hit["position"] for hit in hits] == [2]


def test_facts_about_tells_the_past_only_when_asked(answer: Tool) -> None:
    answer("add_fact", predicate="lives_in", object="Pune", valid_from="2024")
    answer("add_fact", predicate="lives_in", object="Oslo", valid_from="2025")

    def told(**given: Any) -> list[str]:
        return [fact["object"] for fact in answer("facts_about", entity="user", **given)["facts"]]

    assert told() == ["Oslo"]
    assert told(past=True) == ["Pune", "Oslo"]
    assert told(valid_at="2024-06-01") == ["Pune"]


def test_a_fact_against_the_owners_word_waits_and_says_so(answer: Tool, owner: Engine) -> None:
    owner.assert_fact("user", "lives_in", "Pune", valid_from="2024-01-01")
    added = answer("add_fact", predicate="lives_in", object="Rome")
    assert (added["stored"], added["waits_for_review"]) == (True, True)
    assert [fact.object for fact in owner.facts()] == ["Pune"]
    assert answer("stats")["waiting_for_review"] == 1


def test_history_tells_what_was_believed_between_which_times(answer: Tool) -> None:
    answer("add_fact", predicate="lives_in", object="Pune", valid_from="2024")
    answer("add_fact", predicate="lives_in", object="Oslo", valid_from="2025")
    first, second = answer("history", subject="user", predicate="lives in")["history"]
    assert [(one["superseded_by"], one["believed_to"] is None) for one in first["beliefs"]] == [
        (None, False),
        (second["fact"]["position"], True),
    ]


def test_long_lists_are_cut_and_say_how_much_is_left_out(answer: Tool) -> None:
    for value in ("chess", "chai", "kilns"):
        answer("add_fact", predicate="likes", object=value, several=True)
    found = answer("facts_about", entity="user", limit=2)
    assert (len(found["facts"]), found["omitted"]) == (2, 1)


@pytest.mark.parametrize("tool", ["erase", "alias", "approve", "quarantine", "forget"])
def test_a_verb_of_an_owner_is_no_tool(tool: str, called: Callable[..., Any]) -> None:
    with pytest.raises(MCPError, match="there is no tool") as raised:
        called(tool)
    assert raised.value.code == -32602


def test_there_are_these_tools_and_no_others() -> None:
    assert [tool.name for tool in TOOLS] == [
        *("remember", "recall", "search", "facts_about"),
        *("add_fact", "history", "explain", "stats"),
    ]


def test_the_tools_say_what_they_change() -> None:
    writing = {tool.name for tool in TOOLS if not tool.hints.read_only_hint}
    assert writing == {"remember", "add_fact"}
    assert not any(tool.hints.destructive_hint for tool in TOOLS)


# BC-96
def test_what_nobody_could_extract_from_is_stored_found_and_counted(
    engine: Callable[..., Engine], line_extractor: Callable[..., Any], owner: Engine
) -> None:
    from smriti_es.mcp.arguments import Remember, Search, Stats
    from smriti_es.mcp.tools import _remember, _search, _stats
    from smriti_es.serving.agent_memory import AgentMemory

    broken = engine(origin="agent", extractor=line_extractor(broken=True))
    memory = AgentMemory(broken, "today")
    _remember(memory, Remember.read({"messages": "The kiln runs at night."}))
    assert [hit.text for hit in _search(memory, Search.read({"query": "kiln"})).results] == [
        "The kiln runs at night."
    ]
    (failed,) = _stats(memory, Stats()).failed_extractions
    assert failed.startswith("2: ")
