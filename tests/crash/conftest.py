"""What crash tests share: processes that die on demand, what must hold afterwards, and the record.

With SMRITI_ES_GUARANTEES=1 the record of the whole run goes to bench/results/guarantees.json.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import smriti_es
from smriti_es.engine import Engine
from smriti_es.settings import Settings

GUARANTEES = os.environ.get("SMRITI_ES_GUARANTEES") == "1"
TURNS_PER_ADD = 3
Outcome = dict[str, Any]


@pytest.fixture(scope="session")
def mortal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[subprocess.Popen[str]]:
    """The process that forks children to be killed."""
    folder = tmp_path_factory.mktemp("mortal")
    with subprocess.Popen(
        [
            sys.executable,
            str(Path(__file__).with_name("mortal_process.py")),
            str(folder / "warm.db"),
        ],
        env={**os.environ, "PYTHONPATH": str(Path(smriti_es.__file__).parents[1])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


@pytest.fixture
def kill(
    mortal: subprocess.Popen[str], tmp_path: Path, record_property: Callable[[str, object], None]
) -> Callable[..., Outcome]:
    """Run a job on `memory.db` in a child that gets killed; gives the numbers it acknowledged."""

    def run(scenario: str, *, killed: bool = True, **job: Any) -> Outcome:
        assert mortal.stdin is not None
        assert mortal.stdout is not None
        given = {"scenario": scenario, "path": str(tmp_path / "memory.db"), **job}
        mortal.stdin.write(json.dumps(given) + "\n")
        mortal.stdin.flush()
        outcome: Outcome = json.loads(mortal.stdout.readline())
        errors = [said[1] for said in outcome["said"] if said[0] == "error"]
        assert not errors, errors[0]
        assert outcome["signal"] == (signal.SIGKILL if killed else 0), outcome
        record_property("kill", f"{scenario}: {job.get('step', 'at any moment')}")
        return outcome

    return run


@pytest.fixture
def reopened(tmp_path: Path) -> Iterator[Callable[..., Engine]]:
    """Open `memory.db` in this process; closed at the end."""
    opened: list[Engine] = []

    def open_engine(**options: Any) -> Engine:
        defaults = {"embedder": None, "settings": Settings(embed_in_background=False)}
        opened.append(Engine.open(tmp_path / "memory.db", **(defaults | options)))
        return opened[-1]

    yield open_engine
    for engine in opened:
        engine.close()


@pytest.fixture(scope="session")
def assert_whole() -> Callable[[Engine, Sequence[Any]], set[int]]:
    """Check a memory after a kill; gives the adds that are there.

    Acknowledged adds are all there, each whole and once; the others whole or not at all; the log
    verifies, and every projection is what a rebuild makes of it.
    """

    def check(engine: Engine, said: Sequence[Any]) -> set[int]:
        report = engine.verify()
        assert report.log.findings == ()
        assert {each.problem for each in report.projections} == {None}
        turns = [turn.text.split()[:4] for turn in engine.turns(limit=10_000)]
        found = Counter(int(text[1]) for text in turns)
        assert set(found.values()) <= {TURNS_PER_ADD}
        for number in found:
            wanted = [["add", str(number), "turn", str(turn)] for turn in range(TURNS_PER_ADD)]
            assert [text for text in turns if text[1] == str(number)] == wanted
        acknowledged = {number for what, number in said if what == "acknowledged"}
        assert acknowledged <= set(found)
        assert sum(session.turns for session in engine.sessions()) == len(turns)
        assert [engine.rebuild(name).equal for name in ("turns", "lexical")] == [True, True]
        return set(found)

    return check


class Record:
    """Gathers what a run of the guarantees did, and writes it when the run is over."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.started = datetime.now(UTC)
        self.began = time.monotonic()
        self.tests: dict[str, dict[str, Any]] = {}
        self.kills: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Take down one phase of one test."""
        report = yield
        test = self.tests.setdefault(item.nodeid, {"outcome": "passed", "seconds": 0.0})
        test["seconds"] = round(test["seconds"] + call.duration, 3)
        if report.outcome != "passed":
            test["outcome"] = report.outcome
        if report.when == "call":
            self._count(report.user_properties)
        statistics = getattr(item, "hypothesis_statistics", "")
        if report.when == "teardown" and statistics:
            passing = re.findall(r"(\d+) passing examples", statistics)
            test["examples"] = sum(int(count) for count in passing)
        return report

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the record, in a checkout only: an installed package has no folder for it."""
        folder = Path(__file__).parents[2] / "bench" / "results"
        if folder.is_dir() and self.tests:
            text = json.dumps(self._whole(int(exitstatus)), indent=2, sort_keys=True)
            (folder / "guarantees.json").write_text(text + "\n", "utf-8")

    def _count(self, properties: Sequence[tuple[str, Any]]) -> None:
        for name, value in properties:
            if name == "kill":
                self.kills[value] += 1
            elif isinstance(value, int):
                self.counts[name] += value

    def _whole(self, exit_status: int) -> dict[str, Any]:
        from bench.machine import commit, machine_facts, software_versions

        outcomes = Counter(test["outcome"] for test in self.tests.values())
        return {
            "arguments": list(self.config.invocation_params.args),
            "commit": commit(),
            "counts": dict(self.counts),
            "examples": sum(test.get("examples", 0) for test in self.tests.values()),
            "exit_status": exit_status,
            "kills": {"all": self.kills.total(), "by_step": dict(self.kills)},
            "machine": machine_facts(Path(__file__).parent),
            "outcomes": dict(outcomes),
            "seconds": round(time.monotonic() - self.began, 1),
            "seed": getattr(self.config.option, "randomly_seed", None),
            "started": self.started.isoformat(timespec="seconds"),
            "tests": self.tests,
            "versions": software_versions(),
        }


def pytest_configure(config: pytest.Config) -> None:
    """Keep a record of the run when the guarantees are run."""
    if GUARANTEES and not config.pluginmanager.has_plugin("guarantees-record"):
        config.pluginmanager.register(Record(config), "guarantees-record")
