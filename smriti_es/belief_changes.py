"""What did the memory come to believe, cease to believe or re-date between two moments?"""

from dataclasses import dataclass, replace
from typing import Literal

from sqlalchemy import select

from smriti_es.beliefs import BeliefReader, Fact, FactFilter
from smriti_es.projections.facts import ADMITTED
from smriti_es.staleness import AT_ONCE
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
        after: As it was believed at the later moment.
        cause: Position of the event that made the difference last.
    """

    kind: Kind
    position: int
    before: Fact | None
    after: Fact
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
        .where(r.log == later.log, r.cause > first.position, r.cause <= last.position)
        .order_by(r.fact, r.revision)
    )
    causes = {row.fact: row.cause for row in rows}
    # Which facts are meant is settled once: an alias made meanwhile changes no belief.
    changed = sorted(causes)
    after: list[Fact] = []
    for start in range(0, len(changed), AT_ONCE):
        part = replace(wanted, positions=tuple(changed[start : start + AT_ONCE]))
        after += later.facts_of_any_status(part)
    before = earlier.by_position([fact.position for fact in after])
    changes = []
    for now in sorted(after, key=lambda fact: fact.position):
        was = before.get(now.position)
        kind = _kind(was, now)
        if kind is not None:
            changes.append(BeliefChange(kind, now.position, was, now, causes[now.position]))
    return changes


def _kind(was: Fact | None, now: Fact) -> Kind | None:
    if was is None or was.state != ADMITTED:
        return "believed" if now.state == ADMITTED else None
    if now.state != ADMITTED:
        return "no longer believed"
    if was.folded_into != now.folded_into:
        return "reopened" if now.folded_into is None else "restated"
    same = (was.valid_from, was.valid_to, was.superseded_by) == (
        now.valid_from,
        now.valid_to,
        now.superseded_by,
    )
    return None if same else "re-dated"
