"""The verbs about what waits for an owner's word: `review list`, `approve`, `reject`, `edit`."""

from dataclasses import dataclass
from typing import Annotated

import typer

from smriti_es.cli.changing import Reason, changing
from smriti_es.cli.invocation import Invocation, verb, zone_of
from smriti_es.cli.listing_verbs import Page, say_more
from smriti_es.cli.trust_tables import proposals_table
from smriti_es.cli.vectors import NoWait, make_vectors, say_vectors
from smriti_es.forms.trust_forms import proposal_form

Proposed = Annotated[
    int,
    typer.Argument(metavar="POSITION", help="The proposal's position, as `review list` tells it."),
]


@dataclass(frozen=True, slots=True)
class Corrections:
    """What the owner says instead; what is left out stays as it was proposed."""

    object: Annotated[
        str | None, typer.Option("--object", metavar="VALUE", help="The right value.")
    ] = None
    statement: Annotated[
        str | None, typer.Option("--statement", metavar="TEXT", help="A sentence that says it.")
    ] = None
    valid_from: Annotated[
        str | None, typer.Option("--from", metavar="TIME", help="Since when it holds.")
    ] = None
    valid_to: Annotated[
        str | None, typer.Option("--to", metavar="TIME", help="Until when it holds.")
    ] = None


def add_verbs(app: typer.Typer) -> None:
    """Add the verbs to the group `review`."""
    verb(app, "list", "review list", "review list --json")(list_proposals)
    verb(app, "approve", "review approve 42", 'review approve 42 --reason "I did move"')(approve)
    verb(app, "reject", "review reject 42", 'review reject 42 --reason "made up"')(reject)
    verb(app, "edit", "review edit 42 --object Oslo", "review edit 42 --from 2026-06")(edit)


def list_proposals(call: Invocation, page: Page) -> None:
    """List what waits for an owner's word, oldest first."""
    with call.reading(embedder=False) as engine:
        found = engine.review(after=page.after, limit=page.limit)
        zone = zone_of(engine)
    if call.screen.as_json:
        for proposal in found:
            call.screen.json(proposal_form(proposal))
        return
    if found:
        call.screen.show(proposals_table(found, zone))
    say_more(call.screen, found, page)


def approve(call: Invocation, position: Proposed, reason: Reason = "") -> None:
    """Let a proposal stand as if you had said it."""
    with changing(call, f"What was proposed at position {position} stands.") as engine:
        engine.approve(position, reason=reason)


def reject(call: Invocation, position: Proposed, reason: Reason = "") -> None:
    """Turn a proposal down; it is never believed nor read again."""
    with changing(call, f"What was proposed at position {position} is turned down.") as engine:
        engine.reject(position, reason=reason)


def edit(
    call: Invocation,
    position: Proposed,
    right: Corrections,
    reason: Reason = "",
    *,
    no_wait: NoWait = False,
) -> None:
    """Turn a proposed fact down and state it corrected, on the same evidence."""
    with call.maintaining() as engine:
        stated = engine.edit(
            position,
            object=right.object,
            statement=right.statement,
            valid_from=right.valid_from,
            valid_to=right.valid_to,
            reason=reason,
        )
        state, degraded = make_vectors(
            engine, call.screen, embedder=call.chosen.embedder, wait=not no_wait
        )
        head = engine.head
    if call.screen.as_json:
        form = {"position": stated, "head": head, "vectors": state, "degraded": degraded}
        call.screen.json(form)
        return
    call.screen.say(
        f"What was proposed at position {position} is turned down; stated at position {stated}."
    )
    say_vectors(call.screen, state, degraded)
