"""Events about how long content is kept: erasure, legal holds, retention, values not to come back.

None of them repeats what it is about: names stand in payloads, which can be erased in their turn,
and what must not come back is kept as an HMAC under the tenant's key.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """Payloads and their keys were deleted for good; their headers stay, and the chain holds.

    Appending it is what deletes them: the log does so in the same transaction.

    Attributes:
        ranges: Positions whose payload is gone, `[first, last]` each, ascending.
        part_of: Position of the `Erased` that this one continues; -1 when it stands by itself.
        predecessor: `lapse`: facts that an erased one had replaced ended, nobody knows when.
            `reopen`: what was erased was never true, so they go on.
        predecessors: Those facts, as ranges; with `lapse` also proposals that would have moved an
            erased one, which wait on.
        named: What kind of thing was named: turn, session, fact, entity, origin, space, before, or
            retention.
        reason: Why.
        turns: Of erased turns what recognises them when they are sent again, as HMACs.
        values: HMACs of erased values that must not be extracted again.
    """

    TYPE: ClassVar[str] = "Erased"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("ranges", "part_of", "predecessor", "predecessors")

    ranges: Sequence[Sequence[int]]
    part_of: int
    predecessor: str
    predecessors: Sequence[Sequence[int]] = ()
    named: str = ""
    reason: str = ""
    turns: Sequence[Mapping[str, Any]] = ()
    values: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureCompleted:
    """What had been erased was scrubbed from every file of the store, as far as they are in reach.

    Attributes:
        erased: Position of the `Erased`.
        verified: 1 when every file was searched for the content and it was found in none of them; 0
            when nothing was left to search with, as after a crash.
        places: What was found where: `clean`, `scrubbed`, `present` or `not reachable`, by place.
    """

    TYPE: ClassVar[str] = "ErasureCompleted"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("erased", "verified")

    erased: int
    verified: int
    places: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldPlaced:
    """Something must be kept: nothing of it may be erased until the hold is released or expires.

    Attributes:
        expires_at: When it ceases to hold by itself, microseconds since the epoch; -1 for never.
        kind: session, turn, fact, entity, space, or tenant for everything.
        name: Which, as it was named; a position as text.
        space: The space of a session.
        reason: Why.
        authority: Who asks for it.
    """

    TYPE: ClassVar[str] = "HoldPlaced"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("expires_at",)

    expires_at: int
    kind: str
    name: str
    space: str = ""
    reason: str = ""
    authority: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldReleased:
    """A hold was lifted; others on the same thing stand.

    Attributes:
        hold: Position of the `HoldPlaced`.
        reason: Why.
    """

    TYPE: ClassVar[str] = "HoldReleased"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("hold",)

    hold: int
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionSet:
    """It was settled how long something is kept; what is older is erased by the next sweep.

    Attributes:
        keep_for: Microseconds from when it was said; -1: for as long as one likes.
        space: The space that it applies to.
        session: One session of it; "" for all.
        kind: Turns and facts of one kind; "" for all.
        reason: Why.
    """

    TYPE: ClassVar[str] = "RetentionSet"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("keep_for",)

    keep_for: int
    space: str
    session: str = ""
    kind: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantDestroyed:
    """A tenant's log, keys and projections were destroyed; recorded in the store's own log.

    Attributes:
        log: The opaque id of the log that is gone, 32 hex.
        events: How many events it had.
        reason: Why.
    """

    TYPE: ClassVar[str] = "TenantDestroyed"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("log", "events")

    log: str
    events: int
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantMoved:
    """A tenant's log went on in another database; recorded in the own log of the store it left.

    Attributes:
        log: The opaque id of the log that left, 32 hex.
        events: How many events it had.
        root: Merkle root over them, 64 hex; the `LogImported` of the other database names it, too.
        reason: Why.
    """

    TYPE: ClassVar[str] = "TenantMoved"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("log", "events", "root")

    log: str
    events: int
    root: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TombstonesCleared:
    """Values that were kept from coming back may be extracted again.

    Attributes:
        values: Their HMACs.
        reason: Why.
    """

    TYPE: ClassVar[str] = "TombstonesCleared"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ()

    values: Sequence[str]
    reason: str = ""
