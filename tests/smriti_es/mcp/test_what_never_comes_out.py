"""What is withheld, erased, untrusted or elsewhere comes out of no tool."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.mcp.tools import TOOLS
from smriti_es.serving.agent_memory import AgentMemory

Tool = Callable[..., Any]
PLANT = "zanzibarite"
SAYS_IT = f"I moved to {PLANT} in March."


@pytest.fixture
def everything(called: Tool) -> Callable[[], str]:
    """Call every tool that reads in every way that could show the plant, and give all they said."""

    def call() -> str:
        questions: list[tuple[str, dict[str, Any]]] = [
            ("recall", {"query": "Where did I move?"}),
            ("recall", {"query": PLANT, "budget": 64_000}),
            ("search", {"query": PLANT, "k": 100}),
            ("search", {"query": "moved", "known_at": "2027-01-01"}),
            *(("facts_about", {"entity": each, "past": True}) for each in ("user", PLANT)),
            *(("history", {"subject": each}) for each in ("user", PLANT)),
            *(("explain", {"position": each}) for each in range(12)),
            ("stats", {}),
        ]
        assert {name for name, _ in questions} == {
            tool.name for tool in TOOLS if tool.hints.read_only_hint
        }
        return "\n".join(called(name, **given).model_dump_json() for name, given in questions)

    return call


def planted(text: str) -> bool:
    """Tell whether the plant came out; a question that is given back does not count."""
    return PLANT in text.replace(f'\\"entity\\":\\"{PLANT}\\"', "").replace(
        f'"entity":"{PLANT}"', ""
    )


def test_the_plant_comes_out_where_it_may_be_read(
    owner: Engine, everything: Callable[[], str]
) -> None:
    owner.add(SAYS_IT, session="s7", at="2026-04-01")
    assert planted(everything())


def test_a_quarantined_session_comes_out_of_no_tool(
    owner: Engine, everything: Callable[[], str]
) -> None:
    owner.add(SAYS_IT, session="s7", at="2026-04-01")
    owner.quarantine(session="s7")
    assert not planted(everything())


def test_an_erased_session_comes_out_of_no_tool(
    owner: Engine, everything: Callable[[], str]
) -> None:
    owner.add(SAYS_IT, session="s7", at="2026-04-01")
    owner.erase(session="s7")
    assert not planted(everything())


def test_what_is_untrusted_comes_out_of_no_tool(
    owner: Engine, everything: Callable[[], str]
) -> None:
    owner.add(SAYS_IT, session="s7", at="2026-04-01", origin="untrusted")
    owner.assert_fact("user", "moved_to", PLANT, origin="untrusted")
    assert not planted(everything())


def test_what_lies_in_another_space_comes_out_of_no_tool(
    engine: Callable[..., Engine], owner: Engine, everything: Callable[[], str]
) -> None:
    engine(space="elsewhere").add(SAYS_IT, session="s7", at="2026-04-01")
    assert not planted(everything())


def test_what_applies_in_another_scope_comes_out_of_no_tool(
    owner: Engine, everything: Callable[[], str]
) -> None:
    owner.assert_fact("user", "moved_to", PLANT, scope="project:Secret")
    assert not planted(everything())


def test_an_agent_reads_the_scope_that_it_was_bound_to(
    engine: Callable[..., Engine], owner: Engine
) -> None:
    owner.assert_fact("user", "moved_to", PLANT, scope="project:Secret")
    bound = AgentMemory(engine(origin="agent"), "today", ("project:Secret",))
    assert [fact.object for fact in bound.facts_about("user")] == [PLANT]


def test_a_proposed_fact_comes_out_of_no_tool(
    owner: Engine, everything: Callable[[], str], called: Tool
) -> None:
    owner.assert_fact("user", "lives_in", "Pune", valid_from="2024")
    called("add_fact", predicate="lives_in", object=PLANT, statement=f"Now {PLANT}.")
    assert not planted(everything())
