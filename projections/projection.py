"""The contract of a projection: a pure fold of the log into tables made for reading.

It may be dropped and rebuilt at any time and must come out the same. Rows of one generation lie in
tables of their own, so that a rebuild goes beside the live one. Source: design page on projections,
"Contract".
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from json.encoder import encode_basestring_ascii
from typing import Any, ClassVar, Final

from sqlalchemy import Boolean, ColumnElement, Connection, MetaData, Table, delete, select

from smriti_es.events.database import in_parts
from smriti_es.events.erasure import erased_by
from smriti_es.events.records import RecordedEvent
from smriti_es.events.stored_rows import raw


@dataclass(frozen=True, slots=True)
class Fold:
    """Where a projection writes: one log's rows in the tables of one generation.

    Attributes:
        connection: An open transaction.
        log: The log's number in this database.
        generation: Which generation's tables.
    """

    connection: Connection
    log: int
    generation: int


class Projection(ABC):
    """One fold of the log.

    `apply` is pure: it reads the events and this projection's own rows, and writes rows. No clock,
    randomness, network, model or environment. An event whose content was erased folds as if it had
    said nothing.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    # Folded in the transaction of the append; otherwise it catches up by position.
    inline: ClassVar[bool] = True
    # Writes are refused while it has halted, since what they decide rests on it.
    required: ClassVar[bool] = True
    # The names of its tables without version and generation, in the order in which they are
    # dropped. One that a version gives up stays here, so that what older versions built can go.
    stems: ClassVar[tuple[str, ...]]

    @property
    def detail(self) -> str | None:
        """What else identifies a generation, as text; None: the version says it all."""
        return None

    @abstractmethod
    def tables(self, generation: int) -> Sequence[Table]:
        """Give the tables of a generation; every one has a column `log`."""

    def create(self, fold: Fold) -> None:
        """Create the tables of the fold's generation where they are missing."""
        for table in self.tables(fold.generation):
            table.create(fold.connection, checkfirst=True)

    def clear(self, fold: Fold) -> None:
        """Delete the log's rows of the fold's generation."""
        for table in self.tables(fold.generation):
            fold.connection.execute(delete(table).where(table.c.log == fold.log))

    def drop(self, connection: Connection, version: int, generation: int) -> None:
        """Drop the tables of a generation, whichever version built it; no log uses them any more.

        Args:
            connection: An open transaction.
            version: The version that built it.
            generation: Its number.
        """
        for name in self.names(version, generation):
            Table(name, MetaData()).drop(connection, checkfirst=True)

    def names(self, version: int, generation: int) -> list[str]:
        """Give the names of the tables of a generation, whichever version built it."""
        return [f"{stem}_v{version}_g{generation}" for stem in self.stems]

    def prepare(self, events: Sequence[RecordedEvent]) -> Any:
        """Do outside any transaction what `apply` must not do inside one."""
        return events

    @abstractmethod
    def apply(self, prepared: Any, fold: Fold) -> None:
        """Fold what `prepare` gave, in position order, into rows."""

    def write(self, prepared: Any, events: Sequence[RecordedEvent], fold: Fold) -> None:
        """Fold events into rows, and let go what they erased.

        Args:
            prepared: What `prepare` made of the events.
            events: The next events in order.
            fold: Where to write.
        """
        self.apply(prepared, fold)
        if erased := [position for event in events for position in erased_by(event.header)]:
            self.erase(erased, fold)

    def erase(self, positions: Sequence[int], fold: Fold) -> None:
        """Delete the rows that belong to events whose content was erased.

        A fold of the log as it now is never made them, so in a rebuild there is nothing to delete.
        """
        for table in self.tables(fold.generation):
            if "position" in table.c:
                delete_rows(fold, table, table.c.position, positions)

    def refold(self, events: Sequence[RecordedEvent], fold: Fold, live: Fold) -> None:
        """Fold events aside for a comparison with the live rows, without calling a model.

        Args:
            events: The next events in order.
            fold: Where to write.
            live: The rows that are being checked; only vectors look at them, since making them
                again would cost more than all the rest.
        """
        del live
        self.write(self.prepare(events), events, fold)

    @abstractmethod
    def canonical_rows(self, fold: Fold) -> Iterable[Sequence[Any]]:
        """Give every row that follows from the log, in key order, equal on every database.

        Values are given as they are stored, whatever their type: one that was put there from
        elsewhere is told by the fingerprint and by no error on the way. The first whole number in a
        row is the position of the event that it belongs to.
        """

    def canonical_lines(self, fold: Fold) -> Iterator[str]:
        """Write the canonical rows as lines of JSON, one or more at a time, for the fingerprint."""
        return map(canonical_line, self.canonical_rows(fold))

    def standing(self, live: Fold, detail: str | None) -> str | None:
        """Say what is wrong with what is kept beside the rows that serve, or None.

        Args:
            live: The rows that serve.
            detail: What else identifies their generation, as it is written down.
        """
        del live
        return None if detail is None else f"{detail!r} is kept with it, which says nothing"


def delete_rows(
    fold: Fold, table: Table, column: ColumnElement[int], positions: Sequence[int]
) -> None:
    """Delete the log's rows that name one of some positions in a column."""
    for part in in_parts(positions):
        named = delete(table).where(table.c.log == fold.log, column.in_(part))
        fold.connection.execute(named)


def rows_by_key(tables: Sequence[Table], fold: Fold) -> Iterable[Sequence[Any]]:
    """Give the rows of tables in the order of their keys, without the log's local number."""
    for table in tables:
        columns = [column for column in table.columns if column.name != "log"]
        key = [column for column in table.primary_key if column.name != "log"]
        rows = fold.connection.execute(
            select(*map(raw, columns)).where(table.c.log == fold.log).order_by(*key)
        )
        flags = [place for place, each in enumerate(columns) if isinstance(each.type, Boolean)]
        yield [table.name.rpartition("_v")[0]]
        yield from (_with_flags(row, flags) for row in rows) if flags else rows


# SQLite keeps a flag as a number, and any other number as well.
_LINES_AT_ONCE: Final = 1_000
_FLAGS: Final = {0: False, 1: True}


def _with_flags(row: Sequence[Any], flags: Sequence[int]) -> list[Any]:
    values = list(row)
    for place in flags:
        values[place] = _FLAGS.get(values[place], values[place])
    return values


def fingerprint(projection: Projection, fold: Fold) -> str:
    """Hash a projection's rows, 64 hex: equal exactly when the rows are.

    Independent of database, batch size, and of whether the rows came one by one or in a rebuild.
    """
    digest = hashlib.sha256()
    lines = projection.canonical_lines(fold)
    while some := list(islice(lines, _LINES_AT_ONCE)):
        digest.update("".join(some).encode())
    return digest.hexdigest()


def canonical_line(row: Sequence[Any]) -> str:
    """Write a row as a line of canonical JSON, as the library would for the whole."""
    values = []
    for value in row:
        kind = type(value)
        if kind is int:
            values.append(int.__repr__(value))
        elif kind is str:
            values.append(encode_basestring_ascii(value))
        else:
            values.append(_encode(value))
    return f"[{','.join(values)}]\n"


def _hex(value: Any) -> list[str]:
    """Write bytes so that text of the same digits is another value."""
    return [bytes(value).hex()]


_encode: Final = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), default=_hex).encode
