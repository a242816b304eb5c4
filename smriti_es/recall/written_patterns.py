"""The ways in which a date is written, each read as what comes back every year."""

import re
from collections.abc import Callable
from datetime import date
from typing import NamedTuple

from smriti_es.projections.lexical.calendar_names import MONTHS, SHORT_MONTHS
from smriti_es.projections.lexical.date_words import VERBS, is_month
from smriti_es.recall.calendar_spans import (
    Span,
    Yearly,
    month_of,
    named_month,
    quarter_of,
    season,
    week_of,
    year_of,
)
from smriti_es.recall.calendar_words import MONTH, SEASON, SHORT_MONTH

Match = re.Match[str]


class Written(NamedTuple):
    """One way of writing a date.

    Attributes:
        pattern: What to look for in folded text. The group `year`, where there is one, is the year;
            the group `loose` marks a lone month, season or year, which may be a name or a number.
        read: Gives the date in any year, from the match and the text as written; None for no date.
    """

    pattern: re.Pattern[str]
    read: Callable[[Match, str], Yearly | None]


_ANY_MONTH = rf"(?P<month>{MONTH}|{SHORT_MONTH}\b)\.?"
_YEAR_DIGITS = "(?P<year>[12][0-9]{3})"
_YEAR = f"{_YEAR_DIGITS}(?![0-9])"
_MAYBE_YEAR = rf"(?:,?\s*{_YEAR})?"
_DAY = "[0-9]{1,2}"
_TH = "(?:st|nd|rd|th)?"
_QUARTERS = ("first", "second", "third", "fourth")


def _month_number(name: str) -> int:
    return MONTHS.get(name) or SHORT_MONTHS[name]


def _read_day(match: Match, text: str) -> Yearly | None:
    since, until = sorted((int(match["day"]), int(match["other"] or match["day"])))
    if not 1 <= since <= until <= 31:
        return None
    if match["month"] in VERBS and not is_month(text, match.start("month"), match.end("month")):
        return None
    month = _month_number(match["month"])
    if match["year"]:
        return lambda year: _clamped_days(year, month, since, until)
    return lambda year: _days(date(year, month, since), date(year, month, until))


def _clamped_days(year: int, month: int, since: int, until: int) -> Span:
    # "31 June 2023" is somebody's slip for the 30th.
    length = month_of(date(year, month, 1)).last.day
    return _days(date(year, month, min(since, length)), date(year, month, min(until, length)))


def _days(first: date, last: date) -> Span:
    return Span(first, last, "day" if first == last else "span")


def _read_iso(match: Match, _text: str) -> Yearly | None:
    month, day = int(match["month"]), int(match["day"] or 1)
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    if match["day"]:
        return lambda year: _clamped_days(year, month, day, day)
    return named_month(month)


def _read_iso_week(match: Match, _text: str) -> Yearly | None:
    week = int(match["week"])
    return lambda year: week_of(date.fromisocalendar(year, week, 1))


def _read_month(match: Match, _text: str) -> Yearly | None:
    return named_month(_month_number(match["month"]))


def _read_loose_month(match: Match, _text: str) -> Yearly | None:
    return named_month(MONTHS[match["loose"]])


def _read_season(match: Match, _text: str) -> Yearly | None:
    return season(match["season"])


def _read_loose_season(match: Match, _text: str) -> Yearly | None:
    return season(match["loose"])


def _read_quarter(match: Match, _text: str) -> Yearly | None:
    number = int(match["number"]) if match["number"] else _QUARTERS.index(match["name"]) + 1
    return lambda year: quarter_of(date(year, 3 * number, 1))


def _read_decade(_match: Match, _text: str) -> Yearly | None:
    return lambda year: Span(date(year, 1, 1), date(year + 9, 12, 31), "span")


def _read_year(_match: Match, _text: str) -> Yearly | None:
    return year_of


def _written(pattern: str, read: Callable[[Match, str], Yearly | None]) -> Written:
    return Written(re.compile(pattern), read)


# In order: an earlier one owns its words.
PATTERNS = (
    _written(
        rf"(?<![\w-]){_YEAR_DIGITS}[-/](?P<month>{_DAY})(?:[-/](?P<day>{_DAY}))?(?![0-9])",
        _read_iso,
    ),
    _written(rf"\b{_YEAR_DIGITS}-?w(?P<week>{_DAY})\b", _read_iso_week),
    _written(
        rf"\b(?:(?P<other>{_DAY}){_TH}\s*(?:-|to|and|through)\s*(?:the\s+)?)?"
        rf"(?P<day>{_DAY}){_TH}(?:\s+of)?\s+{_ANY_MONTH}{_MAYBE_YEAR}(?!\w)",
        _read_day,
    ),
    _written(
        rf"\b{_ANY_MONTH}\s+(?:the\s+)?(?P<day>{_DAY}){_TH}"
        rf"(?:\s*(?:-|to|through)\s*(?:the\s+)?(?P<other>{_DAY}){_TH}(?!\s*[ap]m))?(?![\w:]){_MAYBE_YEAR}",
        _read_day,
    ),
    _written(rf"\b{_ANY_MONTH},?(?:\s+of)?\s+{_YEAR}", _read_month),
    _written(rf"\b(?P<season>{SEASON})(?:\s+of|,)?\s+{_YEAR}", _read_season),
    _written(
        rf"\b(?:q(?P<number>[1-4])|(?P<name>{'|'.join(_QUARTERS)})\s+quarter)(?:\s+of|,)?\s+{_YEAR}",
        _read_quarter,
    ),
    _written(r"\b(?P<year>(?:19|20)[0-9]0)'?s\b", _read_decade),
    _written(rf"\b(?P<loose>{MONTH})\b(?!\s+[0-9])", _read_loose_month),
    _written(rf"\b(?P<loose>{SEASON})\b", _read_loose_season),
    _written(r"\b(?P<loose>(?P<year>(?:19|20)[0-9]{2}))\b(?![-/][0-9]{1,2}\b)", _read_year),
)
