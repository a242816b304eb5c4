"""Facts, histories, explanations and changes of belief, for people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.table import Table

from smriti_es.cli.screen import Screen, one_line, plain, shortened, table
from smriti_es.cli.shown_times import shown_day, shown_time
from smriti_es.cli.timeline import STYLES

if TYPE_CHECKING:
    from datetime import tzinfo

    from smriti_es.belief_changes import BeliefChange
    from smriti_es.beliefs import Fact
    from smriti_es.fact_history import Cause, Explanation, FactHistory, Revision

_VALUE_LENGTH: Final = 120
_SAID_LENGTH: Final = 160
_LEAF_DIGITS: Final = 12


def facts_table(found: "Sequence[Fact]", zone: "tzinfo") -> Table:
    """Make a table of facts with the times in which they hold."""
    shown = table(
        *("position", "status", "subject", "predicate", "object", "scope", "since", "until", ""),
        right=("position",),
        fixed=("status", "since", "until"),
    )
    for fact in found:
        shown.add_row(
            str(fact.position),
            fact.status.value,
            plain(fact.subject),
            plain(fact.predicate),
            shortened(_value(fact), _VALUE_LENGTH),
            plain(fact.scope),
            *_interval(fact, zone),
            _remarks(fact),
            style=STYLES.get(fact.status.value, ""),
        )
    return shown


def histories_table(found: "Sequence[FactHistory]", zone: "tzinfo") -> Table:
    """Make a table of facts, each followed by what was believed of it, and when."""
    shown = table(
        *("position", "what", "since", "until", "believed from", "believed to", "because of"),
        right=("position", "because of"),
        fixed=("since", "until", "believed from", "believed to"),
    )
    for each in found:
        fact = each.fact
        said = f"{fact.subject} {fact.predicate} {_value(fact)}"
        scope = f" [{fact.scope}]" if fact.scope else ""
        shown.add_row(
            str(fact.position),
            shortened(
                ", ".join([f"{said}{scope}: {fact.status.value}", *_withheld(fact.withheld)]),
                _SAID_LENGTH,
            ),
        )
        for revision in each.revisions:
            shown.add_row("", *_revision_cells(revision, zone), style="dim")
    return shown


def changes_table(found: "Sequence[BeliefChange]", zone: "tzinfo", *, causes: bool = True) -> Table:
    """Make a table of beliefs that differ between two times; `causes`: and of why they do."""
    shown = table(
        *("position", "change", "what", "before", "after", *(["because of"] if causes else [])),
        right=("position", "because of"),
        fixed=("before", "after"),
    )
    for change in found:
        fact = change.fact
        shown.add_row(
            str(change.position),
            change.kind,
            shortened(
                ", ".join(
                    [f"{fact.subject} {fact.predicate} {_value(fact)}", *_withheld(fact.withheld)]
                ),
                _SAID_LENGTH,
            ),
            _standing(change.before, zone),
            _standing(change.after, zone),
            *([str(change.cause)] if causes else []),
        )
    return shown


def show_explanation(screen: Screen, found: "Explanation", zone: "tzinfo") -> None:
    """Show why a fact is believed."""
    fact = found.fact
    screen.say(one_line(fact.statement), "bold")
    since, until = _interval(fact, zone)
    ends = f" until {until}" if until else ""
    scope = f", in {fact.scope}" if fact.scope else ""
    stale = ", stale: what it rests on has changed" if fact.stale else ""
    screen.say(
        f"position {fact.position}: {fact.status.value} since {since}{ends}{scope}{stale}"
        f"{''.join(f', {each}' for each in _withheld(fact.withheld))}; "
        f"origin {fact.origin}, stated by {fact.source}"
    )
    for turn, quote in fact.evidence:
        screen.say(f"  {turn:>8}  “{one_line(quote)}”", "green")
    for heading, causes in (("It rests on", found.rests_on), ("Decided since", found.decided)):
        if causes:
            screen.say(f"\n{heading}:", "bold cyan")
            screen.show(_causes_table(causes, zone))
    screen.say("\nWhat was believed of it:", "bold cyan")
    shown = table(
        *("", "since", "until", "believed from", "believed to", "because of"), right=("because of",)
    )
    for revision in found.revisions:
        shown.add_row(*_revision_cells(revision, zone))
    screen.show(shown)


def _causes_table(causes: "Sequence[Cause]", zone: "tzinfo") -> Table:
    shown = table(
        *("position", "recorded", "event", "what it says", "hash"),
        right=("position",),
        fixed=("recorded", "hash"),
    )
    for cause in causes:
        shown.add_row(
            str(cause.position),
            shown_time(cause.known, zone),
            cause.type,
            shortened("; ".join([_said(cause.content), *_withheld(cause.withheld)]), _SAID_LENGTH),
            cause.leaf[:_LEAF_DIGITS],
        )
    return shown


def _said(content: Any) -> str:
    """Tell the gist of an event: its words where it has any."""
    if content is None:
        return "(erased)"
    for name in ("text", "statement", "reason", "extractor"):
        if said := getattr(content, name, ""):
            return str(said)
    by = getattr(content, "by", -1)
    return f"followed by {by}" if by >= 0 else ""


def _revision_cells(revision: "Revision", zone: "tzinfo") -> tuple[str, ...]:
    if revision.state != "admitted":
        what = revision.state
    elif revision.folded_into is not None:
        what = f"repeats {revision.folded_into}"
    elif revision.superseded_by is not None:
        what = f"superseded by {revision.superseded_by}"
    else:
        what = "stands"
    return (
        what,
        shown_day(revision.valid_from, zone),
        shown_day(revision.valid_to, zone),
        shown_time(revision.known_from, zone),
        "" if revision.known_to is None else shown_time(revision.known_to, zone),
        str(revision.cause),
    )


def _standing(fact: "Fact | None", zone: "tzinfo") -> str:
    if fact is None or fact.state != "admitted":
        return "-"
    if fact.folded_into is not None:
        return f"repeats {fact.folded_into}"
    return " .. ".join(_interval(fact, zone)).rstrip()


def _interval(fact: "Fact", zone: "tzinfo") -> tuple[str, str]:
    return shown_day(fact.valid_from, zone, fact.precision), shown_day(fact.valid_to, zone)


def _value(fact: "Fact") -> str:
    """Give what a fact says: a digest says it in its statement."""
    return fact.statement if fact.kind == "digest" else fact.object


def _remarks(fact: "Fact") -> str:
    repeated = len(fact.restated_by)
    said = [f"said {repeated + 1} times"] if repeated else []
    stale = ["stale"] if fact.stale else []
    return ", ".join([*said, *stale, *_withheld(fact.withheld)])


def _withheld(causes: "Sequence[int]") -> "Sequence[str]":
    """Say of what is shown under the trust of then that it, or something of it, is withheld."""
    return [f"withheld today by {', '.join(map(str, causes))}"] if causes else []
