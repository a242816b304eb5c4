"""The verbs that answer a question: `context`, `search`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.table import Table

from smriti_es.cli.filter_options import FilterOptions
from smriti_es.cli.invocation import Invocation, verb, zone_of
from smriti_es.cli.screen import Screen, plain, shortened, table
from smriti_es.cli.shown_times import shown_day, shown_time
from smriti_es.cli.time_options import AsOf, say_whether_provisional
from smriti_es.cli.vectors import CATCH_UP
from smriti_es.forms.json_forms import context_form, search_form

if TYPE_CHECKING:
    from datetime import tzinfo

    from smriti_es.results import Context, Hit, SearchResult

_TEXT_LENGTH: Final = 300

Question = Annotated[str, typer.Argument(metavar="QUESTION", help="What is asked, in plain words.")]


@dataclass(frozen=True, slots=True)
class Asking:
    """When the question is asked, and which facts may answer it."""

    now: Annotated[
        str | None,
        typer.Option("--now", metavar="TIME", help="When it is asked, for words like 'last week'."),
    ] = None
    scope: Annotated[
        list[str] | None,
        typer.Option(
            "--scope", metavar="SCOPE", help="A scope one is in, beside everywhere, as kind:value."
        ),
    ] = None
    history: Annotated[
        bool | None,
        typer.Option(
            "--history/--no-history",
            help="Also facts that hold no longer. (default: if the question asks for what was)",
            show_default=False,
        ),
    ] = None
    recall_profile: Annotated[
        str,
        typer.Option(
            "--recall-profile",
            metavar="NAME",
            help="How it is answered: evidence, facts, relations, timeline, deep, or auto.",
        ),
    ] = "evidence"
    channel: Annotated[
        list[str] | None,
        typer.Option(
            "--channel",
            metavar="NAME",
            help="Only this takes part, of lexical, semantic, entity, temporal.",
        ),
    ] = None

    rerank: Annotated[
        bool | None,
        typer.Option(
            "--rerank/--no-rerank",
            help="Let the reranker judge the best. (default: if there is one)",
            show_default=False,
        ),
    ] = None

    @property
    def how(self) -> dict[str, Any]:
        """Give what the two verbs share, as the engine's arguments."""
        return {
            "now": self.now,
            "history": self.history,
            "profile": self.recall_profile,
            "channels": self.channel or None,
            "rerank": self.rerank,
        }


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How many hits, and how much is told of them."""

    k: Annotated[
        int | None,
        typer.Option(
            "-k",
            "--limit",
            metavar="N",
            help="How many hits at most. (default: what the profile says, 12)",
            show_default=False,
        ),
    ] = None
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Show the parts of each score, and the rank after each step."
        ),
    ] = False


Budget = Annotated[
    int, typer.Option("--budget", metavar="N", help="Characters of the answer at most.")
]


def add_verbs(app: typer.Typer) -> None:
    """Add the verbs to the application."""
    verb(
        app,
        "context",
        'context "where do I live?"',
        'context "what did we plan last week?" --now 2026-07-01 --budget 3000',
        'context "who is allergic to what?" --tag family --json',
        'context "where do I live?" --known-at 2026-05-01',
        'context "how many trips did I make?" --recall-profile auto',
    )(context)
    verb(
        app, "search", 'search "trip to Lisbon" -k 5', 'search "new job" --since 2026-03 --explain'
    )(search)


def context(
    call: Invocation,
    question: Question,
    asking: Asking,
    as_of: AsOf,
    filters: FilterOptions,
    *,
    budget: Budget = 9_000,
) -> None:
    """Gather dated evidence for a question, as text for a prompt."""
    with call.reading() as engine:
        found = engine.context(
            question,
            budget=budget,
            valid_at=as_of.valid_at,
            known_at=as_of.known,
            **asking.how,
            **filters.filters(asking.scope),
        )
    if call.screen.as_json:
        call.screen.json(context_form(found))
        return
    if found.text:
        call.screen.verbatim(found.text)
    else:
        call.screen.note("nothing was found")
    _say_what_lacks(call.screen, found)


def search(
    call: Invocation,
    question: Question,
    asking: Asking,
    as_of: AsOf,
    options: SearchOptions,
    filters: FilterOptions,
) -> None:
    """Find the turns and facts that answer a question best."""
    with call.reading() as engine:
        found = engine.search(
            question,
            k=options.k,
            valid_at=as_of.valid_at,
            known_at=as_of.known,
            explain=options.explain,
            **asking.how,
            **filters.filters(asking.scope),
        )
        zone = zone_of(engine)
    if call.screen.as_json:
        call.screen.json(search_form(found))
        return
    if found.hits:
        call.screen.show(_hits_table(found, zone, explain=options.explain))
        _show_observed(call.screen, found)
    else:
        call.screen.note("nothing was found")
    _say_what_lacks(call.screen, found)


def _hits_table(found: "SearchResult", zone: "tzinfo", *, explain: bool) -> Table:
    shown = table(
        *("", "score", "said", "who", "text", "session", "position"),
        *(["why"] if explain else []),
        right=("", "score", "position"),
        fixed=("said",),
    )
    for hit in found:
        cells = [
            str(hit.rank),
            f"{hit.score:.3f}",
            *_hit_cells(hit, zone),
            str(hit.position),
        ]
        shown.add_row(*cells, *([_why(hit)] if explain else []))
    return shown


def _hit_cells(hit: "Hit", zone: "tzinfo") -> list[str]:
    """Tell when it was said or began to hold, by whom, what, and where."""
    if hit.turn is not None:
        turn = hit.turn
        when = shown_time(turn.said_at, zone, turn.said_precision)
        who = plain(turn.name or turn.role)
        return [when, who, shortened(turn.text, _TEXT_LENGTH), plain(turn.session)]
    assert hit.fact is not None, "a hit is a turn or a fact"
    from smriti_es.recall.fact_lines import fact_line

    said = shortened(fact_line(hit.fact, zone).removeprefix("- "), _TEXT_LENGTH)
    return [shown_day(hit.fact.valid_from, zone, hit.fact.precision), "fact", said, ""]


def _show_observed(screen: Screen, found: "SearchResult") -> None:
    from smriti_es.recall.fact_lines import digest_line

    for digest in found.observed:
        screen.say(digest_line(digest), "cyan")


def _why(hit: "Hit") -> str:
    parts = [f"{name} {part:.3f}" for name, part in hit.explanation.items() if part]
    ranks = " > ".join(str(step.after) for step in hit.steps)
    return "\n".join([*parts, f"ranks {ranks}"])


def _say_what_lacks(screen: Screen, found: "Context | SearchResult") -> None:
    say_whether_provisional(screen, provisional=found.provisional)
    for reason in found.degraded:
        screen.note(reason)
    if found.pending:
        turns = (
            "turn waits for its vector" if found.pending == 1 else "turns wait for their vectors"
        )
        screen.note(f"{found.pending:,} {turns} and can be found by words alone. {CATCH_UP}")
    if found.unread:
        turns = "turn was" if found.unread == 1 else "turns were"
        screen.note(
            f"up to {found.unread:,} {turns} not read for facts yet; "
            "`smriti-es extract pending` reads them."
        )
