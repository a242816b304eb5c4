"""The verb `data-flow`: what text of a memory can go where."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import typer

from smriti_es.cli.invocation import Invocation, verb
from smriti_es.cli.screen import plain, table

if TYPE_CHECKING:
    from smriti_es.data_flow import DataFlow, Flow

_WHERE: Final = {
    "process": "stays in the process",
    "machine": "this machine",
    "network": "another machine",
    "undeclared": "does not say",
}


def add_verbs(app: typer.Typer) -> None:
    """Add the verb to the application."""
    verb(
        app,
        "data-flow",
        "data-flow",
        "data-flow --profile team --allow-host api.example.com --json",
    )(data_flow)


def data_flow(call: Invocation) -> None:
    """Show what text can go where; nothing is sent."""
    with call.describing() as engine:
        found = engine.describe_data_flow()
    if call.screen.as_json:
        call.screen.json(asdict(found))
        return
    shown = table("adapter", "what", "is handed", "reach", "redacted", "endpoint")
    for flow in found.flows:
        shown.add_row(*map(plain, _row(flow)))
    call.screen.show(shown)
    for line in _rules(found):
        call.screen.say(line)


def _row(flow: "Flow") -> tuple[str, ...]:
    redacted = "yes" if flow.redacted else "no"
    reach = _WHERE[flow.reach]
    return (flow.adapter, flow.name, flow.sends, reach, redacted, flow.endpoint or "")


def _rules(found: "DataFlow") -> list[str]:
    sent = ", ".join(["this machine", *found.allowed_hosts]) if found.profile else "anywhere"
    kinds = f"on, {len(found.redacts)} kinds of credentials" if found.redacts else "off"
    return [
        "",
        f"kept in    {found.location}",
        f"profile    {found.profile or 'none'}; text may be sent to: {sent}",
        f"redaction  {kinds}",
        f"ignored    {', '.join(found.ignores) or 'nothing'}",
        *found.notes,
    ]
