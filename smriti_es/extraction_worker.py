"""When facts are looked for: as turns are added, in a thread, or by hand."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from smriti_es.background import Background
from smriti_es.events.errors import StorageError
from smriti_es.events.records import RecordedEvent
from smriti_es.extracting import Extracted, Extracting


class ExtractionWorker:
    """Keeps the facts of one log in step with its turns.

    Args:
        extracting: What runs the extractor.
        background: Whether to extract unasked: a slow extractor in a thread of its own, a fast one
            at once from what was recorded while no engine was open.
    """

    def __init__(self, extracting: Extracting, *, background: bool) -> None:
        self.extracting = extracting
        extracting.pointer.begin()
        self._adding = 0
        self._door = threading.Lock()
        self._thread: Background | None = None
        if background and not extracting.extractor.immediate:
            self._thread = Background("smriti-es-facts", self._follow)
            self._thread.wake()
        elif background:
            extracting.run()

    @contextmanager
    def adding(self) -> Iterator[None]:
        """Keep count of the threads that have turns in hand, from the append to `after_add`."""
        with self._door:
            self._adding += 1
        try:
            yield
        finally:
            with self._door:
                self._adding -= 1

    def after_add(self, recorded: Sequence[RecordedEvent]) -> Extracted:
        """Extract at once if that is fast; else see to it that it is done."""
        if self.extracting.extractor.immediate:
            return self.extracting.follow(recorded, alone=self._adding == 1)
        if self._thread is not None:
            self._thread.wake()
        return Extracted()

    def wait(self, last: int) -> None:
        """Return once every turn up to a position was shown to an extractor, here or elsewhere."""
        pointer = self.extracting.pointer
        while pointer.done <= last:
            self.extracting.run()
            # Where another process has the claim, it is its word that counts.
            with pointer.log.database.read() as connection:
                pointer.look(connection)

    @property
    def error(self) -> str | None:
        """What the background thread last failed on, or None."""
        return None if self._thread is None else self._thread.error

    def stop(self) -> None:
        """End the thread, and record how far extraction has come."""
        if self._thread is not None:
            self._thread.stop()
        # Where it cannot be written down, turns are read again, which records nothing twice.
        with suppress(StorageError):
            self.extracting.pointer.persist()

    def _follow(self) -> None:
        thread = self._thread
        self.extracting.run(stopping=lambda: thread is not None and thread.stopping)
