"""Rebuild projections beside those that serve, and switch in one step.

A new generation is folded in batches while appends go on. Then, under the head lock, it takes the
last stretch and the pointer flips; appends read that pointer under the same lock, so none is half
in the old world. A crash at any step leaves the old generation serving, and the next rebuild goes
on where the killed one stopped.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, exc

from smriti_es.events.database import is_storage_failure
from smriti_es.events.errors import NotFound, SmritiError, StorageBusy
from smriti_es.projections.folding_together import BATCH, fold_together
from smriti_es.projections.generation import ACTIVE, BUILDING, RETIRED, Generation
from smriti_es.projections.projection import Fold, Projection, fingerprint
from smriti_es.projections.projector import Progress, Projector, no_progress
from smriti_es.projections.sweeping import sweep

# What is not inline asks a model: less at a time, so that little is lost when it is cut off.
MODEL_BATCH: Final = 256
# What may be left for the step under the head lock: little enough that nobody waits for long.
LAST_STRETCH: Final = 200

OnSwitch = Callable[[Connection, Generation], None]
Switching = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """What a rebuild did.

    Attributes:
        projection: Its name.
        generation: The generation that serves now.
        events: How many events it was folded from.
        resumed_at: Position at which an earlier, killed rebuild had stopped; 0 when there was none.
        before: Fingerprint of the generation it replaced, at the moment of the switch; None if
            there was none, if it had halted before that moment, if another version or another
            embedder built it, or if it is damaged.
        after: Fingerprint of the new generation at the same moment.
        seconds: How long it took, with whatever was rebuilt in the same pass.
    """

    projection: str
    generation: int
    events: int
    resumed_at: int
    before: str | None
    after: str
    seconds: float

    @property
    def equal(self) -> bool:
        """Whether the rebuild gave exactly what had been there."""
        return self.before == self.after


def rebuild(
    projector: Projector,
    name: str,
    *,
    replacement: Projection | None = None,
    on_switch: OnSwitch | None = None,
    switching: Switching = nullcontext,
    wait_s: float = 0.0,
    progress: Progress = no_progress,
) -> RebuildReport:
    """Rebuild a projection from the log alone and let it take the place of the serving one.

    Args:
        projector: The runner of the log.
        name: Which projection.
        replacement: The projection to build with, where it differs from the serving one (another
            embedder); it must have the same name.
        on_switch: Called in the transaction of the switch, under the head lock, before the pointer
            flips.
        switching: Gives what is held around the transaction of the switch, head lock included.
        wait_s: Seconds to wait for another rebuild of it to end.
        progress: Called with phase, done and total (events).

    Returns:
        What was done, with both fingerprints.

    Raises:
        NotFound: There is no such projection.
        StorageBusy: Another rebuild of it is running.
        ProjectionFailed: An event cannot be folded; the old generation goes on serving.
    """
    projection = replacement or projector.named(name)
    started = time.monotonic()
    with alone(projector, name, wait_s):
        building = _claim(projector, projection, projection.detail)
        resumed_at = building.folded
        building = _fold_nearly_all(projector, projection, building, progress)
        (fingerprints,), events = _switched(
            projector, [(projection, building)], on_switch, switching, progress
        )
        sweep(projector)
    progress("done", events, events)
    return RebuildReport(
        name, building.number, events, resumed_at, *fingerprints, time.monotonic() - started
    )


def rebuild_together(
    projector: Projector,
    names: Sequence[str],
    *,
    wait_s: float = 0.0,
    progress: Progress = no_progress,
) -> list[RebuildReport]:
    """Rebuild several inline projections in one pass over the log, and switch to all in one step.

    Args:
        projector: The runner of the log.
        names: Which, each once.
        wait_s: Seconds to wait for another rebuild of each to end.
        progress: Called with phase, done and total (events).

    Returns:
        What was done, in the order of the names.

    Raises:
        NotFound: There is no such projection.
        StorageBusy: Another rebuild of one of them is running.
        ProjectionFailed: An event cannot be folded; the old generations go on serving.
    """
    projections = [projector.named(name) for name in names]
    started = time.monotonic()
    with ExitStack() as stack:
        for name in sorted(names):  # in one order everywhere, so that no two wait for each other
            stack.enter_context(alone(projector, name, wait_s))
        begun = [_claim(projector, each, each.detail) for each in projections]
        building = _fold_all_nearly(projector, begun, progress)
        built = list(zip(projections, building, strict=True))
        fingerprints, events = _switched(projector, built, None, nullcontext, progress)
        sweep(projector)
    progress("done", events, events)
    seconds = time.monotonic() - started
    return [
        RebuildReport(each.name, each.number, events, each.folded, before, after, seconds)
        for each, (before, after) in zip(begun, fingerprints, strict=True)
    ]


@contextmanager
def alone(projector: Projector, name: str, wait_s: float = 0.0) -> Iterator[None]:
    """Keep everybody else from building a projection anew.

    Raises:
        StorageBusy: Somebody does.
    """
    task = f"rebuild-{projector.log.log}-{name}"
    with projector.log.database.exclusive(task, wait_s=wait_s) as won:
        if not won:
            raise StorageBusy(
                f"projection {name} is being rebuilt by another process",
                hint="Wait for it; `smriti-es projections status` shows how far it is.",
            )
        yield


def _claim(projector: Projector, projection: Projection, detail: str | None) -> Generation:
    """Take up the generation that a killed rebuild left behind, or begin a new one."""
    with projector.log.database.write() as connection:
        for generation in projector.generations(connection):
            if generation.name != projection.name or generation.state != BUILDING:
                continue
            if (generation.version, generation.detail) == (projection.version, detail):
                return generation
            projector.set_state(connection, generation, RETIRED)
        return projector.add_generation(connection, projection, BUILDING, detail=detail)


def _fold_nearly_all(
    projector: Projector, projection: Projection, building: Generation, progress: Progress
) -> Generation:
    batch = BATCH if projection.inline else min(BATCH, MODEL_BATCH)
    size, left = projector.log.head + 1, None
    while True:
        if projection.inline:
            size = projector.log.head + 1
        progress("fold", building.folded, size)
        if size - building.folded > (LAST_STRETCH if projection.inline else 0):
            projector.advance(projection, building, batch)
            building = _again(projector, building)
            continue
        if projection.inline:
            return building
        # What is not inline may lag behind the switch, for nothing must be embedded under the lock.
        # It runs after the head as it was, and goes on only while ever less came meanwhile: one
        # that writers push on it might never reach.
        lag = projector.log.head + 1 - building.folded
        if lag <= batch or (left is not None and 2 * lag > left):
            return building
        size, left = building.folded + lag, lag


def _fold_all_nearly(
    projector: Projector, building: list[Generation], progress: Progress
) -> list[Generation]:
    while True:
        size, start = projector.log.head + 1, min(each.folded for each in building)
        progress("fold", start, size)
        if size - start <= LAST_STRETCH:
            return building
        if not fold_together(projector, building):
            for each in building:
                if each.folded == start:
                    projector.advance(projector.projections[each.name], each, BATCH)
        with projector.log.database.read() as snapshot:
            building = [_again(projector, each, snapshot) for each in building]


def _name_the_event(projector: Projector, projection: Projection, building: Generation) -> None:
    """Fold the last stretch once more, outside the lock, where the one event can be told apart.

    Raises:
        ProjectionFailed: As a rule; it names the event.
    """
    while projector.advance(projection, building, BATCH):
        building = _again(projector, building)


def _again(
    projector: Projector, generation: Generation, connection: Connection | None = None
) -> Generation:
    """Read a generation's row as it is now."""
    if connection is None:
        with projector.log.database.read() as snapshot:
            return _again(projector, generation, snapshot)
    for found in projector.generations(connection):
        if (found.name, found.number) == (generation.name, generation.number):
            return found
    raise NotFound(f"generation {generation.number} of {generation.name} was dropped meanwhile")


def _switched(
    projector: Projector,
    built: Sequence[tuple[Projection, Generation]],
    on_switch: OnSwitch | None,
    switching: Switching,
    progress: Progress,
) -> tuple[list[tuple[str | None, str]], int]:
    """Switch, and name the event that stands in the way if one does."""
    try:
        return _switch(projector, built, on_switch, switching, progress)
    except SmritiError:
        raise
    except Exception:
        for projection, building in built:
            _name_the_event(projector, projection, _again(projector, building))
        raise


def _switch(
    projector: Projector,
    built: Sequence[tuple[Projection, Generation]],
    on_switch: OnSwitch | None,
    switching: Switching,
    progress: Progress,
) -> tuple[list[tuple[str | None, str]], int]:
    """Flip the pointers, then compare old and new in a snapshot of that very moment.

    Returns:
        The fingerprints of each projection before and after, and the size of the log.
    """
    database = projector.log.database
    with ExitStack() as stack:
        with switching(), database.held():
            with database.write() as connection:
                old = []
                for projection, building in built:
                    if on_switch is not None:
                        on_switch(connection, building)
                    old.append(_flip(projector, projection, building, connection))
            projector.projections |= {projection.name: projection for projection, _ in built}
            snapshot = stack.enter_context(database.read())
            # The first statement fixes the snapshot; only then may others write again.
            size = projector.log.size(snapshot)
        progress("compare", size, size)
        fingerprints = [
            _fingerprints(projector, *new, before, snapshot)
            for new, before in zip(built, old, strict=True)
        ]
        return fingerprints, size


def _fingerprints(
    projector: Projector,
    projection: Projection,
    building: Generation,
    old: Generation | None,
    snapshot: Connection,
) -> tuple[str | None, str]:
    """Give those of what served until now, where it can be compared, and of what serves."""
    after = fingerprint(projection, projector.fold(snapshot, building))
    folded = _again(projector, building, snapshot).folded
    built = (projection.version, folded, building.detail)
    if old is None or (old.version, old.folded, old.detail) != built:
        return None, after
    return _readable_fingerprint(projection, projector.fold(snapshot, old)), after


def _readable_fingerprint(projection: Projection, fold: Fold) -> str | None:
    """Fingerprint rows that may be the reason for the rebuild: None when they cannot be read."""
    try:
        return fingerprint(projection, fold)
    except exc.DBAPIError as error:
        if is_storage_failure(error):
            raise
        return None


def _flip(
    projector: Projector, projection: Projection, building: Generation, connection: Connection
) -> Generation | None:
    """Take the last stretch and let the new generation serve; gives the one that served."""
    # An erasure may have sent it back to the beginning meanwhile.
    building = _again(projector, building, connection)
    if projection.inline:
        while events := projector.events_from(building.folded, BATCH, connection):
            told = projector.without_skipped(projection.name, events)
            fold = projector.fold(connection, building)
            projection.write(projection.prepare(told), told, fold)
            projector.move(connection, building, events)
            building = _again(projector, building, connection)
    old = projector.serving(connection).get(projection.name)
    if old is not None:
        projector.set_state(connection, old, RETIRED)
    projector.set_state(connection, building, ACTIVE)
    return old
