"""The verbs that list: `turns`, `sessions`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import typer

from smriti_es.cli.filter_options import FilterOptions, condition
from smriti_es.cli.invocation import Invocation, verb, zone_of
from smriti_es.cli.screen import Screen, plain, shortened, table
from smriti_es.cli.shown_times import shown_time
from smriti_es.cli.time_options import KnownAt, known_time, say_whether_provisional
from smriti_es.forms.json_forms import session_form, turn_form

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

    from smriti_es.results import RecordedSession, RecordedTurn
    from smriti_es.reviewing import Proposal

    Listed = RecordedTurn | RecordedSession | Proposal

_TEXT_LENGTH: Final = 400


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of a long list."""

    after: Annotated[
        int | None,
        typer.Option(
            "--after", metavar="POSITION", help="Go on after this entry of the page before."
        ),
    ] = None
    limit: Annotated[
        int, typer.Option("-n", "--limit", metavar="N", help="How many at most, up to 10,000.")
    ] = 100


Newest = Annotated[bool, typer.Option("--newest", help="Newest first.")]


@dataclass(frozen=True, slots=True)
class SessionFilters:
    """Which sessions."""

    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="TAG", help="Only those with this tag; given twice: both."),
    ] = None
    where: Annotated[
        str | None,
        typer.Option("--where", metavar="JSON", help="Only those with such metadata."),
    ] = None


def add_verbs(app: typer.Typer) -> None:
    """Add the verbs to the application."""
    verb(app, "turns", "turns --session s1", "turns --newest -n 20 --role user", "turns --json")(
        turns
    )
    verb(app, "sessions", "sessions", "sessions --tag work --known-at 2026-05-01 --json")(sessions)


def turns(
    call: Invocation,
    page: Page,
    filters: FilterOptions,
    known_at: KnownAt = None,
    *,
    newest: Newest = False,
) -> None:
    """List turns in the order in which they were recorded."""
    with call.reading(embedder=False) as engine:
        found = engine.turns(
            after=page.after,
            limit=page.limit,
            newest=newest,
            known_at=None if known_at is None else known_time(known_at),
            **filters.filters(),
        )
        zone = zone_of(engine)
    if call.screen.as_json:
        for turn in found:
            call.screen.json(turn_form(turn))
    else:
        _show_turns(call.screen, found, zone)
        say_more(call.screen, found, page)
    say_whether_provisional(call.screen, provisional=found.provisional)


def _show_turns(screen: Screen, found: "Sequence[RecordedTurn]", zone: "tzinfo") -> None:
    shown = table(
        "position", "said", "session", "who", "text", right=("position",), fixed=("said",)
    )
    for turn in found:
        shown.add_row(
            str(turn.position),
            shown_time(turn.said_at, zone, turn.said_precision),
            plain(turn.session),
            plain(turn.name or turn.role),
            shortened(turn.text, _TEXT_LENGTH),
        )
    if found:
        screen.show(shown)


def sessions(
    call: Invocation, page: Page, filters: SessionFilters, known_at: KnownAt = None
) -> None:
    """List sessions in the order in which they were started."""
    with call.reading(embedder=False) as engine:
        found = engine.sessions(
            after=page.after,
            limit=page.limit,
            tags=filters.tag or (),
            where=condition(filters.where),
            known_at=None if known_at is None else known_time(known_at),
        )
        zone = zone_of(engine)
    if call.screen.as_json:
        for session in found:
            call.screen.json(session_form(session))
    else:
        _show_sessions(call.screen, found, zone)
        say_more(call.screen, found, page)
    say_whether_provisional(call.screen, provisional=found.provisional)


def _show_sessions(screen: Screen, found: "Sequence[RecordedSession]", zone: "tzinfo") -> None:
    shown = table(
        *("position", "session", "space", "turns", "first said", "last said", "tags"),
        right=("position", "turns"),
        fixed=("first said", "last said"),
    )
    for session in found:
        shown.add_row(
            str(session.position),
            plain(session.name),
            plain(session.space),
            f"{session.turns:,}",
            shown_time(session.first_said_at, zone),
            shown_time(session.last_said_at, zone),
            plain(", ".join(session.tags)),
        )
    if found:
        screen.show(shown)


def say_more(screen: Screen, found: "Sequence[Listed]", page: Page) -> None:
    """Remark that a list is empty, or may go on."""
    if not found:
        screen.note("nothing was found")
    elif len(found) == page.limit:
        screen.note(f"there may be more: --after {found[-1].position}")
