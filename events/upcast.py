"""Bring an old payload to today's form, one version at a time.

Stored bytes never change. An upcaster is pure and total: payload members of version n in, members
of version n + 1 out. A type or version that this release does not know is refused, never skipped.
"""

from collections.abc import Callable, Mapping
from typing import Any

from smriti_es.events.catalogue import EVENT_TYPES, Event
from smriti_es.events.catalogue.event import build
from smriti_es.events.errors import SchemaNewer

Members = Mapping[str, Any]


def _as_they_are(members: Members) -> Members:
    """Take members over into a version that only has more of them, each with a default."""
    return members


# (type, version) -> members of that version to members of the next.
UPCASTERS: dict[tuple[str, int], Callable[[Members], Members]] = {
    ("LogOpened", 1): _as_they_are,
    ("FactRejected", 1): _as_they_are,
}


def is_known(kind: str, version: int) -> bool:
    """Tell whether this release can read that type and version."""
    return kind in EVENT_TYPES and 1 <= version <= EVENT_TYPES[kind].VERSION


def upcast(kind: str, version: int, members: Members, facets: Members) -> Event:
    """Read payload members and facets as the event they are today.

    Raises:
        SchemaNewer: The type or version comes from a later release.
        IntegrityError: The members do not have the form of that type.
    """
    if not is_known(kind, version):
        raise SchemaNewer(f"event type {kind} version {version} is not known to this release")
    for step in range(version, EVENT_TYPES[kind].VERSION):
        members = UPCASTERS[kind, step](members)
    return build(EVENT_TYPES[kind], members, facets)
