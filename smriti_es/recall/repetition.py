"""Which of the turns and facts that were found are answers of their own.

A fact that says no more than a turn it rests on, where that turn is found itself, is a second way
to find its turn, and no second answer: the turn takes its place, if it has none before. A fact that
took another's place, has an end, is yet to come, applies in a scope or is stale says more than any
turn, and stays. Of turns see `restating_turns`; of those that say the very same words, the best one
is an answer, and the others come after everything else.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import count
from operator import itemgetter
from typing import TypeVar

from smriti_es.beliefs import BeliefReader, Fact, FactStatus
from smriti_es.events.key_form import key_form
from smriti_es.reading import TurnReader
from smriti_es.recall.reader import Ranked
from smriti_es.recall.restating_turns import Place, RestatingTurns
from smriti_es.results import RecordedTurn

_T = TypeVar("_T")


def without_repetition(
    ranked: Ranked, reader: TurnReader, beliefs: BeliefReader, wanted: int
) -> tuple[list[Place], dict[int, RecordedTurn], dict[int, Fact]]:
    """Give the best rows of a ranking that are worth a place each.

    Args:
        ranked: The ranking.
        reader: Reads turns.
        beliefs: Reads facts at the two times of the question.
        wanted: How many rows; fewer only when the ranking has no more to offer.

    Returns:
        Row of the ranking and position of the turn or fact, best first, each position once; and the
        turns and the facts among them by position.
    """
    positions = ranked.turns.positions[ranked.ranking.places].tolist()
    rows: dict[int, int] = dict(zip(positions, range(len(positions)), strict=True))
    restating = None if ranked.past is None else RestatingTurns.of(ranked, beliefs)
    found: dict[int, Fact] = {}
    turns: dict[int, RecordedTurn] = {}
    for times in count(1):
        best = ranked.best(times * wanted)
        facts = [position for position, is_fact in best if is_fact]
        found |= beliefs.by_position([position for position in facts if position not in found])
        instead = _repeated(rows, beliefs, found.values())
        places: dict[int, int] = {}
        for row, (position, _) in enumerate(best):
            places.setdefault(instead.get(position, position), row)
        kept = [(row, position) for position, row in places.items()]
        unread = [each for _, each in kept if each not in found and each not in turns]
        turns |= reader.by_position(unread)
        if restating is not None:
            kept = restating.answers_among(kept, turns)
        once, again = said_once(kept, turns, itemgetter(1))
        if len(once) >= wanted or len(best) == len(rows):
            break
    kept = [*once, *again][:wanted]
    missing = [each for _, each in kept if each not in found and each not in turns]
    found |= beliefs.by_position(missing)
    return kept, turns, {position: found[position] for _, position in kept if position in found}


def said_once(
    items: Iterable[_T], turns: Mapping[int, RecordedTurn], position_of: Callable[[_T], int]
) -> tuple[list[_T], list[_T]]:
    """Part those that say something for the first time from those that only say it again.

    Args:
        items: Best first.
        turns: The turns among them, by position; whatever is no turn counts as new.
        position_of: Gives the position of an item.
    """
    said: set[tuple[str, str | None, str]] = set()
    once: list[_T] = []
    again: list[_T] = []
    for item in items:
        turn = turns.get(position_of(item))
        words = None if turn is None else (turn.role, turn.name, key_form(turn.text))
        if words is None or words not in said:
            once.append(item)
        else:
            again.append(item)
        if words is not None:
            said.add(words)
    return once, again


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
