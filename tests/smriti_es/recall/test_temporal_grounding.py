"""What must hold of words that date something; all else is in time_table.txt."""

from datetime import UTC, date
from zoneinfo import ZoneInfo

import pytest

from smriti_es.events.instants import parse_instant
from smriti_es.recall.temporal import annotate, local_date, mentions
from smriti_es.recall.windows import question_window

MONDAY = date(2023, 5, 8)


def label(question: str, now: date | None = MONDAY) -> str:
    window = question_window(question, now)
    return window.label if window else "None"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("yesterday", "2023-05-07"),
        ("last weekend", "2023-05-06..2023-05-07"),
        ("last Friday", "2023-05-05"),
        ("3 days ago", "2023-05-05"),
        ("two weeks ago", "2023-04-24..2023-04-30"),
        ("a couple of months ago", "2023-03"),
        ("next month", "2023-06"),
        ("the day before yesterday", "2023-05-06"),
        ("last year", "2022"),
    ],
)
def test_relative_words_count_from_the_day_they_were_said(words: str, meant: str) -> None:
    assert annotate(f"It was {words}.", MONDAY) == f"It was {words} [{meant}]."


@pytest.mark.parametrize("text", ["on Friday", "recently", "in 2019"])
def test_what_is_ambiguous_or_absolute_gets_no_label(text: str) -> None:
    assert annotate(text, MONDAY) == text


def test_mentions_inside_one_another_are_one() -> None:
    text = "the day before yesterday"
    assert [(found.start, found.end) for found in mentions(text, MONDAY)] == [(0, len(text))]


def test_last_weekend_said_on_a_saturday_is_the_one_before() -> None:
    assert annotate("last weekend", date(2023, 5, 6)) == "last weekend [2023-04-29..2023-04-30]"


@pytest.mark.parametrize(
    ("question", "now", "window"),
    [
        ("What did we do last weekend?", MONDAY, "2023-05-06..2023-05-07"),
        ("What happened in March?", MONDAY, "2023-03"),
        ("Who came on 2023-03-04?", MONDAY, "2023-03-04"),
        ("Who came in March 2022?", None, "2022-03"),
        ("What did I read in the past two months?", MONDAY, "2023-03-07..2023-05-08"),
        ("When did she go?", MONDAY, "None"),
    ],
)
def test_a_question_has_the_window_of_its_words(
    question: str, now: date | None, window: str
) -> None:
    assert label(question, now) == window


@pytest.mark.parametrize(
    "text", ["In two weeks I lost 5 kg.", "twice in a month", "I learnt it in 3 days"]
)
def test_a_duration_is_no_time_to_come(text: str) -> None:
    assert annotate(text, MONDAY) == text


def test_earlier_this_week_runs_from_monday_to_the_day_it_is_said() -> None:
    wednesday = date(2023, 5, 10)
    assert annotate("earlier this week", wednesday) == (
        "earlier this week [2023-05-08..2023-05-10]"
    )


@pytest.mark.parametrize(
    ("question", "window"),
    [
        ("What have I read since March?", "2023-03-01..2023-05-08"),
        ("Where did I live in 2019?", "2019"),
        ("Who called on March 5?", "2023-03-05"),
    ],
)
def test_since_bare_years_and_days_without_a_year_are_windows(question: str, window: str) -> None:
    assert label(question) == window


@pytest.mark.parametrize(
    ("words", "meant"),
    [("half a year ago", "2022-11"), ("a few days ago", "2023-05-04..2023-05-06")],
)
def test_half_a_year_and_a_few_days_are_no_longer_than_they_are(words: str, meant: str) -> None:
    assert annotate(words, MONDAY) == f"{words} [{meant}]"


@pytest.mark.parametrize("day", [date(2023, 5, 6), date(2023, 5, 7)])
def test_the_forms_of_a_weekend_agree_on_a_saturday_and_a_sunday(day: date) -> None:
    before, running, after = (
        annotate(words, day)[len(words) :]
        for words in ("last weekend", "this weekend", "next weekend")
    )
    assert before == annotate("one weekend ago", day)[len("one weekend ago") :]
    assert (before, running, after) == (
        " [2023-04-29..2023-04-30]",
        " [2023-05-06..2023-05-07]",
        " [2023-05-13..2023-05-14]",
    )


@pytest.mark.parametrize(
    ("words", "day", "meant"),
    [
        ("a month from today", date(2023, 1, 31), "2023-02-28"),
        ("a month from today", date(2024, 1, 31), "2024-02-29"),
        ("a year ago today", date(2024, 2, 29), "2023-02-28"),
        ("half a year ago", date(2023, 8, 31), "2023-02"),
        ("yesterday", date(2024, 3, 1), "2024-02-29"),
    ],
)
def test_leap_days_and_the_ends_of_months_give_the_last_day_there_is(
    words: str, day: date, meant: str
) -> None:
    assert annotate(words, day) == f"{words} [{meant}]"


def test_the_zone_decides_which_day_a_word_counts_from() -> None:
    said = parse_instant("2023-05-08T20:00:00Z").at
    kolkata = ZoneInfo("Asia/Kolkata")
    assert annotate("yesterday", local_date(said, UTC)) == "yesterday [2023-05-07]"
    assert annotate("yesterday", local_date(said, kolkata)) == "yesterday [2023-05-08]"
