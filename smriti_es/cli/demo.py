"""The verb `demo`: the main job done on a conversation that comes along, and the proof of it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.panel import Panel
from rich.text import Text

from smriti_es.cli.exit_codes import FINDINGS
from smriti_es.cli.findings import show_checks, show_log_findings
from smriti_es.cli.invocation import Invocation, verb, zone_of
from smriti_es.cli.progress_bars import progress_bar
from smriti_es.cli.projection_verbs import show_rebuilds
from smriti_es.cli.screen import Screen, plain
from smriti_es.cli.timeline import glyphs_for, timeline
from smriti_es.cli.vectors import make_vectors, say_vectors
from smriti_es.events.errors import InvalidInput
from smriti_es.events.locations import names_server
from smriti_es.forms.fact_forms import fact_form
from smriti_es.forms.json_forms import context_form, rebuild_form, verify_form

if TYPE_CHECKING:
    from smriti_es.beliefs import Fact
    from smriti_es.engine import Engine
    from smriti_es.projections.rebuild import RebuildReport
    from smriti_es.results import Context, VerifyReport

CONVERSATION: Final = Path(__file__).with_name("demo_conversation.jsonl")
# When the questions are asked: the day after the last session.
_NOW: Final = "2025-10-20T09:00:00Z"
_QUESTIONS: Final = (
    "Where does Ishani live now, and since when?",
    "What is Rafael allergic to?",
    "When is the trip to the Azores, and what became of Madeira?",
)
_BUDGET: Final = 750
# The past that is asked about: after this session, on the day that it was held.
_THEN_AFTER: Final = "the-offer"
_THEN: Final = "2025-05-11T21:00:00Z"
_ASKED_THEN: Final = "Where does Ishani live and work?"
_REBUILT: Final = ("turns", "facts", "lexical")

Keep = Annotated[bool, typer.Option("--keep", help="Leave the memory there to play with.")]


@dataclass(frozen=True, slots=True)
class Shown:
    """What the demonstration found out.

    Attributes:
        facts: What was found in the conversation, however it stands.
        answers: The questions, each with its evidence.
        then: Position of the end of what was known in May, and the facts as they stood then.
        verified: The chain, and the projections as they were used.
        rebuilt: The projections built anew.
    """

    facts: "list[Fact]"
    answers: list[tuple[str, "Context"]]
    then: "tuple[int, list[Fact]]"
    verified: "VerifyReport"
    rebuilt: list["RebuildReport"]

    @property
    def ok(self) -> bool:
        """Whether everything held."""
        return self.verified.ok and all(each.equal for each in self.rebuilt)


def add_verbs(app: typer.Typer) -> None:
    """Add the verb to the application."""
    verb(app, "demo", "demo", "demo --keep --db demo.db")(demo)


def demo(call: Invocation, *, keep: Keep = False) -> None:
    """Record a conversation, find facts, answer from it as of now and of then, verify, rebuild."""
    started = time.monotonic()
    with _file(call, keep=keep) as file:
        shown = _run(_at(call, file))
    seconds = time.monotonic() - started
    if call.screen.as_json:
        call.screen.json(_form(shown, file, seconds, kept=keep))
    else:
        _say_the_end(call.screen, shown, file, seconds, kept=keep)
    if not shown.ok:
        raise typer.Exit(FINDINGS)


@contextmanager
def _file(call: Invocation, *, keep: bool) -> Iterator[Path]:
    """Give the path of a memory that is not there yet; without `keep` it goes again."""
    # The environment's memory is the user's own: only the command line can name one for this.
    if call.chosen.db_written:
        path = Path(call.chosen.db)
        if names_server(call.chosen.db):
            raise InvalidInput(
                "the demonstration makes a file", hint="Name one, or leave --db out."
            )
        if path.exists():
            raise InvalidInput(
                f"{path} exists already, and the demonstration wants a memory of its own",
                hint="Name a new file, or leave --db out.",
            )
        yield path
        if not keep:
            for each in path.parent.glob(f"{path.name}*"):
                each.unlink()
    elif keep:
        yield Path(mkdtemp(prefix="smriti-es-demo-"), "memory.db")
    else:
        with TemporaryDirectory(prefix="smriti-es-demo-") as folder:
            yield Path(folder, "memory.db")


def _at(call: Invocation, file: Path) -> Invocation:
    return replace(call, chosen=replace(call.chosen, db=str(file)))


def _run(call: Invocation) -> Shown:
    with call.writing() as engine:
        known = _record(call, engine)
        facts = _show_facts(call.screen, engine)
        answers = [_answer(call.screen, engine, question) for question in _QUESTIONS]
        then = known, _show_then(call.screen, engine, known)
        _say(call.screen, "Is the log what was written? Every hash is computed again:")
        with progress_bar(call.screen) as progress:
            verified = engine.verify(progress=progress)
        if not call.screen.as_json:
            show_log_findings(call.screen, verified.log)
            show_checks(call.screen, verified.projections)
        _say(call.screen, "Is what was read derived from the log alone? Built anew beside it:")
        rebuilt = [engine.rebuild(name) for name in _REBUILT]
        if not call.screen.as_json:
            show_rebuilds(call.screen, rebuilt)
    return Shown(facts, answers, then, verified, rebuilt)


def _record(call: Invocation, engine: "Engine") -> int:
    """Record the conversation session by session, as it would have come.

    Returns:
        Position of the last event known after the session that is gone back to.
    """
    from smriti_es.importers import Conversation, find_source
    from smriti_es.recording import SessionInput

    sessions = [
        SessionInput(session=each.session, messages=list(each.messages))
        for each in find_source(CONVERSATION, "jsonl").items()
        if isinstance(each, Conversation)
    ]
    added, known = [], 0
    with progress_bar(call.screen) as progress:
        for number, session in enumerate(sessions):
            progress("add", number, len(sessions))
            added += engine.add_many([session])
            if session.session == _THEN_AFTER:
                known = engine.head
    state, degraded = make_vectors(engine, call.screen, embedder=call.chosen.embedder, wait=True)
    turns = sum(len(each.positions) for each in added)
    _say(
        call.screen,
        f"Recorded a conversation: {turns} turns in {len(added)} sessions, February to October "
        f"2025, as {engine.head + 1} hash-chained events.",
    )
    if not call.screen.as_json:
        say_vectors(call.screen, state, degraded)
    return known


def _show_facts(screen: Screen, engine: "Engine") -> "list[Fact]":
    """Draw what was found along the time in which it holds."""
    facts = engine.facts(statuses=None, valid_at=_NOW)
    if facts and not screen.as_json:
        _say(screen, "Patterns of English found facts in it, without a model, each with its time:")
        lines = timeline(
            facts,
            at=engine.world_time(valid_at=_NOW),
            label="now",
            zone=zone_of(engine),
            width=screen.out.width,
            glyphs=glyphs_for(screen.out.encoding),
        )
        for line in lines:
            screen.out.print(line, soft_wrap=True)
    return facts


def _show_then(screen: Screen, engine: "Engine", known: int) -> "list[Fact]":
    """Go back to May, when she had a new job in sight and nobody knew of a new flat."""
    from smriti_es.recall.fact_lines import fact_line

    facts = [
        fact
        for predicate in ("lives_in", "works_at")
        for fact in engine.at(known).facts(predicate=predicate, statuses=None, valid_at=_THEN)
    ]
    if not screen.as_json:
        _say(screen, f"And on 11 May, with what was known then? {_ASKED_THEN}")
        for fact in facts:
            screen.say(fact_line(fact, zone_of(engine)))
    return facts


def _answer(screen: Screen, engine: "Engine", question: str) -> tuple[str, "Context"]:
    found = engine.context(question, budget=_BUDGET, now=_NOW)
    if not screen.as_json:
        asked = Text(question, style="bold cyan")
        screen.say("")
        screen.show(Panel(Text(plain(found.text)), title=asked, title_align="left", padding=(1, 2)))
        for reason in found.degraded:
            screen.note(reason)
    return question, found


def _say(screen: Screen, text: str) -> None:
    if not screen.as_json:
        screen.say(f"\n{text}", style="bold cyan")


def _say_the_end(screen: Screen, shown: Shown, file: Path, seconds: float, *, kept: bool) -> None:
    if shown.ok:
        done = "The log verifies, and the rebuilt projections equal those that answered."
        screen.say(f"\n{done} ({seconds:.1f} s)", style="bold green")
    else:
        screen.say("\nSomething does not hold: see above.", style="bold red")
    if kept:
        screen.say(f"The memory is at {file}. Try: smriti-es search whales --db {file}")


def _form(shown: Shown, file: Path, seconds: float, *, kept: bool) -> dict[str, Any]:
    return {
        "ok": shown.ok,
        "file": str(file) if kept else None,
        "seconds": round(seconds, 3),
        "facts": [fact_form(fact) for fact in shown.facts],
        "answers": [
            {"question": question, "context": context_form(found)}
            for question, found in shown.answers
        ],
        "then": {
            "known_at": shown.then[0],
            "valid_at": _THEN,
            "question": _ASKED_THEN,
            "facts": [fact_form(fact) for fact in shown.then[1]],
        },
        "verify": verify_form(shown.verified),
        "rebuilt": [rebuild_form(each) for each in shown.rebuilt],
    }
