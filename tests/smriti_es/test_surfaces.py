"""What a verb is called on each surface: the same things, under names that lead there."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from smriti_es.client import MemoryClient
from smriti_es.engine import Engine
from smriti_es.mcp.tools import TOOLS
from smriti_es.rest.access import Door
from smriti_es.rest.application import rest_app
from smriti_es.rest.engines import Engines, Opening
from smriti_es.serving.access_keys import AccessKeys

# Verb of the engine -> tool of MCP (None: for no agent), route, verb of the command line.
SURFACES: dict[str, tuple[str | None, str, str]] = {
    "add": ("remember", "POST /v1/turns", "add"),
    "context": ("recall", "POST /v1/context", "context"),
    "search": ("search", "POST /v1/search", "search"),
    "facts": ("facts_about", "GET /v1/facts", "facts"),
    "assert_fact": ("add_fact", "POST /v1/facts", "assert"),
    "history": ("history", "GET /v1/history", "history"),
    "explain": ("explain", "GET /v1/facts/{position}", "explain"),
    "status": ("stats", "GET /v1/status", "status"),
    "turns": (None, "GET /v1/turns", "turns"),
    "sessions": (None, "GET /v1/sessions", "sessions"),
    "diff": (None, "GET /v1/diff", "diff"),
    "end_fact": (None, "POST /v1/facts/{position}/end", "end"),
    "retract": (None, "POST /v1/facts/{position}/retract", "retract"),
    "retract_end": (None, "POST /v1/ends/{position}/retract", "retract-end"),
    "alias": (None, "POST /v1/aliases", "alias"),
    "unalias": (None, "POST /v1/aliases/remove", "unalias"),
    "review": (None, "GET /v1/review", "review list"),
    "approve": (None, "POST /v1/review/{position}/approve", "review approve"),
    "reject": (None, "POST /v1/review/{position}/reject", "review reject"),
    "edit": (None, "POST /v1/review/{position}/edit", "review edit"),
    "quarantine": (None, "POST /v1/quarantines", "quarantine add"),
    "release": (None, "POST /v1/quarantines/{position}/release", "quarantine release"),
    "quarantines": (None, "GET /v1/quarantines", "quarantine list"),
    "impact": (None, "POST /v1/impact", "impact"),
    "erase": (None, "POST /v1/erasures", "erase"),
    "events": (None, "GET /v1/events", "log tail"),
    "verify": (None, "POST /v1/log/verify", "log verify"),
}


@pytest.fixture(scope="module")
def routes() -> set[str]:
    def nobody(_: Opening) -> Engine:
        raise AssertionError("nobody opens a memory here")

    door = Door(AccessKeys(Path("nowhere")), Engines(nobody), Opening("x", ("x",)), local=True)
    return {
        f"{method} {each.path}" for each in rest_app(door).routes for method in each.methods or ()
    }


def has(command: Any, words: list[str]) -> bool:
    if not words:
        return True
    below = getattr(command, "commands", {}).get(words[0])
    return below is not None and has(below, words[1:])


@pytest.mark.parametrize("verb", SURFACES)
def test_a_verb_is_there_on_every_surface_under_its_name(verb: str, routes: set[str]) -> None:
    tool, route, spoken = SURFACES[verb]
    assert callable(getattr(Engine, verb))
    assert callable(getattr(MemoryClient, verb))
    assert tool is None or tool in {each.name for each in TOOLS}
    assert route in routes
    assert has(get_command(import_module("smriti_es.cli").app), spoken.split())


def test_every_tool_is_a_verb_of_the_table() -> None:
    assert {tool for tool, _, _ in SURFACES.values() if tool} == {tool.name for tool in TOOLS}


def test_the_client_has_no_verb_that_the_table_does_not_know() -> None:
    verbs = {name for name in vars(MemoryClient) if not name.startswith("_")}
    assert verbs == set(SURFACES)
