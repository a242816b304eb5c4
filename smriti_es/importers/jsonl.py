"""JSON lines: one message a line, each naming its session.

::

    {"session": "s1", "role": "user", "content": "I moved.", "timestamp": "2026-06-02T10:00:00Z"}

Beside `session` a line holds what a message of `Engine.add` holds: `role` and `content`, and where
wanted `name`, `timestamp`, `id`, `tags`, `metadata`, `kind`, `origin`, `tool_calls`. Lines of one
session need not stand together. Other keys are kept with the turn.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NoReturn

from smriti_es.capture import capture
from smriti_es.captured import Limits
from smriti_es.checked_values import Place, checked_label
from smriti_es.events.errors import InvalidInput
from smriti_es.importers.json_text import read_json
from smriti_es.importers.source import read_lines
from smriti_es.recording import SessionInput

_LIMITS: Final = Limits()
_HINT: Final = 'Write {"session": "...", "role": "user", "content": "..."}.'


@dataclass(slots=True)
class _Session:
    """The messages of one session, with the line on which each stands."""

    name: str
    messages: list[Mapping[str, Any]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


def read_jsonl(path: Path) -> list[SessionInput]:
    """Read a file of JSON lines, and check every line as recording it would.

    Args:
        path: The file, in UTF-8, at most `FILE_BYTES_MAX` bytes.

    Returns:
        The sessions in the order in which they first appear. One of more messages than a call may
        hold is handed on in several parts.

    Raises:
        NotFound: There is no such file.
        InvalidInput: A line cannot be recorded; the message names file and line.
    """
    sessions: dict[str, _Session] = {}
    for number, line in read_lines(path):
        name, message = _read_line(line, path, number)
        session = sessions.setdefault(name, _Session(name))
        session.messages.append(message)
        session.lines.append(number)
    return [part for session in sessions.values() for part in _parts(session, path)]


def _read_line(line: str, path: Path, number: int) -> tuple[str, Mapping[str, Any]]:
    message = read_json(line, f"{path}:{number}", _HINT)
    if not isinstance(message, dict):
        raise InvalidInput(f"{path}:{number}: not a JSON object", hint=_HINT)
    for key in ("session", "role"):
        if key not in message:
            raise InvalidInput(f"{path}:{number}: has no {key!r}", hint=_HINT)
    if "content" not in message and "tool_calls" not in message:
        raise InvalidInput(f"{path}:{number}: has no 'content'", hint=_HINT)
    try:
        name = checked_label(message.pop("session"), Place("session"), _LIMITS.name_length_max)
    except InvalidInput as error:
        _refuse(error, path, number)
    return name, message


def _parts(session: _Session, path: Path) -> list[SessionInput]:
    size = _LIMITS.messages_max
    if len(session.messages) > size:
        _assert_recognisable(session, path)
    parts = []
    for start in range(0, len(session.messages), size):
        messages = session.messages[start : start + size]
        try:
            capture(messages)
        except InvalidInput as error:
            _refuse(error, path, session.lines[start + (getattr(error, "index", None) or 0)])
        parts.append(SessionInput(session=session.name, messages=messages))
    return parts


def _assert_recognisable(session: _Session, path: Path) -> None:
    """Refuse a session whose parts could not be recognised when they are sent again."""
    for message, line in zip(session.messages, session.lines, strict=True):
        if message.get("id") is None and message.get("timestamp") is None:
            raise InvalidInput(
                f"{path}:{line}: has neither id nor timestamp, in a session of "
                f"{len(session.messages)} messages",
                hint=f"Beyond {_LIMITS.messages_max} messages every one needs one of the two.",
            )


def _refuse(error: InvalidInput, path: Path, line: int) -> NoReturn:
    problem = str(error).removeprefix(f"message {getattr(error, 'index', None)}: ")
    raise InvalidInput(f"{path}:{line}: {problem}", hint=error.hint, line=line) from error
