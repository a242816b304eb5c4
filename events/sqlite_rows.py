"""A log's rows out of the tables of an SQLite file themselves, for when no index can be trusted.

An index may lead to the wrong row or past one without the database noticing. A row's number is its
place in the table, so that each row can be had whose own page can be read.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import BigInteger, ColumnElement, Connection, Table, exc, literal_column, select

from smriti_es.events.chain import leaf_hash
from smriti_es.events.commitment import matches
from smriti_es.events.database import damage_of
from smriti_es.events.errors import IntegrityError
from smriti_es.events.header import Header, decode_header
from smriti_es.events.log import READ_BATCH
from smriti_es.events.records import decode_recorded
from smriti_es.events.stored_rows import raw
from smriti_es.events.tables import event_table, payload_table

_NUMBER: Final[ColumnElement[int]] = literal_column("rowid", BigInteger).label("number")
_e, _p = event_table.c, payload_table.c


@dataclass(frozen=True, slots=True)
class FoundEvent:
    """An event as its tables have it.

    Attributes:
        header: What it says of itself.
        row: Its row in the table of events.
        payload: Its row in the table of payloads, with `key` and `body`; None where there is none.
        as_written: Whether its hash and the commitment to its payload, if that is there, hold.
    """

    header: Header
    row: Any
    payload: Any
    as_written: bool

    @property
    def content_is_lost(self) -> bool:
        """Whether there was a payload that is not there."""
        return self.payload is None and self.header.payload is not None


def found_events(
    connection: Connection, log: int, size: int, numbers_max: int
) -> Iterator[list[FoundEvent]]:
    """Read a log's events in order of position, up to the first that cannot be had.

    Args:
        connection: A snapshot of an SQLite file.
        log: The log's number.
        size: How many events there should be; more than these are given where they are there.
        numbers_max: Up to which number a row is looked for where a pass over a table breaks off.

    Yields:
        Events in batches.
    """
    events = _Rows(connection, event_table, log, (_e.type, _e.known, _e.leaf, _e.header))
    payloads = _Rows(connection, payload_table, log, (_p.key, _p.body))
    for rows in (events, payloads):
        rows.find(numbers_max)
    end = max(size, max(events.numbers, default=-1) + 1)
    for start in range(0, end, READ_BATCH):
        positions = range(start, min(start + READ_BATCH, end))
        batch = list(_joined(positions, events.at(positions), payloads.at(positions)))
        if batch:
            yield batch
        if len(batch) < len(positions):
            return


def _joined(
    positions: Iterable[int], events: dict[int, list[Any]], payloads: dict[int, list[Any]]
) -> Iterator[FoundEvent]:
    for position in positions:
        event = _best_event(position, events.get(position, []))
        if event is None:
            return
        header, row, is_written = event
        payload, is_committed = _best_payload(row, header, payloads.get(position, []))
        yield FoundEvent(header, row, payload, is_written and is_committed)


def _best_event(position: int, rows: list[Any]) -> tuple[Header, Any, bool] | None:
    """Take of several rows for one position the one that is as it was written, if there is one."""
    readable = []
    for row in rows:
        if not (isinstance(row.header, bytes) and isinstance(row.leaf, bytes)):
            continue
        try:
            header = decode_header(row.header)
        except IntegrityError:
            continue
        is_written = row.leaf == leaf_hash(row.header) and header.position == position
        readable.append((header, row, is_written))
    return max(readable, key=lambda each: each[2], default=None)


def _best_payload(event: Any, header: Header, rows: list[Any]) -> tuple[Any, bool]:
    """Take the payload that the header commits to, or else one that can be read as such."""
    if header.payload is None:
        return None, True
    readable = [row for row in rows if isinstance(row.body, bytes) and isinstance(row.key, bytes)]
    for row in readable:
        if matches(header.payload.commitment, row.key, row.body):
            return row, True
    for row in readable:
        try:
            decode_recorded(event.header, event.leaf, row.body)
        except IntegrityError:
            continue
        return row, False
    return None, True


@dataclass(slots=True)
class _Rows:
    """The rows of one log in one table.

    Attributes:
        numbers: Position -> the numbers of the rows that claim it; a damaged file may have several.
    """

    connection: Connection
    table: Table
    log: int
    columns: tuple[Any, ...]
    numbers: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))

    def find(self, numbers_max: int) -> None:
        """Pass over the table from both ends; between them, where both broke off, row by row."""
        # A column that no index has is read, too, so that the table serves and no index.
        unindexed = self.columns[-2]
        listed = select(_NUMBER, *map(raw, (self.table.c.log, self.table.c.position, unindexed)))
        broke_off, first = self._note_all(listed.order_by(_NUMBER))
        if not broke_off:
            return
        start = 0 if first is None else first + 1
        backwards = listed.where(start <= _NUMBER).order_by(_NUMBER.desc())
        last = self._note_all(backwards)[1]
        for number in range(start, numbers_max + 1 if last is None else last):
            self._note_all(listed.where(_NUMBER.in_([number])))

    def at(self, positions: Iterable[int]) -> dict[int, list[Any]]:
        """Read the rows that claim one of some positions, as far as they can be read."""
        claims = {n: each for each in positions for n in self.numbers.get(each, ())}
        wanted = select(_NUMBER, *map(raw, self.columns))
        rows: list[Any] = []
        if not self._read(wanted.where(_NUMBER.in_(claims)), rows):
            rows.clear()
            for number in claims:
                self._read(wanted.where(_NUMBER.in_([number])), rows)
        found = defaultdict(list)
        for row in rows:
            found[claims[row.number]].append(row)
        return found

    def _note_all(self, listed: Any) -> tuple[bool, int | None]:
        """Note the rows that are listed; tells whether the list broke off, and the last number."""
        rows: list[Any] = []
        broke_off = not self._read(listed, rows)
        for row in rows:
            if row.log == self.log and type(row.position) is int:
                self.numbers[row.position].append(row.number)
        return broke_off, rows[-1].number if rows else None

    def _read(self, statement: Any, rows: list[Any]) -> bool:
        """Read rows as far as they can be read; tells whether that was to the end."""
        try:
            # One by one, so that those before the damage are had.
            for row in self.connection.execute(statement):
                rows.append(row)  # noqa: PERF402
        except exc.DBAPIError as error:
            damage_of(error)
            return False
        return True
