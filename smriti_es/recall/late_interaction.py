"""Late interaction: each word of a question looks for its own best match in a turn.

A turn's score is the sum, over the question's tokens, of the nearest that one of the turn's tokens
comes to it, weighed by how rare the word is among what the read may see. What stands next to a turn
is often half of what it says ("Where did you go?" "Lisbon!"), so that a token of the question may
find its match there, too, for a little less. Pure: arrays in, arrays out. Source: Khattab and
Zaharia, "ColBERT" (SIGIR 2020).
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numkong
import numpy as np
import numpy.typing as npt

from smriti_es.embedders.tokens import Span, TokenVectors
from smriti_es.projections.lexical.analysis import query_terms
from smriti_es.projections.vectors.token_rows import TokenMatrix, TokenRows, quantised
from smriti_es.recall.channels import Scores, best_of_each
from smriti_es.recall.visible import Positions, VisibleTurns
from smriti_es.recall.weights import RecallSettings

Matches = npt.NDArray[np.float32]
# Gives, for candidates, how near each token of the question comes to one of theirs: (candidates,
# tokens) cosines; NaN in the rows of those that have no token vectors.
CompareTokens = Callable[[Positions], Matches]


@dataclass(frozen=True, slots=True)
class Late:
    """Late interaction with one question.

    Attributes:
        matches: Compares candidates with it.
        weights: (tokens,) float64, what each token of the question counts for; 1 in all.
    """

    matches: CompareTokens
    weights: Scores


# Gives how rare a term is, as BM25 counts it.
Rarity = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class AskedTokens:
    """A question, ready to be compared token by token.

    Attributes:
        vectors: (tokens, dimension) int8, as rows have them.
        lengths: (tokens,) float64, the length of each.
        weights: (tokens,) float64, what each counts for; 1 in all.
    """

    vectors: TokenMatrix
    lengths: Scores
    weights: Scores


def asked_tokens(
    question: str,
    tokens: TokenVectors,
    terms: Collection[str],
    rarity: Rarity,
    settings: RecallSettings,
) -> AskedTokens:
    """Make a question ready.

    Args:
        question: Its text, which the places of the tokens are places of.
        tokens: Its token vectors, at least one.
        terms: What it is about; other words count as `common_token`.
        rarity: How rare each of the terms is.
        settings: The weights.
    """
    vectors = quantised(tokens.vectors)
    lengths = _lengths(vectors)
    weights = np.array(
        [_weight(question, span, terms, rarity, settings.common_token) for span in tokens.spans]
    )
    return AskedTokens(vectors, lengths, weights / weights.sum())


def _weight(
    question: str, span: Span, terms: Collection[str], rarity: Rarity, common: float
) -> float:
    """Weigh a token by its word: the pieces of one word share what the word is worth."""
    start, end = span
    while start > 0 and question[start - 1].isalnum():
        start -= 1
    while end < len(question) and question[end].isalnum():
        end += 1
    known = [rarity(term) for term in query_terms(question[start:end]) if term in terms]
    return max(known) * (span[1] - span[0]) / (end - start) if known else common


def nearest(asked: AskedTokens, rows: TokenRows) -> Matches:
    """Find how near each token of a question comes to one of each row's.

    Returns:
        (rows, tokens) float32 cosines. They depend on the two alone, to the last bit.

    Cost: about 1.5 ms for 300 turns of 30 tokens and a question of 12, on one thread.
    """
    if len(rows.positions) == 0:
        return np.zeros((0, len(asked.lengths)), np.float32)
    # Whole numbers all of them: exact, in whatever order they are added up.
    products = np.asarray(numkong.cdist(asked.vectors, rows.tokens, "dot"))
    products /= asked.lengths[:, None]
    products /= _lengths(rows.tokens)
    best: Matches = np.maximum.reduceat(products, rows.starts, axis=1).T.astype(np.float32)
    return best


def told_without_tokens(count: int) -> list[str]:
    """Say that turns and facts have vectors and no token vectors, if there are any."""
    if count == 0:
        return []
    return [
        f"late interaction: turns and facts without token vectors: {count}; "
        "`smriti-es projections rebuild vectors` makes them"
    ]


def _lengths(vectors: TokenMatrix) -> Scores:
    squares = np.asarray(numkong.dot(vectors, vectors), np.float64)
    return np.maximum(np.sqrt(squares), 1.0)


def late_candidates(
    candidates: Positions, scores: Scores, turns: VisibleTurns, settings: RecallSettings
) -> Positions:
    """Choose whose tokens are compared: the best so far, and what stands next to the very best.

    Args:
        candidates: Places of those that were nominated, ascending.
        scores: What they are worth so far.
        turns: What may be seen.
        settings: `late_depth` and `late_beside`.

    Returns:
        Places, ascending; some may not have been nominated.
    """
    fact = turns.is_fact[candidates]
    chosen = candidates[best_of_each(scores, settings.late_depth, fact)]
    leading = candidates[best_of_each(scores, settings.late_beside, fact)]
    before, after = turns.adjacent(leading)
    beside = np.concatenate([before, after])
    return np.union1d(chosen, beside[beside >= 0])


def late_scores(
    compared: Positions,
    matches: Matches,
    weights: Scores,
    turns: VisibleTurns,
    settings: RecallSettings,
) -> Scores:
    """Score those that were compared, each with what stands next to it.

    Args:
        compared: Their places, ascending.
        matches: (compared, tokens), see `CompareTokens`.
        weights: (tokens,) what each counts for.
        turns: What may be seen.
        settings: `late_adjacent`: what a match in the turn before or after is worth.

    Returns:
        Aligned with `compared`; NaN for those without token vectors.
    """
    # A row below all others, for what has nobody next to it.
    padded = np.vstack([matches, np.full((1, matches.shape[1]), np.nan, np.float32)])
    own = matches.astype(np.float64)
    for beside in turns.adjacent(compared):
        rows = np.minimum(np.searchsorted(compared, beside), len(compared) - 1)
        rows = np.where((beside >= 0) & (compared[rows] == beside), rows, len(compared))
        # What has no token vectors of its own is not told by its neighbours alone.
        own = np.where(np.isnan(own), own, np.fmax(own, settings.late_adjacent * padded[rows]))
    scores: Scores = own @ weights
    return scores
