"""From channels to one order: scores are fused, weighed by what the question asks, and sorted.

Source: the evidence engine described in the design page on recall; the weights are data
(`weights`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from smriti_es.projections.lexical.analysis import query_terms
from smriti_es.recall.channels import Channels, Mask, Postings, Scores, best_of_each, bm25
from smriti_es.recall.question import Question
from smriti_es.recall.visible import ASSISTANT, Positions, VisibleTurns
from smriti_es.recall.weights import RecallSettings

NO_SPEAKER: Final = -1
# Gives, for candidates that were not said within the window, whether they speak of its days.
SpeaksOfWindow = Callable[[Positions], Mask]
# Gives the cosine of candidates that the semantic channel did not nominate itself.
ExactCosine = Callable[[Positions], npt.NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Turns in the order of their score, best first.

    Attributes:
        places: Into the visible turns.
        scores: float64, aligned with `places`, falling.
        parts: Contributions to each score, by name, aligned with `places`.
        lexical: Which of them the lexical channel found.
        semantic: Which of them the semantic channel compared.
        temporal: Which of them lie in, or speak of, the days that the question names.
    """

    places: Positions
    scores: Scores
    parts: dict[str, Scores] = field(default_factory=dict)
    lexical: Mask = field(default_factory=lambda: np.zeros(0, np.bool_))
    semantic: Mask = field(default_factory=lambda: np.zeros(0, np.bool_))
    temporal: Mask = field(default_factory=lambda: np.zeros(0, np.bool_))

    def __len__(self) -> int:
        return len(self.places)


def rank(  # noqa: PLR0913  each is one input of the stage
    question: Question,
    turns: VisibleTurns,
    channels: Channels,
    settings: RecallSettings,
    *,
    postings: Postings,
    exact_cosine: ExactCosine,
    speaks_of_window: SpeaksOfWindow,
    away: Mask | None = None,
) -> Ranking:
    """Order the turns that the channels nominate.

    Args:
        question: What is asked.
        turns: What may be seen.
        channels: What the channels say of it.
        settings: The weights.
        postings: Where a term occurs, for a second look without the speakers' names.
        exact_cosine: The cosine of candidates for which the semantic channel gave none.
        speaks_of_window: Whether candidates mention days of the question's window.
        away: Which rows are facts that do not hold at the time asked about; None: none.

    Returns:
        The ranking; ties go to the older turn. The same input always gives the same order.
    """
    candidates = _nominated(channels, turns, settings)
    named = _named_speakers(question, turns, candidates, settings)
    lexical = channels.lexical
    if named.mentioned_terms:
        # A name stands before each of its bearer's turns: as a term it would find them all.
        rest = [term for term in question.terms if term not in named.mentioned_terms]
        if rest:
            lexical = bm25(rest, postings, turns, settings)
            channels = replace(channels, lexical=lexical)
            candidates = np.union1d(candidates, best_of_each(lexical, settings.depth, turns))
    if len(candidates) == 0:
        return Ranking(candidates, np.zeros(0))
    parts = _fused(candidates, channels, settings, exact_cosine)
    temporal = _temporal(candidates, channels, speaks_of_window)
    _weigh(parts, candidates, turns, question, named.ids, temporal, settings)
    if away is not None:
        factor = np.where(away[candidates], settings.away_fact, 1.0)
        parts = {name: part * factor for name, part in parts.items()}
    scores = _with_session(parts, candidates, turns, settings)
    order = np.lexsort((candidates, -scores))
    return Ranking(
        candidates[order],
        scores[order],
        {name: part[order] for name, part in parts.items()},
        (lexical[candidates] > 0.0)[order],
        (parts["semantic"] > 0.0)[order],
        temporal[order],
    )


def merged(rankings: Sequence[Ranking]) -> Ranking:
    """Join rankings of the parts of one question: each turn by its best score."""
    places = np.concatenate([ranking.places for ranking in rankings])
    scores = np.concatenate([ranking.scores for ranking in rankings])
    order = np.lexsort((places, -scores))
    # The first row of each turn, in the order of scores, is its best.
    _, first = np.unique(places[order], return_index=True)
    chosen = order[np.sort(first)]
    names = {name for ranking in rankings for name in ranking.parts}
    return Ranking(
        places[chosen],
        scores[chosen],
        {
            name: np.concatenate([r.parts.get(name, np.zeros(len(r))) for r in rankings])[chosen]
            for name in sorted(names)
        },
        np.concatenate([ranking.lexical for ranking in rankings])[chosen],
        np.concatenate([ranking.semantic for ranking in rankings])[chosen],
        np.concatenate([ranking.temporal for ranking in rankings])[chosen],
    )


def _nominated(channels: Channels, turns: VisibleTurns, settings: RecallSettings) -> Positions:
    nominations = [best_of_each(channels.lexical, settings.depth, turns)]
    if channels.semantic is not None:
        nominations.append(best_of_each(channels.semantic, settings.depth, turns))
    if channels.in_window is not None:
        fact = turns.is_fact
        nominations += [
            np.flatnonzero(channels.in_window & each)[: 2 * settings.depth]
            for each in (fact, ~fact)
        ]
    return np.unique(np.concatenate(nominations))


@dataclass(frozen=True, slots=True)
class _Named:
    """Speakers whom a question names.

    Attributes:
        ids: Their numbers; empty when it names none, or all of them.
        mentioned_terms: The terms of the question that are their names.
    """

    ids: frozenset[int]
    mentioned_terms: frozenset[str]


def _named_speakers(
    question: Question, turns: VisibleTurns, candidates: Positions, settings: RecallSettings
) -> _Named:
    speakers = turns.speakers[candidates]
    numbers, counts = np.unique(speakers[speakers != NO_SPEAKER], return_counts=True)
    present = [int(n) for n in numbers[counts >= settings.speaker_turns_min]]
    asked = frozenset(query_terms(question.text))
    names = {n: query_terms(turns.speaker_names[n]) for n in present}
    # The first name will do: nobody asks "what did Caroline Smith say" of a friend.
    mentioned = [n for n in present if names[n] and names[n][0] in asked]
    ids = frozenset(mentioned) if len(mentioned) < len(present) else frozenset()
    return _Named(ids, frozenset(term for n in mentioned for term in names[n]))


def _fused(
    candidates: Positions, channels: Channels, settings: RecallSettings, exact: ExactCosine
) -> dict[str, Scores]:
    """Weigh the two channels, each spread over this question's own range."""
    lexical = channels.lexical[candidates]
    top = float(channels.lexical.max(initial=0.0))
    parts = {"lexical": settings.lexical * (lexical / top if top > 0.0 else lexical)}
    parts["semantic"] = np.zeros(len(candidates))
    if channels.semantic is not None and np.isfinite(channels.semantic).any():
        cosine = channels.semantic[candidates].astype(np.float64)
        unknown = np.isnan(cosine)
        if unknown.any():
            cosine[unknown] = exact(candidates[unknown])
        high = float(np.nanmax(channels.semantic))
        low = min(float(np.nanmin(channels.semantic)), high - settings.semantic_floor)
        spread: Scores = np.nan_to_num((cosine - low) / (high - low), nan=0.0)
        parts["semantic"] = settings.semantic * np.clip(spread, 0.0, 1.0)
    return parts


def _temporal(candidates: Positions, channels: Channels, speaks_of_window: SpeaksOfWindow) -> Mask:
    if channels.in_window is None:
        return np.zeros(len(candidates), np.bool_)
    temporal = channels.in_window[candidates].copy()
    temporal[~temporal] = speaks_of_window(candidates[~temporal])
    return temporal


def _weigh(
    parts: dict[str, Scores],
    candidates: Positions,
    turns: VisibleTurns,
    question: Question,
    named: frozenset[int],
    temporal: Mask,
    settings: RecallSettings,
) -> None:
    """Add what the question's kind is worth and scale what it does not ask for.

    Factors come last, so that a turn that is not asked for does not regain its rank by a date.
    """
    asked = turns.dateish[candidates] & question.asks_when
    parts["temporal"] = np.where(temporal, settings.in_window, 0.0)
    parts["when"] = np.where(asked, settings.when, 0.0)
    factor = np.ones(len(candidates))
    if not question.addresses_assistant:
        factor[turns.roles[candidates] == ASSISTANT] *= settings.assistant
    if named:
        other = ~np.isin(turns.speakers[candidates], list(named))
        factor[other] *= settings.other_speaker
    for name in parts:
        parts[name] = parts[name] * factor


def _with_session(
    parts: dict[str, Scores],
    candidates: Positions,
    turns: VisibleTurns,
    settings: RecallSettings,
) -> Scores:
    """Add a share of the session's best: a turn amid good evidence is likelier to belong to it."""
    own = np.sum(list(parts.values()), axis=0)
    slots, count = turns.session_slots
    best_of = np.zeros(count)
    np.maximum.at(best_of, slots[candidates], own)
    parts["session"] = settings.session * best_of[slots[candidates]]
    scores: Scores = own + parts["session"]
    return scores
