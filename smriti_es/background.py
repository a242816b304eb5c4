"""A thread that does a piece of work whenever it is told that there is some."""

import threading
from collections.abc import Callable
from typing import Final

from smriti_es.events.errors import SmritiError

# How long it waits before it tries again what failed, seconds.
_RETRY_S: Final = 30.0


class Background:
    """Runs `work` in a thread, once for any number of wake-ups that came meanwhile.

    Args:
        name: Name of the thread.
        work: What to do; an error of ours is kept in `error` and tried again later.
    """

    def __init__(self, name: str, work: Callable[[], object]) -> None:
        self._work = work
        self._wanted = threading.Event()
        self._stopping = threading.Event()
        self.error: str | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def stopping(self) -> bool:
        """Whether the thread was told to end."""
        return self._stopping.is_set()

    def wake(self) -> None:
        """Say that there is work."""
        self._wanted.set()

    def stop(self) -> None:
        """End the thread after what it is doing."""
        self._stopping.set()
        self._wanted.set()
        self._thread.join()

    def _run(self) -> None:
        while True:
            self._wanted.wait()
            self._wanted.clear()
            if self._stopping.is_set():
                return
            try:
                self._work()
                self.error = None
            except SmritiError as error:
                self.error = str(error)
                if not self._stopping.is_set():
                    self._wanted.wait(_RETRY_S)
                self._wanted.set()
