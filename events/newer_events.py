"""Does a log hold events that this release does not know? Found without reading the log."""

from typing import Final

from sqlalchemy import Connection, bindparam, func, select

from smriti_es.events.database import Database, fetch_rows
from smriti_es.events.errors import IntegrityError, SchemaNewer, StorageDamaged
from smriti_es.events.header import decode_header
from smriti_es.events.tables import event_table
from smriti_es.events.upcast import is_known

_c = event_table.c
_NEXT_TYPE: Final = select(func.min(_c.type)).where(
    _c.log == bindparam("this_log"), _c.type > bindparam("before")
)
_LAST_OF_TYPE: Final = (
    select(_c.header)
    .where(_c.log == bindparam("this_log"), _c.type == bindparam("this_type"))
    .order_by(_c.position.desc())
    .limit(1)
)


def newer_events(connection: Connection, log: int) -> list[str]:
    """Name the event types of a log, with their version, that only a later release knows.

    The last event of a type has its highest version: a release that does not know a version does
    not write to a log which has it. What cannot be read is for a verification to tell.

    Args:
        connection: A snapshot.
        log: The log's number.
    """
    found: list[str] = []
    kind = ""
    while True:
        ((following,),) = fetch_rows(connection, _NEXT_TYPE, {"this_log": log, "before": kind})
        if not isinstance(following, str):
            return found
        kind = following
        ((encoded,),) = fetch_rows(connection, _LAST_OF_TYPE, {"this_log": log, "this_type": kind})
        try:
            header = decode_header(encoded if isinstance(encoded, bytes) else b"")
        except SchemaNewer as error:
            found.append(f"{kind} ({error})")
        except IntegrityError:
            continue
        else:
            if not is_known(header.type, header.version):
                found.append(f"{header.type} version {header.version}")


def note_newer(database: Database, log: int) -> bool:
    """Keep a database from being written of which a log holds events that only a later one knows.

    Returns:
        Whether it does.
    """
    try:
        with database.read() as connection:
            newer = newer_events(connection, log)
    except StorageDamaged:
        return False  # a verification tells
    if newer:
        database.newer = f"its log holds events of a later one: {', '.join(newer)}"
        database.read_only = True
    return bool(newer)
