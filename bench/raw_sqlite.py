"""The floor: what a program does that chains events by hand in `sqlite3`, and nothing more.

One table, one row per event, JSON body, SHA-256 over the hash before and the body, the same
journal and the same durability as the engine. No payload keys, headers, projections, replay
detection or other process to care for.
"""

import hashlib
import json
import sqlite3
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_GENESIS = bytes(32)


class RawLog:
    """A chained log on one file, as plain as can be.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._file = sqlite3.connect(path, isolation_level=None)
        self._file.execute("PRAGMA journal_mode=WAL")
        self._file.execute("PRAGMA synchronous=FULL")
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS event "
            "(position INTEGER PRIMARY KEY, known INTEGER, body BLOB, hash BLOB)"
        )
        self._previous = _GENESIS
        self._size = 0

    def append(self, events: Sequence[Mapping[str, Any]]) -> None:
        """Append events in one durable transaction."""
        rows = []
        for event in events:
            body = json.dumps(event, separators=(",", ":"), sort_keys=True).encode()
            self._previous = hashlib.sha256(self._previous + body).digest()
            rows.append((self._size, time.time_ns(), body, self._previous))
            self._size += 1
        self._file.execute("BEGIN IMMEDIATE")
        self._file.executemany("INSERT INTO event VALUES (?, ?, ?, ?)", rows)
        self._file.execute("COMMIT")

    def fold(self) -> dict[str, Any]:
        """Read every event into a dictionary by its id."""
        rows = self._file.execute("SELECT position, body FROM event ORDER BY position")
        return {str(position): json.loads(body) for position, body in rows}

    def verify(self) -> bool:
        """Recompute the chain."""
        previous = _GENESIS
        for body, stored in self._file.execute("SELECT body, hash FROM event ORDER BY position"):
            previous = hashlib.sha256(previous + body).digest()
            if previous != stored:
                return False
        return True

    def close(self) -> None:
        """Close the file."""
        self._file.close()
