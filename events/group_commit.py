"""Let callers that arrive together share one flush to disk.

Whoever gets the turn commits for everybody that waits, each acknowledged only after the commit. A
request that fails spoils nothing for the others: the group is then written again, each request in a
savepoint of its own. A caller who is alone commits for itself, in its own thread, with no
hand-over. Source: design page on events, "Appending".
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, cast

from sqlalchemy import Connection

from smriti_es.events.database import Database, is_storage_failure, own_error
from smriti_es.events.errors import StorageError, StorageUnavailable

GROUP_MAX: Final = 256
# Between two tries of a write that lost to another one, or its connection, seconds.
_PAUSES_S: Final = (0.0, 0.05, 0.2, 0.8, 3.0)

T = TypeVar("T")


@dataclass(slots=True)
class SharedWrite:
    """What the pieces of work of one transaction need not look up again.

    Attributes:
        heads: By log, what the piece before left behind.
        settling: By log, what is to be written once, when all pieces are done.
    """

    heads: dict[int, Any] = field(default_factory=dict)
    settling: dict[int, Callable[[], None]] = field(default_factory=dict)

    def settle(self) -> None:
        """Write what was put off."""
        for write in self.settling.values():
            write()


# A piece of work: told what it may share, or None when it stands in a savepoint of its own. It may
# be run twice: once together with others and, if one of those fails, once more apart.
Work = Callable[[Connection, SharedWrite | None], T]


@dataclass(slots=True, eq=False)
class _Request:
    work: Work[Any]
    result: Any = None
    error: Exception | None = None
    settled: bool = False


class GroupCommit:
    """Runs pieces of work in shared write transactions of one database.

    Args:
        database: The database.
        log: The one log that the work writes to; None: whatever it likes.
    """

    def __init__(self, database: Database, log: int | None = None) -> None:
        self._database = database
        self._log = log
        self._waiting: list[_Request] = []
        self._door = threading.Lock()
        self._turn = threading.Lock()

    def run(self, work: Work[T]) -> T:
        """Run one piece of work and return its result once it is durable.

        Raises:
            Exception: Whatever `work` raised; then nothing of it was written.
            StorageError: The shared transaction could not be committed; nothing was written.
        """
        return cast(T, _outcome(self._settle([_Request(work)])[0]))

    def run_all(self, works: Sequence[Work[T]]) -> list[T | Exception]:
        """Run several pieces of work in as few flushes as may be; each stands or falls alone.

        Returns:
            One entry per piece: its result, or the exception that it raised.
        """
        requests = self._settle([_Request(work) for work in works])
        return [request.error or request.result for request in requests]

    def _settle(self, requests: list[_Request]) -> list[_Request]:
        with self._door:
            self._waiting.extend(requests)
        try:
            # Groups are taken in order of arrival, so the last one is settled last.
            while requests and not requests[-1].settled:
                with self._turn:
                    self._commit_next_group()
        except BaseException:
            # An interrupted caller takes along what nobody has begun: nobody must write it later.
            with self._door:
                self._waiting = [each for each in self._waiting if each not in requests]
            raise
        return requests

    def _commit_next_group(self) -> None:
        with self._door:
            group, self._waiting = self._waiting[:GROUP_MAX], self._waiting[GROUP_MAX:]
        if group:  # whoever had the turn before may have taken ours along
            self._commit(group)

    def _commit(self, group: list[_Request]) -> None:
        try:
            self._write_patiently(group)
        except BaseException as error:
            # Also an interrupt: those who wait must learn that their work was not written.
            for request in group:
                if request.error is None:
                    request.error = error if isinstance(error, Exception) else _interrupted()
            if not isinstance(error, Exception):
                raise
        finally:
            for request in group:
                request.settled = True

    def _write_patiently(self, group: list[_Request]) -> None:
        """Write a group, once more when nothing was written for no fault of its own."""
        for pause in (*_PAUSES_S, None):
            try:
                if not self._written_together(group):
                    self._write_apart(group)
            except Exception as error:
                if pause is None or not self._database.may_repeat(error):
                    raise
                for request in group:
                    request.error = None
                time.sleep(pause)
            else:
                return

    def _written_together(self, group: list[_Request]) -> bool:
        """Write a group in the hope that nothing fails; if something does, nothing is written."""
        try:
            with self._database.write(self._log) as connection:
                shared = SharedWrite()
                for request in group:
                    request.result = request.work(connection, shared)
                shared.settle()
        except Exception as error:
            if _is_of_the_database(error):
                raise
            return False  # whose work it was is found out one by one
        return True

    def _write_apart(self, group: list[_Request]) -> None:
        """Write a group again, each in its own savepoint: one that fails spoils nothing."""
        with self._database.write(self._log) as connection:
            for request in group:
                self._attempt(request, connection)

    def _attempt(self, request: _Request, connection: Connection) -> None:
        try:
            with connection.begin_nested():
                request.result = request.work(connection, None)
        except Exception as error:
            if _is_of_the_database(error):
                # The database may have rolled everything back: nobody's work is safe.
                raise
            request.error = own_error(error, self._database.location)


def _is_of_the_database(error: Exception) -> bool:
    """Tell whether the database gave way, and not what somebody asked of it."""
    if isinstance(error, StorageError):
        return error.__cause__ is None or is_storage_failure(error.__cause__)
    return is_storage_failure(error)


def _outcome(request: _Request) -> Any:
    if request.error is not None:
        raise request.error
    return request.result


def _interrupted() -> StorageUnavailable:
    return StorageUnavailable("the commit was interrupted", hint="Repeat the call.")
