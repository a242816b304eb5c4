"""Words before a date that open it to one side, or move off it: "since", "the week before"."""

import re
from datetime import date, timedelta
from typing import NamedTuple

from smriti_es.recall.calendar_spans import SATURDAY, Span, months_later, period
from smriti_es.recall.calendar_words import WEEKDAY, quantity, quantity_of
from smriti_es.recall.relative_spans import back, forward

Match = re.Match[str]

_BESIDE = 60  # characters that can hold the words just before a date
_DAY = timedelta(days=1)
_STEP = f"day|night|week|weekend|month|year|{WEEKDAY}"
_SIDE = re.compile(
    rf"(?:\b(?:{quantity_of(_STEP)}|(?P<one>{_STEP}))\s+)?"
    r"\b(?P<side>before|prior\s+to|preceding|after|following|since|until|till|up\s+to|from)\s+(?:the\s+)?$"
)
_ONWARDS = re.compile(r"\s+(?:on(?:wards?)?|(?:to|until|till)\s+(?:now|today))\b")


class Dated(NamedTuple):
    """Words of a question and the days that they name.

    Attributes:
        start: Offset of the first character.
        end: Offset after the last character.
        span: The days.
    """

    start: int
    end: int
    span: Span


def sided(lowered: str, dated: Dated, now: date | None) -> Span:
    """Give the days that a date and the words before it name together.

    Args:
        lowered: The question, folded.
        dated: The date in it.
        now: The asker's day; None when unknown, then "since" is open to the end of the calendar.

    Returns:
        The days; those of the date itself where nothing before it opens or moves it, or where that
        would leave the calendar.
    """
    match = _SIDE.search(lowered, max(0, dated.start - _BESIDE), dated.start)
    if not match:
        return dated.span
    try:
        if match["side"] in ("before", "after", "from") and (match["one"] or match["unit"]):
            return _moved(match, dated.span)
        return _opened(match["side"], lowered, dated, now)
    except (OverflowError, ValueError):  # off the calendar, or no sensible count
        return dated.span


def between_sides(lowered: str, dates: list[Dated], now: date | None) -> Span | None:
    """Give the days between two dates that open towards each other: "after 2015, before 2020".

    Args:
        lowered: The question, folded.
        dates: The dates in it.
        now: The asker's day, or None.

    Returns:
        The days; None unless one date opens to each side and they leave days between them.
    """
    spans = [(dated, sided(lowered, dated, now)) for dated in dates]
    starts = [span.first for dated, span in spans if _opens_right(dated, span)]
    ends = [span.last for _, span in spans if span.first == date.min]
    if len(starts) == len(ends) == 1 and starts[0] <= ends[0]:
        return Span(starts[0], ends[0], "span")
    return None


def _opens_right(dated: Dated, span: Span) -> bool:
    return span.first >= dated.span.first and span.last > dated.span.last


def _moved(match: Match, span: Span) -> Span:
    before = match["side"] == "before"
    if match["unit"]:
        least, most = quantity(match)
        step = back if before else forward
        ends = [step(match["unit"], span.first if before else span.last, n) for n in (least, most)]
        return Span(
            min(end.first for end in ends), max(end.last for end in ends), ends[0].granularity
        )
    return (
        _just_before(match["one"], span.first) if before else _just_after(match["one"], span.last)
    )


def _just_before(unit: str, day: date) -> Span:
    if unit == "week":
        return Span(day - 7 * _DAY, day - _DAY, "span")
    if unit in ("month", "year"):
        return Span(months_later(day, -1 if unit == "month" else -12), day - _DAY, "span")
    return back(unit, day, 1)


def _just_after(unit: str, day: date) -> Span:
    if unit == "week":
        return Span(day + _DAY, day + 7 * _DAY, "span")
    if unit in ("month", "year"):
        return Span(
            day + _DAY, months_later(day + _DAY, 1 if unit == "month" else 12) - _DAY, "span"
        )
    if unit == "weekend":
        return period("weekend", day, int(day.weekday() >= SATURDAY))
    return forward(unit, day, 1)


def _opened(side: str, lowered: str, dated: Dated, now: date | None) -> Span:
    first, last = dated.span.first, dated.span.last
    if side == "since" or (side == "from" and _ONWARDS.match(lowered, dated.end)):
        return Span(first, max(now or date.max, last), "span")
    if side in ("after", "following"):
        return Span(last + _DAY, max(now or date.max, last + _DAY), "span")
    if side == "from":
        return dated.span
    if side in ("until", "till") or side.startswith("up"):
        return Span(date.min, last, "span")
    return Span(date.min, first - _DAY, "span")
