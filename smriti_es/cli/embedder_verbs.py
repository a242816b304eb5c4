"""The verbs about the embedder: `embedder show`, `embedder switch`."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from smriti_es.cli.embedder_choice import chosen_embedder
from smriti_es.cli.invocation import Invocation, verb
from smriti_es.cli.progress_bars import progress_bar
from smriti_es.cli.screen import Screen, plain
from smriti_es.cli.status_verb import size_in_words
from smriti_es.events.errors import InvalidInput, SmritiError

if TYPE_CHECKING:
    from smriti_es.embedder_switching import EmbedderState, EmbedderSwitch
    from smriti_es.results import Status

_DAY_S = 86_400

New = Annotated[
    str | None,
    typer.Argument(
        metavar="NEW", help="The new one; that of --embedder when left out.", show_default=False
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what it would cost, by a sample; change nothing.")
]


def add_verbs(app: typer.Typer) -> None:
    """Add the verbs to the group `embedder`."""
    verb(app, "show", "embedder show", "embedder show --json")(show)
    verb(
        app,
        "switch",
        "embedder switch multilingual --dry-run",
        "embedder switch http://localhost:11434#nomic-embed-text",
    )(switch)


def show(call: Invocation) -> None:
    """Show whose vectors serve, and whether this call would use them."""
    with call.reading() as engine:
        state, found = engine.embedder_state(), engine.status()
    if call.screen.as_json:
        counted = {"vectors": found.vectors, "pending": found.pending, "failed": len(found.failed)}
        call.screen.json({"same": state.same} | asdict(state) | counted)
        return
    shown = Table.grid(padding=(0, 2))
    shown.add_column(style="bold")
    shown.add_column(overflow="fold")
    for name, value in _lines(state, found).items():
        shown.add_row(name, plain(value))
    call.screen.show(shown)


def _lines(state: "EmbedderState", found: "Status") -> dict[str, str]:
    since = "" if state.since is None else f", since position {state.since}"
    lines = {
        "vectors by": f"{_named(state.serving)}{since}",
        "this call": _at_hand(state),
        "vectors": f"{found.vectors:,} turns and facts have them, {found.pending:,} wait, "
        f"{len(found.failed):,} failed",
    }
    if state.next is not None:
        lines["being made"] = (
            f"{_named(state.next)}: {state.next_folded:,} of {state.events:,} events; "
            "a switch to it goes on"
        )
    return lines


def _at_hand(state: "EmbedderState") -> str:
    if state.problem is not None:
        return f"cannot say what its embedder is: {state.problem}"
    if state.given is None:
        return "has no embedder: found by words alone"
    if state.same or state.serving is None:
        return _named(state.given)
    return f"{_named(state.given)}: another one, so found by words alone"


def _named(identity: "Mapping[str, Any] | None") -> str:
    if identity is None:
        return "nobody yet"
    return f"{identity['model']} ({identity['kind']}, {identity['dimension']} dimensions)"


def switch(call: Invocation, new: New = None, *, dry_run: DryRun = False) -> None:
    """Make the vectors anew with another embedder, and let it take over in one step."""
    wanted = chosen_embedder(call.chosen.embedder if new is None else new)
    if wanted is None:
        raise InvalidInput(
            "there is no embedder to switch to", hint="Name one, as for --embedder: minilm, say."
        )
    if dry_run:
        with call.reading(embedder=False) as engine, progress_bar(call.screen) as progress:
            _show_dry_run(
                call.screen, engine.switch_embedder(wanted, dry_run=True, progress=progress)
            )
        return
    with call.maintaining(embedder=False) as engine:
        with progress_bar(call.screen, fold="making vectors") as progress:
            done = engine.switch_embedder(wanted, progress=progress)
        pending = engine.status().pending
    _show_switch(call.screen, done, pending)
    if new is not None and not _chosen_is(call.chosen.embedder, done.after):
        call.screen.note(
            f"from now on give --embedder {new}, or set SMRITI_ES_EMBEDDER, or else what is asked "
            "is found by words alone"
        )


def _chosen_is(name: str, identity: "Mapping[str, Any]") -> bool:
    """Tell whether later calls, which choose as this one does, have that embedder."""
    from smriti_es.embedders import default_embedder

    try:
        chosen = chosen_embedder(name)
        made = default_embedder() if chosen == "auto" else chosen
        return made is not None and made.identity.to_dict() == identity
    except SmritiError:
        return False


def _show_dry_run(screen: Screen, told: "EmbedderSwitch") -> None:
    if screen.as_json:
        screen.json(_form(told))
        return
    if told.before == told.after:
        screen.say(f"The vectors are those of {_named(told.after)} already.")
        return
    screen.say(f"from    {_named(told.before)}")
    screen.say(f"to      {_named(told.after)}")
    screen.say(f"items   {told.items:,} turns and facts{_already(told)}{_withheld(told)}")
    screen.say(f"text    {told.characters:,} characters, about {told.tokens:,} tokens")
    screen.say(f"room    about {size_in_words(told.size_bytes)}, beside the old vectors")
    screen.say(f"time    about {_lasting(told.seconds)} at the speed of a sample")


def _show_switch(screen: Screen, done: "EmbedderSwitch", pending: int) -> None:
    if screen.as_json:
        screen.json(_form(done) | {"pending": pending})
        return
    if done.position is None:
        screen.say(f"The vectors are those of {_named(done.after)} already.")
        return
    screen.say(
        f"{done.items:,} turns and facts were embedded in {_lasting(done.seconds)}"
        f"{_already(done)}{_withheld(done)}."
    )
    screen.say(f"The vectors are those of {_named(done.after)} since position {done.position}.")
    if done.failed:
        screen.note(f"of {done.failed:,} no vector could be made; `smriti-es status` tells why")
    if pending:
        screen.note(f"{pending:,} came meanwhile and wait: `smriti-es projections catch-up`")
    if not done.removed:
        screen.note("somebody still reads the old vectors; they go when the memory is next opened")


def _already(switch: "EmbedderSwitch") -> str:
    return f"; {switch.resumed:,} were done before" if switch.resumed else ""


def _withheld(switch: "EmbedderSwitch") -> str:
    return f"; {switch.withheld:,} are withheld from it" if switch.withheld else ""


def _form(switch: "EmbedderSwitch") -> dict[str, Any]:
    return {"changed": switch.position is not None} | asdict(switch)


def _lasting(seconds: float) -> str:
    """Write a length of time in the unit that suits it."""
    for limit, length, unit in ((120, 1, "s"), (7_200, 60, "min"), (2 * _DAY_S, 3_600, "h")):
        if seconds < limit:
            return (
                f"{seconds / length:,.1f} {unit}"
                if seconds < 10
                else f"{seconds / length:,.0f} {unit}"
            )
    return f"{seconds / _DAY_S:,.0f} days"
