"""What tests of power failures share: a process that has them, and what must hold afterwards."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import smriti_es
from smriti_es.engine import Engine
from smriti_es.events.catalogue import Erased, ErasureCompleted
from smriti_es.events.errors import NotFound, SmritiError, StorageError
from smriti_es.rollback_guard import RollbackGuard
from smriti_es.settings import Settings

Left = dict[str, Any]


@pytest.fixture(scope="session")
def powered() -> Iterator[subprocess.Popen[str]]:
    """The process whose disk loses power."""
    roots = (Path(smriti_es.__file__).parents[1], Path(__file__).parents[3])
    with subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("powered_process.py"))],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, roots))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


@pytest.fixture
def lose_power(
    powered: subprocess.Popen[str],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> Callable[..., Left]:
    """Let the power fail during a workload; gives where the files that are left lie, and more."""

    def run(workload: str, seed: int, fault: str = "") -> Left:
        assert powered.stdin is not None
        assert powered.stdout is not None
        folder = tmp_path / f"{workload} {seed}"
        folder.mkdir()
        job = {"workload": workload, "seed": seed, "fault": fault, "folder": str(folder)}
        powered.stdin.write(json.dumps(job) + "\n")
        powered.stdin.flush()
        left: Left = json.loads(powered.stdout.readline())
        record_property("power_failures_with_a_fault" if fault else "power_failures", 1)
        return {**left, "folder": folder}

    return run


@pytest.fixture(scope="session")
def broken_promises() -> Callable[[Left], list[str]]:
    """Open what a power failure left, and say which promises it broke; in the end the files go."""

    def run(left: Left) -> list[str]:
        aside = left["folder"].with_name("aside")
        shutil.copytree(left["folder"], aside)
        try:
            broken = [*_secrets_that_came_back(left), *_as_it_was_left(aside / "memory.db", left)]
            return broken or _opened_again(left["folder"] / "memory.db", left)
        except (SmritiError, AssertionError) as error:
            return [f"it is of no use: {error!r}"]
        finally:
            shutil.rmtree(aside)

    return run


def _secrets_that_came_back(left: Left) -> list[str]:
    """Look for what was erased, if the erasure was acknowledged."""
    if "erased" not in left["told"]:
        return []
    return [f"{name} holds what was erased" for name in _holding(left)]


def _holding(left: Left) -> list[str]:
    secrets = [bytes.fromhex(secret) for secret in left["secrets"]]
    return [
        path.name
        for path in sorted(left["folder"].iterdir())
        if any(secret in path.read_bytes() for secret in secrets)
    ]


def _as_it_was_left(path: Path, left: Left) -> list[str]:
    """Look at what was left without changing anything."""
    told, tried = left["told"], [tuple(each) for each in left["tried"]]
    try:
        with _opened(path, read_only=True) as engine:
            found = [(each.leaf.hex(), each.header.commit[0]) for each in engine.events()]
            apart = [
                f"apart: projection {name} is at {folded} of {len(found)}"
                for name, folded in _folded(engine).items()
                if folded != len(found)
            ]
            findings = engine.verify(projections=False).log.findings
    except (NotFound, StorageError) as error:
        # Without a memory there is nothing to lose, unless somebody was told of one.
        return [] if told["head"] == -1 and left["begins_empty"] else [f"lost: {error!r}"]
    ends = {first for _, first in tried} | {len(tried)}
    if told["head"] == -1 and left["begins_empty"]:
        apart = []  # the opening that founds a log begins them then, and has not returned
    return [
        *(["lost: acknowledged events"] if len(found) <= told["head"] else []),
        *(["half: other events than were tried"] if found != tried[: len(found)] else []),
        *(["half: a part of a commit"] if len(found) not in ends else []),
        *apart,
        *[f"verify: {finding}" for finding in findings],
    ]


def _folded(engine: Engine) -> dict[str, int]:
    """Say how many events each projection has folded that is kept in step with the log."""
    projector = engine._opened.projector
    with engine._opened.database.read() as connection:
        serving = projector.serving(connection)
    return {
        name: serving[name].folded
        for name, projection in projector.projections.items()
        if projection.inline
    }


def _opened_again(path: Path, left: Left) -> list[str]:
    """Open what was left as anybody would, and go on with it."""
    with _opened(path) as engine:
        report = engine.verify()
        broken = [] if report.ok else [f"verify: {report}"]
        broken += _erasure_is_finished(engine)
        outside = RollbackGuard.beside(engine._opened.database, engine._opened.log.log_id).read()
        if "checkpoint" in left["told"]:
            attested = -1 if outside is None else outside.size
            if attested < left["told"]["checkpoint"]:
                broken.append("lost: the newest checkpoint beside the database")
        added = engine.add([{"role": "user", "content": "after the power came back"}], session="b")
        checkpoint = engine.checkpoint()  # the key is there, or can be made
        assert checkpoint.size == engine.head + 1
    with _opened(path) as engine:
        texts = {turn.position: turn.text for turn in engine.turns(limit=10_000)}
        assert texts[added.positions[0]] == "after the power came back"
        assert engine.verify(projections=False).ok
        erased = [each for each in engine.events() if isinstance(each.event, Erased)]
    if erased:
        broken += [f"{name} holds what was erased" for name in _holding(left)]
    return broken


def _erasure_is_finished(engine: Engine) -> list[str]:
    events = list(engine.events())
    erased = {each.position for each in events if isinstance(each.event, Erased)}
    completed = {each.event.erased for each in events if isinstance(each.event, ErasureCompleted)}
    return ["half: an erasure that is not finished"] if erased - completed else []


def _opened(path: Path, **options: Any) -> Engine:
    return Engine.open(path, embedder=None, settings=Settings(embed_in_background=False), **options)
