"""Where a verb's answer goes: tables for people, JSON for programs, remarks beside it on stderr.

Turns hold whatever somebody said, terminal commands included; nothing of that kind reaches a
terminal.
"""

import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

# Characters that a terminal obeys instead of showing, and those that turn the direction of reading.
_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# JSON leaves these as they are; escaped they mean the same.
_ESCAPED = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), 0x2028, 0x2029)}
_WIDTH_WITHOUT_TERMINAL = 120

Listed = TypeVar("Listed")


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Let the outermost layer decide what a closed output means."""
        raise BrokenPipeError


def plain(text: str) -> str:
    """Make text harmless to a terminal: what it would obey is shown as an escape."""
    return _COMMANDS.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def one_line(text: str) -> str:
    """Make text harmless and bring it into one line."""
    return plain(" ".join(text.split()))


def shortened(text: str, length: int) -> str:
    """Bring text into one harmless line of at most so many characters."""
    line = one_line(text)
    return line if len(line) <= length else f"{line[: length - 1].rstrip()}…"


def json_line(value: Any) -> str:
    """Write a value as one line of JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_ESCAPED)


def table(*columns: str, right: tuple[str, ...] = (), fixed: tuple[str, ...] = ()) -> Table:
    """Make an empty table.

    Args:
        columns: Its headings.
        right: Those of which the cells stand at the right, as numbers do.
        fixed: Those that are never broken.
    """
    made = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        made.add_column(
            name,
            justify="right" if name in right else "left",
            no_wrap=name in right or name in fixed,
            overflow="fold",
        )
    return made


def _console(*, stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    return _Console(
        stderr=stderr,
        markup=False,
        highlight=False,
        emoji=False,
        width=None if stream.isatty() else _WIDTH_WITHOUT_TERMINAL,
    )


@dataclass(frozen=True, slots=True)
class Screen:
    """The two streams of a call.

    Attributes:
        as_json: Whether stdout carries JSON and nothing else.
        out: The answer.
        err: Remarks and progress.
    """

    as_json: bool
    out: Console = field(default_factory=lambda: _console(stderr=False))
    err: Console = field(default_factory=lambda: _console(stderr=True))

    def json(self, value: Any) -> None:
        """Write one line of JSON, in UTF-8 whatever the locale says."""
        sys.stdout.flush()
        sys.stdout.buffer.write(f"{json_line(value)}\n".encode())
        sys.stdout.buffer.flush()

    def show(self, renderable: RenderableType) -> None:
        """Print for people."""
        self.out.print(renderable)

    def list_all(
        self,
        found: Sequence[Listed],
        form: Callable[[Listed], Any],
        table: Callable[[Sequence[Listed]], RenderableType],
        nothing: str,
    ) -> None:
        """List what was found: a line of JSON each, or one table, or a remark on nothing."""
        if self.as_json:
            for each in found:
                self.json(form(each))
        elif found:
            self.show(table(found))
        else:
            self.note(nothing)

    def say(self, text: str, style: str = "") -> None:
        """Print a line for people; what it quotes may be anything."""
        self.out.print(Text(plain(text), style=style), soft_wrap=True)

    def verbatim(self, text: str) -> None:
        """Print text as it is, made harmless only where a terminal shows it."""
        shown = plain(text) if self.out.is_terminal else text
        self.out.file.write(f"{shown}\n")

    def hint(self, text: str) -> None:
        """Say on stderr what can be done."""
        self.err.print(Text(f"hint: {one_line(text)}"), soft_wrap=True)

    def note(self, text: str) -> None:
        """Remark something on stderr."""
        self.err.print(Text(f"note: {one_line(text)}", style="yellow"), soft_wrap=True)
