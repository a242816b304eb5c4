"""Fold the log into several projections in one pass: reading it costs as much as the folding."""

from collections.abc import Collection
from typing import Final

from sqlalchemy import Connection

from smriti_es.events.errors import SmritiError
from smriti_es.events.records import RecordedEvent
from smriti_es.projections.generation import Generation
from smriti_es.projections.projector import Projector

BATCH: Final = 1_000


def fold_together(projector: Projector, generations: Collection[Generation]) -> bool:
    """Fold the next events into all that stand where the last one stands, reading them once.

    What another process moves meanwhile, or what one of them cannot fold, is left to each by
    itself (`Projector.advance`), which says so.

    Args:
        projector: The runner of the log.
        generations: As they were read last; no two of one projection.

    Returns:
        Whether anything was folded: then there may be more.
    """
    start = min((generation.folded for generation in generations), default=0)
    together = [generation for generation in generations if generation.folded == start]
    events = projector.events_from(start, BATCH) if len(together) > 1 else []
    if not events:
        return False
    try:
        with projector.log.database.write() as connection:
            if not projector.is_unchanged(connection, events):
                return False
            for each in together:
                _fold(projector, each, events, connection)
    except SmritiError:
        raise
    except Exception:  # noqa: BLE001  it comes again, and is recorded, when each folds by itself
        return False
    return True


class _MovedMeanwhileError(Exception):
    """Another process has folded some of it."""


def _fold(
    projector: Projector,
    generation: Generation,
    events: list[RecordedEvent],
    connection: Connection,
) -> None:
    if not projector.move_past(connection, generation, events):
        raise _MovedMeanwhileError
    projection = projector.projections[generation.name]
    told = projector.without_skipped(generation.name, events)
    projection.write(projection.prepare(told), told, projector.fold(connection, generation))
