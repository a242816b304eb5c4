"""Add up the amounts that statements name, since models cannot."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

_NUMBER = r"(?P<number>[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?)(?![0-9])"
_SCALE = r"(?:(?P<letter>[kmb])\b|\s?(?P<scale>thousand|million|billion)\b)?"
_SCALES = {
    **dict.fromkeys(("k", "thousand"), Decimal(1_000)),
    **dict.fromkeys(("m", "million"), Decimal(1_000_000)),
    **dict.fromkeys(("b", "billion"), Decimal(1_000_000_000)),
}
_MONEY = "$"
# In the order in which totals are given.
_WORDS = {
    _MONEY: ("dollars", "dollar", "usd"),
    "hours": ("hours", "hour", "hrs", "hr"),
    "minutes": ("minutes", "minute", "mins", "min"),
    "days": ("days", "day"),
    "weeks": ("weeks", "week"),
    "months": ("months", "month"),
    "years": ("years", "year"),
    "miles": ("miles", "mile"),
    "km": ("kilometers", "kilometer", "kilometres", "kilometre", "kms", "km"),
}
_UNIT_OF = {word: unit for unit, words in _WORDS.items() for word in words}
# Rates, ages and points in time are no amounts, and neither end of a range is one.
_NOT_AFTER = (
    r"(?!\s*(?:/|-\s?\$?[0-9]|\u2013|per\b|an?\b|each\b|apiece\b|every\b|ago\b|old\b|later\b|earlier\b"
    r"|from\s+now\b|of\s+age\b|(?:to|or)\s+\$?[0-9]))"
)
_NOT_BEFORE = re.compile(
    r"(?:[0-9]\s*(?:to|or)|\bbetween\s+\$?[0-9.,]+\s+and|\b(?:every|each|per)|[-\u2013])\s*$"
)
_BEFORE_LENGTH = 30
_BY_SIGN = re.compile(rf"(?<![\w$.,])(?:us)?\$\s?{_NUMBER}{_SCALE}{_NOT_AFTER}")
_BY_WORD = re.compile(
    rf"(?<![\w.,]){_NUMBER}{_SCALE}[\s-]?(?P<unit>{'|'.join(_UNIT_OF)})\b{_NOT_AFTER}"
)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its unit.

    Attributes:
        value: The number, exact.
        unit: `$`, hours, minutes, days, weeks, months, years, miles or km.
    """

    value: Decimal
    unit: str


def amounts_in(statement: str) -> list[Amount]:
    """Give the amounts that a sentence names in figures, in their order.

    A sum of money that stands both as "$5" and as "5 dollars" counts once. Ranges, rates ("$40 an
    hour"), ages and "3 days ago" are left out, and so are numbers in words.
    """
    text = statement.casefold()
    signed = [Amount(value, _MONEY) for value, _ in _matches(_BY_SIGN, text)]
    worded = [Amount(value, _UNIT_OF[word]) for value, word in _matches(_BY_WORD, text)]
    twice = Counter(signed) & Counter(worded)
    return signed + list((Counter(worded) - twice).elements())


def total_line(statements: Iterable[str]) -> str:
    """Add up the amounts of one unit over statements; a statement that stands twice counts once.

    Units are never mixed, and one with a single amount has no total.

    Returns:
        For example `Totals: $185 ($40 + $120 + $25); 12 hours (5 + 7).`, or "".
    """
    by_unit: dict[str, list[Decimal]] = {unit: [] for unit in _WORDS}
    for statement in dict.fromkeys(statements):
        for amount in amounts_in(statement):
            by_unit[amount.unit].append(amount.value)
    totals = [_total(unit, values) for unit, values in by_unit.items() if len(values) > 1]
    return f"Totals: {'; '.join(totals)}." if totals else ""


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[tuple[Decimal, str]]:
    for match in pattern.finditer(text):
        if _NOT_BEFORE.search(text, max(0, match.start() - _BEFORE_LENGTH), match.start()):
            continue
        scale = match["letter"] or match["scale"]
        value = Decimal(match["number"].replace(",", "")) * _SCALES.get(scale or "", Decimal(1))
        yield value, match.groupdict().get("unit", "")


def _total(unit: str, values: list[Decimal]) -> str:
    parts = " + ".join(_shown(value, unit) for value in values)
    total = _shown(sum(values, Decimal(0)), unit)
    return f"{total} ({parts})" if unit == _MONEY else f"{total} {unit} ({parts})"


def _shown(value: Decimal, unit: str) -> str:
    if unit == _MONEY:
        if value == value.to_integral_value():
            return f"${value:,.0f}"
        return f"${value:,.2f}" if value == round(value, 2) else f"${value:,f}"
    text = f"{value:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
