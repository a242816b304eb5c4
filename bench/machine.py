"""Facts about where a figure was measured: the machine, the versions, the state of the source."""

import hashlib
import os
import platform
import sqlite3
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from smriti_es.version import __version__

ROOT: Final = Path(__file__).parents[1]
_SOURCES: Final = ("events", "projections", "smriti_es")


def machine_facts(folder: Path) -> dict[str, Any]:
    """Describe the machine, and the file system that the bench writes to."""
    return {
        "cpu": _cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "os": platform.platform(),
        "filesystem": file_system_of(folder),
        "load_1m": round(os.getloadavg()[0], 2),
    }


def software_versions() -> dict[str, str]:
    """Name the versions that decide a figure, and the very source that was run."""
    return {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "numpy": version("numpy"),
        "onnxruntime": version("onnxruntime"),
        "smriti_es": __version__,
        "source_sha256": source_digest(),
    }


@cache
def source_digest() -> str:
    """Hash the product's Python files by path and content, 16 hex.

    A commit says little of a figure that was taken before it was made; this says what ran.
    """
    digest = hashlib.sha256()
    for path in sorted(path for name in _SOURCES for path in (ROOT / name).rglob("*.py")):
        digest.update(f"{path.relative_to(ROOT).as_posix()}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def commit() -> str | None:
    """Read which commit is checked out, without running git; None outside a plain checkout."""
    folder = ROOT / ".git"
    try:
        head = (folder / "HEAD").read_text("ascii").strip()
        if not head.startswith("ref: "):
            return head
        name = head.removeprefix("ref: ")
        loose = folder / name
        if loose.is_file():
            return loose.read_text("ascii").strip()
        packed = (folder / "packed-refs").read_text("ascii").splitlines()
    except OSError:
        return None
    return next((line.split()[0] for line in packed if line.endswith(f" {name}")), None)


def file_system_of(folder: Path) -> str:
    """Name the type of the file system that holds a folder, where the system tells."""
    try:
        mounts = Path("/proc/self/mounts").read_text("utf-8", "replace").splitlines()
    except OSError:
        return "unknown"
    holding = [
        (len(Path(fields[1]).parts), fields[2])
        for fields in (line.split() for line in mounts)
        if folder.resolve().is_relative_to(fields[1])
    ]
    # The deepest mount point is the one that counts; of two on one point, the later.
    return max(reversed(holding), key=lambda found: found[0])[1] if holding else "unknown"


def command_line(program: str) -> str:
    """Write the command that is running as it can be typed again."""
    return " ".join([program, *sys.argv[1:]])


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
