"""Where a server may listen, whom it lets in, and how it runs and ends."""

import ipaddress
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from smriti_es.events.errors import InvalidInput, NotAllowed, StorageUnavailable
from smriti_es.serving.access_keys import AccessKeys

if TYPE_CHECKING:
    import uvicorn

_PORT_MAX: Final = 65_535
_BACKLOG: Final = 128


@dataclass(frozen=True, slots=True)
class Listening:
    """Where a server listens.

    Attributes:
        host: An address of this machine, or a name of it.
        port: The port; 0 for any that is free.
        hosts: Further names under which it is reached, as the `Host` header has them.
    """

    host: str = "127.0.0.1"
    port: int = 0
    hosts: tuple[str, ...] = ()

    @property
    def local(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def assert_guarded(self, keys: AccessKeys) -> None:
        """Refuse to listen where others can reach it, as long as there is no key.

        Raises:
            InvalidInput: It is no port.
            NotAllowed: Others could reach it, and nobody would be asked for a key.
        """
        if not 0 <= self.port <= _PORT_MAX:
            raise InvalidInput(f"{self.port} is no port", hint="Give one from 0 to 65535.")
        if not self.local and not keys.all():
            raise NotAllowed(
                f"{self.host} can be reached from other machines, and there is no access key",
                hint="Make one with `smriti-es access add NAME`, or listen on 127.0.0.1.",
            )

    def names(self, port: int) -> tuple[str, ...]:
        """Give what the `Host` header of a request may be: a page elsewhere cannot forge it."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        own = {"127.0.0.1", "localhost", "[::1]"} if self.local else {shown}
        return tuple(sorted({f"{each}:{port}" for each in own} | set(self.hosts)))

    def bound(self) -> socket.socket:
        """Bind the socket, so that it is known which port it got.

        Raises:
            StorageUnavailable: The address cannot be had.
        """
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((self.host, self.port))
            listener.listen(_BACKLOG)
        except OSError as error:
            listener.close()
            raise StorageUnavailable(
                f"cannot listen on {self.host}:{self.port}: {error.strerror or error}",
                hint="Give another --port or --host; 0 takes any port that is free.",
            ) from error
        return listener


def serve(
    app: Any, listener: socket.socket, *, ready: Callable[[str], None], log_level: str = "warning"
) -> None:
    """Serve an ASGI application until the process is told to end; requests under way are finished.

    Args:
        app: The application.
        listener: A bound socket.
        ready: Called with the address once it is served.
        log_level: What the server itself tells on stderr.
    """
    import uvicorn

    from smriti_es.serving.bounded_protocol import BoundedProtocol

    config = uvicorn.Config(
        app,
        http=BoundedProtocol,
        log_level=log_level,
        access_log=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=20,
        limit_concurrency=512,
        h11_max_incomplete_event_size=64 * 1024,
        server_header=False,
        proxy_headers=False,
        log_config=None,
    )
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    _Server(config, lambda: ready(f"http://{shown}:{port}")).run(sockets=[listener])


def _Server(config: "uvicorn.Config", ready: Callable[[], None]) -> "uvicorn.Server":  # noqa: N802  a class that is made when uvicorn is there
    import uvicorn

    class Announcing(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets=sockets)
            if self.started:
                ready()

    return Announcing(config)
