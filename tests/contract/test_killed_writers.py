"""Writers that are killed at random, on one tenant and on many: what was acknowledged stands.

Total order for each log, no gap, nothing lost, nothing twice, and nobody reads backwards (each
process looks for itself).
"""

import os
import random
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import smriti_es
from smriti_es.engine import Engine

OpenEngine = Callable[..., Engine]
GUARANTEES = os.environ.get("SMRITI_ES_GUARANTEES") == "1"
PROCESSES = 8 if GUARANTEES else 3
KILLS = 60 if GUARANTEES else 3
# So many turns are acknowledged between two kills.
BETWEEN = 20 if GUARANTEES else 5
PATIENCE_S = 120


class Writers:
    """Processes that append, with all that they said."""

    def __init__(self, place: str, tenants: int) -> None:
        self.place, self.tenants = place, tenants
        self.running: dict[str, subprocess.Popen[str]] = {}
        self.said: dict[str, list[tuple[int, str]]] = {}
        self.heard = threading.Semaphore(0)
        self.listeners: list[threading.Thread] = []
        self.errors: list[str] = []

    def tenant_of(self, name: str) -> str:
        return f"tenant {int(name.split('.')[0]) % self.tenants}"

    def start(self, name: str) -> None:
        process = subprocess.Popen(
            [
                sys.executable,
                str(Path(__file__).with_name("appending_process.py")),
                self.place,
                self.tenant_of(name),
                name,
            ],
            env={**os.environ, "PYTHONPATH": str(Path(smriti_es.__file__).parents[1])},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.running[name], self.said[name] = process, []
        self.listeners.append(threading.Thread(target=self._listen, args=(name, process)))
        self.listeners[-1].start()

    def _listen(self, name: str, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        with process.stdout, process.stderr:
            for line in process.stdout:
                # What a kill cut off was not acknowledged.
                if line != "ready\n" and line.endswith("\n"):
                    position, text = line.rstrip("\n").split(" ", 1)
                    self.said[name].append((int(position), text))
                    self.heard.release()
            self.errors += [each for each in [process.stderr.read()] if each]

    def hear(self, count: int) -> None:
        """Wait until so many turns more were acknowledged."""
        for _ in range(count):
            assert self.heard.acquire(timeout=PATIENCE_S), self.errors

    def kill(self, name: str) -> None:
        process = self.running.pop(name)
        process.kill()
        process.wait(PATIENCE_S)

    def stop(self) -> None:
        for name in list(self.running):
            self.kill(name)
        for each in self.listeners:
            each.join(PATIENCE_S)


@pytest.fixture
def writers(places: Any) -> Iterator[Callable[[int], Writers]]:
    """Start so many processes on so many tenants of `memory.db`."""
    made: list[Writers] = []

    def start(tenants: int) -> Writers:
        made.append(Writers(str(places.named("memory.db")), tenants))
        for number in range(PROCESSES):
            made[-1].start(f"{number}.0")
        return made[-1]

    yield start
    for each in made:
        each.stop()


@pytest.mark.parametrize("tenants", [1, PROCESSES])
def test_what_was_acknowledged_stands_once_whoever_is_killed(
    tenants: int,
    writers: Callable[[int], Writers],
    engine: OpenEngine,
    record_property: Callable[[str, object], None],
) -> None:
    chance = random.Random(tenants)
    running = writers(tenants)
    for kill in range(KILLS):
        running.hear(BETWEEN)
        victim = chance.choice(sorted(running.running))
        running.kill(victim)
        record_property("kill", "a writer among others: at any moment")
        running.start(f"{victim.split('.')[0]}.{kill + 1}")
    running.hear(BETWEEN)
    running.stop()
    assert running.errors == []
    for tenant in {running.tenant_of(name) for name in running.said}:
        memory = engine(tenant=tenant)
        stands = {turn.position: turn.text for turn in memory.turns(limit=10_000)}
        names = [name for name in running.said if running.tenant_of(name) == tenant]
        acknowledged = dict(each for name in names for each in running.said[name])
        assert {at: stands.get(at) for at in acknowledged} == acknowledged
        assert set(Counter(stands.values()).values()) <= {1}
        # Whoever was killed may have had one turn more than it could say.
        assert len(stands) - len(acknowledged) <= len(names)
        report = memory.verify()
        assert report.log.findings == ()
        assert {each.problem for each in report.projections} == {None}
