"""The verbs about whole tenants: `tenant list` and `tenant destroy`."""

from dataclasses import asdict
from typing import Annotated

import typer

from smriti_es.cli.changing import Reason
from smriti_es.cli.erasure_tables import places_table
from smriti_es.cli.invocation import Invocation, verb

Name = Annotated[str, typer.Argument(metavar="TENANT", help="The tenant's name.")]
Yes = Annotated[
    bool, typer.Option("--yes", help="Do not ask; it cannot be undone.", show_default=False)
]


def add_verbs(app: typer.Typer) -> None:
    """Add the verbs to the group `tenant`."""
    verb(app, "list", "tenant list", "tenant list --json")(list_tenants)
    verb(app, "destroy", "tenant destroy acme", "tenant destroy acme --yes --json")(destroy)


def list_tenants(call: Invocation) -> None:
    """List the tenants of a file, in alphabetical order."""
    names = call.tenants()
    if call.screen.as_json:
        for name in names:
            call.screen.json({"tenant": name})
        return
    for name in names:
        call.screen.say(name)
    if not names:
        call.screen.note("nobody has a memory here")


def destroy(call: Invocation, name: Name, reason: Reason = "", *, yes: Yes = False) -> None:
    """Destroy a tenant's log, keys and projections for good; that it happened stays recorded."""
    from smriti_es.tenant_destruction import destroy_tenant

    if not yes:
        asked = f"Destroy everything of the tenant {name!r}? It cannot be undone."
        typer.confirm(asked, abort=True, err=True)
    call.assert_exists()
    gone = destroy_tenant(call.chosen.db, name, reason=reason)
    if call.screen.as_json:
        call.screen.json(asdict(gone))
        return
    call.screen.say(f"Destroyed {name}: {gone.events:,} events of the log {gone.log_id}.")
    call.screen.show(places_table(gone.places))
    if not gone.verified:
        call.screen.note("some of it may still lie in a file that is named above")
