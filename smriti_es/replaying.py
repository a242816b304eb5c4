"""Replay: fold the log up to a moment into a memory of its own and answer from that.

It needs no projection of the live memory, so it is the referee of every answer as of the past. Only
vectors are taken over, since making them again would need the model and cost more than all the
rest.
"""

from dataclasses import replace

from sqlalchemy import Connection, select, update

from smriti_es.closing import ClosedOnExit
from smriti_es.embedding import VECTORS, VectorWorker
from smriti_es.events.database import insert_rows
from smriti_es.events.log import EventLog
from smriti_es.events.tables import event_table, projection_table
from smriti_es.opening import Opened, assemble
from smriti_es.projections.generation import Generation
from smriti_es.projections.preparing import prepare_projections
from smriti_es.projections.vectors.projection import vector_tables
from smriti_es.time_travel import Moment, copy_prefix
from smriti_es.view import View


class Replay(View, ClosedOnExit):
    """A memory in memory, folded from the log up to a moment; close it when done with it."""

    def close(self) -> None:
        """Give the memory back."""
        self._opened.close()


def replayed(live: Opened, moment: Moment) -> Replay:
    """Fold the log of an open memory up to a moment."""
    database = copy_prefix(live.log, moment)
    log = EventLog(database, live.log.log, live.log.log_id, live.clock)
    settings = replace(live.settings, embed_in_background=False)
    opened = assemble(
        database,
        log,
        embedder=live.embedder,
        actor=live.actor,
        space=live.space,
        spaces=live.spaces,
        zone=live.zone,
        single=live.single,
        settings=settings,
        clock=live.clock,
    )
    prepare_projections(opened.projector)
    opened.worker = VectorWorker(opened.projector, bind=opened.bind_embedder, background=False)
    _take_over_vectors(live, opened, moment)
    opened.reader.identity = live.reader.identity
    return Replay(opened, moment)


def _take_over_vectors(live: Opened, opened: Opened, moment: Moment) -> None:
    with live.database.read() as source:
        generation = live.projector.serving(source)[VECTORS]
        theirs = vector_tables(generation.number)
        rows = {
            name: [
                tuple(row)
                for row in source.execute(
                    select(table)
                    .where(table.c.log == live.log.log, table.c.position <= moment.position)
                    .order_by(*table.primary_key)
                )
            ]
            for name, table in (("vector", theirs.vector), ("failure", theirs.failure))
        }
    with opened.database.write() as target:
        own = opened.projector.serving(target)[VECTORS]
        tables = vector_tables(own.number)
        insert_rows(target, tables.vector, rows["vector"])
        insert_rows(target, tables.failure, rows["failure"])
        folded = min(generation.folded, moment.position + 1)
        _move_checkpoint(opened.log, target, own, folded, generation.detail)


def _move_checkpoint(
    log: EventLog, connection: Connection, generation: Generation, folded: int, detail: str | None
) -> None:
    """Say that rows copied from elsewhere bring a generation to where it stood there."""
    event, row = event_table.c, projection_table.c
    leaf = connection.execute(
        select(event.leaf).where(event.log == log.log, event.position == folded - 1)
    ).scalar()
    connection.execute(
        update(projection_table)
        .where(
            row.log == log.log,
            row.name == generation.name,
            row.generation == generation.number,
        )
        .values(folded=folded, leaf=leaf or bytes(32), detail=detail)
    )
