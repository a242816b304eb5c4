"""Which of the rows of a ranking come first when some say too much of the same.

Nothing is left out here: what gives way comes after everything else, and fills up what is short.
Pure: rows in rank order in, rows in order out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from smriti_es.projections.lexical.analysis import content_terms, terms
from smriti_es.results import RecordedTurn
from smriti_es.severity import CONTEXT, severity_of

# Row of the ranking, and position of the turn or fact.
Place = tuple[int, int]
_MOMENT: Final = 600 * 1_000_000
# From which share of the shorter turn's words on two turns of a moment say the same, if it has so
# many at all.
_SAME_SHARE: Final = 0.7
_SAME_WORDS_MIN: Final = 3
# From which share on a turn that asks has the words of the question, and no others to speak of.
_ECHO_SHARE: Final = 0.8
_MARKS: Final = ("?", "\uff1f", "\u061f", "\u037e")


@dataclass(frozen=True, slots=True)
class Spread:
    """How alike the first hits may be.

    Attributes:
        sessions_apart: Whether each session has one hit before any has a second.
        per_moment: How many turns of one moment that say nearly the same come first; 0: any number.
        fact_places: How many places of the first half are kept for facts, where there are any.
    """

    sessions_apart: bool = False
    per_moment: int = 0
    fact_places: int = 0

    @property
    def needs_more(self) -> bool:
        """Whether rows beyond those that are wanted may come in."""
        return self.sessions_apart or self.per_moment > 0 or self.fact_places > 0


def echoes_last(
    places: Sequence[Place], turns: Mapping[int, RecordedTurn], question: str
) -> list[Place]:
    """Put turns that only ask what is being asked behind all others.

    A question that was asked before is the best match of itself, and answers nothing. A turn that
    says the same words and does not ask, or whose failure was severe, stays.
    """
    asked = frozenset(content_terms(question))
    return _deferred(places, lambda place: _echoes(turns.get(place[1]), asked))


def spread_out(
    places: Sequence[Place], turns: Mapping[int, RecordedTurn], spread: Spread, wanted: int
) -> list[Place]:
    """Choose so many rows, in rank order, that are not too much alike.

    Args:
        places: Row of the ranking and position of the turn or fact, best first.
        turns: The turns among them; whatever is none is a fact.
        spread: How alike they may be.
        wanted: How many.
    """
    ordered = set_apart(places, turns, spread)
    chosen = _with_facts(ordered, turns, min(spread.fact_places, wanted // 2), wanted)
    rank = {place: number for number, place in enumerate(places)}
    return sorted(chosen, key=rank.__getitem__)


def set_apart(
    places: Sequence[Place], turns: Mapping[int, RecordedTurn], spread: Spread
) -> list[Place]:
    """Put what is too much alike behind everything else; all rows are there still."""
    ordered = list(places)
    if spread.per_moment > 0:
        ordered = _capped(ordered, turns, spread.per_moment)
    return _apart(ordered, turns) if spread.sessions_apart else ordered


def _capped(
    places: Sequence[Place], turns: Mapping[int, RecordedTurn], allowance: int
) -> list[Place]:
    """Put turns last of which the allowance has been used up by others of their moment."""
    kept: list[tuple[int, frozenset[str]]] = []

    def repeats(place: Place) -> bool:
        turn = turns.get(place[1])
        if turn is None or severity_of(turn) != CONTEXT:
            return False
        words = frozenset(terms(turn.text))
        alike = [
            1
            for said_at, others in kept
            if abs(said_at - turn.said_at) <= _MOMENT and _says_the_same(words, others)
        ]
        if len(alike) >= allowance:
            return True
        kept.append((turn.said_at, words))
        return False

    return _deferred(places, repeats)


def _says_the_same(one: frozenset[str], other: frozenset[str]) -> bool:
    shorter = min(len(one), len(other))
    return shorter >= _SAME_WORDS_MIN and len(one & other) >= _SAME_SHARE * shorter


def _apart(places: Sequence[Place], turns: Mapping[int, RecordedTurn]) -> list[Place]:
    """Put the first of each session before every second one; a fact is nobody's second."""
    seen: set[tuple[str, str]] = set()

    def comes_again(place: Place) -> bool:
        turn = turns.get(place[1])
        if turn is None:
            return False
        session = (turn.space, turn.session)
        again = session in seen
        seen.add(session)
        return again

    return _deferred(places, comes_again)


def _with_facts(
    places: Sequence[Place], turns: Mapping[int, RecordedTurn], kept_for_facts: int, wanted: int
) -> list[Place]:
    """Take the first rows, the last of them turns giving way where too few are facts."""
    chosen = list(places[:wanted])
    there = sum(place[1] not in turns for place in chosen)
    more = [place for place in places[wanted:] if place[1] not in turns]
    for fact in more[: max(0, kept_for_facts - there)]:
        last = next(n for n in reversed(range(len(chosen))) if chosen[n][1] in turns)
        chosen[last] = fact
    return chosen


def _echoes(turn: RecordedTurn | None, asked: frozenset[str]) -> bool:
    if turn is None or not turn.text.rstrip().endswith(_MARKS) or severity_of(turn) != CONTEXT:
        return False
    said = frozenset(content_terms(turn.text))
    return bool(said) and len(said & asked) >= _ECHO_SHARE * max(len(said), len(asked))


def _deferred(places: Sequence[Place], gives_way: Callable[[Place], bool]) -> list[Place]:
    first: list[Place] = []
    last: list[Place] = []
    for place in places:
        (last if gives_way(place) else first).append(place)
    return [*first, *last]
