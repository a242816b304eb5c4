"""Points in time: the one place that parses, formats and compares them.

Inside, an instant is an integer count of microseconds since 1970-01-01T00:00:00Z. Text is read
once, at the edge; nothing ever compares time as text. Source: design page on time, "Two axes".
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Literal, get_args

from smriti_es.events.errors import InvalidInput

Precision = Literal["instant", "day", "week", "month", "year", "unknown"]
PRECISIONS: tuple[str, ...] = get_args(Precision)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# Headers hold integers below 2**53; this ends in the year 2255.
INSTANT_MAX = 2**53 - 1

_YEAR = re.compile(r"\d{4}")
_MONTH = re.compile(r"(\d{4})[-/](\d{1,2})")
_DAY = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})")
# 20230508, 2023-W19, 2023-W19-1: the other dates of ISO 8601.
_OTHER_DATE = re.compile(r"\d{8}|\d{4}-?W\d{2}(-?\d)?")


@dataclass(frozen=True, slots=True)
class Instant:
    """A point in time and how exactly it is known.

    Attributes:
        at: Microseconds since the epoch, UTC; the first instant of the period when the time is
            coarse.
        precision: The length of the period that is meant.
    """

    at: int
    precision: Precision = "instant"

    def end(self, zone: tzinfo = UTC) -> int:
        """Give the first microsecond after the period that is meant; `at` itself for an instant."""
        start = to_datetime(self.at, zone).replace(tzinfo=None)
        days = {"day": 1, "week": 7}.get(self.precision)
        if days is not None:
            following = start + timedelta(days=days)
        elif self.precision in {"month", "year"}:
            months = start.year * 12 + start.month - 1 + (1 if self.precision == "month" else 12)
            following = start.replace(year=months // 12, month=months % 12 + 1)
        else:
            return self.at
        return _micros(following.replace(tzinfo=zone))


def parse_instant(value: str | datetime | date | int | float, *, zone: tzinfo = UTC) -> Instant:
    """Read a time that a caller gave.

    Args:
        value: RFC 3339 or ISO 8601 text (also `2023-05-08`, `2023/05/08`, `2023-05`, `2023`), a
            datetime, a date, or seconds since the epoch.
        zone: Where a time without an offset was meant; never the zone of the process.

    Returns:
        The instant, with the precision of what was written.

    Raises:
        InvalidInput: The value is no time, or lies outside the years 1684 to 2255.
    """
    if isinstance(value, datetime):
        return Instant(_micros(value if value.tzinfo else value.replace(tzinfo=zone)))
    if isinstance(value, date):
        return Instant(_micros(_midnight(value.year, value.month, value.day, zone)), "day")
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise _unreadable(value)
    if isinstance(value, str):
        return _parse_text(value.strip(), zone)
    try:
        return Instant(_micros(_EPOCH + timedelta(seconds=value)))
    except InvalidInput:
        raise
    except (OverflowError, ValueError) as error:
        raise _unreadable(value) from error


def _parse_text(text: str, zone: tzinfo) -> Instant:
    try:
        if _YEAR.fullmatch(text):
            return Instant(_micros(_midnight(int(text), 1, 1, zone)), "year")
        if match := _MONTH.fullmatch(text):
            return Instant(_micros(_midnight(int(match[1]), int(match[2]), 1, zone)), "month")
        if match := _DAY.fullmatch(text):
            year, month, day = (int(part) for part in match.groups())
            return Instant(_micros(_midnight(year, month, day, zone)), "day")
        if match := _OTHER_DATE.fullmatch(text):
            first = date.fromisoformat(text)
            week = "W" in text and match[1] is None
            at = _micros(_midnight(first.year, first.month, first.day, zone))
            return Instant(at, "week" if week else "day")
        moment = datetime.fromisoformat(text.replace("/", "-", 2))
        return Instant(_micros(moment if moment.tzinfo else moment.replace(tzinfo=zone)))
    except InvalidInput:
        raise
    except (ValueError, OverflowError) as error:
        raise _unreadable(text) from error


def _midnight(year: int, month: int, day: int, zone: tzinfo) -> datetime:
    return datetime(year, month, day, tzinfo=zone)


def _micros(moment: datetime) -> int:
    micros = (moment - _EPOCH) // _MICROSECOND
    if abs(micros) > INSTANT_MAX:
        raise InvalidInput(
            f"{moment.date().isoformat()} lies outside the years 1684 to 2255",
            hint="Leave an end out that is not known; keep an older date in the text.",
        )
    return micros


def _unreadable(value: object) -> InvalidInput:
    shown = repr(value)
    return InvalidInput(
        f"not a time: {shown if len(shown) <= 80 else shown[:77] + '...'}",
        hint="Give RFC 3339 text such as 2026-06-02T10:00:00Z, a datetime, or seconds since 1970.",
    )


def to_datetime(at: int, zone: tzinfo = UTC) -> datetime:
    """Turn microseconds since the epoch into an aware datetime in `zone`."""
    return (_EPOCH + at * _MICROSECOND).astimezone(zone)


def format_instant(at: int) -> str:
    """Write an instant as fixed-width RFC 3339 text, for example `2026-06-02T10:00:00.000000Z`."""
    return to_datetime(at).strftime("%Y-%m-%dT%H:%M:%S.%f") + "Z"
