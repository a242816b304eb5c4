"""Make anew what is derived from the log, and clear away what was left; never touch the log."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from smriti_es.doctor import Diagnosis, GraphReport
from smriti_es.embedder_switching import embedder_state
from smriti_es.embedding import VECTORS
from smriti_es.events.errors import SmritiError
from smriti_es.examining import Leftovers, leftovers, private_files, readable_to_others
from smriti_es.opened import Opened
from smriti_es.projections.generation import RETIRED, Generation
from smriti_es.projections.projector import Progress
from smriti_es.projections.rebuild import alone
from smriti_es.projections.sweeping import sweep
from smriti_es.projections.vectors.graph_file import remove_pair

_OWNER_ONLY: Final = 0o600
# How a graph may stand that nothing is to be done about; one that is busy is somebody's.
_OF_USE: Final = ("whole", "in part", "in memory", "busy")
_RESCUE: Final = (
    "the log itself cannot be repaired; put a backup back, or copy what can be read with "
    "`smriti-es log rescue`"
)


@dataclass(frozen=True, slots=True)
class Repaired:
    """One thing that was wrong, and what came of it.

    Attributes:
        what: The name of a projection, or chain, file, permissions, leftovers or graph.
        told: What was done, or why it could not be.
        done: Whether it is as it should be now.
    """

    what: str
    told: str
    done: bool = True


@dataclass(frozen=True, slots=True)
class Repair:
    """What a repair did.

    Attributes:
        before: What was found.
        steps: What was done about it, and what could not be.
        after: What is found now.
    """

    before: Diagnosis
    steps: tuple[Repaired, ...]
    after: Diagnosis

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong any more, and nothing was left undone."""
        return self.after.ok and all(each.done for each in self.steps)


def mend(opened: Opened, found: Diagnosis, progress: Progress) -> Iterator[Repaired]:
    """Do what can be done about what was found; see `Engine.repair`."""
    verdicts = {each.what: each.verdict for each in found.examined}
    yield from _close_to_others(readable_to_others(private_files(opened)))
    if verdicts["chain"] != "well":
        # What is derived from it would be no better.
        yield Repaired("chain", _RESCUE, done=False)
        return
    for each in found.projections:
        if not each.ok:
            yield _rebuilt(opened, each.projection, progress)
    yield from _cleared(opened, leftovers(opened))
    if found.graph is not None:
        yield from _graph(opened, found.graph)
    if opened.database.self_check() is not None:
        yield Repaired("file", f"the storage is still damaged: {_RESCUE}", done=False)


def _close_to_others(files: Sequence[Path]) -> Iterator[Repaired]:
    for path in files:
        try:
            path.chmod(_OWNER_ONLY)
        except OSError as error:
            yield Repaired("permissions", f"{path.name}: {error.strerror}", done=False)
        else:
            yield Repaired("permissions", f"{path.name} is the owner's alone")


def _tried(what: str, told: str, act: Callable[[], object]) -> Repaired:
    """Do something; an error of ours says why it could not be done."""
    try:
        act()
    except SmritiError as error:
        hint = f" {error.hint}" if error.hint else ""
        return Repaired(what, f"{error}.{hint}", done=False)
    return Repaired(what, told)


def _rebuilt(opened: Opened, name: str, progress: Progress) -> Repaired:
    if name == VECTORS:
        state = embedder_state(opened)
        if state.serving is not None and not state.same:
            model = state.serving.get("model", "another embedder")
            told = f"open the memory with the embedder {model}, which made the vectors"
            return Repaired(name, told, done=False)
    return _tried(name, "rebuilt from the log", partial(opened.rebuild, name, progress))


def _cleared(opened: Opened, left: Leftovers) -> Iterator[Repaired]:
    """Delete what was begun and left, what is out of service, and tables that nothing names."""
    for each in left.unfinished:
        told = f"{each.name} {each.number}, begun and left at {each.folded:,} events, is given up"
        yield _tried("leftovers", told, partial(_given_up, opened, each))
    for name, version, number in left.orphans:
        told = f"tables of {name} {number}, which nothing named, are gone"
        yield _tried("leftovers", told, partial(_dropped, opened, name, version, number))
    sweep(opened.projector)
    still = {(each.name, each.number) for each in leftovers(opened).retired}
    for each in left.retired:
        if (each.name, each.number) not in still:
            yield Repaired("leftovers", f"{each.name} {each.number}, out of service, is gone")
    for name, number in sorted(still):
        told = f"{name} {number}, out of service, cannot be deleted: it is read, or damaged"
        yield Repaired("leftovers", told, done=False)


def _given_up(opened: Opened, generation: Generation) -> None:
    """Take a generation that nobody is building out of what can be gone on with."""
    with alone(opened.projector, generation.name), opened.database.write() as connection:
        opened.projector.set_state(connection, generation, RETIRED)


def _dropped(opened: Opened, name: str, version: int, number: int) -> None:
    with opened.database.write() as connection:
        opened.projector.projections[name].drop(connection, version, number)


def _graph(opened: Opened, graph: GraphReport) -> Iterator[Repaired]:
    """Delete the file of a graph that is of no use, and build one where there should be one."""
    path = opened.database.graph_path(opened.log.log)
    if (graph.ok and graph.state in _OF_USE) or path is None:
        return
    if path.exists():
        yield _tried("graph", "a file of no use is gone", partial(remove_pair, path))
    if graph.vectors >= graph.threshold:
        opened.forget_caches()
        yield _tried("graph", "built anew", partial(opened.keep_graph, lambda: False))
