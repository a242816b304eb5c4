"""What a request for a completion says: what to ask the memory, and what to record afterwards."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from smriti_es.answering import QUESTION_LENGTH_MAX

# What was said last counts most; this much of it is asked about.
_ASKED_MAX: Final = 2_000
_ASKED_TURNS: Final = 4
_ID_LENGTH: Final = 32
_RECORDED: Final = frozenset({"user", "assistant", "tool", "function"})
_LEADING: Final = frozenset({"system", "developer"})


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages of a request.

    Attributes:
        messages: As they came.
    """

    messages: Sequence[Mapping[str, Any]]

    @classmethod
    def of(cls, body: Any) -> "Conversation | None":
        """Read a request; None: it has no messages that could be understood."""
        messages = body.get("messages") if isinstance(body, dict) else None
        if not isinstance(messages, list) or not messages:
            return None
        return cls(messages) if all(isinstance(each, dict) for each in messages) else None

    @property
    def question(self) -> str:
        """The end of the conversation, newest last, to recall evidence for; "" for nothing."""
        said: list[str] = []
        length = 0
        spoken = [each for each in self.messages if each.get("role") in ("user", "assistant")]
        for message in reversed(spoken[-_ASKED_TURNS:]):
            text = text_of(message.get("content"))
            if not text.strip():
                continue
            if said and length + len(text) > _ASKED_MAX:
                break
            said.insert(0, text[-QUESTION_LENGTH_MAX:])
            length += len(text)
        return "\n".join(said)[-QUESTION_LENGTH_MAX:]

    def with_context(self, text: str) -> list[Mapping[str, Any]]:
        """Give the messages with a context behind those that the application leads them with."""
        leading = 0
        while leading < len(self.messages) and self.messages[leading].get("role") in _LEADING:
            leading += 1
        # Between tags, which are taken out together with it should it ever come back.
        block = {"role": "system", "content": f"<memory>\n{text}\n</memory>"}
        return [*self.messages[:leading], block, *self.messages[leading:]]

    def recorded(self, reply: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Give the turns to record: all of the conversation with its reply, each with its id.

        The id of a turn is a hash of it and of all before it, so that a conversation that is sent
        again, and grown, records only what is new, and one that took another turn branches off.
        """
        turns, before = [], ""
        for message in [*self.messages, reply]:
            if message.get("role") not in _RECORDED:
                continue
            kept = {name: message[name] for name in _KEPT if message.get(name) is not None}
            said = json.dumps([before, kept], sort_keys=True, ensure_ascii=True, default=str)
            before = hashlib.sha256(said.encode()).hexdigest()[:_ID_LENGTH]
            turns.append({**kept, "id": f"proxy:{before}"})
        return turns

    @property
    def root(self) -> str:
        """Names the conversation by how it began."""
        first = next((each for each in self.messages if each.get("role") == "user"), {})
        said = json.dumps(first.get("content"), ensure_ascii=True, default=str)
        return hashlib.sha256(said.encode()).hexdigest()[:_ID_LENGTH]


_KEPT: Final = ("role", "content", "name", "tool_calls", "tool_call_id")


def text_of(content: Any) -> str:
    """Give the text of a message's content, whichever form it has."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [each.get("text") for each in content if isinstance(each, dict)]
    return "\n".join(part for part in parts if isinstance(part, str))
