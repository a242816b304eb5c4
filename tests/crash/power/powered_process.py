"""A process whose disk loses power: run as a script, one job a line of JSON on stdin.

It runs each workload once, on a disk that records, and lays out from the recording what a disk may
hold after a power failure at a moment that chance chooses. The answer is one line of JSON: what had
been acknowledged by then, and all that was tried.
"""

import json
import random
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from smriti_es.events import dialect_sqlite
from smriti_es.projections import rebuild
from tests.crash.power.apsw_driver import in_place_of_sqlite3
from tests.crash.power.disk import Disk, Mark, after_power_loss
from tests.crash.power.faults import PLANTS, REWRITES, Plant, as_it_is, nothing
from tests.crash.power.own_files import OwnFiles
from tests.crash.power.recording_vfs import RecordingVFS
from tests.crash.power.workloads import WORKLOADS, Work, make_memory, secrets

NAME = "memory.db"
LYING = "a disk that does not sync"
SHM_BYTES = 32_768
# So that a short run has checkpoints of SQLite's, and a rebuild several steps.
SMALL = {
    dialect_sqlite: {"CHECKPOINT_BYTES": 100_000, "CHECKPOINT_ROWS": 500},
    rebuild: {"BATCH": 8, "LAST_STRETCH": 4},
}


@dataclass(frozen=True, slots=True)
class Recording:
    """What one run of a workload did to its disk."""

    disk: Disk
    tried: list[tuple[str, int]]


@cache
def memory() -> dict[str, bytes]:
    """Give the files of the memory that the workloads find."""
    with tempfile.TemporaryDirectory() as folder:
        make_memory(Path(folder) / NAME)
        files = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
    assert all(any(secret in content for content in files.values()) for secret in secrets())
    return files


@cache
def recording(workload: str, fault: str) -> Recording:
    """Run a workload on a disk that records."""
    files = {} if workload == "found" else memory()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve()
        lay_out(files, folder)
        disk = Disk(files)
        vfs = RecordingVFS(disk, folder)
        rewrite = REWRITES.get(fault, as_it_is)
        with OwnFiles(disk, folder).recorded(), in_place_of_sqlite3(rewrite) as connections:
            plant: Plant = PLANTS.get(fault, nothing)
            work = Work(folder / NAME, disk, lambda engine: plant(engine, connections))
            WORKLOADS[workload](work)
        vfs.unregister()
        return Recording(disk, work.tried)


def lay_out(files: dict[str, bytes], folder: Path) -> None:
    for name, content in files.items():
        (folder / name).touch(mode=0o600)
        (folder / name).write_bytes(content)


def lose_power(job: dict[str, Any]) -> dict[str, Any]:
    """Lay out what is left of one power failure in the folder of the job."""
    syncs = job["fault"] != LYING
    recorded = recording(job["workload"], job["fault"] if syncs else "")
    operations = recorded.disk.operations
    chance = random.Random(f"{job['workload']} {job['seed']}")
    cut = chance.randint(0, len(operations))
    files, fates = after_power_loss(recorded.disk, cut, chance, syncs=syncs)
    if NAME in files and chance.random() < 0.5:
        files[f"{NAME}-shm"] = chance.randbytes(SHM_BYTES)  # never synced: it may hold anything
    lay_out(files, Path(job["folder"]))
    told = {"head": -1}
    for mark in (each for each in operations[:cut] if isinstance(each, Mark)):
        told[mark.what] = max(mark.value, told.get(mark.what, -1))  # threads do not take turns
    return {
        "cut": cut,
        "operations": len(operations),
        "fates": fates,
        "told": told,
        "tried": recorded.tried,
        "begins_empty": job["workload"] == "found",
        "secrets": [secret.hex() for secret in secrets()],
    }


def main() -> None:
    """Serve jobs until stdin ends."""
    for module, sizes in SMALL.items():
        vars(module).update(sizes)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(lose_power(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
