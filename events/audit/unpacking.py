"""Write the events of a bundle into a database, as the log that they are."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, func, insert, select, update

from smriti_es.events import idempotency
from smriti_es.events.audit.bundle_files import lines_of, opened
from smriti_es.events.audit.layout import EVENTS, PAYLOADS
from smriti_es.events.audit.outcome import BundleCheck
from smriti_es.events.audit.payload_lines import DisclosedPayload, PayloadReader
from smriti_es.events.catalogue.event import members_of
from smriti_es.events.chain import leaf_hash
from smriti_es.events.commitment import matches
from smriti_es.events.database import insert_rows
from smriti_es.events.errors import ChainBroken, Conflict, InvalidInput
from smriti_es.events.header import HEADER_BYTES_MAX, Header, decode_header
from smriti_es.events.stored_tree import build_tree
from smriti_es.events.tables import (
    event_table,
    idempotency_table,
    keyring_table,
    log_table,
    payload_table,
)

Progress = Callable[[str, int, int], None]
_BATCH: Final = 256
_RESERVED: Final = f'"{idempotency.RESERVED}"'.encode()


@dataclass(frozen=True, slots=True)
class Unpacked:
    """Where a bundle lies in a database.

    Attributes:
        log: The log's number there.
        last: Position of the last event.
        known: Its knowledge time.
    """

    log: int
    last: int
    known: int


def assert_new(connection: Connection, log_id: str, tenant: str) -> None:
    """Refuse what would be a second live copy of a log, or a second log of a tenant.

    Raises:
        Conflict: The database has that log, or that tenant, already.
    """
    c = log_table.c
    if (
        found := connection.execute(select(c.tenant).where(c.log_id == log_id)).scalar()
    ) is not None:
        raise Conflict(
            f"this database holds the log {log_id} already, as tenant {found!r}",
            hint="Two copies that go on would be two histories: import into another database.",
        )
    if connection.execute(select(c.log).where(c.tenant == tenant)).scalar() is not None:
        raise Conflict(f"there is a tenant {tenant!r} already", hint="Name another tenant.")


def unpack(
    connection: Connection,
    folder: Path,
    checked: BundleCheck,
    tenant: str,
    key: bytes,
    progress: Progress = lambda *_: None,
) -> Unpacked:
    """Write the events of a bundle that was checked into tables, byte for byte.

    Args:
        connection: A write transaction.
        folder: The bundle, which must begin with the log.
        checked: What the check found: nothing wrong.
        tenant: The name of the log from here on.
        key: The log's own key from here on, 32 bytes.
        progress: Called with "import", events done and in all.

    Raises:
        InvalidInput: The bundle does not begin with the log.
        Conflict: The database has that log, or that tenant, already.
        ChainBroken: The files are not those that were checked.
    """
    manifest = checked.manifest
    assert manifest is not None, "a bundle whose manifest cannot be read has findings"
    if manifest.first != 0:
        raise InvalidInput(
            f"the bundle begins at position {manifest.first}", hint="Only a whole log can be read."
        )
    assert_new(connection, manifest.log, tenant)
    number = connection.execute(
        select(func.coalesce(func.max(log_table.c.log), 0) + 1)
    ).scalar_one()
    row = {"log": number, "log_id": manifest.log, "tenant": tenant, "size": 0, "known": 0}
    connection.execute(insert(log_table).values(row | {"head": bytes(32), "peaks": b""}))
    connection.execute(insert(keyring_table).values(log=number, hmac_key=key))
    rows = _Rows(connection, number)
    with opened(folder, EVENTS) as events, opened(folder, PAYLOADS) as shown:
        payloads = PayloadReader(shown)
        for encoded in lines_of(events, HEADER_BYTES_MAX):
            rows.add(encoded, payloads)
            if len(rows.events) == _BATCH:
                rows.flush()
                progress("import", rows.size, manifest.events)
    rows.flush()
    progress("import", rows.size, manifest.events)
    if rows.leaf.hex() != checked.head or rows.shown != checked.disclosed:
        raise ChainBroken("the bundle has changed while it was read")
    head = {"size": rows.size, "head": rows.leaf, "known": rows.known}
    connection.execute(update(log_table).where(log_table.c.log == number).values(head))
    build_tree(connection, number)
    return Unpacked(number, rows.size - 1, rows.known)


@dataclass(slots=True)
class _Rows:
    """Rows on their way into the tables."""

    connection: Connection
    log: int
    size: int = 0
    leaf: bytes = b""
    known: int = 0
    shown: int = 0
    events: list[tuple[Any, ...]] = field(default_factory=list)
    payloads: list[tuple[Any, ...]] = field(default_factory=list)
    entries: list[tuple[Any, ...]] = field(default_factory=list)

    def add(self, encoded: bytes, payloads: PayloadReader) -> None:
        header, at = decode_header(encoded), self.size
        self.leaf, self.known = leaf_hash(encoded), header.known
        self.events.append((self.log, at, header.type, header.known, self.leaf, encoded))
        payload = payloads.at(at)
        if payload is not None:
            _assert_committed(header, payload)
            self.payloads.append((self.log, at, payload.key, payload.body))
            self.entries.extend(self._entries(header, payload.body))
            self.shown += 1
        self.size += 1

    def _entries(self, header: Header, body: bytes) -> Iterator[tuple[Any, ...]]:
        """Give the row of the idempotency index that a payload speaks of."""
        if header.position == header.commit[0] and _RESERVED in body:
            entry = idempotency.entry_in(members_of(body))
            if entry is not None:
                yield (self.log, *entry, header.position)

    def flush(self) -> None:
        """Insert what is there."""
        insert_rows(self.connection, event_table, self.events)
        insert_rows(self.connection, payload_table, self.payloads)
        insert_rows(self.connection, idempotency_table, self.entries)
        for rows in (self.events, self.payloads, self.entries):
            rows.clear()


def _assert_committed(header: Header, payload: DisclosedPayload) -> None:
    said = header.payload
    if said is None or not matches(said.commitment, payload.key, payload.body):
        raise ChainBroken(
            f"the payload at position {header.position} is not what the header commits to",
            position=header.position,
        )
