"""A set of positions as the runs it consists of: small, where what is in it lies together."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

Run = tuple[int, int]


def _last(run: Run) -> int:
    return run[1]


@dataclass(slots=True)
class PositionRuns:
    """A set of positions.

    Attributes:
        runs: First and last position of each run, ascending, no two touching.
    """

    runs: list[Run] = field(default_factory=list)

    @classmethod
    def of(cls, positions: Iterable[int]) -> "PositionRuns":
        """Make the set of some positions."""
        made = cls()
        for position in sorted(set(positions)):
            made.append(position)
        return made

    def append(self, position: int) -> None:
        """Add a position that lies behind all there are."""
        if self.runs and self.runs[-1][1] == position - 1:
            self.runs[-1] = (self.runs[-1][0], position)
        else:
            self.runs.append((position, position))

    def __contains__(self, position: int) -> bool:
        return self.first_in(position, position) is not None

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self.runs)

    def first_in(self, first: int, last: int) -> int | None:
        """Give the lowest position between two, both included; None when there is none."""
        place = bisect_left(self.runs, first, key=_last)
        if place == len(self.runs) or self.runs[place][0] > last:
            return None
        return max(first, self.runs[place][0])

    def count_in(self, first: int, last: int) -> int:
        """Count the positions between two, both included."""
        place, count = bisect_left(self.runs, first, key=_last), 0
        while place < len(self.runs) and self.runs[place][0] <= last:
            low, high = self.runs[place]
            count += min(high, last) - max(low, first) + 1
            place += 1
        return count

    def add(self, first: int, last: int) -> None:
        """Add every position between two, both included."""
        start = bisect_left(self.runs, first - 1, key=_last)
        stop = start
        while stop < len(self.runs) and self.runs[stop][0] <= last + 1:
            first, last = min(first, self.runs[stop][0]), max(last, self.runs[stop][1])
            stop += 1
        self.runs[start:stop] = [(first, last)]

    def remove(self, first: int, last: int) -> int:
        """Take out every position between two, both included.

        Returns:
            How many there were.
        """
        start = stop = bisect_left(self.runs, first, key=_last)
        left: list[Run] = []
        gone = 0
        while stop < len(self.runs) and self.runs[stop][0] <= last:
            low, high = self.runs[stop]
            if low < first:
                left.append((low, first - 1))
            if high > last:
                left.append((last + 1, high))
            gone += min(high, last) - max(low, first) + 1
            stop += 1
        self.runs[start:stop] = left
        return gone


def runs_of(value: Any, start: int, stop: int) -> tuple[Run, ...] | None:
    """Read positions written as runs `[first, last]`, ascending, from `start` to before `stop`.

    Returns:
        The runs; None when the value is anything else.
    """
    runs: list[Run] = []
    for each in value if isinstance(value, list) else (None,):
        match each:
            case [int(first), int(last)] if start <= first <= last < stop:
                runs.append((first, last))
                start = last + 1
            case _:
                return None
    return tuple(runs)
