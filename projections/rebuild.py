"""Rebuild a projection beside the one that serves, and switch in one step.

The new generation is folded in batches while appends go on. Then, under the head lock, it takes the
last stretch and the pointer flips; appends read that pointer under the same lock, so none is half
in the old world. A crash at any step leaves the old generation serving, and the next rebuild goes
on where the killed one stopped.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, delete, exc, select

from smriti_es.events.database import is_storage_failure
from smriti_es.events.errors import NotFound, SmritiError, StorageBusy, StorageError
from smriti_es.events.tables import projection_table
from smriti_es.projections.generation import ACTIVE, BUILDING, RETIRED, Generation
from smriti_es.projections.projection import Fold, Projection, fingerprint
from smriti_es.projections.projector import Progress, Projector, no_progress

BATCH: Final = 1_000
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
        seconds: How long it took.
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
        try:
            before, after, events = _switch(
                projector, projection, building, on_switch, switching, progress
            )
        except SmritiError:
            raise
        except Exception:
            _name_the_event(projector, projection, building)
            raise
        sweep(projector)
    progress("done", events, events)
    return RebuildReport(
        name, building.number, events, resumed_at, before, after, time.monotonic() - started
    )


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


def _switch(
    projector: Projector,
    projection: Projection,
    building: Generation,
    on_switch: OnSwitch | None,
    switching: Switching,
    progress: Progress,
) -> tuple[str | None, str, int]:
    """Flip the pointer, then compare both generations in a snapshot of that very moment."""
    database = projector.log.database
    with ExitStack() as stack:
        with switching(), database.held():
            with database.write() as connection:
                if on_switch is not None:
                    on_switch(connection, building)
                old = _flip(projector, projection, building, connection)
            projector.projections[projection.name] = projection
            snapshot = stack.enter_context(database.read())
            # The first statement fixes the snapshot; only then may others write again.
            size = projector.log.size(snapshot)
        progress("compare", size, size)
        after = fingerprint(projection, projector.fold(snapshot, building))
        folded = _again(projector, building, snapshot).folded
        built = (projection.version, folded, building.detail)
        if old is None or (old.version, old.folded, old.detail) != built:
            return None, after, size
        return _readable_fingerprint(projection, projector.fold(snapshot, old)), after, size


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


def sweep(projector: Projector) -> int:
    """Delete what generations out of service left behind.

    Returns:
        How many generations went.
    """
    with projector.log.database.read() as connection:
        if not _retired(projector, connection):
            return 0
    try:
        with projector.log.database.write() as connection:
            return sweep_within(projector, connection)
    except StorageError:
        return (
            0  # whoever reads on, or damage in what is to go, is no obstacle: the next one sweeps
        )


def _retired(projector: Projector, connection: Connection) -> list[Generation]:
    return [each for each in projector.generations(connection) if each.state == RETIRED]


def sweep_within(projector: Projector, connection: Connection) -> int:
    """Do the same inside a write transaction.

    Raises:
        StorageBusy: Somebody still reads what is to go.
    """
    gone = _retired(projector, connection)
    shut_readers_out = getattr(connection.dialect, "shut_readers_out", None)
    if gone and shut_readers_out is not None:
        shut_readers_out(connection)
    return sum(_delete_rows(projector, generation, connection) for generation in gone)


def _delete_rows(projector: Projector, generation: Generation, connection: Connection) -> bool:
    """Drop the tables of a generation; or empty them of this log while others have rows there.

    Returns:
        Whether it is gone.
    """
    projection = projector.projections[generation.name]
    c = projection_table.c
    same_tables = (
        (c.name == generation.name)
        & (c.version == generation.version)
        & (c.generation == generation.number)
    )
    this_log = c.log == projector.log.log
    others = select(c.log).where(same_tables, ~this_log, c.state != RETIRED)
    if connection.execute(others.limit(1)).first() is None:
        projection.drop(connection, generation.version, generation.number)
        connection.execute(delete(projection_table).where(same_tables))
        return True
    if generation.version != projection.version:
        return False  # only its own version knows how to empty them: they go with the last log
    projection.clear(projector.fold(connection, generation))
    connection.execute(delete(projection_table).where(same_tables, this_log))
    return True
