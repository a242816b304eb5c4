"""From a ranking to what is handed out: hits with their turns, or packed evidence."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import tzinfo

import numpy as np

from smriti_es.reading import TurnReader
from smriti_es.recall.evidence import Candidate, Packed, PackSettings
from smriti_es.recall.pack import pack
from smriti_es.recall.reader import Ranked
from smriti_es.recall.temporal import local_date
from smriti_es.results import Hit, RecordedTurn

# So many characters of budget a candidate is read for: fewer than a short turn takes. Of those
# that get onto the page, neighbours are read at once; a later hit's are read when asked for.
_CHARS_PER_CANDIDATE = 60
_CHARS_PER_HIT = 180
_CANDIDATES_MIN, _CANDIDATES_MAX = 40, 300


def assemble_hits(reader: TurnReader, ranked: Ranked, k: int, *, explain: bool) -> tuple[Hit, ...]:
    """Read the best `k` turns and put them out with their rank."""
    positions = ranked.positions(k)
    turns = reader.by_position(positions)
    ranking = ranked.ranking
    return tuple(
        Hit(
            turns[position],
            row + 1,
            float(ranking.scores[row]),
            _channels(ranked, row),
            {name: float(part[row]) for name, part in ranking.parts.items()} if explain else {},
        )
        for row, position in enumerate(positions)
        if position in turns
    )


def assemble_context(
    reader: TurnReader,
    ranked: Ranked,
    *,
    budget: int,
    now: int,
    zone: tzinfo,
    settings: PackSettings,
    measure: Callable[[str], int],
) -> Packed:
    """Read as many of the best turns as may fit, and pack them."""
    count = min(max(budget // _CHARS_PER_CANDIDATE, _CANDIDATES_MIN), _CANDIDATES_MAX)
    positions = ranked.positions(count)
    turns = reader.by_position(positions)
    scores = ranked.ranking.scores
    candidates = [
        _candidate(turns[position], float(scores[row]))
        for row, position in enumerate(positions)
        if position in turns
    ]
    neighbours = _Neighbours(reader, ranked, budget // _CHARS_PER_HIT, settings.neighbours)
    packed = pack(
        candidates,
        neighbours=neighbours,
        budget=budget,
        question=ranked.question,
        now=local_date(now, zone),
        zone=zone,
        settings=settings,
        measure=measure,
    )
    read = turns | neighbours.turns
    # The packer tells sessions apart over spaces; the caller knows each by its name.
    evidence = [replace(one, session=read[one.position].session) for one in packed.evidence]
    return replace(packed, evidence=tuple(evidence))


class _Neighbours:
    """Gives the turns beside a hit; those of the first hits are read together."""

    def __init__(self, reader: TurnReader, ranked: Ranked, first: int, distance: int) -> None:
        self._reader = reader
        self._ranked = ranked
        self._first = first
        self._distance = distance
        self.turns: dict[int, RecordedTurn] = {}

    def __call__(self, candidate: Candidate) -> Sequence[Candidate]:
        turns = self._ranked.turns
        if not self.turns:
            self._read([int(place) for place in self._ranked.ranking.places[: self._first]])
        place = int(turns.places(np.array([candidate.position]))[0][0])
        near = self._beside(place)
        if not self.turns.keys() >= set(near):
            self._read([place])
        return [_candidate(self.turns[p], 0.0) for p in near if p in self.turns]

    def _read(self, places: Sequence[int]) -> None:
        wanted = {position for place in places for position in self._beside(place)}
        self.turns.update(self._reader.by_position(sorted(wanted)))

    def _beside(self, place: int) -> list[int]:
        turns = self._ranked.turns
        return [int(turns.positions[other]) for other in turns.beside(place, self._distance)]


def _candidate(turn: RecordedTurn, score: float) -> Candidate:
    return Candidate(
        position=turn.position,
        session=f"{turn.space}/{turn.session}",
        ordinal=turn.ordinal,
        role=turn.role,
        speaker=turn.name,
        text=turn.text,
        said_at=turn.said_at,
        said_precision=turn.said_precision if turn.said_precision != "unknown" else "instant",
        score=score,
    )


def _channels(ranked: Ranked, row: int) -> tuple[str, ...]:
    ranking = ranked.ranking
    found = (
        ("lexical", ranking.lexical),
        ("semantic", ranking.semantic),
        ("temporal", ranking.temporal),
    )
    return tuple(name for name, mask in found if mask[row])
