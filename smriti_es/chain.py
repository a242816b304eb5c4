"""Which value follows which: the chain of a key as a pure function of its statements.

No part of the order depends on arrival, so the same statements give the same chain in whatever
order they came. Source: design page on time, "Supersession"; decisions 14 and 15.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from smriti_es.events.catalogue.facts import NOBODY


@dataclass(frozen=True, slots=True)
class Statement:
    """An admitted statement of fact.

    Attributes:
        position: Its place in the log; names it, and orders nothing but identical statements.
        fact: Its id, derived from content.
        value: What it says, in key form.
        valid_from: Since when, microseconds.
        said_at: When it was said.
        stated_to: Until when, as it says itself, or None.
        lapse_mark: Position of the erasure that took what had followed it, or ended it; or None.
    """

    position: int
    fact: str
    value: str
    valid_from: int
    said_at: int
    stated_to: int | None = None
    lapse_mark: int | None = None

    @property
    def order(self) -> tuple[int, int, str, str, int]:
        """Its place among the statements of a key; of two with one time, the later said stands."""
        return (self.valid_from, self.said_at, self.value, self.fact, self.position)


@dataclass(frozen=True, slots=True)
class StatedEnd:
    """Somebody said that a value holds no longer.

    Attributes:
        value: Which, in key form; "" for whichever stood.
        valid_to: Since when not, microseconds.
        said_at: When it was said.
        position: Its place in the log.
    """

    value: str
    valid_to: int
    said_at: int
    position: int = NOBODY


@dataclass(frozen=True, slots=True)
class Replacement:
    """Somebody decided that one statement replaces another one, of a predicate with many values.

    Attributes:
        by: Position of the statement that stands.
        of: Position of the one that it replaces.
    """

    by: int
    of: int


@dataclass(frozen=True, slots=True)
class Link:
    """A statement's place in the chain.

    Attributes:
        valid_to: When it ends, or None.
        superseded_by: Position of the statement that follows, or None.
        folded_into: Position of the statement that it only repeats, or None.
        lapsed: Whether it is over, and nobody knows since when.
    """

    valid_to: int | None = None
    superseded_by: int | None = None
    folded_into: int | None = None
    lapsed: bool = False


@dataclass(slots=True)
class _Run:
    """Adjacent statements of one value: the first stands, the others support it."""

    members: list[Statement] = field(default_factory=list)
    # Ends that its members state themselves.
    stated_ends: list[StatedEnd] = field(default_factory=list)
    # What was decided to replace one of them.
    replaced_by: list[Statement] = field(default_factory=list)
    end: int | None = None
    followed_by: int | None = None
    lapsed: bool = False

    @property
    def lapse_mark(self) -> int | None:
        """Position of the last erasure that took what had followed it, or ended it; or None."""
        marks = (each.lapse_mark for each in self.members if each.lapse_mark is not None)
        return max(marks, default=None)

    @property
    def standing(self) -> Statement:
        return self.members[0]

    @property
    def value(self) -> str:
        return self.members[0].value

    @property
    def replacement(self) -> Statement | None:
        """What replaces the value first, or None."""
        return min(self.replaced_by, key=_order, default=None)

    def add(self, statement: Statement, replaced_by: Sequence[Statement]) -> None:
        self.members.append(statement)
        self.replaced_by.extend(replaced_by)
        if statement.stated_to is not None:
            end = StatedEnd(
                statement.value, statement.stated_to, statement.said_at, statement.position
            )
            self.stated_ends.append(end)

    def close(
        self, ends: Sequence[StatedEnd], *, following: Statement | None, by: Statement | None
    ) -> None:
        """Settle where the run ends: where it is said to, or where another value takes its place.

        Args:
            ends: Stated ends.
            following: The next statement that no end of this run can lie beyond, or None.
            by: The statement that takes its place, or None.
        """
        begins = [each.valid_from for each in (following, by) if each is not None]
        self.end = _end_of(self, ends, before=min(begins, default=None))
        mark = self.lapse_mark
        if by is None or by.value == self.value or (mark is not None and by.position < mark):
            self.lapsed = mark is not None and self.end is None
            return
        if self.end is None or self.end >= by.valid_from:
            self.end, self.followed_by = by.valid_from, by.position


def single_chain(statements: Iterable[Statement], ends: Sequence[StatedEnd]) -> dict[int, Link]:
    """Chain the statements of a key that has one value at a time.

    Args:
        statements: The admitted ones.
        ends: Stated ends that were not taken back.

    Returns:
        The place of each statement, by position. Intervals of standing statements are disjoint; of
        two that begin at the same moment the one said earlier gets the empty interval.
    """
    runs = _runs(statements, ends, {})
    for run, next_run in _with_next(runs):
        follower = None if next_run is None else next_run.standing
        run.close(ends, following=follower, by=follower)
    return _links(runs)


def multiple_chains(
    statements: Iterable[Statement],
    ends: Sequence[StatedEnd],
    replacements: Iterable[Replacement],
) -> dict[int, Link]:
    """Chain the statements of a key that may have many values: each value by itself.

    A replacement counts while both its statements are admitted; the one that begins later follows,
    whichever was said to replace the other. A value said again after it was replaced stands anew.

    Args:
        statements: The admitted ones.
        ends: Stated ends that were not taken back.
        replacements: Decisions that one statement replaces another.

    Returns:
        The place of each statement, by position.
    """
    by_value: dict[str, list[Statement]] = {}
    by_position: dict[int, Statement] = {}
    for statement in statements:
        by_value.setdefault(statement.value, []).append(statement)
        by_position[statement.position] = statement
    replacing = _replacing(by_position, replacements)
    links: dict[int, Link] = {}
    for same in by_value.values():
        runs = _runs(same, ends, replacing)
        for run, next_run in _with_next(runs):
            following = None if next_run is None else next_run.standing
            run.close(ends, following=following, by=run.replacement)
        links |= _links(runs)
    return links


def _order(statement: Statement) -> tuple[int, int, str, str, int]:
    return statement.order


def _with_next(runs: Sequence[_Run]) -> Iterator[tuple[_Run, _Run | None]]:
    return zip_longest(runs, runs[1:])


def _replacing(
    by_position: Mapping[int, Statement], replacements: Iterable[Replacement]
) -> dict[int, list[Statement]]:
    """Give, for each statement that is replaced, the later ones that replace it."""
    replacing: dict[int, list[Statement]] = {}
    for replacement in replacements:
        by, of = by_position.get(replacement.by), by_position.get(replacement.of)
        if by is not None and of is not None and by.value != of.value:
            old, new = sorted((by, of), key=_order)
            replacing.setdefault(old.position, []).append(new)
    return replacing


def _runs(
    statements: Iterable[Statement],
    ends: Sequence[StatedEnd],
    replacing: Mapping[int, Sequence[Statement]],
) -> list[_Run]:
    """Fold what only repeats the value before it, unless that was over by then."""
    runs: list[_Run] = []
    for statement in sorted(statements, key=_order):
        same = bool(runs) and runs[-1].value == statement.value
        if not same or _is_over(runs[-1], ends, statement):
            runs.append(_Run())
        runs[-1].add(statement, replacing.get(statement.position, ()))
    return runs


def _is_over(run: _Run, ends: Sequence[StatedEnd], statement: Statement) -> bool:
    if run.lapse_mark is not None:
        return True
    replacement = run.replacement
    if replacement is not None and replacement.order < statement.order:
        return True
    return _end_of(run, ends, before=statement.valid_from) is not None


def _end_of(run: _Run, ends: Sequence[StatedEnd], *, before: int | None) -> int | None:
    """Give the stated end of a run up to a moment; of several, what was said last counts.

    What was recorded before an erasure took the run's end does not say when that was.
    """
    begins = run.standing.valid_from
    mark = run.lapse_mark
    applying = [
        (end.said_at, end.valid_to)
        for end in (*run.stated_ends, *ends)
        if end.value in {"", run.value}
        and (mark is None or end.position > mark)
        and begins < end.valid_to
        and (before is None or end.valid_to <= before)
    ]
    return max(applying)[1] if applying else None


def _links(runs: Iterable[_Run]) -> dict[int, Link]:
    links: dict[int, Link] = {}
    for run in runs:
        standing, *others = run.members
        links[standing.position] = Link(run.end, run.followed_by, lapsed=run.lapsed)
        for other in others:
            links[other.position] = Link(folded_into=standing.position)
    return links
