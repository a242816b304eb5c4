"""What a memory is founded with and keeps: its zone, and which predicates hold one value."""

from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from smriti_es.events.catalogue import LogOpened
from smriti_es.events.errors import IntegrityError, InvalidInput
from smriti_es.events.log import EventLog
from smriti_es.events.registry import Founding
from smriti_es.predicates import SHIPPED, UNRECORDED, SingleValued, checked_entries
from smriti_es.trust import TRUST_DEFAULT, profile_named
from smriti_es.version import __version__


@dataclass(frozen=True, slots=True)
class Founded:
    """What the first event of a log says.

    Attributes:
        timezone: IANA name of the zone of times without an offset, unless the caller names another.
        single: Which predicates hold one value at a time.
    """

    timezone: str
    single: SingleValued


def founding_with(
    timezone: str | None, single_valued: Sequence[str], trust: str | None
) -> Founding:
    """Say what a memory is founded with, should there be none yet.

    Args:
        timezone: IANA name of its zone; None: UTC.
        single_valued: Predicates that hold one value at a time, beside those shipped.
        trust: Its profile of trust; None: `personal`.

    Raises:
        InvalidInput: There is no such zone or profile, or one of them is no predicate.
    """
    registry = SingleValued.of([*SHIPPED, *checked_entries(single_valued)])
    zone = "UTC" if timezone is None else zone_named(timezone).key
    profile = profile_named(TRUST_DEFAULT if trust is None else trust).name
    return Founding(zone, f"smriti-es/{__version__}", registry.entries, profile)


def founded(log: EventLog, single_valued: Sequence[str]) -> Founded:
    """Read what a log was founded with.

    A log whose first event is damaged can still be opened, to verify it; what was recorded of it
    then counts for nothing.

    Args:
        log: The log.
        single_valued: Predicates that whoever opens it takes for single-valued.

    Raises:
        InvalidInput: One of them may have several values in this memory.
    """
    asked = checked_entries(single_valued)
    try:
        genesis = next(log.read(0, 1), None)
    except IntegrityError:
        genesis = None
    opened = None if genesis is None else genesis.event
    if not isinstance(opened, LogOpened):
        return Founded("UTC", SingleValued.of([*UNRECORDED, *asked]))
    recorded = opened.single_valued
    single = SingleValued.of(UNRECORDED if recorded is None else recorded)
    for entry in asked:
        if not single.covers(entry):
            raise InvalidInput(
                f"{entry} was not among the single-valued predicates when this memory was founded",
                hint="What a memory is founded with stays: leave it out, or found another memory.",
                field="single_valued",
            )
    return Founded(opened.timezone, single)


def zone_named(timezone: str) -> ZoneInfo:
    """Give the zone of an IANA name.

    Raises:
        InvalidInput: There is none.
    """
    try:
        return ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidInput(
            f"no time zone {timezone!r}", hint="Name one as in Europe/Berlin, or UTC."
        ) from error
