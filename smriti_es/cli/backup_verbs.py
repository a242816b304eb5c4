"""`backup` and `restore`: the whole file, copied while it is used, and checked."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from smriti_es.cli.invocation import Invocation, verb
from smriti_es.cli.progress_bars import progress_bar

if TYPE_CHECKING:
    from smriti_es.backing_up import Copied

_HELD_BACK = "The signing keys and newest checkpoints beside the memory are not in it: keep them"


def add_verbs(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    verb(app, "backup", "backup monday.db", "backup monday.db --db kept.db --json")(backup)
    verb(app, "restore", "restore monday.db --db memory.db")(restored)


def backup(
    call: Invocation,
    path: Annotated[str, typer.Argument(metavar="PATH", help="The file to make.")],
) -> None:
    """Copy the memory to a new file while it is used, and verify the copy."""
    from smriti_es.backing_up import back_up

    call.assert_exists()
    with progress_bar(call.screen, copy="copying", verify="verifying") as progress:
        copied = back_up(call.chosen.db, path, progress=progress)
    _show(call, copied, "Backed up to")
    if not call.screen.as_json:
        call.screen.note(f"{_HELD_BACK} apart.")


def restored(
    call: Invocation,
    path: Annotated[str, typer.Argument(metavar="PATH", help="The backup.")],
) -> None:
    """Put a backup where --db says, if nothing is there, and verify it."""
    from smriti_es.backing_up import restore

    with progress_bar(call.screen, copy="copying", verify="verifying") as progress:
        copied = restore(path, call.chosen.db, progress=progress)
    _show(call, copied, "Restored to")
    for each in copied.logs:
        if each.behind is not None and not call.screen.as_json:
            call.screen.note(
                f"tenant {each.tenant}: {each.behind}. Nothing is recorded before"
                f" `smriti-es log restored --tenant {each.tenant} --reason …`."
            )


def _show(call: Invocation, copied: "Copied", done: str) -> None:
    if call.screen.as_json:
        call.screen.json(asdict(copied))
        return
    call.screen.say(f"{done} {copied.path}, {copied.size_bytes:,} bytes, verified:")
    for each in copied.logs:
        call.screen.say(f"  tenant {each.tenant}: {each.events:,} events, head {each.head}")
