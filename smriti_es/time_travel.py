"""Go to a point in knowledge time: find its commit, fold the log up to it, compare two of them."""

from dataclasses import dataclass
from datetime import tzinfo
from typing import Any, Final

from sqlalchemy import Connection, and_, bindparam, insert, select

from smriti_es.captured import TimeGiven
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.errors import NotFound
from smriti_es.events.header import decode_header
from smriti_es.events.instants import parse_instant
from smriti_es.events.log import EventLog
from smriti_es.events.stored_tree import build_tree
from smriti_es.events.tables import event_table, keyring_table, log_table, payload_table
from smriti_es.migrate import migrate

_COPY_BATCH = 2_000
# Built once: a time is looked for in a dozen steps and more.
_THIS: Final = and_(
    event_table.c.log == bindparam("this_log"), event_table.c.position == bindparam("this_position")
)
_HEADER: Final = select(event_table.c.header).where(_THIS)
_KNOWN: Final = select(event_table.c.known).where(_THIS)


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in knowledge time: the end of a commit.

    Attributes:
        position: Position of the commit's last event.
        known: Its knowledge time, microseconds since the epoch.
        provisional: True when later commits may still belong to the time that was asked for.
    """

    position: int
    known: int
    provisional: bool = False


def find_moment(
    connection: Connection, log: EventLog, known_at: int | TimeGiven, zone: tzinfo
) -> Moment:
    """Find the last commit that was known at a time, or the one that a position belongs to.

    Args:
        connection: A snapshot.
        log: The log.
        known_at: A whole number is a position; text, a date or a datetime is a time.
        zone: Where a time without an offset was meant.

    Raises:
        InvalidInput: Neither a position nor a time.
        NotFound: The log did not exist yet, or is not that long.
    """
    if isinstance(known_at, int) and not isinstance(known_at, bool):
        return _at_position(connection, log, known_at)
    asked = parse_instant(known_at, zone=zone).at
    # Knowledge time rises with the position, so the log can be halved until the commit is found.
    low, high = 0, log.size(connection)
    while low < high:
        middle = (low + high) // 2
        if _known_of(connection, log, middle) <= asked:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        raise NotFound("the log did not exist at that time", hint="Ask for a later time.")
    moment = _at_position(connection, log, low - 1)
    return Moment(moment.position, moment.known, provisional=low == log.size(connection))


def _at_position(connection: Connection, log: EventLog, position: int) -> Moment:
    size = log.size(connection)
    if not 0 <= position < size:
        raise NotFound(f"there is no event at position {position}", hint=f"The last is {size - 1}.")
    this = {"this_log": log.log, "this_position": position}
    header = decode_header(connection.execute(_HEADER, this).scalar_one())
    return Moment(sum(header.commit) - 1, header.known)


def _known_of(connection: Connection, log: EventLog, position: int) -> int:
    this = {"this_log": log.log, "this_position": position}
    return int(connection.execute(_KNOWN, this).scalar_one())


def copy_prefix(log: EventLog, moment: Moment) -> SqliteDatabase:
    """Copy the log up to a moment into a database in memory, byte for byte.

    Returns:
        The database; whoever asked for it closes it.
    """
    database = SqliteDatabase(":memory:")
    migrate(database)
    with log.database.read() as source, database.write() as target:
        registry = source.execute(select(log_table).where(log_table.c.log == log.log)).one()
        last = _copy_rows(source, target, log, moment)
        values = dict(registry._mapping) | {
            "size": moment.position + 1,
            "head": last,
            "known": moment.known,
        }
        target.execute(insert(log_table).values(values))
        build_tree(target, log.log)
        key = source.execute(select(keyring_table).where(keyring_table.c.log == log.log)).one()
        target.execute(insert(keyring_table).values(dict(key._mapping)))
    return database


def _copy_rows(source: Connection, target: Connection, log: EventLog, moment: Moment) -> Any:
    for table in (event_table, payload_table):
        rows = source.execute(
            select(table).where(table.c.log == log.log, table.c.position <= moment.position)
        )
        for part in rows.partitions(_COPY_BATCH):
            target.execute(insert(table), [dict(row._mapping) for row in part])
    statement = select(event_table.c.leaf).where(
        event_table.c.log == log.log, event_table.c.position == moment.position
    )
    return source.execute(statement).scalar_one()
