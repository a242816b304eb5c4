"""Progress on stderr, only where a terminal shows it: how far, how fast, how much longer."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bars
from rich.text import Text

from smriti_es.cli.screen import Screen

Progress = Callable[[str, int, int], None]

_WORDS: Final = {
    "add": "recording sessions",
    "check": "checking the bundle",
    "checkpoint": "reading what is new",
    "compare": "comparing",
    "export": "writing the bundle",
    "export file": "writing sessions",
    "extract": "looking for facts",
    "fold": "reading the log",
    "import": "reading the bundle",
    "import file": "importing (bytes)",
    "look": "looking through the log",
    "observe": "summing up",
    "rescue": "copying the log",
    "scrub": "scrubbing the files",
    "verify": "verifying the chain",
}


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        """Show how many a second."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f}/s", style="progress.data.speed")


@contextmanager
def progress_bar(screen: Screen, **words: str) -> Iterator[Progress]:
    """Show how a long task goes.

    Args:
        screen: Where to; nothing is shown unless its stderr is a terminal.
        **words: What to call a phase, where the usual words do not fit.

    Yields:
        What the task reports to: phase, done, total.
    """
    shown = screen.err.is_terminal and not screen.err.is_dumb_terminal
    bars = Bars(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeRemainingColumn(),
        console=screen.err,
        transient=True,
        disable=not shown,
    )
    names = _WORDS | words
    with bars:
        task = bars.add_task("", total=None, visible=False)
        at = ("", 0)

        def report(phase: str, done: int, total: int) -> None:
            nonlocal at
            if phase != at[0] or done < at[1]:
                bars.reset(task, description=names.get(phase, phase), visible=True)
            at = (phase, done)
            bars.update(task, completed=done, total=total)

        yield report
