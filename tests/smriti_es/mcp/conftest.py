"""A memory as an agent has it, and the official client of the protocol to call its tools with."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult

from smriti_es.engine import Engine
from smriti_es.mcp.server import memory_server
from smriti_es.serving.agent_memory import AgentMemory


@pytest.fixture
def owner(engine: Callable[..., Engine]) -> Engine:
    """The owner of the memory that the agent uses."""
    return engine()


@pytest.fixture
def memory(owner: Engine, engine: Callable[..., Engine]) -> AgentMemory:
    """The memory of the owner, opened for an agent."""
    return AgentMemory(engine(origin="agent", actor="mcp"), "today")


@pytest.fixture
def called(memory: AgentMemory) -> Callable[..., CallToolResult]:
    """Call a tool over the protocol, in this process."""

    def call(tool: str, /, **given: Any) -> CallToolResult:
        async def run() -> CallToolResult | MCPError:
            async with Client(memory_server(memory)) as client:
                try:
                    return await client.call_tool(tool, given)
                except MCPError as error:
                    return error  # raised outside of the task group, which would wrap it

        result = asyncio.run(run())
        if isinstance(result, MCPError):
            raise result
        return result

    return call


@pytest.fixture
def answer(called: Callable[..., CallToolResult]) -> Callable[..., dict[str, Any]]:
    """Call a tool that answers, and give what it answered."""

    def call(tool: str, /, **given: Any) -> dict[str, Any]:
        result = called(tool, **given)
        assert not result.is_error, result.content
        assert result.structured_content is not None
        return dict(result.structured_content)

    return call


@pytest.fixture
def refusal(called: Callable[..., CallToolResult]) -> Callable[..., str]:
    """Call a tool that refuses, and give the line that says why."""

    def call(tool: str, /, **given: Any) -> str:
        result = called(tool, **given)
        assert result.is_error, result.structured_content
        (line,) = result.content
        return str(line.text)  # type: ignore[union-attr]

    return call
