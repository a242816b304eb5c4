"""Inputs that other memories got wrong: what a model names (BC-63)."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from smriti_es.embedders import Embedder
from smriti_es.engine import Engine
from smriti_es.extraction.arbitration import LLMArbiter
from smriti_es.extraction.chat import Message, Reply

Open = Callable[..., Engine]
KNOWN = [f"user | likes | strong black tea of kind {number}" for number in range(3)]
NEW = "user | likes | strong black tea of kind 9"


class Insisting:
    """A model that wants the same fact replaced, whatever it is asked."""

    model = "insisting"

    def __init__(self) -> None:
        self.target: Any = 37

    def complete(self, messages: Sequence[Message], *, json_mode: bool) -> Reply:
        return Reply(json.dumps({"action": "supersede", "target": self.target, "text": "tea"}))


@pytest.fixture
def chat() -> Insisting:
    return Insisting()


@pytest.fixture
def memory(
    engine: Open, line_extractor: Callable[..., Any], embedder: Embedder, chat: Insisting
) -> Engine:
    """A memory that knows three facts alike."""
    opened = engine(extractor=line_extractor(), arbiter=LLMArbiter(chat), embedder=embedder)
    for line in KNOWN:
        opened.add(line, session="known")
    return opened


def current(memory: Engine) -> list[str]:
    return [fact.object for fact in memory.facts("user", "likes")]


def verdict_on(fact: int, memory: Engine) -> Any:
    decided = memory.explain(fact).decided
    (verdict,) = [cause.content for cause in decided if cause.type == "ArbitrationDecided"]
    return verdict


@pytest.mark.parametrize("target", ["37", 37, 3, -1, "2", 1.0, True, None])
def test_an_id_that_was_not_offered_adds_the_fact_with_a_warning(
    target: Any, memory: Engine, chat: Insisting
) -> None:
    before = current(memory)
    chat.target = target
    (added,) = memory.add(NEW, session="new").facts
    assert current(memory) == [*before, "strong black tea of kind 9"]
    decided = verdict_on(added, memory)
    assert (decided.action, decided.target, decided.status) == ("add", -1, "invalid_target")
    assert len(decided.candidates) == 3
    assert "supersede" in decided.reply


def test_the_id_of_a_fact_of_somebody_else_is_rejected_and_their_memory_left_as_it_is(
    engine: Open, memory: Engine, chat: Insisting
) -> None:
    for whose in ({"tenant": "u2"}, {"space": "u2"}):
        other = engine(extractor=None, **whose)
        for number in range(12):
            other.assert_fact("user", "likes", f"tea {number}", multi=True)
        theirs = other.history()
        chat.target = theirs[-1].fact.position
        (added,) = memory.add(f"{NEW} {whose}", session="new").facts
        decided = verdict_on(added, memory)
        assert (decided.action, decided.target, decided.status) == ("add", -1, "invalid_target")
        assert str(chat.target) in decided.reply
        assert other.history() == theirs
    assert len(current(memory)) == len(KNOWN) + 2
