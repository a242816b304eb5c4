"""How fast projections fold a log, each alone and together in one pass, as a rebuild does it."""

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from smriti_es import Engine
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.projections.folding_together import BATCH
from smriti_es.projections.projection import Fold, Projection

# What `lexical` and `vectors` need is found by reads of another kind, and they may lag.
WITHOUT_TEXT: Final = ("turns", "entities", "lineage", "facts", "revisions", "extractions")


def folding_rates(engine: Engine, folder: Path) -> dict[str, float]:
    """Fold a memory's log into tables of a fresh file.

    Args:
        engine: The memory.
        folder: Where to make the file.

    Returns:
        Events per second: reading alone, each projection alone, facts and turns (with all that
        facts need) in one pass, and `lexical` beside; each with reading and decoding the log.
    """
    projections = engine._opened.projector.projections
    rates = {"read": _rate(engine, [], folder)}
    together = [projections[name] for name in WITHOUT_TEXT]
    rates["turns_and_facts"] = _rate(engine, together, folder)
    for name in (*WITHOUT_TEXT, "lexical"):
        rates[name] = _rate(engine, [projections[name]], folder)
    return {f"{name}_events_per_s": rate for name, rate in rates.items()}


def _rate(engine: Engine, projections: Sequence[Projection], folder: Path) -> float:
    """Fold in batches, each in a transaction of its own."""
    events = engine.head + 1
    projector = engine._opened.projector
    with _database(folder) as target:
        with target.write() as connection:
            for projection in projections:
                projection.create(Fold(connection, projector.log.log, 1))
        started = time.perf_counter()
        for start in range(0, events, BATCH):
            batch = projector.events_from(start, BATCH)
            with target.write() as connection:
                for projection in projections:
                    fold = Fold(connection, projector.log.log, 1)
                    projection.write(projection.prepare(batch), batch, fold)
        return round(events / (time.perf_counter() - started), 1)


@contextmanager
def _database(folder: Path) -> Iterator[SqliteDatabase]:
    with tempfile.TemporaryDirectory(prefix="bench-fold-", dir=folder) as made:
        database = SqliteDatabase(Path(made, "fold.db"))
        try:
            yield database
        finally:
            database.close()
