"""What could not be embedded is told, and an outage that passes leaves nothing behind."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from smriti_es import EmbedderError, Engine
from smriti_es.embedders import CallableEmbedder
from smriti_es.embedding import VectorWorker

OpenEngine = Callable[..., Engine]
ONE_FAILED = (
    "semantic: 1 turn has no vector: embedding it failed; "
    "`smriti-es projections catch-up` tries again"
)


class Service:
    """An embedding function that refuses what holds "boom", and can be out of reach."""

    def __init__(self) -> None:
        self.outage: Exception | None = None
        self.refuses = "boom"
        self.asked = threading.Event()
        self.answered = threading.Event()

    def __call__(self, texts: list[str]) -> list[list[float]]:
        self.asked.set()
        if self.outage is not None:
            raise self.outage
        if self.refuses and any(self.refuses in text for text in texts):
            raise ValueError("no such text")
        self.answered.set()
        return [[1.0, 1.0 + len(text) % 7, 2.0] for text in texts]


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def memory(engine: OpenEngine, service: Service) -> Engine:
    return engine(embedder=CallableEmbedder(service, model="service", dimension=3))


def test_waiting_for_a_vector_that_cannot_be_made_raises_and_keeps_the_turn(
    memory: Engine,
) -> None:
    with pytest.raises(EmbedderError, match=r"the turn at position 3: .* no such text") as caught:
        memory.add("boom goes the kiln", session="a", wait_for="vectors")
    assert caught.value.hint == "The turns are recorded; `wait_for_vectors` tries again."
    assert [turn.text for turn in memory.turns()] == ["boom goes the kiln"]


def test_waiting_is_not_disturbed_by_what_failed_before(memory: Engine) -> None:
    memory.add("boom goes the kiln", session="a")
    added = memory.add("A pear.", session="a", wait_for="vectors")
    assert added.positions == (4,)


def test_answers_say_how_many_visible_turns_have_no_vector(memory: Engine) -> None:
    memory.add(["A pear.", "boom"], session="a")
    memory.wait_for_vectors()
    assert memory.search("pear").degraded == (ONE_FAILED,)
    assert memory.context("pear").degraded == (ONE_FAILED,)
    assert memory.search("pear").pending == 0


def test_turns_that_a_read_does_not_see_are_not_counted(memory: Engine) -> None:
    memory.add("boom", session="a")
    memory.add("A pear.", session="b")
    memory.wait_for_vectors()
    assert memory.search("pear", sessions=["b"]).degraded == ()


def test_facts_without_a_vector_are_counted_as_facts(memory: Engine) -> None:
    memory.add("A pear.", session="a")
    memory.assert_fact("user", "likes", "boom")
    memory.wait_for_vectors()
    assert "semantic: 1 fact has no vector" in memory.search("pear").degraded[0]


def test_a_vector_that_could_be_made_after_all_is_told_no_more(
    memory: Engine, service: Service
) -> None:
    memory.add(["A pear.", "boom", "boom again"], session="a")
    memory.wait_for_vectors()
    assert "2 turns have no vector: embedding them failed" in memory.search("pear").degraded[0]
    service.refuses = ""
    memory.wait_for_vectors()
    assert memory.search("pear").degraded == memory.status().degraded == ()


def test_the_status_tells_what_has_no_vector(memory: Engine) -> None:
    memory.add(["A pear.", "boom"], session="a")
    memory.wait_for_vectors()
    assert memory.status().degraded == (
        "semantic: turns and facts without a vector, as embedding failed: 1",
    )


def wrapped() -> Exception:
    """What an HTTP client raises over a connection that was refused."""
    error = RuntimeError("the request failed")
    error.__cause__ = ConnectionRefusedError("refused")
    return error


def marked() -> Exception:
    return EmbedderError("busy", retryable=True)


@pytest.mark.parametrize(
    "outage", [ConnectionError("gone"), TimeoutError("slow"), wrapped(), marked()]
)
def test_an_outage_that_passes_leaves_turns_waiting_and_none_failed(
    memory: Engine, service: Service, outage: Exception
) -> None:
    service.outage = outage
    with pytest.raises(EmbedderError) as caught:
        memory.add("A pear.", session="a", wait_for="vectors")
    assert caught.value.retryable
    assert (memory.status().pending, memory.status().failed) == (1, ())
    service.outage = None
    memory.wait_for_vectors()
    assert (memory.status().vectors, memory.status().pending) == (1, 0)


def test_the_worker_tries_again_what_waited_through_an_outage(
    memory: Engine, service: Service
) -> None:
    service.outage = ConnectionError("gone")
    memory.add("A pear.", session="a")
    opened: Any = memory._opened
    worker = VectorWorker(opened.projector, bind=opened.bind_embedder, background=True)
    assert service.asked.wait(30)
    service.outage = None
    # Woken as often as it takes: it may have been on its way to waiting.
    while not service.answered.wait(0.01):
        worker.wake()
    worker.stop()
    assert (memory.status().vectors, memory.status().failed) == (1, ())
