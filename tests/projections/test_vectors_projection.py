"""Vectors: made outside any transaction, kept by what they were made from (decisions 9 and 31)."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from smriti_es.embedders import CallableEmbedder
from smriti_es.embedding import EVENTS_PER_STEP, VectorWorker
from smriti_es.engine import Engine
from smriti_es.events.catalogue import EmbedderChanged
from smriti_es.events.errors import EmbedderError
from smriti_es.projections.projection import fingerprint
from smriti_es.projections.vectors.tables import STORED, row_digest, vector_tables

OpenEngine = Callable[..., Engine]
Said = Callable[..., Sequence[Any]]
Fingerprints = Callable[[Engine], dict[str, str]]


class Telling:
    """An embedder that remembers what it was asked, and fails on some texts."""

    def __init__(self, *, fails_on: str = "boom", retryable: bool = False) -> None:
        self.asked: list[list[str]] = []
        self.fails_on = fails_on
        self.retryable = retryable

    def __call__(self, texts: list[str]) -> list[list[float]]:
        self.asked.append(texts)
        if self.fails_on and any(self.fails_on in text for text in texts):
            error = EmbedderError(f"cannot embed {self.fails_on}")
            error.retryable = self.retryable
            raise error
        return [[1.0, 1.0 + len(text) % 7, 2.0] for text in texts]


@pytest.fixture
def telling() -> Telling:
    return Telling()


@pytest.fixture
def memory(engine: OpenEngine, telling: Telling) -> Engine:
    """A memory whose embedder tells what it was asked."""
    return engine(embedder=CallableEmbedder(telling, model="telling", dimension=3))


def rows(memory: Engine, generation: int = 1) -> list[Any]:
    vector = vector_tables(generation).vector
    with memory._opened.database.read() as connection:
        found = connection.execute(vector.select().order_by(vector.c.vector_seq))
        return [row for row in found if row.log == memory._opened.log.log]


def test_a_vector_is_kept_in_half_precision_with_its_digest_and_what_it_was_made_from(
    memory: Engine,
) -> None:
    memory.add("A pear.", session="a", wait_for="vectors")
    (row,) = rows(memory)
    assert (row.vector_seq, row.position, row.piece, row.pieces) == (0, 3, 0, 1)
    vector = np.frombuffer(row.vector, STORED).astype(np.float32)
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=0.002)
    place = (row.vector_seq, row.position, row.piece, row.pieces, row.has_tokens)
    assert row.digest == row_digest(*place, row.input, row.vector)
    recorded = next(memory.events(3))
    assert recorded.header.payload is not None
    assert row.input.hex() == recorded.header.payload.commitment[:32]


def test_the_speaker_is_embedded_with_the_text(memory: Engine, telling: Telling) -> None:
    memory.add({"role": "user", "name": "Maren", "content": "A pear."}, session="a")
    memory.wait_for_vectors()
    assert telling.asked == [["Maren: A pear."]]


def test_a_long_turn_has_a_vector_for_each_piece(memory: Engine, telling: Telling) -> None:
    memory.add("A sentence about pears. " * 200, session="a", wait_for="vectors")
    found = rows(memory)
    assert len(found) > 1
    assert [row.piece for row in found] == list(range(len(found)))
    assert {row.pieces for row in found} == {len(found)}
    assert memory.status().vectors == 1


def test_what_waits_is_counted_and_found_by_its_words(memory: Engine) -> None:
    memory.add("A pear.", session="a", wait_for="vectors")
    memory.add("Another pear.", session="a")
    found = memory.search("pear")
    assert found.pending == memory.status().pending == 1
    assert [hit.channels for hit in found] == [("lexical", "semantic"), ("lexical",)]
    memory.wait_for_vectors()
    assert memory.search("pear").pending == memory.status().pending == 0


def test_no_embedder_is_ever_called_inside_a_transaction(
    memory: Engine, engine: OpenEngine
) -> None:
    writer = engine()

    def write_meanwhile(texts: list[str]) -> list[list[float]]:
        # In a process of its own this would wait for ever if the lock were held here.
        thread = threading.Thread(target=writer.add, args=("Meanwhile.",), kwargs={"session": "b"})
        thread.start()
        thread.join(20)
        assert not thread.is_alive()
        return [[1.0, 0.0]] * len(texts)

    memory.add("A pear.", session="a")
    other = engine(embedder=CallableEmbedder(write_meanwhile, model="writes", dimension=2))
    other.rebuild("vectors")
    assert [turn.text for turn in memory.turns()] == ["A pear.", "Meanwhile."]


def test_a_rebuild_of_vectors_ends_although_writers_are_faster(
    memory: Engine, engine: OpenEngine
) -> None:
    writer = engine()

    def write_more(texts: list[str]) -> list[list[float]]:
        writer.add(f"One more than {len(writer.turns())}.", session="b")
        return [[1.0, 0.0]] * len(texts)

    memory.add("A pear.", session="a")
    other = engine(embedder=CallableEmbedder(write_more, model="slow", dimension=2))
    report = other.rebuild("vectors")
    assert report.generation == 2
    assert (other.status().vectors, other.status().pending) == (1, 1)
    assert other.check("vectors")[0].ok


def test_a_text_that_is_refused_is_set_aside_and_the_others_have_vectors(
    memory: Engine, said: Said
) -> None:
    memory.add(said("fine", "boom", "fine too"), session="a")
    memory.wait_for_vectors()
    status = memory.status()
    assert (status.vectors, status.pending) == (2, 0)
    assert status.failed == ((4, "cannot embed boom"),)
    assert [hit.position for hit in memory.search("boom") if "lexical" in hit.channels] == [4]
    assert memory.verify().ok


def test_a_refused_text_is_tried_again_on_request(
    memory: Engine, telling: Telling, said: Said
) -> None:
    memory.add(said("fine", "boom", "fine too"), session="a")
    memory.wait_for_vectors()
    memory.wait_for_vectors()
    telling.fails_on = ""
    memory.wait_for_vectors()
    assert memory.status().failed == ()
    assert [(row.vector_seq, row.position) for row in rows(memory)] == [(0, 3), (1, 5), (2, 4)]
    assert "semantic" in memory.search("boom")[0].channels
    assert memory.verify().ok


def test_an_embedder_out_of_reach_sets_nothing_aside(
    memory: Engine, telling: Telling, said: Said
) -> None:
    telling.retryable = True
    memory.add(said("fine", "boom", "fine too"), session="a")
    with pytest.raises(EmbedderError, match="cannot embed boom"):
        memory.wait_for_vectors()
    assert (memory.status().failed, memory.status().pending) == ((), 3)
    telling.fails_on = ""
    memory.wait_for_vectors()
    assert (memory.status().vectors, memory.status().pending) == (3, 0)


def test_an_embedder_that_refuses_everything_sets_nothing_aside(
    memory: Engine, telling: Telling, said: Said
) -> None:
    telling.fails_on = "e"
    memory.add(said("one", "three", "seven"), session="a")
    with pytest.raises(EmbedderError, match="refuses every text"):
        memory.wait_for_vectors()
    assert (memory.status().failed, memory.status().pending) == ((), 3)


def test_catching_up_goes_on_where_it_stopped(memory: Engine, telling: Telling, said: Said) -> None:
    texts = [f"turn {number}" for number in range(2 * EVENTS_PER_STEP)]
    memory.add(said(*texts), session="a")
    whole = telling.asked
    fails_at = texts[EVENTS_PER_STEP + 5]
    telling.fails_on, telling.retryable = fails_at, True
    with pytest.raises(EmbedderError):
        memory.wait_for_vectors()
    done = memory.status().vectors
    assert 0 < done < len(texts)
    telling.fails_on = ""
    asked_before = len(whole)
    memory.wait_for_vectors()
    again = [text for call in whole[asked_before:] for text in call]
    assert again == texts[done:]
    assert memory.verify().ok


def test_neither_batches_nor_retries_change_the_fingerprint(
    memory: Engine, telling: Telling, said: Said, fingerprints: Fingerprints
) -> None:
    memory.add(said("fine", "boom", "fine too"), session="a")
    memory.wait_for_vectors()
    telling.fails_on = ""
    memory.wait_for_vectors()
    report = memory.rebuild("vectors")
    assert report.equal
    assert fingerprints(memory)["vectors"] == report.after
    assert [row.position for row in rows(memory, 2)] == [3, 4, 5]


def test_two_logs_count_their_vectors_apart(engine: OpenEngine, embedder: CallableEmbedder) -> None:
    a, b = (engine(tenant=name, embedder=embedder) for name in ("a", "b"))
    for memory in (a, b, a):
        memory.add("A pear.", session="a", wait_for="vectors")
    assert [row.vector_seq for row in rows(a)] == [0, 1]
    assert [row.vector_seq for row in rows(b)] == [0]


def test_the_embedder_is_recorded_when_it_is_bound(memory: Engine) -> None:
    (bound,) = [each.event for each in memory.events() if isinstance(each.event, EmbedderChanged)]
    assert (bound.embedder["model"], bound.generation) == ("telling", 1)
    assert memory.status().embedder == bound.embedder


def test_vectors_can_be_checked_without_their_embedder(
    memory: Engine, engine: OpenEngine, said: Said
) -> None:
    memory.add(said("fine", "boom"), session="a")
    memory.wait_for_vectors()
    assert engine().check("vectors")[0].ok
    assert engine(read_only=True).check("vectors")[0].ok


def test_two_workers_share_the_work_and_embed_nothing_twice(
    engine: OpenEngine, telling: Telling, said: Said
) -> None:
    memories = [
        engine(embedder=CallableEmbedder(telling, model="telling", dimension=3)) for _ in range(3)
    ]
    texts = [f"turn {number}" for number in range(5 * EVENTS_PER_STEP)]
    memories[0].add(said(*texts), session="a")
    workers = [
        VectorWorker(each._opened.projector, bind=each._opened.bind_embedder, background=True)
        for each in memories
    ]
    watcher = threading.Thread(target=memories[0].wait_for_vectors)
    watcher.start()
    watcher.join(30)
    assert not watcher.is_alive()
    for worker in workers:
        worker.stop()
    asked = [text for call in telling.asked for text in call]
    assert sorted(asked) == sorted(texts)
    assert memories[0].check("vectors")[0].ok


def test_a_worker_that_is_stopped_while_its_embedder_is_away_ends_at_once(
    engine: OpenEngine, telling: Telling
) -> None:
    telling.retryable = True
    memory = engine(embedder=CallableEmbedder(telling, model="telling", dimension=3))
    memory.add("boom", session="a")
    worker = VectorWorker(
        memory._opened.projector, bind=memory._opened.bind_embedder, background=True
    )
    stopper = threading.Thread(target=worker.stop)
    stopper.start()
    stopper.join(10)
    assert not stopper.is_alive()


def test_the_fingerprint_covers_the_bytes_of_every_vector(
    memory: Engine, tamper: Callable[..., int]
) -> None:
    memory.add("A pear.", session="a", wait_for="vectors")
    opened = memory._opened
    prints = set()
    for value in (0, 1, 2):
        tamper("UPDATE vector_v2_g1 SET vector = ?", bytes([value] * 6))
        with opened.database.read() as connection:
            generation = opened.projector.serving(connection)["vectors"]
            fold = opened.projector.fold(connection, generation)
            prints.add(fingerprint(opened.projector.projections["vectors"], fold))
    assert len(prints) == 3
