"""Facts as bars along the time in which they hold: where each begins and ends on one axis."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from smriti_es.beliefs import Fact

WIDTH: Final = 1_000
_DAY_US: Final = 86_400_000_000
# How far open bars reach beyond the last known time, and how short a bar may be, in parts of WIDTH.
_BEYOND: Final = 60
_SHORTEST: Final = 6


@dataclass(frozen=True, slots=True)
class Bar:
    """A fact on the axis.

    Attributes:
        fact: The fact.
        x: Where its bar begins, 0 to WIDTH.
        width: How long it is.
        open: Whether the fact has no end.
    """

    fact: Fact
    x: int
    width: int
    open: bool


@dataclass(frozen=True, slots=True)
class Timeline:
    """Facts on one axis.

    Attributes:
        first: The left end of the axis, microseconds since the epoch.
        last: Its right end.
        at: The world time that is asked about.
        mark: Where that is on the axis.
        bars: The facts, in their order.
    """

    first: int
    last: int
    at: int
    mark: int
    bars: tuple[Bar, ...]

    @property
    def days(self) -> tuple[int, int]:
        """The first and the last day of the axis, in days since the epoch."""
        return self.first // _DAY_US, self.last // _DAY_US


def timeline(facts: Sequence[Fact], at: int) -> Timeline:
    """Put facts on an axis that holds all their known times, and the one that is asked about."""
    moments = [at, *(each.valid_from for each in facts)]
    moments += [each.valid_to for each in facts if each.valid_to is not None]
    first, end = min(moments), max(moments)
    span = max(end - first, _DAY_US)
    last = first + span * WIDTH // (WIDTH - _BEYOND)

    def place(moment: int) -> int:
        return (moment - first) * WIDTH // (last - first)

    bars = tuple(_bar(each, place(each.valid_from), place(_end(each, last))) for each in facts)
    return Timeline(first, last, at, place(at), bars)


def _bar(fact: Fact, begin: int, end: int) -> Bar:
    width = max(end - begin, _SHORTEST)
    return Bar(fact, min(begin, WIDTH - width), width, fact.valid_to is None and not _lapsed(fact))


def _end(fact: Fact, last: int) -> int:
    """Give where a bar ends; of a lapsed fact it is known that it is over, but not since when."""
    if fact.valid_to is not None:
        return fact.valid_to
    return fact.valid_from if _lapsed(fact) else last


def _lapsed(fact: Fact) -> bool:
    return fact.state == "lapsed"
