"""Delete what generations out of service left behind, once nobody reads it any more."""

from sqlalchemy import Connection, delete, select

from smriti_es.events.errors import StorageError
from smriti_es.events.tables import projection_table
from smriti_es.projections.generation import RETIRED, Generation
from smriti_es.projections.projector import Projector


def sweep(projector: Projector) -> int:
    """Delete what generations out of service left behind.

    Returns:
        How many generations went.
    """
    with projector.log.database.read() as connection:
        if not _retired(projector, connection):
            return 0
    try:
        # Whether another log still uses a table is not for this one to see.
        with projector.log.database.of(None).write() as connection:
            return sweep_within(projector, connection)
    except StorageError:  # whoever reads on, or damage in what is to go, is no obstacle
        return 0  # the next one sweeps


def _retired(projector: Projector, connection: Connection) -> list[Generation]:
    return [each for each in projector.generations(connection) if each.state == RETIRED]


def sweep_within(projector: Projector, connection: Connection) -> int:
    """Do the same inside a write transaction.

    Raises:
        StorageBusy: Somebody still reads what is to go.
    """
    gone = [
        each
        for each in _retired(projector, connection)
        if each.folded or _may_drop(projector, each, connection)
    ]
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
    is_used = connection.execute(others.limit(1)).first() is not None
    may_drop = _may_drop(projector, generation, connection)
    if not is_used and may_drop:
        projection.drop(connection, generation.version, generation.number)
        connection.execute(delete(projection_table).where(same_tables))
        return True
    if generation.version != projection.version:
        return False  # only its own version knows how to empty them: they go with the last log
    if not may_drop:
        # The pointer stays for whoever may drop the tables.
        projector.begin_again(connection, projection, generation)
        return False
    projection.clear(projector.fold(connection, generation))
    connection.execute(delete(projection_table).where(same_tables, this_log))
    return True


def _may_drop(projector: Projector, generation: Generation, connection: Connection) -> bool:
    """Tell whether the tables of a generation may be dropped by whoever is connected."""
    may_drop = getattr(connection.dialect, "may_drop", None)
    projection = projector.projections[generation.name]
    names = projection.names(generation.version, generation.number)
    return may_drop is None or bool(may_drop(connection, names))
