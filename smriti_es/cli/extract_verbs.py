"""The verbs about extraction: `extract pending`, `extract retry`."""

import typer

from smriti_es.cli.finding_facts import found_in_words, unextracted
from smriti_es.cli.invocation import Invocation, verb
from smriti_es.cli.progress_bars import progress_bar
from smriti_es.cli.waiting_proposals import proposed_since, say_proposed


def add_verbs(app: typer.Typer) -> None:
    """Add the verbs to the group `extract`."""
    verb(app, "pending", "extract pending", "extract pending --llm http://localhost:11434#qwen3")(
        pending
    )
    verb(app, "retry", "extract retry", "extract retry --json")(retry)


def pending(call: Invocation) -> None:
    """Look for facts in every turn that waits."""
    _extract(call, again=False)


def retry(call: Invocation) -> None:
    """Look for facts in every turn that waits, and again in those that it failed on."""
    _extract(call, again=True)


def _extract(call: Invocation, *, again: bool) -> None:
    with call.maintaining() as engine:
        before = engine.head
        with progress_bar(call.screen) as progress:
            recorded = engine.extract_pending(retry=again, progress=progress)
        found, proposed = engine.status(), proposed_since(engine, before)
    failed = [{"position": at, "reason": reason} for at, reason in found.extraction_failed]
    if call.screen.as_json:
        form = {"facts": recorded, "proposed": proposed}
        call.screen.json(form | {"waiting": found.extraction_behind, "failed": failed})
        return
    call.screen.say(found_in_words(len(recorded)) or "Found no new fact.")
    say_proposed(call.screen, proposed=proposed)
    for reason in unextracted(found):
        call.screen.note(reason)
