"""From a ranking to what is handed out: hits with their turns, or packed evidence."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from operator import attrgetter

import numpy as np

from smriti_es.beliefs import BeliefReader, Fact
from smriti_es.reading import TurnReader
from smriti_es.recall.diversity import echoes_last, set_apart, spread_out
from smriti_es.recall.evidence import Candidate, Packed, PackSettings
from smriti_es.recall.fact_lines import digest_line, fact_line
from smriti_es.recall.fact_order import holding_first
from smriti_es.recall.pack import pack
from smriti_es.recall.reader import Ranked
from smriti_es.recall.render import opening_lines
from smriti_es.recall.repetition import said_once, without_repetition
from smriti_es.recall.temporal import local_date
from smriti_es.recall.visible import Positions
from smriti_es.results import Context, Hit, RankStep, RecordedTurn

# So many characters of budget a candidate is read for: fewer than a short turn takes. Of those
# that get onto the page, neighbours are read at once; a later hit's are read when asked for.
_CHARS_PER_CANDIDATE = 60
_CHARS_PER_HIT = 180
_CANDIDATES_MIN, _CANDIDATES_MAX = 40, 300
# What is read of them at once should fill the page so many times: not all of it may be shown.
_PAGES = 1.5
# A hit more is read than wanted for each of so many that may give way to it.
_ECHOES = 4
_OVERFETCH = 3
# What a turn takes besides its text.
_LINE_CHARS = 12
# The share of the budget that digests may take, at most.
_DIGEST_SHARE = 5


def assemble_hits(
    reader: TurnReader, beliefs: BeliefReader, ranked: Ranked, k: int, *, explain: bool
) -> tuple[Hit, ...]:
    """Read the best `k` turns and facts and put them out with their rank."""
    spread = ranked.profile.spread
    further = _OVERFETCH * k if spread.needs_more else k + _ECHOES
    places, turns, facts = without_repetition(ranked, reader, beliefs, further)
    places = echoes_last(places, turns, ranked.question.text)
    chosen = spread_out(places, turns, spread, k) if spread.needs_more else places[:k]
    ranking = ranked.ranking
    ranks = ranking.ranks() if explain else {}
    # What gave way to others does not score above them.
    scores = np.minimum.accumulate([float(ranking.scores[row]) for row, _ in chosen] or [0.0])
    return tuple(
        Hit(
            turns.get(position),
            facts.get(position),
            rank,
            float(scores[rank - 1]),
            _channels(ranked, row),
            _explanation(ranked, row, float(scores[rank - 1])) if explain else {},
            _steps(ranks, row, rank),
            _judged(ranked, row),
        )
        for rank, (row, position) in enumerate(chosen, 1)
        if position in turns or position in facts
    )


def _explanation(ranked: Ranked, row: int, score: float) -> dict[str, float]:
    """Give the parts of a score; what gave way to others lost what sets it above them."""
    parts = {name: float(part[row]) for name, part in ranked.ranking.parts.items()}
    lost = score - float(ranked.ranking.scores[row])
    return parts | {"gave_way": lost} if lost else parts


def assemble_head(
    reader: TurnReader, beliefs: BeliefReader, ranked: Ranked, depth: int
) -> tuple[Hit, ...]:
    """Read the best rows of a ranking as they stand, for a reranker to judge."""
    best = ranked.best(depth)
    turns = reader.by_position([position for position, fact in best if not fact])
    facts = beliefs.by_position([position for position, fact in best if fact])
    return tuple(
        Hit(
            turns.get(position),
            facts.get(position),
            row + 1,
            float(ranked.ranking.scores[row]),
            _channels(ranked, row),
        )
        for row, (position, _) in enumerate(best)
        if position in turns or position in facts
    )


def _steps(ranks: Mapping[str, Positions], row: int, rank: int) -> tuple[RankStep, ...]:
    """Tell the rank of a row after each step, and of the hit that it became."""
    if not ranks:
        return ()
    after = {name: int(each[row]) for name, each in ranks.items()} | {"chosen": rank}
    before = (None, *after.values())
    return tuple(
        RankStep(name, earlier, later)
        for (name, later), earlier in zip(after.items(), before, strict=False)
    )


def assemble_context(  # noqa: PLR0913  what packing takes
    reader: TurnReader,
    beliefs: BeliefReader,
    ranked: Ranked,
    *,
    digests: Sequence[Fact],
    budget: int,
    now: int,
    valid_at: int | None,
    zone: tzinfo,
    settings: PackSettings,
    measure: Callable[[str], int],
) -> Context:
    """Read as many of the best turns and facts as may fit, and pack them.

    A world time that the caller named is shown; one that follows from a knowledge time is not, so
    that equal content gives equal bytes (decision 32).
    """
    count = min(max(budget // _CHARS_PER_CANDIDATE, _CANDIDATES_MIN), _CANDIDATES_MAX)
    best, turns = _read_best(reader, ranked.best(count), budget, settings, measure)
    found = beliefs.by_position([position for position, fact in best if fact])
    if not ranked.past:
        best = _holding_first(best, found)
    asked_on = local_date(now, zone)
    valid_on = None if valid_at is None else local_date(valid_at, zone)
    counts = ranked.question.counts
    opening = opening_lines(
        asked_on, counts=counts, budget=budget, measure=measure, valid_on=valid_on
    )
    block = _FactBlock(opening, budget, measure)
    block.add_facts(best, turns, found, zone)
    block.add_digests(digests)
    block.keep_within_budget()
    if ranked.profile.by_time:
        block.put_in_order_of_time()
    scores = ranked.ranking.scores
    places = [(row, position) for row, (position, _) in enumerate(best) if position in turns]
    places = set_apart(places, turns, ranked.profile.spread)
    candidates = [
        _candidate(turns[position], float(scores[row]))
        for row, position in echoes_last(places, turns, ranked.question.text)
    ]
    once, again = said_once(candidates, turns, attrgetter("position"))
    neighbours = _Neighbours(reader, ranked, budget // _CHARS_PER_HIT, settings.neighbours)
    packed = pack(
        [*once, *again],
        neighbours=neighbours,
        budget=budget,
        question=ranked.question,
        now=asked_on,
        zone=zone,
        settings=settings,
        measure=measure,
        facts=block.lines,
        valid_on=valid_on,
    )
    return _context(packed, ranked, block, turns | neighbours.turns)


def _read_best(
    reader: TurnReader,
    best: list[tuple[int, bool]],
    budget: int,
    settings: PackSettings,
    measure: Callable[[str], int],
) -> tuple[list[tuple[int, bool]], dict[int, RecordedTurn]]:
    """Read the turns among the best, and the rest only where half would not fill the page."""
    half = len(best) // 2
    turns = reader.by_position([position for position, fact in best[:half] if not fact])
    shown = [turn.text[: settings.max_turn_chars] for turn in turns.values()]
    if measure("\n".join(shown)) >= _PAGES * budget:
        return best[:half], turns
    return best, turns | reader.by_position([p for p, fact in best[half:] if not fact])


def _holding_first(
    best: Sequence[tuple[int, bool]], found: Mapping[int, Fact]
) -> list[tuple[int, bool]]:
    """Put the facts of a key that hold first, into the places that its facts have."""
    ordered = iter(holding_first([found[position] for position, _ in best if position in found]))
    return [(next(ordered).position, True) if each[0] in found else each for each in best]


def _context(
    packed: Packed, ranked: Ranked, block: "_FactBlock", read: Mapping[int, RecordedTurn]
) -> Context:
    # The packer tells sessions apart over spaces; the caller knows each by its name.
    evidence = [replace(one, session=read[one.position].session) for one in packed.evidence]
    return Context(
        packed.text,
        tuple(evidence),
        tuple(block.facts),
        packed.omitted,
        ranked.known_to.head,
        ranked.degraded,
        ranked.pending,
        tuple(block.digests),
        ranked.known_to.provisional,
        ranked.unread,
    )


class _FactBlock:
    """The lines of facts and digests in a context, which are ours and never exceed its budget.

    Args:
        opening: The lines above them.
        budget: The size of the whole context.
        measure: The size of a text.
    """

    def __init__(self, opening: Sequence[str], budget: int, measure: Callable[[str], int]) -> None:
        self._opening = opening
        self._budget = budget
        self._measure = measure
        self.lines: list[str] = []
        self.facts: list[Fact] = []
        self.digests: list[Fact] = []

    def add_facts(
        self,
        best: Sequence[tuple[int, bool]],
        turns: Mapping[int, RecordedTurn],
        facts: Mapping[int, Fact],
        zone: tzinfo,
    ) -> None:
        """Add the facts before which the ranking leaves room.

        Facts and turns share the budget by rank; no share is set aside for either.
        """
        measure = self._measure
        left = self._budget - sum(measure(line) + 1 for line in self._opening)
        for position, is_fact in best:
            if not is_fact:
                left -= measure(turns[position].text) + _LINE_CHARS if position in turns else 0
            elif position in facts:
                line = fact_line(facts[position], zone)
                left -= measure(line) + 1
                if left >= 0:
                    self.facts.append(facts[position])
                    self.lines.append(line)
            if left <= 0:
                break

    def add_digests(self, digests: Sequence[Fact]) -> None:
        """Add the digests that fit whole into their share, after all facts have had their turn."""
        taken = sum(self._measure(line) + 1 for line in (*self._opening, *self.lines))
        left = min(self._budget // _DIGEST_SHARE, self._budget - taken)
        for digest in digests:
            line = digest_line(digest)
            cost = self._measure(line) + 1
            if cost <= left:
                left -= cost
                self.digests.append(digest)
                self.lines.append(line)

    def put_in_order_of_time(self) -> None:
        """Let the facts stand in the order in which they began to hold; digests stay below them."""
        count = len(self.facts)
        both = zip(self.facts, self.lines[:count], strict=True)
        ordered = sorted(both, key=lambda each: (each[0].valid_from, each[0].position))
        self.facts = [fact for fact, _ in ordered]
        self.lines = [*(line for _, line in ordered), *self.lines[count:]]

    def keep_within_budget(self) -> None:
        """Take lines back, last first, for a measure by which the parts do not add up."""
        while self.lines and self._measure("\n".join([*self._opening, *self.lines])) > self._budget:
            self.lines.pop()
            (self.digests or self.facts).pop()


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
            places = self._ranked.ranking.places[: self._first]
            self._read([int(place) for place in places if not self._ranked.is_fact[place]])
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


def _judged(ranked: Ranked, row: int) -> float | None:
    judged = ranked.ranking.judged
    return None if judged is None or np.isnan(judged[row]) else float(judged[row])


def _channels(ranked: Ranked, row: int) -> tuple[str, ...]:
    return tuple(name for name, mask in ranked.ranking.found.items() if mask[row])
