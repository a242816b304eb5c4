"""The verbs about who comes in over a network: `access add`, `access list`, `access remove`."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smriti_es.cli.invocation import Invocation, verb
from smriti_es.cli.screen import plain, table
from smriti_es.events.errors import InvalidInput
from smriti_es.events.instants import format_instant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from smriti_es.serving.access_keys import AccessKey, AccessKeys

Name = Annotated[str, typer.Argument(metavar="NAME", help="Whose key it is.")]
RoleName = Annotated[
    str,
    typer.Option("--role", metavar="ROLE", help="agent, owner or auditor.", show_default=True),
]
WholeTenant = Annotated[
    bool,
    typer.Option(
        "--whole-tenant",
        help="Also what concerns every space: the log, holds, retention, who is who.",
        show_default=False,
    ),
]
KeysFile = Annotated[
    Path | None,
    typer.Option(
        "--keys",
        metavar="FILE",
        help="The file of access keys. (default: beside the memory, with -access behind its name)",
        show_default=False,
    ),
]


def add_verbs(app: typer.Typer) -> None:
    """Add the verbs to the group `access`."""
    verb(app, "add", "access add laptop", "access add desk --role owner --space main")(add)
    verb(app, "list", "access list", "access list --json")(list_keys)
    verb(app, "remove", "access remove laptop")(remove)


def keys_of(call: Invocation, keys: Path | None) -> "AccessKeys":
    """Give the access keys of the memory that is chosen.

    Raises:
        InvalidInput: The memory is no file, so that nothing can lie beside it.
    """
    from smriti_es.serving.access_keys import AccessKeys

    if keys is None and "://" in call.chosen.db:
        raise InvalidInput(
            "access keys lie beside a memory, and this one is no file",
            hint="Name their file with --keys.",
        )
    return AccessKeys.beside(call.chosen.db) if keys is None else AccessKeys(keys)


def add(
    call: Invocation,
    name: Name,
    role: RoleName = "agent",
    keys: KeysFile = None,
    *,
    whole_tenant: WholeTenant = False,
) -> None:
    """Make a key for a program, for the tenant and spaces that are chosen, and show it once."""
    chosen = call.chosen
    key, secret = keys_of(call, keys).add(
        name, tenant=chosen.tenant, spaces=chosen.spaces, role=role, whole_tenant=whole_tenant
    )
    if call.screen.as_json:
        call.screen.json(_form(key) | {"key": secret})
        return
    call.screen.verbatim(secret)
    call.screen.note("this is shown once; give it as `Authorization: Bearer …`")


def list_keys(call: Invocation, keys: KeysFile = None) -> None:
    """List the keys that let somebody in; the keys themselves are kept nowhere."""
    call.screen.list_all(keys_of(call, keys).all(), _form, _table, "there are no access keys")


def remove(call: Invocation, name: Name, keys: KeysFile = None) -> None:
    """Let a key open nothing any more, at once."""
    gone = keys_of(call, keys).remove(name)
    if call.screen.as_json:
        call.screen.json(_form(gone))
    else:
        call.screen.say(f"The key {gone.name} opens nothing any more.")


def _form(key: "AccessKey") -> dict[str, Any]:
    form = asdict(key) | {"made": format_instant(key.made)}
    del form["hash"]
    return form


def _table(keys: "Sequence[AccessKey]") -> "Table":
    shown = table("name", "id", "tenant", "spaces", "role", "whole tenant", "made")
    for key in keys:
        shown.add_row(
            plain(key.name),
            key.id,
            plain(key.tenant),
            plain(", ".join(key.spaces)),
            key.role,
            "yes" if key.whole_tenant else "",
            format_instant(key.made),
        )
    return shown
