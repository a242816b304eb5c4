"""Span arithmetic: labels, month ends, leap days, and what comes back each week or year."""

from datetime import date, timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.recall.calendar_spans import (
    Part,
    Span,
    Unit,
    day_of,
    month_of,
    months_later,
    named_month,
    part_of,
    period,
    quarter_of,
    season,
    week_of,
    weekday_after,
    weekday_before,
    weekend_of,
    year_of,
    yearly_after,
    yearly_around,
    yearly_before,
)

MONDAY = date(2023, 5, 8)
inner_days = st.dates(min_value=date(10, 1, 1), max_value=date(9990, 12, 31))
weekdays = st.integers(min_value=0, max_value=6)


@pytest.mark.parametrize(
    ("span", "label"),
    [
        (day_of(MONDAY), "2023-05-08"),
        (week_of(MONDAY), "2023-05-08..2023-05-14"),
        (month_of(MONDAY), "2023-05"),
        (year_of(2023), "2023"),
        (Span(date(2023, 5, 1), date(2023, 5, 31), "span"), "2023-05"),
        (Span(date(2023, 1, 1), date(2023, 12, 31), "span"), "2023"),
        (Span(date(2023, 5, 1), date(2023, 5, 1), "span"), "2023-05-01"),
        (Span(date(2023, 2, 1), date(2023, 3, 31), "span"), "2023-02-01..2023-03-31"),
        (Span(date(2022, 1, 1), date(2023, 12, 31), "span"), "2022-01-01..2023-12-31"),
        (year_of(7), "0007"),
        (month_of(date.max), "9999-12"),
    ],
)
def test_label_is_as_brief_as_the_days_allow(span: Span, label: str) -> None:
    assert span.label == label


def test_span_holds_both_of_its_ends_and_no_more() -> None:
    week = week_of(MONDAY)
    assert [date(2023, 5, day) in week for day in (7, 8, 14, 15)] == [False, True, True, False]


def test_spans_overlap_when_they_share_one_day() -> None:
    assert week_of(MONDAY).overlaps(day_of(date(2023, 5, 14)))
    assert not week_of(MONDAY).overlaps(day_of(date(2023, 5, 15)))


@pytest.mark.parametrize(
    ("day", "count", "expected"),
    [
        (date(2023, 5, 31), -3, date(2023, 2, 28)),
        (date(2024, 5, 31), -3, date(2024, 2, 29)),
        (date(2024, 2, 29), 12, date(2025, 2, 28)),
        (date(2023, 1, 15), -1, date(2022, 12, 15)),
        (date(2023, 12, 15), 1, date(2024, 1, 15)),
    ],
)
def test_months_later_clamps_to_the_month_end(day: date, count: int, expected: date) -> None:
    assert months_later(day, count) == expected


@given(inner_days, st.integers(min_value=-100, max_value=100))
def test_months_later_moves_exactly_so_many_months(day: date, count: int) -> None:
    moved = months_later(day, count)
    assert moved.year * 12 + moved.month == day.year * 12 + day.month + count


def test_quarter_holds_three_whole_months() -> None:
    assert quarter_of(date(2023, 11, 30)) == Span(date(2023, 10, 1), date(2023, 12, 31), "span")


@given(inner_days)
def test_weekend_lies_in_the_week_of_its_day(day: date) -> None:
    weekend = weekend_of(day)
    assert (weekend.first.weekday(), weekend.last.weekday()) == (5, 6)
    assert weekend.last == week_of(day).last


@given(inner_days, weekdays)
def test_weekday_before_is_the_latest_strictly_before(day: date, weekday: int) -> None:
    found = weekday_before(weekday, day).first
    assert found.weekday() == weekday
    assert timedelta(1) <= day - found <= timedelta(7)


@given(inner_days, weekdays)
def test_weekday_after_is_the_earliest_strictly_after(day: date, weekday: int) -> None:
    found = weekday_after(weekday, day).first
    assert found.weekday() == weekday
    assert timedelta(1) <= found - day <= timedelta(7)


@given(inner_days, st.sampled_from(["spring", "summer", "fall", "autumn", "winter"]))
def test_last_and_next_season_lie_on_their_sides_with_no_other_between(
    day: date, name: str
) -> None:
    before, after = yearly_before(season(name), day), yearly_after(season(name), day)
    assert before.last < day < after.first
    between = after.first.year - before.first.year
    assert between == (2 if day in yearly_around(season(name), day) else 1)


def test_month_around_its_own_days_is_the_running_one() -> None:
    assert yearly_around(named_month(5), MONDAY).label == "2023-05"
    assert yearly_before(named_month(5), MONDAY).label == "2022-05"
    assert yearly_after(named_month(5), MONDAY).label == "2024-05"


@pytest.mark.parametrize("unit", get_args(Unit))
def test_a_unit_starts_after_the_one_before_has_ended(unit: Unit) -> None:
    spans = [period(unit, MONDAY, offset) for offset in (-1, 0, 1)]
    assert spans[0].last < spans[1].first <= spans[1].last < spans[2].first


@pytest.mark.parametrize(
    ("whole", "part", "label"),
    [
        (month_of(MONDAY), "early", "2023-05-01..2023-05-10"),
        (month_of(MONDAY), "mid", "2023-05-11..2023-05-20"),
        (month_of(MONDAY), "late", "2023-05-21..2023-05-31"),
        (month_of(date(2023, 2, 1)), "late", "2023-02-21..2023-02-28"),
        (year_of(2023), "early", "2023-01-01..2023-04-30"),
        (year_of(2023), "mid", "2023-05-01..2023-08-31"),
        (year_of(2023), "late", "2023-09-01..2023-12-31"),
        (season("summer")(2023), "mid", "2023-07"),
        (week_of(MONDAY), "early", "2023-05-08..2023-05-10"),
        (week_of(MONDAY), "mid", "2023-05-10..2023-05-12"),
        (week_of(MONDAY), "late", "2023-05-12..2023-05-14"),
        (day_of(MONDAY), "late", "2023-05-08"),
        (weekend_of(MONDAY), "early", "2023-05-13..2023-05-14"),
    ],
)
def test_part_is_a_third_of_the_whole(whole: Span, part: Part, label: str) -> None:
    assert part_of(whole, part).label == label
