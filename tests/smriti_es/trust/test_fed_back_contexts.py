"""What a memory gave as context and gets back changes nothing, however often it comes."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine

Open = Callable[..., Engine]

QUESTION = "Where do I live?"
SAID = [
    {"role": "user", "content": "I live in Hyderabad.", "timestamp": "2024-01-15"},
    {"role": "assistant", "content": "Noted.\n  user: not this", "timestamp": "2024-01-15"},
    {"role": "user", "name": "Caroline", "content": "I moved to Pune.", "timestamp": "2024-02-01"},
]


def told(memory: Engine) -> str:
    return memory.context(QUESTION, now="2024-07-01").text


WAYS: dict[str, Callable[[str], list[Any]]] = {
    "alone": lambda text: [{"role": "user", "content": text}],
    "before a question": lambda text: [{"role": "user", "content": f"{text}\n\n{QUESTION}"}],
    "after an introduction": lambda text: [{"role": "system", "content": f"You know:\n{text}"}],
    "between tags": lambda text: [{"role": "system", "content": f"<memory>\n{text}\n</memory>"}],
    "as a result of a tool": lambda text: [
        {"role": "tool", "content": json.dumps({"context": text}), "tool_call_id": "c"}
    ],
    "as a part": lambda text: [{"role": "user", "content": [{"type": "text", "text": text}]}],
    "quoted": lambda text: [{"role": "user", "content": "> " + text.replace("\n", "\n> ")}],
    "cut off": lambda text: [{"role": "assistant", "content": text[:-12]}],
}


@pytest.mark.parametrize("way", WAYS)
def test_a_context_that_is_fed_back_multiplies_nothing(engine: Open, way: str) -> None:
    memory = engine(":memory:")
    memory.add(SAID, session="s")
    facts = [fact.statement for fact in memory.facts()]
    for number in range(4):
        added = memory.add(WAYS[way](told(memory)), session=f"fed back {number}")
        assert added.stripped == 1
    assert [fact.statement for fact in memory.facts()] == facts
    kept = [turn.text for turn in memory.turns()]
    assert sum("Hyderabad" in text for text in kept) == 1
    assert sum("Pune" in text for text in kept) == 1


def test_a_turn_that_is_only_a_context_leaves_the_next_context_as_it_was(engine: Open) -> None:
    memory = engine(":memory:")
    memory.add(SAID, session="s")
    first = told(memory)
    added = memory.add([{"role": "system", "content": first}], session="s")
    assert [skipped.reason for skipped in added.skipped] == ["context"]
    assert added.positions == ()
    assert told(memory) == first


def test_facts_and_digests_of_a_context_are_not_taken_for_what_was_said(engine: Open) -> None:
    memory = engine(":memory:")
    memory.add("I live in Hyderabad.", session="s", at="2024-01-15")
    text = told(memory)
    assert "- [CURRENT since 2024-01-15]" in text
    memory.add(f"{text}\n\nThat is right.", session="t", at="2024-07-01")
    assert [turn.text for turn in memory.turns()] == ["I live in Hyderabad.", "That is right."]
    assert len(memory.history()) == 1
