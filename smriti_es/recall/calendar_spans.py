"""Spans of whole days and the calendar arithmetic behind them.

Everything here is proleptic Gregorian and knows no clock: a date comes in, a span goes out.
Arithmetic that leaves the years 1 to 9999 raises `OverflowError` or `ValueError`, as `datetime`
does; whoever reads text catches both and treats the words as unresolved.
"""

from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

Granularity = Literal["day", "week", "month", "year", "span"]
Unit = Literal["day", "week", "weekend", "month", "quarter", "year"]
Part = Literal["early", "mid", "late"]

SATURDAY = 5
_SEASON_STARTS = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
_PARTS: tuple[Part, ...] = ("early", "mid", "late")


@dataclass(frozen=True, slots=True)
class Span:
    """A run of whole days, both ends included.

    Attributes:
        first: The first day.
        last: The last day, never before `first`.
        granularity: The period that was meant; `span` when it is none of the calendar's own.
    """

    first: date
    last: date
    granularity: Granularity

    def __post_init__(self) -> None:
        assert self.first <= self.last, (self.first, self.last)

    def __contains__(self, day: date) -> bool:
        return self.first <= day <= self.last

    @property
    def label(self) -> str:
        """Write the span as briefly as its days allow: a day, a month, a year, or `first..last`."""
        first, last = self.first, self.last
        if first == last:
            return first.isoformat()
        if first.day == 1 and first.year == last.year:
            if (last.month, last.day) == (first.month, _month_length(first)):
                return first.isoformat()[:7]
            if (first.month, last.month, last.day) == (1, 12, 31):
                return first.isoformat()[:4]
        return f"{first.isoformat()}..{last.isoformat()}"

    def overlaps(self, other: "Span") -> bool:
        """Tell whether the two share a day."""
        return self.first <= other.last and other.first <= self.last


# What comes back once a year, by the year in which it starts.
Yearly = Callable[[int], Span]


def day_of(day: date) -> Span:
    """Give the span of one day."""
    return Span(day, day, "day")


def week_of(day: date) -> Span:
    """Give the week, Monday to Sunday, that holds the day."""
    monday = day - timedelta(days=day.weekday())
    return Span(monday, monday + timedelta(days=6), "week")


def weekend_of(day: date) -> Span:
    """Give the Saturday and Sunday of the day's week; on a Sunday, the one in progress."""
    saturday = week_of(day).first + timedelta(days=SATURDAY)
    return Span(saturday, saturday + timedelta(days=1), "span")


def month_of(day: date) -> Span:
    """Give the calendar month that holds the day."""
    return Span(day.replace(day=1), day.replace(day=_month_length(day)), "month")


def quarter_of(day: date) -> Span:
    """Give the calendar quarter that holds the day."""
    start = date(day.year, (day.month - 1) // 3 * 3 + 1, 1)
    return Span(start, month_of(months_later(start, 2)).last, "span")


def year_of(year: int) -> Span:
    """Give the calendar year."""
    return Span(date(year, 1, 1), date(year, 12, 31), "year")


def months_later(day: date, count: int) -> date:
    """Move by calendar months; a day that the month does not have becomes its last.

    Args:
        day: Where to start.
        count: Whole months, negative for the past.
    """
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    start = date(year, month + 1, 1)
    return start.replace(day=min(day.day, _month_length(start)))


def period(unit: Unit, anchor: date, offset: int = 0) -> Span:
    """Give the unit that lies `offset` units from the anchor's own.

    Args:
        unit: The period; a weekend belongs to the Monday to Sunday week that it ends.
        anchor: Any day of the unit at offset 0.
        offset: Whole units, negative for the past.
    """
    if unit == "day":
        return day_of(anchor + timedelta(days=offset))
    if unit == "week":
        return week_of(anchor + timedelta(weeks=offset))
    if unit == "weekend":
        return weekend_of(anchor + timedelta(weeks=offset))
    if unit == "month":
        return month_of(months_later(anchor.replace(day=1), offset))
    if unit == "quarter":
        return quarter_of(months_later(anchor.replace(day=1), 3 * offset))
    return year_of(anchor.year + offset)


def weekday_before(weekday: int, anchor: date, count: int = 1) -> Span:
    """Give the `count`-th such weekday strictly before the anchor (Monday is 0)."""
    back = (anchor.weekday() - weekday - 1) % 7 + 1
    return day_of(anchor - timedelta(days=back + 7 * (count - 1)))


def weekday_after(weekday: int, anchor: date, count: int = 1) -> Span:
    """Give the `count`-th such weekday strictly after the anchor (Monday is 0)."""
    ahead = (weekday - anchor.weekday() - 1) % 7 + 1
    return day_of(anchor + timedelta(days=ahead + 7 * (count - 1)))


def season(name: str) -> Yearly:
    """Give the northern season's three whole months; winter starts in December of its year."""
    start_month = _SEASON_STARTS[name]

    def of_year(year: int) -> Span:
        start = date(year, start_month, 1)
        return Span(start, month_of(months_later(start, 2)).last, "span")

    return of_year


def named_month(month: int) -> Yearly:
    """Give that month of each year."""
    return lambda year: month_of(date(year, month, 1))


def yearly_before(yearly: Yearly, anchor: date, count: int = 1) -> Span:
    """Give the `count`-th latest occurrence that had ended before the anchor."""
    year = next(
        year for year in range(anchor.year, anchor.year - 3, -1) if yearly(year).last < anchor
    )
    return yearly(year - count + 1)


def yearly_after(yearly: Yearly, anchor: date, count: int = 1) -> Span:
    """Give the `count`-th occurrence that starts after the anchor."""
    year = anchor.year if yearly(anchor.year).first > anchor else anchor.year + 1
    return yearly(year + count - 1)


def yearly_around(yearly: Yearly, anchor: date) -> Span:
    """Give the occurrence that holds the anchor, else the one that starts in its year."""
    running = yearly(anchor.year - 1) if anchor.year > 1 else None
    return running if running and anchor in running else yearly(anchor.year)


def part_of(whole: Span, part: Part) -> Span:
    """Narrow to the early, middle or late third.

    A month is cut after its 10th and 20th day; a year, quarter or season by months; a week into the
    overlapping Monday to Wednesday, Wednesday to Friday, Friday to Sunday; a single day stays what
    it is.
    """
    third = _PARTS.index(part)
    days = (whole.last - whole.first).days + 1
    if days <= 2:
        return whole
    if days < 28:
        first = whole.first + timedelta(days=days * third // 3)
        return Span(first, whole.first + timedelta(days=-(-days * (third + 1) // 3) - 1), "span")
    if days <= 31:
        first = whole.first + timedelta(days=10 * third)
        return Span(first, whole.last if third == 2 else first + timedelta(days=9), "span")
    months = round(days / 30.44) // 3
    first = months_later(whole.first, months * third)
    return Span(first, month_of(months_later(first, months - 1)).last, "span")


def _month_length(day: date) -> int:
    return monthrange(day.year, day.month)[1]
