"""Facts that say no more than a turn they rest on, where that turn is found itself.

Such a fact is a second way to find its turn, and no second answer: the turn takes its place, if it
has none before. A fact that took another's place, has an end, is yet to come, applies in a scope or
is stale says more than any turn, and stays.
"""

from collections.abc import Iterable
from itertools import count

from smriti_es.beliefs import BeliefReader, Fact, FactStatus
from smriti_es.recall.reader import Ranked


def without_repetition(
    ranked: Ranked, beliefs: BeliefReader, wanted: int
) -> tuple[list[tuple[int, int]], dict[int, Fact]]:
    """Give the best rows of a ranking that are worth a place each.

    Args:
        ranked: The ranking.
        beliefs: Reads facts at the two times of the question.
        wanted: How many rows; fewer only when the ranking has no more to offer.

    Returns:
        Row of the ranking and position of the turn or fact, best first, each position once; and the
        facts among them by position.
    """
    positions = ranked.turns.positions[ranked.ranking.places].tolist()
    rows: dict[int, int] = dict(zip(positions, range(len(positions)), strict=True))
    for times in count(1):
        best = ranked.best(times * wanted)
        found = beliefs.by_position([position for position, is_fact in best if is_fact])
        turns = _repeated(rows, beliefs, found.values())
        places: dict[int, int] = {}
        for row, (position, _) in enumerate(best):
            places.setdefault(turns.get(position, position), row)
        if len(places) >= wanted or len(best) == len(rows):
            break
    kept = [(row, position) for position, row in places.items()][:wanted]
    return kept, {position: found[position] for _, position in kept if position in found}


def _repeated(rows: dict[int, int], beliefs: BeliefReader, facts: Iterable[Fact]) -> dict[int, int]:
    """Give, for each fact that only repeats turns in the ranking, the best of these."""
    alone = [fact for fact in facts if _stands_alone(fact)]
    followers = beliefs.followers_among([fact.position for fact in alone])
    turns = {}
    for fact in alone:
        ranked = [turn for turn, _ in fact.evidence if turn in rows]
        if ranked and fact.position not in followers:
            turns[fact.position] = min(ranked, key=rows.__getitem__)
    return turns


def _stands_alone(fact: Fact) -> bool:
    if fact.scope or fact.stale:
        return False
    return fact.status is FactStatus.CURRENT and fact.valid_to is None
