"""Cut a session into chunks that a model reads to their end, and show them to it as data."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from smriti_es.embedders.chunking import chunk_spans
from smriti_es.events.instants import to_datetime
from smriti_es.extraction.contract import SourceTurn

# What a line of the prompt holds besides the text: number, role, speaker, date.
_LINE_CHARS = 100
_PIECE_OVERLAP = 200
TURNS_BEGIN, TURNS_END = "<<<TURNS", "TURNS>>>"


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A turn, or a piece of a long one, as it is shown.

    Attributes:
        number: 1 for the first turn of the session; the same for all pieces of a turn.
        turn: The turn.
        text: What of it is shown.
    """

    number: int
    turn: SourceTurn
    text: str

    @property
    def size(self) -> int:
        """Characters that it takes in a prompt, roughly."""
        return len(self.text) + _LINE_CHARS


def chunk_turns(
    turns: Sequence[SourceTurn], *, limit: int, overlap_turns: int
) -> list[tuple[ShownTurn, ...]]:
    """Cut turns into chunks that overlap.

    Every word of every turn is in a chunk. A chunk repeats the last turns of the one before, unless
    they would take more than a quarter of it. Blank turns are left out but keep their number.

    Args:
        turns: Of one session, in order.
        limit: Characters of a chunk, at least 500.
        overlap_turns: How many turns a chunk repeats at most.
    """
    chunks: list[tuple[ShownTurn, ...]] = []
    current: list[ShownTurn] = []
    fresh = False  # whether the current chunk holds more than what it repeats
    for shown in _shown(turns, limit):
        if fresh and sum(each.size for each in current) + shown.size > limit:
            chunks.append(tuple(current))
            current, fresh = _repeated(current, limit // 4, overlap_turns), False
        current.append(shown)
        fresh = True
    return [*chunks, tuple(current)] if fresh else chunks


def rendered(chunk: Sequence[ShownTurn], zone: tzinfo) -> str:
    """Write a chunk for the prompt: one JSON object a line, between two marks.

    A text cannot end its own line, so it can forge neither a turn nor the closing mark.
    """
    return "\n".join([TURNS_BEGIN, *(_line(shown, zone) for shown in chunk), TURNS_END])


def _shown(turns: Sequence[SourceTurn], limit: int) -> list[ShownTurn]:
    room = limit - limit // 4 - _LINE_CHARS
    return [
        ShownTurn(number, turn, turn.text[start:end])
        for number, turn in enumerate(turns, start=1)
        if turn.text.strip()
        for start, end in chunk_spans(turn.text, limit=room, overlap=min(_PIECE_OVERLAP, room // 4))
    ]


def _repeated(chunk: Sequence[ShownTurn], room: int, overlap_turns: int) -> list[ShownTurn]:
    repeated: list[ShownTurn] = []
    for shown in reversed(chunk[-overlap_turns:] if overlap_turns else ()):
        room -= shown.size
        if room < 0:
            break
        repeated.insert(0, shown)
    return repeated


def _line(shown: ShownTurn, zone: tzinfo) -> str:
    said = to_datetime(shown.turn.said_at, zone)
    members = {
        "turn": shown.number,
        "said": said.strftime("%Y-%m-%d %H:%M, ") + _WEEKDAYS[said.weekday()],
        "role": shown.turn.role,
        "speaker": shown.turn.speaker,
        "text": shown.text,
    }
    kept = {name: value for name, value in members.items() if value is not None}
    return json.dumps(kept, ensure_ascii=False)


# `strftime` would ask the locale of the process.
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
