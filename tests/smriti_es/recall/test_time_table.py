"""Time in questions and turns by example: the rows of time_table.txt."""

import re
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from smriti_es.events.instants import parse_instant
from smriti_es.recall.temporal import annotate, local_date
from smriti_es.recall.windows import question_window

_LABEL = re.compile(r" \[[0-9]{4}(?:-[0-9]{2}){0,2}(?:\.\.[0-9]{4}-[0-9]{2}-[0-9]{2})?\]")
_TABLE = Path(__file__).with_name("time_table.txt").read_text(encoding="utf-8")
_ROWS = [line.split(" | ") for line in _TABLE.splitlines() if line and not line.startswith("#")]
QUESTIONS = [tuple(row) for row in _ROWS if len(row) == 4]
MENTIONS = [tuple(row) for row in _ROWS if len(row) == 3]


def day_of(now: str, zone: str) -> date:
    return local_date(parse_instant(now).at, ZoneInfo(zone))


@pytest.mark.parametrize(("now", "zone", "window", "question"), QUESTIONS)
def test_a_question_points_at_the_days_that_it_names(
    now: str, zone: str, window: str, question: str
) -> None:
    found = question_window(question, day_of(now, zone))
    assert (found.label if found else "None") == window


@pytest.mark.parametrize(("now", "zone", "text"), MENTIONS)
def test_a_mention_means_what_it_meant_where_it_was_said(now: str, zone: str, text: str) -> None:
    said = _LABEL.sub("", text)
    assert annotate(said, day_of(now, zone), limit=99) == text


def test_every_row_is_whole_and_another_case() -> None:
    assert len(QUESTIONS) + len(MENTIONS) == len(_ROWS) == len({tuple(row) for row in _ROWS})
    assert len(_ROWS) >= 250
