"""Patterns for the English words of the calendar: counts, units, weekdays, seasons, feasts.

The patterns are fragments for text that `folded` gave; only `quantity_of` adds groups.
"""

import re
from datetime import date

from smriti_es.projections.lexical.calendar_names import (
    MONTHS,
    SHORT_MONTHS,
    WEEKDAY_NAMES,
    WEEKDAYS,
    one_of,
)
from smriti_es.recall.calendar_spans import Unit, Yearly, day_of, named_month, season

_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen"),
    *("fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMBERS = {"a": 1, "an": 1}
_NUMBERS |= {word: value for value, word in enumerate(_ONES + _TEENS, 1)}
_NUMBERS |= {word: 10 * value for value, word in enumerate(_TENS, 2)}
_COUNT_MAX = 400
# "A few" is three, give or take one; "a couple" is two, as its users insist.
_FEW = (2, 4)

SEASONS = ("spring", "summer", "fall", "autumn", "winter")
_FEASTS = {
    "new years day": (1, 1),
    "valentines day": (2, 14),
    "valentines": (2, 14),
    "halloween": (10, 31),
    "christmas eve": (12, 24),
    "christmas day": (12, 25),
    "christmas": (12, 25),
    "new years eve": (12, 31),
}

FULL_WEEKDAY = one_of(*(names.split()[0] for names in WEEKDAY_NAMES))
WEEKDAY = one_of(*WEEKDAYS)
MONTH = one_of(*MONTHS)
SHORT_MONTH = one_of(*SHORT_MONTHS)
SEASON = one_of(*SEASONS)
FEAST = one_of(*_FEASTS).replace("years", "year'?s").replace("nes", "ne'?s").replace(" ", r"\s+")
NUMBER = (
    rf"(?:[0-9]{{1,3}}|{one_of(*_TENS)}(?:[\s-]{one_of(*_ONES)})?|{one_of(*_ONES, *_TEENS)}|an?)"
)
PART_OF_DAY = "(?:morning|afternoon|evening|night)"

_UNITS: dict[str, tuple[Unit, int]] = {
    "day": ("day", 1),
    "night": ("day", 1),
    "morning": ("day", 1),
    "evening": ("day", 1),
    "week": ("week", 1),
    "fortnight": ("week", 2),
    "weekend": ("weekend", 1),
    "month": ("month", 1),
    "quarter": ("quarter", 1),
    "year": ("year", 1),
}


def folded(text: str) -> str:
    """Lower the case and straighten apostrophes and dashes; offsets hold for the text as well."""
    # U+0130 is the only character whose lower case is two characters long.
    return text.replace("\u0130", "i").lower().replace("\u2019", "'").replace("\u2013", "-")


def number(words: str) -> int:
    """Read a number that `NUMBER` matched."""
    if words[0].isdigit():
        return int(words)
    return sum(_NUMBERS[word] for word in re.split(r"[\s-]", words))


def quantity_of(unit: str) -> str:
    """Give a pattern for a count of some unit, with the groups low, high, unit and either.

    Args:
        unit: A pattern for the singular.
    """
    return (
        rf"(?P<low>(?:a\s+)?couple(?:\s+of)?|(?:a\s+)?few|{NUMBER})"
        rf"(?:\s*(?:-|\bor\b|\bto\b)\s*(?P<high>{NUMBER}))?"
        rf"\s+(?P<unit>{unit})s?\b(?P<either>\s+or\s+(?:two|so)\b)?"
    )


def quantity(match: re.Match[str]) -> tuple[int, int]:
    """Read the least and the greatest count that a `quantity_of` match allows.

    Raises:
        ValueError: The count is 0 or above 400: hardly a way of dating something.
    """
    low, high, either = match["low"], match["high"], match["either"]
    if "few" in low:
        return _FEW
    least = 2 if "couple" in low else number(low)
    most = number(high) if high else least
    if either and either.endswith("two"):
        most = 2
    least, most = min(least, most), max(least, most)
    if not 1 <= least <= most <= _COUNT_MAX:
        raise ValueError(match[0])
    return least, most


def unit_of(word: str) -> tuple[Unit, int] | None:
    """Give the calendar unit that a word names, and how many; None for a weekday or a season."""
    return _UNITS.get(word)


def yearly_of(name: str) -> Yearly:
    """Give what comes back each year under the name of a season, month or feast."""
    if name in SEASONS:
        return season(name)
    if name in MONTHS:
        return named_month(MONTHS[name])
    month, day = _FEASTS[" ".join(name.replace("'", "").split())]
    return lambda year: day_of(date(year, month, day))
