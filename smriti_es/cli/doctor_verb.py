"""The verb `doctor`: is everything as it should be?"""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from smriti_es.cli.exit_codes import FINDINGS
from smriti_es.cli.findings import show_checks
from smriti_es.cli.invocation import Invocation, verb
from smriti_es.cli.progress_bars import progress_bar
from smriti_es.forms.json_forms import check_form

if TYPE_CHECKING:
    from smriti_es.cli.screen import Screen
    from smriti_es.doctor import Diagnosis

Questions = Annotated[
    int, typer.Option("--questions", min=1, max=10_000, help="How many to ask the graph.")
]


def add_verbs(app: typer.Typer) -> None:
    """Add the verb to the application."""
    verb(app, "doctor", "doctor", "doctor --questions 500 --json")(doctor)


def doctor(call: Invocation, questions: Questions = 64) -> None:
    """Compare projections with the log, and the graph of vectors with every vector."""
    with call.reading() as engine, progress_bar(call.screen) as progress:
        found = engine.doctor(questions=questions, progress=progress)
    if call.screen.as_json:
        graph = None if found.graph is None else {"ok": found.graph.ok} | asdict(found.graph)
        call.screen.json(
            {
                "ok": found.ok,
                "database": found.database,
                "degraded": list(found.degraded),
                "projections": [check_form(each) for each in found.projections],
                "graph": graph,
            }
        )
    else:
        _show(call.screen, found)
    if not found.ok:
        raise typer.Exit(FINDINGS)


def _show(screen: "Screen", found: "Diagnosis") -> None:
    from smriti_es.doctor import told

    screen.say(f"database: {found.database}")
    for reason in found.degraded:
        screen.say(f"! {reason}", "yellow")
    show_checks(screen, found.projections)
    if found.graph is not None:
        for line in told(found.graph):
            screen.say(line, "" if found.graph.ok else "red")
