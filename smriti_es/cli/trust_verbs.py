"""The verbs about what rests on whom: `impact`, `without`, `trust`."""

from typing import Annotated

import typer

from smriti_es.cli.belief_tables import changes_table
from smriti_es.cli.changing import Reason
from smriti_es.cli.invocation import Invocation, verb, zone_of
from smriti_es.cli.named_options import NamedOptions
from smriti_es.cli.time_options import KnownAt, known_time, say_whether_provisional
from smriti_es.cli.trust_tables import impact_table, in_words
from smriti_es.forms.trust_forms import impact_form, without_form

Profile = Annotated[
    str | None,
    typer.Argument(
        metavar="PROFILE",
        help="open, personal or regulated: the profile that shall hold from here on.",
        show_default=False,
    ),
]


def add_verbs(app: typer.Typer) -> None:
    """Add the verbs to the application."""
    verb(app, "impact", "impact --session s7", "impact --fact 42 --json")(impact)
    verb(
        app,
        "without",
        "without --session s7",
        "without --origin agent --known-at 2026-05-01 --json",
    )(without)
    verb(app, "trust", "trust", 'trust regulated --reason "an agent writes here now"')(trust)


def impact(call: Invocation, named: NamedOptions) -> None:
    """Show everything that would not be there without something, through all generations."""
    with call.reading(embedder=False) as engine:
        found = engine.impact(**named.target)
    if call.screen.as_json:
        call.screen.json(impact_form(named.target, found))
        return
    call.screen.show(impact_table(found))


def without(call: Invocation, named: NamedOptions, known_at: KnownAt = None) -> None:
    """Show what would be believed otherwise without something; nothing is changed."""
    with call.reading(embedder=False) as engine:
        moment = engine.at(engine.head if known_at is None else known_time(known_at))
        with engine.replay(moment.head, without=named.target) as replay:
            left_out, changes = replay.without, replay.changes
        zone = zone_of(engine)
    if call.screen.as_json:
        call.screen.json(without_form(named.target, moment.head, left_out, changes))
        return
    call.screen.say(f"Left out with {in_words(named.target)}:", "bold cyan")
    call.screen.show(impact_table(left_out))
    if changes:
        call.screen.say("\nWhat would be believed otherwise:", "bold cyan")
        call.screen.show(changes_table(changes, zone, causes=False))
    else:
        call.screen.note("no belief differs")
    say_whether_provisional(call.screen, provisional=known_at is not None and moment.provisional)


def trust(call: Invocation, wanted: Profile = None, reason: Reason = "") -> None:
    """Show the profile of trust that holds, or let another one hold from here on."""
    if wanted is None:
        with call.reading(embedder=False) as engine:
            holds = engine.trust
        if call.screen.as_json:
            call.screen.json({"trust": holds})
        else:
            call.screen.say(holds)
        return
    with call.maintaining() as engine:
        before = engine.head
        engine.change_trust(wanted, reason=reason)
        holds, head = engine.trust, engine.head
    if call.screen.as_json:
        call.screen.json({"trust": holds, "changed": head > before, "head": head})
    elif head > before:
        call.screen.say(f"The profile {holds} holds; what was said before is weighed anew.")
    else:
        call.screen.say(f"Nothing new: the profile {holds} holds already.")
