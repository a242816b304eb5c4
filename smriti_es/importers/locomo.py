"""LoCoMo: the benchmark's file of ten long conversations between two people each.

Source: Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents" (ACL 2024);
https://github.com/snap-research/locomo.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from smriti_es.events.errors import InvalidInput
from smriti_es.importers.json_text import read_json
from smriti_es.importers.source import read_text
from smriti_es.recording import SessionInput

_HINT: Final = "It is the file locomo10.json of the benchmark that is meant."
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


def read_locomo(path: Path) -> list[SessionInput]:
    """Read a LoCoMo file.

    Each turn's text is "<speaker>: <text>", followed by the caption of an image that was shown; its
    id is the benchmark's (`D1:3`), its time that of the session, meant in the memory's time zone.

    Args:
        path: The file, at most `FILE_BYTES_MAX` bytes.

    Returns:
        The sessions, conversation by conversation and in order of time; each is named
        `<conversation>:session_<number>` and tagged with its conversation.

    Raises:
        NotFound: There is no such file.
        InvalidInput: It is not such a file; the message says where.
    """
    samples = read_json(read_text(path), str(path), _HINT)
    if not isinstance(samples, list):
        raise InvalidInput(f"{path}: not a list of conversations", hint=_HINT)
    return [
        session
        for index, sample in enumerate(samples)
        for session in _sessions(sample, path, index)
    ]


def _sessions(sample: Any, path: Path, index: int) -> list[SessionInput]:
    place = f"{path}: conversation {index}"
    conversation = sample.get("conversation") if isinstance(sample, dict) else None
    name = sample.get("sample_id") if isinstance(sample, dict) else None
    if not isinstance(conversation, dict) or not isinstance(name, str):
        raise InvalidInput(f"{place}: has no conversation with a sample_id", hint=_HINT)
    dated: list[tuple[datetime, int, SessionInput]] = []
    for key, turns in conversation.items():
        if (match := _SESSION.fullmatch(key)) and turns:
            at = parse_time(conversation.get(f"{key}_date_time"), f"{place}, {key}")
            messages = _messages(turns, f"{place}, {key}")
            batch = SessionInput(
                session=f"{name}:{key}", messages=messages, at=at.isoformat(), session_tags=[name]
            )
            dated.append((at, int(match[1]), batch))
    return [batch for *_, batch in sorted(dated, key=lambda one: one[:2])]


def parse_time(text: Any, place: str) -> datetime:
    """Read the time of a session, for example "1:56 pm on 8 May, 2023".

    Returns:
        The time without a zone: the file names none.

    Raises:
        InvalidInput: It is no such time; the message begins with `place`.
    """
    match = _TIME.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None or match[5] not in _MONTHS:
        raise InvalidInput(f"{place}: {text!r} is no time of a session", hint=_HINT)
    hour = int(match[1]) % 12 + (12 if match[3] == "pm" else 0)
    month = _MONTHS.index(match[5]) + 1
    try:
        return datetime(int(match[6]), month, int(match[4]), hour, int(match[2]))  # noqa: DTZ001  the file names no zone
    except ValueError as error:
        raise InvalidInput(f"{place}: {text!r} is no day of the calendar", hint=_HINT) from error


def _messages(turns: Any, place: str) -> list[Mapping[str, Any]]:
    if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
        raise InvalidInput(f"{place}: is no list of turns", hint=_HINT)
    messages: list[Mapping[str, Any]] = []
    for index, turn in enumerate(turns):
        if text := turn_text(turn, f"{place}, turn {index}"):
            messages.append({"role": "user", "content": text, "id": turn.get("dia_id")})
    return messages


def turn_text(turn: Mapping[str, Any], place: str) -> str:
    """Write a turn as text: "<speaker>: <text> [shared an image: <caption>]".

    Returns:
        The text; "" when the turn holds neither words nor an image.

    Raises:
        InvalidInput: It has no speaker; the message begins with `place`.
    """
    speaker = turn.get("speaker")
    if not isinstance(speaker, str) or not speaker.strip():
        raise InvalidInput(f"{place}: names no speaker", hint=_HINT)
    said = str(turn.get("text") or turn.get("clean_text") or "")
    caption = turn.get("blip_caption")
    if not said.strip() and not caption:
        return ""
    return f"{speaker}: {said}" + (f" [shared an image: {caption}]" if caption else "")
