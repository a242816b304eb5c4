"""How far extraction of one log has come: a position, kept where checkpoints are kept.

Moving it costs a flush, so it is moved now and then only; going over turns twice records nothing
twice, since a fact's id is derived from what it states.
"""

import threading
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Final

from sqlalchemy import Connection, bindparam, delete, func, insert, select

from smriti_es.events.log import EventLog
from smriti_es.events.tables import projection_table
from smriti_es.projections.extractions import POINTER_NAME, leaf_before
from smriti_es.projections.generation import POINTER
from smriti_es.projections.turns import turn_tables

_PERSIST_EVERY: Final = 512

_c = projection_table.c
# Built once: every question asks for it.
_PERSISTED: Final = select(_c.folded).where(_c.log == bindparam("in_log"), _c.name == POINTER_NAME)


@dataclass(slots=True)
class ExtractionPointer:
    """A position: every turn before it was shown to an extractor, here or in another process.

    Attributes:
        log: The log.
        done: How far this process knows extraction to have come.
        persisted: How far it is known to be written down.
    """

    log: EventLog
    done: int = 0
    persisted: int = 0
    _ahead: list[tuple[int, int]] = field(default_factory=list)
    _door: threading.Lock = field(default_factory=threading.Lock)

    def begin(self) -> None:
        """Read how far extraction has come; in a log that is new to it, it begins at the start.

        A position that somebody has edited, or that belongs to another history, counts for nothing.
        """
        with self.log.database.write() as connection:
            if not _is_what_was_written(connection, self.log.log):
                write_pointer(connection, self.log.log, 0)
            self.look(connection)

    def pass_over(self, start: int, stop: int) -> None:
        """Note that a stretch is done; the pointer moves past it when nothing before it waits.

        Args:
            start: Its first position.
            stop: The position after its last.
        """
        with self._door:
            heappush(self._ahead, (start, stop))
            while self._ahead and self._ahead[0][0] <= self.done:
                self.done = max(self.done, heappop(self._ahead)[1])

    @property
    def stretches_ahead(self) -> int:
        """How many stretches are done that lie beyond one which is not."""
        return len(self._ahead)

    def look(self, connection: Connection) -> None:
        """Look how far another process has come."""
        self.persisted = max(self.persisted, persisted_pointer(connection, self.log.log) or 0)
        self.done = max(self.done, self.persisted)

    def persist(self) -> None:
        """Write down how far extraction has come."""
        if self.done <= self.persisted:
            return
        with self.log.database.write() as connection:
            if (persisted_pointer(connection, self.log.log) or 0) < self.done:
                write_pointer(connection, self.log.log, self.done)
        self.persisted = self.done

    def persist_now_and_then(self) -> None:
        """Write it down once that spares more reading than it costs."""
        if self.done - self.persisted >= _PERSIST_EVERY:
            self.persist()


def write_pointer(connection: Connection, log: int, position: int) -> None:
    """Write down how far extraction has come, in the place of whatever stood there.

    Args:
        connection: A write transaction.
        log: The log's number.
        position: Every turn before it was shown to an extractor.
    """
    connection.execute(delete(projection_table).where(_c.log == log, _c.name == POINTER_NAME))
    connection.execute(
        insert(projection_table).values(
            log=log,
            name=POINTER_NAME,
            generation=1,
            version=1,
            state=POINTER,
            folded=position,
            leaf=leaf_before(connection, log, position),
        )
    )


def _is_what_was_written(connection: Connection, log: int) -> bool:
    row = connection.execute(
        select(_c.folded, _c.leaf).where(_c.log == log, _c.name == POINTER_NAME)
    ).one_or_none()
    return row is not None and row.leaf == leaf_before(connection, log, row.folded)


def persisted_pointer(connection: Connection, log: int) -> int | None:
    """Read how far extraction has come; None where nobody has ever extracted."""
    found = connection.execute(_PERSISTED, {"in_log": log}).scalar()
    return None if found is None else int(found)


def turns_from(connection: Connection, log: int, position: int, turns: int) -> int:
    """Count the turns at a position and after it.

    Args:
        connection: A snapshot.
        log: The log's number.
        position: Where to begin.
        turns: Generation of the turns projection that serves.
    """
    turn = turn_tables(turns).turn.c
    statement = select(func.count()).where(turn.log == log, turn.position >= position)
    return int(connection.execute(statement).scalar_one())
