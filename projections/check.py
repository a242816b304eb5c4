"""Do the projections say what the log says? Fold it again, aside, and compare."""

from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, exc

from smriti_es.events.database import is_storage_failure
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.server_errors import reason_of
from smriti_es.projections.folding_together import BATCH
from smriti_es.projections.generation import Generation
from smriti_es.projections.projection import Fold, Projection, fingerprint
from smriti_es.projections.projector import Progress, Projector, no_progress

POSITIONS_MAX: Final = 100
_POSITIONS_SAID: Final = 5
_ANOTHER_HISTORY: Final = "it was folded from another history: rebuild it"


@dataclass(frozen=True, slots=True)
class CheckReport:
    """How one projection compares with the log.

    Attributes:
        projection: Its name.
        folded: How many events the serving generation has folded, which is what was compared.
        size: How many events there are.
        live: Fingerprint of the serving rows; empty when they cannot be read.
        fresh: Fingerprint of rows folded from the log just now.
        problem: What is wrong in words, or None.
        positions: Events whose rows differ, ascending, at most a hundred.
    """

    projection: str
    folded: int
    size: int
    live: str
    fresh: str
    problem: str | None
    positions: tuple[int, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the rows are what the log says, and a projection that must not lag does not."""
        return self.problem is None


def check(projector: Projector, name: str, *, progress: Progress = no_progress) -> CheckReport:
    """Fold the log into a scratch database in memory and compare; the live rows are only read.

    Args:
        projector: The runner of the log.
        name: Which projection.
        progress: Called with phase, done and total (events).
    """
    projection = projector.projections[name]
    scratch = SqliteDatabase(":memory:")
    try:
        with projector.log.database.read() as live, scratch.write() as aside:
            size = projector.log.size(live)
            generation = projector.serving(live).get(name)
            if generation is None:
                return CheckReport(name, 0, size, "", "", "nothing serves it: rebuild it")
            if type(generation.folded) is not int or not 0 <= generation.folded <= size:
                return CheckReport(name, 0, size, "", "", _ANOTHER_HISTORY)
            fresh = Fold(aside, projector.log.log, 1)
            projection.create(fresh)
            found, said, problem, positions = _compared(
                projector, projection, generation, fresh, live, progress
            )
            standing = problem or _standing(projector, generation, live, size)
            return CheckReport(name, generation.folded, size, found, said, standing, positions)
    finally:
        scratch.close()


def _compared(
    projector: Projector,
    projection: Projection,
    generation: Generation,
    fresh: Fold,
    connection: Connection,
    progress: Progress,
) -> tuple[str, str, str | None, tuple[int, ...]]:
    """Give both fingerprints, the live one first, and what is wrong and where if they differ."""
    live = projector.fold(connection, generation)
    said = ""
    try:
        for start in range(0, generation.folded, BATCH):
            progress("fold", start, generation.folded)
            limit = min(BATCH, generation.folded - start)
            events = projector.events_from(start, limit, connection)
            projection.refold(projector.without_skipped(projection.name, events), fresh, live)
        progress("compare", generation.folded, generation.folded)
        said = fingerprint(projection, fresh)
        found = fingerprint(projection, live)
        positions = [] if found == said else _differing(projection, live, fresh)
    except exc.DBAPIError as error:
        if is_storage_failure(error):
            raise
        return "", said, f"its rows cannot be read ({reason_of(error)}): rebuild it", ()
    if found == said:
        return found, said, None, ()
    named = ", ".join(str(position) for position in positions[:_POSITIONS_SAID])
    more = f" and {len(positions) - _POSITIONS_SAID} more" if positions[_POSITIONS_SAID:] else ""
    where = f" at position {named}{more}" if positions else ""
    problem = f"its rows are not what the log says{where}: rebuild it"
    return found, said, problem, tuple(positions[:POSITIONS_MAX])


def _differing(projection: Projection, live: Fold, fresh: Fold) -> list[int]:
    """Find the events whose rows differ."""
    rows = Counter(tuple(row) for row in projection.canonical_rows(live))
    rows.subtract(tuple(row) for row in projection.canonical_rows(fresh))
    places = {_position_of(row) for row, surplus in rows.items() if surplus}
    return sorted(place for place in places if place is not None)


def _position_of(row: tuple[Any, ...]) -> int | None:
    """Give the event that a canonical row belongs to: the first whole number in it."""
    return next((value for value in row if type(value) is int), None)


def _standing(
    projector: Projector, generation: Generation, live: Connection, size: int
) -> str | None:
    """Say what is wrong with where the generation stands, or None."""
    last = projector.events_from(generation.folded - 1, 1, live) if generation.folded else []
    if generation.leaf != (last[0].leaf if last else bytes(32)):
        return _ANOTHER_HISTORY
    if generation.error is not None:
        return generation.error
    projection = projector.projections[generation.name]
    if projection.inline and generation.folded != size:
        return f"it lags: {generation.folded} of {size} events are folded"
    if generation.version != projection.version:
        return f"version {generation.version} built it, this release has {projection.version}"
    return projection.standing(projector.fold(live, generation), generation.detail)
