"""Facts as lines of a context: labelled, dated, one line each.

A fact's line is ours, so it begins in the first column; what it quotes cannot break it, for every
line break in it is made a space.
"""

from datetime import tzinfo

from smriti_es.beliefs import Fact, FactStatus
from smriti_es.events.instants import to_datetime
from smriti_es.recall.render import quotable

_STATEMENT_MAX = 400
# Where a stale digest or fact stands, in words.
_STALE = " | STALE: what it rests on has changed"
# A bracket in a scope would end the label early, and a bar begin another part of it.
_NO_MARKS = str.maketrans("[]|", "()/")
_FORMS = {"year": "%Y", "month": "%Y-%m"}


def fact_line(fact: Fact, zone: tzinfo) -> str:
    """Write a fact as one line: how it stands, since or until when, where, and what it says."""
    said = _on_one_line(fact.statement)
    shown = said if len(said) <= _STATEMENT_MAX else said[: _STATEMENT_MAX - 1] + "\u2026"
    return f"- [{_standing(fact, zone)}{_beside(fact)}] {shown}"


def digest_line(digest: Fact) -> str:
    """Write a digest as one line, whole: its totals stand at its end."""
    facts = "1 fact" if len(digest.because) == 1 else f"{len(digest.because)} facts"
    return f"- [DIGEST of {facts}{_beside(digest)}] {_on_one_line(digest.statement)}"


def _beside(fact: Fact) -> str:
    """Write where a fact applies, and whether it is stale."""
    scope = f" | {_on_one_line(fact.scope).translate(_NO_MARKS)}" if fact.scope else ""
    return f"{scope}{_STALE if fact.stale else ''}"


def _on_one_line(text: str) -> str:
    return " ".join(quotable(text).split())


def _standing(fact: Fact, zone: tzinfo) -> str:
    begins = _day(fact.valid_from, zone, fact.precision)
    ends = "" if fact.valid_to is None else _day(fact.valid_to, zone)
    match fact.status:
        case FactStatus.CURRENT if fact.valid_to is not None:
            return f"CURRENT {begins}..{ends}"
        case FactStatus.CURRENT:
            return f"CURRENT since {begins}"
        case FactStatus.SCHEDULED:
            return f"SCHEDULED from {begins}"
        case FactStatus.SUPERSEDED | FactStatus.ENDED as over:
            on = " on" if over is FactStatus.SUPERSEDED else ""
            return f"{over.upper()}{on} {ends}, since {begins}"
        case FactStatus.LAPSED:
            return f"LAPSED, since {begins}, end unknown"
        case _:
            return f"{fact.status.upper()} {begins}"


def _day(at: int, zone: tzinfo, precision: str = "day") -> str:
    moment = to_datetime(at, zone)
    return moment.strftime(_FORMS.get(precision, "%Y-%m-%d"))
