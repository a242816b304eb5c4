"""The verbs about what is withheld from every read: `quarantine add`, `list`, `release`."""

from functools import partial
from typing import Annotated

import typer

from smriti_es.cli.changing import Reason, changing
from smriti_es.cli.invocation import Invocation, verb, zone_of
from smriti_es.cli.named_options import NamedOptions
from smriti_es.cli.trust_tables import impact_table, in_words, quarantines_table
from smriti_es.forms.trust_forms import impact_form, quarantine_form

Cascade = Annotated[
    bool,
    typer.Option("--cascade/--no-cascade", help="Also everything that was derived from it."),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Tell what would be withheld, and record nothing.")
]
Standing = Annotated[
    int,
    typer.Argument(
        metavar="POSITION", help="The quarantine's position, as `quarantine list` tells it."
    ),
]


def add_verbs(app: typer.Typer) -> None:
    """Add the verbs to the group `quarantine`."""
    verb(
        app,
        "add",
        "quarantine add --session s7 --dry-run",
        'quarantine add --session s7 --reason "somebody else spoke"',
        "quarantine add --turn 42 --no-cascade",
    )(add)
    verb(app, "list", "quarantine list", "quarantine list --json")(list_quarantines)
    verb(app, "release", "quarantine release 57")(release)


def add(
    call: Invocation,
    named: NamedOptions,
    reason: Reason = "",
    *,
    cascade: Cascade = True,
    dry_run: DryRun = False,
) -> None:
    """Withhold something from every read until it is released."""
    if dry_run:
        _foretell(call, named, cascade=cascade)
        return
    with call.maintaining() as engine:
        at = engine.quarantine(cascade=cascade, reason=reason, **named.target)
        # It may withhold nothing of the spaces that are read, and is then not listed.
        items = next((each.items for each in engine.quarantines() if each.position == at), 0)
        head = engine.head
    if call.screen.as_json:
        call.screen.json({"quarantine": at, "items": items, "head": head})
        return
    counted = "1 item is" if items == 1 else f"{items:,} items are"
    call.screen.say(
        f"Quarantined {in_words(named.target)} at position {at}: {counted} withheld; "
        f"`quarantine release {at}` brings back what nothing else withholds."
    )


def _foretell(call: Invocation, named: NamedOptions, *, cascade: bool) -> None:
    with call.reading(embedder=False) as engine:
        found = engine.impact(cascade=cascade, **named.target)
    if call.screen.as_json:
        call.screen.json(impact_form(named.target, found, cascade=cascade))
        return
    call.screen.show(impact_table(found))
    call.screen.note("nothing was recorded; without --dry-run this would be withheld")


def list_quarantines(call: Invocation) -> None:
    """List the quarantines that are not lifted, oldest first."""
    with call.reading(embedder=False) as engine:
        found = engine.quarantines()
        zone = zone_of(engine)
    call.screen.list_all(
        found, quarantine_form, partial(quarantines_table, zone=zone), "nothing is quarantined"
    )


def release(call: Invocation, position: Standing, reason: Reason = "") -> None:
    """Lift a quarantine; what another one holds back as well stays withheld."""
    with changing(call, f"The quarantine at position {position} is lifted.") as engine:
        engine.release(position, reason=reason)
