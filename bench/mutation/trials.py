"""Run tests against one mutant after another, each in a forked child that has loaded them already.

A mutant within a function is tried by giving the loaded function the mutant's code. One outside of
functions changes what other modules took over when they were loaded: for it a child loads
everything anew. Either way the mutant also lies on the disk, in a copy of the repository, for tests
that read the file or start a process.
"""

import builtins
import importlib
import json
import os
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

import pytest

from bench.mutation.mutants import MARKS, Mutant, with_marks

KILLED: Final = "killed"
TIMED_OUT: Final = "timed out"
SURVIVED: Final = "survived"
DIED: Final = "died"
_BASELINE_SECONDS: Final = 600
# Only for what waits; what computes is ended by the time that it takes of the processor.
_WALL_SECONDS: Final = 300
_MEMORY_BYTES: Final = 6 * 2**30
_OPTIONS: Final = (
    "--quiet",
    "--capture=no",
    "--assert=plain",
    "--tb=no",
    *("-p", "no:randomly", "-p", "no:cacheprovider", "-p", "no:xdist"),
)


@dataclass(frozen=True, slots=True)
class Target:
    """A module to mutate and the tests that should notice.

    Attributes:
        path: Its file, from the root.
        tests: Files and folders below `tests/`.
        mutants: Those to try.
    """

    path: str
    tests: Sequence[str]
    mutants: Sequence[Mutant]

    @property
    def module(self) -> str:
        """The name that it is imported by."""
        return "smriti_es." + self.path.removesuffix(".py").replace("/", ".")

    def arguments(self, folder: Path) -> list[str]:
        """Give what pytest is called with, in a copy of the repository."""
        own = folder / ".mutation"
        tests = [f"tests/{each}" for each in self.tests]
        return [*_OPTIONS, f"--rootdir={folder}", f"--basetemp={own}", *tests]


def try_mutants(target: Target, folder: Path) -> dict[str, str]:
    """Try the mutants of a module in a copy of the repository; give the outcome by key.

    The process that calls it must not have loaded the module, nor any that does.

    Raises:
        RuntimeError: The tests fail without a mutant, too.
    """
    os.chdir(folder)
    sys.path[0] = str(folder)
    original = (folder / target.path).read_bytes()
    try:
        _, answer = apart(lambda: _Session(target, folder).run(), _BASELINE_SECONDS * 100)
        if answer is None:
            raise RuntimeError(f"the tests of {target.path} fail without a mutant")
        outcomes: dict[str, str] = answer["outcomes"]
        ordered = _InOrder(answer["seconds"])
        _load(answer["others"])
        for mutant in target.mutants:
            if mutant.key not in outcomes:
                (folder / target.path).write_text(mutant.source(), "utf-8")
                ended, survived = apart(
                    lambda: _loaded_anew(target, folder, ordered), _WALL_SECONDS
                )
                outcomes[mutant.key] = _outcome(ended, survived)
                _progress(mutant, outcomes[mutant.key])
        return outcomes
    finally:
        (folder / target.path).write_bytes(original)


def apart(job: Callable[[], Any], seconds: float) -> tuple[bool, Any]:
    """Run a job in a forked child.

    Returns:
        Whether it ended in time, by its own measure too, and what it gave; None, if it died.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        os.close(reading)
        try:
            answer = json.dumps(job()).encode()
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(answer)
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            os._exit(0)
    os.close(writing)
    parts, deadline = [], time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0 and select.select([reading], [], [], left)[0]:
        part = os.read(reading, 2**16)
        if not part:
            break
        parts.append(part)
    os.close(reading)
    written = b"".join(parts)
    return not _end(child) and left > 0, json.loads(written) if written else None


def _end(child: int) -> bool:
    """End a child with whatever it started; tell whether it had used up the time of a test."""
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGVTALRM


def _outcome(ended: bool, survived: Any) -> str:  # noqa: FBT001
    if not ended:
        return TIMED_OUT
    return DIED if survived is None else SURVIVED if survived else KILLED


def _load(modules: Sequence[str]) -> None:
    """Load what does not depend on a mutant once, so that its children need not."""
    for each in modules:
        with suppress(ImportError):
            importlib.import_module(each)


def _is_installed(module: ModuleType) -> bool:
    path = getattr(module, "__file__", None)
    return path is not None and "site-packages" in path and "__editable__" not in path


def _progress(mutant: Mutant, outcome: str) -> None:
    line = f"\n{outcome}: line {mutant.line}, {mutant.key}\n"
    sys.stderr.write({KILLED: ".", TIMED_OUT: "t"}.get(outcome, line))
    sys.stderr.flush()


def _loaded_anew(target: Target, folder: Path, ordered: "_InOrder") -> bool:
    """Load everything, with the mutant on the disk, and tell whether no test fails."""
    _limit_memory()
    os.dup2(1, 2)  # what a module says that cannot be loaded
    return pytest.main([*target.arguments(folder), "-x"], plugins=[ordered]) == 0


@dataclass(slots=True, eq=False)
class _InOrder:
    """Lets the tests run in the order of how long they usually take."""

    seconds: Mapping[str, float]

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: self.seconds.get(item.nodeid, 0.0))

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        limit_test(self.seconds.get(item.nodeid, 0.0))


@dataclass(slots=True, eq=False)
class _Session:
    """A run of pytest that collects once, and then forks for every mutant."""

    target: Target
    folder: Path
    answer: Any = None
    _failed: list[str] = field(default_factory=list)
    _seconds: Mapping[str, float] = field(default_factory=dict)

    def run(self) -> Any:
        pytest.main(self.target.arguments(self.folder), plugins=[self])
        return self.answer

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed.append(report.nodeid)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        _, told = apart(lambda: self._baseline(list(items.values())), _BASELINE_SECONDS)
        if told is None or told["failed"] or not items:
            return True
        order = sorted(items, key=told["seconds"].__getitem__)
        outcomes: dict[str, str] = {}
        for mutant in self.target.mutants:
            if self.target.module in sys.modules and not mutant.function:
                continue
            chosen = [name for name in order if mutant.function in told["entered"][name]] or order
            self._seconds = told["seconds"]
            trial = partial(self._survives, mutant, [items[name] for name in chosen])
            ended, survived = apart(trial, _WALL_SECONDS)
            outcomes[mutant.key] = _outcome(ended, survived)
            _progress(mutant, outcomes[mutant.key])
        self.answer = {
            "outcomes": outcomes,
            "seconds": told["seconds"],
            "others": [name for name, each in sys.modules.items() if _is_installed(each)],
        }
        return True

    def _baseline(self, items: Sequence[pytest.Item]) -> dict[str, Any]:
        """Run every test with the module as it is written for mutants; note what it enters."""
        path = self.folder / self.target.path
        source, functions = with_marks(path.read_text("utf-8"))
        self._put(source, functions)
        entered_now: set[str] = set()
        setattr(builtins, MARKS, entered_now)
        seconds, entered = {}, {}
        for item, following in _pairs(items):
            entered_now.clear()
            begin = time.perf_counter()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            seconds[item.nodeid] = time.perf_counter() - begin
            entered[item.nodeid] = sorted(entered_now)
        return {"seconds": seconds, "entered": entered, "failed": self._failed}

    def _survives(self, mutant: Mutant, items: Sequence[pytest.Item]) -> bool:
        _limit_memory()
        self._put(mutant.source(), [mutant.function])
        for item, following in _pairs(items):
            limit_test(self._seconds[item.nodeid])
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self._failed:
                return False
        return True

    def _put(self, source: str, functions: Sequence[str]) -> None:
        """Put another source in the place of the module's, and the code of functions, if loaded."""
        path = self.folder / self.target.path
        path.write_text(source, "utf-8")
        if (module := sys.modules.get(self.target.module)) is not None:
            compiled = compile(source, str(path), "exec")
            for each in functions:
                put_code(module, each, compiled)


def put_code(module: ModuleType, name: str, compiled: CodeType) -> None:
    """Give a function of a module the code that it has in the same module, compiled anew.

    Args:
        module: The module.
        name: Qualified name of the function, or of a method.
        compiled: Code of the whole module.
    """
    held: Any = module
    for part in name.split("."):
        held = vars(held)[part]
        compiled = next(
            each
            for each in reversed(compiled.co_consts)
            if isinstance(each, CodeType) and each.co_name == part
        )
    function = getattr(held, "fget", None) or getattr(held, "__func__", held)
    function.__code__ = compiled


def _pairs(items: Sequence[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    return zip(items, [*items[1:], None], strict=True)


def limit_test(seconds: float) -> None:
    """End this process if the next test takes far more than it usually does, of the processor."""
    signal.setitimer(signal.ITIMER_VIRTUAL, 2 + 5 * seconds)


def _limit_memory() -> None:
    """A mutant may ask for memory without end."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
