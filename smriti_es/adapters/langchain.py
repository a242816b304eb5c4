"""The memory as a chat history of LangChain: the messages that a chain is handed.

Source: https://reference.langchain.com/python/langchain-core/chat_history/.
"""

from collections.abc import Sequence
from typing import Any, Final

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage, messages_from_dict
from langchain_core.messages.base import message_to_dict

from smriti_es.adapters.conversation import Conversation
from smriti_es.content_parts import read_content
from smriti_es.engine import Engine

_ROLES: Final = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}


class SmritiChatMessageHistory(BaseChatMessageHistory):
    """A conversation of LangChain, kept in a memory.

    Every message is a turn, and comes back as it was given. What is cleared is quarantined, with
    all that was derived from it; what is quarantined or erased is handed to no model again.

    Args:
        session_id: Name of the session, unique within the space that the engine writes to.
        engine: The memory; it is for the caller to close.
    """

    def __init__(self, session_id: str, engine: Engine) -> None:
        self._conversation = Conversation(engine, session_id, "langchain_message")

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # there a plain attribute
        """The messages of the conversation, oldest first."""
        return messages_from_dict(self._conversation.items())

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Record messages, all of them or none.

        Raises:
            InvalidInput: One of them is larger than a turn may be, or JSON cannot carry it.
        """
        self._conversation.add([(_said(each), message_to_dict(each)) for each in messages])

    def clear(self) -> None:
        """Withhold every message; what is added later begins the conversation anew."""
        turns = list(self._conversation.newest_first())
        self._conversation.withhold(turns, "its history was cleared")


def _said(message: BaseMessage) -> dict[str, Any]:
    """Say as a message of ours what one of LangChain's says; what says nothing is named."""
    said: dict[str, Any] = {"role": _ROLES.get(message.type, "assistant")}
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    if calls:
        said["tool_calls"] = [
            {"id": each["id"], "name": each["name"], "arguments": each["args"]} for each in calls
        ]
    if isinstance(message, ToolMessage):
        said["tool_call_id"] = message.tool_call_id
    text = read_content(message.content, 0).text
    if text.strip() or calls:
        return said | {"content": text}
    return said | {"content": f"[{message.type}]"}
