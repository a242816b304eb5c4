"""Erasing content: an `Erased` event takes payloads and their keys along, in its own transaction.

The headers stay, and with them the chain, every checkpoint and every proof; without its key a
commitment tells nothing of what it was made of. Source: design page on events, "Shape".
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from sqlalchemy import Connection, bindparam, delete, func, select

from smriti_es.events.catalogue import Erased
from smriti_es.events.database import fetch_rows, in_parts
from smriti_es.events.header import Header
from smriti_es.events.records import RecordedEvent, Transaction
from smriti_es.events.tables import idempotency_table, payload_table

# So many ranges stay well below what a header may hold, twice.
RANGES_MAX: Final = 1_000
_TO_DELETE: Final = "payloads to delete"  # what a transaction remembers them under


def ranges_of(positions: Iterable[int]) -> Iterator[list[list[int]]]:
    """Write positions as ranges `[first, last]`, in parts that a header has room for."""
    ranges: list[list[int]] = []
    for position in sorted(set(positions)):
        if ranges and ranges[-1][1] == position - 1:
            ranges[-1][1] = position
        else:
            ranges.append([position, position])
    for start in range(0, len(ranges), RANGES_MAX):
        yield ranges[start : start + RANGES_MAX]


def positions_in(ranges: Iterable[Sequence[int]]) -> list[int]:
    """Give the positions that ranges name, ascending as they do."""
    return [position for first, last in ranges for position in range(first, last + 1)]


def erased_by(header: Header) -> list[int]:
    """Give the positions whose content an event took along, none for most events."""
    return positions_in(header.facets["ranges"]) if header.type == Erased.TYPE else []


def note_erased(transaction: Transaction, recorded: Sequence[RecordedEvent]) -> None:
    """Remember what the events erase until everything that was appended is folded."""
    positions = [each for event in recorded for each in erased_by(event.header)]
    if positions:
        transaction.seen.setdefault(_TO_DELETE, []).extend(positions)


def delete_noted(transaction: Transaction) -> None:
    """Delete the payloads, their keys, and the idempotency entries that stood in them."""
    positions: list[int] = transaction.seen.pop(_TO_DELETE, [])
    for table in (payload_table, idempotency_table):
        c = table.c
        for part in in_parts(positions):
            statement = delete(table).where(c.log == transaction.log, c.position.in_(part))
            transaction.connection.execute(statement)


_PAYLOADS: Final = select(func.count()).where(
    payload_table.c.log == bindparam("in_log"),
    payload_table.c.position.between(bindparam("first"), bindparam("last")),
)


def is_unchanged(connection: Connection, log: int, events: Sequence[RecordedEvent]) -> bool:
    """Tell whether the content of events in a row is still there, as far as it was when read."""
    if not events:
        return True
    bounds = {"first": events[0].position, "last": events[-1].position}
    there = fetch_rows(connection, _PAYLOADS, {"in_log": log, **bounds})[0][0]
    return bool(there == sum(each.event is not None for each in events))
