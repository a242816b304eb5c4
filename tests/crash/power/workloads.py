"""What a memory is doing when the power fails.

Every workload says what it was told was done; who says nothing of it was told nothing.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine
from smriti_es.recording import SessionInput
from smriti_es.settings import Settings
from tests.crash.power.disk import Disk, Mark

SECRET: Final = "the orchard behind Saint Ursula"
TURNS_PER_ADD: Final = 3


@dataclass(slots=True)
class Work:
    """One run of a workload on a disk that records.

    Attributes:
        path: Of the database.
        disk: The disk.
        on_open: Told each memory that is opened, for a mistake that is planted.
        tried: Of each event that was recorded, its leaf and the first position of its commit.
    """

    path: Path
    disk: Disk
    on_open: Callable[[Engine], None]
    tried: list[tuple[str, int]] = field(default_factory=list)

    @contextmanager
    def opened(self, **options: Any) -> Iterator[Engine]:
        """Open the memory, and close it in the end."""
        with opened(self.path, **options) as engine:
            self.on_open(engine)
            yield engine
            self.tried = [(each.leaf.hex(), each.header.commit[0]) for each in engine.events()]

    def told(self, what: str, value: int) -> None:
        """Somebody was told that something is done."""
        self.disk.record(Mark(what, value))

    def add(self, engine: Engine, number: int) -> None:
        """Add a few turns in one commit."""
        added = engine.add(messages(number), session=f"session {number % 3}")
        self.told("head", max(added.positions))


def opened(path: Path, **options: Any) -> Engine:
    """Open a memory that does nothing in the background."""
    defaults: dict[str, Any] = {"embedder": None, "settings": Settings(embed_in_background=False)}
    return Engine.open(path, **(defaults | options))


def messages(number: int) -> list[dict[str, str]]:
    return [
        {"role": "user", "content": f"add {number} turn {turn} about pears"}
        for turn in range(TURNS_PER_ADD)
    ]


def vectors() -> dict[str, Any]:
    """Give the options of a memory with vectors, and with a graph of them in a file."""

    def embed(texts: list[str]) -> list[list[float]]:
        return [[4.0, 1.0, 2.0 + 4 * (SECRET in text)] for text in texts]

    return {
        "embedder": CallableEmbedder(embed, model="small", dimension=3),
        "settings": Settings(embed_in_background=False, graph_threshold=4),
    }


def make_memory(path: Path) -> None:
    """Make the memory that the workloads find: turns, facts, vectors, and a secret."""
    with opened(path, **vectors()) as engine:
        for number in range(100, 104):
            engine.add(messages(number), session="old")
        engine.assert_fact("Ana", "lives_in", "Pune")
        secret = [{"role": "user", "content": f"We met in {SECRET}."}]
        engine.add(secret, session="secret")
        engine.wait_for_vectors()
        engine.search("pears")  # saves the graph


def secrets() -> list[bytes]:
    """Give what the files of that memory hold of the secret: text, index, vector, graph."""
    vector = np.array([4.0, 1.0, 6.0], np.float32)
    stored = (vector / np.linalg.norm(vector)).astype(np.float16)
    in_graph = stored.astype(np.float32)
    in_graph /= np.linalg.norm(in_graph)
    return [SECRET.encode(), b"ursula", stored.tobytes(), in_graph.tobytes()]


def found(work: Work) -> None:
    """Found a memory, and use it."""
    for path in work.path.parent.glob(f"{work.path.name}*"):
        os.unlink(path)
    with work.opened() as engine:
        work.told("head", engine.head)
        for number in range(2):
            work.add(engine, number)


def append(work: Work) -> None:
    """Add turns and facts one by one, with checkpoints of SQLite's between, and open again."""
    for first in (0, 5):
        with work.opened() as engine:
            for number in range(first, first + 5):
                work.add(engine, number)
                position = engine.assert_fact("Ana", "lives_in", f"Town {number}")
                work.told("head", position)


def append_together(work: Work) -> None:
    """Add from several threads that share their flushes, and many sessions at once."""
    with work.opened() as engine:

        def write(first: int) -> None:
            for number in range(first, first + 3):
                work.add(engine, number)

        threads = [threading.Thread(target=write, args=(10 * index,)) for index in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        sessions = [
            SessionInput(session=f"of many {number}", messages=messages(number))
            for number in range(50, 56)
        ]
        added = engine.add_many(sessions)
        work.told("head", max(max(each.positions) for each in added))


def erase(work: Work) -> None:
    """Erase a conversation with its vectors, and go on."""
    with work.opened(**vectors()) as engine:
        work.add(engine, 0)
        erasure = engine.erase(session="secret")
        assert erasure.verified
        assert erasure.position is not None
        work.told("erased", erasure.position)
        work.told("head", erasure.position + 1)  # the event that says what became of it
        work.add(engine, 1)


def rebuild(work: Work) -> None:
    """Rebuild projections while others append."""
    with work.opened() as engine:
        numbers = iter(range(100))

        def add(phase: str, done: int, total: int) -> None:
            if phase == "fold" and done < total:
                work.add(engine, next(numbers))

        for name in ("turns", "facts", "lexical"):
            assert engine.rebuild(name, progress=add).equal


def attest(work: Work) -> None:
    """Sign checkpoints, with a key that is made for it, and let another key take over."""
    with work.opened() as engine:
        for number in range(4):
            work.add(engine, number)
            checkpoint = engine.checkpoint()
            work.told("head", checkpoint.size - 1)
            work.told("checkpoint", checkpoint.size)
            if number == 1:
                engine.rotate_key()
                work.told("head", engine.head)


WORKLOADS: Final[dict[str, Callable[[Work], None]]] = {
    "found": found,
    "append": append,
    "append together": append_together,
    "erase": erase,
    "rebuild": rebuild,
    "attest": attest,
}
