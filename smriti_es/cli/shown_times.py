"""Times as people read them, no more exactly than they are known."""

from datetime import tzinfo
from typing import Final

from smriti_es.events.instants import to_datetime

_FORMATS: Final = {
    "instant": "%Y-%m-%d %H:%M",
    "day": "%Y-%m-%d",
    "week": "week of %Y-%m-%d",
    "month": "%Y-%m",
    "year": "%Y",
}


def shown_time(at: int | None, zone: tzinfo, precision: str = "instant") -> str:
    """Write a time.

    Args:
        at: Microseconds since the epoch; None gives a dash.
        zone: Where it is read.
        precision: How exactly it is known. Of one that nobody said it is told when it was recorded.
    """
    if at is None:
        return "-"
    moment = to_datetime(at, zone)
    if precision == "unknown":
        return f"{moment:%Y-%m-%d %H:%M} (recorded)"
    return moment.strftime(_FORMATS[precision])


def shown_day(at: int | None, zone: tzinfo, precision: str = "day") -> str:
    """Write the day of a time, or less where less is known; None gives nothing."""
    if at is None:
        return ""
    form = _FORMATS[precision if precision in ("week", "month", "year") else "day"]
    return to_datetime(at, zone).strftime(form)
