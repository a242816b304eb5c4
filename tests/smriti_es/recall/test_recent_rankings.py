"""A search and a context of one question share a ranking, and never one that is out of date."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine
from smriti_es.recall.asking import Asking

Open = Callable[..., Engine]
QUESTION = "Where does the heron live?"


@pytest.fixture
def ranked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that were ranked, in their order."""
    ranked: list[str] = []
    answer = Asking.answer

    def counting(self: Asking, question: Any) -> Any:
        ranked.append(question.text)
        return answer(self, question)

    monkeypatch.setattr(Asking, "answer", counting)
    return ranked


@pytest.fixture
def memory(engine: Open, embedder: CallableEmbedder) -> Engine:
    memory = engine(embedder=embedder)
    memory.add("The heron lives by the weir.", session="birds")
    memory.add("The owl lives in the barn.", session="birds")
    memory.wait_for_vectors()
    return memory


def test_a_context_takes_over_the_ranking_of_a_search(memory: Engine, ranked: list[str]) -> None:
    found = memory.search(QUESTION)
    text = memory.context(QUESTION).text
    assert found[0].text in text
    assert ranked == [QUESTION]


def test_what_was_taken_over_is_what_would_have_been_ranked(
    engine: Open, memory: Engine, embedder: CallableEmbedder
) -> None:
    memory.search(QUESTION)
    shared = memory.search(QUESTION, explain=True)
    alone = engine(embedder=embedder).search(QUESTION, explain=True)
    assert tuple(shared) == tuple(alone)
    assert (shared.degraded, shared.pending) == (alone.degraded, alone.pending)


def test_nothing_is_taken_over_once_a_turn_was_added(memory: Engine, ranked: list[str]) -> None:
    memory.search(QUESTION)
    memory.add("The heron lives by the mill now.", session="birds")
    assert "by the mill" in memory.context(QUESTION).text
    memory.wait_for_vectors()
    assert "semantic" in memory.search(QUESTION)[0].channels
    assert len(ranked) == 3


def test_nothing_is_taken_over_after_an_erasure(memory: Engine) -> None:
    gone = memory.search(QUESTION)[0]
    memory.erase(turn=gone.position)
    assert gone.text not in memory.context(QUESTION).text
    assert gone.position not in [hit.position for hit in memory.search(QUESTION)]


def test_nothing_is_taken_over_by_a_read_that_may_see_less_or_of_the_past(
    memory: Engine, ranked: list[str]
) -> None:
    then = memory.head
    memory.add("The heron lives on the roof.", session="later")
    memory.search(QUESTION)
    assert "on the roof" not in memory.context(QUESTION, sessions=["birds"]).text
    assert "on the roof" not in memory.at(then).context(QUESTION).text
    assert "on the roof" in memory.context(QUESTION).text
    assert len(ranked) == 3
