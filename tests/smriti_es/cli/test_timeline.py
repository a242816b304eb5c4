"""Bars along the time in which facts hold: to scale, and readable whatever the facts are."""

from datetime import UTC
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from smriti_es.beliefs import Fact, FactStatus, status_of
from smriti_es.cli.timeline import glyphs_for, timeline
from smriti_es.events.instants import parse_instant

WIDTH = 100


def at(day: str) -> int:
    return parse_instant(day).at


class Row:
    state = "admitted"
    folded_into = None
    superseded_by = 1

    def __init__(self, valid_from: int, valid_to: int | None) -> None:
        self.valid_from, self.valid_to = valid_from, valid_to


def fact(
    value: str, since: int, until: int | None = None, *, now: int = 0, scope: str = ""
) -> Fact:
    return Fact(
        position=1,
        fact="",
        space="main",
        subject="user",
        predicate="lives_in",
        object=value,
        scope=scope,
        statement="",
        status=status_of(Row(since, until), now),
        state="admitted",
        valid_from=since,
        valid_to=until,
        precision="day",
        said_at=since,
        known_from=since,
        superseded_by=None,
        folded_into=None,
        restated_by=(),
        origin="owner",
        kind="knowledge",
        source="direct",
        evidence=(),
        because=(),
    )


def draw(facts: list[Fact], now: int, **options: Any) -> list[str]:
    defaults: dict[str, Any] = {"label": "now", "zone": UTC, "width": WIDTH}
    return [line.plain for line in timeline(facts, at=now, **(defaults | options))]


def bar(line: str) -> str:
    return line[len("user lives_in Rome  ") : -len("  2026-01-15 .. 2026-06-01 superseded")]


def test_a_bar_is_as_long_as_its_share_of_the_axis() -> None:
    now = at("2026-11-01")
    facts = [
        fact("Rome", at("2026-01-01"), at("2026-03-02"), now=now),
        fact("Oslo", at("2026-03-02"), at("2026-07-01"), now=now),
    ]
    _, _, rome, oslo = draw(facts, now)
    assert 0.45 < rome.count("░") / oslo.count("░") < 0.55


def test_neighbours_in_time_share_no_column() -> None:
    now = at("2026-11-01")
    day = at("2026-03-02")
    facts = [fact("Rome", at("2026-01-01"), day, now=now), fact("Oslo", day, now=now)]
    _, _, rome, oslo = draw(facts, now)
    assert abs(rome.rindex("░") - oslo.index("█")) <= 1


def test_the_mark_stands_in_one_column_of_every_line() -> None:
    now = at("2026-06-01")
    facts = [
        fact("Rome", at("2026-01-01"), at("2026-03-01"), now=now),
        fact("Oslo", at("2026-09-01"), now=now),
    ]
    _, mark, rome, oslo = draw(facts, now)
    assert mark.index("▼") == rome.index("│") == oslo.index("│")
    assert (facts[1].status, "▒" in oslo, oslo.count("▶")) == (FactStatus.SCHEDULED, True, 1)


def test_the_axis_says_where_it_begins_and_ends() -> None:
    now = at("2026-12-31")
    axis, mark, _ = draw([fact("Rome", at("2026-01-01"), now=now)], now)
    assert axis.split() == ["2026-01-01", "2027-01-21"]
    assert mark.split() == ["now", "2026-12-31", "▼"]


def test_what_holds_for_a_moment_is_still_seen() -> None:
    now = at("2026-12-31")
    begins = at("2026-06-01")
    facts = [fact("Rome", at("2020-01-01"), now=now), fact("Oslo", begins, begins + 1, now=now)]
    assert draw(facts, now)[3].count("░") == 1


def test_facts_of_one_moment_are_drawn_on_an_axis_of_a_day() -> None:
    now = at("2026-06-01")
    axis, mark, line = draw([fact("Rome", now, now=now)], now)
    assert axis.split()[0] == "2026-06-01"
    assert "▼" in mark
    assert "█" in line


def test_a_terminal_without_blocks_gets_letters() -> None:
    now = at("2026-06-01")
    facts = [
        fact("Rome", at("2026-01-01"), at("2026-03-01"), now=now),
        fact("Oslo", at("2026-03-01"), now=now),
        fact("Bonn", at("2026-09-01"), now=now),
    ]
    text = "\n".join(draw(facts, now, glyphs=glyphs_for("ascii")))
    assert text.isascii()
    assert {"-", "=", "~", ">", "|", "v"} <= set(text)


def test_a_scope_is_told_and_a_long_value_is_cut() -> None:
    now = at("2026-06-01")
    _, _, line = draw([fact("x" * 100, now, now=now, scope="trip:Azores")], now)
    assert cell_len(line) <= WIDTH
    _, _, line = draw([fact("Rome", now, now=now, scope="trip:Azores")], now)
    assert line.startswith("user lives_in Rome [trip:Azores]  ")


def test_a_value_cannot_command_the_terminal() -> None:
    now = at("2026-06-01")
    _, _, line = draw([fact("\x1b[2JRome\nOslo", now, now=now)], now)
    assert "\x1b" not in line
    assert "\n" not in line


DAYS = st.integers(at("1970-01-01"), at("2200-01-01"))


@given(
    intervals=st.lists(st.tuples(DAYS, DAYS, st.booleans()), min_size=1, max_size=8),
    now=DAYS,
    width=st.integers(20, 200),
    value=st.text(max_size=30),
)
def test_any_facts_make_lines_of_one_width_with_bars_inside_the_axis(
    intervals: list[tuple[int, int, bool]], now: int, width: int, value: str
) -> None:
    facts = [
        fact(value, min(one, other), None if is_open else max(one, other) + 1, now=now)
        for one, other, is_open in intervals
    ]
    lines = draw(facts, now, width=width)
    assert len(lines) == len(facts) + 2
    assert len({cell_len(line.rstrip()) <= max(width, 120) for line in lines}) == 1
    assert all(any(glyph in line for glyph in "█▒░▶") for line in lines[2:])
