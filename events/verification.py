"""Is the log what was written? Recompute everything from the stored bytes and name what differs.

Nothing is repaired here, and nothing stops at the first finding: the reader wants to know how far
the log is intact. What only a checkpoint kept elsewhere can show, a tail cut off together with its
head row, is not found.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from types import SimpleNamespace
from typing import Any, Final

from sqlalchemy import Connection, exc, select

from smriti_es.events import idempotency
from smriti_es.events.catalogue import LogImported, LogOpened
from smriti_es.events.catalogue.event import members_of
from smriti_es.events.chain import leaf_hash
from smriti_es.events.checkpoint_verification import Attested
from smriti_es.events.commitment import matches
from smriti_es.events.database import damage_of
from smriti_es.events.erasure_verification import Erasures
from smriti_es.events.errors import IntegrityError, SchemaNewer
from smriti_es.events.findings import FINDINGS_MAX, Finding, Verification
from smriti_es.events.header import GENESIS_PREVIOUS, Header, decode_header
from smriti_es.events.log import EventLog
from smriti_es.events.stored_rows import Unreadable, raw, stored_rows
from smriti_es.events.tables import (
    event_table,
    idempotency_table,
    keyring_table,
    log_table,
    payload_table,
)
from smriti_es.events.tree_verification import TreeMadeAnew

# Whose tenant and key it is; the last one says so.
_OWNED: Final = frozenset({LogOpened.TYPE, LogImported.TYPE})

__all__ = ["FINDINGS_MAX", "Finding", "Progress", "Verification", "verify_log"]

Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class _State:
    """What the next event is compared with, and what the events say of the tables beside them."""

    expected: int = 0
    previous: str = GENESIS_PREVIOUS
    known: int = -1
    commit: tuple[int, int] = (0, 0)
    log_id: str | None = None
    genesis: Mapping[str, Any] | None = None
    entries: dict[Any, tuple[Any, Any]] = field(default_factory=dict)
    # Positions of payloads that cannot be read.
    unread: set[int] = field(default_factory=set)
    erasures: Erasures = field(default_factory=Erasures)
    # Events just before were lost, or cannot be read: nothing is known of the commit there.
    gap: bool = False
    # They were not lost, and the next one must link to them.
    linked: bool = False
    # Leaf hashes of this batch, and the tree of all batches.
    leaves: list[bytes] = field(default_factory=list)
    tree: TreeMadeAnew = field(default_factory=TreeMadeAnew)
    # What was attested of the log.
    attested: Attested = field(default_factory=Attested)

    def lose_the_tree(self) -> None:
        """Give up on the tree: an event that it needs is missing."""
        self.tree.is_known = False

    def settle_batch(self) -> None:
        """Take the leaves of a batch into the tree."""
        self.tree.extend(self.leaves)
        self.leaves.clear()

    def resume(self, header: Header) -> None:
        """Take up the chain after a gap, at whatever event there is."""
        first, _ = header.commit
        begun = first < header.position
        if not self.linked:
            self.previous = header.previous
        self.gap = self.linked = False
        self.known = header.known if begun else header.known - 1
        self.commit = header.commit if begun else (header.position, 0)


def verify_log(
    log: EventLog, progress: Progress = lambda *_: None, attested: Attested | None = None
) -> Verification:
    """Verify every header, link, payload, copied column, index entry and checkpoint of a log.

    Args:
        log: The log.
        progress: Called with "verify", events done and events in all.
        attested: Checkpoints from elsewhere; None: only those in the database are compared.

    Returns:
        What was found, read from one snapshot.
    """
    state = _State(attested=attested or Attested())
    findings: list[Finding] = []
    with log.database.read() as connection:
        head, beside = _head_row(log, connection)
        lost = _load_checkpoints(log, connection, head, state)
        total = head.size if head is not None and _is_number(head.size) else 0
        for rows in stored_rows(connection, log.log, total):
            for stored in rows:
                findings.extend(_findings(stored, state))
            state.settle_batch()
            progress("verify", state.expected, max(total, state.expected))
            if len(findings) > FINDINGS_MAX:
                break
        findings.extend(islice(state.erasures.lost(), FINDINGS_MAX))
        findings.extend(beside or _head_findings(head, state))
        findings.extend([*lost, *_checkpoint_findings(state)])
        for place, found in (
            ("keyring", _genesis_findings(log, connection, head, state)),
            ("payload", _orphan_findings(log, connection)),
            ("idempotency", _idempotency_findings(log, connection, state)),
            ("tree_node", _node_findings(log, connection, head, state)),
        ):
            findings.extend(_as_far_as_readable(place, found))
    unproved = tuple(state.attested.unproved)
    return Verification(state.expected, state.previous, tuple(findings[:FINDINGS_MAX]), unproved)


def _load_checkpoints(
    log: EventLog, connection: Connection, head: Any, state: _State
) -> list[Finding]:
    """Read the checkpoints, where the file has any, so that the tree is noted at their sizes."""
    lost = []
    if head is not None and head.peaks is not None:
        try:
            state.attested.load(connection, log.log)
        except exc.DBAPIError as error:
            lost.append(_unreadable(None, "checkpoint", damage_of(error)))
    state.tree.watched = state.attested.sizes()
    return lost


def _checkpoint_findings(state: _State) -> Iterator[Finding]:
    for each in state.attested.wrong(state.log_id, state.tree, state.expected):
        yield Finding(*each)


def _head_row(log: EventLog, connection: Connection) -> tuple[Any, list[Finding]]:
    of_this = log_table.c.log == log.log
    columns = [raw(each) for each in log_table.c if each.name != "peaks"]
    try:
        row = connection.execute(select(*columns).where(of_this)).one_or_none()
    except exc.DBAPIError as error:
        return None, [_unreadable(None, "log", damage_of(error))]
    if row is None:
        return None, []
    try:
        peaks = connection.execute(select(raw(log_table.c.peaks)).where(of_this)).scalar_one()
    except exc.DBAPIError:
        peaks = None  # the row can be read: the file is from before there were trees
    return SimpleNamespace(**row._mapping, peaks=peaks), []


def _as_far_as_readable(place: str, found: Iterator[Finding]) -> Iterator[Finding]:
    try:
        yield from found
    except exc.DBAPIError as error:
        yield _unreadable(None, place, damage_of(error))


def _unreadable(position: int | None, place: str, reason: str) -> Finding:
    return Finding(position, place, f"cannot be read: {reason}", unreadable=True)


def _findings(stored: Any, state: _State) -> Iterator[Finding]:
    if not isinstance(stored, Unreadable):
        yield from _event_findings(stored, state)
        return
    yield _unreadable(stored.position, stored.place, stored.reason)
    with_payload = stored.place == "index"
    if not with_payload:
        state.unread.add(stored.position)
    if stored.row is None:
        state.expected, state.gap, state.linked = stored.position + 1, True, False
        state.lose_the_tree()
    else:
        yield from _event_findings(stored.row, state, with_payload=with_payload)


def _event_findings(row: Any, state: _State, *, with_payload: bool = True) -> Iterator[Finding]:
    position = row.position
    if not _is_number(position):
        yield Finding(None, "event.position", f"is {position!r}, which is no position")
        return
    if position != state.expected:
        yield Finding(state.expected, "event", f"missing: the next one there is at {position}")
        state.lose_the_tree()
    encoded = _as_bytes(row.header)
    leaf = leaf_hash(encoded)
    if _as_bytes(row.leaf) != leaf:
        yield Finding(position, "event.leaf", "is not the hash of the header")
    try:
        yield from _read_findings(row, decode_header(encoded), state, with_payload=with_payload)
    except IntegrityError as error:
        yield Finding(position, "event.header", str(error))
    except SchemaNewer as error:
        yield Finding(position, "event.header", str(error), newer=True)
        state.gap = state.linked = True
    state.expected = position + 1
    state.previous = leaf.hex()
    state.leaves.append(leaf)


def _read_findings(
    row: Any, header: Header, state: _State, *, with_payload: bool
) -> Iterator[Finding]:
    if state.gap:
        state.resume(header)
    yield from _header_findings(row, header, state)
    if with_payload:
        yield from _payload_findings(row, header, state)
    yield from state.erasures.take(header, state.unread)
    state.known, state.commit = header.known, header.commit


def _header_findings(row: Any, header: Header, state: _State) -> Iterator[Finding]:
    at = row.position
    if header.previous != state.previous:
        yield Finding(at, "event.header", "does not link to the event before it")
    if state.log_id is None:
        state.log_id = header.log
    for name, found, expected in (("log", header.log, state.log_id), ("pos", header.position, at)):
        if found != expected:
            yield Finding(at, "event.header", f"{name} is {found}, not {expected}")
    for name, found, expected in (
        ("type", row.type, header.type),
        ("known", row.known, header.known),
    ):
        if found != expected:
            yield Finding(at, f"event.{name}", f"is {found!r}, the header says {expected!r}")
    if at == 0 and header.type != LogOpened.TYPE:
        yield Finding(at, "event.header", "the log does not begin with LogOpened")
    state.attested.note(header)
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
        state.erasures.missing.append(at)
        return
    body = _as_bytes(row.body)
    if len(body) != header.payload.size:
        yield Finding(at, "payload.body", f"has {len(body)} bytes, not {header.payload.size}")
    elif not matches(header.payload.commitment, _as_bytes(row.key), body):
        yield Finding(at, "payload", "key or body is not what the header commits to")
    elif header.type in _OWNED or (at == header.commit[0] and b'"$idempotency"' in body):
        yield from _gather(body, header, state)


def _gather(body: bytes, header: Header, state: _State) -> Iterator[Finding]:
    """Keep what a payload says of the tables beside the log."""
    position = header.position
    try:
        members = members_of(body)
    except IntegrityError as error:
        yield Finding(position, "payload.body", str(error))
        return
    if header.type in _OWNED:
        state.genesis = members
    if (entry := idempotency.entry_in(members)) is not None:
        state.entries[entry[0]] = (entry[1], position)


def _head_findings(head: Any, state: _State) -> Iterator[Finding]:
    if not state.gap and sum(state.commit) != state.expected:
        yield Finding(state.expected, "event", "missing: the last commit is not whole")
    if head is None:
        yield Finding(None, "log", "its row is gone")
        return
    said: list[tuple[str, Any, Any]] = [("size", head.size, state.expected)]
    if state.log_id is not None:
        said.append(("log_id", head.log_id, state.log_id))
    if not state.gap:  # after one, nothing is known of the end
        said.append(("head", _as_bytes(head.head).hex(), state.previous))
        said.append(("known", head.known, state.known))
    if state.tree.is_known and head.peaks is not None:
        said.append(("peaks", _as_bytes(head.peaks).hex(), state.tree.tree.to_bytes().hex()))
    for name, found, expected in said:
        if found != expected:
            yield Finding(None, f"log.{name}", f"is {found!r}, the events say {expected!r}")


def _genesis_findings(
    log: EventLog, connection: Connection, head: Any, state: _State
) -> Iterator[Finding]:
    if state.expected == 0:
        yield Finding(0, "event", "missing: there is no event at all")
    if state.genesis is None:
        return  # what is wrong with it has been said
    if head is not None and state.genesis.get("tenant") != head.tenant:
        yield Finding(None, "log.tenant", "is not the tenant that the log was opened for")
    key = connection.execute(
        select(raw(keyring_table.c.hmac_key)).where(keyring_table.c.log == log.log)
    ).scalar_one_or_none()
    if key is None:
        yield Finding(None, "keyring", "the log's key is gone")
    elif state.genesis.get("key_check") != idempotency.key_check(_as_bytes(key)):
        yield Finding(None, "keyring.hmac_key", "is not the key that the log was opened with")


def _node_findings(
    log: EventLog, connection: Connection, head: Any, state: _State
) -> Iterator[Finding]:
    """Compare the kept nodes of the tree, where the file has any, with what the events give."""
    if state.tree.is_known and head is not None and head.peaks is not None:
        for position, problem in state.tree.wrong_nodes(connection, log.log):
            yield Finding(position, "tree_node", problem)


def _orphan_findings(log: EventLog, connection: Connection) -> Iterator[Finding]:
    """Find payloads that no event has."""
    statement = (
        select(raw(payload_table.c.position))
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
        yield _beside(position, "payload", "belongs to no event")


def _idempotency_findings(
    log: EventLog, connection: Connection, state: _State
) -> Iterator[Finding]:
    """Compare the index of idempotency keys with what the payloads say."""
    table = idempotency_table
    columns = map(raw, (table.c.key_mac, table.c.request_mac, table.c.position))
    stored = {
        row.key_mac: (row.request_mac, row.position)
        for row in connection.execute(select(*columns).where(table.c.log == log.log))
    }
    for key in sorted(stored.keys() | state.entries.keys(), key=str):
        if stored.get(key) != state.entries.get(key):
            position = (state.entries.get(key) or stored[key])[1]
            if position in state.unread:
                continue  # what it is to be compared with is lost
            yield _beside(position, "idempotency", "its entry is not what the payload says")


def _beside(position: Any, place: str, problem: str) -> Finding:
    if _is_number(position):
        return Finding(position, place, problem)
    return Finding(None, place, f"{problem}; its position is {position!r}")


def _is_number(value: Any) -> bool:
    return type(value) is int and value >= 0


def _as_bytes(value: Any) -> bytes:
    """Give bytes as they are; a value of another type is no bytes at all."""
    return bytes(value) if isinstance(value, bytes | memoryview) else b""
