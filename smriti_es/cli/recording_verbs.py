"""The verbs that write: `init`, `add`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from smriti_es.cli.finding_facts import find_facts, found_in_words
from smriti_es.cli.invocation import Invocation, verb
from smriti_es.cli.message_input import read_messages, read_metadata
from smriti_es.cli.shared_options import Readmit
from smriti_es.cli.taken_out import (
    say_kept,
    say_taken_out,
    skipped_in_words,
)
from smriti_es.cli.vectors import NoWait, make_vectors, say_vectors
from smriti_es.cli.waiting_proposals import proposed_since, say_proposed
from smriti_es.forms.json_forms import added_form

if TYPE_CHECKING:
    from smriti_es.results import Added


@dataclass(frozen=True, slots=True)
class AddOptions:
    """How a message is said; see `Engine.add` for what each means."""

    text: Annotated[
        str | None,
        typer.Argument(
            metavar="TEXT", help="What was said; - reads it from stdin.", show_default=False
        ),
    ] = None
    file: Annotated[
        str | None,
        typer.Option("--file", metavar="PATH", help="A JSON list of messages instead; - is stdin."),
    ] = None
    session: Annotated[
        str, typer.Option("--session", metavar="NAME", help="Which conversation.")
    ] = "cli"
    role: Annotated[
        str | None,
        typer.Option(
            "--role", metavar="ROLE", help="user, assistant, system or tool. (default: user)"
        ),
    ] = None
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="The speaker's name.")
    ] = None
    at: Annotated[
        str | None, typer.Option("--at", metavar="TIME", help="When, e.g. 2026-06-02T10:00Z.")
    ] = None
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag; may be repeated.")
    ] = None
    meta: Annotated[
        list[str] | None,
        typer.Option(
            "--meta",
            metavar="KEY=VALUE",
            help="Metadata; numbers, true and false are kept as such.",
        ),
    ] = None
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="KIND", help="A class of turn of your own.")
    ] = None
    origin: Annotated[
        str | None,
        typer.Option(
            "--origin", metavar="ORIGIN", help="Lower the origin: agent, tool, untrusted."
        ),
    ] = None
    readmit: Readmit = False


SingleValued = Annotated[
    list[str] | None,
    typer.Option(
        "--single-valued",
        metavar="PREDICATE",
        help="A subject has one such value at a time, beside the shipped ones; may be repeated.",
    ),
]
Trust = Annotated[
    str | None,
    typer.Option(
        "--trust",
        metavar="PROFILE",
        help="Whose word may move whose: open, personal or regulated. (default: personal)",
        show_default=False,
    ),
]


def add_verbs(app: typer.Typer) -> None:
    """Add the verbs to the application."""
    verb(
        app,
        "init",
        "init",
        "init --db notes.db --timezone Asia/Kolkata",
        "init --single-valued home_airport --trust regulated",
    )(init)
    verb(
        app,
        "add",
        'add "I moved to Bengaluru." --session s2 --at 2026-06-02T10:00:00Z',
        "add --file messages.json --session chat-7 --tag work",
        "cat note.txt | smriti-es add - --meta level=4",
    )(add)


def init(call: Invocation, single_valued: SingleValued = None, trust: Trust = None) -> None:
    """Make a memory, or say that it is there."""
    existed = call.is_there()
    with call.writing(single_valued or (), trust) as engine:
        status = engine.status()
        zone, single, holds = engine.timezone, engine.single_valued, engine.trust
    if call.screen.as_json:
        made = {"location": status.location, "tenant": status.tenant, "created": not existed}
        about = {"log_id": status.log_id, "events": status.events, "timezone": zone}
        call.screen.json(made | about | {"single_valued": list(single), "trust": holds})
        return
    done = "There is a memory at" if existed else "Made a memory at"
    call.screen.say(f"{done} {status.location} (tenant {status.tenant}, times in {zone}).")
    for reason in status.degraded:
        call.screen.note(reason)


def add(call: Invocation, given: AddOptions, *, no_wait: NoWait = False) -> None:
    """Record what was said."""
    messages = read_messages(given.text, given.file, role=given.role, name=given.name)
    with call.writing() as engine:
        before = engine.head
        added = engine.add(
            messages,
            session=given.session,
            at=given.at,
            tags=given.tag or (),
            metadata=read_metadata(given.meta or ()),
            kind=given.kind,
            origin=given.origin,
            readmit=given.readmit,
        )
        found, missed = find_facts(call, engine, wait=not no_wait)
        facts = [*added.facts, *found]
        state, degraded = make_vectors(
            engine, call.screen, embedder=call.chosen.embedder, wait=not no_wait
        )
        head = added.head if added.repeated else engine.head
        proposed = proposed_since(engine, before)
    if call.screen.as_json:
        form = added_form(added) | {"facts": facts, "proposed": proposed, "head": head}
        call.screen.json(form | {"vectors": state, "degraded": [*missed, *degraded]})
        return
    call.screen.say(f"{_added_in_words(added)}{found_in_words(len(facts), before=' ')}")
    for reason in missed:
        call.screen.note(reason)
    for skipped in added.skipped:
        call.screen.note(skipped_in_words(skipped))
    say_taken_out(call.screen, added.redacted, added.stripped)
    say_kept(call.screen, [(added.session, name) for name in added.kept])
    say_proposed(call.screen, proposed=proposed)
    say_vectors(call.screen, state, degraded)


def _added_in_words(added: "Added") -> str:
    count = len(added.positions)
    held = _known_in_words(added.replayed, added.erased)
    if not count:
        return f"Recorded nothing new in session {added.session}{held}."
    first, last = added.positions[0], added.positions[-1]
    where = f"position {first}" if count == 1 else f"positions {first} to {last}"
    return f"Recorded {_counted(count, 'turn')} in session {added.session} at {where}{held}."


def _known_in_words(held: int, erased: int) -> str:
    there = f"; there already: {held:,}" if held else ""
    return there + (f"; erased before, and left out: {erased:,}" if erased else "")


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
