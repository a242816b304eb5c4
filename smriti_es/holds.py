"""Legal holds: what must be kept, whoever would like it gone, until the hold is lifted or expires.

A hold names what it keeps in canonical form: every spelling and every alias is meant. Whatever
rests on what is held is held with it. Source: design page on trust, "Retention and holds".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import or_, select

from smriti_es.blast_radius import Target
from smriti_es.erasure_plan import ErasurePlan, Planner, read_events
from smriti_es.events.catalogue import (
    ExtractionCompleted,
    ExtractionFailed,
    HoldPlaced,
    HoldReleased,
)
from smriti_es.events.errors import HeldError, NotFound
from smriti_es.events.key_form import key_form
from smriti_es.events.records import NewEvent, Transaction
from smriti_es.opened import Opened
from smriti_es.projections.projector import Projector
from smriti_es.projections.trust import trust_tables

# What a hold may be placed on, and with `tenant` on everything.
HELD_KINDS: Final = ("turn", "session", "fact", "entity", "space", "tenant")
_TOLD_MAX: Final = 5


@dataclass(frozen=True, slots=True)
class Hold:
    """A hold that was not released.

    Attributes:
        position: Its place in the log, by which it is released.
        known: Since when, microseconds since the epoch.
        kind: What it keeps: session, turn, fact, entity, space, or tenant for everything.
        name: Which, in the form in which names are compared.
        space: The space of a session; "" otherwise.
        expires_at: When it ceases by itself, or None.
        reason: Why; "" when that was erased.
        authority: Who asked for it.
    """

    position: int
    known: int
    kind: str
    name: str
    space: str
    expires_at: int | None
    reason: str = ""
    authority: str = ""


def read_holds(opened: Opened) -> list[Hold]:
    """List the holds that are not released, oldest first."""
    with opened.database.read() as connection:
        serving = opened.projector.serving(connection)
        trust = opened.projector.readable(serving, "trust").number
        hold = trust_tables(trust).keeping.hold
        c = hold.c
        rows = connection.execute(
            select(hold).where(c.log == opened.log.log, c.released.is_(None)).order_by(c.position)
        ).all()
        said = read_events(connection, opened.log.log, [row.position for row in rows])
    holds = []
    for row in rows:
        event = said[row.position].event
        told = (event.reason, event.authority) if isinstance(event, HoldPlaced) else ("", "")
        named = (row.position, row.known, row.kind, row.name, row.space, row.expires_at)
        holds.append(Hold(*named, *told))
    return holds


def active_holds(planner: Planner, now: int) -> Iterator[Any]:
    """Give the rows of the holds that are neither released nor expired, oldest first."""
    hold = planner.trust.keeping.hold
    c = hold.c
    yield from planner.tracer.connection.execute(
        select(hold)
        .where(
            c.log == planner.tracer.log.log,
            c.released.is_(None),
            or_(c.expires_at.is_(None), c.expires_at > now),
        )
        .order_by(c.position)
    ).all()


def held_by(planner: Planner, plan: ErasurePlan, now: int) -> list[int]:
    """Give the positions of the holds in force that keep anything of a plan."""
    going = {*plan.content.positions, *plan.aliases, *_sources_of_replies(plan)}
    return [row.position for row in active_holds(planner, now) if _keeps(row, planner, going)]


def _sources_of_replies(plan: ErasurePlan) -> set[int]:
    """Give the turns of extractions that go and in which a model's replies repeat them."""
    return {
        turn
        for recorded in plan.events.values()
        if isinstance(recorded.event, (ExtractionCompleted, ExtractionFailed))
        and recorded.event.replies
        for turn in recorded.event.turns
    }


def assert_not_held(planner: Planner, plan: ErasurePlan, now: int) -> None:
    """Refuse to erase what a hold in force keeps.

    Raises:
        HeldError: One does; it names them.
    """
    if holds := held_by(planner, plan, now):
        named = ", ".join(map(str, holds[:_TOLD_MAX])) + ("..." if holds[_TOLD_MAX:] else "")
        one, more = f"the hold at position {named} keeps it", f"holds at positions {named} keep it"
        holding = one if len(holds) == 1 else more
        raise HeldError(f"{holding}; nothing was erased", holds=holds)


def _keeps(row: Any, planner: Planner, going: set[int]) -> bool:
    if row.kind == "tenant":
        return bool(going)
    return not going.isdisjoint(held_positions(planner, row))


def held_positions(planner: Planner, row: Any) -> set[int]:
    """Give everything that a hold keeps, by its row: what it names, and what rests on that."""
    tracer, kind, name, space = planner.tracer, row.kind, row.name, row.space
    if kind == "entity":
        # An alias that was taken away since does not lift it.
        known_as = planner.names_since(row.known)
        names = known_as.all_of(known_as.root(name))
        return {*tracer.resting_on(tracer.of_entity(names)).positions, *planner.aliases_of(names)}
    if kind == "session":
        return set(tracer.resting_on(tracer.of_session_in_key_form(name, space)).positions)
    if kind == "space":
        return set(tracer.resting_on(tracer.of_spaces_in_key_form(name)).positions)
    try:
        return set(tracer.radius(Target(kind, int(name))).positions)
    except NotFound:
        return set()


@dataclass(slots=True)
class ReleaseHold:
    """Lift a hold; others on the same thing stand."""

    projector: Projector
    hold: int
    reason: str

    def __call__(self, transaction: Transaction) -> list[NewEvent]:
        """Decide on the events."""
        generation = self.projector.serving_in(transaction)["trust"].number
        c = trust_tables(generation).keeping.hold.c
        standing = transaction.connection.execute(
            select(c.position).where(
                c.log == transaction.log, c.position == self.hold, c.released.is_(None)
            )
        ).first()
        if standing is None:
            raise NotFound(
                f"no hold stands at position {self.hold}", hint="engine.holds() lists them."
            )
        return [NewEvent(HoldReleased(hold=self.hold, reason=self.reason), (self.hold,))]


def hold_name(kind: str, name: str) -> str:
    """Bring what a hold names into the form in which it is compared."""
    return name if kind in ("turn", "fact") else key_form(name)
