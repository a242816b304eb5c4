"""Growth: what a log costs at ten thousand, a hundred thousand and a million events.

The log grows in one file, and at each size everything is measured on it: appending goes on, a fresh
process opens and verifies it, and proofs are made. Cost per event should stay what it is, and
memory, too.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Final

from bench.log import ACTOR, bare_log, recorded, synthetic_turns
from bench.machine import ROOT
from bench.statistics import milliseconds
from smriti_es.events.audit.exporting import Stretch, export_log
from smriti_es.events.catalogue import SessionStarted
from smriti_es.events.log import EventLog
from smriti_es.events.merkle_tree import inclusion_proof
from smriti_es.events.records import NewEvent
from smriti_es.events.stored_tree import StoredTree

SIZES: Final = (10_000, 100_000, 1_000_000)
_PER_COMMIT: Final = 1_000
_PROOFS: Final = 100
# Bundles are as large as the log; beyond this the disk is what is measured.
_EXPORTED_MAX: Final = 100_000
Progress = Callable[[str], None]

# In a process of its own, whose memory nothing else has touched.
_VERIFY: Final = """
import json, sys, time
from bench.log import bare_log
from smriti_es.events.verification import verify_log
from smriti_es.events.verified_reading import read_verified
from pathlib import Path

def peak():
    # Not of `resource`: that one goes on from what the process was that started this one.
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024

started = time.perf_counter()
with bare_log(Path(sys.argv[1])) as log:
    opened = time.perf_counter()
    before = peak()
    assert verify_log(log).ok
    verified = time.perf_counter()
    after = peak()
    events = sum(1 for _ in read_verified(log))
    read = time.perf_counter()
print(json.dumps({
    "events": events,
    "open_ms": 1e3 * (opened - started),
    "verify_s": verified - opened,
    "replay_s": read - verified,
    "rss_before_mib": before,
    "rss_after_mib": after,
}))
"""


def measure_growth(folder: Path, sizes: Sequence[int], progress: Progress) -> dict[str, Any]:
    """Let a log grow to each size and measure there.

    Args:
        folder: Where to make it; on the disk that is to be measured.
        sizes: How many events, ascending, each a multiple of a thousand.
        progress: Called with the name of each part.

    Returns:
        Figures by size. Rates are events per second, durations milliseconds, memory MiB.
    """
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="bench-growth-", dir=folder) as made:
        path = Path(made) / "growth.db"
        source = synthetic_turns(sizes[-1])
        for size in sizes:
            progress(f"append up to {size:,}")
            with bare_log(path) as log:
                rate = _grow(log, size, source)
                progress(f"prove and export at {size:,}")
                beside = _proofs(log) | _exported(log, Path(made) / f"bundle-{size}")
            progress(f"verify {size:,}")
            figures[str(size)] = rate | _verified(path) | beside | _bytes(path, size)
    return figures


def _grow(log: EventLog, size: int, source: Iterator[Any]) -> dict[str, float]:
    """Append up to a size; the rate is that of the last tenth, when the log is about as long."""
    if log.head == 0:
        log.append([NewEvent(SessionStarted(session="s", space="main"))], actor=ACTOR)
    timed, seconds = 0, 0.0
    while (left := size - 1 - log.head) > 0:
        count = min(_PER_COMMIT, left)
        batch = [recorded(turn, 1) for turn in islice(source, count)]
        started = time.perf_counter()
        log.append(batch, actor=ACTOR)
        if left <= max(size // 10, _PER_COMMIT):
            seconds += time.perf_counter() - started
            timed += count
    return {"append_events_per_s": round(timed / seconds, 1)}


def _proofs(log: EventLog) -> dict[str, float]:
    """Prove that events at random positions are in the log."""
    random = Random(1)
    times = []
    with log.database.read() as connection:
        size = log.size(connection)
        for _ in range(_PROOFS):
            position = random.randrange(size)
            started = time.perf_counter()
            inclusion_proof(position, size, StoredTree(connection, log.log).subtree)
            times.append(time.perf_counter() - started)
    return {f"proof_{name}_ms": value for name, value in milliseconds(times).items()}


def _exported(log: EventLog, target: Path) -> dict[str, float]:
    if log.head >= _EXPORTED_MAX:
        return {}
    started = time.perf_counter()
    with log.database.read() as connection:
        size = log.size(connection)
        export_log(log, connection, target, Stretch(0, size, shows=lambda _: True))
    return {"export_events_per_s": round(size / (time.perf_counter() - started), 1)}


def _verified(path: Path) -> dict[str, float]:
    """Open, verify and read the log in a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-c", _VERIFY, str(path)],
        capture_output=True,
        check=True,
        cwd=ROOT,
        text=True,
    )
    found = json.loads(ran.stdout)
    return {
        "open_ms": round(found["open_ms"], 1),
        "verify_events_per_s": round(found["events"] / found["verify_s"], 1),
        "verified_replay_events_per_s": round(found["events"] / found["replay_s"], 1),
        "rss_before_verify_mib": round(found["rss_before_mib"], 1),
        "rss_after_verify_mib": round(found["rss_after_mib"], 1),
    }


def _bytes(path: Path, size: int) -> dict[str, float]:
    return {"bytes_per_event": round(path.stat().st_size / size, 1)}
