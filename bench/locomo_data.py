"""LoCoMo as the bench reads it: conversations, questions, cleaned evidence labels, splits.

Source: Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents" (ACL 2024);
the file is `locomo10.json` of snap-research/locomo. The text of a turn, the cleaning of labels and
the two splits are those of the published figures that ours stand beside.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, get_args

from bench.conversations import (
    AskedQuestion,
    Conversation,
    SpokenSession,
    SpokenTurn,
    file_sha256,
)

Split = Literal["dev", "test"]
SPLITS: Final[tuple[Split, ...]] = get_args(Split)

# The release whose counts are known; another file runs as well, without the comparison.
KNOWN_SHA256: Final = "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4"
KNOWN_SCORED: Final[Mapping[Split, int]] = {"dev": 786, "test": 749}
KNOWN_QUESTIONS: Final = 1_540
KNOWN_TURNS: Final = 5_882

# The adversarial category, 5, asks for what nobody said and has no evidence to find.
CATEGORIES: Final[Mapping[int, str]] = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
}

# Conversations in order of their number alternate between the splits.
_ORDER: Final = (26, 30, 41, 42, 43, 44, 47, 48, 49, 50)
_SESSION: Final = re.compile(r"session_(\d+)")
_LABEL_BREAK: Final = re.compile(r"[;,\s]+")
_SESSION_TIME: Final = "%I:%M %p on %d %B, %Y"


def load_locomo(path: Path) -> list[Conversation]:
    """Read every conversation of the file, in its order.

    Raises:
        ValueError: It is the known release, and the counts are not those that it has.
    """
    conversations = [_conversation(sample) for sample in json.loads(path.read_text("utf-8"))]
    if file_sha256(path) == KNOWN_SHA256:
        assert_known_counts(conversations)
    return conversations


def assert_known_counts(conversations: Sequence[Conversation]) -> None:
    """Compare turns, questions and scored questions with those of the known release.

    Raises:
        ValueError: A count differs, so that no figure would be comparable.
    """
    found: dict[str, int] = {
        "turns": sum(len(s.turns) for c in conversations for s in c.sessions),
        "questions": sum(len(c.questions) for c in conversations),
    }
    expected: dict[str, int] = {"turns": KNOWN_TURNS, "questions": KNOWN_QUESTIONS}
    for split in SPLITS:
        found[split] = sum(
            bool(q.evidence) for c in conversations if c.part == split for q in c.questions
        )
        expected[split] = KNOWN_SCORED[split]
    if found != expected:
        raise ValueError(f"counted {found}, the release has {expected}")


def split_of(name: str) -> Split:
    """Tell the split of a conversation by its number, for example `conv-26`.

    Raises:
        ValueError: No such conversation is in the release.
    """
    place = _ORDER.index(int(name.rpartition("-")[2]))
    return "dev" if place % 2 == 0 else "test"


def clean_labels(given: Sequence[str], known: frozenset[str]) -> tuple[str, ...]:
    """Read evidence labels: several may share one string, and some name turns that do not exist.

    Args:
        given: The labels as the data set writes them.
        known: The labels of the conversation's turns; others are left out.

    Returns:
        The known labels in the order given, each once.
    """
    single = (label for text in given for label in _LABEL_BREAK.split(text))
    return tuple(dict.fromkeys(label for label in single if label in known))


def session_time(text: str) -> datetime:
    """Read a session's time, for example `1:56 pm on 8 May, 2023`, as UTC."""
    return datetime.strptime(text.strip(), _SESSION_TIME).replace(tzinfo=UTC)


def turn_content(turn: Mapping[str, Any]) -> str:
    """Write a turn as `speaker: text`, followed by what an image that came with it shows."""
    text = turn.get("text") or turn.get("clean_text") or ""
    caption = turn.get("blip_caption")
    shown = f" [shared an image: {caption}]" if caption else ""
    return f"{turn['speaker']}: {text}{shown}"


def _conversation(sample: Mapping[str, Any]) -> Conversation:
    sessions = tuple(_sessions(sample["sample_id"], sample["conversation"]))
    session_of = {turn.label: session.name for session in sessions for turn in session.turns}
    return Conversation(
        name=sample["sample_id"],
        part=split_of(sample["sample_id"]),
        sessions=sessions,
        questions=tuple(
            _question(asked, session_of)
            for asked in sample["qa"]
            if asked["category"] in CATEGORIES
        ),
        now=sessions[-1].at,
    )


def _question(asked: Mapping[str, Any], session_of: Mapping[str, str]) -> AskedQuestion:
    evidence = clean_labels(asked.get("evidence") or (), frozenset(session_of))
    return AskedQuestion(
        text=asked["question"],
        answer=str(asked.get("answer", "")),
        category=CATEGORIES[asked["category"]],
        evidence=evidence,
        sessions=frozenset(session_of[label] for label in evidence),
    )


def _sessions(name: str, conversation: Mapping[str, Any]) -> Iterator[SpokenSession]:
    numbers = sorted(
        int(match[1])
        for key, turns in conversation.items()
        if (match := _SESSION.fullmatch(key)) and turns
    )
    for number in numbers:
        yield SpokenSession(
            name=f"{name}:session_{number}",
            at=session_time(conversation[f"session_{number}_date_time"]),
            turns=tuple(
                SpokenTurn(turn["dia_id"], turn_content(turn))
                for turn in conversation[f"session_{number}"]
            ),
        )
