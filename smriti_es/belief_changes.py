"""What did the memory come to believe, cease to believe or re-date between two moments?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from sqlalchemy import select

from smriti_es.beliefs import BeliefReader, Fact, FactFilter
from smriti_es.events.database import in_parts
from smriti_es.projections.facts import ADMITTED, LAPSED
from smriti_es.projections.trust import withheld_at_one_of
from smriti_es.time_travel import Moment

Kind = Literal["believed", "no longer believed", "re-dated", "restated", "reopened", "lapsed"]
_STANDING: Final = (ADMITTED, LAPSED)


@dataclass(frozen=True, slots=True)
class BeliefChange:
    """How a belief differs between two knowledge times.

    Attributes:
        kind: believed: it was not before; no longer believed; re-dated: another interval or another
            follower; restated: it only repeats another one now; reopened: it stands by itself
            again; lapsed: it is over, and when is known no longer.
        position: The fact.
        before: As it was believed at the earlier moment, or None.
        after: As it was believed at the later moment; None when it was not shown then, since it
            waits for review or is withheld.
        cause: Position of the event that made the difference last.
    """

    kind: Kind
    position: int
    before: Fact | None
    after: Fact | None
    cause: int

    @property
    def fact(self) -> Fact:
        """The fact as it was believed last."""
        fact = self.before if self.after is None else self.after
        assert fact is not None, "a change has one side at least"
        return fact


def belief_changes(
    earlier: BeliefReader, later: BeliefReader, between: tuple[Moment, Moment], wanted: FactFilter
) -> list[BeliefChange]:
    """Compare beliefs at two moments, in the order of the facts' positions.

    Args:
        earlier: Reads at the earlier moment.
        later: Reads at the later moment.
        between: Both moments.
        wanted: Which facts.
    """
    causes = _causes(later, *between)
    changed = sorted(causes)
    # Which facts are meant is settled once, by how they were believed last: an alias made meanwhile
    # changes no belief.
    after = _read(later, wanted, changed)
    before = earlier.by_position(sorted(after))
    before |= _read(earlier, wanted, [each for each in changed if each not in after])
    changes = []
    for position in sorted(before | after):
        was, now = before.get(position), after.get(position)
        kind = _kind(was, now)
        if kind is not None:
            changes.append(BeliefChange(kind, position, was, now, causes[position]))
    return changes


def beliefs_left_out(
    reader: BeliefReader, positions: Sequence[int], wanted: FactFilter, cause: int
) -> list[BeliefChange]:
    """Tell of facts that are to be left out which of them were believed, by position.

    Args:
        reader: Reads before they are left out.
        positions: Which are left out, ascending.
        wanted: Which facts are asked about.
        cause: Position of the event that leaves them out.
    """
    found = _read(reader, wanted, positions)
    return [
        BeliefChange("no longer believed", position, found[position], None, cause)
        for position in sorted(found)
        if found[position].state in _STANDING
    ]


def _causes(later: BeliefReader, first: Moment, last: Moment) -> dict[int, int]:
    """Give the facts that are seen otherwise at one moment than at another, and what changed it."""
    r = later.tables.revisions.c
    rows = later.connection.execute(
        select(r.fact, r.cause)
        .where(r.log == later.log, r.cause > first.position, r.cause <= last.position)
        .order_by(r.fact, r.revision)
    )
    causes = {row.fact: row.cause for row in rows}
    seen_otherwise = withheld_at_one_of(
        later.connection, later.tables.trust, later.log, (first.known, last.known)
    )
    return seen_otherwise | causes


def _read(reader: BeliefReader, wanted: FactFilter, positions: Sequence[int]) -> dict[int, Fact]:
    found: dict[int, Fact] = {}
    for part in in_parts(positions):
        among = replace(wanted, positions=tuple(part))
        found |= {fact.position: fact for fact in reader.facts_of_any_status(among)}
    return found


def _kind(was: Fact | None, now: Fact | None) -> Kind | None:
    if was is None or was.state not in _STANDING:
        return "believed" if now is not None and now.state in _STANDING else None
    if now is None or now.state not in _STANDING:
        return "no longer believed"
    if was.state != now.state:
        return "lapsed" if now.state == LAPSED else "reopened"
    if was.folded_into != now.folded_into:
        return "reopened" if now.folded_into is None else "restated"
    same = (was.valid_from, was.valid_to, was.superseded_by) == (
        now.valid_from,
        now.valid_to,
        now.superseded_by,
    )
    return None if same else "re-dated"
