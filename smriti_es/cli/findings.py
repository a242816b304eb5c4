"""What a verification or a check found, for people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from smriti_es.cli.screen import Screen, one_line, plain, table
from smriti_es.events.errors import LogRolledBack

if TYPE_CHECKING:
    from smriti_es.events.verification import Finding, Verification
    from smriti_es.projections.check import CheckReport
    from smriti_es.results import VerifyReport

FINGERPRINT_DIGITS = 12


def show_log_findings(screen: Screen, verified: "Verification") -> None:
    """Tell whether the log is what was written, and if not, where not."""
    if verified.ok:
        screen.say(f"The log is intact: {verified.events:,} events, head {verified.head}.", "green")
        return
    if all(each.newer for each in verified.findings):
        before = f"{verified.findings[0].position:,} events are intact, then"
        screen.say(f"The log goes on in a newer format: {before} this release cannot follow.")
        return
    show_findings(screen, "The log is NOT what was written", verified.findings)


def show_findings(
    screen: Screen, what: str, findings: "Sequence[Finding]", whole: str = "log"
) -> None:
    """Tell what is wrong, and where.

    Args:
        screen: Where to.
        what: What they come to.
        findings: At least one.
        whole: What those concern that name no position.
    """
    count = "1 finding" if len(findings) == 1 else f"{len(findings):,} findings"
    screen.say(f"{what}: {count}.", "bold red")
    shown = table("position", "place", "finding", right=("position",))
    for each in findings:
        where = whole if each.position is None else str(each.position)
        shown.add_row(where, each.place, plain(each.problem))
    screen.show(shown)


def show_file_damage(screen: Screen, db: str, damage: str) -> None:
    """Tell what the database finds damaged in its file."""
    screen.say(f"The file {db} is damaged: {one_line(damage)}", "bold red")


def advice(report: "VerifyReport", db: str) -> str | None:
    """Say what to do about what was found: None when that is nothing.

    Args:
        report: What was found.
        db: The memory's file, as the call names it.
    """
    if report.ok:
        return None
    if report.file is not None or any(finding.unreadable for finding in report.log.findings):
        return (
            f"Restore a backup of {db}, or copy what can be read into a new file: "
            f"`smriti-es log rescue NEW.db --db {db}`."
        )
    if only_newer(report):
        return "Upgrade smriti-es, and verify again: nothing is known to be wrong."
    if not report.log.ok:
        if all(finding.place == "checkpoint" for finding in report.log.findings):
            return LogRolledBack.hint
        intact = report.log.findings[0].position
        before = f"; what stands before position {intact} is as it was written" if intact else ""
        return f"Restore a backup of {db}{before}."
    named = " ".join(each.projection for each in report.projections if not each.ok)
    return f"Make them anew from the log: `smriti-es projections rebuild {named}`."


def only_newer(report: "VerifyReport") -> bool:
    """Tell whether all that was found is that a later release wrote some of the log."""
    return not report.log.ok and all(finding.newer for finding in report.log.findings)


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
