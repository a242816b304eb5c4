"""The server as a client starts it: a process of its own, spoken to over stdin and stdout."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from smriti_es.engine import Engine

LIMIT_S = 120
# A memory whose parts write to stdout in every way there is, while everything logs.
NOISY = """
import logging, os, sys, warnings
from contextlib import contextmanager
logging.basicConfig(level=logging.DEBUG)
import rich
from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine
from smriti_es.mcp.running import serve_stdio
from smriti_es.serving.agent_memory import AgentMemory

def embed(texts):
    print("a model says hello")
    sys.stdout.write("half a line")
    os.write(1, b"a C library says hello\\n")
    rich.print("[bold]a banner[/bold]")
    logging.getLogger("model").debug("a record")
    warnings.warn("a warning")
    return [[1.0, 0.0] for _ in texts]

@contextmanager
def opening():
    print("a library greets when it is imported")
    made = CallableEmbedder(embed, model="noisy", dimension=2, endpoint=None)
    with Engine.open(sys.argv[1], embedder=made, origin="agent") as engine:
        yield AgentMemory(engine, "today")

serve_stdio(opening)
"""


def environment() -> dict[str, str]:
    return {**os.environ, "SMRITI_ES_EMBEDDER": "none", "LC_ALL": "C", "PYTHONUTF8": "0"}


def started(*arguments: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=list(arguments), env=environment(), cwd=Path.cwd()
    )


def test_the_command_line_serves_the_official_client(tmp_path: Path) -> None:
    place = str(tmp_path / "memory.db")

    async def run() -> tuple[list[str], str]:
        server = started("-m", "smriti_es", "serve", "mcp", "--db", place, "--session", "s1")
        async with Client(server, read_timeout_seconds=LIMIT_S) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            await client.call_tool("remember", {"messages": "मैं पुणे में रहता हूँ 🙂"})
            found = await client.call_tool("recall", {"query": "पुणे"})
            return tools, found.content[0].text  # type: ignore[union-attr]

    tools, context = asyncio.run(run())
    assert len(tools) == 8
    assert "मैं पुणे में रहता हूँ 🙂" in context
    with Engine.open(place, embedder=None) as engine:
        (turn,) = engine.turns()
    assert (turn.session, turn.origin) == ("s1", "agent")


def test_a_client_of_the_older_protocol_is_served(tmp_path: Path) -> None:
    async def run() -> int:
        server = started("-m", "smriti_es", "serve", "mcp", "--db", str(tmp_path / "memory.db"))
        async with Client(server, mode="legacy", read_timeout_seconds=LIMIT_S) as client:
            return len((await client.list_tools()).tools)

    assert asyncio.run(run()) == 8


def request(number: int, method: str, **params: Any) -> bytes:
    asked = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(asked, ensure_ascii=False).encode() + b"\n"


def call(number: int, tool: str, **given: Any) -> bytes:
    return request(number, "tools/call", name=tool, arguments=given)


# BC-93
def test_stdout_carries_the_protocol_and_nothing_else(tmp_path: Path) -> None:
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    with subprocess.Popen(
        [sys.executable, "-c", NOISY, str(tmp_path / "memory.db")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment() | {"PYTHONIOENCODING": "latin-1"},
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        told = []
        for line in (
            request(1, "initialize", **hello),
            b"this is no JSON\n",
            call(2, "remember", messages="I live in Pune 🙂."),
            call(3, "recall", query="Where do I live?"),
            call(4, "no such tool"),
            request(5, "tools/list"),
        ):
            server.stdin.write(line)
            server.stdin.flush()
            if line.startswith(b"{"):
                told.append(server.stdout.readline())
        rest, noise = server.communicate(timeout=LIMIT_S)
    answers = [json.loads(line) for line in [*told, *rest.splitlines()]]
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)
    by_id = {answer.get("id"): answer for answer in answers}
    assert "Pune 🙂" in by_id[3]["result"]["content"][0]["text"]
    assert by_id[4]["error"]["code"] == -32602
    assert len(by_id[5]["result"]["tools"]) == 8
    for said in (b"a model says hello", b"a C library says hello", b"a banner", b"greets"):
        assert said in noise


def test_what_keeps_the_memory_from_opening_is_told_on_stderr(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "smriti_es", "serve", "mcp", "--db", str(tmp_path)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=LIMIT_S,
        env=environment(),
    )
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.startswith(b"error: ")
    assert b"Traceback" not in done.stderr
