"""Copy what can be read of a damaged memory into a new file.

Only the log is copied, byte for byte, up to the first event that is lost: what follows could not be
chained to it. Everything else is derived from it anew.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, delete, exc, insert, select

from smriti_es.clock import system_clock
from smriti_es.engine import Engine
from smriti_es.events import idempotency
from smriti_es.events.catalogue.event import members_of
from smriti_es.events.database import damage_of, insert_rows
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.errors import IntegrityError, InvalidInput, NotFound, StorageDamaged
from smriti_es.events.header import decode_header
from smriti_es.events.registry import open_log
from smriti_es.events.stored_rows import Unreadable, stored_rows
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

_LOST_TOLD: Final = 100


@dataclass(frozen=True, slots=True)
class Rescued:
    """What was copied of one tenant's log.

    Attributes:
        tenant: Whose log.
        events: How many events were copied, from the first on.
        size: How many the damaged file says there are.
        lost: Positions of copied events whose content could not be read, the first hundred.
    """

    tenant: str
    events: int
    size: int
    lost: tuple[int, ...]

    @property
    def whole(self) -> bool:
        """Whether nothing is missing."""
        return self.events == self.size and not self.lost


@dataclass(slots=True)
class _Copied:
    """How far the copy of one log has come."""

    size: int = 0
    leaf: bytes = b""
    known: int = 0
    commit: tuple[int, int] = (0, 0)
    lost: list[int] = field(default_factory=list)


def rescue(
    location: str | Path, target: str | Path, *, progress: Progress = no_progress
) -> tuple[Rescued, ...]:
    """Copy every tenant's log, as far as it can be read, into a new memory.

    The damaged file is only read. Facts come with the log; vectors are made anew when the new
    memory is next used with an embedder. An event is copied as it is found: whether it is what was
    written, `verify` tells of the copy.

    Args:
        location: The damaged file.
        target: The new file, which must not be there yet.
        progress: Called with "rescue", events done and in all.

    Returns:
        One entry a tenant.

    Raises:
        NotFound: There is no file at `location`.
        InvalidInput: There is something at `target`.
        StorageDamaged: Not even the list of tenants can be read.
        StorageUnavailable: The new file cannot be written.
    """
    if not Path(location).is_file():
        raise NotFound(f"there is no file at {location}")
    if Path(target).exists():
        raise InvalidInput(f"there is something at {target} already", hint="Name a new file.")
    made, source = SqliteDatabase(target), SqliteDatabase(location, read_only=True)
    try:
        migrate(made)
        with made.write() as ours, source.read() as theirs:
            logs = theirs.execute(select(log_table).order_by(log_table.c.log)).all()
            rescued = tuple(_copy_log(theirs, ours, log, progress) for log in logs)
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
    location: str | Path, tenant: str, *, progress: Progress = no_progress
) -> VerifyReport:
    """Verify the log of a memory that is too damaged to be opened, as far as it can be read.

    Args:
        location: The file.
        tenant: Whose log.
        progress: Called with "verify", events done and in all.

    Returns:
        What was found; that the file cannot even be read is a finding, too.
    """
    source = SqliteDatabase(location, read_only=True)
    try:
        verified = verify_log(open_log(source, tenant, clock=system_clock), progress)
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


def _copy_log(theirs: Connection, ours: Connection, log: Any, progress: Progress) -> Rescued:
    copied = _Copied()
    progress("rescue", 0, log.size)
    for rows in stored_rows(theirs, log.log, log.size):
        whole = _copy_rows(ours, log.log, rows, copied)
        progress("rescue", copied.size, max(copied.size, log.size))
        if not whole:
            break
    _drop_half_a_commit(ours, log.log, copied)
    if copied.size:
        values = {"size": copied.size, "head": copied.leaf, "known": copied.known}
        ours.execute(insert(log_table).values(dict(log._mapping) | values))
        _copy_beside(theirs, ours, log.log, copied.size)
    return Rescued(log.tenant, copied.size, log.size, tuple(copied.lost[:_LOST_TOLD]))


def _copy_rows(ours: Connection, log: int, rows: list[Any], copied: _Copied) -> bool:
    """Copy rows up to the first that is lost; gives whether none was."""
    events, payloads, entries = [], [], []
    start = copied.size
    for row in _in_order(rows, copied):
        events.append((log, row.position, row.type, row.known, row.leaf, row.header))
        if row.body is not None:
            payloads.append((log, row.position, row.key, row.body))
            if row.position == copied.commit[0]:
                entries += _entries(log, row)
    insert_rows(ours, event_table, events)
    insert_rows(ours, payload_table, payloads)
    insert_rows(ours, idempotency_table, entries)
    return copied.size - start == len(rows)


def _in_order(rows: list[Any], copied: _Copied) -> Iterator[Any]:
    for found in rows:
        row = found.row if isinstance(found, Unreadable) else found
        if row is None or row.position != copied.size:
            return
        if not all(isinstance(each, bytes) for each in (row.header, row.leaf, row.body or b"")):
            return
        try:
            header = decode_header(row.header)
        except IntegrityError:
            return
        if isinstance(found, Unreadable) and found.place == "payload":
            copied.lost.append(row.position)
        copied.size, copied.leaf = row.position + 1, row.leaf
        copied.known, copied.commit = header.known, header.commit
        yield row


def _entries(log: int, row: Any) -> list[tuple[Any, ...]]:
    """Give the row of the idempotency index that a payload speaks of."""
    if f'"{idempotency.RESERVED}"'.encode() not in row.body:
        return []
    try:
        found = idempotency.entry_in(members_of(row.body))
    except IntegrityError:
        return []
    return [] if found is None else [(log, *found, row.position)]


def _drop_half_a_commit(ours: Connection, log: int, copied: _Copied) -> None:
    """Take back the last commit, when a part of it was lost."""
    first, count = copied.commit
    if first + count == copied.size:
        return
    for table in (event_table, payload_table, idempotency_table):
        ours.execute(delete(table).where(table.c.log == log, table.c.position >= first))
    copied.size, copied.lost = first, [each for each in copied.lost if each < first]
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
