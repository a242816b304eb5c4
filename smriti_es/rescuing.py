"""Copy what can be read of a damaged memory into a new file.

Only the log is copied, byte for byte, up to the first event that is lost: what follows could not be
chained to it. Everything else is derived from it anew. No index is trusted on the way.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, delete, exc, insert, select

from smriti_es.clock import system_clock
from smriti_es.engine import Engine
from smriti_es.events import idempotency
from smriti_es.events.catalogue.event import members_of
from smriti_es.events.checkpoint import Checkpoint
from smriti_es.events.checkpoint_verification import Attested
from smriti_es.events.database import damage_of, insert_rows
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.errors import IntegrityError, InvalidInput, NotFound, StorageDamaged
from smriti_es.events.locations import names_server
from smriti_es.events.opening import open_database
from smriti_es.events.registry import open_log
from smriti_es.events.sqlite_rows import FoundEvent, found_events
from smriti_es.events.stored_tree import build_tree
from smriti_es.events.tables import (
    event_table,
    idempotency_table,
    keyring_table,
    log_table,
    payload_table,
)
from smriti_es.events.verification import Finding, Verification, verify_log
from smriti_es.extraction_pointer import persisted_pointer, write_pointer
from smriti_es.migrate import migrate
from smriti_es.projections.projector import Progress, no_progress
from smriti_es.results import VerifyReport
from smriti_es.settings import Settings

_NAMED_MAX: Final = 100
_head = log_table.c
_HEAD: Final = (_head.log, _head.log_id, _head.tenant, _head.size, _head.head, _head.known)


@dataclass(frozen=True, slots=True)
class Rescued:
    """What was copied of one tenant's log.

    Attributes:
        tenant: Whose log.
        events: How many events were copied, from the first on.
        size: How many the damaged file says there are.
        lost: Positions of copied events whose content is not there or could not be read, the first
            hundred.
        altered: Positions of copied events that are not as they were written, the first hundred.
    """

    tenant: str
    events: int
    size: int
    lost: tuple[int, ...]
    altered: tuple[int, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether nothing is missing, and everything is as it was written."""
        return self.events == self.size and not (self.lost or self.altered)


@dataclass(slots=True)
class _Copied:
    """How far the copy of one log has come."""

    size: int = 0
    leaf: bytes = b""
    known: int = 0
    commit: tuple[int, int] = (0, 0)
    lost: list[int] = field(default_factory=list)
    altered: list[int] = field(default_factory=list)


def rescue(
    location: str | Path, target: str | Path, *, progress: Progress = no_progress
) -> tuple[Rescued, ...]:
    """Copy every tenant's log, as far as it can be read, into a new memory.

    The damaged file is only read. Facts come with the log; vectors are made anew when the new
    memory is next used with an embedder. An event that is not what was written is copied as it is
    found, and named.

    Args:
        location: The damaged file.
        target: The new file, which must not be there yet.
        progress: Called with "rescue", events done and in all.

    Returns:
        One entry a tenant.

    Raises:
        NotFound: There is no file at `location`.
        InvalidInput: There is something at `target`, or `location` is on a server.
        StorageDamaged: Not even the list of tenants can be read.
        StorageUnavailable: The new file cannot be written.
    """
    if names_server(str(location)):
        raise InvalidInput(
            f"{location} is on a server, and only a damaged file is copied past its damage",
            hint="Restore a backup of the server; `log verify` tells what is damaged.",
        )
    if not Path(location).is_file():
        raise NotFound(f"there is no file at {location}")
    if Path(target).exists():
        raise InvalidInput(f"there is something at {target} already", hint="Name a new file.")
    made, source = SqliteDatabase(target), SqliteDatabase(location, read_only=True)
    try:
        migrate(made)
        with made.write() as ours, source.read() as theirs:
            # Only what files of every release have.
            logs = theirs.execute(select(*_HEAD).order_by(log_table.c.log)).all()
            # No table has had more rows than all logs have events.
            rows_max = sum(log.size for log in logs)
            rescued = tuple(_copy_log(theirs, ours, log, rows_max, progress) for log in logs)
    except BaseException as error:
        made.close()
        _remove(made.path)
        if isinstance(error, StorageDamaged):
            error.hint = "Restore a backup: not even the list of tenants can be read."
        raise
    finally:
        source.close()
    made.close()
    for each in rescued:
        if each.events:
            _fold(made.path, each.tenant)
    return rescued


def verify_unopened(
    location: str | Path,
    tenant: str,
    *,
    checkpoint: bytes | None = None,
    progress: Progress = no_progress,
) -> VerifyReport:
    """Verify the log of a memory that is too damaged to be opened, as far as it can be read.

    Args:
        location: The file.
        tenant: Whose log.
        checkpoint: A checkpoint from elsewhere that the log must go on from, or None.
        progress: Called with "verify", events done and in all.

    Returns:
        What was found; that the file cannot even be read is a finding, too.
    """
    given = () if checkpoint is None else (Checkpoint.parse(checkpoint),)
    source = open_database(location, read_only=True)
    try:
        log = open_log(source, tenant, clock=system_clock)
        verified = verify_log(log, progress, Attested(given))
    except StorageDamaged as error:
        verified = Verification(0, "", (Finding(None, "file", str(error), unreadable=True),))
    finally:
        damage = source.self_check()
        source.close()
    return VerifyReport(verified, (), damage)


def _remove(path: Path) -> None:
    for left in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        left.unlink(missing_ok=True)
    path.with_name(f"{path.name}-lock").unlink(missing_ok=True)


def _fold(path: Path, tenant: str) -> None:
    """Fold everything that follows from the log, so that the copy can be read at once."""
    settings = Settings(embed_in_background=False)
    Engine.open(path, tenant=tenant, embedder=None, extractor=None, settings=settings).close()


def _copy_log(
    theirs: Connection, ours: Connection, log: Any, rows_max: int, progress: Progress
) -> Rescued:
    copied = _Copied()
    progress("rescue", 0, log.size)
    for events in found_events(theirs, log.log, log.size, rows_max):
        _copy_events(ours, log.log, events, copied)
        progress("rescue", copied.size, max(copied.size, log.size))
    _drop_half_a_commit(ours, log.log, copied)
    if copied.size:
        values = {"size": copied.size, "head": copied.leaf, "known": copied.known}
        ours.execute(insert(log_table).values(dict(log._mapping) | values | {"peaks": b""}))
        build_tree(ours, log.log)
        _copy_beside(theirs, ours, log.log, copied.size)
    lost, altered = tuple(copied.lost[:_NAMED_MAX]), tuple(copied.altered[:_NAMED_MAX])
    return Rescued(log.tenant, copied.size, log.size, lost, altered)


def _copy_events(ours: Connection, log: int, found: list[FoundEvent], copied: _Copied) -> None:
    events, payloads, entries = [], [], []
    for position, event in enumerate(found, start=copied.size):
        row, payload, header = event.row, event.payload, event.header
        events.append((log, position, row.type, row.known, row.leaf, row.header))
        copied.size, copied.leaf = position + 1, row.leaf
        copied.known, copied.commit = header.known, header.commit
        if payload is not None:
            payloads.append((log, position, payload.key, payload.body))
            if position == header.commit[0]:
                entries += _entries(log, position, payload.body)
        if event.content_is_lost:
            copied.lost.append(position)
        if not event.as_written:
            copied.altered.append(position)
    insert_rows(ours, event_table, events)
    insert_rows(ours, payload_table, payloads)
    insert_rows(ours, idempotency_table, entries)


def _entries(log: int, position: int, body: bytes) -> list[tuple[Any, ...]]:
    """Give the row of the idempotency index that a payload speaks of."""
    if f'"{idempotency.RESERVED}"'.encode() not in body:
        return []
    try:
        found = idempotency.entry_in(members_of(body))
    except IntegrityError:
        return []
    return [] if found is None else [(log, *found, position)]


def _drop_half_a_commit(ours: Connection, log: int, copied: _Copied) -> None:
    """Take back the last commit, when a part of it was lost."""
    first, count = copied.commit
    if first + count == copied.size:
        return
    for table in (event_table, payload_table, idempotency_table):
        ours.execute(delete(table).where(table.c.log == log, table.c.position >= first))
    copied.size = first
    copied.lost = [each for each in copied.lost if each < first]
    copied.altered = [each for each in copied.altered if each < first]
    event = event_table.c
    last = ours.execute(
        select(event.leaf, event.known).where(event.log == log, event.position == first - 1)
    ).one_or_none()
    if last is not None:
        copied.leaf, copied.known = last


def _copy_beside(theirs: Connection, ours: Connection, log: int, size: int) -> None:
    """Copy the log's key, and how far extraction has come, where they can be read."""
    try:
        key = select(keyring_table).where(keyring_table.c.log == log)
        insert_rows(ours, keyring_table, [tuple(row) for row in theirs.execute(key)])
    except exc.DBAPIError as error:
        damage_of(error)
    try:
        extracted = persisted_pointer(theirs, log)
    except exc.DBAPIError as error:
        damage_of(error)
    else:
        if extracted is not None:
            write_pointer(ours, log, min(extracted, size))
