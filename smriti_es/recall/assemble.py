"""From a ranking to what is handed out: hits with their turns, or packed evidence."""

from collections.abc import Callable, Sequence
from datetime import tzinfo

from smriti_es.reading import TurnReader
from smriti_es.recall.evidence import Candidate, Packed, PackSettings
from smriti_es.recall.pack import pack
from smriti_es.recall.reader import Ranked
from smriti_es.recall.temporal import local_date
from smriti_es.results import Hit, RecordedTurn

# So many characters of budget a candidate is read for: fewer than a short turn has.
_CHARS_PER_CANDIDATE = 60
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
    return pack(
        candidates,
        neighbours=_Neighbours(reader, ranked, count, settings.neighbours),
        budget=budget,
        question=ranked.question,
        now=local_date(now, zone),
        zone=zone,
        settings=settings,
        measure=measure,
    )


class _Neighbours:
    """Gives the turns beside a hit; all that may be asked for are read on the first call."""

    def __init__(self, reader: TurnReader, ranked: Ranked, count: int, distance: int) -> None:
        self._reader = reader
        positions = ranked.turns.positions
        self._beside = {
            int(positions[place]): [
                int(positions[other]) for other in ranked.turns.beside(int(place), distance)
            ]
            for place in ranked.ranking.places[:count]
        }
        self._turns: dict[int, RecordedTurn] | None = None

    def __call__(self, candidate: Candidate) -> Sequence[Candidate]:
        if self._turns is None:
            wanted = {position for beside in self._beside.values() for position in beside}
            self._turns = self._reader.by_position(sorted(wanted))
        near = self._beside.get(candidate.position, ())
        return [_candidate(self._turns[p], 0.0) for p in near if p in self._turns]


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
