"""What is claimed of a key, recorded or about to be: what relinking works on."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from smriti_es.admission import Claim
from smriti_es.chain import Link, Replacement, StatedEnd, Statement
from smriti_es.events.catalogue import ArbitrationDecided, FactAsserted, FactEnded
from smriti_es.events.key_form import key_form
from smriti_es.events.records import NewEvent
from smriti_es.projections.facts import ADMITTED, LAPSED, PROPOSED
from smriti_es.trust import TrustPolicy

_NOWHERE: Final = Link()


@dataclass(slots=True)
class Member:
    """A claim of a key with its place as it is recorded.

    Attributes:
        claim: What was said, and by whom.
        single: Whether it says that there is one such value at a time.
        link: Its recorded place; of a stated end nothing.
        state: Its recorded state.
        new: Whether its place was never recorded; a new statement's stated end is.
    """

    claim: Claim
    single: bool = False
    link: Link = _NOWHERE
    state: str = ADMITTED
    new: bool = False


@dataclass(slots=True)
class Pending:
    """What a command is about to record, and what is about to go: the chain must know both.

    Attributes:
        asserted: New statements, by the position that they will have.
        ended: New stated ends, by the position that they will have.
        replacements: New decisions that one statement replaces another.
        gone: Positions of statements and stated ends that are about to be taken back, turned down
            or withheld.
        approved: Positions of statements and stated ends that an owner is about to let stand.
        releasing: Position of the quarantine that is about to be lifted, or None.
        policy: The policy of trust that is about to hold; None: the one that does.
        marks: Statements whose mark of an erasure is about to change, each with the new one.
    """

    asserted: dict[int, FactAsserted] = field(default_factory=dict)
    ended: dict[int, FactEnded] = field(default_factory=dict)
    replacements: list[Replacement] = field(default_factory=list)
    gone: set[int] = field(default_factory=set)
    approved: set[int] = field(default_factory=set)
    releasing: int | None = None
    policy: TrustPolicy | None = None
    marks: dict[int, int | None] = field(default_factory=dict)

    def take_over(self, events: Sequence[NewEvent], position: int) -> None:
        """Take over statements, ends and verdicts about to be recorded from a position on."""
        for at, new in enumerate(events, position):
            if isinstance(new.event, FactAsserted):
                self.asserted[at] = new.event
            elif isinstance(new.event, FactEnded):
                self.ended[at] = new.event
            elif isinstance(new.event, ArbitrationDecided) and new.event.action == "supersede":
                self.replacements.append(Replacement(new.event.fact, new.event.target))


def recorded_statement(row: Any, pending: Pending) -> Member:
    """Read a statement's row, as it will be once what is pending is recorded."""
    mark, waits = pending.marks.get(row.position, row.lapse_mark), row.state == PROPOSED
    statement = Statement(
        row.position,
        row.fact,
        row.value,
        row.valid_from,
        row.said_at,
        row.stated_to,
        None if waits else mark,
    )
    if row.position in pending.approved:
        # What the approval itself records: it stands, and by itself so far.
        claim = Claim(row.position, statement, row.origin, approved=True)
        return Member(claim, row.single, Link(row.stated_to))
    orphaned = waits and mark is not None
    claim = Claim(row.position, statement, row.origin, row.approved, orphaned)
    lapsed = row.state == LAPSED
    link = Link(row.valid_to, row.superseded_by, row.folded_into, lapsed)
    return Member(claim, row.single, link, ADMITTED if lapsed else row.state)


def recorded_end(row: Any, pending: Pending) -> Member:
    """Read a stated end's row, as it will be once what is pending is recorded."""
    end = StatedEnd(row.value, row.valid_to, row.said_at, row.position)
    if row.position in pending.approved:
        return Member(Claim(row.position, end, row.origin, approved=True))
    return Member(Claim(row.position, end, row.origin, row.approved), state=row.state)


def new_member(position: int, event: FactAsserted | FactEnded) -> Member:
    """Give what is about to be recorded at a position."""
    value = key_form(event.object)
    if isinstance(event, FactEnded):
        end = StatedEnd(value, event.valid_to, event.said_at, position)
        return Member(Claim(position, end, event.origin), new=True)
    statement = Statement(
        position, event.fact, value, event.valid_from, event.said_at, event.valid_to
    )
    claim = Claim(position, statement, event.origin)
    return Member(claim, event.single, Link(event.valid_to), new=True)
