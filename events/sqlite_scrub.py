"""Let nothing that was deleted stay in the files of a SQLite database.

With `secure_delete` SQLite overwrites what it frees. What it freed before that was switched on
stays until the file is written anew, and what it wrote last stays in the write-ahead log until that
is cut off, which nobody may prevent by reading what was before. Source:
https://sqlite.org/pragma.html#pragma_secure_delete, https://sqlite.org/wal.html.
"""

import mmap
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from smriti_es.events.searched import Searched

# How long to sleep between two tries to cut the write-ahead log off, seconds.
_PAUSE_S: Final = 0.02


def cut_off(driver: sqlite3.Connection, wait_s: float) -> bool:
    """Fold the write-ahead log into the file and cut it to nothing.

    Args:
        driver: The writing connection, outside any transaction.
        wait_s: How long to wait for readers of what was before, seconds.

    Returns:
        Whether it worked; not while somebody reads.
    """
    until = time.monotonic() + wait_s
    (patience,) = driver.execute("PRAGMA busy_timeout").fetchone()
    # SQLite would wait inside, with every writer shut out.
    driver.execute("PRAGMA busy_timeout=0")
    try:
        while True:
            busy, _, _ = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if not busy:
                return True
            if time.monotonic() >= until:
                return False
            time.sleep(_PAUSE_S)
    finally:
        driver.execute(f"PRAGMA busy_timeout={patience}")


def files_beside(path: Path) -> list[Path]:
    """List the database's file and every file whose name begins with its name."""
    return sorted(each for each in path.parent.glob(f"{_escaped(path.name)}*") if each.is_file())


def search_file(path: Path, pieces: Sequence[bytes]) -> Searched:
    """Look for pieces of content in the bytes of a file."""
    try:
        with path.open("rb") as file:
            if path.stat().st_size == 0:
                return Searched(path.name)
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                found = frozenset(piece for piece in pieces if content.find(piece) >= 0)
    except OSError as error:
        return Searched(path.name, problem=str(error.strerror))
    return Searched(path.name, found)


def _escaped(name: str) -> str:
    return "".join(f"[{mark}]" if mark in "*?[" else mark for mark in name)
