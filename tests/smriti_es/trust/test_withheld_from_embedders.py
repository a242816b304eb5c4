"""An embedder that sends text on is shown nothing that is withheld, until it is released."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.embedders import CallableEmbedder
from smriti_es.embedding import VectorWorker
from smriti_es.engine import Engine

Open = Callable[..., Engine]
ELSEWHERE = "https://vectors.example"


class Service:
    """An embedding function that keeps what it was shown."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.seen_poison = threading.Event()

    def __call__(self, texts: list[str]) -> list[list[float]]:
        self.shown += texts
        if any("poison" in text for text in texts):
            self.seen_poison.set()
        return [[1.0, 1.0 + len(text) % 7, 2.0] for text in texts]

    def embedder(self, endpoint: str | None) -> CallableEmbedder:
        return CallableEmbedder(self, model="service", dimension=3, endpoint=endpoint)


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def waiting(engine: Open, service: Service) -> Engine:
    """A memory with two turns and two facts, one of each quarantined before any had a vector."""
    memory = engine(embedder=service.embedder(ELSEWHERE), extractor=None)
    memory.add("I like tea.", session="a")
    memory.add("I like poison.", session="b")
    memory.assert_fact("user", "likes", "tea", multi=True)
    fact = memory.assert_fact("user", "likes", "a poisoned apple", multi=True)
    memory.quarantine(session="b")
    memory.quarantine(fact=fact)
    return memory


def test_what_is_withheld_is_not_sent_and_all_else_is(waiting: Engine, service: Service) -> None:
    waiting.wait_for_vectors()
    assert sorted(service.shown) == ["I like tea.", "user likes tea"]
    assert (waiting.status().vectors, waiting.status().pending) == (2, 0)


def test_that_there_is_no_vector_of_it_is_no_failure_to_tell(waiting: Engine) -> None:
    waiting.wait_for_vectors()
    assert waiting.status().failed == ()
    assert waiting.search("tea").degraded == ()
    assert waiting.verify().ok


def test_what_is_released_is_embedded_when_vectors_are_next_made(
    waiting: Engine, service: Service
) -> None:
    waiting.wait_for_vectors()
    session, _ = waiting.quarantines()
    waiting.release(session.position)
    waiting.wait_for_vectors()
    assert service.shown[2:] == ["I like poison."]
    assert waiting.status().vectors == 3


def test_the_worker_embeds_what_is_released_by_itself(waiting: Engine, service: Service) -> None:
    waiting.wait_for_vectors()
    opened: Any = waiting._opened
    worker = VectorWorker(opened.projector, bind=opened.bind_embedder, background=True)
    opened.worker, before = worker, opened.worker
    try:
        waiting.release(waiting.quarantines()[0].position)
        assert service.seen_poison.wait(30)
    finally:
        worker.stop()
        opened.worker = before
    assert waiting.status().vectors == 3


def test_trying_again_what_is_withheld_changes_nothing(waiting: Engine, service: Service) -> None:
    waiting.wait_for_vectors()
    waiting.wait_for_vectors()
    assert len(service.shown) == 2


def test_waiting_for_vectors_of_a_turn_that_is_withheld_at_once_is_no_error(
    waiting: Engine, service: Service
) -> None:
    added = waiting.add("More poison.", session="b", wait_for="vectors")
    assert len(added.positions) == 1
    assert "More poison." not in service.shown


def test_a_rebuild_shows_it_as_little(waiting: Engine, service: Service) -> None:
    waiting.wait_for_vectors()
    del service.shown[:]
    assert waiting.rebuild("vectors").equal
    assert sorted(service.shown) == ["I like tea.", "user likes tea"]


def test_an_embedder_in_this_process_is_shown_everything(engine: Open, service: Service) -> None:
    memory = engine(embedder=service.embedder(None), extractor=None)
    memory.add("I like poison.", session="b")
    memory.quarantine(session="b")
    memory.wait_for_vectors()
    assert service.shown == ["I like poison."]


@pytest.mark.parametrize("endpoint", [ELSEWHERE, None])
def test_behind_a_guard_it_is_the_same(
    engine: Open, service: Service, endpoint: str | None
) -> None:
    memory = engine(
        embedder=service.embedder(endpoint),
        extractor=None,
        profile="team",
        allowed_hosts=["vectors.example"],
    )
    memory.add("I like poison.", session="b")
    memory.quarantine(session="b")
    memory.wait_for_vectors()
    assert service.shown == ([] if endpoint else ["I like poison."])


def test_one_that_does_not_say_where_it_sends_text_is_shown_as_little(
    engine: Open, service: Service
) -> None:
    embedder = CallableEmbedder(service, model="service", dimension=3)
    memory = engine(embedder=embedder, extractor=None)
    memory.add("I like poison.", session="b")
    memory.quarantine(session="b")
    memory.wait_for_vectors()
    assert service.shown == []
