"""The verbs about the log itself: `log tail`, `log verify`, `log rescue`."""

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.text import Text

from smriti_es.cli.attest_verbs import read_checkpoint
from smriti_es.cli.exit_codes import FINDINGS, INCOMPLETE
from smriti_es.cli.findings import (
    advice,
    only_newer,
    show_checks,
    show_file_damage,
    show_log_findings,
)
from smriti_es.cli.invocation import Invocation, verb, zone_of
from smriti_es.cli.progress_bars import progress_bar
from smriti_es.cli.screen import Screen, json_line, plain, shortened, table
from smriti_es.events.errors import InvalidInput, StorageDamaged
from smriti_es.events.instants import to_datetime
from smriti_es.forms.json_forms import event_form, event_members, rescued_form, verify_form

if TYPE_CHECKING:
    from datetime import tzinfo

    from smriti_es.engine import Engine
    from smriti_es.events.records import RecordedEvent
    from smriti_es.rescuing import Rescued
    from smriti_es.results import VerifyReport

_POLL_S: Final = 0.5
_TAIL_MAX: Final = 100_000
_CONTENT_LENGTH: Final = 200


@dataclass(frozen=True, slots=True)
class TailOptions:
    """How much of the log."""

    count: Annotated[
        int, typer.Option("-n", "--count", metavar="N", help="How many of the last events.")
    ] = 20
    follow: Annotated[
        bool, typer.Option("-f", "--follow", help="Go on with what is appended; Ctrl-C ends it.")
    ] = False
    content: Annotated[bool, typer.Option("--content", help="Show what the events say, too.")] = (
        False
    )


Target = Annotated[str, typer.Argument(metavar="NEW", help="The file to make.")]
Projections = Annotated[
    bool, typer.Option("--projections/--no-projections", help="Also compare every projection.")
]


CheckpointFile = Annotated[
    str | None,
    typer.Option(
        "--checkpoint",
        metavar="FILE",
        help="A checkpoint that the log must go on from; - is stdin.",
        show_default=False,
    ),
]


def add_verbs(app: typer.Typer) -> None:
    """Add the verbs to the group `log`."""
    verb(app, "tail", "log tail -n 5", "log tail --follow --content", "log tail --json")(tail)
    verb(app, "verify", "log verify", "log verify --checkpoint memory.checkpoint --json")(verify)
    verb(app, "rescue", "log rescue rescued.db --db memory.db")(rescue)


def tail(call: Invocation, options: TailOptions) -> None:
    """Show the last events of the log."""
    if not 0 <= options.count <= _TAIL_MAX:
        raise InvalidInput(
            f"-n is {options.count}; it must be a whole number from 0 to {_TAIL_MAX}",
            hint="Leave it out for the last 20.",
        )
    with call.reading(embedder=False) as engine:
        start = max(0, engine.head + 1 - options.count)
        shown = Tail(call.screen, zone_of(engine), content=options.content, following=start)
        shown.catch_up(engine)
        if options.follow:
            with _pausing() as wait:
                shown.follow(engine, wait)


@contextmanager
def _pausing() -> Iterator[Callable[[], None]]:
    """Give how to wait between two looks; Ctrl-C ends that, and no look in the middle.

    An interrupt that is raised wherever the program is may be lost in a callback of a library.
    """
    interrupted = threading.Event()

    def wait() -> None:
        if interrupted.wait(_POLL_S):
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, lambda *_: interrupted.set())
    try:
        yield wait
    finally:
        signal.signal(signal.SIGINT, before)


@dataclass(slots=True)
class Tail:
    """The end of a log, as it is shown.

    Attributes:
        screen: Where.
        zone: In which times are shown.
        content: Whether what events say is shown, too.
        following: Position of the next event to show.
    """

    screen: Screen
    zone: "tzinfo"
    content: bool
    following: int

    def catch_up(self, engine: "Engine") -> None:
        """Show every event that is not shown yet."""
        for event in engine.events(self.following):
            self._show(event)
            self.following = event.position + 1

    def follow(self, engine: "Engine", wait: Callable[[], None]) -> None:
        """Show what is appended, until `wait` raises; it is called between two looks."""
        while True:
            wait()
            self.catch_up(engine)

    def _show(self, event: "RecordedEvent") -> None:
        if self.screen.as_json:
            self.screen.json(event_form(event, content=self.content))
            return
        header = event.header
        size = 0 if header.payload is None else header.payload.size
        line = Text.assemble(
            (f"{header.position:>8}  ", "bold"),
            f"{to_datetime(header.known, self.zone):%Y-%m-%d %H:%M:%S}  ",
            (f"{header.type:<20}", "cyan"),
            f"{plain(f'{header.actor.kind}:{header.actor.id}'):<18}  ",
            (event.leaf.hex()[:12], "dim"),
            f"{size:>10,} B",
        )
        self.screen.out.print(line, soft_wrap=True)
        if self.content:
            self.screen.say(f"          {_said(event)}", style="green")


def _said(event: "RecordedEvent") -> str:
    if event.event is None:
        return "(erased)"
    text = getattr(event.event, "text", None)
    said = json_line(event_members(event.event)) if text is None else text
    return shortened(said, _CONTENT_LENGTH)


def verify(
    call: Invocation, *, projections: Projections = True, checkpoint: CheckpointFile = None
) -> None:
    """Recompute chain and tree from their bytes, and what every projection should say."""
    given = None if checkpoint is None else read_checkpoint(checkpoint)
    report = _verified(call, given, projections=projections)
    if call.screen.as_json:
        call.screen.json(verify_form(report))
    else:
        _show_report(call, report, projections=projections)
    if (what_to_do := advice(report, call.chosen.db)) is not None:
        call.screen.hint(what_to_do)
        raise typer.Exit(INCOMPLETE if only_newer(report) else FINDINGS)
    for each in report.log.unproved:
        call.screen.note(each)
    if report.log.unproved:
        raise typer.Exit(INCOMPLETE)


def _show_report(call: Invocation, report: "VerifyReport", *, projections: bool) -> None:
    show_log_findings(call.screen, report.log)
    if report.file is not None:
        show_file_damage(call.screen, call.chosen.db, report.file)
    if report.projections:
        show_checks(call.screen, report.projections)
    elif projections:
        why = (
            "a later release wrote to the log" if report.ok else "what was found above comes first"
        )
        call.screen.note(f"the projections were not compared: {why}")


def _verified(call: Invocation, checkpoint: bytes | None, *, projections: bool) -> "VerifyReport":
    from smriti_es.rescuing import verify_unopened

    with progress_bar(call.screen) as progress:
        try:
            # Times do not matter here, and a damaged log may not know its zone any more.
            with call.reading(embedder=False, timezone="UTC") as engine:
                return engine.verify(
                    projections=projections, checkpoint=checkpoint, progress=progress
                )
        except StorageDamaged:  # so much so that it cannot even be opened
            return verify_unopened(
                call.chosen.db, call.chosen.tenant, checkpoint=checkpoint, progress=progress
            )


def rescue(call: Invocation, target: Target) -> None:
    """Copy what can be read of a damaged memory, of every tenant, into a new file."""
    from smriti_es.rescuing import rescue as copy_readable

    with progress_bar(call.screen) as progress:
        rescued = copy_readable(call.chosen.db, target, progress=progress)
    if call.screen.as_json:
        call.screen.json({"file": target, "logs": [rescued_form(each) for each in rescued]})
    else:
        _show_rescued(call.screen, rescued)
    call.screen.hint(f"See how the copy stands: `smriti-es log verify --db {target}`.")
    if not all(each.whole for each in rescued):
        raise typer.Exit(FINDINGS)


def _show_rescued(screen: Screen, rescued: "Sequence[Rescued]") -> None:
    numbers = ("events copied", "of")
    shown = table("tenant", *numbers, "content lost", "altered", right=numbers)
    for each in rescued:
        lost, altered = _named(each.lost), _named(each.altered)
        shown.add_row(plain(each.tenant), f"{each.events:,}", f"{each.size:,}", lost, altered)
    screen.show(shown)
    for each in rescued:
        if each.events < each.size:
            screen.show(
                f"{plain(each.tenant)}: events {each.events} to {each.size - 1} are left behind: "
                "what follows an event that is lost cannot be chained to it."
            )


def _named(positions: "Sequence[int]") -> str:
    return ", ".join(map(str, positions)) or "none"
