"""Erasures, holds and retention, for people."""

from typing import TYPE_CHECKING, Final

from rich.table import Table

from smriti_es.cli.screen import plain, shortened, table
from smriti_es.cli.shown_times import shown_time
from smriti_es.cli.trust_tables import ranges

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import tzinfo

    from smriti_es.holds import Hold
    from smriti_es.keeping_verbs import Erasure
    from smriti_es.retention import Retention

_POSITIONS_LENGTH: Final = 300
_SAID_LENGTH: Final = 160
_DAY_US: Final = 86_400_000_000


def erasure_table(erased: "Erasure") -> Table:
    """Make a table of what goes, and of what becomes of the facts before it."""
    shown = table("what", "how many", "positions", right=("how many",))
    rows = [
        *((what, getattr(erased.content, what)) for what in ("sessions", "turns", "facts", "ends")),
        (f"{erased.predecessor}s before", erased.predecessors),
        ("waits on", erased.waiting),
    ]
    for what, positions in rows:
        where = shortened(", ".join(ranges(positions)), _POSITIONS_LENGTH)
        shown.add_row(what, f"{len(positions):,}", where)
    shown.add_row("aliases", f"{erased.aliases:,}", "")
    shown.add_row("what repeats it", f"{erased.derived:,}", "")
    return shown


def places_table(places: "Mapping[str, str]") -> Table:
    """Make a table of where it was looked for, and what was found."""
    shown = table("place", "found")
    for place, found in places.items():
        shown.add_row(plain(place), plain(found))
    return shown


def holds_table(found: "Sequence[Hold]", zone: "tzinfo") -> Table:
    """Make a table of holds that are not released."""
    shown = table(
        *("position", "since", "what", "expires", "authority", "reason"),
        right=("position",),
        fixed=("since", "expires"),
    )
    for each in found:
        shown.add_row(
            str(each.position),
            shown_time(each.known, zone),
            plain(f"{each.kind} {each.name}".rstrip()),
            "-" if each.expires_at is None else shown_time(each.expires_at, zone),
            shortened(each.authority, _SAID_LENGTH),
            shortened(each.reason, _SAID_LENGTH),
        )
    return shown


def retention_table(found: "Sequence[Retention]") -> Table:
    """Make a table of what is kept for how long."""
    shown = table("space", "session", "kind", "days", right=("days",))
    for each in found:
        days = "forever" if each.keep_for < 0 else f"{each.keep_for / _DAY_US:,.6g}"
        shown.add_row(plain(each.space), plain(each.session or "-"), plain(each.kind or "-"), days)
    return shown
