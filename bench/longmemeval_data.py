"""Files in LongMemEval's form: a question, and sessions among which its answer lies.

Source: Wu et al., "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory"
(ICLR 2025). Each question has sessions of its own, so each becomes a conversation. A question whose
id ends in `_abs` asks for what nobody said: it is asked, and nothing is there to be found.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from bench.conversations import AskedQuestion, Conversation, SpokenSession, SpokenTurn

PART: Final = "all"
_TIME: Final = "%Y/%m/%d %H:%M"
_ABSTENTION: Final = "_abs"


def load_longmemeval(path: Path, *, at_most: int | None = None) -> list[Conversation]:
    """Read questions with their sessions.

    Args:
        path: A file of the data set, or one like it.
        at_most: How many questions to read, spread evenly over the file, which is in the order of
            their types; None for all.

    Raises:
        ValueError: A question has not as many times or names as sessions.
    """
    samples = json.loads(path.read_text("utf-8"))
    if at_most is not None and at_most < len(samples):
        samples = [samples[number * len(samples) // at_most] for number in range(at_most)]
    return [_conversation(sample) for sample in samples]


def question_time(text: str) -> datetime:
    """Read a time, for example `2023/05/30 (Tue) 23:40`, as UTC."""
    day, _, clock = text.strip().split()
    return datetime.strptime(f"{day} {clock}", _TIME).replace(tzinfo=UTC)


def _conversation(sample: Mapping[str, Any]) -> Conversation:
    given = zip(
        sample["haystack_session_ids"],
        sample["haystack_dates"],
        sample["haystack_sessions"],
        strict=True,
    )
    answering = set(sample["answer_session_ids"])
    sessions: list[SpokenSession] = []
    evidence: list[str] = []
    found: set[str] = set()
    for number, (name, at, turns) in enumerate(given):
        session = SpokenSession(
            name=f"{number}:{name}",  # a file may name two sessions alike
            at=question_time(at),
            turns=tuple(
                SpokenTurn(f"{number}:{index}", turn["content"], turn["role"])
                for index, turn in enumerate(turns)
                if turn["content"].strip()
            ),
        )
        sessions.append(session)
        if name in answering:
            found.add(session.name)
        evidence += [
            f"{number}:{index}" for index, turn in enumerate(turns) if turn.get("has_answer")
        ]
    abstains = sample["question_id"].endswith(_ABSTENTION)
    question = AskedQuestion(
        text=sample["question"],
        answer=str(sample["answer"]),
        category="abstention" if abstains else sample["question_type"],
        evidence=() if abstains else tuple(evidence),
        sessions=frozenset() if abstains else frozenset(found),
    )
    return Conversation(
        name=sample["question_id"],
        part=PART,
        sessions=tuple(sorted(sessions, key=lambda session: session.at)),
        questions=(question,),
        now=question_time(sample["question_date"]),
    )
