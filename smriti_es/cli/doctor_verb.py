"""The verb `doctor`: is everything as it should be, and what can be made anew?"""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smriti_es.cli.exit_codes import FINDINGS
from smriti_es.cli.findings import show_checks
from smriti_es.cli.invocation import Invocation, verb
from smriti_es.cli.progress_bars import progress_bar
from smriti_es.events.errors import NotFound
from smriti_es.forms.json_forms import check_form

if TYPE_CHECKING:
    from smriti_es.cli.screen import Screen
    from smriti_es.doctor import Diagnosis
    from smriti_es.repairing import Repair

_STYLES = {"well": "", "note": "yellow", "wrong": "red"}
_MARKS = {"well": "", "note": "! ", "wrong": "NOT WELL: "}

Questions = Annotated[
    int, typer.Option("--questions", min=1, max=10_000, help="How many to ask the graph.")
]
Repairing = Annotated[
    bool, typer.Option("--repair", help="Make anew what is derived from the log and not well.")
]


def add_verbs(app: typer.Typer) -> None:
    """Add the verb to the application."""
    verb(app, "doctor", "doctor", "doctor --repair", "doctor --questions 500 --json")(doctor)


def doctor(call: Invocation, questions: Questions = 64, *, repair: Repairing = False) -> None:
    """Verify the log, look at what it rests on, and compare all that is derived from it."""
    if repair:
        _repair(call, questions)
        return
    with call.reading() as engine, progress_bar(call.screen) as progress:
        found = engine.doctor(questions=questions, progress=progress)
    if call.screen.as_json:
        call.screen.json(_form(found))
    else:
        _show(call.screen, found)
    if not found.ok:
        raise typer.Exit(FINDINGS)


def _repair(call: Invocation, questions: int) -> None:
    if call.chosen.tenant not in call.tenants():
        raise NotFound(f"there is no tenant {call.chosen.tenant!r} in {call.chosen.db}")
    with call.writing() as engine, progress_bar(call.screen) as progress:
        repair = engine.repair(questions=questions, progress=progress)
    if call.screen.as_json:
        call.screen.json(
            {
                "ok": repair.ok,
                "steps": [asdict(each) for each in repair.steps],
                "before": _form(repair.before),
                "after": _form(repair.after),
            }
        )
    else:
        _show_repair(call.screen, repair)
    if not repair.ok:
        raise typer.Exit(FINDINGS)


def _show_repair(screen: "Screen", repair: "Repair") -> None:
    for each in repair.steps:
        done = "repaired" if each.done else "NOT repaired"
        screen.say(f"{done}: {each.what}: {each.told}", "green" if each.done else "bold red")
    if not repair.steps:
        screen.say("nothing was to be repaired")
    _show(screen, repair.after)


def _form(found: "Diagnosis") -> dict[str, Any]:
    graph = None if found.graph is None else {"ok": found.graph.ok} | asdict(found.graph)
    return {
        "ok": found.ok,
        "database": found.database,
        "degraded": list(found.degraded),
        "examined": [asdict(each) for each in found.examined],
        "projections": [check_form(each) for each in found.projections],
        "graph": graph,
    }


def _show(screen: "Screen", found: "Diagnosis") -> None:
    from smriti_es.doctor import told

    screen.say(f"database: {found.database}")
    for each in found.examined:
        said = f"{_MARKS[each.verdict]}{each.what}: {each.told}"
        screen.say(said, _STYLES[each.verdict])
    for reason in found.degraded:
        screen.say(f"! {reason}", "yellow")
    show_checks(screen, found.projections)
    if found.graph is not None:
        for line in told(found.graph):
            screen.say(line, "" if found.graph.ok else "red")
