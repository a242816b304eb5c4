"""The bench of knowledge updates, on one small history."""

import json
from typing import Any

import pytest
from rich.console import Console

from bench.knowledge_updates_command import knowledge_updates_command
from smriti_es import HashEmbedder


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("bench") / "updates.json"
    console = Console(quiet=True)
    knowledge_updates_command(
        console, seeds=[1], facts=90, each=3, out=out, embedder=HashEmbedder()
    )
    result = json.loads(out.read_text("utf-8"))
    assert result["settings"]["left_out"] == ["poisoned turns", "erasures"]
    found: dict[str, Any] = result["figures"]
    return found


def test_each_mode_answers_the_same_questions(figures: dict[str, Any]) -> None:
    asked = [
        {kind: found["asked"] for kind, found in figures[mode]["kinds"].items()}
        for mode in ("off", "direct", "patterns")
    ]
    assert asked[0] == asked[1] == asked[2]
    assert {"now", "then", "believed", "ended", "in_scope", "many"} <= asked[0].keys()


def test_facts_stated_directly_are_answered_as_the_referee_answers(
    figures: dict[str, Any],
) -> None:
    direct = figures["direct"]
    assert direct["right_first"]["facts"] == 100.0
    for name in ("stale_unlabelled", "mislabelled", "leaked_scope"):
        assert direct[name] == {"facts": 0, "search": 0, "context": 0}


def test_without_facts_there_are_none(figures: dict[str, Any]) -> None:
    assert figures["off"]["facts"] == 0
    assert figures["direct"]["facts"] > 80
    assert 0 < figures["patterns"]["facts"] <= figures["direct"]["facts"]


def test_what_facts_buy_is_the_difference(figures: dict[str, Any]) -> None:
    bought = figures["facts_buy"]["direct"]["right_first"]
    for way in ("search", "context"):
        on, off = (figures[mode]["right_first"][way] for mode in ("direct", "off"))
        assert bought[way] == pytest.approx(on - off, abs=0.06)
    assert bought["context"] > 0
