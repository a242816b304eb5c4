"""A log's rows as they are stored, and past whatever of them the database cannot give back.

A damaged page takes the rows that lie on it; those around it can still be had, one by one. Where it
is a page of an index, a pass over the table itself still finds what the index leads to.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Final, Literal

from sqlalchemy import Column, Connection, Table, bindparam, exc, select, type_coerce
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.types import NullType

from smriti_es.events.database import damage_of
from smriti_es.events.log import READ_BATCH
from smriti_es.events.server_errors import apart
from smriti_es.events.tables import event_table, payload_table

Place = Literal["event", "payload", "index"]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What the database cannot give back of an event as it should.

    Attributes:
        position: The event.
        place: What is lost: all of it; its payload; or nothing but its entry in an index.
        reason: What the database says.
        row: What could be had of the row; None when nothing could.
    """

    position: int
    place: Place
    reason: str
    row: Any = None


def raw(column: Column[Any]) -> ColumnElement[Any]:
    """Read a column as it is: a value of another type is a finding, not an error on the way."""
    return type_coerce(column, NullType()).label(column.name)


_e, _p = event_table.c, payload_table.c
_EVENT: Final = tuple(map(raw, (_e.position, _e.type, _e.known, _e.leaf, _e.header)))
_PAYLOAD: Final = (raw(_p.key), raw(_p.body))
_ROWS: Final = select(*_EVENT, *_PAYLOAD).select_from(
    event_table.outerjoin(payload_table, (_p.log == _e.log) & (_p.position == _e.position))
)


def _of_one(table: Table) -> Any:
    return (table.c.log == bindparam("this_log")) & (table.c.position == bindparam("this_position"))


def _of_stretch(table: Table) -> Any:
    # Sums, so that no index serves and the table itself is passed over.
    log, position = table.c.log + 0, table.c.position + 0
    within = position.between(bindparam("first"), bindparam("last"))
    return (log == bindparam("this_log")) & within


_ONE: Final = _ROWS.where(_of_one(event_table))
_ONE_EVENT: Final = select(*_EVENT).where(_of_one(event_table))
_ONE_PAYLOAD: Final = select(*_PAYLOAD).where(_of_one(payload_table))
_EVENTS: Final = select(*_EVENT).where(_of_stretch(event_table))
_PAYLOADS: Final = select(raw(_p.position), *_PAYLOAD).where(_of_stretch(payload_table))


def stored_rows(connection: Connection, log: int, size: int) -> Iterator[list[Any]]:
    """Read the rows of a log in order of position.

    Args:
        connection: A snapshot.
        log: The log's number.
        size: How many events there should be; past damage it is looked for no more than these.

    Yields:
        Rows in batches: position, type, known, leaf, header, and the payload's key and body (None
        where there is none); an `Unreadable` in the place of what cannot be had.
    """
    page = _ROWS.where(_e.log == log).order_by(_e.position).limit(READ_BATCH)
    # From the very first row, which need not be at position 0 if somebody put it there.
    last: Any = None
    while True:
        try:
            statement = page if last is None else page.where(_e.position > last)
            with apart(connection):
                rows = list(connection.execute(statement))
        except exc.DBAPIError as error:
            damage = damage_of(error)
            start = last + 1 if type(last) is int and last >= 0 else 0
            stop = min(start + READ_BATCH, size)
            if start >= stop:
                if size == 0:
                    yield [Unreadable(start, "event", damage)]
                return
            stretch = _Stretch(connection, log, range(start, stop))
            rows, last = list(stretch.rows()), stop - 1
        else:
            if not rows:
                return
            last = rows[-1].position
        yield rows


@dataclass(slots=True)
class _Stretch:
    """Positions of a log that cannot be read all at once."""

    connection: Connection
    log: int
    positions: range
    _events: dict[Any, Any] | None = field(default=None, init=False)
    _payloads: dict[Any, Any] | None = field(default=None, init=False)

    def rows(self) -> Iterator[Any]:
        for position in self.positions:
            row = self._row(position)
            if row is not None:
                yield row

    def _row(self, position: int) -> Any:
        where = {"this_log": self.log, "this_position": position}
        try:
            with apart(self.connection):
                return self.connection.execute(_ONE, where).one_or_none()
        except exc.DBAPIError as error:
            reason = damage_of(error)
        event, event_by_key = self._part(_ONE_EVENT, where)
        payload, payload_by_key = self._part(_ONE_PAYLOAD, where)
        if event is None and not event_by_key:
            if self._events is None:
                self._events = self._passed_over(_EVENTS)
            event = self._events.get(position)
        if event is None:
            return Unreadable(position, "event", reason)
        if payload is None and not payload_by_key:
            if self._payloads is None:
                self._payloads = self._passed_over(_PAYLOADS)
            payload = self._payloads.get(position)
        lost = payload is None and not payload_by_key
        row = _joined(event, payload)
        return Unreadable(position, "payload" if lost else "index", reason, row)

    def _part(self, statement: Any, where: Mapping[str, int]) -> tuple[Any, bool]:
        """Read a row of one table by its key; tells whether the table could be read there."""
        try:
            with apart(self.connection):
                return self.connection.execute(statement, where).one_or_none(), True
        except exc.DBAPIError as error:
            damage_of(error)
            return None, False

    def _passed_over(self, statement: Any) -> dict[Any, Any]:
        """Find the rows of the stretch in a pass over their table, as far as it gets."""
        within = {"first": self.positions.start, "last": self.positions.stop - 1}
        found = {}
        try:
            for row in self.connection.execute(statement, {"this_log": self.log, **within}):
                found[row.position] = row
        except exc.DBAPIError as error:
            damage_of(error)
        return found


def _joined(event: Any, payload: Any) -> Any:
    key, body = (None, None) if payload is None else (payload.key, payload.body)
    return SimpleNamespace(**event._mapping, key=key, body=body)
