"""Facts as bars along the time in which they hold."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from smriti_es.cli.screen import one_line
from smriti_es.cli.shown_times import shown_day

if TYPE_CHECKING:
    from datetime import tzinfo

    from smriti_es.beliefs import Fact

STYLES: Final = {
    "current": "green",
    "scheduled": "cyan",
    "superseded": "dim",
    "ended": "dim",
    "lapsed": "dim",
    "corrected": "dim",
    "retracted": "red",
}
_DAY_US: Final = 86_400_000_000
_BAR_MIN: Final = 20
_LABEL_MAX: Final = 40
_GAP: Final = "  "
# What open bars are drawn beyond the last known time: a share of the whole, in percent.
_BEYOND_PERCENT: Final = 6


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters that a terminal can show.

    Attributes:
        current: A cell of a bar that holds at the marked time.
        scheduled: One that begins later.
        past: One that is over.
        on: The end of a bar without an end.
        line: The marked time, where no bar is.
        mark: The marked time, on the axis.
    """

    current: str
    scheduled: str
    past: str
    on: str
    line: str
    mark: str


_BLOCKS: Final = Glyphs("█", "▒", "░", "▶", "│", "▼")
_ASCII: Final = Glyphs("=", "~", "-", ">", "|", "v")


def glyphs_for(encoding: str) -> Glyphs:
    """Choose the characters for the encoding of a stream."""
    return _BLOCKS if encoding.lower().startswith("utf") else _ASCII


def timeline(
    facts: "Sequence[Fact]",
    *,
    at: int,
    label: str,
    zone: "tzinfo",
    width: int,
    glyphs: Glyphs = _BLOCKS,
) -> list[Text]:
    """Draw facts as bars, one line each, under an axis on which a time is marked.

    Args:
        facts: The facts, in the order of the lines; at least one.
        at: The time to mark, microseconds since the epoch; how the facts stand is told for it.
        label: What to call it.
        zone: Where days are told.
        width: Columns of the screen; a narrow one is exceeded before bars become too short to read.
        glyphs: What to draw with.
    """
    names = [_name(fact) for fact in facts]
    told = [f"{_interval(fact, zone)} {fact.status.value}" for fact in facts]
    label_cells = min(max(map(cell_len, names)), _LABEL_MAX)
    room = width - label_cells - max(map(len, told)) - 2 * len(_GAP)
    scale = _Scale.of(facts, at, max(room, _BAR_MIN))
    lines = [_axis(scale, zone, label_cells), _mark(scale, at, label, glyphs, zone, label_cells)]
    for fact, name, interval in zip(facts, names, told, strict=True):
        style = STYLES.get(fact.status.value, "")
        lines.append(
            Text.assemble(
                set_cell_size(name, label_cells),
                _GAP,
                _bar(fact, scale, at, glyphs, style),
                _GAP,
                (interval, style),
            )
        )
    return lines


@dataclass(frozen=True, slots=True)
class _Scale:
    """Which time each column stands for."""

    start: int
    end: int
    columns: int

    @classmethod
    def of(cls, facts: "Sequence[Fact]", at: int, columns: int) -> "_Scale":
        moments = [at, *(fact.valid_from for fact in facts)]
        moments += [fact.valid_to for fact in facts if fact.valid_to is not None]
        start, end = min(moments), max(moments)
        if end - start < _DAY_US:
            end = start + _DAY_US
        return cls(start, end + (end - start) * _BEYOND_PERCENT // 100, columns)

    def column(self, at: int) -> int:
        """Give the column of a time, the last one for any that lies beyond."""
        return min((at - self.start) * self.columns // (self.end - self.start), self.columns - 1)


def _bar(fact: "Fact", scale: _Scale, at: int, glyphs: Glyphs, style: str) -> Text:
    cells = [" "] * scale.columns
    cells[scale.column(at)] = glyphs.line
    first = scale.column(fact.valid_from)
    # What ends within a column fills it: a short time is still a time. Of a lapsed one it is known
    # that it is over, but not when: its beginning is all there is to draw.
    is_open = fact.valid_to is None and fact.state != "lapsed"
    last = scale.columns - 1 if is_open else scale.column(_last_known(fact))
    fill = {"current": glyphs.current, "scheduled": glyphs.scheduled}.get(
        fact.status.value, glyphs.past
    )
    length = max(last, first) - first + 1
    cells[first : first + length] = [fill] * length
    if is_open:
        cells[-1] = glyphs.on
    bar = Text("".join(cells))
    bar.stylize(style, first, first + length)
    return bar


def _last_known(fact: "Fact") -> int:
    return fact.valid_from if fact.valid_to is None else fact.valid_to - 1


def _axis(scale: _Scale, zone: "tzinfo", label_cells: int) -> Text:
    """Write the first day of the axis at its left end and the last one at its right end."""
    first, last = shown_day(scale.start, zone), shown_day(scale.end, zone)
    between = " " * max(1, scale.columns - len(first) - len(last))
    return Text(f"{' ' * label_cells}{_GAP}{first}{between}{last}", style="dim")


def _mark(
    scale: _Scale, at: int, label: str, glyphs: Glyphs, zone: "tzinfo", label_cells: int
) -> Text:
    """Write the marked time beside its mark, on the side where there is room."""
    column, said = scale.column(at), f"{label} {shown_day(at, zone)}"
    if column + 1 + len(said) < scale.columns:
        shown = f"{' ' * column}{glyphs.mark} {said}"
    else:
        shown = f"{' ' * max(0, column - len(said) - 1)}{said} {glyphs.mark}"
    return Text(f"{' ' * label_cells}{_GAP}{shown}", style="bold")


def _name(fact: "Fact") -> str:
    scope = f" [{fact.scope}]" if fact.scope else ""
    return one_line(f"{fact.subject} {fact.predicate} {fact.object}{scope}")


def _interval(fact: "Fact", zone: "tzinfo") -> str:
    begins = shown_day(fact.valid_from, zone, fact.precision)
    unknown = "?" if fact.state == "lapsed" else ""
    ends = unknown if fact.valid_to is None else shown_day(fact.valid_to, zone)
    return f"{begins} .. {ends}".ljust(len("2026-01-15 .. 2026-06-01"))
