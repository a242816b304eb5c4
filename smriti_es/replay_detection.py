"""Tell turns that are sent again from turns that are new. Source: decision 8.

Agents resend: a retry, a whole conversation that has grown by one answer, a second import. Storing
a turn twice is a nuisance, dropping one that is new is a loss; where the two cannot be told apart,
it is new.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import TypeAlias

from smriti_es.captured import CapturedTurn

# One stored turn says too little: a conversation may well begin twice with the same "hi".
PREFIX_TURNS_MIN = 2

_Key: TypeAlias = tuple[str, int]


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """What is kept of a stored turn to recognise it.

    Attributes:
        digest: `CapturedTurn.digest`.
        said_at: The time the caller gave for it or for its call, in microseconds; None when none
            was given (then never the time at which it was recorded).
        source_id: The caller's id, or None.
    """

    digest: str
    said_at: int | None = None
    source_id: str | None = None


@dataclass(frozen=True, slots=True)
class StoredSession:
    """The stored turns of one session.

    Attributes:
        turns: In the order in which they were recorded: all of them; or, for a session with more
            turns than the call hands in, at least those that share a digest or a source id with it.
        whole: Whether these are all.
        ordinals: The place of each in the session.
        positions: Where each is recorded.
    """

    turns: tuple[StoredTurn, ...] = ()
    whole: bool = True
    ordinals: tuple[int, ...] = ()
    positions: tuple[int, ...] = ()


def new_turns(captured: Sequence[CapturedTurn], stored: StoredSession) -> list[CapturedTurn]:
    """Return the turns of a call that its session does not hold yet (see `repeated_turns`).

    Args:
        captured: The turns of one call, in order.
        stored: What the session holds.

    Returns:
        The new ones, in order.
    """
    repeated = repeated_turns(captured, stored)
    return [turn for turn, place in zip(captured, repeated, strict=True) if place is None]


def repeated_turns(captured: Sequence[CapturedTurn], stored: StoredSession) -> list[int | None]:
    """Tell which stored turn each turn of a call is sent again of.

    A list that begins with the whole stored session, of two turns or more, continues it. Otherwise
    a turn is held already when its source id is, or when as many turns with its role, content and
    given time are held as the call hands in. Two turns of one call are never replays of each other.
    Nothing that both sides give may differ: two source ids, or two times, make two turns. One
    exception: in a list that is longer than the session it continues, the time of the call is that
    of the latest turns and says nothing about the earlier ones.

    Args:
        captured: The turns of one call, in order.
        stored: What the session holds.

    Returns:
        For each turn its place in `stored.turns`; None for a new one.
    """
    if continues(captured, stored):
        held, length = _places_of_ids(stored.turns), len(stored.turns)
        later = [_place_of_id(turn, held) for turn in captured[length:]]
        return [*range(length), *later]
    return _held_places(captured, stored.turns)


def kept_back(captured: Sequence[CapturedTurn], stored: StoredSession) -> tuple[str, ...]:
    """Give the ids of turns that the session holds with other words, in the order of the call.

    `new_turns` takes them for held: an id names one turn, and what was recorded is not changed.

    Args:
        captured: The turns of one call, in order.
        stored: What the session holds.
    """
    said = {turn.source_id: turn.digest for turn in stored.turns}
    return tuple(
        turn.source_id
        for turn in captured
        if turn.source_id is not None and said.get(turn.source_id, turn.digest) != turn.digest
    )


def continues(captured: Sequence[CapturedTurn], stored: StoredSession) -> bool:
    """Tell whether a list begins with a whole stored session, of two turns or more."""
    if not stored.whole or not PREFIX_TURNS_MIN <= len(stored.turns) <= len(captured):
        return False
    grown = len(captured) > len(stored.turns)

    def agrees(turn: CapturedTurn, held: StoredTurn) -> bool:
        said_at = None if grown and turn.said_by_call else turn.said_at
        return (
            turn.digest == held.digest
            and _compatible(turn.source_id, held.source_id)
            and _compatible(said_at, held.said_at)
        )

    return all(starmap(agrees, zip(captured, stored.turns, strict=False)))


def _compatible(one: str | int | None, other: str | int | None) -> bool:
    return one is None or other is None or one == other


def _held_places(
    captured: Sequence[CapturedTurn], stored: Sequence[StoredTurn]
) -> list[int | None]:
    sent = {turn.source_id for turn in captured}
    held = _places_of_ids(stored)
    # A stored turn that the call names by its id answers for that one; any other for one at most.
    with_id: dict[_Key, list[int]] = {}
    without_id: dict[_Key, list[int]] = {}
    for place, turn in enumerate(stored):
        if turn.said_at is None or (turn.source_id is not None and turn.source_id in sent):
            continue
        left = without_id if turn.source_id is None else with_id
        left.setdefault((turn.digest, turn.said_at), []).append(place)

    def place_of(turn: CapturedTurn) -> int | None:
        if turn.source_id in held or turn.said_at is None:
            return _place_of_id(turn, held)
        key = (turn.digest, turn.said_at)
        if turn.source_id is None and with_id.get(key):
            return with_id[key].pop(0)
        return without_id[key].pop(0) if without_id.get(key) else None

    return [place_of(turn) for turn in captured]


def _places_of_ids(stored: Sequence[StoredTurn]) -> dict[str, int]:
    return {
        turn.source_id: place for place, turn in enumerate(stored) if turn.source_id is not None
    }


def _place_of_id(turn: CapturedTurn, held: Mapping[str, int]) -> int | None:
    return None if turn.source_id is None else held.get(turn.source_id)
