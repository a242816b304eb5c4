"""The forms in which agents hold their messages, brought to one: a `Turn` and what is left."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeAlias

from smriti_es.captured import JsonValue, Limits, ToolCall, Turn
from smriti_es.checked_values import Place
from smriti_es.content_parts import (
    ReadContent,
    placeholder,
    read_content,
    read_tool_calls,
    render_tool_calls,
)
from smriti_es.events.errors import InvalidInput
from smriti_es.inline_data import plain_json

Message: TypeAlias = str | Mapping[str, Any] | Turn
Messages: TypeAlias = Message | Sequence[Message]

_TURN_KEYS = frozenset(field.name for field in fields(Turn))
_HINT = (
    'Give text, a mapping such as {"role": "user", "content": "..."}, a Turn, or a list of these; '
    "turn a client library's object into a mapping first (model_dump)."
)


def listed(messages: object, limits: Limits) -> Sequence[object]:
    """Return the messages of a call as a list.

    Args:
        messages: A list or tuple; or one text, mapping or `Turn`.
        limits: How many there may be.

    Returns:
        The messages, not looked into.

    Raises:
        InvalidInput: It is something else, or there are too many.
    """
    if isinstance(messages, (str, Mapping, Turn)):
        return [messages]
    if not isinstance(messages, (list, tuple)):
        raise InvalidInput(
            f"messages must be a list, not {type(messages).__name__}",
            hint=_HINT,
            field="messages",
        )
    if len(messages) > limits.messages_max:
        raise InvalidInput(
            f"{len(messages)} messages in one call, at most {limits.messages_max} are allowed",
            hint="Send them in several calls with the same session.",
            field="messages",
            limit=limits.messages_max,
        )
    return messages


def as_turn(message: object, index: int) -> tuple[Turn, dict[str, JsonValue]]:
    """Split a message into what a turn has a place for, and the rest.

    Args:
        message: A mapping, a `Turn`, or a text, which is a turn of the user.
        index: 0-based place of the message, for errors.

    Returns:
        The turn, its values not yet checked, and the other keys that hold something, as JSON.

    Raises:
        InvalidInput: It is none of them, or another key holds what JSON cannot carry.
    """
    if isinstance(message, (Turn, str)):
        return message if isinstance(message, Turn) else Turn("user", message), {}
    if not isinstance(message, Mapping):
        raise InvalidInput(
            f"message {index} is of type {type(message).__name__}",
            hint=_HINT,
            field="messages",
            index=index,
        )
    # Gemini calls the content parts.
    content_key = "content" if "content" in message or "parts" not in message else "parts"
    given: dict[str, Any] = {"role": None, "content": None}
    rest = {}
    for key, value in message.items():
        if key == content_key:
            given["content"] = value
        elif key in _TURN_KEYS:
            given[key] = value
        elif value is not None:
            rest[key] = value
    turn = Turn(**given)
    if not rest:
        return turn, {}
    extra = plain_json(rest, Place("another key", index))
    assert isinstance(extra, dict)
    return turn, extra


def read_message(
    turn: Turn, extra: dict[str, JsonValue], index: int
) -> tuple[ReadContent, str, list[ToolCall]]:
    """Read what a message says, wherever it says it.

    Args:
        turn: The message.
        extra: Its other keys; a `function_call` among them is taken out and becomes a tool call.
        index: 0-based place of the message, for errors.

    Returns:
        The content, the text of the whole turn (blank when nothing was said), and its tool calls.

    Raises:
        InvalidInput: The content or a tool call cannot be read.
    """
    content = read_content(turn.content, index)
    calls = _collect_calls(turn, extra, content, index)
    if content.text.strip():
        return content, content.text, calls
    return content, _text_beside_content(extra, calls), calls


def _collect_calls(
    turn: Turn, extra: dict[str, JsonValue], content: ReadContent, index: int
) -> list[ToolCall]:
    """Collect the calls among the parts and beside them, once each: some clients send both."""
    beside: object = turn.tool_calls
    single = extra.get("function_call")
    if not beside and isinstance(single, dict) and "name" in single:
        beside = [extra.pop("function_call")]
    seen = {call["id"] for call in content.tool_calls if call["id"] is not None}
    more = [call for call in read_tool_calls(beside, index) if call["id"] not in seen]
    return [*content.tool_calls, *more]


def _text_beside_content(extra: dict[str, JsonValue], calls: list[ToolCall]) -> str:
    """Find what a turn without content says: a refusal, a spoken answer, its tool calls."""
    refusal, audio = extra.get("refusal"), extra.get("audio")
    if isinstance(refusal, str) and refusal.strip():
        return refusal
    if isinstance(audio, dict):
        return placeholder("audio", audio)
    return render_tool_calls(calls) if calls else ""
