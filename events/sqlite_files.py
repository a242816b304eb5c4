"""The file of an SQLite database, before SQLite opens it."""

import errno
import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

from smriti_es.events.database import MAKE_WRITABLE
from smriti_es.events.errors import StorageUnavailable

# Two threads that open a new file: neither may connect while the other still holds it open itself.
_CREATING: Final = threading.Lock()


def create_private(path: Path) -> None:
    """Create the file unreadable to others; SQLite gives its side files the same rights.

    A file that exists is never opened here. Closing it again would drop every lock that this
    process holds on it, and with them those of SQLite's own connections: the next process to close
    would take itself for the last one and delete a write-ahead log that is in use
    (https://sqlite.org/howtocorrupt.html, "Posix advisory locks canceled").
    """
    with _CREATING, suppress(FileExistsError):
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            raise
        except OSError as error:
            raise _not_writable(path, error.strerror) from error
    if path.is_dir():
        raise StorageUnavailable(
            f"{path} cannot be written: it is a folder", hint="Name a file in it."
        )
    if not os.access(path, os.R_OK | os.W_OK):
        raise _not_writable(path, os.strerror(errno.EACCES))


def identity_of(path: str) -> tuple[int, int] | None:
    """Tell one file from another that takes its place; None where there is none."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _not_writable(path: Path, reason: str | None) -> StorageUnavailable:
    return StorageUnavailable(
        f"{path} cannot be written: {reason}",
        hint=MAKE_WRITABLE,
    )
