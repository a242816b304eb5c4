"""Question windows by example: what a question asked on Monday 2023-05-08 points at.

To add a row, write the window's label (or None), a bar, and the question.
"""

from datetime import date

import pytest

from smriti_es.recall.calendar_spans import Span
from smriti_es.recall.windows import question_window

NOW = date(2023, 5, 8)

WRITTEN = """
2023-05-03 | What did Maria eat on 2023-05-03?
2023-05-03 | What did Maria eat on 2023/5/3?
2023-05-03 | Who called on May 3, 2023?
2023-05-03 | Who called on the 3rd of May 2023?
2023-05-03 | Who called on 3 May, 2023?
2023-12-01 | Where was the picture of December 1,2023 taken?
2023-02-28 | What happened on February 30, 2023?
2022-09-05 | What did I buy on Sept. 5?
2023-03-05 | What did I do on March 5?
2022-12-24 | What did I do on December 24?
2020-02-29 | What did I do on February 29?
2023-05 | What did John host in May 2023?
2023-05 | What was I doing in 2023-05?
2022-06 | How many races were won by June 2022?
2023-10 | What setback came in Oct. 2023?
2019 | Where did we live in 2019?
2019 | What was the best trip of 2019?
2022-04-01..2022-06-30 | What were the figures of Q2 2022?
2022-10-01..2022-12-31 | What were the figures of the fourth quarter of 2022?
1990-01-01..1999-12-31 | Which bands were loved in the 1990s?
2023-05-08..2023-05-14 | What is planned for 2023-W19?
2021-06-01..2021-08-31 | What state did Joanna visit in summer 2021?
2021-06-01..2021-08-31 | Where were we in the summer of 2021?
2023-05-08..2023-05-14 | What happened in the week of May 8, 2023?
2022-09-01..2022-09-15 | Was the first half of September 2022 good?
2022-07-01..2022-12-31 | Was the second half of 2022 good?
2022-11-01..2022-11-10 | What was won in the beginning of November 2022?
2022-07-11..2022-07-20 | What did we do in mid-July?
2022-09-01..2022-12-31 | What did we do in late 2022?
2022-11-08..2022-11-14 | Where was Tim in the second week of November?
2023-03-25..2023-03-31 | What did I do in the last week of March?
2023-08-05..2023-08-06 | Where did he go during the first weekend of August 2023?
2022-12-30 | What happened on the last Friday of 2022?
None | What happened on the fifth Monday of February 2023?
None | Who won in 2023-13-45?
None | Did you try Cyberpunk 2077?
None | Were there over 2000 people?
"""

LONE_MONTHS = """
2023-03 | What happened in March?
2023-05 | Which spot did Joanna visit in May?
2022-06 | What happened in June?
2022-12 | What deal did John get back in December?
2022-06-01..2022-08-31 | What did we do over the summer?
2022-12-01..2023-02-28 | Did it snow during the winter?
None | May I ask what you may like?
None | What did April say to June?
None | Who gave me the gift from April?
None | Why did they march to the park?
None | When did Melanie go?
"""

RANGES = """
2023-03-01..2023-05-31 | What happened between March and May 2023?
2022-11-01..2023-02-28 | What happened between November and February 2023?
2023-03-01..2023-05-31 | Where was I from March to May?
2023-03-01..2023-05-31 | Where was I from March 2023 to May?
2023-08-11..2023-08-15 | Where was John between August 11 and August 15 2023?
2023-05-03..2023-05-05 | What happened between the 3rd and the 5th of May 2023?
2023-05-03..2023-05-05 | Who visited on May 3-5, 2023?
2019-01-01..2021-12-31 | What did we do between 2019 and 2021?
2023-02-01..2023-04-30 | What did I read February to April 2023?
"""

SIDES = """
2023-03-01..2023-05-08 | What have I read since March?
2021-01-01..2023-05-08 | What have I read since 2021?
2023-04-01..2023-05-08 | What have I read since last month?
2022-06-01..2023-05-08 | What did I do from June 2022 until now?
2023-03-01..2023-05-08 | What did I do from March onwards?
2023-05-04..2023-05-08 | What happened after May 3, 2023?
2023-05-08 | What happened after last weekend?
0001-01-01..2019-12-31 | Where did we live before 2020?
0001-01-01..2023-05-06 | What was open before yesterday?
0001-01-01..2023-03-31 | What was true until March 2023?
2023-07-27..2023-08-02 | What did John do the week before August 3, 2023?
2023-08-04..2023-08-10 | What did John do the week after August 3, 2023?
2023-02 | What did John do the month before March 2023?
2023-04 | What did John do the month after March 2023?
2022 | Where was John the year before 2023?
2024 | Where was John the year after 2023?
2023-08-02 | What did John do the day before August 3, 2023?
2023-07-24..2023-07-30 | Which puppy did she get two weeks before August 11, 2023?
2023-08-14 | What did she do three days after August 11, 2023?
2022-10-23 | What was shown on the Sunday before October 25, 2022?
2023-11-04 | What did they plan on the Saturday after October 28, 2023?
2023-09-30..2023-10-01 | What did she do over the weekend before 4th October, 2023?
2023-05-13..2023-05-14 | What did she do the weekend after May 8, 2023?
"""

FROM_NOW = """
2023-03-07..2023-05-08 | What did I read in the past two months?
2023-04-17..2023-05-08 | What did I read over the last 3 weeks?
2023-05-04..2023-05-08 | What did I read in the last few days?
2022-05-07..2023-05-08 | Who has visited him in the last year?
2023-05-01..2023-05-08 | Who visited him over the past week?
2023-05-08..2023-05-22 | What do I have in the next two weeks?
2023-05-06..2023-05-07 | What event did John volunteer at last weekend?
2022 | Where did John go last year?
2019 | Where did Caroline move from 4 years ago?
2022-12-25 | What did I get last Christmas?
2023-05-22..2023-05-28 | What am I doing in two weeks?
None | How much did I lose in two weeks?
None | How often do I run?
"""

TABLE = [
    (label, question)
    for block in (WRITTEN, LONE_MONTHS, RANGES, SIDES, FROM_NOW)
    for label, _, question in (line.partition(" | ") for line in block.strip().splitlines())
]


@pytest.mark.parametrize(("label", "question"), TABLE)
def test_question_window_is_what_the_question_names(label: str, question: str) -> None:
    window = question_window(question, NOW)
    assert (window.label if window else "None") == label


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("Who called on May 3, 2023?", "2023-05-03"),
        ("What happened in May 2023?", "2023-05"),
        ("What happened in 2019?", "2019"),
        ("What happened between March and May 2023?", "2023-03-01..2023-05-31"),
        ("What happened since May 2023?", "2023-05-01..9999-12-31"),
    ],
)
def test_dates_with_a_year_need_no_now(question: str, label: str) -> None:
    window = question_window(question, None)
    assert window is not None
    assert window.label == label


@pytest.mark.parametrize(
    "question",
    [
        "What happened in March?",
        "What happened on March 5?",
        "What happened last week?",
        "What happened in the past two months?",
        "What happened between March and May?",
    ],
)
def test_without_now_nothing_relative_is_guessed(question: str) -> None:
    assert question_window(question, None) is None


def test_a_complete_date_wins_over_a_lone_month_before_it() -> None:
    question = "What did she say in March about the party of 3 April 2023?"
    assert question_window(question, NOW) == Span(date(2023, 4, 3), date(2023, 4, 3), "day")


def test_a_date_wins_over_a_relative_mention_before_it() -> None:
    question = "What was said last week about 3 April 2023?"
    assert question_window(question, NOW) == Span(date(2023, 4, 3), date(2023, 4, 3), "day")


def test_past_months_count_thirty_one_days_each() -> None:
    window = question_window("What did I do in the past two months?", NOW)
    assert window is not None
    assert (window.last - window.first).days == 62


def test_since_a_date_in_the_future_covers_that_date() -> None:
    window = question_window("What is planned since June 2030?", NOW)
    assert window == Span(date(2030, 6, 1), date(2030, 6, 30), "span")


def test_a_range_written_backwards_is_no_range() -> None:
    window = question_window("What happened between May 2023 and March 2023?", NOW)
    assert window == Span(date(2023, 5, 1), date(2023, 5, 31), "month")


@pytest.mark.parametrize(
    ("question", "now"),
    [
        ("What happened before 0001-01-01?", date(1, 1, 1)),
        ("What happens after December 31, 9999?", date(9999, 12, 31)),
        ("What happened in the past 400 years?", date(1, 1, 1)),
        ("What happens in the next 400 years?", date(9999, 12, 31)),
        ("What happened the week before 1000-01-01?", date.min),
        ("What happened in the last 999 days?", NOW),
        ("What happened in December?", date(1, 1, 1)),
    ],
)
def test_windows_at_the_ends_of_the_calendar_stay_inside_it(question: str, now: date) -> None:
    window = question_window(question, now)
    assert window is None or date.min <= window.first <= window.last <= date.max
