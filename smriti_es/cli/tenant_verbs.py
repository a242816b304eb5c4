"""The verbs about whole tenants: `list`, `create`, `move`, `separate` and `destroy`."""

from dataclasses import asdict, replace
from typing import Annotated

import typer

from smriti_es.cli.changing import Reason
from smriti_es.cli.erasure_tables import places_table
from smriti_es.cli.invocation import Invocation, verb
from smriti_es.cli.progress_bars import progress_bar

Name = Annotated[str, typer.Argument(metavar="TENANT", help="The tenant's name.")]
Yes = Annotated[
    bool, typer.Option("--yes", help="Do not ask; it cannot be undone.", show_default=False)
]


def add_verbs(app: typer.Typer) -> None:
    """Add the verbs to the group `tenant`."""
    verb(app, "list", "tenant list", "tenant list --json")(list_tenants)
    verb(app, "create", "tenant create acme", "tenant create acme --json")(create)
    verb(
        app,
        "move",
        "tenant move acme --to acme.db",
        "tenant move acme --to postgresql://app@db.example/memories --json",
    )(move)
    verb(
        app,
        "separate",
        "tenant separate --application memory_app",
        "tenant separate --off --json",
    )(separate)
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


def create(call: Invocation, name: Name) -> None:
    """Found the log of a tenant, or say that it is there."""
    is_new = not (call.is_there() and name in call.tenants())
    named = replace(call, chosen=replace(call.chosen, tenant=name))
    with named.writing() as engine:
        log_id = engine.status().log_id
    if call.screen.as_json:
        call.screen.json({"tenant": name, "log": log_id, "created": is_new})
        return
    made = "Made" if is_new else "There is"
    call.screen.say(f"{made} the tenant {name}, log {log_id}, in {call.chosen.db}.")


def move(
    call: Invocation,
    name: Name,
    to: Annotated[
        str, typer.Option("--to", metavar="PATH|URL", help="The database to move it to.")
    ],
    as_tenant: Annotated[
        str | None,
        typer.Option("--as", metavar="TENANT", help="Its name there; as it was if not given."),
    ] = None,
    reason: Reason = "",
) -> None:
    """Move a tenant to another database, and compare what arrived with what left."""
    from smriti_es.tenant_moving import move_tenant

    call.assert_exists()
    guards = call.chosen.guards or {}
    with progress_bar(call.screen) as progress:
        moved = move_tenant(
            call.chosen.db,
            name,
            to,
            name=as_tenant,
            reason=reason,
            progress=progress,
            profile=guards.get("profile"),
            allowed_hosts=guards.get("allowed_hosts", ()),
        )
    if call.screen.as_json:
        call.screen.json(asdict(moved))
        return
    call.screen.say(
        f"Moved {name}: {moved.events:,} events of the log {moved.log_id}, root {moved.root}.\n"
        f"It is the tenant {moved.tenant} of {to} now; {len(moved.fingerprints)} projections are"
        " the same there as they were here."
    )
    call.screen.show(places_table(moved.places))
    if not moved.verified:
        call.screen.note("some of it may still lie in a file that is named above")


def separate(
    call: Invocation,
    application: Annotated[
        str | None,
        typer.Option("--application", metavar="ROLE", help="A role that is to read and write."),
    ] = None,
    *,
    off: Annotated[
        bool, typer.Option("--off", help="Take the policies away.", show_default=False)
    ] = False,
) -> None:
    """Let the server keep tenants apart by itself, with a policy on every table."""
    from smriti_es.tenant_separation import separate_tenants

    done = separate_tenants(call.chosen.db, on=not off, application=application)
    if call.screen.as_json:
        call.screen.json(asdict(done))
        return
    kept = "have a policy now" if done.on else "have no policy any more"
    call.screen.say(f"{len(done.tables)} tables {kept}.")


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
