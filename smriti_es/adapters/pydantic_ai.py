"""The memory as the message history of Pydantic AI: what an agent is handed from run to run.

Source: https://ai.pydantic.dev/message-history/.
"""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from smriti_es.adapters.conversation import Conversation
from smriti_es.engine import Engine


class SmritiHistory:
    """A conversation of Pydantic AI, kept in a memory.

    Hand `await history.messages()` to `agent.run(..., message_history=...)`, and `result` to
    `add` afterwards. Every message is a turn, and comes back as it was given. What is cleared is
    quarantined, with all that was derived from it; what is quarantined or erased is handed to no
    model again.

    Args:
        session: Name of the session, unique within the space that the engine writes to.
        engine: The memory; it is for the caller to close.
    """

    def __init__(self, session: str, engine: Engine) -> None:
        self._conversation = Conversation(engine, session, "pydantic_ai_message")

    async def messages(self) -> list[ModelMessage]:
        """Give the messages of the conversation, oldest first."""
        items = await asyncio.to_thread(self._conversation.items)
        return ModelMessagesTypeAdapter.validate_json(json.dumps(items))

    async def add(self, messages: Sequence[ModelMessage]) -> None:
        """Record messages, such as `result.new_messages()`: all of them or none.

        Raises:
            InvalidInput: One of them is larger than a turn may be.
        """
        kept = json.loads(ModelMessagesTypeAdapter.dump_json(list(messages)))
        said = [(_said(each), item) for each, item in zip(messages, kept, strict=True)]
        await asyncio.to_thread(self._conversation.add, said)

    async def clear(self) -> None:
        """Withhold every message; what is added later begins the conversation anew."""
        await asyncio.to_thread(self._clear)

    def _clear(self) -> None:
        turns = list(self._conversation.newest_first())
        self._conversation.withhold(turns, "its history was cleared")


def _said(message: ModelMessage) -> dict[str, Any]:
    """Say as a message of ours what one of Pydantic AI's says; what says nothing is named."""
    if isinstance(message, ModelResponse):
        text = "\n".join(part.content for part in message.parts if isinstance(part, TextPart))
        calls = [
            {"id": part.tool_call_id, "name": part.tool_name, "arguments": part.args_as_dict()}
            for part in message.parts
            if isinstance(part, ToolCallPart)
        ]
        said = {"role": "assistant", "content": text}
        if calls:
            return said | {"tool_calls": calls}
        return said if text.strip() else said | {"content": "[response]"}
    asked = [_text(part.content) for part in message.parts if isinstance(part, UserPromptPart)]
    given = [
        part.model_response_str() for part in message.parts if isinstance(part, ToolReturnPart)
    ]
    # What a tool gave beside a prompt is not the person's word: a prompt alone is.
    role = "tool" if given else "user" if asked else "system"
    text = "\n".join([*given, *asked])
    return {"role": role, "content": text if text.strip() else "[request]"}


def _text(content: Any) -> str:
    """Give what a person said of a prompt; pictures and files are named."""
    if isinstance(content, str):
        return content
    return "\n".join(
        each if isinstance(each, str) else f"[{getattr(each, 'kind', 'part')}]" for each in content
    )
