"""Words before a written date that pick a piece of it: "early", "the last week of"."""

import re
from collections.abc import Callable
from datetime import date, timedelta

from smriti_es.projections.lexical.calendar_names import WEEKDAYS
from smriti_es.recall.calendar_spans import (
    SATURDAY,
    Span,
    day_of,
    months_later,
    part_of,
    period,
    weekend_of,
)
from smriti_es.recall.calendar_words import NUMBER, WEEKDAY, number
from smriti_es.recall.relative_spans import named_part

_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3}
_ORDINALS |= {"fourth": 4, "4th": 4, "fifth": 5, "5th": 5, "last": -1}
_ORDINAL = "|".join(_ORDINALS)
_BESIDE = 60  # characters that can hold the words
_DAY = timedelta(days=1)

_NARROWING = re.compile(
    r"\b(?:the\s+)?(?:"
    r"(?P<part>early|mid|late|(?:beginning|start|middle|end)\s+of)(?:\s+in)?[\s-]+"
    r"|(?P<half>first|second)\s+half\s+of\s+"
    rf"|(?P<end>first|last)\s+(?P<count>few|couple\s+of|{NUMBER})\s+(?P<units>day|week|month)s\s+(?:of|in)\s+"
    rf"|(?P<which>{_ORDINAL})\s+(?P<unit>day|week|weekend|{WEEKDAY})\s+(?:of|in)\s+"
    r"|(?P<day>[0-9]{1,2})(?:st|nd|rd|th)(?:\s+day)?\s+of\s+"
    r"|(?P<around>week|weekend|eve)\s+of\s+"
    r")(?:the\s+)?$"
)


def narrowing(text: str, end: int) -> tuple[int, Callable[[Span], Span]] | None:
    """Read the narrowing words just before a date.

    Args:
        text: The text, folded.
        end: Where the date starts.

    Returns:
        Where the words start, and what they do to the span of the date (ValueError where it has no
        such piece); None when there are no such words.
    """
    match = _NARROWING.search(text, max(0, end - _BESIDE), end)
    if not match:
        return None
    return match.start(), lambda whole: _narrowed(whole, match)


def _narrowed(whole: Span, match: re.Match[str]) -> Span:
    if match["part"]:
        return part_of(whole, named_part(match["part"]))
    if match["half"]:
        return _half(whole, second=match["half"] == "second")
    if match["around"]:
        return _around(whole, match["around"])
    if match["end"]:
        return _at_the_end(whole, match)
    if match["day"]:
        return _day_of_month(whole, int(match["day"]))
    return _counted(whole, _ORDINALS[match["which"]], match["unit"])


def _counted(whole: Span, order: int, unit: str) -> Span:
    if unit == "day":
        return _day_inside(whole, order)
    if unit == "week":
        return _week_inside(whole, order)
    if unit == "weekend":
        return weekend_of(_weekday_inside(whole, SATURDAY, order).first)
    return _weekday_inside(whole, WEEKDAYS[unit], order)


def _half(whole: Span, *, second: bool) -> Span:
    days = (whole.last - whole.first).days + 1
    if days <= 31:
        middle = whole.first + timedelta(days=days // 2)
    else:
        middle = months_later(whole.first, round(days / 30.44) // 2)
    if second:
        return Span(middle, whole.last, "span")
    return Span(whole.first, max(whole.first, middle - _DAY), "span")


def _at_the_end(whole: Span, match: re.Match[str]) -> Span:
    words, beginning = match["count"], match["end"] == "first"
    count = 3 if words == "few" else 2 if "couple" in words else number(words)
    if match["units"] == "month":
        edge = months_later(
            whole.first if beginning else whole.last + _DAY, count * (1 if beginning else -1)
        )
    else:
        reach = count * (7 if match["units"] == "week" else 1) * _DAY
        edge = whole.first + reach if beginning else whole.last + _DAY - reach
    if beginning:
        return Span(whole.first, max(whole.first, min(whole.last, edge - _DAY)), "span")
    return Span(min(whole.last, max(whole.first, edge)), whole.last, "span")


def _day_of_month(whole: Span, day: int) -> Span:
    if whole.granularity != "month":
        raise ValueError(day)
    return day_of(whole.first.replace(day=day))


def _day_inside(whole: Span, order: int) -> Span:
    found = whole.last if order < 0 else whole.first + (order - 1) * _DAY
    if found not in whole:
        raise ValueError(order)
    return day_of(found)


def _around(whole: Span, unit: str) -> Span:
    if unit == "eve":
        return day_of(whole.first - _DAY)
    if whole.first != whole.last:
        return whole
    return period("week" if unit == "week" else "weekend", whole.first)


def _week_inside(whole: Span, order: int) -> Span:
    # The weeks of a month are counted from its first day, the last one from its end.
    if order < 0:
        return Span(max(whole.first, whole.last - 6 * _DAY), whole.last, "span")
    first = whole.first + 7 * (order - 1) * _DAY
    if first > whole.last:
        raise ValueError(order)
    return Span(first, min(whole.last, first + 6 * _DAY), "span")


def _weekday_inside(whole: Span, weekday: int, order: int) -> Span:
    if order < 0:
        found = _last_weekday(whole.last, weekday)
    else:
        found = whole.first + (weekday - whole.first.weekday()) % 7 * _DAY + 7 * (order - 1) * _DAY
    if found not in whole:
        raise ValueError(order)
    return day_of(found)


def _last_weekday(day: date, weekday: int) -> date:
    return day - (day.weekday() - weekday) % 7 * _DAY
