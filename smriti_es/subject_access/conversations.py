"""Write the conversations of a memory to a file: JSON lines that can be imported, or a page."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from smriti_es.captured import KIND_DEFAULT
from smriti_es.content_parts import read_content, render_tool_calls
from smriti_es.events.catalogue import TurnRecorded
from smriti_es.events.errors import InvalidInput
from smriti_es.events.instants import format_instant
from smriti_es.opened import Opened
from smriti_es.projections.projector import Progress
from smriti_es.results import RecordedSession, RecordedTurn
from smriti_es.subject_access.export import checked_path, one_of
from smriti_es.subject_access.markdown_form import block, inline, listed
from smriti_es.subject_access.new_file import Writing, new_file

if TYPE_CHECKING:
    from smriti_es.view import View

_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class ExportedConversations:
    """What was written.

    Attributes:
        path: The file.
        form: "jsonl" or "markdown".
        space: The space.
        sessions: How many sessions there are.
        turns: How many turns there are.
        head: Position of the last event that was looked at.
        digest: SHA-256 of the file, 64 hex.
    """

    path: str
    form: str
    space: str
    sessions: int
    turns: int
    head: int
    digest: str


def export_conversations(
    view: "View", opened: Opened, path: object, *, form: object, progress: Progress
) -> ExportedConversations:
    """Write what may be read of one space; see `Engine.export_conversations`."""
    place, chosen = checked_path(path), one_of("form", form, tuple(_FORMS))
    if len(opened.spaces) != 1:
        raise InvalidInput(
            f"{len(opened.spaces)} spaces are read, and sessions of two may have one name",
            hint="Open the memory with one space for each file.",
        )
    head = opened.log.head
    known = [*_sessions(view, head)]
    write, count = _FORMS[chosen], 0
    with new_file(place, opened.log.randomness(8).hex()) as writing:
        if chosen == "markdown":
            _title(writing, opened.spaces[0], head)
        for number, session in enumerate(known):
            progress("export file", number, len(known))
            count += write(writing, session, _turns(view, opened, session, head))
        digest = writing.digest.hexdigest()
    return ExportedConversations(
        str(place), chosen, opened.spaces[0], len(known), count, head, digest
    )


def _sessions(view: "View", head: int) -> Iterator[RecordedSession]:
    after = None
    while page := view.sessions(after=after, limit=_AT_ONCE, known_at=head):
        yield from page
        after = page[-1].position


_Turns = Iterator[tuple[RecordedTurn, TurnRecorded]]


def _turns(view: "View", opened: Opened, session: RecordedSession, head: int) -> _Turns:
    after = None
    while page := view.turns(after=after, limit=_AT_ONCE, known_at=head, sessions=[session.name]):
        for turn in page:
            (recorded,) = opened.log.read(turn.position, turn.position + 1)
            assert isinstance(recorded.event, TurnRecorded)
            yield turn, recorded.event
        after = page[-1].position


def _write_lines(writing: Writing, session: RecordedSession, turns: _Turns) -> int:
    count = 0
    if session.tags or session.metadata:
        about = {"session_tags": list(session.tags), "session_metadata": dict(session.metadata)}
        writing.line(_line({"session": session.name} | about))
    for turn, event in turns:
        writing.line(_line({"session": session.name} | _message(turn, event)))
        count += 1
    return count


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _message(turn: RecordedTurn, event: TurnRecorded) -> dict[str, Any]:
    """Write a turn as the message that is recorded as this turn."""
    calls = list(event.tool_calls or ())
    content: Any = event.text if event.content is None else event.content
    if event.content is not None:
        inside = read_content(event.content, 0).tool_calls
        calls = [each for each in calls if each not in inside]
    elif calls and event.text == render_tool_calls([dict(each) for each in calls]):
        content = None
    message = {
        "role": event.role,
        "content": content,
        "name": event.name,
        "timestamp": _time(turn, event),
        "id": event.source_id,
        "kind": None if event.kind == KIND_DEFAULT else event.kind,
        "origin": event.origin,
        "tags": list(event.tags),
        "metadata": dict(event.metadata),
        "tool_calls": calls,
        "tool_call_id": event.tool_call_id,
    }
    kept = {key: each for key, each in message.items() if each not in (None, [], {})}
    return {"role": event.role, "content": content} | kept | dict(event.extra)


def _time(turn: RecordedTurn, event: TurnRecorded) -> str:
    """Write when it was said; of what nobody dated, when it was recorded, which stands for it."""
    if event.said_text is not None and event.said_precision not in ("instant", "unknown"):
        return event.said_text
    return format_instant(turn.said_at)


def _title(writing: Writing, space: str, head: int) -> None:
    writing.line("# Conversations\n")
    writing.line(listed([f"space: {inline(space)}", f"up to position {head}"]))


def _write_page(writing: Writing, session: RecordedSession, turns: _Turns) -> int:
    count = 0
    title = session.metadata.get("title")
    shown = title if isinstance(title, str) else session.name
    writing.line(f"## {inline(' '.join(shown.split()))}\n")
    told = [f"session: {inline(session.name)}"]
    told += [f"tags: {inline(', '.join(session.tags))}"] if session.tags else []
    writing.line(listed(told))
    for turn, event in turns:
        who = turn.name or turn.role
        writing.line(f"### {inline(' '.join(who.split()))}, {_time(turn, event)}\n")
        if turn.origin in ("tool", "untrusted"):
            writing.line(f"Origin: {turn.origin}.\n")
        writing.line(block(turn.text))
        count += 1
    return count


_FORMS: Final[dict[str, Callable[[Writing, RecordedSession, _Turns], int]]] = {
    "jsonl": _write_lines,
    "markdown": _write_page,
}
