"""The days that a question asks about.

The window widens what recall looks at and lifts what was said or done in it; it never shuts
anything out. So a reading is only taken where the words carry it, and None is a good answer.
Source: design page on recall, "time window".
"""

import re
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from smriti_es.recall.calendar_spans import SATURDAY, Span, months_later, period
from smriti_es.recall.calendar_words import WEEKDAY, folded, quantity, quantity_of
from smriti_es.recall.relative_spans import back, forward
from smriti_es.recall.temporal import mentions
from smriti_es.recall.written_dates import WrittenDate, written_dates

Match = re.Match[str]

_BESIDE = 60  # characters that can hold the words just before a date
_DAY = timedelta(days=1)
_YEAR = timedelta(days=364)
# The longest each can be: a window that is a day too long costs nothing.
_ROLLING_DAYS = {"day": 1, "week": 7, "month": 31, "year": 366}
_ROLLING = re.compile(
    rf"\b(?:(?P<past>past|last|previous)|next|coming)\s+{quantity_of('(?:day|week|month|year)')}"
    r"|\bthe\s+(?:past|last)\s+(?P<one>week|month|year)\b(?!\s+of\b)"
)
_OPENING = re.compile(r"\b(?P<word>between|from)\s+(?:the\s+)?$")
_JOINTS = {
    "between": re.compile(r",?\s*(?:\band\b|\bto\b|-)\s*(?:the\s+)?"),
    "from": re.compile(
        r",?\s*(?:\bto\b|\buntil\b|\btill\b|\bthrough\b|\bup\s+to\b|-)\s*(?:the\s+)?"
    ),
    "": re.compile(r"\s*(?:\bto\b|\bthrough\b|-)\s*"),
}
_STEP = f"day|night|week|weekend|month|year|{WEEKDAY}"
_SIDE = re.compile(
    rf"(?:\b(?:{quantity_of(_STEP)}|(?P<one>{_STEP}))\s+)?"
    r"\b(?P<side>before|prior\s+to|preceding|after|following|since|until|till|up\s+to|from)\s+(?:the\s+)?$"
)
_ONWARDS = re.compile(r"\s+(?:on(?:wards?)?|(?:to|until|till)\s+(?:now|today))\b")


class _Dated(NamedTuple):
    """Words of the question and the days they name."""

    start: int
    end: int
    span: Span


def question_window(question: str, now: date | None) -> Span | None:
    """Read the days that a question asks about; the first reading that holds wins.

    In order: a range of written dates; one written date, complete ones before a lone month, season
    or year; the last or next N units counted from `now`; a relative mention such as "last summer".
    "Before", "after", "since" and "until" open the window to one side, "the week before" and the
    like move it.

    Args:
        question: The question, in English.
        now: The asker's day; None when unknown, then only dates with a year are read.

    Returns:
        The window; None when the question names no time, or none that can be told.
    """
    lowered = folded(question)
    dates = written_dates(question)
    window = _range(lowered, dates, now)
    if window is None and (dated := _first_dated(question, dates, now)):
        window = _sided(lowered, dated, now)
    return window


def _first_dated(question: str, dates: tuple[WrittenDate, ...], now: date | None) -> _Dated | None:
    for standing in ("explicit", "placed"):
        for written in dates:
            if written.standing == standing and (span := written.span(now)):
                return _Dated(written.start, written.end, span)
    if now is None:
        return None
    if rolling := _rolling(folded(question), now):
        return rolling
    return next(
        (_Dated(found.start, found.end, found.span) for found in mentions(question, now)), None
    )


def _range(lowered: str, dates: tuple[WrittenDate, ...], now: date | None) -> Span | None:
    for one, other in pairwise(dates):
        opening = _OPENING.search(lowered, max(0, one.start - _BESIDE), one.start)
        joint = _JOINTS[opening["word"] if opening else ""]
        sure = opening or one.standing != "bare" or other.year is not None
        if sure and joint.fullmatch(lowered[one.end : other.start]):
            return _from_to(one, other, now)
    return None


def _from_to(one: WrittenDate, other: WrittenDate, now: date | None) -> Span | None:
    # A year written once holds for both ends, so the open end is read against the other one.
    first = one.span(now) if one.year is not None else None
    last = other.span(_later(first.first, _YEAR) if first else now)
    if first is None and last is not None:
        first = one.span(last.last)
    if first is None or last is None or last.last < first.first:
        return None
    return Span(first.first, last.last, "span")


def _rolling(lowered: str, now: date) -> _Dated | None:
    match = _ROLLING.search(lowered)
    if not match:
        return None
    try:
        count = 1 if match["one"] else quantity(match)[1]
    except ValueError:  # no sensible count
        return None
    reach = timedelta(days=count * _ROLLING_DAYS[match["one"] or match["unit"]])
    if match["one"] or match["past"]:
        span = Span(_later(now, -reach), now, "span")
    else:
        span = Span(now, _later(now, reach), "span")
    return _Dated(match.start(), match.end(), span)


def _sided(lowered: str, dated: _Dated, now: date | None) -> Span:
    match = _SIDE.search(lowered, max(0, dated.start - _BESIDE), dated.start)
    if not match:
        return dated.span
    try:
        if match["side"] in ("before", "after", "from") and (match["one"] or match["unit"]):
            return _moved(match, dated.span)
        return _opened(match["side"], lowered, dated, now)
    except (OverflowError, ValueError):  # off the calendar, or no sensible count
        return dated.span


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


def _opened(side: str, lowered: str, dated: _Dated, now: date | None) -> Span:
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


def _later(day: date, by: timedelta) -> date:
    try:
        return day + by
    except OverflowError:
        return date.max if by > timedelta() else date.min
