"""The sheet that a context is written on: what is on it, what that costs, in which order it reads.

Turns may be put on it in any order; the cost of each is exact at once, with the line of its session
and the line for missing turns that it needs or spares. Source: design page on recall, "packing".
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from smriti_es.recall.evidence import Candidate, Evidence, Layout
from smriti_es.recall.render import MISSING_TURNS

# Turns under one line: the part of the page (0 comes first), the session, and the line itself.
Group = tuple[int, str, str]


@dataclass(frozen=True, slots=True)
class PreparedTurn:
    """A turn made ready to be shown.

    Attributes:
        candidate: The turn as it came.
        rank: 0-based; smaller is better.
        text: What was said, as lines that can be quoted.
        name: Who is quoted; empty where the text says so itself.
        day: The local day that "yesterday" is counted from, or None.
        group: The turns that it stands with.
    """

    candidate: Candidate
    rank: int
    text: str
    name: str
    day: date | None
    group: Group


@dataclass(frozen=True, slots=True)
class PlacedTurn:
    """A turn on the page: its lines, and whether they hold all that was said."""

    turn: PreparedTurn
    lines: str
    whole: bool


class Page:
    """Turns grouped by session and day under a budget.

    Args:
        opening: Lines above all else.
        facts: Lines that follow them, and are worth reading by themselves.
        budget: The size of the page, as `measure` counts.
        measure: The size of a text.
        layout: How sessions are ordered.
    """

    def __init__(
        self,
        opening: Sequence[str],
        facts: Sequence[str],
        budget: int,
        measure: Callable[[str], int],
        layout: Layout,
    ) -> None:
        self.placed: list[PlacedTurn] = []
        self._above = [*opening, *facts]
        self._has_facts = bool(facts)
        self._measure = measure
        self._layout = layout
        self._ordinals: dict[Group, list[int]] = {}
        self._ellipsis = self.cost(MISSING_TURNS)
        # The last line has no line break after it.
        self.left = budget + measure("\n") - sum(self.cost(line) for line in self._above)

    def cost(self, lines: str) -> int:
        """Measure lines with the line break after them."""
        return self._measure(f"{lines}\n")

    def room_for(self, turn: PreparedTurn) -> int:
        """Give what is left for the lines of a turn that is not on the page yet."""
        return self.left - self._surroundings(turn)

    def place(self, turn: PreparedTurn, lines: str, *, whole: bool) -> None:
        """Put a turn on the page; its lines must fit into the room for it."""
        self.left -= self._surroundings(turn) + self.cost(lines)
        insort(self._ordinals.setdefault(turn.group, []), turn.candidate.ordinal)
        self.placed.append(PlacedTurn(turn, lines, whole))

    def rewrite(self, number: int, lines: str, *, whole: bool) -> None:
        """Give the turn that was placed as the `number`-th other lines."""
        before = self.placed[number]
        self.left += self.cost(before.lines) - self.cost(lines)
        self.placed[number] = PlacedTurn(before.turn, lines, whole)

    def text(self) -> str:
        """Write the page; empty when neither a turn nor a fact is on it."""
        if not self.placed and not self._has_facts:
            return ""
        groups: dict[Group, list[PlacedTurn]] = {}
        for placed in self.placed:
            groups.setdefault(placed.turn.group, []).append(placed)
        lines = list(self._above)
        for group in sorted(groups, key=lambda group: self._place_of(group, groups[group])):
            lines.append(group[2])
            lines.extend(_in_order(groups[group]))
        return "\n".join(lines)

    def evidence(self) -> tuple[Evidence, ...]:
        """Name the turns on the page, best first."""
        return tuple(
            Evidence(
                position=placed.turn.candidate.position,
                session=placed.turn.candidate.session,
                said_at=placed.turn.candidate.said_at,
                whole=placed.whole,
            )
            for placed in sorted(self.placed, key=lambda placed: placed.turn.rank)
        )

    def _surroundings(self, turn: PreparedTurn) -> int:
        """Measure the lines that a turn brings along, less those that it makes needless."""
        ordinals = self._ordinals.get(turn.group)
        if not ordinals:
            return self.cost(turn.group[2])
        ordinal = turn.candidate.ordinal
        place = bisect_left(ordinals, ordinal)
        before = ordinals[place - 1] if place else ordinal
        after = ordinals[place] if place < len(ordinals) else ordinal
        gaps = _gap(before, ordinal) + _gap(ordinal, after)
        if place and place < len(ordinals):
            gaps -= _gap(before, after)
        return gaps * self._ellipsis

    def _place_of(self, group: Group, members: Iterable[PlacedTurn]) -> tuple[int, int, int]:
        turns = [placed.turn for placed in members]
        best_first = self._layout == "relevance" or (self._layout == "top" and group[0] == 0)
        if best_first:
            return (group[0], min(turn.rank for turn in turns), 0)
        return (
            group[0],
            min(turn.candidate.said_at for turn in turns),
            min(turn.candidate.position for turn in turns),
        )


def _gap(before: int, after: int) -> int:
    return 1 if after - before > 1 else 0


def _in_order(members: list[PlacedTurn]) -> Iterable[str]:
    """Give the lines of a group's turns as they were said, with a line where turns are missing."""
    members.sort(key=lambda placed: (placed.turn.candidate.ordinal, placed.turn.candidate.position))
    before = members[0].turn.candidate.ordinal
    for placed in members:
        ordinal = placed.turn.candidate.ordinal
        if _gap(before, ordinal):
            yield MISSING_TURNS
        yield placed.lines
        before = ordinal
