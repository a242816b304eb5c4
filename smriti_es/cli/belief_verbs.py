"""The verbs that tell what is believed, and why: `facts`, `history`, `explain`, `diff`."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from smriti_es.cli.belief_tables import (
    changes_table,
    facts_table,
    histories_table,
    show_explanation,
)
from smriti_es.cli.filter_options import condition
from smriti_es.cli.invocation import Invocation, verb, zone_of
from smriti_es.cli.time_options import (
    TrustedAsOf,
    TrustOfThen,
    known_time,
    say_whether_provisional,
)
from smriti_es.cli.timeline import glyphs_for, timeline
from smriti_es.events.errors import InvalidInput
from smriti_es.forms.fact_forms import change_form, explanation_form, fact_form, history_form

if TYPE_CHECKING:
    from collections.abc import Sequence
    from zoneinfo import ZoneInfo

    from smriti_es.beliefs import Fact

_ANY: Final = "any"
_ALONG_TIME: Final = ("current", "scheduled", "superseded", "ended", "lapsed")

Position = Annotated[
    int, typer.Argument(metavar="POSITION", help="The fact's position, as `facts` tells it.")
]
Earlier = Annotated[str, typer.Argument(metavar="K1", help="A position, or a time.")]
Later = Annotated[str, typer.Argument(metavar="K2", help="Another, not before it.")]
Timeline = Annotated[
    bool, typer.Option("--timeline", help="Draw the times in which they hold as bars.")
]


@dataclass(frozen=True, slots=True)
class About:
    """What the facts say, and of whom."""

    subject: Annotated[
        str | None,
        typer.Argument(metavar="SUBJECT", help="Whom or what it is about.", show_default=False),
    ] = None
    predicate: Annotated[
        str | None,
        typer.Argument(metavar="PREDICATE", help="What is said of it.", show_default=False),
    ] = None
    object: Annotated[
        str | None, typer.Option("--object", metavar="VALUE", help="Only this value.")
    ] = None


@dataclass(frozen=True, slots=True)
class FactChoice:
    """Which of the facts."""

    entity: Annotated[
        str | None, typer.Option("--entity", metavar="NAME", help="Only facts that name it.")
    ] = None
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind", metavar="KIND", help="Only of this kind; digests only come when named."
        ),
    ] = None
    status: Annotated[
        list[str] | None,
        typer.Option(
            "--status",
            metavar="STATUS",
            help="How they must stand: current, scheduled, superseded, ended, lapsed, corrected, "
            "retracted or any. (default: current)",
            show_default=False,
        ),
    ] = None

    def statuses(self, *, along_time: bool) -> "Sequence[str] | None":
        """Give the statuses in the engine's words; a timeline shows what was and what will be."""
        if not self.status:
            return _ALONG_TIME if along_time else ("current",)
        return None if _ANY in self.status else self.status


@dataclass(frozen=True, slots=True)
class Labels:
    """What the facts were labelled with."""

    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="TAG", help="Only with this tag; given twice: both."),
    ] = None
    any_tag: Annotated[
        list[str] | None,
        typer.Option("--any-tag", metavar="TAG", help="Given twice: with one of these tags."),
    ] = None
    where: Annotated[
        str | None,
        typer.Option("--where", metavar="JSON", help='With metadata such as {"level": 4}.'),
    ] = None

    def chosen(self) -> dict[str, Any]:
        """Give them as the engine takes them."""
        tags, tags_any = self.tag or (), self.any_tag or ()
        return {"tags": tags, "tags_any": tags_any, "where": condition(self.where)}


@dataclass(frozen=True, slots=True)
class Scopes:
    """Which scopes."""

    scope: Annotated[
        list[str] | None,
        typer.Option("--scope", metavar="SCOPE", help="A scope, as kind:value; may be repeated."),
    ] = None
    all_scopes: Annotated[bool, typer.Option("--all-scopes", help="Facts of every scope.")] = False

    def chosen(self) -> "list[str] | None":
        """Give the scopes in the engine's words.

        Raises:
            InvalidInput: One scope and all of them are asked for at once.
        """
        if self.all_scopes and self.scope:
            raise InvalidInput("--scope and --all-scopes do not go together", hint="Give one.")
        return None if self.all_scopes else self.scope or []


Scope = Annotated[
    list[str] | None,
    typer.Option("--scope", metavar="SCOPE", help="Only this scope, beside everywhere."),
]


def add_verbs(app: typer.Typer) -> None:
    """Add the verbs to the application."""
    verb(
        app,
        "facts",
        "facts user lives_in",
        "facts user lives_in --valid-at 2026-03-01",
        "facts --timeline --all-scopes",
        "facts Rachel --status any --known-at 2026-05-01 --json",
    )(facts)
    verb(app, "history", "history user lives_in", "history Rachel --known-at 120")(history)
    verb(app, "explain", "explain 42", "explain 42 --known-at 40 --trust then --json")(explain)
    verb(app, "diff", "diff 40 90", "diff 2026-05-01 2026-06-01 --subject user")(diff)


def facts(
    call: Invocation,
    about: About,
    choice: FactChoice,
    labels: Labels,
    scopes: Scopes,
    as_of: TrustedAsOf,
    *,
    draw: Timeline = False,
) -> None:
    """Show what is believed, now or as of another time."""
    with call.reading(embedder=False) as engine:
        found = engine.facts(
            about.subject,
            about.predicate,
            object=about.object,
            entity=choice.entity,
            valid_at=as_of.valid_at,
            known_at=as_of.known,
            scopes=scopes.chosen(),
            kinds=choice.kind,
            statuses=choice.statuses(along_time=draw),
            trust=as_of.trust,
            **labels.chosen(),
        )
        at = engine.world_time(valid_at=as_of.valid_at, known_at=as_of.known)
        zone = zone_of(engine)
    if call.screen.as_json:
        for fact in found:
            call.screen.json(fact_form(fact))
    elif not found:
        call.screen.note("nothing was found")
    elif draw:
        _draw(call, found, at, zone, asked=as_of != TrustedAsOf())
    else:
        call.screen.show(facts_table(found, zone))
    say_whether_provisional(call.screen, provisional=found.provisional)


def _draw(
    call: Invocation, found: "Sequence[Fact]", at: int, zone: "ZoneInfo", *, asked: bool
) -> None:
    console = call.screen.out
    lines = timeline(
        found,
        at=at,
        label="at" if asked else "now",
        zone=zone,
        width=console.width,
        glyphs=glyphs_for(console.encoding),
    )
    for line in lines:
        console.print(line, soft_wrap=True)


def history(
    call: Invocation,
    about: About,
    labels: Labels,
    as_of: TrustedAsOf,
    scope: Scope = None,
) -> None:
    """Show every statement about something, however it stands, with each belief about it."""
    with call.reading(embedder=False) as engine:
        found = engine.history(
            about.subject,
            about.predicate,
            object=about.object,
            valid_at=as_of.valid_at,
            known_at=as_of.known,
            scopes=scope or None,
            trust=as_of.trust,
            **labels.chosen(),
        )
        zone = zone_of(engine)
    call.screen.list_all(
        found, history_form, partial(histories_table, zone=zone), "nothing was found"
    )
    say_whether_provisional(call.screen, provisional=found.provisional)


def explain(
    call: Invocation,
    position: Position,
    as_of: TrustedAsOf,
    scope: Scope = None,
) -> None:
    """Show why a fact is believed: what it rests on, and what was decided about it."""
    with call.reading(embedder=False) as engine:
        found = engine.explain(
            position,
            valid_at=as_of.valid_at,
            known_at=as_of.known,
            scopes=scope or None,
            trust=as_of.trust,
        )
        zone = zone_of(engine)
    if call.screen.as_json:
        call.screen.json(explanation_form(found))
        return
    show_explanation(call.screen, found, zone)
    say_whether_provisional(call.screen, provisional=found.provisional)


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """Which facts are compared."""

    subject: Annotated[
        str | None, typer.Option("--subject", metavar="NAME", help="Only about this.")
    ] = None
    predicate: Annotated[
        str | None, typer.Option("--predicate", metavar="NAME", help="Only this predicate.")
    ] = None
    scope: Scope = None
    trust: TrustOfThen = "today"


def diff(
    call: Invocation, earlier: Earlier, later: Later, options: DiffOptions, labels: Labels
) -> None:
    """Show what came to be believed, ceased to be believed or was re-dated between two times."""
    with call.reading(embedder=False) as engine:
        found = engine.diff(
            known_time(earlier),
            known_time(later),
            subject=options.subject,
            predicate=options.predicate,
            scopes=options.scope or None,
            trust=options.trust,
            **labels.chosen(),
        )
        zone = zone_of(engine)
    call.screen.list_all(found, change_form, partial(changes_table, zone=zone), "no belief differs")
    say_whether_provisional(call.screen, provisional=found.provisional)
