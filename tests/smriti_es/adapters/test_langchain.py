"""The chat history of LangChain, used by LangChain's own runnable."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine

pytest.importorskip("langchain_core", reason="the extra langchain is not installed")

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory

from smriti_es.adapters.langchain import SmritiChatMessageHistory

Open = Callable[..., Engine]
PICTURE = "data:image/png;base64," + "QUJD" * 1_000
MESSAGES: list[BaseMessage] = [
    SystemMessage("Be brief."),
    HumanMessage("I live in Pune.", id="h1", additional_kwargs={"mood": "calm"}),
    HumanMessage([{"type": "image_url", "image_url": {"url": PICTURE}}]),
    AIMessage("", tool_calls=[{"id": "c1", "name": "look", "args": {"at": "Pune"}}]),
    ToolMessage("a lake", tool_call_id="c1", name="look"),
    AIMessage(" "),
    AIMessage("A lake.", usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}),
]


def test_messages_come_back_as_they_were_given_and_in_order(engine: Open) -> None:
    memory = engine()
    history = SmritiChatMessageHistory("s1", memory)
    assert history.messages == []
    history.add_messages([])
    history.add_messages(MESSAGES)
    history.add_message(HumanMessage("Thanks."))
    again = SmritiChatMessageHistory("s1", memory).messages
    assert again == [*MESSAGES, HumanMessage("Thanks.")]
    assert SmritiChatMessageHistory("s2", memory).messages == []


def test_what_is_said_is_found_and_believed(engine: Open) -> None:
    memory = engine(extractor="auto")
    SmritiChatMessageHistory("s1", memory).add_messages(MESSAGES)
    assert memory.facts("user", "lives_in")[0].object == "Pune"
    said = [(turn.role, turn.text, turn.origin) for turn in memory.turns(sessions=["s1"])]
    assert said[1] == ("user", "I live in Pune.", "owner")
    assert said[4] == ("tool", "a lake", "tool")
    assert said[5] == ("assistant", "[ai]", "agent")


def test_a_history_that_was_cleared_begins_anew(engine: Open) -> None:
    memory = engine(extractor="auto")
    history = SmritiChatMessageHistory("s1", memory)
    history.add_messages(MESSAGES)
    history.clear()
    assert history.messages == []
    assert list(memory.facts("user", "lives_in")) == []
    history.add_messages(MESSAGES[:1])
    assert history.messages == MESSAGES[:1]


# What LangChain advises instead is the checkpointer of LangGraph; the histories themselves stay.
@pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory is deprecated")
def test_a_runnable_hands_on_from_one_call_to_the_next_what_was_said(engine: Open) -> None:
    memory, asked = engine(), list[Any]()

    def answer(messages: list[BaseMessage]) -> AIMessage:
        asked.append([(each.type, each.content) for each in messages])
        return AIMessage(f"answer {len(asked)}")

    chain = RunnableWithMessageHistory(
        RunnableLambda(answer), lambda session_id: SmritiChatMessageHistory(session_id, memory)
    )
    for question in ("one?", "two?"):
        asking = {"configurable": {"session_id": "s1"}}
        chain.invoke([HumanMessage(question)], config=asking)  # type: ignore[arg-type]
    assert asked[1] == [("human", "one?"), ("ai", "answer 1"), ("human", "two?")]
