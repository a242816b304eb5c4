"""What goes into the log and what comes out of it, as values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from smriti_es.events.catalogue import Event
from smriti_es.events.catalogue.event import members_of
from smriti_es.events.errors import IntegrityError
from smriti_es.events.header import Actor, Header, decode_header
from smriti_es.events.idempotency import Idempotency
from smriti_es.events.merkle_tree import CompactRange
from smriti_es.events.upcast import upcast


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event about to be appended.

    Attributes:
        event: What happened.
        refs: Positions of the events it was derived from; positions in this commit are allowed.
        actor: Who did it; None: the actor of the append.
    """

    event: Event
    refs: tuple[int, ...] = ()
    actor: Actor | None = None


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """An event as the log holds it.

    Attributes:
        header: The hashed part.
        leaf: Its leaf hash, 32 bytes.
        event: What happened, in today's form; None when the content was erased.
    """

    header: Header
    leaf: bytes
    event: Event | None

    @property
    def position(self) -> int:
        """The 0-based place in the log."""
        return self.header.position


@dataclass(frozen=True, slots=True)
class Commit:
    """What an append did.

    Attributes:
        first: Position of its first event (of the head when it appended nothing).
        count: How many events it appended.
        known: Its knowledge time, microseconds since the epoch.
        replayed: True when an earlier append with the same idempotency key had done it already.
        events: What it appended; empty when it was replayed.
    """

    first: int
    count: int
    known: int
    replayed: bool = False
    events: tuple[RecordedEvent, ...] = field(default=(), repr=False, compare=False)

    @property
    def last(self) -> int:
        """Position of its last event; before `first` when it appended nothing."""
        return self.first + self.count - 1


@dataclass(slots=True)
class Transaction:
    """An open append: what a command may look at while it decides, under the lock of the head row.

    Attributes:
        connection: The write transaction.
        log: The log's number in this database.
        size: Number of events in the log, which is the position of the next.
        known: The knowledge time that this commit will carry.
        leaf: Leaf hash of the last event.
        tree: The Merkle tree over all of them.
        start: Number of events when the head was locked; several appends may share the lock.
        together: Whether a failure undoes every append that shares it; else each has a savepoint.
        seen: What was looked up under the lock already.
    """

    connection: Connection
    log: int
    size: int
    known: int
    leaf: bytes
    tree: CompactRange
    start: int
    together: bool = False
    seen: dict[str, Any] = field(default_factory=dict)


Command = Callable[[Transaction], Sequence[NewEvent]]
Inline = Callable[[Transaction, Sequence[RecordedEvent]], None]


@dataclass(frozen=True, slots=True)
class Append:
    """One append as a value, for `EventLog.append_all`.

    Attributes:
        command: The events, or a function that decides on them under the lock. It must not call a
            model or the network, and may run again.
        actor: Who appends.
        expected: Position that the head must have, or None.
        once: Makes a repeated request take effect once, or None.
    """

    command: Command | Sequence[NewEvent]
    actor: Actor
    expected: int | None = None
    once: Idempotency | None = None


def decode_recorded(header_bytes: bytes, leaf: bytes, body: bytes | None) -> RecordedEvent:
    """Read a stored event; a missing body is an erased one, whether or not the erasure was seen.

    Raises:
        IntegrityError: Header or payload cannot be read.
        SchemaNewer: The event comes from a later release.
    """
    if not all(isinstance(each, bytes) for each in (header_bytes, leaf, body or b"")):
        # SQLite keeps a value of any type, and gives it back as it is.
        raise IntegrityError("a row of the log does not hold bytes where it must")
    header = decode_header(header_bytes)
    if header.payload is not None and body is None:
        return RecordedEvent(header, leaf, None)
    members: Mapping[str, Any] = members_of(body) if body is not None else {}
    return RecordedEvent(header, leaf, upcast(header.type, header.version, members, header.facets))
