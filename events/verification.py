"""Is the log what was written? Recompute everything from the stored bytes and name what differs.

Nothing is repaired here, and nothing stops at the first finding: the reader wants to know how far
the log is intact. What only a checkpoint kept elsewhere can show, a tail cut off together with its
head row, is not found.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import Connection, select

from smriti_es.events import idempotency
from smriti_es.events.catalogue import LogOpened
from smriti_es.events.catalogue.event import members_of
from smriti_es.events.chain import leaf_hash
from smriti_es.events.commitment import matches
from smriti_es.events.errors import ChainBroken, IntegrityError
from smriti_es.events.header import GENESIS_PREVIOUS, Header, decode_header
from smriti_es.events.log import READ_BATCH, EventLog
from smriti_es.events.tables import event_table, idempotency_table, log_table, payload_table

FINDINGS_MAX: Final = 1_000

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it was written.

    Attributes:
        position: The event it concerns; None when it concerns the log as a whole.
        place: Table and column.
        problem: What is wrong.
    """

    position: int | None
    place: str
    problem: str

    def __str__(self) -> str:
        where = "log" if self.position is None else f"position {self.position}"
        return f"{where}, {self.place}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Verification:
    """What a verification found.

    Attributes:
        events: How many events were read.
        head: Leaf hash of the last, 64 hex.
        findings: What is wrong, in order of position; at most a thousand.
    """

    events: int
    head: str
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings

    def raise_if_broken(self) -> None:
        """Raise `ChainBroken` with the first finding, if there is one."""
        if self.findings:
            raise ChainBroken(str(self.findings[0]), position=self.findings[0].position)


@dataclass(slots=True)
class _State:
    """What the next event is compared with."""

    expected: int = 0
    previous: str = GENESIS_PREVIOUS
    known: int = -1
    commit: tuple[int, int] = (0, 0)
    entries: dict[str, tuple[str, int]] = field(default_factory=dict)


def verify_log(log: EventLog, progress: Progress = lambda *_: None) -> Verification:
    """Verify every header, link, payload, copied column and index entry of a log.

    Args:
        log: The log.
        progress: Called with "verify", events done and events in all.

    Returns:
        What was found, read from one snapshot.
    """
    state = _State()
    findings: list[Finding] = []
    with log.database.read() as connection:
        row = connection.execute(select(log_table).where(log_table.c.log == log.log)).one()
        start = 0
        while rows := log.read_rows(start, READ_BATCH, connection):
            for stored in rows:
                findings.extend(_event_findings(log, stored, state))
            start = rows[-1].position + 1
            progress("verify", min(start, row.size), row.size)
            if len(findings) > FINDINGS_MAX:
                break
        findings.extend(_head_findings(row, state))
        findings.extend(_genesis_findings(log, connection, row.tenant))
        findings.extend(_orphan_findings(log, connection))
        findings.extend(_idempotency_findings(log, connection, state))
    return Verification(state.expected, state.previous, tuple(findings[:FINDINGS_MAX]))


def _event_findings(log: EventLog, row: Any, state: _State) -> Iterator[Finding]:
    position = row.position
    if position != state.expected:
        yield Finding(state.expected, "event", f"missing: the next one there is at {position}")
    encoded = bytes(row.header)
    leaf = leaf_hash(encoded)
    if bytes(row.leaf) != leaf:
        yield Finding(position, "event.leaf", "is not the hash of the header")
    try:
        header = decode_header(encoded)
    except IntegrityError as error:
        yield Finding(position, "event.header", str(error))
    else:
        yield from _header_findings(log, row, header, state)
        yield from _payload_findings(row, header, state)
        state.known = header.known
        state.commit = header.commit
    state.expected = position + 1
    state.previous = leaf.hex()


def _header_findings(log: EventLog, row: Any, header: Header, state: _State) -> Iterator[Finding]:
    at = row.position
    if header.previous != state.previous:
        yield Finding(at, "event.header", "does not link to the event before it")
    for name, found, expected in (
        ("log", header.log, log.log_id),
        ("pos", header.position, at),
    ):
        if found != expected:
            yield Finding(at, "event.header", f"{name} is {found}, not {expected}")
    for name, found, expected in (
        ("type", row.type, header.type),
        ("known", row.known, header.known),
    ):
        if found != expected:
            yield Finding(at, f"event.{name}", f"is {found}, the header says {expected}")
    if any(not 0 <= reference < at for reference in header.refs):
        yield Finding(at, "event.header", "refers to an event that does not lie before it")
    yield from _commit_findings(header, state)


def _commit_findings(header: Header, state: _State) -> Iterator[Finding]:
    first, count = header.commit
    if header.commit == state.commit:
        if header.known != state.known:
            yield Finding(header.position, "event.header", "known differs within its commit")
        if header.position >= first + count:
            yield Finding(header.position, "event.header", "lies beyond its commit")
        return
    if first != header.position:
        yield Finding(header.position, "event.header", "does not begin its commit")
    if sum(state.commit) != header.position:
        yield Finding(header.position, "event.header", "begins before the commit before it ends")
    if header.known <= state.known:
        yield Finding(header.position, "event.header", "known does not rise")


def _payload_findings(row: Any, header: Header, state: _State) -> Iterator[Finding]:
    at = row.position
    if header.payload is None:
        if row.body is not None:
            yield Finding(at, "payload", "was added: the header names none")
        return
    if row.body is None:
        yield Finding(at, "payload", "is missing, and no event erased it")
        return
    body = bytes(row.body)
    if len(body) != header.payload.size:
        yield Finding(at, "payload.body", f"has {len(body)} bytes, not {header.payload.size}")
    elif not matches(header.payload.commitment, bytes(row.key), body):
        yield Finding(at, "payload", "key or body is not what the header commits to")
    elif at == header.commit[0]:
        _gather_idempotency(body, at, state)


def _gather_idempotency(body: bytes, position: int, state: _State) -> None:
    if b'"$idempotency"' in body and (entry := members_of(body).get(idempotency.RESERVED)):
        state.entries[entry["key"]] = (entry["request"], position)


def _head_findings(row: Any, state: _State) -> Iterator[Finding]:
    for name, found, expected in (
        ("size", row.size, state.expected),
        ("head", bytes(row.head).hex(), state.previous),
        ("known", row.known, state.known),
    ):
        if found != expected:
            yield Finding(None, f"log.{name}", f"is {found}, the events say {expected}")
    if sum(state.commit) != state.expected:
        yield Finding(state.expected, "event", "missing: the last commit is not whole")


def _genesis_findings(log: EventLog, connection: Connection, tenant: str) -> Iterator[Finding]:
    try:
        genesis = next(log.read(0, 1, connection=connection), None)
    except IntegrityError:
        return  # named already, at position 0
    if genesis is None or not isinstance(genesis.event, LogOpened):
        yield Finding(0, "event", "the log does not begin with LogOpened")
        return
    if genesis.event.tenant != tenant:
        yield Finding(None, "log.tenant", "is not the tenant that the log was opened for")
    key = idempotency.hmac_key(connection, log.log)
    if genesis.event.key_check != idempotency.key_check(key):
        yield Finding(None, "keyring.hmac_key", "is not the key that the log was opened with")


def _orphan_findings(log: EventLog, connection: Connection) -> Iterator[Finding]:
    """Find payloads that no event has."""
    statement = (
        select(payload_table.c.position)
        .outerjoin(
            event_table,
            (event_table.c.log == payload_table.c.log)
            & (event_table.c.position == payload_table.c.position),
        )
        .where(payload_table.c.log == log.log, event_table.c.position.is_(None))
        .order_by(payload_table.c.position)
        .limit(FINDINGS_MAX)
    )
    for position in connection.execute(statement).scalars():
        yield Finding(position, "payload", "belongs to no event")


def _idempotency_findings(
    log: EventLog, connection: Connection, state: _State
) -> Iterator[Finding]:
    """Compare the index of idempotency keys with what the payloads say."""
    table = idempotency_table
    stored = {
        row.key_mac: (row.request_mac, row.position)
        for row in connection.execute(select(table).where(table.c.log == log.log))
    }
    for key in sorted(stored.keys() | state.entries.keys()):
        if stored.get(key) != state.entries.get(key):
            position = (state.entries.get(key) or stored[key])[1]
            yield Finding(position, "idempotency", "its entry is not what the payload says")
