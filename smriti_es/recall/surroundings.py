"""What stands around a turn is worth something to it: its neighbours, and its session.

An answer seldom repeats the words of its question, and the question before it has them; a turn amid
good evidence is likelier to be evidence itself. Pure: arrays in, arrays out.
"""

import numpy as np

from smriti_es.recall.channels import Scores
from smriti_es.recall.visible import Positions, VisibleTurns


def of_neighbours(candidates: Positions, scores: Scores, turns: VisibleTurns) -> Scores:
    """Give, for each candidate, the better score of the turns right before and right after it.

    A fact has nobody beside it and is not to fall behind for that: its own score stands for both.

    Args:
        candidates: Places, ascending; what is not among them counts 0.
        scores: Aligned with them.
        turns: What may be seen.
    """
    padded = np.append(scores, 0.0)
    best = np.zeros(len(candidates))
    for beside in turns.adjacent(candidates):
        rows = np.minimum(np.searchsorted(candidates, beside), len(candidates) - 1)
        there = (beside >= 0) & (candidates[rows] == beside)
        best = np.maximum(best, padded[np.where(there, rows, len(candidates))])
    found: Scores = np.where(turns.is_fact[candidates], scores, best)
    return found


def of_session(candidates: Positions, scores: Scores, turns: VisibleTurns) -> Scores:
    """Give, for each candidate, the best score among the candidates of its session."""
    names, slots = np.unique(turns.sessions[candidates], return_inverse=True)
    best = np.zeros(len(names))
    np.maximum.at(best, slots.reshape(-1), scores)
    found: Scores = best[slots.reshape(-1)]
    return found
