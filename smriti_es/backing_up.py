"""Back a memory's file up while it is used, and restore it: every copy is checked before it counts.

A backup is the whole file, with every tenant, their keys and their content; what was erased later
is still in it. The signing keys and the newest checkpoints lie outside the file and stay there,
which is how an older copy is noticed. Source: https://www.sqlite.org/backup.html
"""

import os
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from smriti_es.clock import system_clock
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.durable_files import put_in_free_place, sync_file
from smriti_es.events.errors import Conflict, IntegrityError, InvalidInput, StorageUnavailable
from smriti_es.events.locations import names_server
from smriti_es.events.opening import open_database
from smriti_es.events.registry import open_log, tenants
from smriti_es.events.verification import verify_log
from smriti_es.projections.projector import Progress, no_progress
from smriti_es.rollback_guard import RollbackGuard

_PAGES_PER_STEP: Final = 2_048


@dataclass(frozen=True, slots=True)
class CopiedLog:
    """A tenant's log in a copy, whose chain was verified.

    Attributes:
        tenant: Whose log.
        log_id: Its opaque id.
        events: How many events it has.
        head: Leaf hash of the last one, 64 hex.
        behind: Of a restored log, that a newer checkpoint of it is known: nothing is recorded
            before an owner lets it go on (`accept_restore`); otherwise None.
    """

    tenant: str
    log_id: str
    events: int
    head: str
    behind: str | None = None


@dataclass(frozen=True, slots=True)
class Copied:
    """What a backup or a restore made.

    Attributes:
        path: The new file.
        size_bytes: How large it is.
        logs: What it holds, by tenant.
    """

    path: str
    size_bytes: int
    logs: tuple[CopiedLog, ...]


def back_up(
    location: str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    progress: Progress = no_progress,
) -> Copied:
    """Copy a memory's file to a new one while others read and write, and verify the copy.

    The copy is one state of the memory, that of the moment in which copying ended.

    Args:
        location: Path of the memory.
        path: The file to make, which must not be there; it is for the owner alone to read.
        progress: Called with "copy" and pages, then with "verify" and events.

    Raises:
        NotFound: There is no memory.
        InvalidInput: It lies on a server, which has its own means.
        Conflict: There is a file at `path`.
        IntegrityError: The log is not what was written; no file is left at `path`.
        StorageUnavailable: The copy cannot be written; no file is left.
    """
    return _copied(_file_of(location), Path(os.fspath(path)), progress)


def restore(
    backup: str | os.PathLike[str],
    location: str | os.PathLike[str],
    *,
    progress: Progress = no_progress,
) -> Copied:
    """Copy a backup to where no memory lies, and verify it.

    Where a newer checkpoint of one of its logs is known on this machine, what came after the backup
    is lost, and nothing is recorded until an owner has said so (`Engine.accept_restore`).

    Args:
        backup: The file that `back_up` made.
        location: Where the memory is to lie; a file that is there is moved away by you, first.
        progress: Called with "copy" and pages, then with "verify" and events.

    Raises:
        NotFound: There is no backup.
        InvalidInput: The memory is to lie on a server.
        Conflict: There is a file at `location`.
        IntegrityError: The backup is damaged; nothing is left at `location`.
        StorageUnavailable: It cannot be written; nothing is left.
    """
    _file_of(location)
    return _copied(_file_of(backup), Path(os.fspath(location)), progress)


def _file_of(location: str | os.PathLike[str]) -> Path:
    if names_server(os.fspath(location)):
        raise InvalidInput(
            "a memory on a server is backed up by the server's own means",
            hint="Use pg_dump, or a base backup with its archive (docs/postgresql.md).",
            field="location",
        )
    return Path(os.fspath(location))


def _copied(source: Path, path: Path, progress: Progress) -> Copied:
    """Copy beside the new place, verify, and only then give the copy its name."""
    open_database(source, read_only=True).close()  # tells what is no memory, or none at all
    aside = path.with_name(f"{path.name}.part")
    if path.exists():
        raise Conflict(f"there is a file at {path}", hint="Name another, or move it away.")
    try:
        os.close(os.open(aside, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600))
        _copy_pages(source, aside, progress)
        sync_file(aside)
        logs = _verified(aside, path, progress)
        put_in_free_place(aside, path)
    except FileExistsError as error:
        raise Conflict(f"there is a file at {path}", hint="Name another.") from error
    except (OSError, sqlite3.DatabaseError) as error:
        raise StorageUnavailable(
            f"{path} cannot be written: {error}",
            hint="Free space or make the folder writable, and repeat it.",
        ) from error
    finally:
        for ending in ("", "-wal", "-shm", "-lock"):
            with suppress(OSError):
                aside.with_name(f"{aside.name}{ending}").unlink(missing_ok=True)
    return Copied(str(path), path.stat().st_size, logs)


def _copy_pages(source: Path, aside: Path, progress: Progress) -> None:
    def report(_status: int, remaining: int, total: int) -> None:
        progress("copy", total - remaining, total)

    with (
        closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)) as reading,
        closing(sqlite3.connect(aside)) as writing,
    ):
        reading.backup(writing, pages=_PAGES_PER_STEP, progress=report)


def _verified(aside: Path, place: Path, progress: Progress) -> tuple[CopiedLog, ...]:
    """Verify the chain of every log of a copy; tell which of them are behind what is known.

    Raises:
        IntegrityError: One is not what was written.
    """
    database = SqliteDatabase(aside, read_only=True)
    try:
        return tuple(_log_of(database, name, place, progress) for name in tenants(database))
    finally:
        database.close()


def _log_of(database: SqliteDatabase, tenant: str, place: Path, progress: Progress) -> CopiedLog:
    log = open_log(database, tenant, clock=system_clock)
    report = verify_log(log, progress)
    if not report.ok:
        raise IntegrityError(
            f"tenant {tenant}: {report.findings[0]}",
            hint="`smriti-es log verify` names everything that is wrong.",
        )
    guard = RollbackGuard(place.with_name(f"{place.name}-checkpoint-{log.log_id}"))
    problem = guard.problem(log)
    behind = None if problem is None else str(problem)
    return CopiedLog(tenant, log.log_id, report.events, report.head, behind)
