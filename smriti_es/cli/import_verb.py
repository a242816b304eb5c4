"""The verb that takes in what other programs wrote: `import`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from smriti_es.cli.exit_codes import FINDINGS
from smriti_es.cli.finding_facts import find_facts, found_in_words
from smriti_es.cli.invocation import Invocation, verb
from smriti_es.cli.progress_bars import progress_bar
from smriti_es.cli.screen import Screen, one_line
from smriti_es.cli.shared_options import Readmit
from smriti_es.cli.taken_out import say_kept, say_taken_out
from smriti_es.cli.vectors import NoWait, make_vectors, say_vectors
from smriti_es.cli.waiting_proposals import proposed_since, say_proposed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from smriti_es.engine import Engine
    from smriti_es.importers import LeftOut
    from smriti_es.importing import Imported

_NAMED: Final = 10


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Which file, in which format, and what to do with it; see `Engine.import_file`."""

    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file, an archive as downloaded, or a folder.")
    ]
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="NAME",
            help="auto, chatgpt, claude, claude-code, codex, gemini, jsonl, locomo, longmemeval, "
            "mem0, smriti, smriti-mcp or smrti.",
        ),
    ] = "auto"
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be recorded, and write nothing.")
    ] = False
    strict: Annotated[
        bool, typer.Option("--strict", help="Record nothing if a record cannot be understood.")
    ] = False
    session_prefix: Annotated[
        str,
        typer.Option("--session-prefix", metavar="TEXT", help="Put before each session's name."),
    ] = ""
    origin: Annotated[
        str | None,
        typer.Option(
            "--origin", metavar="ORIGIN", help="Lower the origin: agent, tool, untrusted."
        ),
    ] = None
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag; may be repeated.")
    ] = None
    list_left_out: Annotated[
        bool, typer.Option("--list-left-out", help="Name every record that is not imported.")
    ] = False
    readmit: Readmit = False


def add_verbs(app: typer.Typer) -> None:
    """Add the verb to the application."""
    verb(
        app,
        "import",
        "import chatgpt-export.zip --dry-run",
        "import conversations.json --session-prefix work/ --tag work",
        "import chats.jsonl --strict",
    )(import_file)


def import_file(call: Invocation, given: ImportOptions, *, no_wait: NoWait = False) -> None:
    """Record what other programs wrote: exports of chats, JSON lines, other memories."""
    with _engine(call, given) as engine:
        facts, before = engine.status().facts, engine.head
        with progress_bar(call.screen) as progress:
            imported = engine.import_file(
                given.file,
                format=given.format,
                dry_run=given.dry_run,
                strict=given.strict,
                session_prefix=given.session_prefix,
                origin=given.origin,
                tags=given.tag or (),
                readmit=given.readmit,
                progress=progress,
            )
        _, missed = find_facts(call, engine, wait=not no_wait and not given.dry_run)
        state, degraded = make_vectors(
            engine,
            call.screen,
            embedder=call.chosen.embedder,
            wait=not no_wait and not given.dry_run,
        )
        facts, head = engine.status().facts - facts, engine.head
        proposed = proposed_since(engine, before)
    if call.screen.as_json:
        found = {"facts": facts, "proposed": proposed, "head": head}
        told = {"vectors": state, "degraded": [*missed, *degraded]}
        call.screen.json(_form(imported) | found | told)
    else:
        call.screen.say(f"{_in_words(imported)}{found_in_words(facts, before=' ')}")
        for reason in missed:
            call.screen.note(reason)
        _say_left_out(call.screen, imported, every=given.list_left_out)
        say_taken_out(call.screen, imported.redacted, imported.stripped)
        say_kept(call.screen, imported.kept)
        say_proposed(call.screen, proposed=proposed)
        if not given.dry_run:
            say_vectors(call.screen, state, degraded)
    if imported.faults:
        raise typer.Exit(FINDINGS)


def _engine(call: Invocation, given: ImportOptions) -> "AbstractContextManager[Engine]":
    """Open the memory; for a dry run of a memory that is not there, one that will be gone."""
    there = call.is_there() and call.chosen.tenant in call.tenants()
    return call.writing() if there or not given.dry_run else call.trying()


def _form(imported: "Imported") -> dict[str, Any]:
    return {
        "file": imported.path,
        "format": imported.format,
        "dry_run": imported.dry_run,
        "sessions": imported.sessions,
        "recorded": imported.recorded,
        "replayed": imported.replayed,
        "erased": imported.erased,
        "stated": imported.stated,
        "skipped": sum(imported.reasons.values()),
        "reasons": imported.reasons,
        "left_out": [_left_out_form(each) for each in imported.left_out],
        "redacted": dict(imported.redacted),
        "stripped": imported.stripped,
        "kept": [{"session": session, "id": name} for session, name in imported.kept],
    }


def _left_out_form(left_out: "LeftOut") -> dict[str, Any]:
    place = left_out.place
    return {
        "file": place.file,
        "line": place.line,
        "conversation": place.conversation,
        "name": place.name,
        "index": place.index,
        "reason": left_out.reason,
        "detail": left_out.detail,
        "count": left_out.count,
    }


def _in_words(imported: "Imported") -> str:
    of = f"{_counted(imported.sessions, 'session')} ({imported.format})"
    told = "".join(
        f"; {words}: {count:,}"
        for words, count in (
            ("there already", imported.replayed),
            ("erased before, and left out", imported.erased),
            ("not recorded", sum(imported.reasons.values())),
        )
        if count
    )
    stated = f" and {_counted(imported.stated, 'stated fact')}" if imported.stated else ""
    if imported.dry_run:
        turns = _counted(imported.recorded, "turn")
        return f"Would record {turns}{stated} from {of}{told}."
    if not imported.recorded and not imported.stated:
        return f"Recorded nothing new from {of}{told}."
    return f"Recorded {_counted(imported.recorded, 'turn')}{stated} in {of}{told}."


def _say_left_out(screen: Screen, imported: "Imported", *, every: bool) -> None:
    """Say why records were left out; name those that could not be understood, or every one."""
    reasons = imported.reasons
    if not reasons:
        return
    counted = ", ".join(f"{count:,} {reason}" for reason, count in reasons.items())
    screen.note(f"not recorded: {counted}")
    for line in _named(imported, every=every):
        screen.note(one_line(line))
    if not every and len(imported.left_out) > len(imported.faults[:_NAMED]):
        screen.hint("--list-left-out names every one of them, --json gives their places.")


def _named(imported: "Imported", *, every: bool) -> "Iterator[str]":
    named = imported.left_out if every else imported.faults[:_NAMED]
    yield from map(str, named)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
