"""A process whose children die on demand: run as a script, one job a line of JSON on stdin.

It imports everything once and forks for each job, so that a kill costs milliseconds and not the
start of an interpreter. A child says what it did through a pipe, which outlives it; the answer on
stdout is one line of JSON: what was said, and how the child ended.
"""

import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from smriti_es import embedding, importing, migrate, opening
from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine
from smriti_es.events import dialect_sqlite, registry
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.log import EventLog
from smriti_es.projections import folding_together, preparing, rebuild
from smriti_es.projections.projector import Projector
from smriti_es.projections.sweeping import sweep
from smriti_es.projections.vectors.projection import VectorsProjection
from smriti_es.settings import Settings

Job = dict[str, Any]
Say = Callable[..., None]
TURNS_PER_ADD = 3


class Fate:
    """Ends the process when a named step is reached for the n-th time."""

    def __init__(self, step: str, nth: int) -> None:
        self.step = step
        self.left = nth

    def __call__(self, step: str) -> None:
        if step == self.step:
            self.left -= 1
            if self.left == 0:
                die()

    def after(self, step: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Reach a step whenever a function has returned."""

        def then(*arguments: Any, **options: Any) -> Any:
            result = function(*arguments, **options)
            self(step)
            return result

        return then

    def before(self, step: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Reach a step whenever a function is about to be called."""

        def first(*arguments: Any, **options: Any) -> Any:
            self(step)
            return function(*arguments, **options)

        return first


def put(owner: object, name: str, value: object) -> None:
    """Put something else in the place of what an object or module has; the process is ours."""
    setattr(owner, name, value)


def die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("a process outlived SIGKILL")


def embed(texts: list[str]) -> list[list[float]]:
    return [[1.0, 1.0 + len(text) % 7, 2.0] for text in texts]


def open_engine(job: Job, **options: Any) -> Engine:
    defaults: dict[str, Any] = {
        "embedder": None,
        "settings": Settings(embed_in_background=False),
    }
    return Engine.open(job["path"], **(defaults | options))


def messages(number: int, size: int = 1) -> list[dict[str, str]]:
    return [
        {"role": "user", "content": f"add {number} turn {turn} about pears " * size}
        for turn in range(TURNS_PER_ADD)
    ]


def append(job: Job, fate: Fate, say: Say) -> None:
    """Add from one thread or several; every add is one commit of three turns."""
    engine = open_engine(job)
    engine._opened.log.on_step = fate

    def write(first: int) -> None:
        for number in range(first, first + job["adds"]):
            engine.add(messages(number), session=f"session {number % 3}")
            say("acknowledged", number)
            fate("between commits")

    threads = [
        threading.Thread(target=write, args=(job["first"] + index * job["adds"],))
        for index in range(job["threads"])
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def import_chats(job: Job, fate: Fate, say: Say) -> None:
    """Import a file in parts of two sessions."""
    put(importing, "_PARTS_MAX", 2)
    engine = open_engine(job)
    engine._opened.log.on_step = fate
    engine.import_file(job["file"])
    say("imported")


def found(job: Job, fate: Fate, say: Say) -> None:
    """Open a memory that does not exist yet, and add to it."""
    put(registry, "EventLog", partial(EventLog, on_step=fate))
    put(migrate, "_upgrade", fate.after("schema written", migrate._upgrade))
    put(opening, "open_log", fate.after("founded", registry.open_log))
    put(Projector, "begin", fate.after("projections begun", Projector.begin))
    put(preparing, "sweep", fate.before("before the first fold", sweep))
    engine = open_engine(job)
    engine.add(messages(0), session="session 0")
    say("acknowledged", 0)


def rebuild_one(job: Job, fate: Fate, say: Say) -> None:
    """Rebuild a projection in small steps."""
    put(rebuild, "BATCH", 8)
    put(folding_together, "BATCH", 8)
    put(rebuild, "LAST_STRETCH", 4)
    name, *others = job["projection"].split()
    engine = open_engine(job, embedder=CallableEmbedder(embed, model=job["model"], dimension=3))
    kind = type(engine._opened.projector.named(name))
    put(kind, "apply", fate.after("rows written", kind.apply))
    put(kind, "drop", fate.after("tables dropped", kind.drop))
    put(rebuild, "_flip", fate.after("flipped", fate.before("about to flip", rebuild._flip)))
    put(rebuild, "sweep", fate.after("swept", fate.before("about to sweep", sweep)))

    def progress(phase: str, done: int, total: int) -> None:
        fate({"fold": "step committed", "compare": "switched"}.get(phase, phase))

    if others:
        engine.rebuild_all([name, *others], progress=progress)
    else:
        engine.rebuild(name, progress=progress)
    say("rebuilt", name)


def switch_embedder(job: Job, fate: Fate, say: Say) -> None:
    """Switch to another embedder in small steps."""
    put(rebuild, "MODEL_BATCH", 8)
    engine = open_engine(job, embedder=CallableEmbedder(embed, model="small", dimension=3))
    put(VectorsProjection, "apply", fate.after("rows written", VectorsProjection.apply))
    put(VectorsProjection, "drop", fate.after("tables dropped", VectorsProjection.drop))
    put(rebuild, "_flip", fate.after("flipped", fate.before("about to flip", rebuild._flip)))
    put(rebuild, "sweep", fate.before("about to sweep", sweep))

    def embed_and_die(texts: list[str]) -> list[list[float]]:
        fate("embedding")
        return [[*row, 1.0] for row in embed(texts)]

    def progress(phase: str, done: int, total: int) -> None:
        fate({"fold": "step committed", "compare": "switched"}.get(phase, phase))

    successor = CallableEmbedder(embed_and_die, model="successor", dimension=4)
    engine.switch_embedder(successor, progress=progress)
    say("switched")


def embed_turns(job: Job, fate: Fate, say: Say) -> None:
    """Catch up with vectors in small steps."""
    put(embedding, "EVENTS_PER_STEP", 8)

    def embed_and_die(texts: list[str]) -> list[list[float]]:
        fate("embedding")
        return embed(texts)

    engine = open_engine(job, embedder=CallableEmbedder(embed_and_die, model="small", dimension=3))
    put(VectorsProjection, "apply", fate.after("rows written", VectorsProjection.apply))
    engine.wait_for_vectors(progress=lambda *_: fate("step committed"))
    say("embedded")


def checkpoint(job: Job, fate: Fate, say: Say) -> None:
    """Add large turns, each followed by a checkpoint; another thread kills amid one of them."""
    put(dialect_sqlite, "CHECKPOINT_BYTES", 0)
    put(dialect_sqlite, "CHECKPOINT_ROWS", 1)
    real = SqliteDatabase._checkpoint_when_large
    begun = [0]

    def doomed(self: Any, connection: Any) -> None:
        begun[0] += 1
        if begun[0] == job["nth"]:
            threading.Thread(target=_die_after, args=(job["delay_us"],), daemon=True).start()
        real(self, connection)

    put(SqliteDatabase, "_checkpoint_when_large", doomed)
    engine = open_engine(job)
    for number in range(job["first"], job["first"] + job["adds"]):
        engine.add(messages(number, size=job["size"]), session=f"session {number % 3}")
        say("acknowledged", number)
    if job["close"]:
        threading.Thread(target=_die_after, args=(job["delay_us"],), daemon=True).start()
        engine.close()
    threading.Event().wait()  # the end is near, if it was not in time


def _die_after(delay_us: int) -> None:
    end = time.monotonic_ns() + delay_us * 1_000
    while time.monotonic_ns() < end:
        pass
    die()


SCENARIOS: dict[str, Callable[[Job, Fate, Say], None]] = {
    "append": append,
    "import": import_chats,
    "found": found,
    "rebuild": rebuild_one,
    "switch": switch_embedder,
    "embed": embed_turns,
    "checkpoint": checkpoint,
}


def run_child(job: Job, pipe: int) -> NoReturn:
    """Run one job in the forked child, which never returns from here."""

    def say(*what: Any) -> None:
        os.write(pipe, json.dumps(what).encode() + b"\n")

    try:
        fate = Fate(job.get("step", ""), job.get("nth", 1))
        SCENARIOS[job["scenario"]](job, fate, say)
    except BaseException:  # noqa: BLE001  the parent shall see it, whatever it is
        say("error", traceback.format_exc())
        os._exit(1)
    os._exit(0)


@contextmanager
def child(job: Job) -> Iterator[tuple[int, Any]]:
    """Fork; gives the child's process id and the lines that it says."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        run_child(job, writing)
    os.close(writing)
    with os.fdopen(reading) as lines:
        yield pid, lines


def run(job: Job) -> Job:
    """Run one job in a child, and kill it after as many acknowledgements as the job says."""
    said = []
    with child(job) as (pid, lines):
        for line in lines:
            said.append(json.loads(line))
            if len(said) == job.get("kill_after"):
                os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
    return {
        "said": said,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
        "exit": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
    }


def main() -> None:
    """Serve jobs until stdin ends."""
    warm = Path(sys.argv[1])
    with open_engine({"path": warm}) as engine:
        engine.add(messages(0), session="warm")
    for line in sys.stdin:
        sys.stdout.write(json.dumps(run(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
