"""What is said in a life, in one form or another."""

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from smriti_es.recording import SessionInput

SUBJECTS = ("user", "Rachel", "RACHEL", "Rachel Smith", "Caf\u00e9", "Cafe\u0301")
OFTEN = (*SUBJECTS[:2] * 8, *SUBJECTS)
PREDICATES = ("lives_in", "lives_in", "likes", "likes", "works_at")
# Alike enough for the arbiter to be asked about them.
VALUES = ("old Pune", "OLD  pune", "old Oslo", "old Bergen")
SCOPES = ("", "", "", "", "project:Atlas", "project:Borealis")
ENDINGS = ("", "", "", "many", "single", "ended", "to=2028")
TIMES = (
    "2019",
    "2024-03",
    "2025-02-03",
    "2026-06-02T09:00:00Z",
    "2026-06-02T14:30:00+05:30",
    "2027",
)
SESSIONS = ("walks", "work", "talks")


def some_lines(chance: random.Random) -> str:
    return "\n".join(some_line(chance) for _ in range(chance.randint(1, 3)))


def some_line(chance: random.Random) -> str:
    pick = chance.choice
    if chance.random() < 0.05:
        return "FAIL"
    begins = pick(("", *(f"from={time}" for time in TIMES)))
    words = (pick(OFTEN), pick(PREDICATES), pick(VALUES), f"scope={pick(SCOPES)}", begins)
    return " | ".join((*words, pick(ENDINGS)))


def some_sessions(chance: random.Random) -> list[SessionInput]:
    return [
        SessionInput(session=name, messages=some_lines(chance), at=chance.choice(TIMES[2:5]))
        for name in chance.sample(SESSIONS, chance.randint(1, 3))
    ]


@contextmanager
def written(sessions: list[SessionInput]) -> Iterator[Path]:
    """Write sessions to a file of JSON lines, which is gone afterwards."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "chats.jsonl"
        named = {"role": "user"}
        lines = [
            named | {"session": each.session, "content": each.messages, "timestamp": each.at}
            for each in sessions
        ]
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
        yield file
