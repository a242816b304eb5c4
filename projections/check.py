"""Do the projections say what the log says? Fold it again, aside, and compare."""

from dataclasses import dataclass

from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.projections.projection import Fold, fingerprint
from smriti_es.projections.projector import Generation, Progress, Projector, no_progress
from smriti_es.projections.rebuild import BATCH


@dataclass(frozen=True, slots=True)
class CheckReport:
    """How one projection compares with the log.

    Attributes:
        projection: Its name.
        folded: How many events the serving generation has folded, which is what was compared.
        size: How many events there are.
        live: Fingerprint of the serving rows.
        fresh: Fingerprint of rows folded from the log just now.
        problem: What is wrong in words, or None.
    """

    projection: str
    folded: int
    size: int
    live: str
    fresh: str
    problem: str | None

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
            generation = projector.serving(live)[name]
            fold = Fold(aside, projector.log.log, 1)
            projection.create(fold)
            for start in range(0, generation.folded, BATCH):
                progress("fold", start, generation.folded)
                limit = min(BATCH, generation.folded - start)
                events = projector.events_from(start, limit, live)
                projection.refold(
                    projector.without_skipped(name, events),
                    fold,
                    projector.fold(live, generation),
                )
            progress("compare", generation.folded, generation.folded)
            live_print = fingerprint(projection, projector.fold(live, generation))
            fresh_print = fingerprint(projection, fold)
            return CheckReport(
                name,
                generation.folded,
                size,
                live_print,
                fresh_print,
                _problem(projector, generation, size, equal=live_print == fresh_print),
            )
    finally:
        scratch.close()


def _problem(projector: Projector, generation: Generation, size: int, *, equal: bool) -> str | None:
    if not equal:
        return "its rows are not what the log says: rebuild it"
    if generation.error is not None:
        return generation.error
    projection = projector.projections[generation.name]
    if projection.inline and generation.folded != size:
        return f"it lags: {generation.folded} of {size} events are folded"
    if generation.version != projection.version:
        return f"version {generation.version} built it, this release has {projection.version}"
    return None
