"""How much of the evidence a ranking and a context hold: the metrics of the benches of recall.

Every metric is a value from 0 to 1 per question; the bench reports means over the questions that
have evidence.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

DEPTHS: Final = (1, 3, 5, 10, 20, 50)
_PREFIX_CHARS: Final = 120
_ANSWER_CHARS_MIN: Final = 3
# A date that a packer put behind a relative expression; a turn with it in still counts as whole.
_INLINE_DATE: Final = re.compile(r" \[\d{4}(?:-\d{2}(?:-\d{2}(?:\.\.\d{4}-\d{2}-\d{2})?)?)?\]")
_BLANKS: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What answers a question.

    Attributes:
        turns: The evidence turns by label, each with its content as it was handed in.
        sessions: Names of the sessions that answer it, with those turns or without.
        session_of: The session of each turn of the conversation, by label.
        answer: The gold answer.
    """

    turns: Mapping[str, str]
    sessions: frozenset[str]
    session_of: Mapping[str, str]
    answer: str

    def __bool__(self) -> bool:
        return bool(self.turns or self.sessions)


def normalise(text: str) -> str:
    """Write a text as it is compared: without inline dates, single blanks, lower case."""
    return _BLANKS.sub(" ", _INLINE_DATE.sub("", text)).strip().lower()


def ranking_scores(ranked: Sequence[str | None], evidence: Evidence) -> dict[str, float]:
    """Score a ranking.

    Args:
        ranked: Labels of turns, best first; None for a fact, which takes a place and is no turn.
        evidence: What answers the question.

    Returns:
        `r@k`: share of the evidence turns among the first k. `all@k`: 1 when all of them are.
        `sr@k`: share of the evidence sessions that the first k touch. Those of turns are left out
        where no turn is named, those of sessions where no session is.
    """
    wanted, sessions = set(evidence.turns), evidence.sessions
    scores: dict[str, float] = {}
    for depth in DEPTHS:
        top = [label for label in ranked[:depth] if label is not None]
        if wanted:
            scores[f"r@{depth}"] = len(wanted.intersection(top)) / len(wanted)
            scores[f"all@{depth}"] = float(wanted.issubset(top))
        if sessions:
            touched = {evidence.session_of[label] for label in top}
            scores[f"sr@{depth}"] = len(sessions & touched) / len(sessions)
    return scores


def context_scores(context: str, evidence: Evidence) -> dict[str, float]:
    """Score a context.

    Args:
        context: The text that a model would read.
        evidence: What answers the question; at least one turn.

    Returns:
        `ctx_full`: share of the evidence turns whose whole content is in the context.
        `ctx_all_full`: 1 when all are. `ctx_prefix`: share whose first 120 characters are.
        `ans_in_ctx`: 1 when the gold answer is in the context; left out where no evidence turn
        holds the answer word for word.
    """
    there = normalise(context)
    contents = [normalise(content) for content in evidence.turns.values()]
    whole = [content in there for content in contents]
    begun = [content[:_PREFIX_CHARS] in there for content in contents]
    scores = {
        "ctx_full": sum(whole) / len(whole),
        "ctx_all_full": float(all(whole)),
        "ctx_prefix": sum(begun) / len(begun),
    }
    answer = normalise(evidence.answer)
    if len(answer) >= _ANSWER_CHARS_MIN and any(answer in content for content in contents):
        scores["ans_in_ctx"] = float(answer in there)
    return scores


def mean_scores(scored: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Average each metric over the questions that have it, in percent with two decimals."""
    sums: dict[str, float] = {}
    counts: dict[str, int] = {}
    for scores in scored:
        for name, value in scores.items():
            sums[name] = sums.get(name, 0.0) + value
            counts[name] = counts.get(name, 0) + 1
    return {name: round(100.0 * sums[name] / counts[name], 2) for name in sums}
