"""The verb that writes what is held to a file: `export`."""

from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from smriti_es.cli.invocation import Invocation, verb
from smriti_es.cli.progress_bars import progress_bar
from smriti_es.cli.screen import Screen, plain, table

if TYPE_CHECKING:
    from smriti_es.subject_access.export import Exported


class Format(StrEnum):
    """How the file is written."""

    JSONL = "jsonl"
    MARKDOWN = "markdown"


class Others(StrEnum):
    """How much of what others said is written."""

    WHOLE = "whole"
    EXCERPTS = "excerpts"


Target = Annotated[str, typer.Argument(metavar="FILE", help="The file to make.")]
About = Annotated[
    str | None,
    typer.Option(
        "--about",
        metavar="NAME",
        help="Only what is held on somebody; every alias of theirs is meant.",
        show_default=False,
    ),
]
FormatOption = Annotated[
    Format, typer.Option("--format", help="One record a line for programs, or a page for people.")
]
OthersOption = Annotated[
    Others,
    typer.Option("--others", help="What others said: whole, or the sentences that name them."),
]


def add_verbs(app: typer.Typer) -> None:
    """Add the verb to the application."""
    verb(
        app,
        "export",
        "export chats.jsonl",
        "export rachel.jsonl --about Rachel",
        "export rachel.md --about Rachel --format markdown --others excerpts",
    )(export)


def export(
    call: Invocation,
    target: Target,
    about: About = None,
    form: FormatOption = Format.JSONL,
    others: OthersOption = Others.WHOLE,
) -> None:
    """Write conversations, or everything that is held on somebody, to a new file."""
    if about is None:
        _export_conversations(call, target, form)
        return
    with progress_bar(call.screen) as progress, call.reading(embedder=False) as engine:
        exported = engine.export(
            target, about=about, form=form.value, others=others.value, progress=progress
        )
    if call.screen.as_json:
        call.screen.json(asdict(exported))
        return
    _show(call.screen, exported)


def _export_conversations(call: Invocation, target: str, form: Format) -> None:
    with progress_bar(call.screen) as progress, call.reading(embedder=False) as engine:
        written = engine.export_conversations(target, form=form.value, progress=progress)
    if call.screen.as_json:
        call.screen.json(asdict(written))
        return
    turns = f"{written.turns:,} turn{'' if written.turns == 1 else 's'}"
    sessions = f"{written.sessions:,} session{'' if written.sessions == 1 else 's'}"
    call.screen.say(f"Wrote {turns} of {sessions} to {written.path}.")


def _show(screen: Screen, exported: "Exported") -> None:
    if exported.total:
        shown = table("record", "how many", right=("how many",))
        for kind, count in exported.records.items():
            shown.add_row(kind, f"{count:,}")
        screen.show(shown)
    else:
        screen.say(f"Nothing is held on {exported.about}.")
    screen.say(f"Written to {exported.path}, up to position {exported.head}.")
    screen.say("Not looked at:", "bold cyan")
    for each in exported.not_looked_at:
        screen.show(f"  {plain(each)}")
    screen.hint("Others may stand in it: read it before you hand it over.")
