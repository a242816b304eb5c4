"""Conversations and what is asked about them, whichever data set they come from."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """A turn as every system under test is given it.

    Attributes:
        label: What names it among the turns of its conversation.
        content: What was said, with whatever is said of the speaker in the text itself.
        role: The role under which it is said.
    """

    label: str
    content: str
    role: str = "user"


@dataclass(frozen=True, slots=True)
class SpokenSession:
    """A session: its name, when it took place, what was said."""

    name: str
    at: datetime
    turns: tuple[SpokenTurn, ...]


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question with what answers it.

    Attributes:
        text: The question.
        answer: The gold answer.
        category: The kind of question, in the data set's words.
        evidence: Labels of the turns that answer it, each once; empty when the data set names none.
        sessions: Names of the sessions that answer it.
    """

    text: str
    answer: str
    category: str
    evidence: tuple[str, ...]
    sessions: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation with everything that is asked about it.

    Attributes:
        name: Its name.
        part: The part of the data set whose figures it counts for.
        sessions: What was said, in the order in which it is remembered.
        questions: What is asked.
        now: When the questions are asked.
    """

    name: str
    part: str
    sessions: tuple[SpokenSession, ...]
    questions: tuple[AskedQuestion, ...]
    now: datetime


def file_sha256(path: Path) -> str:
    """Hash a data file, 64 hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
