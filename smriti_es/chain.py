"""Which value follows which: the chain of a key as a pure function of its statements.

No part of the order depends on arrival, so the same statements give the same chain in whatever
order they came. Source: design page on time, "Supersession"; decisions 14 and 15.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise


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
    """

    position: int
    fact: str
    value: str
    valid_from: int
    said_at: int
    stated_to: int | None = None

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
    """

    value: str
    valid_to: int
    said_at: int


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
    """

    valid_to: int | None = None
    superseded_by: int | None = None
    folded_into: int | None = None


@dataclass(slots=True)
class _Run:
    """Adjacent statements of one value: the first stands, the others support it."""

    members: list[Statement]
    end: int | None = None
    followed_by: int | None = None

    @property
    def standing(self) -> Statement:
        return self.members[0]

    @property
    def value(self) -> str:
        return self.members[0].value


def single_chain(statements: Iterable[Statement], ends: Sequence[StatedEnd]) -> dict[int, Link]:
    """Chain the statements of a key that has one value at a time.

    Args:
        statements: The admitted ones.
        ends: Stated ends that were not taken back.

    Returns:
        The place of each statement, by position. Intervals of standing statements are disjoint; of
        two that begin at the same moment the one said earlier gets the empty interval.
    """
    runs = _runs(statements, ends)
    for run, following in pairwise(runs):
        begins = following.standing.valid_from
        if run.end is None or run.end >= begins:
            run.end, run.followed_by = begins, following.standing.position
    return _links(runs)


def multiple_chains(
    statements: Iterable[Statement],
    ends: Sequence[StatedEnd],
    replacements: Iterable[Replacement],
) -> dict[int, Link]:
    """Chain the statements of a key that may have many values: each value by itself.

    A replacement counts while both its statements are admitted; the one that begins later follows,
    whichever was said to replace the other.
    """
    by_value: dict[str, list[Statement]] = {}
    for statement in statements:
        by_value.setdefault(statement.value, []).append(statement)
    runs = [run for value in sorted(by_value) for run in _runs(by_value[value], ends)]
    at = {member.position: run for run in runs for member in run.members}
    for replacement in sorted(replacements, key=lambda r: (r.by, r.of)):
        if replacement.by in at and replacement.of in at:
            _replace(at[replacement.of], at[replacement.by])
    return _links(runs)


def _replace(old: _Run, new: _Run) -> None:
    if old is new:
        return
    if new.standing.order < old.standing.order:
        old, new = new, old
    begins = new.standing.valid_from
    if old.end is None or begins < old.end:
        old.end, old.followed_by = begins, new.standing.position


def _runs(statements: Iterable[Statement], ends: Sequence[StatedEnd]) -> list[_Run]:
    runs: list[_Run] = []
    ordered = sorted(statements, key=lambda statement: statement.order)
    for statement in ordered:
        current = runs[-1] if runs else None
        if current is not None and current.value == statement.value:
            over = _end_of(current, ends, before=statement.valid_from)
            if over is None:
                current.members.append(statement)
                continue
        runs.append(_Run([statement]))
    for number, run in enumerate(runs):
        following = runs[number + 1].standing.valid_from if number + 1 < len(runs) else None
        run.end = _end_of(run, ends, before=following)
    return runs


def _end_of(run: _Run, ends: Sequence[StatedEnd], *, before: int | None) -> int | None:
    """Give the stated end of a run up to a moment; of several, what was said last counts."""
    own = [
        StatedEnd(member.value, member.stated_to, member.said_at)
        for member in run.members
        if member.stated_to is not None
    ]
    begins = run.standing.valid_from
    applying = [
        (end.said_at, end.valid_to)
        for end in (*own, *ends)
        if end.value in {"", run.value}
        and begins < end.valid_to
        and (before is None or end.valid_to <= before)
    ]
    return max(applying)[1] if applying else None


def _links(runs: Iterable[_Run]) -> dict[int, Link]:
    links: dict[int, Link] = {}
    for run in runs:
        standing, *others = run.members
        links[standing.position] = Link(run.end, run.followed_by)
        for other in others:
            links[other.position] = Link(folded_into=standing.position)
    return links
