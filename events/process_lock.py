"""One lock over all processes, held for each write: a file lock that stays open.

It is taken for every commit, so it has to cost next to nothing: opening and closing a lock file
each time, as lock libraries do, takes a hundred times as long as the lock itself.
"""

import os
import sys
import time
from pathlib import Path
from typing import Final

_FIRST_PAUSE_S: Final = 0.0002
_LONGEST_PAUSE_S: Final = 0.005


class ProcessLock:
    """An advisory lock on a file of its own; it ends with the process that holds it.

    One thread of a process may hold it at a time; which one is the caller's business.

    Args:
        path: The lock file; made when it is missing, readable to its owner alone.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = -1
        self._held = 0

    def acquire(self, timeout_s: float) -> bool:
        """Take the lock, or take it once more.

        Args:
            timeout_s: How long to wait for whoever has it.

        Returns:
            Whether it was taken in time.

        Raises:
            OSError: The lock file cannot be opened.
        """
        if self._held == 0 and not self._wait(timeout_s):
            return False
        self._held += 1
        return True

    def release(self) -> None:
        """Give back what one `acquire` took."""
        self._held -= 1
        if self._held == 0:
            _unlock(self._descriptor)

    def close(self) -> None:
        """Close the file; the lock can be taken again, which opens it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
            self._held = 0

    def _wait(self, timeout_s: float) -> bool:
        if self._descriptor < 0:
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        pause, deadline = _FIRST_PAUSE_S, time.monotonic() + timeout_s
        while not _try_lock(self._descriptor):
            if time.monotonic() >= deadline:
                return False
            time.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE_S)
        return True


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
