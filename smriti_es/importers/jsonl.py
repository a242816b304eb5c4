"""JSON lines: one message a line, each naming its session.

::

    {"session": "s1", "role": "user", "content": "I moved.", "timestamp": "2026-06-02T10:00:00Z"}

Beside `session` a line holds what a message of `Engine.add` holds: `role` and `content`, and where
wanted `name`, `timestamp`, `id`, `tags`, `metadata`, `kind`, `origin`, `tool_calls`. Lines of one
session need not stand together. Other keys are kept with the turn. A line of the form
`{"session": ..., "session_tags": [...], "session_metadata": {...}}` says what the session itself
carries, as the export of a memory does.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from smriti_es.captured import Limits
from smriti_es.checked_values import Place, checked_label
from smriti_es.events.errors import InvalidInput
from smriti_es.importers.documents import Document
from smriti_es.importers.json_text import read_json
from smriti_es.importers.records import Conversation, Items, LeftOut, RecordPlace, Unreadable
from smriti_es.importers.source import Advanced, assert_small, not_counted, read_lines

_LIMITS: Final = Limits()
_HINT: Final = 'Write {"session": "...", "role": "user", "content": "..."}.'
_ABOUT_SESSION: Final = frozenset({"session", "session_tags", "session_metadata"})


@dataclass(slots=True)
class _Session:
    """The messages of one session, with where each stands."""

    name: str
    place: RecordPlace
    messages: list[Mapping[str, Any]] = field(default_factory=list)
    places: list[RecordPlace] = field(default_factory=list)
    tags: Any = ()
    metadata: Any = field(default_factory=dict)


def read_jsonl(document: Document, advanced: Advanced = not_counted) -> Items:
    """Read a file of JSON lines.

    Args:
        document: The file, in UTF-8, at most `FILE_BYTES_MAX` bytes.
        advanced: Told how many bytes were read.

    Yields:
        Lines that cannot be read; then the sessions in the order in which they first appear.
    """
    assert_small(document)
    sessions: dict[str, _Session] = {}
    for place, line in numbered_objects(document, advanced):
        if isinstance(line, LeftOut):
            yield line
            continue
        try:
            name = _session_of(line)
        except (InvalidInput, Unreadable) as error:
            yield LeftOut(place, "unreadable", str(error))
            continue
        session = sessions.setdefault(name, _Session(name, place))
        if line.keys() <= _ABOUT_SESSION and len(line) > 1:
            session.tags = line.get("session_tags", ())
            session.metadata = line.get("session_metadata", {})
            continue
        session.messages.append({key: line[key] for key in line if key != "session"})
        session.places.append(place)
    for each in sessions.values():
        yield Conversation(
            each.name, each.messages, each.places, each.place, None, each.tags, each.metadata
        )


def numbered_objects(
    document: Document, advanced: Advanced
) -> Iterator[tuple[RecordPlace, dict[str, Any] | LeftOut]]:
    """Read the JSON objects of a file by lines; a line that is none gives what is left out."""
    try:
        for number, line in read_lines(document, advanced):
            place = RecordPlace(document.name, number)
            try:
                read = read_json(line, "", _HINT)
            except InvalidInput as error:
                yield place, LeftOut(place, "unreadable", str(error).removeprefix(": "))
                continue
            yield (
                (place, read)
                if isinstance(read, dict)
                else (place, LeftOut(place, "unreadable", "not a JSON object"))
            )
    except InvalidInput as error:
        place = RecordPlace(document.name, getattr(error, "line", None))
        problem = str(error).removeprefix(f"{place}: ")
        yield place, LeftOut(place, "unreadable", f"{problem}; nothing was read after it")


def _session_of(line: Mapping[str, Any]) -> str:
    if "session" not in line:
        raise Unreadable("has no 'session'")
    name = checked_label(line["session"], Place("session"), _LIMITS.name_length_max)
    if line.keys() <= _ABOUT_SESSION and len(line) > 1:
        return name
    if "role" not in line:
        raise Unreadable("has no 'role'")
    if "content" not in line and "tool_calls" not in line:
        raise Unreadable("has no 'content'")
    return name
