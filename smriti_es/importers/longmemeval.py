"""LongMemEval: the benchmark's files of questions, each with a haystack of sessions of its own.

Source: Wu et al., "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory"
(ICLR 2025).
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from smriti_es.importers.documents import Document
from smriti_es.importers.records import (
    Conversation,
    Items,
    LeftOut,
    RecordPlace,
    Unreadable,
    identifier,
    listing,
    mapping,
)
from smriti_es.importers.source import Advanced, not_counted, read_entries

# "2023/05/30 (Tue) 23:40".
_TIME: Final = re.compile(r"(\d{4})/(\d\d)/(\d\d) \(\w{3}\) (\d\d):(\d\d)")


def read_longmemeval(document: Document, advanced: Advanced = not_counted) -> Items:
    """Read the haystacks of a LongMemEval file.

    A session is named `<question>:<number>:<session id>`, for a haystack may name two alike, and
    tagged with its question; its time is meant in the memory's time zone.

    Args:
        document: The file; `longmemeval_m` of several gigabytes is read question by question.
        advanced: Told how many bytes were read.
    """
    return read_entries(document, _haystack, advanced)


def _haystack(entry: Any, place: RecordPlace) -> Items:
    given = mapping(entry, "the question")
    question = identifier(given.get("question_id"), "its question_id")
    names = listing(given.get("haystack_session_ids"), "its haystack_session_ids")
    dates = listing(given.get("haystack_dates"), "its haystack_dates")
    sessions = listing(given.get("haystack_sessions"), "its haystack_sessions")
    if not len(names) == len(dates) == len(sessions):
        raise Unreadable("has not as many dates and names as sessions")
    for number, (name, date, turns) in enumerate(zip(names, dates, sessions, strict=True)):
        within = RecordPlace(place.file, None, place.conversation, f"{question}, session {number}")
        try:
            yield _session(f"{question}:{number}:{identifier(name, 'its id')}", date, turns, within)
        except Unreadable as error:
            yield LeftOut(within, "unreadable", str(error))


def _session(name: str, date: Any, turns: Any, place: RecordPlace) -> Conversation:
    messages: list[Mapping[str, Any]] = []
    for turn in listing(turns, "the session"):
        said = mapping(turn, "a turn")
        messages.append(
            {
                "role": said.get("role"),
                "content": said.get("content"),
                "id": f"{name}:{len(messages)}",
            }
        )
    places = [place.at(index) for index in range(len(messages))]
    question = name.partition(":")[0]
    return Conversation(name, messages, places, place, at=_time(date), tags=(question,))


def _time(text: Any) -> str:
    match = _TIME.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        raise Unreadable(f"{text!r} is no time of a session")
    try:
        return datetime(*map(int, match.groups())).isoformat()  # type: ignore[arg-type]  # noqa: DTZ001  the file names no zone
    except ValueError as error:
        raise Unreadable(f"{text!r} is no day of the calendar") from error
