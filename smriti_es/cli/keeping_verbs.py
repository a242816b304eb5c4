"""The verbs about what must be kept and for how long: `hold` and `retention`."""

from datetime import timedelta
from functools import partial
from typing import Annotated, Final

import typer

from smriti_es.cli.changing import Reason, changing
from smriti_es.cli.erasure_tables import holds_table, retention_table
from smriti_es.cli.invocation import Invocation, verb, zone_of
from smriti_es.cli.named_options import HeldOptions
from smriti_es.cli.trust_tables import in_words
from smriti_es.forms.keeping_forms import hold_form, retention_form

# Ten thousand years, as the engine has it.
_DAYS_MAX: Final = 3_650_000

Authority = Annotated[
    str, typer.Option("--authority", metavar="NAME", help="Who asks for it.", show_default=False)
]
Until = Annotated[
    str | None,
    typer.Option(
        "--until",
        metavar="TIME",
        help="When it ceases by itself. (default: never)",
        show_default=False,
    ),
]
Held = Annotated[
    int,
    typer.Argument(metavar="POSITION", help="The hold's position, as `hold list` tells it."),
]
Days = Annotated[
    float | None,
    typer.Argument(
        metavar="DAYS",
        help="How long from when it was said; 0 keeps nothing.",
        show_default=False,
    ),
]
Forever = Annotated[
    bool, typer.Option("--forever", help="Keep it for as long as one likes: lift the rule.")
]
Session = Annotated[
    str | None,
    typer.Option("--session", metavar="NAME", help="Only one session.", show_default=False),
]
Kind = Annotated[
    str | None,
    typer.Option(
        "--kind", metavar="KIND", help="Only turns and facts of a kind.", show_default=False
    ),
]


def add_hold_verbs(app: typer.Typer) -> None:
    """Add the verbs to the group `hold`."""
    verb(
        app,
        "place",
        'hold place --session s7 --authority "District court" --reason "case 12/7"',
        "hold place --entity Ana --authority audit --until 2027-01-01",
    )(place)
    verb(app, "list", "hold list", "hold list --json")(list_holds)
    verb(app, "release", "hold release 57")(release)


def add_retention_verbs(app: typer.Typer) -> None:
    """Add the verbs to the group `retention`."""
    verb(
        app,
        "set",
        "retention set 90",
        "retention set 365 --kind note",
        "retention set --forever --session s7",
    )(set_retention)
    verb(app, "list", "retention list", "retention list --json")(list_retention)


def place(
    call: Invocation,
    named: HeldOptions,
    authority: Authority,
    reason: Reason = "",
    until: Until = None,
) -> None:
    """Keep something from being erased until the hold is released or expires."""
    with call.maintaining() as engine:
        at = engine.place_hold(reason=reason, authority=authority, expires_at=until, **named.target)
        head = engine.head
    if call.screen.as_json:
        call.screen.json({"hold": at, "head": head})
        return
    what = in_words(named.target) or "everything"
    call.screen.say(f"Held at position {at}: {what}; `hold release {at}` lifts it.")


def list_holds(call: Invocation) -> None:
    """List the holds that are not released, oldest first."""
    with call.reading(embedder=False) as engine:
        found = engine.holds()
        zone = zone_of(engine)
    call.screen.list_all(found, hold_form, partial(holds_table, zone=zone), "nothing is held")


def release(call: Invocation, position: Held, reason: Reason = "") -> None:
    """Lift a hold; others on the same thing stand."""
    with changing(call, f"The hold at position {position} is lifted.") as engine:
        engine.release_hold(position, reason=reason)


def set_retention(
    call: Invocation,
    days: Days = None,
    session: Session = None,
    kind: Kind = None,
    reason: Reason = "",
    *,
    forever: Forever = False,
) -> None:
    """Settle how long things are kept; `sweep` erases what is older."""
    if forever == (days is not None):
        raise typer.BadParameter("give a number of days, or --forever")
    told = "Kept for as long as one likes."
    if days is not None:
        told = f"Kept for {days:g} days; `sweep` erases what is older."
    keep_for = None if days is None else _of_days(days)
    with changing(call, told) as engine:
        engine.set_retention(keep_for, session=session, kind=kind, reason=reason)


def _of_days(days: float) -> timedelta:
    if not 0 <= days <= _DAYS_MAX:
        raise typer.BadParameter(f"{days:g} days; give 0 to {_DAYS_MAX:,}")
    return timedelta(days=days)


def list_retention(call: Invocation) -> None:
    """List how long what is kept."""
    with call.reading(embedder=False) as engine:
        found = engine.retention()
    call.screen.list_all(
        found, retention_form, retention_table, "everything is kept for as long as one likes"
    )
