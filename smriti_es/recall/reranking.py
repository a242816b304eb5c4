"""A judge's word on the best of a ranking, and the order that follows from it.

A judge is asked before the snapshot that answers is opened, of what an earlier one of the same
question and policy found, so that no transaction waits for a model. What it says is held by
position; the later snapshot alone decides what is there. Rows without a judgement keep their place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final

import numpy as np

from smriti_es.events.errors import EgressRefused
from smriti_es.recall.channels import Scores
from smriti_es.recall.rank import Ranking
from smriti_es.recall.visible import Positions
from smriti_es.rerankers.reranker import HitReranker, Reranker
from smriti_es.results import Hit

RERANK: Final = "rerank"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge said.

    Attributes:
        scores: Position -> score, of those that it judged.
        problem: What went wrong, in our own words alone; None: nothing.
    """

    scores: Mapping[int, float] = field(default_factory=dict)
    problem: str | None = None


def judgement(reranker: Reranker, question: str, hits: Sequence[Hit]) -> Judgement:
    """Ask a judge about hits; it may raise or answer what it will.

    What it raised is told by its kind alone: its words come from outside, and an answer may end up
    in a prompt.
    """
    if not hits:
        return Judgement()
    try:
        given = _asked(reranker, question, hits)
    except Exception as error:  # noqa: BLE001  no answer is lost to what a stranger's code does
        return Judgement(problem=_told(error))
    if given is None:
        return Judgement(problem=_fallen_back("it did not give one score for each text"))
    scores = {
        hit.position: float(score)
        for hit, score in zip(hits, given, strict=True)
        if _is_score(score)
    }
    lacking = len(hits) - len(scores)
    if not scores:
        return Judgement(problem=_fallen_back("it judged nothing"))
    problem = f"rerank: {lacking} of {len(hits)} were not judged and keep their place"
    return Judgement(scores, problem if lacking else None)


def reordered(
    ranking: Ranking,
    positions: Positions,
    judged: Mapping[int, float],
    *,
    depth: int,
    weight: float,
) -> Ranking:
    """Put the judged rows among the first of a ranking into the judge's order.

    Args:
        ranking: The order so far.
        positions: Position of each row of it.
        judged: Position -> score.
        depth: How many of the first rows may move.
        weight: From 1 on the judge alone decides; below, the score so far has the rest.

    Returns:
        The ranking; the places of the judged rows keep their scores, which the rows share out anew,
        so that scores still fall. The same ranking where nothing was judged.
    """
    head = positions[:depth].tolist()
    places = np.array([row for row, each in enumerate(head) if each in judged], np.int64)
    if len(places) == 0:
        return ranking
    said = np.array([judged[head[row]] for row in places])
    values = said if weight >= 1.0 else _blended(ranking.scores[places], said, max(weight, 0.0))
    rows = np.arange(len(ranking))
    rows[places] = places[np.argsort(-values, kind="stable")]
    moved = ranking.taken(rows)
    own, scores = moved.scores, ranking.scores
    told = np.full(len(ranking), np.nan)
    told[places] = said
    return Ranking(
        moved.places,
        scores,
        moved.parts | {RERANK: scores - own},
        moved.found | {RERANK: ~np.isnan(told[rows])},
        # In the order of the rows, for rows that come out equal stay as they were.
        moved.stages | {RERANK: -np.arange(len(ranking), dtype=np.float64)},
        judged=told[rows],
    )


def _asked(reranker: Reranker, question: str, hits: Sequence[Hit]) -> list[Any] | None:
    """Ask for scores; None where there is not one for each hit."""
    if isinstance(reranker, HitReranker):
        given = list(reranker.rerank_hits(question, hits))
    else:
        given = list(reranker.rerank(question, [hit.text for hit in hits]))
    return given if len(given) == len(hits) else None


def _is_score(given: Any) -> bool:
    """Tell whether something is a finite number, also one of numpy's."""
    try:
        return given is not None and not isinstance(given, str | bool) and isfinite(given)
    except (TypeError, ValueError, OverflowError):
        return False


def _blended(scores: Scores, said: Scores, weight: float) -> Scores:
    """Weigh the score so far with the judge's, which is spread out where it goes beyond 0 to 1."""
    top = float(scores.max(initial=0.0)) or 1.0
    low, high = float(said.min()), float(said.max())
    if low < 0.0 or high > 1.0:
        said = (said - low) / ((high - low) or 1.0)
    blended: Scores = (1.0 - weight) * scores / top + weight * said
    return blended


def _told(error: Exception) -> str:
    if isinstance(error, EgressRefused) or isinstance(error.__cause__, EgressRefused):
        return _fallen_back("the profile does not allow where it sends text")
    status = getattr(error, "status", None)
    answered = f", status {status}" if type(status) is int else ""
    return _fallen_back(f"it failed ({type(error).__name__}{answered})")


def _fallen_back(why: str) -> str:
    return f"rerank: {why}; the order is that without it"
