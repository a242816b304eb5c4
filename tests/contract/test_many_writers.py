"""Several processes and threads on one file at once: no error, nothing lost, nothing twice.

Cases BC-77 (readers and a long read beside writers) and BC-79 (lock files that a killed process
left).
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import smriti_es
from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine
from smriti_es.events.catalogue import LogOpened
from smriti_es.events.errors import NotAllowed, NotFound

OpenEngine = Callable[..., Engine]
GUARANTEES = os.environ.get("SMRITI_ES_GUARANTEES") == "1"
PROCESSES, THREADS = 4, 16
ADDS = 100 if GUARANTEES else 5


class Busy:
    """A process that works on `memory.db`."""

    def __init__(self, path: str | Path, number: int, **job: Any) -> None:
        given = {"path": str(path), "process": number, "threads": 1, "adds": 1, **job}
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("busy_process.py")), json.dumps(given)],
            env={**os.environ, "PYTHONPATH": str(Path(smriti_es.__file__).parents[1])},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def await_open(self) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "open\n"

    def go(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def result(self) -> dict[str, Any]:
        said, _ = self.process.communicate(timeout=600)
        assert self.process.returncode == 0
        found: dict[str, Any] = json.loads(said)
        assert found["errors"] == []
        return found


@pytest.fixture
def busy(places: Any) -> Iterator[Callable[..., Busy]]:
    """Start processes that have opened `memory.db` and wait for the word."""
    started: list[Busy] = []

    def start(number: int = 0, **job: Any) -> Busy:
        started.append(Busy(places.named("memory.db"), number, **job))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.communicate()


def run_together(processes: list[Busy]) -> list[dict[str, Any]]:
    for each in processes:
        each.await_open()
    for each in processes:
        each.go()
    return [each.result() for each in processes]


def assert_whole(memory: Engine) -> None:
    report = memory.verify()
    assert report.log.findings == ()
    assert {each.problem for each in report.projections} == {None}
    assert [memory.rebuild(name).equal for name in ("turns", "lexical")] == [True] * 2


def all_turns(memory: Engine) -> dict[int, str]:
    found: dict[int, str] = {}
    while page := memory.turns(limit=10_000, after=max(found, default=-1)):
        found |= {turn.position: turn.text for turn in page}
    return found


def test_many_processes_and_threads_add_to_one_file_that_does_not_exist_yet(
    engine: OpenEngine, busy: Callable[..., Busy], record_property: Callable[[str, object], None]
) -> None:
    results = run_together(
        [busy(number, threads=THREADS, adds=ADDS, reads=5 * ADDS) for number in range(PROCESSES)]
    )
    memory = engine()
    turns = all_turns(memory)
    acknowledged = {
        position: text
        for result in results
        for text, positions, _ in result["added"]
        for position in positions[:1]
    }
    assert len(acknowledged) == PROCESSES * THREADS * ADDS
    assert {position: turns[position] for position in acknowledged} == acknowledged
    assert Counter(turns.values()).most_common(1)[0][1] == 1
    assert len(turns) == 2 * len(acknowledged)
    assert all(result["answers"] == 5 * ADDS for result in results)
    assert [each.position for each in memory.events() if isinstance(each.event, LogOpened)] == [0]
    assert_whole(memory)
    record_property("adds_by_many_writers", len(acknowledged))


def test_one_who_holds_a_long_read_disturbs_nobody_and_sees_one_state(
    engine: OpenEngine, busy: Callable[..., Busy]
) -> None:
    memory = engine()
    memory.add("Before.", session="a")
    opened = memory._opened
    count = "SELECT (SELECT count(*) FROM event), (SELECT count(*) FROM turn_v1_g1)"
    with opened.database.read() as connection:
        before = connection.exec_driver_sql(count).one()
        results = run_together([busy(n, threads=4, adds=ADDS, reads=5 * ADDS) for n in range(2)])
        memory.add("Written by whoever reads.", session="a")
        assert connection.exec_driver_sql(count).one() == before
    turns = all_turns(memory)
    assert len(turns) == 2 + 2 * sum(len(result["added"]) for result in results)
    assert_whole(memory)


def test_a_key_that_all_use_at_once_takes_effect_once(
    engine: OpenEngine, busy: Callable[..., Busy]
) -> None:
    results = run_together([busy(n, threads=4, adds=3, same_keys=True) for n in range(2)])
    turns = all_turns(engine())
    assert sorted(turns.values()) == [f"once and for all: {number}" for number in range(3)]
    said = [tuple(each) for result in results for each in result["added"]]
    assert {turns[position] for _, (position,), _ in said} == {text for text, _, _ in said}
    assert Counter(text for text, _, repeated in said if not repeated) == dict.fromkeys(
        turns.values(), 1
    )


def test_two_processes_embed_what_they_and_others_add_and_nothing_twice(
    engine: OpenEngine, busy: Callable[..., Busy]
) -> None:
    results = run_together([busy(n, threads=4, adds=20, embeds=True) for n in range(2)])
    memory = engine()
    turns = all_turns(memory)
    asked = Counter(text for result in results for text in result["asked"])
    assert asked == Counter(turns.values())
    assert (memory.status().vectors, memory.status().pending) == (len(turns), 0)
    assert_whole(memory)


@pytest.mark.parametrize("step", ["head locked", "head moved"])
def test_a_lock_that_a_killed_process_held_is_no_obstacle(
    step: str, engine: OpenEngine, busy: Callable[..., Busy], places: Any, tmp_path: Path
) -> None:
    memory = engine()
    memory.add("Before.", session="a")
    doomed = busy(dies_at=step)
    doomed.await_open()
    doomed.go()
    assert doomed.process.wait(60) == -signal.SIGKILL
    if isinstance(places.named("memory.db"), Path):
        assert (tmp_path / "memory.db-lock").exists()
    assert len(engine(read_only=True).search("before")) == 1
    memory.add("After.", session="a")
    assert [turn.text for turn in engine().turns()] == ["Before.", "After."]
    assert_whole(memory)


@pytest.mark.sqlite_only("lock files beside a file")
def test_lock_files_of_long_ago_are_no_obstacle(engine: OpenEngine, tmp_path: Path) -> None:
    for name in ("", "-embed-1", "-rebuild-1-turns"):
        (tmp_path / f"memory.db-lock{name}").write_text("4711 some-other-host\n")
    memory = engine()
    memory.add("A pear.", session="a")
    assert memory.rebuild("turns").equal


def test_a_reader_opens_while_another_process_writes(
    engine: OpenEngine, busy: Callable[..., Busy]
) -> None:
    writer = busy(threads=4, adds=50)
    writer.await_open()
    reader = engine(read_only=True)
    with pytest.raises(NotAllowed):
        reader.add("Not allowed.", session="a")
    writer.go()
    seen = [reader.status().turns]
    while writer.process.poll() is None:
        seen.append(len(reader.turns(limit=10_000)))
        # Whole commits only: two turns each.
        assert seen[-1] % 2 == 0
        assert reader.verify(projections=False).ok
    assert seen == sorted(seen)
    assert len(writer.result()["added"]) == 200
    assert reader.status().turns == 400
    assert all(each.ok for each in reader.check())


def test_a_reader_of_a_tenant_that_nobody_founded_is_told_so(engine: OpenEngine) -> None:
    engine()
    with pytest.raises(NotFound, match="nobody"):
        engine(tenant="nobody", read_only=True)


@pytest.mark.sqlite_only("locks that a process holds on a file")
def test_opening_a_file_twice_does_not_cost_the_first_its_locks(
    engine: OpenEngine, busy: Callable[..., Busy], tmp_path: Path
) -> None:
    """A process that closes must not take itself for the last and delete a log that is in use.

    POSIX drops a process's locks on a file when it closes any descriptor of that file.
    """
    first = engine(tenant="a")
    first.add("One.", session="s")
    engine(tenant="b").close()
    run_together([busy()])
    first.add("Two.", session="s")
    assert (tmp_path / "memory.db-wal").exists()
    run_together([busy()])
    assert [turn.text for turn in first.turns()] == ["One.", "Two."]
    assert [turn.text for turn in engine(tenant="a").turns()] == ["One.", "Two."]
    assert_whole(first)


def test_several_engines_of_one_process_share_a_file(
    engine: OpenEngine, embedder: CallableEmbedder
) -> None:
    memories = [engine(embedder=embedder) for _ in range(3)]
    errors: list[Exception] = []

    def write(memory: Engine, name: str) -> None:
        try:
            for number in range(10):
                memory.add(f"{name} says {number}", session=name)
                memory.search("who says 3")
        except Exception as error:  # noqa: BLE001  whatever it is, the test fails on it
            errors.append(error)

    threads = [
        threading.Thread(target=write, args=(memory, f"engine {number}"))
        for number, memory in enumerate(memories)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert errors == []
    assert len(memories[0].turns()) == 30
    memories[1].wait_for_vectors()
    assert memories[2].status().vectors == 30
    assert_whole(memories[0])


@pytest.mark.sqlite_only("a memory without a file")
def test_threads_share_a_memory_that_has_no_file(
    engine: OpenEngine, embedder: CallableEmbedder
) -> None:
    memory = engine(":memory:", embedder=embedder)
    errors: list[Exception] = []

    def guarded(work: Callable[[], object]) -> None:
        try:
            for _ in range(6):
                work()
        except Exception as error:  # noqa: BLE001  whatever it is, the test fails on it
            errors.append(error)

    works: list[Callable[[], object]] = [
        *(lambda name=name: memory.add("A pear.", session=name) for name in "abcd"),
        lambda: memory.search("pear"),
        lambda: memory.rebuild("turns"),
        lambda: memory.rebuild("lexical"),
        memory.wait_for_vectors,
    ]
    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert errors == []
    assert len(memory.turns()) == 24
    memory.wait_for_vectors()
    assert_whole(memory)
