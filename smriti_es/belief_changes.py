"""What did the memory come to believe, cease to believe or re-date between two moments?"""

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import select

from smriti_es.beliefs import BeliefReader, Fact, FactFilter
from smriti_es.projections.facts import ADMITTED
from smriti_es.time_travel import Moment

Kind = Literal["believed", "no longer believed", "re-dated", "restated", "reopened"]


@dataclass(frozen=True, slots=True)
class BeliefChange:
    """How a belief differs between two knowledge times.

    Attributes:
        kind: believed: it was not before; no longer believed; re-dated: another interval or another
            follower; restated: it only repeats another one now; reopened: it stands by itself
            again.
        position: The fact.
        before: As it was believed at the earlier moment, or None.
        after: As it was believed at the later moment, or None.
        cause: Position of the event that made the difference last.
    """

    kind: Kind
    position: int
    before: Fact | None
    after: Fact | None
    cause: int


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
    r = later.tables.revisions.c
    first, last = between
    rows = later.connection.execute(
        select(r.fact, r.cause)
        .where(r.log == later.log, r.known_from > first.known, r.known_from <= last.known)
        .order_by(r.fact, r.revision)
    )
    causes = {row.fact: row.cause for row in rows}
    before = {f.position: f for f in earlier.facts_of_any_status(wanted)}
    after = {f.position: f for f in later.facts_of_any_status(wanted)}
    changes = []
    for position in sorted(causes):
        was, now = before.get(position), after.get(position)
        kind = _kind(was, now)
        if kind is not None:
            changes.append(BeliefChange(kind, position, was, now, causes[position]))
    return changes


def _kind(was: Fact | None, now: Fact | None) -> Kind | None:
    believed_before = was is not None and was.state == ADMITTED
    believed_after = now is not None and now.state == ADMITTED
    if not believed_after:
        return "no longer believed" if believed_before else None
    if not believed_before:
        return "believed"
    assert was is not None
    assert now is not None
    if was.folded_into != now.folded_into:
        return "reopened" if now.folded_into is None else "restated"
    same = (was.valid_from, was.valid_to, was.superseded_by) == (
        now.valid_from,
        now.valid_to,
        now.superseded_by,
    )
    return None if same else "re-dated"
