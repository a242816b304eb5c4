"""Days that only the tense of a question places: "on Friday", "over the weekend".

In a turn such words are left alone, since nobody knows which Friday it was. A question shows by its
tense which one it means; where it does not, nothing is read. Source: design page on recall, "time
window".
"""

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import partial

from smriti_es.projections.lexical.calendar_names import WEEKDAYS
from smriti_es.recall.calendar_spans import (
    SATURDAY,
    Span,
    Unit,
    period,
    weekday_after,
    weekday_before,
)
from smriti_es.recall.calendar_words import FULL_WEEKDAY, PART_OF_DAY, WEEKDAY, unit_of
from smriti_es.recall.narrowing import narrowing
from smriti_es.recall.sides import Dated
from smriti_es.recall.tense import Tense

Match = re.Match[str]

# What stands before a weekday that is a day: "Did Friday find Robinson?" has none of them.
_BEFORE = (
    r"\b(?:on|since|until|till|before|after|by|from|to|and|through|between)\s+"
    r"(?:the\s+(?:morning|afternoon|evening|night)\s+of\s+)?"
)
_WEEKDAY = re.compile(
    rf"(?:{_BEFORE}(?P<led>{WEEKDAY})\b"
    rf"|\b(?P<part>{FULL_WEEKDAY})\s+{PART_OF_DAY}\b"
    rf"|\b(?P<joined>{FULL_WEEKDAY})(?=\s*(?:-|\bto\b|\bthrough\b)\s*{FULL_WEEKDAY}\b)"
    rf"|\b(?P<last>{FULL_WEEKDAY})(?=\s*(?:[?.!]|$)))(?!-|\s+(?:and|or)\s+\w+days\b)"
)
# "Every Friday", "a Friday" and "Friday the 13th" are no day that could be told.
_NOT_ONE = re.compile(r"\b(?:every|each|an?|any|most|some|other|first|second|third|last|next)\s+$")
_WEEKEND = re.compile(r"\b(?:on|over|at|during)\s+(?P<word>the\s+weekend)\b(?!\s+(?:of|before)\b)")
_REST = re.compile(
    r"\b(?P<word>(?:rest|remainder)\s+of\s+(?:the|this)\s+(?P<unit>week|month|quarter|year))\b"
)
_RUNNING = re.compile(
    r"\b(?P<word>the\s+(?P<unit>week|month|quarter|year))\b(?!\s+(?:of|before)\b)"
)
_DAY = timedelta(days=1)
_BESIDE = 20  # characters that can hold the word just before a weekday


def deictic_days(lowered: str, now: date, tense: Tense) -> list[Dated]:
    """Find the days that a question names by words that only its tense places.

    Args:
        lowered: The question, folded.
        now: The asker's day.
        tense: Where the question looks; where that is unknown, only "the rest of" is read.

    Returns:
        The days, in the order of the question.
    """
    found = [
        _dated(match, "word", lambda match: _rest(match, now)) for match in _REST.finditer(lowered)
    ]
    if tense is not Tense.UNKNOWN:
        found += _weekdays(lowered, now, tense)
        found += [
            _dated(match, "word", lambda _: _weekend(now, tense))
            for match in _WEEKEND.finditer(lowered)
        ]
        found += [_part(match, now, tense) for match in _RUNNING.finditer(lowered)]
    return sorted(dated for dated in found if dated is not None)


def weekdays_apart(one: Dated, other: Dated) -> Span | None:
    """Give the days from a weekday to another: the nearest such weekday that is not after it."""
    first, last = one.span.first, other.span.last
    if (last - first).days < 0:
        first -= 7 * _DAY
    return Span(first, last, "span") if 0 <= (last - first).days < 7 else None


def _dated(match: Match, group: str, resolve: Callable[[Match], Span | None]) -> Dated | None:
    try:
        span = resolve(match)
    except (OverflowError, ValueError):  # off the calendar, or the month has no such day
        return None
    return None if span is None else Dated(*match.span(group), span)


def _weekdays(lowered: str, now: date, tense: Tense) -> Iterator[Dated | None]:
    step = weekday_before if tense is Tense.BACK else weekday_after
    for match in _WEEKDAY.finditer(lowered):
        group = next(name for name in ("led", "part", "joined", "last") if match[name])
        start = match.start(group)
        if not _NOT_ONE.search(lowered, max(0, start - _BESIDE), start):
            yield _dated(match, group, partial(_stepped, step, WEEKDAYS[match[group]], now))


def _stepped(step: Callable[[int, date], Span], weekday: int, now: date, _match: Match) -> Span:
    return step(weekday, now)


def _unit(match: Match) -> Unit:
    unit = unit_of(match["unit"])
    assert unit is not None
    return unit[0]


def _rest(match: Match, now: date) -> Span:
    return Span(now, period(_unit(match), now).last, "span")


def _weekend(now: date, tense: Tense) -> Span:
    return period("weekend", now, -int(tense is Tense.BACK and now.weekday() < SATURDAY))


def _part(match: Match, now: date, tense: Tense) -> Dated | None:
    narrowed = narrowing(match.string, match.start("word"))
    if narrowed is None:
        return None
    dated = _dated(match, "word", lambda match: narrowed[1](period(_unit(match), now)))
    # "What did I do at the end of the month?" cannot mean days that are still to come.
    if dated is None or (dated.span.first > now if tense is Tense.BACK else dated.span.last < now):
        return None
    return dated._replace(start=narrowed[0])
