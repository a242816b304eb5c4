"""The floor: what a program does that keeps a hash-chained log by hand in `sqlite3`, and no more.

The same bytes hashed, the same two inserts, the same journal and the same durability as the log: a
header with the members that the log's format asks for, with the hash of the one before it and a
commitment to the body under a key of its own, a row for each. No checks of form, projections, tree,
upcasting, replay detection or other process to care for.
"""

import hashlib
import hmac
import json
import os
import sqlite3
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

_GENESIS: Final = bytes(32)
_LEAF: Final = b"\x00"


class RawLog:
    """A chained log on one file, as plain as can be.

    Args:
        path: The file.
        synchronous: FULL, as the log has it, or NORMAL.
    """

    def __init__(self, path: Path, *, synchronous: str = "FULL") -> None:
        self._file = sqlite3.connect(path, isolation_level=None)
        self._file.execute("PRAGMA journal_mode=WAL")
        self._file.execute(f"PRAGMA synchronous={synchronous}")
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS event "
            "(position INTEGER PRIMARY KEY, type TEXT, known INTEGER, leaf BLOB, header BLOB)"
        )
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS payload (position INTEGER PRIMARY KEY, key BLOB, body BLOB)"
        )
        self._previous = _GENESIS
        self._size = 0
        self._log = os.urandom(16).hex()

    def append(self, events: Sequence[Mapping[str, Any]]) -> None:
        """Append events in one durable transaction."""
        headers, payloads = [], []
        known, first = time.time_ns() // 1_000, self._size
        for event in events:
            body = json.dumps(event, separators=(",", ":"), sort_keys=True).encode()
            key = os.urandom(32)
            header = json.dumps(
                {
                    "actor": {"id": "bench", "kind": "owner"},
                    "commit": [first, len(events)],
                    "id": os.urandom(16).hex(),
                    "known": known,
                    "log": self._log,
                    "pay": {"c": hmac.digest(key, body, "sha256").hex(), "n": len(body)},
                    "pos": self._size,
                    "prev": self._previous.hex(),
                    "refs": [1],
                    "spec": "raw/1",
                    "type": event["type"],
                    "ver": 1,
                    "x": {name: event[name] for name in ("ordinal", "origin", "role", "session")},
                },
                separators=(",", ":"),
            ).encode()
            self._previous = hashlib.sha256(_LEAF + header).digest()
            headers.append((self._size, event["type"], known, self._previous, header))
            payloads.append((self._size, key, body))
            self._size += 1
        self._file.execute("BEGIN IMMEDIATE")
        self._file.executemany("INSERT INTO event VALUES (?, ?, ?, ?, ?)", headers)
        self._file.executemany("INSERT INTO payload VALUES (?, ?, ?)", payloads)
        self._file.execute("COMMIT")

    def fold(self) -> dict[str, Any]:
        """Read every event into a dictionary by its id."""
        rows = self._file.execute("SELECT position, body FROM payload ORDER BY position")
        return {str(position): json.loads(body) for position, body in rows}

    def verify(self) -> bool:
        """Recompute the chain and every commitment."""
        previous = _GENESIS.hex()
        for header, leaf, key, body in self._file.execute(
            "SELECT header, leaf, key, body FROM event JOIN payload USING (position) "
            "ORDER BY position"
        ):
            said = json.loads(header)
            fits = said["pay"]["c"] == hmac.digest(key, body, "sha256").hex()
            if said["prev"] != previous or not fits:
                return False
            if hashlib.sha256(_LEAF + header).digest() != leaf:
                return False
            previous = leaf.hex()
        return True

    def close(self) -> None:
        """Close the file."""
        self._file.close()
