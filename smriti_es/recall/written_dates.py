"""Dates written out in a text: "3 May 2023", "March 5", "the last week of June", "in 2019".

A date without a year is kept as what comes back each year; whoever asks says against which day it
is to be read. Source: design page on recall, "time window".
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Literal

from smriti_es.recall.calendar_spans import Span, Yearly
from smriti_es.recall.calendar_words import folded
from smriti_es.recall.narrowing import narrowing
from smriti_es.recall.written_patterns import DECADES, PATTERNS, kinds_of

Match = re.Match[str]
# Explicit dates stand by themselves. A lone month, season or year is placed in time by a word such
# as "in"; without one it is bare, and may be a person ("April"), a verb or a number.
Standing = Literal["explicit", "placed", "bare"]

_PLACING = re.compile(
    r"\b(?:in|during|since|before|after|until|till|throughout|between)\s+(?:the\s+(?:year\s+)?)?$"
)
# "By June" and "of April" are about people as often as about months; "over 2000" is about a number.
_PLACING_YEAR = re.compile(r"\b(?:by|of|circa)\s+$")
_PLACING_NAME = re.compile(r"\b(?:over|around)\s+(?:the\s+)?$")
_PLACING_FEAST = re.compile(r"\b(?:on|at|over|around|by)\s+$")
# "At the Christmas party", "over the New Year's Eve menu": the feast says what kind it is.
_FEAST_ITSELF = re.compile(
    r"\s*(?:[^\w\s'-]|$|-\s)|\s+(?:last|this|next|two|three|an?|with|in|at|and|or|to|until|till|when"
    r"|because|for|from|since|through|morning|afternoon|evening|night)\b"
)
_FROM = re.compile(r"\bfrom\s+(?:the\s+)?$")
_ONWARDS = re.compile(r"\s*(?:\b(?:on|onwards?|to|until|till|through)\b|-)")
_BESIDE = 40  # characters that can hold the words just before a date
_YEARS_APART = 8  # as far apart as two 29ths of February can be


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A date as it stands in a text.

    Attributes:
        start: Offset of the first character, words such as "early" or "the last week of" included.
        end: Offset after the last character.
        year: The year, None when none is written.
        yearly: The date in any year.
        standing: How sure it is that this is a date.
    """

    start: int
    end: int
    year: int | None
    yearly: Yearly
    standing: Standing

    def span(self, now: date | None, *, ahead: bool = False) -> Span | None:
        """Resolve the date; without a year, to the latest one that starts no later than `now`.

        Args:
            now: The day from which a date without a year is looked for.
            ahead: Take the next one that has not ended by `now` instead.

        Returns:
            The span; None when the year is open and `now` is None, or when there is no such date.
        """
        if self.year is not None:
            return self._in(self.year)
        if now is None:
            return None
        if ahead:
            found = (self._in(year) for year in range(now.year - 1, now.year + _YEARS_APART + 1))
            return next((span for span in found if span and span.last >= now), None)
        found = (self._in(year) for year in range(now.year, now.year - _YEARS_APART - 1, -1))
        return next((span for span in found if span and span.first <= now), None)

    def _in(self, year: int) -> Span | None:
        try:
            return self.yearly(year)
        except (OverflowError, ValueError):  # off the calendar, or 29 February in this year
            return None


def written_dates(text: str) -> tuple[WrittenDate, ...]:
    """Find the dates written in a text, from left to right, never overlapping."""
    lowered = folded(text)
    owned = bytearray(len(lowered))
    found: list[WrittenDate] = []
    kinds = kinds_of(lowered)
    for needs, pattern, read in PATTERNS:
        if not needs <= kinds:
            continue
        for match in pattern.finditer(lowered):
            start, end = match.span()
            if not any(owned[start:end]) and (yearly := read(match, text)):
                owned[start:end] = b"\1" * (end - start)
                found.append(_found(match, yearly))
    return tuple(sorted(found, key=lambda written: written.start))


def _found(match: Match, yearly: Yearly) -> WrittenDate:
    groups = match.groupdict()
    narrowed = narrowing(match.string, match.start())
    standing: Standing = "explicit"
    if "bare" in groups:
        standing = "bare"
    elif "loose" in groups:
        standing = "placed" if narrowed or _is_placed(match) else "bare"
    elif groups.get("feast") and not groups.get("year") and not groups.get("short"):
        standing = "placed" if _is_placed_feast(match) else "bare"
    return WrittenDate(
        start=narrowed[0] if narrowed else match.start(),
        end=match.end(),
        year=_year(groups),
        yearly=_piece_of(yearly, narrowed[1]) if narrowed else yearly,
        standing=standing,
    )


def _year(groups: dict[str, str | None]) -> int | None:
    if year := groups.get("year"):
        return int(year)
    if short := groups.get("short"):  # as POSIX reads two digits
        return int(short) + (2000 if short < "69" else 1900)
    if decade := groups.get("decade") or groups.get("tens"):
        return DECADES[decade]
    return None


def _piece_of(yearly: Yearly, narrow: Callable[[Span], Span]) -> Yearly:
    return lambda year: narrow(yearly(year))


def _is_placed_feast(match: Match) -> bool:
    left = match.string[max(0, match.start() - _BESIDE) : match.start()]
    placed = _PLACING.search(left) or _PLACING_FEAST.search(left) or _FROM.search(left)
    return bool(placed and _FEAST_ITSELF.match(match.string, match.end()))


def _is_placed(match: Match) -> bool:
    left = match.string[max(0, match.start() - _BESIDE) : match.start()]
    if _FROM.search(left):
        return bool(_ONWARDS.match(match.string, match.end()))
    also = _PLACING_YEAR if match["loose"].isdigit() else _PLACING_NAME
    return bool(_PLACING.search(left) or also.search(left))
