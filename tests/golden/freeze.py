"""Freeze events of every type and version: their exact bytes, hash, key and values.

Run this once a type or a version was added to the catalogue, and commit what it wrote:

    python tests/golden/freeze.py

It writes `<type>.<version>.jsonl` where there is no such file yet and never touches one that
exists: what a release has written, every later one must read. To freeze a new version of a type,
change its events in `examples.py` to the new form; the old file stays.

A line holds `case`, `header` and `leaf` and `key` in hex, `body` in base64, and `event`: the fields
that were set, as they were at the time.
"""

import base64
import hashlib
import json
import runpy
import sys
from collections.abc import Callable
from dataclasses import MISSING, fields
from itertools import count
from pathlib import Path
from typing import Any

from smriti_es.events.catalogue import EVENT_TYPES, Event
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.header import Actor
from smriti_es.events.idempotency import Idempotency
from smriti_es.events.log import EventLog
from smriti_es.events.records import NewEvent
from smriti_es.events.registry import Founding, open_log
from smriti_es.migrate import migrate

# By type and case; in a file of its own for its length.
EVENTS: dict[str, dict[str, Event]] = runpy.run_path(str(Path(__file__).with_name("examples.py")))[
    "EVENTS"
]


def freeze(folder: Path) -> list[Path]:
    """Write the files that are missing in a folder; give their paths."""
    written = []
    for name, kind in EVENT_TYPES.items():
        path = folder / f"{name}.{kind.VERSION}.jsonl"
        if not path.exists():
            lines = [json.dumps(entry, sort_keys=True) for entry in _entries(name)]
            path.write_text("\n".join(lines) + "\n", encoding="ascii")
            written.append(path)
    return written


def _entries(name: str) -> list[dict[str, Any]]:
    """Record the events of one type in a log of their own, and describe them."""
    database = SqliteDatabase(":memory:")
    migrate(database)
    log = open_log(
        database,
        "golden",
        clock=count(1_780_394_400_000_000, 1_000_000).__next__,
        randomness=_randomness(name),
        founding=Founding("Asia/Kolkata", "smriti-es/golden", ["attitude_to:*", "lives_in"]),
    )
    cases = EVENTS[name]
    for case, event in cases.items():
        once = Idempotency("golden key", b"golden request") if case == "full" else None
        log.append([NewEvent(event, (0,))], actor=Actor("import", "golden"), once=once)
    described = _described(log, ["founding", *cases])
    database.close()
    return described[1:] if cases else described


def _described(log: EventLog, cases: list[str]) -> list[dict[str, Any]]:
    with log.database.read() as connection:
        rows = log.read_rows(0, len(cases), connection)
    return [
        {
            "case": case,
            "header": row.header.hex(),
            "leaf": row.leaf.hex(),
            "key": row.key.hex(),
            "body": base64.b64encode(row.body).decode("ascii"),
            "event": _set_fields(recorded.event),
        }
        for case, row, recorded in zip(cases, rows, log.read(), strict=True)
    ]


def _set_fields(event: Event | None) -> dict[str, Any]:
    assert event is not None
    values = {item.name: (getattr(event, item.name), item) for item in fields(event)}
    return {
        name: value
        for name, (value, item) in values.items()
        if value != (item.default if item.default_factory is MISSING else item.default_factory())
    }


def _randomness(seed: str) -> Callable[[int], bytes]:
    """Bytes that are the same on every machine and in every release of Python."""
    numbers = count()
    return lambda size: hashlib.shake_256(f"{seed} {next(numbers)}".encode()).digest(size)


if __name__ == "__main__":
    for made in freeze(Path(__file__).parent):
        sys.stdout.write(f"{made.name}\n")
