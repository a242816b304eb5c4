"""The verbs that serve a memory: to programs, and as a page to people."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Final

import typer

from smriti_es.cli.access_verbs import keys_of
from smriti_es.cli.invocation import Invocation, verb
from smriti_es.cli.serve_options import AgentOptions, ListeningOptions, Port, UpstreamOptions
from smriti_es.events.errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    from smriti_es.captured import Origin
    from smriti_es.serving.agent_memory import AgentMemory

_TRANSPORTS: Final = ("stdio", "http")
Transport = Annotated[
    str, typer.Option("--transport", metavar="NAME", help="stdio, or http: streamable HTTP.")
]


def add_verbs(app: typer.Typer) -> None:
    """Add the verbs to the group `serve`."""
    verb(app, "mcp", "serve mcp --db memory.db", "serve mcp --transport http --port 8765")(mcp)
    verb(app, "rest", "serve rest --db memory.db", "serve rest --port 9000")(rest)
    verb(app, "proxy", "serve proxy --upstream http://localhost:11434/v1")(proxy)
    verb(app, "ui", "serve ui --db memory.db", "serve ui --port 9001")(ui)


def mcp(
    call: Invocation,
    where: ListeningOptions,
    bound: AgentOptions,
    transport: Transport = "stdio",
    port: Port = 8765,
) -> None:
    """Serve the memory to an agent as MCP tools; no verb of an owner is among them."""
    assert_installed("mcp", "mcp")
    if transport not in _TRANSPORTS:
        raise InvalidInput(
            f"there is no transport {transport!r}", hint=f"There are: {', '.join(_TRANSPORTS)}."
        )
    from smriti_es.mcp.running import serve_http, serve_stdio

    opening = partial(agent_memory, call, "mcp", bound)
    if transport == "stdio":
        serve_stdio(opening)
        return
    listening, keys = where.at(port), keys_of(call, where.keys)
    listening.assert_guarded(keys)
    with opening() as memory:
        told = "serving MCP at"
        serve_http(memory, listening, keys, ready=lambda at: call.screen.note(f"{told} {at}"))


def rest(call: Invocation, where: ListeningOptions, port: Port = 8766) -> None:
    """Serve the memory over REST; access keys say who comes in, and to what."""
    for module in ("fastapi", "prometheus_client", "uvicorn"):
        assert_installed(module, "server")
    from smriti_es.rest.access import Door
    from smriti_es.rest.application import rest_app
    from smriti_es.rest.engines import Engines, Opening
    from smriti_es.rest.limits import Limits
    from smriti_es.serving.listening import serve

    listening, keys, chosen = where.at(port), keys_of(call, where.keys), call.chosen
    listening.assert_guarded(keys)
    own = Opening(chosen.tenant, chosen.spaces)
    with call.opening_several() as open_engine:
        engines = Engines(open_engine)
        with engines.using(own):
            pass  # what keeps it from opening is told now
        listener = listening.bound()
        names = listening.names(listener.getsockname()[1])
        app = rest_app(Door(keys, engines, own, listening.local), limits=Limits(names=names))
        told = "serving REST at"
        serve(app, listener, ready=lambda at: call.screen.note(f"{told} {at}"))


def proxy(
    call: Invocation,
    where: ListeningOptions,
    service: UpstreamOptions,
    port: Port = 8767,
) -> None:
    """Stand before an OpenAI-compatible service: recall into requests, record what was said."""
    for module in ("fastapi", "uvicorn"):
        assert_installed(module, "server")
    from smriti_es.proxy.application import proxy_app
    from smriti_es.rest.limits import LimitedApp, Limits
    from smriti_es.serving.guarded_app import GuardedApp, admitting
    from smriti_es.serving.listening import serve

    upstream = service.upstream(call.chosen.guards)
    listening, keys = where.at(port), keys_of(call, where.keys)
    listening.assert_guarded(keys)
    origin: Origin = "owner" if service.trust_user else "agent"
    with agent_memory(call, "proxy", service.bound, origin) as memory:
        listener = listening.bound()
        names = listening.names(listener.getsockname()[1])
        inner = GuardedApp(proxy_app(memory, upstream), keys, admitting(memory), listening.local)
        told = f"standing before {upstream.address} at"
        app = LimitedApp(inner, Limits(names=names))
        serve(app, listener, ready=lambda at: call.screen.note(f"{told} {at}/v1"))


def ui(call: Invocation, where: ListeningOptions, port: Port = 8768) -> None:
    """Serve a page on which to look at the memory, and to decide what waits for a decision."""
    for module in ("fastapi", "jinja2", "uvicorn"):
        assert_installed(module, "ui")
    import os

    from smriti_es.rest.access import Door
    from smriti_es.rest.engines import Engines, Opening
    from smriti_es.rest.limits import Limits
    from smriti_es.serving.listening import serve
    from smriti_es.ui.application import ui_app
    from smriti_es.ui.visiting import Visitors

    listening, keys, chosen = where.at(port), keys_of(call, where.keys), call.chosen
    listening.assert_guarded(keys)
    call.reading(embedder=False).close()  # a page to look at a memory makes none
    own = Opening(chosen.tenant, chosen.spaces, actor="ui")
    with call.opening_several() as open_engine:
        engines = Engines(open_engine)
        with engines.using(own):
            pass  # what keeps it from opening is told now
        listener = listening.bound()
        names = listening.names(listener.getsockname()[1])
        visitors = Visitors(Door(keys, engines, own, listening.local), os.urandom)
        app = ui_app(visitors, limits=Limits(names=names))
        told = "the memory can be looked at:"
        serve(app, listener, ready=lambda at: call.screen.note(f"{told} {at}"))


@contextmanager
def agent_memory(
    call: Invocation, surface: str, bound: AgentOptions, origin: "Origin" = "agent"
) -> "Iterator[AgentMemory]":
    """Open the memory that is chosen as an agent may use it."""
    import secrets
    from datetime import UTC, datetime

    from smriti_es.serving.agent_memory import AgentMemory

    today = datetime.now(UTC).date().isoformat()
    named = bound.session or f"{surface}-{today}-{secrets.token_hex(3)}"
    with call.serving(origin=origin, actor=surface) as engine:
        yield AgentMemory(engine, named, bound.scopes)


def assert_installed(module: str, extra: str) -> None:
    """Refuse to serve what an extra is needed for.

    Raises:
        MissingExtra: It is not installed.
    """
    if find_spec(module) is None:
        raise MissingExtra(
            f"{module} is not installed",
            hint=f"Install it with: pip install 'smriti-es[{extra}]'",
            extra=extra,
        )
