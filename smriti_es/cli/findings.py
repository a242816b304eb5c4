"""What a verification or a check found, for people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from smriti_es.cli.screen import Screen, plain, table

if TYPE_CHECKING:
    from smriti_es.events.verification import Verification
    from smriti_es.projections.check import CheckReport

FINGERPRINT_DIGITS = 12


def show_log_findings(screen: Screen, verified: "Verification") -> None:
    """Tell whether the log is what was written, and if not, where not."""
    if verified.ok:
        screen.say(f"The log is intact: {verified.events:,} events, head {verified.head}.", "green")
        return
    count = len(verified.findings)
    findings = "1 finding" if count == 1 else f"{count:,} findings"
    screen.say(f"The log is NOT what was written: {findings}.", "bold red")
    shown = table("position", "place", "finding", right=("position",))
    for each in verified.findings:
        where = "log" if each.position is None else str(each.position)
        shown.add_row(where, each.place, plain(each.problem))
    screen.show(shown)


def show_checks(screen: Screen, reports: Sequence["CheckReport"]) -> None:
    """Tell how projections compare with the log."""
    shown = table(
        *("projection", "folded", "serving", "from the log", "finding"),
        right=("folded",),
        fixed=("serving", "from the log"),
    )
    for each in reports:
        shown.add_row(
            each.projection,
            f"{each.folded:,} of {each.size:,}",
            each.live[:FINGERPRINT_DIGITS],
            each.fresh[:FINGERPRINT_DIGITS],
            "equal" if each.problem is None else plain(each.problem),
            style="" if each.ok else "red",
        )
    screen.show(shown)
