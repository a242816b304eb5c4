"""A server's protocol that gives a request so long to be told, and no longer.

uvicorn waits for ever for the rest of a request's head, and each connection that is held open so
is one less for others.
"""

import asyncio
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol


class BoundedProtocol(H11Protocol):
    """Closes connections on which the head of a request does not arrive in time.

    Attributes:
        head_timeout_s: How long it may take.
    """

    head_timeout_s: ClassVar[float] = 20.0
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Go on waiting until a request is there, and begin anew with the one after it."""
        super().data_received(data)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        super().connection_lost(exc)
        self._stop_waiting()

    def _wait_for_head(self) -> None:
        """Count while no request is under way, and stop when one is."""
        if bool(self.cycle) and not self.cycle.response_complete:
            self._stop_waiting()
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(self.head_timeout_s, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
