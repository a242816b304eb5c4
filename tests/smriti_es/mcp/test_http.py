"""The server on a port: the official client gets in, and whoever should not does not."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
import uvicorn
from mcp import Client

from smriti_es.events.errors import NotAllowed
from smriti_es.mcp.running import http_app, serve_http
from smriti_es.serving.access_keys import AccessKeys
from smriti_es.serving.agent_memory import AgentMemory
from smriti_es.serving.listening import Listening

LIMIT_S = 60
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.fixture
def keys(tmp_path: Path) -> AccessKeys:
    return AccessKeys(tmp_path / "access")


@contextmanager
def served(app: Any, port_of: Any) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=2))
    thread = Thread(target=server.run, kwargs={"sockets": [port_of]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{port_of.getsockname()[1]}/mcp"
    finally:
        server.should_exit = True
        thread.join(LIMIT_S)
        port_of.close()


@pytest.fixture
def address(memory: AgentMemory, keys: AccessKeys) -> Iterator[str]:
    """A real server on a port of this machine."""
    listening = Listening()
    listener = listening.bound()
    app = http_app(memory, listening, keys, port=listener.getsockname()[1])
    with served(app, listener) as at:
        yield at


def posted(address: str, **headers: str) -> int:
    with httpx.Client(trust_env=False, timeout=LIMIT_S) as client:
        accepting = {"Accept": "application/json, text/event-stream"}
        return client.post(address, json=HELLO, headers=accepting | headers).status_code


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_is_served(address: str, mode: Any) -> None:
    async def run() -> str:
        async with Client(address, mode=mode, read_timeout_seconds=LIMIT_S) as client:
            await client.call_tool("remember", {"messages": "I live in Pune.", "at": "2026-01-15"})
            found = await client.call_tool("recall", {"query": "Where do I live?"})
            return str(found.content[0].text)  # type: ignore[union-attr]

    assert "  user: I live in Pune." in asyncio.run(run())


def test_who_has_no_key_stays_out_once_there_is_one(address: str, keys: AccessKeys) -> None:
    assert posted(address) == 200
    _, key = keys.add("laptop")
    assert posted(address) == 401
    assert posted(address, Authorization="Bearer smriti_0_wrong") == 401
    assert posted(address, Authorization=f"Basic {key}") == 401
    assert posted(address, Authorization=f"Bearer {key}") == 200
    keys.remove("laptop")
    keys.add("other")
    assert posted(address, Authorization=f"Bearer {key}") == 401


@pytest.mark.parametrize(
    "bound", [{"tenant": "another"}, {"spaces": ["elsewhere"]}, {"role": "auditor"}]
)
def test_a_key_for_something_else_does_not_let_in(
    address: str, keys: AccessKeys, bound: dict[str, Any]
) -> None:
    _, key = keys.add("stranger", **bound)
    assert posted(address, Authorization=f"Bearer {key}") == 403


def test_a_page_that_calls_the_server_by_another_name_is_refused(address: str) -> None:
    assert posted(address, Host="evil.example") == 421
    assert posted(address, Origin="http://evil.example") == 403


def test_too_large_a_request_is_refused(address: str) -> None:
    with httpx.Client(trust_env=False, timeout=LIMIT_S) as client:
        body = b'{"x":"' + b"x" * (5 * 1024 * 1024) + b'"}'
        headers = {"Content-Type": "application/json"}
        assert client.post(address, content=body, headers=headers).status_code == 413


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.7.7", "::", "memory.example"])
def test_it_does_not_listen_beyond_this_machine_without_a_key(
    host: str, memory: AgentMemory, keys: AccessKeys
) -> None:
    def never(_: str) -> None:
        raise AssertionError("it listens")

    with pytest.raises(NotAllowed, match="there is no access key"):
        serve_http(memory, Listening(host), keys, ready=never)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_this_machine_needs_no_key(host: str, keys: AccessKeys) -> None:
    Listening(host).assert_guarded(keys)


def test_tools_answer_over_the_port_as_they_do_in_process(
    address: str, answer: Callable[..., dict[str, Any]]
) -> None:
    answer("add_fact", predicate="lives_in", object="Pune", valid_from="2024")

    async def run() -> Any:
        async with Client(address, read_timeout_seconds=LIMIT_S) as client:
            return (await client.call_tool("history", {})).structured_content

    assert asyncio.run(run()) == answer("history")
