"""The channels: each looks at the visible turns in its own way and nominates the best.

Everything is an array aligned with the visible turns; a channel has nothing to say of a turn where
it holds 0 (lexical) or NaN (semantic).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from math import log1p
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from smriti_es.recall.calendar_spans import Span
from smriti_es.recall.visible import Positions, VisibleTurns
from smriti_es.recall.weights import RecallSettings

Scores = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
# Gives places of the visible turns that have a term, and how often.
Postings = Callable[[str], tuple[Positions, Positions]]

_EPOCH_ORDINAL: Final = datetime(1970, 1, 1).toordinal()  # noqa: DTZ001  a day, not an instant


def bm25(
    terms: Sequence[str], postings: Postings, turns: VisibleTurns, settings: RecallSettings
) -> Scores:
    """Score turns by the question's terms.

    How rare a term is, and how long turns are, is counted over the visible turns alone: what a read
    may not see moves nothing in its answer.

    Args:
        terms: The terms, each once.
        postings: Where each occurs.
        turns: What may be seen.
        settings: `bm25_k1` and `bm25_b`.

    Returns:
        float64, aligned with the turns; 0 where no term occurs.

    Source: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009).
    """
    count = len(turns)
    scores = np.zeros(count)
    if count == 0:
        return scores
    mean, k1, b = turns.mean_length, settings.bm25_k1, settings.bm25_b
    for term in terms:
        places, frequencies = postings(term)
        often = frequencies.astype(np.float64)
        weighed = rarity(len(places), count) * often * (k1 + 1.0)
        norms = k1 * (1.0 - b + b * turns.lengths[places] / mean)
        scores[places] += weighed / (often + norms)
    return scores


def rarity(having: int, count: int) -> float:
    """Weigh a term by how many of the visible turns have it."""
    return log1p((count - having + 0.5) / (having + 0.5))


def said_within(turns: VisibleTurns, window: Span, zone: tzinfo) -> Mask:
    """Tell which turns were said on the days of a window, counted in the reader's zone."""
    first = _midnight(window.first, zone)
    last = _midnight(window.last, zone, days_later=1)
    return (turns.said_at >= first) & (turns.said_at < last)


def _midnight(day: object, zone: tzinfo, *, days_later: int = 0) -> int:
    ordinal = day.toordinal() + days_later  # type: ignore[attr-defined]
    try:
        start = datetime.fromordinal(ordinal).replace(tzinfo=zone)
        offset = start.utcoffset() or timedelta()
    except (ValueError, OverflowError):
        offset = timedelta()  # the edge of the calendar
    seconds = (ordinal - _EPOCH_ORDINAL) * 86_400 - offset.total_seconds()
    return int(seconds) * 1_000_000


def best(scores: npt.NDArray[np.floating[Any]], depth: int) -> Positions:
    """Give the places of the `depth` best scores; places at 0, below, or NaN are not nominated."""
    candidates = np.flatnonzero(scores > 0.0)  # NaN is not above anything
    if len(candidates) <= depth:
        return candidates
    chosen = np.argpartition(-scores[candidates], depth - 1)[:depth]
    return np.sort(candidates[chosen])


def best_of_each(scores: npt.NDArray[np.floating[Any]], depth: int, fact: Mask) -> Positions:
    """Give the best among turns, and the best among facts: neither crowds the other out."""
    if not fact.any():
        return best(scores, depth)
    among_turns, among_facts = np.where(fact, 0.0, scores), np.where(fact, scores, 0.0)
    return np.union1d(best(among_turns, depth), best(among_facts, depth))


def spread(
    values: npt.NDArray[np.floating[Any]], among: npt.NDArray[np.floating[Any]], floor: float
) -> Scores:
    """Spread values over the range that others have, from 0 to 1; NaN stays NaN.

    Args:
        values: What is to be spread.
        among: The others, at least one of them, and none of them NaN.
        floor: The least range that counts as one.
    """
    high = float(among.max())
    low = min(float(among.min()), high - floor)
    found: Scores = np.clip((values.astype(np.float64) - low) / (high - low), 0.0, 1.0)
    return found


@dataclass(frozen=True, slots=True)
class Linked:
    """How rows bear on those whom a question names.

    Attributes:
        named: float64, 0 to 1: how closely, by facts in which they occur.
        renamed: Whether they occur under a name that is not in the question.
    """

    named: Scores
    renamed: Mask

    @property
    def found(self) -> Scores:
        """Give what is nominated, the best first."""
        both: Scores = np.maximum(self.named, self.renamed)
        return both


@dataclass(frozen=True, slots=True)
class Channels:
    """What the channels say of the visible turns.

    Attributes:
        lexical: BM25; 0 where no term occurs.
        semantic: Cosine; NaN where it is not known. None: the channel does not take part.
        in_window: Said within the days that the question names; None: it names none.
        entity: How it bears on those whom the question names; None: on nobody.
    """

    lexical: Scores
    semantic: npt.NDArray[np.float32] | None
    in_window: Mask | None
    entity: Linked | None = None
