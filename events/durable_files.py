"""Files beside the database that a power failure must not take back.

What a file holds and the name under which it lies are two things to a disk, and each is flushed by
itself: the name with the folder. Whoever has been told that a file is there, or gone, can rely on
it only after both. Source: https://man7.org/linux/man-pages/man2/fsync.2.html, "Notes".
"""

import errno
import os
import sys
from pathlib import Path
from typing import Final

# What folders that cannot be flushed say: those of some file systems, and ones we may not read.
_CANNOT: Final = {errno.EINVAL, errno.ENOTSUP, errno.EACCES}
_NO_LINKS: Final = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


def write_new(path: Path, content: bytes) -> None:
    """Write a file that nobody else can read, and flush what it holds; its name is not yet safe.

    Raises:
        FileExistsError: There is one.
        OSError: It cannot be written.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync_file(path: Path) -> None:
    """Flush what a file holds, whoever wrote it."""
    # For writing: some systems flush nothing that was opened to read.
    _sync(os.open(path, os.O_RDWR))


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder; where that is impossible, it is left out."""
    if sys.platform == "win32":
        return  # it offers no such thing, and keeps its names in a journal
    try:
        _sync(os.open(folder, os.O_RDONLY))
    except OSError as error:
        if error.errno not in _CANNOT:
            raise


def put_in_place(written: Path, path: Path) -> None:
    """Give a file that is flushed its place, durably; what lay there is gone."""
    os.replace(written, path)
    sync_folder(path.parent)


def put_in_free_place(written: Path, path: Path) -> None:
    """Give a file that is flushed its place, durably, if nothing lies there.

    Raises:
        FileExistsError: Something does.
    """
    try:
        os.link(written, path)  # which, unlike a renaming, replaces nothing
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from error
        os.replace(written, path)
    else:
        os.unlink(written)
    sync_folder(path.parent)


def delete(*paths: Path) -> None:
    """Delete files of one folder durably; those that are not there are not missed."""
    there = [path for path in paths if os.path.lexists(path)]
    for path in there:
        path.unlink(missing_ok=True)
    if there:
        sync_folder(there[0].parent)


def _sync(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
