"""LoCoMo: the benchmark's file of ten long conversations between two people each.

Source: Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents" (ACL 2024);
https://github.com/snap-research/locomo.
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
    listing,
    mapping,
)
from smriti_es.importers.source import Advanced, not_counted, read_entries

_SESSION: Final = re.compile(r"session_(\d+)")
# "1:56 pm on 8 May, 2023". Not strptime: it reads months in the language of the process.
_TIME: Final = re.compile(r"(1[0-2]|[1-9]):([0-5]\d) (am|pm) on (\d{1,2}) ([A-Z][a-z]+),? (\d{4})")
_MONTHS: Final = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


def read_locomo(document: Document, advanced: Advanced = not_counted) -> Items:
    """Read a LoCoMo file.

    Each turn's text is "<speaker>: <text>", followed by the caption of an image that was shown; its
    id is the benchmark's (`D1:3`), its time that of the session, meant in the memory's time zone.
    The sessions come conversation by conversation and in order of time; each is named
    `<conversation>:session_<number>` and tagged with its conversation.

    Args:
        document: The file.
        advanced: Told how many bytes were read.
    """
    return read_entries(document, _sessions, advanced)


def _sessions(sample: Any, place: RecordPlace) -> Items:
    conversation = sample.get("conversation") if isinstance(sample, dict) else None
    name = sample.get("sample_id") if isinstance(sample, dict) else None
    if not isinstance(conversation, dict) or not isinstance(name, str):
        raise Unreadable("has no conversation with a sample_id")
    dated: list[tuple[datetime, int, Conversation]] = []
    for key, turns in conversation.items():
        if (match := _SESSION.fullmatch(key)) and turns:
            within = RecordPlace(place.file, None, place.conversation, f"{name}, {key}")
            try:
                at = parse_time(conversation.get(f"{key}_date_time"))
                messages, places, left_out = _messages(turns, within)
            except Unreadable as error:
                yield LeftOut(within, "unreadable", str(error))
                continue
            yield from left_out
            read = Conversation(
                f"{name}:{key}", messages, places, within, at=at.isoformat(), tags=(name,)
            )
            dated.append((at, int(match[1]), read))
    for *_, read in sorted(dated, key=lambda one: one[:2]):
        yield read


def parse_time(text: Any) -> datetime:
    """Read the time of a session, for example "1:56 pm on 8 May, 2023".

    Returns:
        The time without a zone: the file names none.

    Raises:
        Unreadable: It is no such time.
    """
    match = _TIME.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None or match[5] not in _MONTHS:
        raise Unreadable(f"{text!r} is no time of a session")
    hour = int(match[1]) % 12 + (12 if match[3] == "pm" else 0)
    month = _MONTHS.index(match[5]) + 1
    try:
        return datetime(int(match[6]), month, int(match[4]), hour, int(match[2]))  # noqa: DTZ001  the file names no zone
    except ValueError as error:
        raise Unreadable(f"{text!r} is no day of the calendar") from error


def _messages(
    turns: Any, place: RecordPlace
) -> tuple[list[Mapping[str, Any]], list[RecordPlace], list[LeftOut]]:
    messages: list[Mapping[str, Any]] = []
    places: list[RecordPlace] = []
    left_out: list[LeftOut] = []
    for index, turn in enumerate(listing(turns, "the session")):
        at = place.at(index)
        try:
            text = turn_text(mapping(turn, "the turn"))
        except Unreadable as error:
            left_out.append(LeftOut(at, "unreadable", str(error)))
            continue
        messages.append({"role": "user", "content": text, "id": turn.get("dia_id")})
        places.append(at)
    return messages, places, left_out


def turn_text(turn: Mapping[str, Any]) -> str:
    """Write a turn as text: "<speaker>: <text> [shared an image: <caption>]".

    Returns:
        The text; "" when the turn holds neither words nor an image.

    Raises:
        Unreadable: It has no speaker.
    """
    speaker = turn.get("speaker")
    if not isinstance(speaker, str) or not speaker.strip():
        raise Unreadable("names no speaker")
    said = str(turn.get("text") or turn.get("clean_text") or "")
    caption = turn.get("blip_caption")
    if not said.strip() and not caption:
        return ""
    return f"{speaker}: {said}" + (f" [shared an image: {caption}]" if caption else "")
