"""What coding agents write down of a session: Claude Code, Codex and Gemini CLI.

Their forms are not documented and change; what is not understood is left out and said so.
"""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from smriti_es.importers.documents import Document
from smriti_es.importers.jsonl import numbered_objects
from smriti_es.importers.records import (
    Conversation,
    Items,
    LeftOut,
    RecordPlace,
    identifier,
    known,
    listing,
    mapping,
)
from smriti_es.importers.source import Advanced, assert_small, not_counted, read_entries

_SPOKEN: Final = frozenset({"user", "assistant"})
_CODEX_CALLS: Final = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_CODEX_RESULTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})


class _Gathered:
    """Turns of the sessions of a file, in the order in which they first appear."""

    def __init__(self, prefix: str, carried: Mapping[str, Any]) -> None:
        self._prefix = prefix
        self._carried = carried
        self._found: dict[str, tuple[list[Mapping[str, Any]], list[RecordPlace]]] = {}

    def add(self, session: str, message: Mapping[str, Any], place: RecordPlace) -> None:
        """Put a message at the end of its session."""
        messages, places = self._found.setdefault(session, ([], []))
        messages.append(message)
        places.append(place)

    def conversations(self) -> Items:
        """Give the sessions."""
        for name, (messages, places) in self._found.items():
            carried = {**self._carried, **known(conversation_id=name)}
            yield Conversation(
                f"{self._prefix}:{name}",
                messages,
                places,
                places[0],
                tags=(self._prefix,),
                metadata=carried,
            )


def read_claude_code(document: Document, advanced: Advanced = not_counted) -> Items:
    """Read a session of Claude Code: what was said, with calls and results of tools.

    Side chains of sub-agents, remarks of the program itself and summaries are left out.

    Args:
        document: A file of `~/.claude/projects`.
        advanced: Told how many bytes were read.
    """
    assert_small(document)
    gathered = _Gathered("claude-code", {"source": "claude-code"})
    for place, line in numbered_objects(document, advanced):
        if isinstance(line, LeftOut):
            yield line
        elif str(line.get("type")) not in _SPOKEN:
            yield LeftOut(place, "bookkeeping", f"a record of the type {line.get('type')!r}")
        elif line.get("isMeta") or line.get("isCompactSummary"):
            yield LeftOut(place, "hidden", "the program wrote it")
        elif line.get("isSidechain"):
            yield LeftOut(place, "branch", "a side chain of a sub-agent")
        elif not isinstance(message := line.get("message"), dict) or not line.get("sessionId"):
            yield LeftOut(place, "unreadable", "has no message or no sessionId")
        else:
            read = {
                "role": message.get("role"),
                "content": message.get("content"),
                "id": line.get("uuid"),
                "timestamp": line.get("timestamp"),
                "metadata": known(model=message.get("model"), folder=line.get("cwd")),
            }
            gathered.add(str(line["sessionId"]), read, place)
    yield from gathered.conversations()


def read_codex(document: Document, advanced: Advanced = not_counted) -> Items:
    """Read a session of Codex: what was said, with calls and results of tools.

    Args:
        document: A file of `~/.codex/sessions`.
        advanced: Told how many bytes were read.
    """
    assert_small(document)
    gathered = _Gathered("codex", {"source": "codex"})
    session = PurePosixPath(document.name).stem
    for place, line in numbered_objects(document, advanced):
        if isinstance(line, LeftOut):
            yield line
            continue
        payload = line.get("payload")
        if not isinstance(payload, dict):
            yield LeftOut(place, "unreadable", "has no payload")
        elif line.get("type") == "session_meta":
            session = str(payload.get("id") or session)
        elif line.get("type") != "response_item":
            yield LeftOut(place, "bookkeeping", f"a record of the type {line.get('type')!r}")
        elif (read := _codex_item(payload)) is None:
            yield LeftOut(place, "bookkeeping", f"an item of the type {payload.get('type')!r}")
        else:
            at = payload.get("timestamp") or line.get("timestamp")
            gathered.add(session, read | {"timestamp": at}, place)
    yield from gathered.conversations()


def _codex_item(payload: Mapping[str, Any]) -> dict[str, Any] | None:
    kind = str(payload.get("type"))
    if kind == "message":
        return {key: payload.get(key) for key in ("role", "content", "id")}
    if kind in _CODEX_CALLS:
        arguments = payload.get("arguments", payload.get("input", payload.get("action")))
        name = payload.get("name") or "shell"
        call = {"id": payload.get("call_id"), "name": name, "arguments": arguments}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    if kind in _CODEX_RESULTS:
        output = payload.get("output")
        said = output.get("content") if isinstance(output, dict) else output
        return {"role": "tool", "content": said, "tool_call_id": payload.get("call_id")}
    return None


def read_gemini(document: Document, advanced: Advanced = not_counted) -> Items:
    """Read a session of Gemini CLI: what was said, with calls of tools.

    Args:
        document: A file of `~/.gemini/tmp/<project>/chats`.
        advanced: Told how many bytes were read.
    """
    return read_entries(document, _gemini_session, advanced)


def _gemini_session(entry: Any, place: RecordPlace) -> Items:
    given = mapping(entry, "the session")
    name = identifier(given.get("sessionId"), "its sessionId")
    messages: list[Mapping[str, Any]] = []
    places: list[RecordPlace] = []
    for index, message in enumerate(listing(given.get("messages"), "its messages")):
        at = place.at(index)
        if not isinstance(message, dict):
            yield LeftOut(at, "unreadable", "the message is no JSON object")
        elif message.get("type") not in ("user", "gemini"):
            yield LeftOut(at, "bookkeeping", f"a message of the type {message.get('type')!r}")
        else:
            messages.append(_gemini_message(message))
            places.append(at)
    yield Conversation(
        f"gemini:{name}",
        messages,
        places,
        place,
        at=given.get("startTime"),
        tags=("gemini",),
        metadata=known(source="gemini", conversation_id=name, title=given.get("summary")),
    )


def _gemini_message(message: Mapping[str, Any]) -> dict[str, Any]:
    calls = message.get("toolCalls")
    named = [each for each in calls if isinstance(each, dict)] if isinstance(calls, list) else []
    return {
        "role": "user" if message["type"] == "user" else "assistant",
        "content": message.get("content"),
        "id": message.get("id"),
        "timestamp": message.get("timestamp"),
        "metadata": known(model=message.get("model")),
        "tool_calls": [
            {"id": each.get("id"), "name": each.get("name"), "arguments": each.get("args")}
            for each in named
        ]
        or None,
    }
