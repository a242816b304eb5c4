"""The verbs about projections: `projections status`, `rebuild`, `check`, `catch-up`."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Final

import typer

from smriti_es.cli.exit_codes import FINDINGS
from smriti_es.cli.findings import FINGERPRINT_DIGITS, show_checks
from smriti_es.cli.invocation import Invocation, verb
from smriti_es.cli.progress_bars import progress_bar
from smriti_es.cli.screen import Screen, plain, table
from smriti_es.events.errors import InvalidInput
from smriti_es.forms.json_forms import check_form, rebuild_form

if TYPE_CHECKING:
    from collections.abc import Sequence

    from smriti_es.projections.rebuild import RebuildReport
    from smriti_es.results import ProjectionStatus

_STYLES: Final = {"halted": "red", "building": "yellow"}

Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAME", help="turns, facts, lexical, vectors and more.", show_default=False
    ),
]
Name = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="Which; all when left out.", show_default=False),
]
All = Annotated[bool, typer.Option("--all", help="Rebuild every one.")]


def add_verbs(app: typer.Typer) -> None:
    """Add the verbs to the group `projections`."""
    verb(app, "status", "projections status", "projections status --json")(status)
    verb(
        app,
        "rebuild",
        "projections rebuild lexical",
        "projections rebuild vectors --embedder ./models/bge-small",
    )(rebuild)
    verb(app, "check", "projections check", "projections check turns --json")(check)
    verb(app, "catch-up", "projections catch-up")(catch_up)


def status(call: Invocation) -> None:
    """Show how far each projection has folded the log."""
    with call.reading() as engine:
        found = engine.status().projections
    if call.screen.as_json:
        call.screen.json({"projections": [asdict(each) for each in found]})
        return
    show_projections(call.screen, found)


def show_projections(screen: Screen, found: "Sequence[ProjectionStatus]") -> None:
    """Show where projections stand."""
    right = ("version", "generation", "folded", "behind")
    shown = table("projection", "state", *right, "error", right=right)
    for each in found:
        shown.add_row(
            each.name,
            each.state,
            str(each.version),
            str(each.generation),
            f"{each.folded:,}",
            f"{each.behind:,}",
            plain(each.error or ""),
            style=_STYLES.get(each.state, ""),
        )
    screen.show(shown)


def rebuild(call: Invocation, names: Names = None, *, every: All = False) -> None:
    """Build a projection anew from the log, and switch to it in one step."""
    if every == bool(names):
        raise InvalidInput(
            "say which projections to rebuild", hint="Name them, or give --all instead."
        )
    shown = "projections" if every or len(names or ()) > 1 else (names or ["all"])[0]
    with (
        call.maintaining() as engine,
        progress_bar(call.screen, fold=f"rebuilding {shown}") as progress,
    ):
        reports = engine.rebuild_all(names or (), progress=progress)
    if call.screen.as_json:
        call.screen.json({"rebuilt": [rebuild_form(each) for each in reports]})
        return
    show_rebuilds(call.screen, reports)


def show_rebuilds(screen: Screen, reports: "Sequence[RebuildReport]") -> None:
    """Show what rebuilds did."""
    shown = table(
        *("projection", "generation", "events", "seconds", "before", "after", ""),
        right=("generation", "events", "seconds"),
        fixed=("before", "after"),
    )
    for each in reports:
        shown.add_row(
            each.projection,
            str(each.generation),
            f"{each.events:,}",
            f"{each.seconds:.2f}",
            (each.before or "-")[:FINGERPRINT_DIGITS],
            each.after[:FINGERPRINT_DIGITS],
            "equal" if each.equal else "differs",
        )
    screen.show(shown)


def check(call: Invocation, name: Name = None) -> None:
    """Compare projections with what the log says, without changing them."""
    with (
        call.reading(embedder=False, timezone="UTC") as engine,
        progress_bar(call.screen) as progress,
    ):
        reports = engine.check(name, progress=progress)
    if call.screen.as_json:
        ok = all(each.ok for each in reports)
        call.screen.json({"ok": ok, "projections": [check_form(each) for each in reports]})
    else:
        show_checks(call.screen, reports)
    if not all(each.ok for each in reports):
        raise typer.Exit(FINDINGS)


def catch_up(call: Invocation) -> None:
    """Make the vectors that wait, trying once more what failed before."""
    with call.maintaining() as engine:
        with progress_bar(call.screen, fold="making vectors") as progress:
            engine.wait_for_vectors(progress=progress)
        found = engine.status()
    failed = [{"position": position, "reason": reason} for position, reason in found.failed]
    if call.screen.as_json:
        call.screen.json({"vectors": found.vectors, "pending": found.pending, "failed": failed})
        return
    call.screen.say(f"{found.vectors:,} turns and facts have vectors, {found.pending:,} wait.")
    for position, reason in found.failed:
        call.screen.note(f"what stands at position {position} could not be embedded: {reason}")
