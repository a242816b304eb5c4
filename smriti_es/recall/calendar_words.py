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
# "A few" is three, give or take one; "a couple" is two, as its users insist; "several" is more.
_FEW = (2, 4)
_SEVERAL = (3, 7)

SEASONS = ("spring", "summer", "fall", "autumn", "winter")
# Feasts that fall on one day of the calendar wherever they are kept.
_FEASTS = {
    "new year's day": (1, 1),
    "groundhog day": (2, 2),
    "valentine's day": (2, 14),
    "valentine's": (2, 14),
    "international women's day": (3, 8),
    "pi day": (3, 14),
    "st patrick's day": (3, 17),
    "april fools' day": (4, 1),
    "april fool's day": (4, 1),
    "earth day": (4, 22),
    "may day": (5, 1),
    "cinco de mayo": (5, 5),
    "juneteenth": (6, 19),
    "canada day": (7, 1),
    "bastille day": (7, 14),
    "halloween": (10, 31),
    "all saints' day": (11, 1),
    "bonfire night": (11, 5),
    "christmas eve": (12, 24),
    "christmas day": (12, 25),
    "christmas": (12, 25),
    "boxing day": (12, 26),
    "new year's eve": (12, 31),
}
_FEAST_DAYS = {name.replace("'", ""): day for name, day in _FEASTS.items()}

FULL_WEEKDAY = one_of(*(names.split()[0] for names in WEEKDAY_NAMES))
WEEKDAY = one_of(*WEEKDAYS)
MONTH = one_of(*MONTHS)
SHORT_MONTH = one_of(*SHORT_MONTHS)
SEASON = one_of(*SEASONS)
FEAST = one_of(*_FEASTS).replace("st p", r"st\.? p").replace("'", "'?").replace(" ", r"\s+")
# First to thirty-first.
_UNITS_TH = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_TEENS_TH = (
    *("tenth", "eleventh", "twelfth", "thirteenth", "fourteenth"),
    *("fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"),
)
ORDINALS = {word: value for value, word in enumerate((*_UNITS_TH, *_TEENS_TH, "twentieth"), 1)}
ORDINALS |= {f"twenty-{word}": 20 + value for value, word in enumerate(_UNITS_TH, 1)}
ORDINALS |= {"thirtieth": 30, "thirty-first": 31}
ORDINAL = one_of(*ORDINALS).replace("-", r"[\s-]")
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
    "decade": ("year", 10),
}


_STRAIGHT = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u2010": "-", "\u2011": "-", "\u2013": "-"}
    | {chr(0xFF10 + digit): str(digit) for digit in range(10)}  # full width
)


def folded(text: str) -> str:
    """Lower the case and straighten apostrophes and dashes; offsets hold for the text as well."""
    # U+0130 is the only character whose lower case is two characters long.
    return text.replace("\u0130", "i").lower().translate(_STRAIGHT)


def number(words: str) -> int:
    """Read a number that `NUMBER` matched."""
    if words[0].isdigit():
        return int(words)
    return sum(_NUMBERS[word] for word in re.split(r"[\s-]", words))


def ordinal(words: str) -> int:
    """Read a day of the month that `ORDINAL` matched."""
    return ORDINALS["-".join(re.split(r"[\s-]", words))]


def quantity_of(unit: str) -> str:
    """Give a pattern for a count of some unit, with the groups low, high, unit and either.

    Args:
        unit: A pattern for the singular.
    """
    return (
        rf"(?P<low>(?:a\s+)?couple(?:\s+of)?|(?:a\s+)?few|several|{NUMBER})"
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
    if low == "several":
        return _SEVERAL
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
    month, day = _FEAST_DAYS[" ".join(name.replace("'", "").replace(".", "").split())]
    return lambda year: day_of(date(year, month, day))
