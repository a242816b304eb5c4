"""The ways in which a date is written, each read as what comes back every year."""

import re
from collections.abc import Callable
from datetime import date
from typing import NamedTuple

from smriti_es.projections.lexical.calendar_names import MONTHS, SHORT_MONTHS, one_of
from smriti_es.projections.lexical.date_words import VERBS, is_month
from smriti_es.recall.calendar_spans import (
    Span,
    Yearly,
    day_of,
    month_of,
    named_month,
    quarter_of,
    season,
    week_of,
    year_of,
)
from smriti_es.recall.calendar_words import (
    FEAST,
    MONTH,
    ORDINAL,
    ORDINALS,
    SEASON,
    SEASONS,
    SHORT_MONTH,
    ordinal,
    yearly_of,
)
from smriti_es.recall.elsewhere import month_names

Match = re.Match[str]


class Written(NamedTuple):
    """One way of writing a date.

    Attributes:
        needs: Kinds of words, as in `kinds_of`; a text without one of them cannot hold the date.
        pattern: What to look for in folded text. The group `year`, where there is one, is the year,
            `short` its last two digits, `decade` a name in `DECADES`; the group `loose` marks a
            lone month, season or year, which may be a name or a number, `feast` a feast, and `bare`
            what is no date without a year beside it.
        read: Gives the date in any year, from the match and the text as written; None for no date.
    """

    needs: frozenset[str]
    pattern: re.Pattern[str]
    read: Callable[[Match, str], Yearly | None]


_ANY_MONTH = rf"(?P<month>{MONTH}|{SHORT_MONTH}\b)\.?"
_YEAR_DIGITS = "(?P<year>[12][0-9]{3})"
_YEAR = f"(?:{_YEAR_DIGITS}(?![0-9])|'(?P<short>[0-9]{{2}})(?![\\w.]))"
_MAYBE_YEAR = rf"(?:,?\s*{_YEAR})?"
_DAY = "[0-9]{1,2}"
_TH = "(?:st|nd|rd|th)?"
_MONTHS_ELSEWHERE = month_names()
_NAME_ELSEWHERE = rf"(?P<elsewhere>{one_of(*_MONTHS_ELSEWHERE)})(?!\w)"
_ALSO_ENGLISH = frozenset(("mars", "mart"))
_LED_ELSEWHERE = re.compile(r"\b(?:im|en|em|in|nel|a|в|w|au\s+mois\s+de)\s+$")
_LED = re.compile(r"\b(?:on|since|until|till|before|after|by|from|of)\s+$")
_BESIDE = 20  # characters that can hold the word just before a date
_QUARTERS = ("first", "second", "third", "fourth")
_DECADE_WORDS = ("fifties", "sixties", "seventies", "eighties", "nineties")
DECADES = {word: 1950 + 10 * place for place, word in enumerate(_DECADE_WORDS)}
DECADES |= {str(year - 1900): year for year in DECADES.values()}
_IN_THE = r"(?:(?<=\bthe\s)|(?<=\bearly\s)|(?<=\blate\s)|(?<=\bmid[\s-]))"
_MARKED_DAY = rf"(?P<one>{_DAY})(?P<mark>[./-])(?P<two>{_DAY})(?P=mark)"
# What makes digits and marks part of a longer number, a version or a path.
_NOT_IN_NUMBER = r"(?<![\w.,/:+-])(?<!version\s)(?<!release\s)"


# "The fall of Rome" is no season, "the fall of last year" is.
_OF_SOMETHING = re.compile(r"\s+of\b(?!\s+(?:last|this|next|the\s+(?:year|same)|[12][0-9]{3})\b)")


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


def _read_marked(match: Match, _text: str) -> Yearly | None:
    """Read 13/4/2023 and 4/13/2023, but not 3/4/2023, which is two days in two countries."""
    one, two = int(match["one"]), int(match["two"])
    if match["mark"] == "." or one > 12 or one == two:
        day, month = one, two
    elif two > 12:
        month, day = one, two
    else:
        return None
    if not (1 <= day <= 31 and 1 <= month <= 12):
        return None
    return lambda year: _clamped_days(year, month, day, day)


def _read_iso_week(match: Match, _text: str) -> Yearly | None:
    week, weekday = int(match["week"]), match.groupdict().get("weekday")
    if weekday:
        return lambda year: day_of(date.fromisocalendar(year, week, int(weekday)))
    return lambda year: week_of(date.fromisocalendar(year, week, 1))


def _read_ordinal(match: Match, text: str) -> Yearly | None:
    left = match.string[max(0, match.start() - _BESIDE) : match.start()]
    if match.groupdict().get("the", "") is None and not _LED.search(left):
        return None  # "what June second told April"
    if match["month"] in VERBS and not is_month(text, match.start("month"), match.end("month")):
        return None
    month, day = _month_number(match["month"]), ordinal(match["ordinal"])
    return lambda year: day_of(date(year, month, day))


def _read_day_elsewhere(match: Match, _text: str) -> Yearly | None:
    name, day = match["elsewhere"], int(match["day"])
    left = match.string[max(0, match.start() - _BESIDE) : match.start()]
    if not 1 <= day <= 31 or (
        name in _ALSO_ENGLISH and not (match["year"] or left.endswith(" le "))
    ):
        return None
    month = _MONTHS_ELSEWHERE[name]
    return lambda year: day_of(date(year, month, day))


def _read_month_elsewhere(match: Match, _text: str) -> Yearly | None:
    name = match["elsewhere"]
    if name in _ALSO_ENGLISH or not match.groupdict().get("year"):
        left = match.string[max(0, match.start() - _BESIDE) : match.start()]
        led = _LED_ELSEWHERE.search(left)
        if not led or (name in _ALSO_ENGLISH and led[0].strip() in ("a", "in")):
            return None
    return named_month(_MONTHS_ELSEWHERE[name])


def _read_cjk(match: Match, _text: str) -> Yearly | None:
    month, day = match["month"], match["day"]
    if (month and not 1 <= int(month) <= 12) or (day and not 1 <= int(day) <= 31):
        return None
    if day:
        return lambda year: day_of(date(year, int(month), int(day)))
    return named_month(int(month)) if month else year_of


def _read_feast(match: Match, _text: str) -> Yearly | None:
    return yearly_of(match["feast"])


def _read_month(match: Match, _text: str) -> Yearly | None:
    return named_month(_month_number(match["month"]))


def _read_loose_month(match: Match, _text: str) -> Yearly | None:
    return named_month(MONTHS[match["loose"]])


def _read_season(match: Match, _text: str) -> Yearly | None:
    return season(match["season"])


def _read_loose_season(match: Match, _text: str) -> Yearly | None:
    if _OF_SOMETHING.match(match.string, match.end()):
        return None
    return season(match["loose"])


def _read_quarter(match: Match, _text: str) -> Yearly | None:
    named = match.groupdict()
    number = int(named["number"]) if named.get("number") else _QUARTERS.index(named["name"]) + 1
    return lambda year: quarter_of(date(year, 3 * number, 1))


def _read_decade(_match: Match, _text: str) -> Yearly | None:
    return lambda year: Span(date(year, 1, 1), date(year + 9, 12, 31), "span")


def _read_half(match: Match, _text: str) -> Yearly | None:
    first = 1 if match["half"] == "1" else 7
    return lambda year: Span(date(year, first, 1), month_of(date(year, first + 5, 1)).last, "span")


def _read_year(_match: Match, _text: str) -> Yearly | None:
    return year_of


def kinds_of(lowered: str) -> frozenset[str]:
    """Tell of which kinds a folded text holds words at all; most texts hold none."""
    words = set(_WORD.findall(lowered))
    found = {kind for kind, names in _KINDS.items() if not names.isdisjoint(words)}
    if _DIGIT.search(lowered):
        found.add("digit")
    if not lowered.isascii() and _CJK_UNIT.search(lowered):
        found.add("cjk")
    return frozenset(found)


_WORD = re.compile(r"[^\W\d_]+")
_CJK_UNIT = re.compile("[年月년월]")
_DIGIT = re.compile("[0-9]")
_KINDS = {
    "month": {*MONTHS, *SHORT_MONTHS},
    "season": set(SEASONS),
    # The last word of each; an apostrophe may part the last letter from it.
    "feast": {"day", "night", "eve", "mayo", "christmas", "halloween", "juneteenth"}
    | {"valentine", "valentines"},
    "ordinal": {word.split("-")[-1] for word in ORDINALS},
    "quarter": {"quarter"},
    "decade": set(_DECADE_WORDS),
    "elsewhere": set(_MONTHS_ELSEWHERE),
}


def _written(needs: str, pattern: str, read: Callable[[Match, str], Yearly | None]) -> Written:
    return Written(frozenset(needs.split()), re.compile(pattern), read)


# In order: an earlier one owns its words.
PATTERNS = (
    _written(
        "digit",
        rf"(?<![\w/-]){_YEAR_DIGITS}[-/](?P<month>{_DAY})(?:[-/](?P<day>{_DAY}))?(?![0-9])",
        _read_iso,
    ),
    _written(
        "digit",
        rf"\b{_YEAR_DIGITS}-?w(?P<week>{_DAY})(?:-(?P<weekday>[1-7]))?\b(?!-)",
        _read_iso_week,
    ),
    _written(
        "digit",
        rf"\b(?:(?:calendar|iso)\s+)?week\s+(?P<week>{_DAY})(?:\s+(?:of|in)|,)?\s+{_YEAR}",
        _read_iso_week,
    ),
    _written("digit", rf"\b(?:(?:calendar|iso)\s+week|cw)\s*(?P<week>{_DAY})\b", _read_iso_week),
    _written(
        "digit", rf"{_NOT_IN_NUMBER}{_MARKED_DAY}{_YEAR_DIGITS}(?![\w/-]|\.[0-9])", _read_marked
    ),
    _written(
        "digit",
        rf"{_NOT_IN_NUMBER}(?P<one>{_DAY})(?P<mark>/)(?P<two>{_DAY})/(?P<short>[0-9]{{2}})(?![\w/-]|\.[0-9])",
        _read_marked,
    ),
    _written(
        "digit month",
        rf"\b(?:(?P<other>{_DAY}){_TH}\s*(?:-|to|and|through)\s*(?:the\s+)?)?"
        rf"(?P<day>{_DAY}){_TH}(?:\s+of)?\s+{_ANY_MONTH}{_MAYBE_YEAR}(?!\w)",
        _read_day,
    ),
    _written(
        "digit month",
        rf"\b{_ANY_MONTH}\s+(?:the\s+)?(?P<day>{_DAY}){_TH}"
        rf"(?:\s*(?:-|to|through)\s*(?:the\s+)?(?P<other>{_DAY}){_TH}(?!\s*[ap]m))?(?![\w:]){_MAYBE_YEAR}",
        _read_day,
    ),
    _written(
        "elsewhere digit",
        rf"\b(?P<day>{_DAY})(?:\.|er|º|ª|°)?\s+(?:de\s+)?{_NAME_ELSEWHERE}"
        rf"(?:,?\s+(?:del?\s+)?{_YEAR})?",
        _read_day_elsewhere,
    ),
    _written(
        "elsewhere digit",
        rf"\b{_NAME_ELSEWHERE}\s+(?:del?\s+)?{_YEAR}",
        _read_month_elsewhere,
    ),
    _written("elsewhere", rf"\b{_NAME_ELSEWHERE}(?!\s+[0-9])", _read_month_elsewhere),
    _written(
        "cjk digit",
        rf"(?<![0-9.,]){_YEAR_DIGITS}\s*[年년](?:\s*(?P<month>{_DAY})\s*[月월]"
        rf"(?:\s*(?P<day>{_DAY})\s*[日号號일])?)?",
        _read_cjk,
    ),
    _written(
        "cjk digit",
        rf"(?<![0-9.,])(?P<month>{_DAY})\s*[月월]\s*(?P<day>{_DAY})\s*[日号號일]",
        _read_cjk,
    ),
    _written("feast digit", rf"\b(?P<feast>{FEAST})(?:,|\s+(?:of|in))?\s+{_YEAR}", _read_feast),
    _written("feast", rf"\b(?P<feast>{FEAST})(?!\w)", _read_feast),
    _written(
        "ordinal month",
        rf"\b(?P<ordinal>{ORDINAL})(?:\s+day)?\s+of\s+{_ANY_MONTH}{_MAYBE_YEAR}(?!\w)",
        _read_ordinal,
    ),
    _written(
        "ordinal month",
        rf"\b{_ANY_MONTH}\s+(?P<the>the\s+)?(?P<ordinal>{ORDINAL})\b{_MAYBE_YEAR}(?!\w)",
        _read_ordinal,
    ),
    _written("digit month", rf"\b{_ANY_MONTH},?(?:\s+of)?\s+{_YEAR}", _read_month),
    _written("season digit", rf"\b(?P<season>{SEASON})(?:\s+of|,)?\s+{_YEAR}", _read_season),
    _written(
        "digit",
        rf"\b(?:q(?P<number>[1-4])|(?P<name>{'|'.join(_QUARTERS)})\s+quarter)(?:\s+of|,)?\s+{_YEAR}",
        _read_quarter,
    ),
    _written("digit", rf"\bh(?P<half>[12])(?:\s+of|,)?\s+{_YEAR}", _read_half),
    _written("digit", r"\b(?P<loose>q(?P<number>[1-4]))\b(?!\s*[:.)][\s\w])", _read_quarter),
    _written("quarter", rf"\b(?P<bare>(?P<name>{'|'.join(_QUARTERS)})\s+quarter)\b", _read_quarter),
    _written("digit", r"\b(?P<year>(?:19|20)[0-9]0)'?s\b", _read_decade),
    _written("decade", rf"{_IN_THE}(?P<decade>{'|'.join(_DECADE_WORDS)})\b", _read_decade),
    _written(
        "digit",
        rf"{_IN_THE}'?(?P<tens>[5-9]0)'?s\b(?!\s*(?:degrees|fahrenheit|%))",
        _read_decade,
    ),
    _written("month", rf"\b(?P<loose>{MONTH})\b(?!\s+[0-9])", _read_loose_month),
    _written("season", rf"\b(?P<loose>{SEASON})\b", _read_loose_season),
    _written(
        "digit", r"\b(?P<loose>(?P<year>(?:19|20)[0-9]{2}))\b(?![-/][0-9]{1,2}\b)", _read_year
    ),
)
