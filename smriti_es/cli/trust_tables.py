"""Proposals, quarantines and what rests on something, for people."""

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from rich.table import Table

from smriti_es.cli.screen import plain, shortened, table
from smriti_es.cli.shown_times import shown_day, shown_time
from smriti_es.events.catalogue import (
    FactAdmitted,
    FactIntervalRevised,
    FactProposed,
    FactReaffirmed,
    FactReopened,
    FactSuperseded,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import tzinfo

    from smriti_es.beliefs import Fact
    from smriti_es.blast_radius import BlastRadius
    from smriti_es.events.catalogue import Event
    from smriti_es.reviewing import Proposal
    from smriti_es.trust_verbs import StandingQuarantine

_SAID_LENGTH: Final = 160
_POSITIONS_LENGTH: Final = 300


def proposals_table(found: "Sequence[Proposal]", zone: "tzinfo") -> Table:
    """Make a table of what waits, each followed by what it would change and what supports it."""
    shown = table(
        *("position", "what", "whose word", "said", "since", "against"),
        right=("position",),
        fixed=("whose word", "said", "since"),
    )
    for proposal in found:
        against = proposal.against
        shown.add_row(
            str(proposal.position),
            shortened(_said(proposal), _SAID_LENGTH),
            proposal.origin,
            shown_time(proposal.said_at, zone),
            shown_day(proposal.valid_from, zone),
            "-" if against is None else shortened(_fact(against), _SAID_LENGTH),
        )
        for line in (*_changes(proposal, zone), *_evidence(proposal)):
            shown.add_row("", line, style="dim")
    return shown


def _said(proposal: "Proposal") -> str:
    said = f"{proposal.subject} {proposal.predicate} {proposal.object}".rstrip()
    scope = f" [{proposal.scope}]" if proposal.scope else ""
    return f"{said}{scope}" if proposal.what == "fact" else f"end of {said}{scope}"


def _fact(fact: "Fact") -> str:
    return f"{fact.object} ({fact.position})"


def _evidence(proposal: "Proposal") -> "Iterator[str]":
    for turn, quote in proposal.evidence:
        yield f"turn {turn}: “{shortened(quote, _SAID_LENGTH)}”"


def _changes(proposal: "Proposal", zone: "tzinfo") -> "Iterator[str]":
    for change in proposal.changes:
        if (told := _change(change, proposal, zone)) is not None:
            yield f"if approved: {told}"


def _change(change: "Event", proposal: "Proposal", zone: "tzinfo") -> str | None:
    """Say what an event would do, in the words of a table."""
    match change:
        case FactSuperseded() | FactIntervalRevised():
            ends = "has no end" if change.valid_to is None else f"ends {_day(change, zone)}"
            followed = "" if change.by < 0 else f", then {_named(change.by, proposal)}"
            return f"{_named(change.fact, proposal)} {ends}{followed}"
        case FactReopened():
            until = "" if change.valid_to is None else f" until {_day(change, zone)}"
            return f"{_named(change.fact, proposal)} stands by itself again{until}"
        case FactReaffirmed():
            standing = _named(change.standing, proposal)
            return f"{_named(change.fact, proposal)} repeats {standing}"
        case FactProposed():
            return f"{_named(change.fact, proposal)} waits for review"
        case FactAdmitted():
            return f"{_named(change.fact, proposal)} stands"
    return None


def _day(change: "FactSuperseded | FactIntervalRevised | FactReopened", zone: "tzinfo") -> str:
    return shown_day(change.valid_to, zone)


def _named(position: int, proposal: "Proposal") -> str:
    """Name a fact by its value where that is known here, and by its position anyway."""
    if position == proposal.position:
        return "this"
    against = proposal.against
    if against is not None and position == against.position:
        return shortened(_fact(against), _SAID_LENGTH)
    return f"the fact at {position}"


def quarantines_table(found: "Sequence[StandingQuarantine]", zone: "tzinfo") -> Table:
    """Make a table of quarantines that are not lifted."""
    shown = table(
        *("position", "since", "what", "cascade", "withheld", "reason"),
        right=("position", "withheld"),
        fixed=("since",),
    )
    for each in found:
        shown.add_row(
            str(each.position),
            shown_time(each.known, zone),
            plain(in_words(each.target)),
            "yes" if each.cascade else "no",
            f"{each.items:,}",
            shortened(each.reason, _SAID_LENGTH),
        )
    return shown


def impact_table(found: "BlastRadius") -> Table:
    """Make a table of how much rests on something, and where it stands."""
    shown = table("what", "how many", "positions", right=("how many",))
    for what in ("sessions", "turns", "facts", "ends", "served"):
        positions = getattr(found, what)
        if what == "served" and not positions:
            continue  # mostly no receipts are kept
        where = ", ".join(ranges(positions))
        shown.add_row(what, f"{len(positions):,}", shortened(where, _POSITIONS_LENGTH))
    return shown


def ranges(positions: "Sequence[int]") -> "Iterator[str]":
    """Write ascending positions, neighbours as one range."""
    if not positions:
        return
    first = positions[0]
    for one, following in pairwise((*positions, -1)):
        if following != one + 1:
            yield str(first) if first == one else f"{first}-{one}"
            first = following


def in_words(target: "Mapping[str, object]") -> str:
    """Name what an owner named."""
    return " ".join(f"{kind} {name}" for kind, name in target.items())
