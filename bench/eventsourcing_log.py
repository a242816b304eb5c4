"""The peer: the application of the `eventsourcing` library on SQLite, which hashes nothing.

An aggregate that takes turns is saved with so many new events at a time, and read back from all of
its events. The library leaves the journal in WAL mode and `synchronous` at FULL, as our log does.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


class EventsourcingLog:
    """Turns as the events of one aggregate.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        from eventsourcing.application import Application

        from bench.eventsourcing_turns import Turns

        where = {"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(path)}
        self._application: Any = Application(env=where)
        self._turns = Turns()
        self._application.save(self._turns)

    def append(self, events: Sequence[Mapping[str, Any]]) -> None:
        """Append events in one durable transaction."""
        for event in events:
            self._turns.take(dict(event))
        self._application.save(self._turns)

    def fold(self) -> list[Any]:
        """Read the aggregate back from its events."""
        found: list[Any] = self._application.repository.get(self._turns.id).taken
        return found

    def close(self) -> None:
        """Close the file."""
        self._application.close()
