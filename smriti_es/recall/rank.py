"""From channels to one order: scores are fused, weighed by what the question asks, and sorted.

Source: the evidence engine described in the design page on recall; the weights are data
(`weights`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from smriti_es.projections.lexical.analysis import query_terms
from smriti_es.recall.channels import (
    Channels,
    Mask,
    Postings,
    Scores,
    best_of_each,
    bm25,
    spread,
)
from smriti_es.recall.late_interaction import Late, late_candidates, late_scores
from smriti_es.recall.question import Question
from smriti_es.recall.surroundings import of_neighbours, of_session
from smriti_es.recall.visible import ASSISTANT, Positions, VisibleTurns
from smriti_es.recall.weights import RecallSettings

NO_SPEAKER: Final = -1
# Gives, for candidates that were not said within the window, whether they speak of its days.
SpeaksOfWindow = Callable[[Positions], Mask]
# Gives how severe a failure each candidate is.
WeighFailures = Callable[[Positions], Scores]
# Gives the cosine of candidates that the semantic channel did not nominate itself.
ExactCosine = Callable[[Positions], npt.NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Turns in the order of their score, best first.

    Attributes:
        places: Into the visible turns.
        scores: float64, aligned with `places`, falling.
        parts: Contributions to each score, by name, aligned with `places`.
        found: Channel -> which of them it found.
        stages: Step of the ranking -> what each of them was worth after it; in their order.
        judged: What a reranker gave each of them, NaN where nothing; None: none was asked.
    """

    places: Positions
    scores: Scores
    parts: dict[str, Scores] = field(default_factory=dict)
    found: dict[str, Mask] = field(default_factory=dict)
    stages: dict[str, Scores] = field(default_factory=dict)
    judged: Scores | None = None

    def __len__(self) -> int:
        return len(self.places)

    def ranks(self) -> dict[str, Positions]:
        """Give the rank of each row, 1 for the best, after each step."""
        ranked = {}
        for name, scores in self.stages.items():
            order = np.lexsort((self.places, -scores))
            ranks = np.empty(len(order), np.int64)
            ranks[order] = np.arange(1, len(order) + 1)
            ranked[name] = ranks
        return ranked

    def scaled(self, factor: float) -> "Ranking":
        """Give it with every score and part multiplied."""
        return replace(
            self,
            scores=self.scores * factor,
            parts={name: part * factor for name, part in self.parts.items()},
            stages={name: scores * factor for name, scores in self.stages.items()},
        )

    def taken(self, rows: Positions) -> "Ranking":
        """Give some of the rows, in the order in which they are named."""
        return Ranking(
            self.places[rows],
            self.scores[rows],
            {name: part[rows] for name, part in self.parts.items()},
            {name: mask[rows] for name, mask in self.found.items()},
            {name: scores[rows] for name, scores in self.stages.items()},
            None if self.judged is None else self.judged[rows],
        )


def rank(  # noqa: PLR0913  each is one input of the stage
    question: Question,
    turns: VisibleTurns,
    channels: Channels,
    settings: RecallSettings,
    *,
    postings: Postings,
    exact_cosine: ExactCosine,
    speaks_of_window: SpeaksOfWindow,
    late: Late | None = None,
    away: Mask | None = None,
    failures: WeighFailures | None = None,
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
        late: Compares token by token; None: that takes no part.
        failures: Weighs severe failures, 0 to 1; None: there are none.
        away: Which rows are facts that do not hold at the time asked about; None: none.

    Returns:
        The ranking; ties go to the older turn. The same input always gives the same order.
    """
    candidates = _nominated(channels, turns, settings)
    named = _named_speakers(question, turns, candidates, settings)
    # A name stands before each of its bearer's turns: as a term it would find them all.
    rest = [term for term in question.terms if term not in named.mentioned_terms]
    if rest and named.mentioned_terms:
        channels = replace(channels, lexical=bm25(rest, postings, turns, settings))
        more = best_of_each(channels.lexical, settings.depth, turns.is_fact)
        candidates = np.union1d(candidates, more)
    if len(candidates) == 0:
        return Ranking(candidates, np.zeros(0))
    parts = _fused(candidates, channels, settings, exact_cosine)
    stages = {}
    if late is not None:
        compared = late_candidates(candidates, _sum(parts), turns, settings)
        candidates = np.union1d(candidates, compared)
        parts = _fused(candidates, channels, settings, exact_cosine)
        stages["fused"] = _sum(parts)
        _interact(parts, candidates, compared, late, turns, settings)
        stages["late"] = _sum(parts)
    else:
        stages["fused"] = _sum(parts)
    temporal = _temporal(candidates, channels, speaks_of_window)
    _add_boosts(parts, candidates, turns, question, channels, temporal, settings)
    factor = _factors(candidates, turns, question, named.ids, away, settings, failures)
    parts = {name: part * factor for name, part in parts.items()}
    stages["priors"] = _sum(parts)
    scores = stages["surroundings"] = _with_surroundings(parts, candidates, turns, settings)
    found = _found(candidates, channels, parts["semantic"], temporal)
    order = np.lexsort((candidates, -scores))
    return Ranking(candidates, scores, parts, found, stages).taken(order)


def _found(
    candidates: Positions, channels: Channels, semantic: Scores, temporal: Mask
) -> dict[str, Mask]:
    """Tell which channels found each candidate."""
    entity = channels.entity
    linked = np.zeros(len(candidates)) if entity is None else entity.found[candidates]
    return {
        "lexical": channels.lexical[candidates] > 0.0,
        "semantic": semantic > 0.0,
        "entity": linked > 0.0,
        "temporal": temporal,
    }


def merged(rankings: Sequence[Ranking]) -> Ranking:
    """Join rankings of the parts of one question: each turn by its best score."""
    places = np.concatenate([ranking.places for ranking in rankings])
    scores = np.concatenate([ranking.scores for ranking in rankings])
    order = np.lexsort((places, -scores))
    # The first row of each turn, in the order of scores, is its best.
    _, first = np.unique(places[order], return_index=True)
    chosen = order[np.sort(first)]
    return Ranking(
        places,
        scores,
        _end_to_end([ranking.parts for ranking in rankings], rankings),
        _end_to_end([ranking.found for ranking in rankings], rankings),
        _end_to_end([ranking.stages for ranking in rankings], rankings),
    ).taken(chosen)


def _end_to_end(
    columns: Sequence[Mapping[str, Any]], rankings: Sequence[Ranking]
) -> dict[str, Any]:
    """Join columns of the same name; a ranking that lacks one has zeros there."""
    names = dict.fromkeys(name for each in columns for name in each)
    return {
        name: np.concatenate(
            [each.get(name, np.zeros(len(r))) for each, r in zip(columns, rankings, strict=True)]
        ).astype(next(each[name].dtype for each in columns if name in each))
        for name in names
    }


def _sum(parts: Mapping[str, Scores]) -> Scores:
    added: Scores = np.sum(list(parts.values()), axis=0)
    return added


def _nominated(channels: Channels, turns: VisibleTurns, settings: RecallSettings) -> Positions:
    fact = turns.is_fact
    nominations = [best_of_each(channels.lexical, settings.depth, fact)]
    if channels.semantic is not None:
        nominations.append(best_of_each(channels.semantic, settings.depth, fact))
    if channels.entity is not None:
        nominations.append(best_of_each(channels.entity.found, settings.depth, fact))
    if channels.in_window is not None:
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
    known = None if channels.semantic is None else channels.semantic[~np.isnan(channels.semantic)]
    if channels.semantic is not None and known is not None and len(known):
        cosine = channels.semantic[candidates].astype(np.float64)
        unknown = np.isnan(cosine)
        if unknown.any():
            cosine[unknown] = exact(candidates[unknown])
        found = spread(cosine, known, settings.semantic_floor)
        parts["semantic"] = settings.semantic * np.nan_to_num(found, nan=0.0)
    return parts


def _interact(
    parts: dict[str, Scores],
    candidates: Positions,
    compared: Positions,
    late: Late,
    turns: VisibleTurns,
    settings: RecallSettings,
) -> None:
    """Give late interaction its share of the score.

    What was compared and has no token vectors keeps what the other channels say of it.
    """
    found = late_scores(compared, late.matches(compared), late.weights, turns, settings)
    unknown = np.isnan(found)
    if unknown.all():
        return
    interacted = np.zeros(len(candidates))
    rows = np.searchsorted(candidates, compared)
    first = _sum(parts)
    whole = settings.lexical + settings.semantic
    interacted[rows] = spread(found, found[~unknown], settings.late_floor)
    untold = rows[unknown]
    interacted[untold] = first[untold] / whole if whole > 0.0 else 0.0
    for name in parts:
        parts[name] = (1.0 - settings.late) * parts[name]
    parts["late"] = settings.late * interacted


def _temporal(candidates: Positions, channels: Channels, speaks_of_window: SpeaksOfWindow) -> Mask:
    if channels.in_window is None:
        return np.zeros(len(candidates), np.bool_)
    temporal = channels.in_window[candidates].copy()
    temporal[~temporal] = speaks_of_window(candidates[~temporal])
    return temporal


def _add_boosts(
    parts: dict[str, Scores],
    candidates: Positions,
    turns: VisibleTurns,
    question: Question,
    channels: Channels,
    temporal: Mask,
    settings: RecallSettings,
) -> None:
    """Add what names, days, and mentions of a date are worth where the question asks for them."""
    asked = turns.dateish[candidates] & question.asks_when
    parts["temporal"] = np.where(temporal, settings.in_window, 0.0)
    parts["when"] = np.where(asked, settings.when, 0.0)
    if channels.entity is not None:
        named = settings.entity * channels.entity.named[candidates]
        renamed = np.where(channels.entity.renamed[candidates], settings.alias, 0.0)
        parts["entity"] = np.maximum(named, renamed)


def _factors(
    candidates: Positions,
    turns: VisibleTurns,
    question: Question,
    named: frozenset[int],
    away: Mask | None,
    settings: RecallSettings,
    failures: WeighFailures | None,
) -> Scores:
    """Scale down what the question does not ask for, and up what went badly wrong before.

    Factors come last, so that a turn that is not asked for does not regain its rank by a date.
    """
    factor = np.where(turns.is_fact[candidates], settings.fact, 1.0)
    if not question.addresses_assistant:
        factor[turns.roles[candidates] == ASSISTANT] *= settings.assistant
    if named:
        other = ~np.isin(turns.speakers[candidates], list(named))
        factor[other] *= settings.other_speaker
    if away is not None:
        factor[away[candidates]] *= settings.away_fact
    if failures is not None:
        factor *= 1.0 + settings.severe * failures(candidates)
    return factor


def _with_surroundings(
    parts: dict[str, Scores],
    candidates: Positions,
    turns: VisibleTurns,
    settings: RecallSettings,
) -> Scores:
    """Add shares of the neighbours' score, and of the session's best with these in it."""
    own = _sum(parts)
    parts["neighbour"] = settings.neighbour * of_neighbours(candidates, own, turns)
    scores: Scores = own + parts["neighbour"]
    parts["session"] = settings.session * of_session(candidates, scores, turns)
    return scores + parts["session"]
