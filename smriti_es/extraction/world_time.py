"""When something held in the world, as a statement or a model gives it.

"2019", "March 2024", "last week" and "June 1st" become the first instant of the period that is
meant, with how long that period is. Everything counts from when it was said, in the speaker's zone,
never from the clock. Source: design page on time, "Two axes".
"""

import re
from dataclasses import dataclass
from datetime import date, timedelta, tzinfo
from typing import Literal

from smriti_es.events.errors import InvalidInput
from smriti_es.events.instants import Instant, Precision, parse_instant
from smriti_es.projections.lexical.calendar_names import WEEKDAYS
from smriti_es.recall.calendar_spans import Span, Yearly, weekday_after, weekday_before
from smriti_es.recall.calendar_words import FEAST, PART_OF_DAY, WEEKDAY, folded, yearly_of
from smriti_es.recall.temporal import local_date
from smriti_es.recall.windows import question_window
from smriti_es.recall.written_dates import written_dates

# Which one is meant of days that come back: the latest one so far, or the next one.
Prefer = Literal["past", "future"]

_LENGTH_MAX = 200  # characters; whatever is longer is a story, not a time
_DAY = timedelta(days=1)
_YEARS_AROUND = 8  # as far apart as two 29ths of February can be

# Nothing but digits and marks: either it is a time, or a slip that nobody should mend.
_NUMERIC = re.compile(r"[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}(?:[Tt ][0-9:.,+Zz-]*)?")
_COMPACT_DAY = re.compile(r"[0-9]{8}")
_ISO_WEEK = re.compile(r"[0-9]{4}-?w")
_OPENING = re.compile(r"(?:(?:ever\s+)?since|as\s+of|starting|beginning(?!\s+of))\b[\s,]*")
_LEADING = re.compile(
    r"(?:(?:from|in|on|at|during|around|about|circa|back|sometime|some\s+time|the(?:\s+year)?)\b"
    r"[\s,]*)+"
)
_TRAILING = re.compile(r"(?:\s+on(?:wards?)?|[\s.,;!])+$")
# These name an end or a bound, not when something began.
_ONE_SIDED = re.compile(
    r"(?:not\s+)?(?:before|until|till|after|by|prior\s+to|up\s+to|no\s+later|over|under)\b"
)
_NOW = re.compile(r"(?:(?:right|just)\s+)?now|at\s+(?:the\s+moment|present)|currently")
# Only these days are missing from some month.
_LATE_DAY = re.compile(r"(?<![0-9])(29|30|31)(?:st|th)?(?![0-9\w])")
_WEEKDAY = re.compile(rf"({WEEKDAY})(?:\s+{PART_OF_DAY})?")
_FEAST = re.compile(FEAST)


@dataclass(frozen=True, slots=True)
class WorldTime:
    """A time in the world, as exactly as it was given.

    Attributes:
        at: First instant of the period that is meant, microseconds since the epoch, UTC; None when
            the words could not be read.
        end: First microsecond after the period, `at` itself for an instant; None with `at`.
        precision: Length of the period, `unknown` when the words could not be read. A length that
            has no name of its own takes that of the next longer one: a season is a `year`.
        text: The words as they were given; None when there were none.
    """

    at: int | None
    end: int | None
    precision: Precision
    text: str | None


def read_world_time(
    text: str | None, *, said_at: int, zone: tzinfo, prefer: Prefer = "past"
) -> WorldTime:
    """Read when something held from the words that say so; never raises.

    Understood are RFC 3339 and ISO 8601, years, months, days, quarters, seasons and feasts in
    English, what is relative to the day of speaking ("last week", "three years ago"), weekdays, and
    two dates joined to a range. Bounds ("before 2019", "until June") and everything else stay
    unknown, with the words kept.

    Args:
        text: The words, or None.
        said_at: When they were said, microseconds since the epoch; what is relative counts from it.
        zone: Where they were said; decides which day it was, and holds for times without an offset.
        prefer: Which one is meant of what comes back, such as "June 1st" or "Friday": `past` the
            latest up to the day of speaking, `future` the next from it on.

    Returns:
        The time, with the words as they were given.
    """
    words = (text or "").strip()
    found: Instant | Span | None = None
    try:
        if len(words) <= _LENGTH_MAX:
            found = _read(words, said_at, zone, prefer)
        if isinstance(found, Span):
            at = parse_instant(found.first, zone=zone).at
            end = parse_instant(found.last + _DAY, zone=zone).at
            return WorldTime(at, end, _precision(found), text)
        if found is not None:
            return WorldTime(found.at, found.end(zone), found.precision, text)
    except (InvalidInput, ValueError, OverflowError):
        # There is no such day, or it lies off the calendar; both are words that could not be read.
        return WorldTime(None, None, "unknown", text)
    return WorldTime(None, None, "unknown", text if words else None)


def _read(words: str, said_at: int, zone: tzinfo, prefer: Prefer) -> Instant | Span | None:
    lowered = folded(words)
    if not _ISO_WEEK.match(lowered):
        try:
            numeric = parse_instant(words, zone=zone)
        except InvalidInput:
            if _NUMERIC.fullmatch(words):
                raise
        else:
            return Instant(numeric.at, "day") if _COMPACT_DAY.fullmatch(words) else numeric
    start = _end_of(_OPENING.match(lowered))
    core = _TRAILING.sub("", words[start:])
    lowered = folded(core)
    if _NOW.fullmatch(lowered):
        return Instant(said_at)
    if _ONE_SIDED.match(lowered):
        return None
    anchor = local_date(said_at, zone)
    # "In two weeks" needs its "in", "in May" does not.
    named = _named(core[_end_of(_LEADING.match(lowered)) :], anchor, prefer)
    return named or question_window(core, anchor)


def _end_of(match: re.Match[str] | None) -> int:
    return match.end() if match else 0


def _named(words: str, anchor: date, prefer: Prefer) -> Span | None:
    lowered = folded(words)
    if day := _WEEKDAY.fullmatch(lowered):
        nearest = weekday_before if prefer == "past" else weekday_after
        return nearest(WEEKDAYS[day[1]], anchor)
    if _FEAST.fullmatch(lowered):
        return _recurring(yearly_of(lowered), anchor, prefer)
    dates = written_dates(words)
    if len(dates) != 1:
        return None
    only = dates[0]
    if only.standing == "bare" and only.end - only.start != len(words):
        return None
    if only.year is None:
        return _recurring(only.yearly, anchor, prefer)
    span = only.span(None)
    return None if span is None else _existing(span, lowered)


def _existing(span: Span, words: str) -> Span:
    """Refuse June 31st: a question about it means the end of June, a statement a slip.

    Raises:
        ValueError: The month has no such day.
    """
    named = [int(day) for day in _LATE_DAY.findall(words)]
    if span.granularity in ("day", "span") and not {*named} <= {span.first.day, span.last.day}:
        raise ValueError(f"there is no day {named} in {span.first:%Y-%m}")
    return span


def _recurring(yearly: Yearly, anchor: date, prefer: Prefer) -> Span | None:
    step = -1 if prefer == "past" else 1
    # A winter of last year may still be running.
    years = range(anchor.year - min(step, 0) - 1, anchor.year + step * _YEARS_AROUND, step)
    for year in years:
        try:
            span = yearly(year)
        except (OverflowError, ValueError):  # 29 February in this year, or off the calendar
            continue
        if span.first <= anchor if prefer == "past" else span.last >= anchor:
            return span
    return None


def _precision(span: Span) -> Precision:
    if span.granularity != "span":
        return span.granularity
    days = (span.last - span.first).days + 1
    return "week" if days <= 7 else "month" if days <= 31 else "year"
