"""The message history of Pydantic AI, handed to its own agent."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine

pytest.importorskip("pydantic_ai", reason="the extra pydantic-ai is not installed")

from pydantic_ai import Agent, BinaryImage
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from smriti_es.adapters.pydantic_ai import SmritiHistory

Open = Callable[..., Engine]
PICTURE = BinaryImage(b"ABC" * 1_000, media_type="image/png")
MESSAGES: list[ModelMessage] = [
    ModelRequest([SystemPromptPart("Be brief.")]),
    ModelRequest([UserPromptPart("I live in Pune.")]),
    ModelRequest([UserPromptPart(["What is on it?", PICTURE])]),
    ModelResponse([ThinkingPart("A lake, perhaps.")]),
    ModelResponse([ToolCallPart("look", {"at": "Pune"}, tool_call_id="c1")]),
    ModelRequest([ToolReturnPart("look", {"seen": "a lake"}, tool_call_id="c1")]),
    ModelResponse([TextPart("A lake.")]),
]


def test_messages_come_back_as_they_were_given_and_in_order(engine: Open) -> None:
    async def use() -> None:
        memory = engine()
        history = SmritiHistory("s1", memory)
        assert await history.messages() == []
        await history.add([])
        await history.add(MESSAGES[:3])
        await history.add(MESSAGES[3:])
        assert await SmritiHistory("s1", memory).messages() == MESSAGES
        assert await SmritiHistory("s2", memory).messages() == []

    asyncio.run(use())


def test_what_is_said_is_found_and_believed(engine: Open) -> None:
    memory = engine(extractor="auto")
    asyncio.run(SmritiHistory("s1", memory).add(MESSAGES))
    assert memory.facts("user", "lives_in")[0].object == "Pune"
    said = [(turn.origin, turn.text) for turn in memory.turns(sessions=["s1"])]
    assert said[1] == ("owner", "I live in Pune.")
    assert said[2] == ("owner", "What is on it?\n[binary]")
    assert said[3] == ("agent", "[response]")
    assert said[5] == ("tool", '{"seen":"a lake"}')
    assert said[6] == ("agent", "A lake.")


def test_a_history_that_was_cleared_begins_anew(engine: Open) -> None:
    async def use() -> None:
        history = SmritiHistory("s1", engine())
        await history.add(MESSAGES)
        await history.clear()
        assert await history.messages() == []
        await history.add(MESSAGES[:1])
        assert await history.messages() == MESSAGES[:1]

    asyncio.run(use())


def test_an_agent_is_handed_what_was_said_in_the_run_before(engine: Open) -> None:
    asked: list[Any] = []

    def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        asked.append(list(messages))
        return ModelResponse([TextPart(f"answer {len(asked)}")])

    async def use() -> None:
        history = SmritiHistory("s1", engine())
        agent = Agent(FunctionModel(answer))
        for question in ("one?", "two?"):
            done = await agent.run(question, message_history=await history.messages())
            await history.add(done.new_messages())
        assert len(await history.messages()) == 4

    asyncio.run(use())
    parts = [part.content for message in asked[1] for part in message.parts]
    assert parts == ["one?", "answer 1", "two?"]
