"""The last rankings, for who asks the same again: a search and a context share one ranking.

A ranking is taken over only where everything that it was made from is the same, to the last row; it
is never older than the snapshot that is read.
"""

import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Final

import numpy as np

from smriti_es.recall.asking import Asking
from smriti_es.recall.question import Question
from smriti_es.recall.rank import Ranking

_KEPT: Final = 4
# What an answer leaves behind, and the snapshot itself: the rows in it are told by all the others.
_NOT_COMPARED: Final = frozenset(("connection", "problems", "lacking"))


@dataclass(frozen=True, slots=True)
class _Answered:
    question: Question
    made_from: Mapping[str, Any]
    newest: int
    ranking: Ranking
    lacking: frozenset[int]


class RecentRankings:
    """Keeps the last rankings of one log."""

    def __init__(self) -> None:
        self._kept: deque[_Answered] = deque(maxlen=_KEPT)
        self._door = threading.Lock()

    def answer(self, asking: Asking, question: Question) -> Ranking:
        """Rank, or give what the same question was given over the same rows."""
        newest = asking.newest_vector()
        made_from = {
            each.name: getattr(asking, each.name)
            for each in fields(asking)
            if each.name not in _NOT_COMPARED
        }
        with self._door:
            kept = list(self._kept)
        for one in kept:
            if (
                one.question == question
                and one.newest == newest
                and _same(one.made_from, made_from)
            ):
                asking.lacking.update(one.lacking)
                return one.ranking
        ranking = asking.answer(question)
        if asking.problems:
            return ranking  # what went wrong may go right when it is tried again
        answered = _Answered(
            question,
            made_from,
            newest,
            ranking,
            frozenset(asking.lacking),
        )
        with self._door:
            self._kept.appendleft(answered)
        return ranking

    def forget(self) -> None:
        """Drop everything."""
        with self._door:
            self._kept.clear()


def _same(one: Any, other: Any) -> bool:
    """Compare values: arrays by their numbers, parts of the engine as the objects they are."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, other, equal_nan=one.dtype.kind == "f"))
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if is_dataclass(one):
        return all(_same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    return bool(one == other)
