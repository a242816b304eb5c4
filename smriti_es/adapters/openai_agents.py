"""The memory as a session of the OpenAI Agents SDK: what its runner hands on from run to run.

Every item is a turn of the conversation, so that the memory finds it, dates it and reads it for
facts; what the text does not carry of an item is kept beside it, byte for byte. Source:
https://openai.github.io/openai-agents-python/sessions/.
"""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Final, cast

from agents import SessionABC, TResponseInputItem
from agents.memory import SessionSettings

from smriti_es.adapters.conversation import Conversation
from smriti_es.content_parts import read_content
from smriti_es.engine import Engine

# Roles that a memory gives back as it was given them.
_ROLES: Final = ("user", "assistant", "system")


class SmritiSession(SessionABC):
    """A conversation of the OpenAI Agents SDK, kept in a memory.

    Give it to `Runner.run(..., session=...)`. What is quarantined or erased is handed to no model
    again. What is popped or cleared is quarantined, with all that was derived from it: no read
    gives it any more, the log still has it, and `release` brings it back; `Engine.erase` takes it
    away for good.

    Args:
        session_id: Name of the session, unique within the space that the engine writes to.
        engine: The memory; it is for the caller to close.
        session_settings: Of the SDK; its `limit` is how many of the newest items are given.
    """

    def __init__(
        self, session_id: str, engine: Engine, *, session_settings: SessionSettings | None = None
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self._conversation = Conversation(engine, session_id, "openai_agents_item")

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Give the items of the conversation, oldest first.

        Args:
            limit: How many of the newest; None: as the settings say, else all.
        """
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        return await asyncio.to_thread(self._conversation.items, limit)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Record items, all of them or none.

        Raises:
            InvalidInput: One of them is larger than a turn may be.
        """
        said = [_said(cast(Mapping[str, Any], item)) for item in items]
        await asyncio.to_thread(self._conversation.add, said)

    async def pop_item(self) -> TResponseInputItem | None:
        """Withhold the newest item and give it; None when there is none."""
        return await asyncio.to_thread(self._popped)

    async def clear_session(self) -> None:
        """Withhold every item; what is added later begins the conversation anew."""
        await asyncio.to_thread(self._clear)

    def _popped(self) -> TResponseInputItem | None:
        turn = next(self._conversation.newest_first(), None)
        if turn is None:
            return None
        item = self._conversation.item(turn)
        self._conversation.withhold([turn], "popped from its session")
        return cast(TResponseInputItem, item)

    def _clear(self) -> None:
        turns = list(self._conversation.newest_first())
        self._conversation.withhold(turns, "its session was cleared")


def _said(item: Mapping[str, Any]) -> tuple[dict[str, Any], Mapping[str, Any] | None]:
    """Say as a message what an item says, and give the item where the message is not all of it."""
    message = _message(item)
    plain = {"role": message["role"], "content": message["content"]}
    return message, None if dict(item) == plain and item["role"] in _ROLES else item


def _message(item: Mapping[str, Any]) -> dict[str, Any]:
    kind = str(item.get("type", "message"))
    if "role" in item:
        return {"role": item["role"], "content": _text(item.get("content"), kind)}
    if kind == "function_call":
        call = {"id": item.get("call_id"), "name": item["name"], "arguments": item["arguments"]}
        return {"role": "assistant", "content": None, "kind": kind, "tool_calls": [call]}
    if kind.endswith("_output"):
        text, call_id = _text(item.get("output"), kind), item.get("call_id")
        return {"role": "tool", "content": text, "kind": kind, "tool_call_id": call_id}
    return {"role": "assistant", "content": f"[{kind}]", "kind": kind}


def _text(content: object, kind: str) -> str:
    """Give what is said as text; what says nothing is named by its kind, so that it is kept."""
    if not isinstance(content, (str, list)):
        content = json.dumps(content, ensure_ascii=False)
    text = read_content(content, 0).text
    return text if text.strip() else f"[{kind}]"
