"""The verbs that let content go, and come again: `erase`, `sweep` and `readmit`."""

from typing import TYPE_CHECKING, Annotated

import typer

from smriti_es.cli.changing import Reason, changing
from smriti_es.cli.erasure_tables import erasure_table, places_table
from smriti_es.cli.invocation import Invocation, verb
from smriti_es.cli.named_options import ErasedOptions
from smriti_es.cli.progress_bars import progress_bar
from smriti_es.cli.trust_tables import in_words
from smriti_es.forms.keeping_forms import erasure_form, sweep_form

if TYPE_CHECKING:
    from smriti_es.keeping_verbs import Erasure

DryRun = Annotated[bool, typer.Option("--dry-run", help="Tell what would go, and erase nothing.")]
Reopen = Annotated[
    bool,
    typer.Option(
        "--reopen",
        help="It was never true: a fact that it had replaced goes on, instead of lapsing.",
    ),
]
ForgetValues = Annotated[
    bool,
    typer.Option("--forget-values", help="Keep erased values from being extracted again."),
]
By = Annotated[
    str | None,
    typer.Option("--by", metavar="NAME", help="Who does it, for the record.", show_default=False),
]
Subject = Annotated[str, typer.Argument(metavar="SUBJECT", help="Whom or what it is about.")]
Predicate = Annotated[str, typer.Argument(metavar="PREDICATE", help="What is said of it.")]
Value = Annotated[str, typer.Argument(metavar="OBJECT", help="The value.")]
Now = Annotated[
    str | None,
    typer.Option("--now", metavar="TIME", help="As of when. (default: now)", show_default=False),
]


def add_verbs(app: typer.Typer) -> None:
    """Add the verbs to the application."""
    verb(
        app,
        "erase",
        "erase --session s7 --dry-run",
        'erase --session s7 --reason "asked for on 3 June"',
        "erase --entity Ana --forget-values",
        "erase --before 2025-01-01",
    )(erase)
    verb(app, "sweep", "sweep --dry-run", "sweep")(sweep)
    verb(app, "readmit", "readmit Ana lives_in Pune")(readmit)


def erase(
    call: Invocation,
    named: ErasedOptions,
    reason: Reason = "",
    by: By = None,
    *,
    reopen: Reopen = False,
    forget_values: ForgetValues = False,
    dry_run: DryRun = False,
) -> None:
    """Erase something and everything that was derived from it, for good, everywhere."""
    opened = call.reading(embedder=False) if dry_run else call.maintaining()
    with opened as engine, progress_bar(call.screen) as progress:
        erased = engine.erase(
            reason=reason,
            actor=by,
            predecessor="reopen" if reopen else "lapse",
            forget_values=forget_values,
            dry_run=dry_run,
            progress=progress,
            **named.target,
        )
    if call.screen.as_json:
        call.screen.json(erasure_form(erased))
        return
    call.screen.show(erasure_table(erased))
    if dry_run:
        _say_what_forbids(call, erased)
        return
    call.screen.say(f"Erased {in_words(named.target)} at position {erased.position}.")
    call.screen.show(places_table(erased.places))
    _say_how_far(call, pending=erased.pending, verified=erased.verified)


def _say_what_forbids(call: Invocation, erased: "Erasure") -> None:
    if erased.holds:
        held = ", ".join(map(str, erased.holds))
        where = f"position {held}" if len(erased.holds) == 1 else f"positions {held}"
        call.screen.note(f"nothing was erased, and cannot be: held at {where}")
    else:
        call.screen.note("nothing was erased; without --dry-run this would go")


def _say_how_far(call: Invocation, *, pending: str | None, verified: bool) -> None:
    if pending is not None:
        call.screen.note(
            f"not scrubbed to the end yet: {pending}; opening the memory again goes on with it"
        )
    elif not verified:
        call.screen.note("some of it was found in a file that is named above")


def sweep(call: Invocation, now: Now = None, *, dry_run: DryRun = False) -> None:
    """Erase what is older than it is to be kept; what a hold keeps is skipped."""
    opened = call.reading(embedder=False) if dry_run else call.maintaining()
    with opened as engine, progress_bar(call.screen) as progress:
        swept = engine.sweep(now=now, dry_run=dry_run, progress=progress)
    if call.screen.as_json:
        call.screen.json(sweep_form(swept))
        return
    gone = "would go" if dry_run else "went"
    call.screen.say(f"{swept.due:,} turns and facts {gone}, {swept.held:,} are held.")
    if swept.position is not None:
        _say_how_far(call, pending=swept.pending, verified=swept.verified)


def readmit(
    call: Invocation, subject: Subject, predicate: Predicate, value: Value, reason: Reason = ""
) -> None:
    """Let a value be extracted again that was erased to be forgotten, or turned down."""
    with changing(call, "It may be extracted again.") as engine:
        engine.readmit_value(subject, predicate, value, reason=reason)
