"""The two ways in: stdin and stdout of this process, or HTTP on a port."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Final

import anyio
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from smriti_es.mcp.server import memory_server
from smriti_es.serving.access_keys import AccessKeys
from smriti_es.serving.agent_memory import AgentMemory
from smriti_es.serving.guarded_app import GuardedApp, admitting
from smriti_es.serving.listening import Listening, serve

PATH: Final = "/mcp"
BODY_BYTES_MAX: Final = 4 * 1024 * 1024


def serve_stdio(opening: Callable[[], AbstractContextManager[AgentMemory]]) -> None:
    """Serve one client on stdin and stdout until it closes them.

    The memory is opened only when stdout carries the protocol and nothing else: whatever a library
    prints meanwhile goes to stderr.

    Args:
        opening: Opens the memory.
    """
    anyio.run(_serve_stdio, opening)


async def _serve_stdio(opening: Callable[[], AbstractContextManager[AgentMemory]]) -> None:
    failed: list[Exception] = []
    async with stdio_server() as (incoming, outgoing):
        try:
            with opening() as memory:
                server = memory_server(memory)
                await server.run(incoming, outgoing, server.create_initialization_options())
        except Exception as error:  # noqa: BLE001  told once stdout is given back
            failed.append(error)
            outgoing.close()
            incoming.close()
    if failed:
        raise failed[0]


def serve_http(
    memory: AgentMemory, listening: Listening, keys: AccessKeys, *, ready: Callable[[str], None]
) -> None:
    """Serve clients over streamable HTTP until the process is told to end.

    Args:
        memory: The memory.
        listening: Where.
        keys: Whom to let in, once there is any key; beyond this machine there must be one.
        ready: Called with the address of the endpoint.

    Raises:
        NotAllowed: Others could reach it, and there is no key.
        StorageUnavailable: The address cannot be had.
    """
    listening.assert_guarded(keys)
    listener = listening.bound()
    app = http_app(memory, listening, keys, port=listener.getsockname()[1])
    serve(app, listener, ready=lambda address: ready(f"{address}{PATH}"))


def http_app(
    memory: AgentMemory, listening: Listening, keys: AccessKeys, *, port: int
) -> GuardedApp:
    """Make the ASGI application of a memory."""
    names = listening.names(port)
    origins = [f"{scheme}://{name}" for name in names for scheme in ("http", "https")]
    server: Server[Any] = memory_server(memory)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        host=listening.host,
        max_request_body_size=BODY_BYTES_MAX,
        transport_security=TransportSecuritySettings(
            allowed_hosts=list(names), allowed_origins=origins
        ),
    )
    return GuardedApp(app, keys, admitting(memory), listening.local)
