"""How far extraction of one log has come: a position, kept where checkpoints are kept.

Moving it costs a flush, so it is moved now and then only; going over turns twice records nothing
twice, since a fact's id is derived from what it states.
"""

import threading
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Final

from sqlalchemy import Connection, func, insert, select, update

from smriti_es.events.log import EventLog
from smriti_es.events.tables import projection_table
from smriti_es.projections.generation import POINTER as POINTER_STATE
from smriti_es.projections.turns import turn_tables

POINTER: Final = "extraction"
_PERSIST_EVERY: Final = 512

_c = projection_table.c


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
        """Read how far extraction has come; in a log that is new to it, it begins at the start."""
        with self.log.database.write() as connection:
            if persisted_pointer(connection, self.log.log) is None:
                connection.execute(
                    insert(projection_table).values(
                        log=self.log.log,
                        name=POINTER,
                        generation=1,
                        version=1,
                        state=POINTER_STATE,
                        folded=0,
                        leaf=bytes(32),
                    )
                )
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
            connection.execute(
                update(projection_table)
                .where(_c.log == self.log.log, _c.name == POINTER, _c.folded < self.done)
                .values(folded=self.done)
            )
        self.persisted = self.done

    def persist_now_and_then(self) -> None:
        """Write it down once that spares more reading than it costs."""
        if self.done - self.persisted >= _PERSIST_EVERY:
            self.persist()


def persisted_pointer(connection: Connection, log: int) -> int | None:
    """Read how far extraction has come; None where nobody has ever extracted."""
    found = connection.execute(select(_c.folded).where(_c.log == log, _c.name == POINTER)).scalar()
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
