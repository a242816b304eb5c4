"""The verb `status`: what there is, and how well it is."""

from typing import TYPE_CHECKING

import typer
from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from smriti_es.cli.finding_facts import unextracted, waiting_turns
from smriti_es.cli.invocation import Invocation, verb
from smriti_es.cli.projection_verbs import show_projections
from smriti_es.cli.screen import plain
from smriti_es.forms.json_forms import status_form

if TYPE_CHECKING:
    from smriti_es.results import Status

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def add_verbs(app: typer.Typer) -> None:
    """Add the verb to the application."""
    verb(app, "status", "status", "status --db notes.db --json")(status)


def status(call: Invocation) -> None:
    """Show what there is, and how well it is."""
    with call.reading() as engine:
        found = engine.status()
        zone = engine.timezone
    if call.screen.as_json:
        call.screen.json(status_form(found) | {"timezone": zone})
        return
    remarks = [Text(f"! {plain(reason)}", style="yellow") for reason in _remarks(found)]
    call.screen.show(
        Panel(
            Group(_counts(found, zone), *remarks), title="memory", title_align="left", expand=False
        )
    )
    show_projections(call.screen, found.projections)


def _counts(found: "Status", zone: str) -> Table:
    shown = Table.grid(padding=(0, 2))
    shown.add_column(style="bold")
    shown.add_column(overflow="fold")
    for name, value in {
        "file": f"{found.location} ({size_in_words(found.size_bytes)})",
        "tenant": found.tenant,
        "turns": _turns(found),
        "facts": _facts_found(found),
        "for you": _for_owners(found),
        "spaces": ", ".join(found.spaces),
        "log": f"{found.events:,} events, id {found.log_id}",
        "head": found.head,
        "last commit": found.known,
        "vectors": _vectors(found),
        "embedder": _embedder(found),
        "time zone": zone,
        "schema": f"{found.schema}, {found.database}",
    }.items():
        shown.add_row(name, plain(value))
    return shown


def _turns(found: "Status") -> str:
    undated = f", {found.undated:,} without a time of their own" if found.undated else ""
    return f"{found.turns:,} in {found.sessions:,} sessions{undated}"


def _facts_found(found: "Status") -> str:
    said = [f"{found.facts:,}"]
    if found.extraction_behind:
        said.append(f"{waiting_turns(found.extraction_behind)} for extraction")
    if found.extraction_failed:
        said.append(f"extraction failed on {len(found.extraction_failed):,}")
    return "; ".join(said)


def _for_owners(found: "Status") -> str:
    waiting = f"{found.review:,} to review (`smriti-es review list`)" if found.review else ""
    lifted = "quarantines stand" if found.quarantines > 1 else "quarantine stands"
    withheld = f"{found.quarantines:,} {lifted}" if found.quarantines else ""
    return "; ".join(filter(None, [waiting, withheld])) or "nothing"


def _vectors(found: "Status") -> str:
    failed = f", {len(found.failed):,} failed" if found.failed else ""
    return f"{found.vectors:,} turns and facts have them, {found.pending:,} wait{failed}"


def _embedder(found: "Status") -> str:
    if found.embedder is None:
        return "none yet"
    return f"{found.embedder['model']} ({found.embedder['dimension']} dimensions)"


def _remarks(found: "Status") -> list[str]:
    failed = [f"{position} has no vector: {reason}" for position, reason in found.failed]
    return [*found.degraded, *failed, *unextracted(found)]


def size_in_words(size_bytes: int) -> str:
    """Write a number of bytes in the unit that suits it."""
    size = float(size_bytes)
    for unit in _UNITS:
        if size < 1024 or unit == _UNITS[-1]:
            break
        size /= 1024
    return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
