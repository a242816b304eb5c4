"""A session of the OpenAI Agents SDK, run by the SDK's own runner."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine

pytest.importorskip("agents", reason="the extra openai-agents is not installed")

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, function_tool
from agents.memory import Session, SessionSettings
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from smriti_es.adapters.openai_agents import SmritiSession

Open = Callable[..., Engine]
PICTURE = "data:image/png;base64," + "QUJD" * 1_000
ITEMS: list[Any] = [
    {"role": "user", "content": "I live in Pune."},
    {"role": "developer", "content": "Be brief."},
    {"role": "user", "content": [{"type": "input_text", "text": "What is on it?"}]},
    {"role": "user", "content": [{"type": "input_image", "image_url": PICTURE}]},
    {"type": "reasoning", "id": "r1", "summary": [], "encrypted_content": "QUJD" * 1_000},
    {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"at": "Pune"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "a lake"},
    {
        "type": "function_call_output",
        "call_id": "c2",
        "output": [{"type": "input_text", "text": ""}],
    },
    {"role": "assistant", "content": " "},
    {
        "type": "message",
        "id": "m1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "A lake.", "annotations": []}],
    },
]


class Canned(Model):
    """Answers in order, and keeps what it was asked."""

    def __init__(self, *outputs: Any) -> None:
        self.outputs = list(outputs)
        self.asked: list[Any] = []

    async def get_response(self, **given: Any) -> ModelResponse:  # type: ignore[override]
        self.asked.append(list(given["input"]))
        return ModelResponse(output=[self.outputs.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


def says(text: str) -> ResponseOutputMessage:
    part = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(
        id="m1", content=[part], role="assistant", status="completed", type="message"
    )


def test_it_is_a_session_of_the_sdk(engine: Open) -> None:
    assert isinstance(SmritiSession("s1", engine()), Session)


def test_items_come_back_as_they_were_given_and_in_order(engine: Open) -> None:
    async def use() -> list[Any]:
        session = SmritiSession("s1", engine())
        assert await session.get_items() == []
        await session.add_items([])
        await session.add_items(ITEMS[:4])
        await session.add_items(ITEMS[4:])
        return list(await session.get_items())

    assert asyncio.run(use()) == ITEMS


def test_the_newest_items_are_given_in_their_order(engine: Open) -> None:
    async def use() -> None:
        memory = engine()
        await SmritiSession("s1", memory).add_items(ITEMS)
        assert await SmritiSession("s1", memory).get_items(2) == ITEMS[-2:]
        assert await SmritiSession("s1", memory).get_items(0) == []
        limited = SmritiSession("s1", memory, session_settings=SessionSettings(limit=3))
        assert await limited.get_items() == ITEMS[-3:]
        assert await limited.get_items(1) == ITEMS[-1:]
        assert await SmritiSession("s2", memory).get_items() == []

    asyncio.run(use())


def test_more_items_than_a_page_are_all_given(
    engine: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smriti_es.adapters.conversation._PAGE", 2)

    async def use() -> list[Any]:
        session = SmritiSession("s1", engine())
        await session.add_items(ITEMS[:5])
        return list(await session.get_items())

    assert asyncio.run(use()) == ITEMS[:5]


def test_what_is_said_is_found_and_believed(engine: Open) -> None:
    memory = engine(extractor="auto")
    asyncio.run(SmritiSession("s1", memory).add_items(ITEMS))
    assert memory.facts("user", "lives_in")[0].object == "Pune"
    said = [(turn.role, turn.text) for turn in memory.turns(sessions=["s1"])]
    assert said[:2] == [("user", "I live in Pune."), ("system", "Be brief.")]
    assert said[6] == ("tool", "a lake")


def test_what_is_popped_is_given_back_and_no_read_finds_it_any_more(engine: Open) -> None:
    memory = engine(extractor="auto")

    async def use() -> None:
        session = SmritiSession("s1", memory)
        assert await session.pop_item() is None
        await session.add_items([{"role": "user", "content": "I live in Pune."}])
        assert await session.pop_item() == {"role": "user", "content": "I live in Pune."}
        assert await session.get_items() == []
        assert list(memory.facts("user", "lives_in")) == []
        await session.add_items([{"role": "user", "content": "I live in Pune."}])
        assert len(await session.get_items()) == 1

    asyncio.run(use())
    assert memory.facts("user", "lives_in")[0].object == "Pune"


def test_a_session_that_was_cleared_begins_anew(engine: Open) -> None:
    async def use() -> list[Any]:
        session = SmritiSession("s1", engine())
        await session.add_items(ITEMS)
        await session.clear_session()
        assert await session.get_items() == []
        await session.add_items(ITEMS[:1])
        return list(await session.get_items())

    assert asyncio.run(use()) == ITEMS[:1]


def test_what_is_quarantined_is_handed_to_no_model_again(engine: Open) -> None:
    async def use() -> list[Any]:
        memory = engine()
        session = SmritiSession("s1", memory)
        await session.add_items(ITEMS[:2])
        memory.quarantine(turn=memory.turns(sessions=["s1"])[0].position)
        return list(await session.get_items())

    assert asyncio.run(use()) == ITEMS[1:2]


def test_a_credential_is_taken_out_of_what_is_kept_beside_the_text(engine: Open) -> None:
    key = "sk-proj-" + "a1B2" * 12
    memory = engine(redact=True)
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": f'{{"k": "{key}"}}'}
    item: Any = call
    session = SmritiSession("s1", memory)
    asyncio.run(session.add_items([item]))
    assert key not in repr([event.event for event in memory.events()])
    (kept,) = asyncio.run(session.get_items())
    assert dict(kept)["name"] == "f"


def test_a_runner_hands_on_from_one_run_to_the_next_what_was_said(engine: Open) -> None:
    @function_tool
    def look(at: str) -> str:
        return f"a lake in {at}"

    call = ResponseFunctionToolCall(
        arguments='{"at": "Pune"}', call_id="c1", name="look", type="function_call"
    )
    model = Canned(call, says("A lake."), says("Pune."))

    async def use() -> str:
        session = SmritiSession("s1", engine())
        agent = Agent(name="guide", model=model, tools=[look])
        quiet = RunConfig(tracing_disabled=True)
        await Runner.run(agent, "What is in Pune?", session=session, run_config=quiet)
        done = await Runner.run(agent, "And where?", session=session, run_config=quiet)
        return str(done.final_output)

    assert asyncio.run(use()) == "Pune."
    asked = model.asked[-1]
    assert [item.get("type", "message") for item in asked] == [
        "message",
        "function_call",
        "function_call_output",
        "message",
        "message",
    ]
    assert asked[0]["content"] == "What is in Pune?"
    assert asked[2]["output"] == "a lake in Pune"
    assert asked[4]["content"] == "And where?"
