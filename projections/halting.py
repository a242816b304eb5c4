"""An event that a projection cannot fold: found, named, and stepped over if its owner says so.

Source: design page on projections, "Contract", point 4.
"""

from collections.abc import Sequence

from sqlalchemy import exc, select

from smriti_es.events.catalogue import ProjectionSkipped
from smriti_es.events.errors import ProjectionFailed
from smriti_es.events.log import EventLog
from smriti_es.events.records import RecordedEvent, decode_recorded
from smriti_es.events.server_errors import reason_of
from smriti_es.events.tables import event_table, payload_table
from smriti_es.projections.projection import Fold, Projection


def failure(name: str, error: Exception, position: int, *, exact: bool) -> ProjectionFailed:
    """Say where a projection stands still.

    Args:
        name: The projection.
        error: What it raised.
        position: The event; or the first of the commit in which that event is.
        exact: Whether it is the event itself.
    """
    where = "event at" if exact else "events from"
    return ProjectionFailed(
        f"projection {name} cannot fold the {where} position {position}: {_told(error)}",
        hint="Repair the cause and rebuild it, or skip the event as its owner.",
        projection=name,
        position=position,
    )


def _told(error: Exception) -> str:
    """Say what went wrong in one line: what a driver said, without the statement."""
    if isinstance(error, exc.DBAPIError) and error.orig is not None:
        return f"{type(error.orig).__name__}: {reason_of(error)}"
    return " ".join(f"{type(error).__name__}: {error}".split())


def first_that_fails(
    projection: Projection, events: Sequence[RecordedEvent], fold: Fold
) -> int | None:
    """Find which event of a commit cannot be folded, or None; nothing of the attempt stays."""
    attempt = fold.connection.begin_nested()
    try:
        for event in events:
            try:
                with fold.connection.begin_nested():
                    projection.write(projection.prepare([event]), [event], fold)
            except Exception:  # noqa: BLE001  whatever it is, this is where it is
                return event.position
        return None
    finally:
        attempt.rollback()


def skipped(log: EventLog, name: str) -> frozenset[int]:
    """Read which positions a projection steps over; that may be said anywhere in the log."""
    statement = (
        select(event_table.c.header, event_table.c.leaf, payload_table.c.body)
        .outerjoin(
            payload_table,
            (payload_table.c.log == event_table.c.log)
            & (payload_table.c.position == event_table.c.position),
        )
        .where(event_table.c.log == log.log, event_table.c.type == ProjectionSkipped.TYPE)
    )
    with log.database.read() as connection:
        headers = [
            decode_recorded(row.header, row.leaf, row.body).header
            for row in connection.execute(statement)
        ]
    return frozenset(
        header.facets["target"] for header in headers if header.facets["projection"] == name
    )
