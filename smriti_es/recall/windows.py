"""The days that a question asks about.

The window widens what recall looks at and lifts what was said or done in it; it never shuts
anything out. So a reading is only taken where the words carry it, and None is a good answer.
Source: design page on recall, "time window".
"""

import re
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise

from smriti_es.recall.calendar_spans import Span
from smriti_es.recall.calendar_words import folded, quantity, quantity_of
from smriti_es.recall.deictic import deictic_days, weekdays_apart
from smriti_es.recall.narrowing import narrowing
from smriti_es.recall.sides import Dated, between_sides, sided
from smriti_es.recall.temporal import Mention, mentions
from smriti_es.recall.tense import Tense, tense_of
from smriti_es.recall.written_dates import WrittenDate, written_dates

Match = re.Match[str]

_BESIDE = 60  # characters that can hold the words just before a date
_YEAR = timedelta(days=364)
_LONG_DAYS = 366
# The longest each can be: a window that is a day too long costs nothing.
_ROLLING_DAYS = {"day": 1, "week": 7, "fortnight": 14, "month": 31, "year": 366, "decade": 3660}
_ROLLING_UNIT = f"(?:hour|{'|'.join(_ROLLING_DAYS)})"
_ROLLING = re.compile(
    rf"\b(?:(?P<past>past|last|previous)|next|coming)\s+{quantity_of(_ROLLING_UNIT)}"
    r"|\bthe\s+(?:past|last)\s+(?P<one>week|fortnight|month|year|decade)\b(?!\s+of\b)"
)
_OPENING = re.compile(r"\b(?P<word>between|from)\s+(?:the\s+)?$")
_JOINTS = {
    "between": re.compile(r",?\s*(?:\band\b|\bto\b|-)\s*(?:the\s+)?"),
    "from": re.compile(
        r",?\s*(?:\bto\b|\buntil\b|\btill\b|\bthrough\b|\bup\s+to\b|-)\s*(?:the\s+)?"
    ),
    "": re.compile(r"\s*(?:\bto\b|\bthrough\b|-)\s*"),
}
_YEAR_AFTER = re.compile(r",?\s+(?:of\s+|in\s+)?")
_YEAR_BEFORE = re.compile(r",?\s+(?:in|on|at|over|during)\s+(?:the\s+)?")


def question_window(question: str, now: date | None) -> Span | None:
    """Read the days that a question asks about; the first reading that holds wins.

    In order: a range of dates; one written date, complete ones before a lone month, season or year;
    the last or next N units counted from `now`; a relative mention such as "last summer"; what the
    tense of the question places, such as "on Friday". "Before", "after", "since" and "until" open
    the window to one side, "the week before" and the like move it. A date without a year is the
    latest one, or the next one where the question looks ahead.

    Args:
        question: The question, in any language; English is read best.
        now: The asker's day; None when unknown, then only dates with a year are read.

    Returns:
        The window; None when the question names no time, or none that can be told.
    """
    return _Reading(question, now).window()


class _Reading:
    """A question and the dates found in it."""

    def __init__(self, question: str, now: date | None) -> None:
        self.lowered = folded(question)
        self.now = now
        self.tense = tense_of(self.lowered)
        self.mentions = mentions(question, now) if now else ()
        self.written = _with_years(self.lowered, written_dates(question), self.mentions)

    def window(self) -> Span | None:
        if window := self._written_range():
            return window
        certain = [self._dated(written) for written in self.written if written.standing != "bare"]
        relative = [*self._relative()]
        points = sorted(dated for dated in (*certain, *relative) if dated is not None)
        if window := self._range(points) or between_sides(self.lowered, points, self.now):
            return window
        dated = self._first(relative)
        return None if dated is None else sided(self.lowered, dated, self.now)

    def _first(self, relative: list[Dated]) -> Dated | None:
        """Give the date that the question is most surely about."""
        found = [
            dated
            for standing in ("explicit", "placed")
            for written in self.written
            if written.standing == standing and (dated := self._dated(written))
        ]
        # A decade rather tells what is meant than when: "the film of the 1980s I saw on Friday".
        short = [one for one in found if (one.span.last - one.span.first).days <= _LONG_DAYS]
        rolling = None if self.now is None else _rolling(self.lowered, self.now)
        ordered = (*short, rolling, *relative, *found)
        return next((dated for dated in ordered if dated is not None), None)

    def _dated(self, written: WrittenDate) -> Dated | None:
        span = written.span(self.now, ahead=self.tense is Tense.AHEAD)
        return None if span is None else Dated(written.start, written.end, span)

    def _relative(self) -> list[Dated]:
        """Give what is relative to the asker's day: mentions first, then what the tense places."""
        if self.now is None:
            return []
        found = [_narrowed(self.lowered, mention) for mention in self.mentions]
        taken = [(one.start, one.end) for one in self.mentions]
        taken += [(one.start, one.end) for one in self.written]
        found += [
            dated
            for dated in deictic_days(self.lowered, self.now, self.tense)
            if all(dated.end <= start or end <= dated.start for start, end in taken)
        ]
        return found

    def _written_range(self) -> Span | None:
        for one, other in pairwise(self.written):
            opening = self._opening(one.start)
            sure = opening or one.standing != "bare" or other.year is not None
            if sure and self._joined(opening, one.end, other.start):
                return self._from_to(one, other)
        return None

    def _range(self, points: list[Dated]) -> Span | None:
        for one, other in pairwise(points):
            opening = self._opening(one.start)
            if self._joined(opening, one.end, other.start):
                if one.span.last <= other.span.last and one.span.first <= other.span.first:
                    return Span(one.span.first, other.span.last, "span")
                return weekdays_apart(one, other)
        return None

    def _opening(self, start: int) -> str:
        match = _OPENING.search(self.lowered, max(0, start - _BESIDE), start)
        return match["word"] if match else ""

    def _joined(self, opening: str, end: int, start: int) -> bool:
        return bool(_JOINTS[opening].fullmatch(self.lowered[end:start]))

    def _from_to(self, one: WrittenDate, other: WrittenDate) -> Span | None:
        # A year written once holds for both ends, so the open end is read against the other one.
        ahead = self.tense is Tense.AHEAD
        first = one.span(self.now, ahead=ahead) if ahead or one.year is not None else None
        last = other.span(_later(first.first, _YEAR) if first else self.now)
        if first is None and last is not None:
            first = one.span(last.last)
        if first is None or last is None or last.last < first.first:
            return None
        return Span(first.first, last.last, "span")


def _with_years(
    lowered: str, dates: tuple[WrittenDate, ...], found: tuple[Mention, ...]
) -> tuple[WrittenDate, ...]:
    """Give dates the year that stands beside them: "March last year", "last year in March"."""
    years = [mention for mention in found if mention.span.granularity == "year"]
    if not years:
        return dates
    return tuple(_with_year(lowered, written, years) for written in dates)


def _with_year(lowered: str, written: WrittenDate, years: list[Mention]) -> WrittenDate:
    if written.year is not None:
        return written
    for year in years:
        after = _YEAR_AFTER.fullmatch(lowered[written.end : year.start])
        if after or _YEAR_BEFORE.fullmatch(lowered[year.end : written.start]):
            return replace(
                written,
                start=min(written.start, year.start),
                end=max(written.end, year.end),
                year=year.span.first.year,
                standing="explicit",
            )
    return written


def _narrowed(lowered: str, mention: Mention) -> Dated:
    """Give the days of a mention, or the piece of them that the words before it pick."""
    narrowed = narrowing(lowered, mention.start)
    if narrowed:
        try:
            return Dated(narrowed[0], mention.end, narrowed[1](mention.span))
        except (OverflowError, ValueError):  # no such piece: the whole of it is still right
            pass
    return Dated(mention.start, mention.end, mention.span)


def _rolling(lowered: str, now: date) -> Dated | None:
    match = _ROLLING.search(lowered)
    if not match:
        return None
    try:
        reach = _reach(match)
    except ValueError:  # no sensible count
        return None
    if match["one"] or match["past"]:
        span = Span(_later(now, -reach), now, "span")
    else:
        span = Span(now, _later(now, reach), "span")
    return Dated(match.start(), match.end(), span)


def _reach(match: Match) -> timedelta:
    count = 1 if match["one"] else quantity(match)[1]
    unit = match["one"] or match["unit"]
    if unit == "hour":
        return timedelta(days=-(-count // 24))
    return timedelta(days=count * _ROLLING_DAYS[unit])


def _later(day: date, by: timedelta) -> date:
    try:
        return day + by
    except OverflowError:
        return date.max if by > timedelta() else date.min
