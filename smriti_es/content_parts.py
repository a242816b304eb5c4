"""Read the content of a message: parts of every usual shape become one text and tool calls."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from smriti_es.captured import JsonValue, ToolCall
from smriti_es.checked_values import Place, checked_label, checked_text
from smriti_es.inline_data import plain_json

_PLACEHOLDERS = {
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "file": "file",
    "input_file": "file",
    "document": "file",
    "audio": "audio",
    "input_audio": "audio",
    "output_audio": "audio",
    "video": "video",
    "video_url": "video",
}
_TEXT_TYPES = frozenset({"text", "input_text", "output_text"})
# What a model thought is not what it said.
_SILENT_TYPES = frozenset({"thinking", "redacted_thinking", "reasoning"})
_NAME_KEYS = ("name", "filename", "file_name", "title")
_URL_KEYS = ("url", "image_url", "file_url", "video_url")
_PLACEHOLDER_LENGTH_MAX = 200
_TOOL_NAME_LENGTH_MAX = 200
_TOOL_ID_LENGTH_MAX = 512


@dataclass(frozen=True, slots=True)
class ReadContent:
    """What a message's content says.

    Attributes:
        text: Everything that was said, in order, with placeholders; never inline data.
        parts: The parts as JSON, or None when the content was text or absent.
        tool_calls: The calls that stand among the parts.
        result_ids: One entry for each tool result among the parts: the id of its call, if given.
        only_results: True when nothing but tool results stands there.
    """

    text: str = ""
    parts: list[JsonValue] | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    result_ids: tuple[str | None, ...] = ()
    only_results: bool = False


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str = ""
    call: ToolCall | None = None
    is_result: bool = False
    result_id: str | None = None


def read_content(content: object, index: int) -> ReadContent:
    """Read what stands under `content`.

    Args:
        content: Text, a list of parts (mappings or texts), or None.
        index: 0-based place of the message, for errors.

    Returns:
        The text, the parts and the tool calls among them.

    Raises:
        InvalidInput: It is of another type, or a part cannot be read.
    """
    place = Place("content", index)
    if content is None:
        return ReadContent()
    if isinstance(content, str):
        return ReadContent(checked_text(content, place))
    if not isinstance(content, (list, tuple)):
        raise place.refusal(
            f"must be text, a list of parts or None, not {type(content).__name__}",
            "Give the text itself; turn an object into text with json.dumps.",
        )
    parts = [_checked_part(part, place) for part in content]
    pieces = [_read_part(part, place) for part in parts]
    return ReadContent(
        text=join_texts([piece.text for piece in pieces]),
        parts=parts,
        tool_calls=tuple(piece.call for piece in pieces if piece.call is not None),
        result_ids=tuple(piece.result_id for piece in pieces if piece.is_result),
        only_results=bool(pieces) and all(piece.is_result for piece in pieces),
    )


def join_texts(texts: list[str]) -> str:
    """Join texts in order, with one space wherever neither side has white space of its own."""
    joined: list[str] = []
    for text in texts:
        if text and joined and not joined[-1][-1].isspace() and not text[0].isspace():
            joined.append(" ")
        if text:
            joined.append(text)
    return "".join(joined)


def read_tool_calls(calls: object, index: int) -> tuple[ToolCall, ...]:
    """Bring tool calls into one shape.

    Args:
        calls: A list in the shape of OpenAI, Anthropic or LangChain, or None.
        index: 0-based place of the message, for errors.

    Returns:
        `{id, name, arguments}` for each; arguments stay text when they were given as text.

    Raises:
        InvalidInput: It is no list, or a call has no name.
    """
    if calls is None:
        return ()
    place = Place("tool_calls", index)
    if not isinstance(calls, (list, tuple)):
        raise place.refusal(
            f"must be a list of calls, not {type(calls).__name__}",
            'Give for example [{"id": "c1", "name": "lookup", "arguments": {"q": 1}}].',
        )
    return tuple(_read_call(call, place) for call in calls)


def render_tool_calls(calls: list[ToolCall]) -> str:
    """Write calls as text, for a turn that says nothing else: `[calls lookup({"q":1})]`."""
    written = [f"{call['name']}({_as_text(call['arguments'])})" for call in calls]
    return f"[calls {', '.join(written)}]"


def placeholder(kind: str, part: Mapping[str, JsonValue]) -> str:
    """Write what stands in the text for a part that is no text: `[image: kiln.png]`.

    Args:
        kind: The part's type.
        part: The part; its file name is shown when it has one, its transcript follows.
    """
    label = _PLACEHOLDERS.get(kind)
    name = _file_name(part, kind) if label else ""
    shown = f"{label or kind}: {name}" if name else label or kind
    # One line, whatever the name holds: a placeholder must not be able to look like another turn.
    one_line = " ".join(shown.split())[:_PLACEHOLDER_LENGTH_MAX]
    transcript = part.get("transcript") or _nested(part, kind).get("transcript")
    return join_texts([f"[{one_line}]", transcript if isinstance(transcript, str) else ""])


def _checked_part(part: object, place: Place) -> JsonValue:
    if isinstance(part, str):
        return checked_text(part, place)
    if isinstance(part, Mapping):
        return plain_json(part, place)
    raise place.refusal(
        f"has a part of type {type(part).__name__}",
        'Give each part as text or as a mapping such as {"type": "text", "text": "..."}.',
    )


def _read_part(part: JsonValue, place: Place) -> _Piece:
    if not isinstance(part, dict):
        return _Piece(_as_text(part))
    kind = _part_type(part, place)
    if kind.endswith("tool_use"):
        return _Piece(call=_read_call(part, place))
    if kind.endswith("tool_result"):
        return _read_result(part, place)
    return _Piece(_spoken(part, kind, place))


def _spoken(part: dict[str, JsonValue], kind: str, place: Place) -> str:
    if kind in _TEXT_TYPES:
        return _part_text(part.get("text"), place)
    if kind in _SILENT_TYPES:
        return ""
    if kind == "refusal":
        return _part_text(part.get("refusal"), place)
    return placeholder(kind, part)


def _part_type(part: dict[str, JsonValue], place: Place) -> str:
    """Return a part's type, or what stands in for one in the shapes that have none."""
    kind = part.get("type")
    if kind is None:
        return "text" if "text" in part else next(iter(part), "part")
    return checked_label(kind, Place("content part type", place.index), _PLACEHOLDER_LENGTH_MAX)


def _part_text(text: JsonValue, place: Place) -> str:
    inner = text.get("value") if isinstance(text, dict) else text
    return checked_text(inner, Place("text of a content part", place.index))


def _read_result(part: dict[str, JsonValue], place: Place) -> _Piece:
    inner = part.get("content")
    entries = inner if isinstance(inner, list) else [] if inner is None else [inner]
    return _Piece(
        join_texts([_result_text(entry, place) for entry in entries]),
        is_result=True,
        result_id=_call_id(part.get("tool_use_id"), place),
    )


def _result_text(entry: JsonValue, place: Place) -> str:
    """Return what an entry of a result says; a mapping that is no content part is plain data."""
    if isinstance(entry, dict) and not entry.keys() & {"type", "text"}:
        return _as_text(entry)
    return _read_part(entry, place).text


def _read_call(call: object, place: Place) -> ToolCall:
    copied = plain_json(call, place)
    if not isinstance(copied, dict):
        raise place.refusal(
            f"has an entry of type {type(call).__name__}", "Give each call as a mapping."
        )
    inner = next(
        (copied[key] for key in ("function", "custom") if isinstance(copied.get(key), dict)), copied
    )
    assert isinstance(inner, dict)
    named = Place("name of a tool call", place.index)
    arguments = (inner[key] for key in ("arguments", "args", "input") if key in inner)
    return {
        "id": _call_id(copied.get("id"), place),
        "name": checked_label(inner.get("name"), named, _TOOL_NAME_LENGTH_MAX),
        "arguments": next(arguments, None),
    }


def _call_id(value: JsonValue, place: Place) -> str | None:
    if value is None:
        return None
    return checked_label(value, Place("id of a tool call", place.index), _TOOL_ID_LENGTH_MAX)


def _as_text(value: JsonValue) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _file_name(part: Mapping[str, JsonValue], kind: str) -> str:
    nested = _nested(part, kind)
    for holder in (part, nested):
        for key in _NAME_KEYS:
            if isinstance(name := holder.get(key), str) and name.strip():
                return name
    for holder in (part, nested):
        for key in _URL_KEYS:
            if isinstance(url := holder.get(key), str):
                return _name_in_url(url)
    return ""


def _nested(part: Mapping[str, JsonValue], kind: str) -> Mapping[str, JsonValue]:
    """Return the mapping inside a part that holds its details, where the shape has one."""
    found = (part[key] for key in (kind, "source", "file") if isinstance(part.get(key), dict))
    inner = next(found, {})
    return inner if isinstance(inner, dict) else {}


def _name_in_url(url: str) -> str:
    if not url.lower().startswith(("http://", "https://", "file://")):
        return ""
    last = url.split("#")[0].split("?")[0].rsplit("/", 1)[-1]
    return last if "." in last else ""
