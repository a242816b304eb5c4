"""Turns that say nothing but facts: of several with the same fact, one is an answer.

A turn restates facts when the words that support them are all that it says. Where those facts hold
no longer, the turn is as far from an answer as they are: it is left out, or, where the question
asks for what was, the fact stands in its place, for that tells how it stands. Where they hold only
later than the time that is asked about, and were said later, too, it is left to the facts, which
say since when. Where several turns
restate one fact, which holds, the best of them stands for all. Any other turn is left alone, and so
is one whose fact was taken back: that says nothing of the turn.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from smriti_es.beliefs import BeliefReader, Fact, FactStatus
from smriti_es.projections.lexical.analysis import terms
from smriti_es.projections.lineage import children_of_any
from smriti_es.recall.channels import Mask
from smriti_es.recall.reader import Ranked
from smriti_es.recall.visible import Positions
from smriti_es.results import RecordedTurn

_HOLDING = (FactStatus.CURRENT, FactStatus.SCHEDULED)
Place = tuple[int, int]


@dataclass(slots=True)
class RestatingTurns:
    """Knows which turns restate which facts.

    Attributes:
        beliefs: Reads facts at the two times of the question.
        lineage: Generation of the lineage projection that serves.
        rows: What the question may see, sorted by position.
        is_fact: Which of them are facts.
        past: Whether facts that hold no longer are among them.
    """

    beliefs: BeliefReader
    lineage: int
    rows: Positions
    is_fact: Mask
    past: bool
    _found_in: dict[int, list[Fact]] = field(default_factory=dict)

    @classmethod
    def of(cls, ranked: Ranked, beliefs: BeliefReader) -> Self:
        """Take what there is to know from a ranking."""
        lineage = ranked.serving["lineage"].number
        return cls(beliefs, lineage, ranked.turns.positions, ranked.is_fact, bool(ranked.past))

    def answers_among(
        self, places: Sequence[Place], turns: Mapping[int, RecordedTurn]
    ) -> list[Place]:
        """Keep the rows that are answers of their own, in their order.

        Args:
            places: Row of the ranking and position of the turn or fact, best first.
            turns: The turns among them.
        """
        self._look_up([position for _, position in places if position in turns])
        stated: set[int] = set()
        kept: dict[int, int] = {}
        for row, position in places:
            turn = turns.get(position)
            stands = position if turn is None else self._standing_for(turn, stated)
            if stands is not None:
                kept.setdefault(stands, row)
        return [(row, position) for position, row in kept.items()]

    def _standing_for(self, turn: RecordedTurn, stated: set[int]) -> int | None:
        """Say what stands in a turn's place: itself, the fact that it restates, or nothing."""
        facts = self._restated_by(turn)
        holding = {fact.position for fact in facts if fact.status in _HOLDING}
        if not facts or 0 < len(holding) < len(facts):
            return turn.position
        if self._is_of_later(turn, facts):
            return None
        if holding:
            new = not holding <= stated
            stated |= holding
            return turn.position if new else None
        if not self.past:
            return None
        seen = [fact.position for fact in facts if self._is_visible(fact)]
        return min(seen, default=turn.position)

    def _restated_by(self, turn: RecordedTurn) -> set[Fact]:
        """Give the facts that a turn restates, if it says nothing else."""
        facts = self._found_in[turn.position]
        if not facts or not _says_no_more(turn, facts):
            return set()
        return {root for root in map(self._root, facts) if root is not None}

    def _is_of_later(self, turn: RecordedTurn, facts: Iterable[Fact]) -> bool:
        return turn.said_at > self.beliefs.valid_at and all(
            fact.status is FactStatus.SCHEDULED and self._is_visible(fact) for fact in facts
        )

    def _is_visible(self, fact: Fact) -> bool:
        row = int(np.searchsorted(self.rows, fact.position))
        found = row < len(self.rows) and self.rows[row] == fact.position
        return bool(found and self.is_fact[row])

    def _look_up(self, positions: Sequence[int]) -> None:
        """Find the facts that rest on turns; nothing is said of a turn with a fact taken back."""
        new = [position for position in positions if position not in self._found_in]
        self._found_in.update((position, []) for position in new)
        children = children_of_any(self.beliefs.connection, self.beliefs.log, self.lineage, new)
        facts = self.beliefs.by_position(sorted({child for _, child in children}))
        taken_back = set()
        for turn, child in children:
            if child not in facts:
                continue
            if facts[child].status is FactStatus.RETRACTED:
                taken_back.add(turn)
            self._found_in[turn].append(facts[child])
        for turn in taken_back:
            self._found_in[turn].clear()

    def _root(self, fact: Fact) -> Fact | None:
        """Give the fact that stands for one that only repeats another, unless it is withheld."""
        while fact.folded_into is not None:
            found = self.beliefs.by_position([fact.folded_into])
            if fact.folded_into not in found:
                return None
            fact = found[fact.folded_into]
        return fact


def _says_no_more(turn: RecordedTurn, facts: Sequence[Fact]) -> bool:
    quoted = {
        term
        for fact in facts
        for position, quote in fact.evidence
        if position == turn.position
        for term in terms(quote)
    }
    return quoted >= set(terms(turn.text))
