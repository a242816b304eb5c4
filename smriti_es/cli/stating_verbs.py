"""The verbs that change what is believed: `assert`, `end`, `retract`, `alias`, `observe`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smriti_es.cli.belief_verbs import Position
from smriti_es.cli.changing import Reason, changing
from smriti_es.cli.extractor_choice import chosen_llm
from smriti_es.cli.invocation import Invocation, verb
from smriti_es.cli.message_input import read_metadata
from smriti_es.cli.progress_bars import progress_bar
from smriti_es.cli.vectors import NoWait, make_vectors, say_vectors
from smriti_es.cli.waiting_proposals import proposed_since, say_proposed
from smriti_es.events.errors import InvalidInput
from smriti_es.forms.fact_forms import observed_form

if TYPE_CHECKING:
    from smriti_es.observing import Observed

EndPosition = Annotated[
    int, typer.Argument(metavar="POSITION", help="Position of the `FactEnded`; `explain` tells it.")
]
Alias = Annotated[str, typer.Argument(metavar="ALIAS", help="The other name.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The name that stands for both.")]
EndsAt = Annotated[
    str | None,
    typer.Option("--at", metavar="TIME", help="Since when it holds no longer. (default: now)"),
]


@dataclass(frozen=True, slots=True)
class Statement:
    """What is stated; see `Engine.assert_fact` for what each means."""

    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="Whom or what it is about.")]
    predicate: Annotated[
        str, typer.Argument(metavar="PREDICATE", help="What is said of it, as in lives_in.")
    ]
    object: Annotated[str, typer.Argument(metavar="OBJECT", help="The value.")]
    statement: Annotated[
        str | None,
        typer.Option("--statement", metavar="TEXT", help="A sentence that says it."),
    ] = None
    scope: Annotated[
        str, typer.Option("--scope", metavar="SCOPE", help="Where it applies, as kind:value.")
    ] = ""
    valid_from: Annotated[
        str | None,
        typer.Option("--from", metavar="TIME", help="Since when it holds. (default: when said)"),
    ] = None
    valid_to: Annotated[
        str | None, typer.Option("--to", metavar="TIME", help="Until when it holds.")
    ] = None
    said_at: Annotated[
        str | None, typer.Option("--said-at", metavar="TIME", help="When it was said.")
    ] = None
    multi: Annotated[
        bool, typer.Option("--multi", help="The subject may have several such values at once.")
    ] = False
    kind: Annotated[
        str,
        typer.Option("--kind", metavar="KIND", help="profile, preference, event or knowledge."),
    ] = "knowledge"
    because: Annotated[
        list[int] | None,
        typer.Option(
            "--because",
            metavar="POSITION",
            help="A fact that it follows from, whose scope and origin it takes.",
        ),
    ] = None
    origin: Annotated[
        str | None,
        typer.Option(
            "--origin",
            metavar="ORIGIN",
            help="Lower the origin: agent, tool, untrusted. (default: owner)",
            show_default=False,
        ),
    ] = None
    entity: Annotated[
        list[str] | None,
        typer.Option("--entity", metavar="NAME", help="A name in it; may be repeated."),
    ] = None
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag; may be repeated.")
    ] = None
    meta: Annotated[
        list[str] | None, typer.Option("--meta", metavar="KEY=VALUE", help="Metadata.")
    ] = None


@dataclass(frozen=True, slots=True)
class ObserveOptions:
    """Which groups are summed up."""

    min_facts: Annotated[
        int,
        typer.Option(
            "--min-facts", metavar="N", help="From how many facts on a group is worth it."
        ),
    ] = 2
    granularity: Annotated[
        list[str] | None,
        typer.Option(
            "--granularity",
            metavar="KIND",
            help="entity or predicate; may be repeated. (default: both)",
            show_default=False,
        ),
    ] = None
    subject: Annotated[
        str | None, typer.Option("--subject", metavar="NAME", help="Only groups of this entity.")
    ] = None


def add_verbs(app: typer.Typer) -> None:
    """Add the verbs to the application."""
    verb(
        app,
        "assert",
        "assert user lives_in Bengaluru --from 2026-06-01",
        'assert Atlas deadline 2026-09-30 --scope project:Atlas --meta source="board minutes"',
    )(assert_fact)
    verb(app, "end", "end 42", 'end 42 --at 2026-05-31 --reason "quit"')(end)
    verb(app, "retract", "retract 42", 'retract 42 --reason "a mix-up"')(retract)
    verb(app, "retract-end", "retract-end 57")(retract_end)
    verb(app, "alias", 'alias "Rachel Smith" Rachel')(alias)
    verb(app, "unalias", 'unalias "Rachel Smith"')(unalias)
    verb(
        app,
        "observe",
        "observe --llm http://localhost:11434#qwen2.5:7b",
        "observe --subject Rachel --granularity entity",
    )(observe)


def assert_fact(call: Invocation, given: Statement, *, no_wait: NoWait = False) -> None:
    """State a fact by yourself."""
    with call.writing() as engine:
        before = engine.head
        position = engine.assert_fact(
            given.subject,
            given.predicate,
            given.object,
            statement=given.statement,
            scope=given.scope,
            valid_from=given.valid_from,
            valid_to=given.valid_to,
            said_at=given.said_at,
            multi=given.multi,
            kind=given.kind,
            because=given.because or (),
            origin=given.origin,
            entities=given.entity or (),
            tags=given.tag or (),
            metadata=read_metadata(given.meta or ()),
        )
        state, degraded = make_vectors(
            engine, call.screen, embedder=call.chosen.embedder, wait=not no_wait
        )
        head, proposed = engine.head, proposed_since(engine, before)
    if call.screen.as_json:
        form: dict[str, Any] = {"position": position, "proposed": proposed, "head": head}
        call.screen.json(form | {"vectors": state, "degraded": degraded})
        return
    told = "Nothing new: exactly this was stated before." if position < 0 else ""
    call.screen.say(told or f"{'Proposed' if proposed else 'Stated'} at position {position}.")
    say_proposed(call.screen, proposed=proposed)
    say_vectors(call.screen, state, degraded)


def end(call: Invocation, position: Position, at: EndsAt = None, reason: Reason = "") -> None:
    """Say that a fact's value holds no longer, with nothing in its place."""
    with call.maintaining() as engine:
        ended = engine.end_fact(position, at=at, reason=reason)
        head = engine.head
    if call.screen.as_json:
        call.screen.json({"end": ended, "head": head})
        return
    call.screen.say(
        f"The fact at position {position} has its end, at position {ended}; "
        f"`retract-end {ended}` takes it back."
    )


def retract(call: Invocation, position: Position, reason: Reason = "") -> None:
    """Say that a fact was never true; what it had replaced stands again."""
    with changing(call, f"The fact at position {position} is believed no longer.") as engine:
        engine.retract(position, reason=reason)


def retract_end(call: Invocation, position: EndPosition, reason: Reason = "") -> None:
    """Take back a stated end."""
    with changing(call, f"The end at position {position} is taken back.") as engine:
        engine.retract_end(position, reason=reason)


def alias(call: Invocation, other: Alias, name: Name, reason: Reason = "") -> None:
    """Say that two names are the same entity."""
    with changing(call, f"{other} is {name}: what is said of both is one history.") as engine:
        engine.alias(other, name, reason=reason)


def unalias(call: Invocation, other: Alias, reason: Reason = "") -> None:
    """Say that an alias is not the same entity after all."""
    with changing(call, f"{other} is an entity of its own again.") as engine:
        engine.unalias(other, reason=reason)


def observe(call: Invocation, options: ObserveOptions) -> None:
    """Sum up what is known of an entity, and what is said often of a subject."""
    from smriti_es.extraction.digest_writer import DigestWriter
    from smriti_es.observing import GRANULARITIES

    llm = chosen_llm(call.chosen.llm)
    if llm is None:
        raise InvalidInput(
            "observing needs a language model",
            hint="Give --llm URL#MODEL, as in http://localhost:11434#qwen2.5:7b.",
        )
    with llm, call.maintaining() as engine, progress_bar(call.screen) as progress:
        done = engine.observe(
            writer=DigestWriter(llm),
            min_facts=options.min_facts,
            granularity=options.granularity or GRANULARITIES,  # type: ignore[arg-type]  # checked there
            subject=options.subject,
            progress=progress,
        )
    if call.screen.as_json:
        call.screen.json(observed_form(done))
        return
    call.screen.say(_observed_in_words(done))
    for group, reason in done.skipped:
        call.screen.note(f"{group} was not summed up: {reason}")


def _observed_in_words(done: "Observed") -> str:
    ended = f"; {len(done.ended):,} ended" if done.ended else ""
    return f"Digests: {len(done.written):,} written, {done.unchanged:,} unchanged{ended}."
