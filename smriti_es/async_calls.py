"""Calls that block, made in threads for a host that must not wait; safe to cancel and to close."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import wraps
from itertools import islice
from threading import Lock
from typing import Any, Concatenate, Final, Generic, ParamSpec, Protocol, TypeVar

from smriti_es.events.errors import StorageUnavailable

# How many items of an iterator one call fetches: what is held ahead of whoever iterates, at most.
PAGE: Final = 64

_P = ParamSpec("_P")
_T = TypeVar("_T")
_R = TypeVar("_R")
_T_co = TypeVar("_T_co", covariant=True)


class _Closable(Protocol):
    def close(self) -> None: ...


_C = TypeVar("_C", bound=_Closable)


class Over(Protocol[_T_co]):
    """What makes the calls of something else in threads."""

    @property
    def _over(self) -> _T_co: ...

    @property
    def _calls(self) -> "ThreadCalls": ...


class ThreadCalls:
    """Makes calls in a bounded number of threads of its own.

    Args:
        location: What the calls are made of, for errors.
        threads: How many run at once, at least 1; further calls wait in the order of their coming.
    """

    def __init__(self, location: str, threads: int) -> None:
        self._location = location
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="smriti-es-async")
        self._door = Lock()
        self._closed = False
        self._pages: set[_Pages[Any]] = set()

    async def run(self, call: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Make a call and wait for it; one that was cancelled before it began is never made.

        Raises:
            StorageUnavailable: It was closed before.
        """
        return await asyncio.wrap_future(self._submit(call, *args, **kwargs))

    async def run_opening(
        self, call: Callable[_P, _C], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> _C:
        """Make a call whose result is to be closed; it is closed if nobody waits for it any more.

        Raises:
            StorageUnavailable: It was closed before.
        """
        future = self._submit(call, *args, **kwargs)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            future.add_done_callback(_close_result)
            raise

    async def iterate(self, begin: Callable[[], Iterator[_T]]) -> AsyncGenerator[_T, None]:
        """Iterate over what a call gives, a page at a time.

        Raises:
            StorageUnavailable: It was closed meanwhile, or before.
        """
        pages = _Pages(begin, self._location)
        self._pages.add(pages)
        try:
            while not pages.ended:
                items, error = await self.run(pages.take)
                for item in items:
                    yield item
                if error is not None:
                    raise error
        finally:
            self._pages.discard(pages)
            if not self._closed:
                await self.run(pages.close)

    async def close(self, last: Callable[[], None]) -> None:
        """Take no more calls, let those that were made end, and then make the last one.

        Calling it again waits for the same end. Cancelled, it goes on in its thread.
        """
        await asyncio.to_thread(self._finish, last)

    def dismiss(self) -> None:
        """Let the threads go once their calls have ended, without waiting for that."""
        self._executor.shutdown(wait=False)

    def _submit(self, call: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        with self._door:
            if self._closed:
                raise StorageUnavailable(f"{self._location} is closed", hint="Open it again.")
            # What the caller's context holds, such as the span in which it is, holds in the call.
            context = copy_context()
            return self._executor.submit(lambda: context.run(call, *args, **kwargs))

    def _finish(self, last: Callable[[], None]) -> None:
        with self._door:
            if not self._closed:
                self._closed = True
                # In the threads that fetched the pages: a lock that is held is theirs.
                for pages in list(self._pages):
                    self._executor.submit(pages.close)
        self._executor.shutdown()
        last()


class _Pages(Generic[_T]):
    """An iterator that one thread at a time advances or closes."""

    def __init__(self, begin: Callable[[], Iterator[_T]], location: str) -> None:
        self.ended = False
        self._closed = False
        self._begin = begin
        self._location = location
        self._iterator: Iterator[_T] | None = None
        self._alone = Lock()

    def take(self) -> tuple[list[_T], Exception | None]:
        """Give the next items, and the error that came after them."""
        items: list[_T] = []
        with self._alone:
            if self._closed:
                return items, StorageUnavailable(f"{self._location} is closed")
            try:
                if self._iterator is None:
                    self._iterator = self._begin()
                items.extend(islice(self._iterator, PAGE))
            except Exception as error:  # noqa: BLE001  it is raised where the items are taken
                self.ended = True
                return items, error
            self.ended = len(items) < PAGE
        return items, None

    def close(self) -> None:
        """Give back what the iterator holds."""
        with self._alone:
            self._closed = True
            closing = getattr(self._iterator, "close", None)
            if closing is not None:
                closing()


def awaited(
    verb: Callable[Concatenate[_T, _P], _R],
) -> Callable[Concatenate[Over[_T], _P], Coroutine[Any, Any, _R]]:
    """Give the twin of a verb that is awaited: the same arguments, the same result."""

    @wraps(verb)
    async def call(over: Over[_T], /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        return await over._calls.run(verb, over._over, *args, **kwargs)

    return call


def _close_result(future: Future[Any]) -> None:
    if not future.cancelled() and future.exception() is None:
        future.result().close()
