"""Take a bundle into a memory, for good or to look at: checked first, folded anew, compared."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from smriti_es.audit_derived import derived_files
from smriti_es.clock import system_clock
from smriti_es.embedding import VectorWorker
from smriti_es.engine import Engine
from smriti_es.events import idempotency
from smriti_es.events.audit.bundle_files import opened
from smriti_es.events.audit.checking import check_bundle
from smriti_es.events.audit.layout import DERIVED, Manifest
from smriti_es.events.audit.outcome import BundleCheck
from smriti_es.events.audit.unpacking import unpack
from smriti_es.events.catalogue import LogImported
from smriti_es.events.commitment import KEY_BYTES
from smriti_es.events.database import Database
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.errors import ChainBroken, IntegrityError, InvalidInput, SchemaNewer
from smriti_es.events.header import Actor
from smriti_es.events.identifiers import Randomness
from smriti_es.events.locations import names_server
from smriti_es.events.log import Clock, EventLog
from smriti_es.events.opening import open_database
from smriti_es.events.records import Append, NewEvent
from smriti_es.events.registry import assert_not_reserved, assert_tenant_name
from smriti_es.events.signed_note import NoteKey
from smriti_es.extraction_pointer import write_pointer
from smriti_es.founding import founded, zone_named
from smriti_es.known_spaces import KnownSpaces
from smriti_es.migrate import migrate
from smriti_es.opened import Opened
from smriti_es.opening import assemble
from smriti_es.opening_arguments import checked_actor, checked_spaces
from smriti_es.projections.preparing import prepare_projections
from smriti_es.projections.projector import Progress, no_progress
from smriti_es.replaying import Replay
from smriti_es.results import VerifyReport
from smriti_es.settings import Settings
from smriti_es.time_travel import Moment
from smriti_es.version import __version__

_QUIET: Final = Settings(embed_in_background=False, extract_in_background=False)


@dataclass(frozen=True, slots=True)
class ImportedLog:
    """What an import did.

    Attributes:
        tenant: The name of the log from here on.
        log_id: Its opaque id, as it was.
        events: How many events the bundle held.
        head: Position of the `LogImported` that was added.
        checked: What the check of the bundle found; what it could not check is in `incomplete`.
        verified: What a verification of the imported log, as it lies in the database, found; its
            projections were folded just now, and are not compared with themselves.
    """

    tenant: str
    log_id: str
    events: int
    head: int
    checked: BundleCheck
    verified: VerifyReport


def import_audit(  # noqa: PLR0913  everything that may be chosen, each with a default
    bundle: str | os.PathLike[str],
    location: str | os.PathLike[str],
    *,
    tenant: str = "default",
    keys: Sequence[NoteKey] = (),
    since: Sequence[bytes] = (),
    actor: str = "local",
    reason: str = "",
    clock: Clock = system_clock,
    randomness: Randomness = os.urandom,
    progress: Progress = no_progress,
) -> ImportedLog:
    """Take a log over from a bundle, to go on with it here.

    The bundle is checked first, and what follows from it and came along is made anew and compared;
    only then anything is written, all of it or nothing. The log keeps its id, and a `LogImported`
    says that it goes on here, under keys of its own: a request or a fact that was recorded before
    is not recognised by its key any more. Turns that nobody had looked for facts in are left so.

    Args:
        bundle: The folder of the bundle; a whole log with all content that is not erased.
        location: Path of the SQLite file to import into, made when missing, or a database's URL.
        tenant: The name of the log from here on.
        keys: Keys of which one must have signed the bundle's checkpoint; none: that is not checked.
        since: Older checkpoints, kept elsewhere, that the bundle must continue.
        actor: Opaque name of whoever imports; it stays in the log for ever.
        reason: Why.
        clock: Gives microseconds since the epoch.
        randomness: Gives random bytes.
        progress: Called with phase, done and total (events).

    Raises:
        NotFound: There is no bundle.
        ChainBroken: It is not what it says, or not what was signed.
        InvalidInput: It is not a whole log with its content.
        SchemaNewer: A later release wrote it.
        Conflict: The database has this log, or a tenant of this name, already.
        StorageError: The database cannot be written.
    """
    folder, by = Path(os.fspath(bundle)), Actor("owner", checked_actor(actor))
    checked = check_bundle(folder, keys=keys, since=since, progress=progress)
    manifest = _usable(checked, whole=True)
    _compare_derived(folder, checked, progress)
    with database_to_import_into(os.fspath(location)) as database:
        key = randomness(KEY_BYTES)
        head = take_over(
            database, folder, checked, tenant, key, by, reason, clock, randomness, progress
        )
    with Engine.open(
        location, tenant=tenant, embedder=None, extractor=None, settings=_QUIET, clock=clock
    ) as engine:
        verified = engine.verify(projections=False, progress=progress)
    return ImportedLog(tenant, manifest.log, manifest.events, head, checked, verified)


def take_over(  # noqa: PLR0913, PLR0917  what an import chooses
    database: Database,
    folder: Path,
    checked: BundleCheck,
    tenant: str,
    key: bytes,
    by: Actor,
    reason: str,
    clock: Clock = system_clock,
    randomness: Randomness = os.urandom,
    progress: Progress = no_progress,
) -> int:
    """Write a bundle of a whole log that was checked, and that it goes on here, in one commit.

    Args:
        database: Where to.
        folder: The bundle.
        checked: What its check found, which is nothing wrong.
        tenant: The name of the log from here on.
        key: The log's own key from here on, 32 bytes.
        by: Who takes it over.
        reason: Why.
        clock: Gives microseconds since the epoch.
        randomness: Gives random bytes.
        progress: Called with "import", events done and in all.

    Returns:
        Position of the `LogImported`.
    """
    assert_tenant_name(tenant)
    assert_not_reserved(tenant)
    assert checked.manifest is not None
    migrate(database)
    with database.write() as connection:
        unpacked = unpack(connection, folder, checked, tenant, key, progress)
        log = EventLog(database, unpacked.log, checked.manifest.log, clock, randomness)
        event = _taken_over(checked, tenant, idempotency.key_check(key), reason)
        head = log.append_within(connection, Append([NewEvent(event)], by)).last
        write_pointer(connection, unpacked.log, head + 1)
    return head


def _taken_over(checked: BundleCheck, tenant: str, key_check: str, reason: str) -> LogImported:
    return LogImported(
        size=checked.events,
        root=checked.root,
        tenant=tenant,
        engine=f"smriti-es/{__version__}",
        key_check=key_check,
        reason=reason,
    )


def mount_audit(  # noqa: PLR0913  everything that may be chosen, each with a default
    bundle: str | os.PathLike[str],
    *,
    keys: Sequence[NoteKey] = (),
    since: Sequence[bytes] = (),
    space: str = "main",
    spaces: Sequence[str] | None = None,
    timezone: str | None = None,
    clock: Clock = system_clock,
    progress: Progress = no_progress,
) -> Replay:
    """Open a bundle as it is, to read: checked, and folded into a memory in memory.

    What it withholds is read like what was erased. Close it, or use it in a `with` block.

    Args:
        bundle: The folder of the bundle, which must begin with the log.
        keys: Keys of which one must have signed the bundle's checkpoint; none: that is not checked.
        since: Older checkpoints, kept elsewhere, that the bundle must continue.
        space: The space to read.
        spaces: The spaces to read; None: `space`.
        timezone: IANA name of the zone of times without an offset; None: the log's own.
        clock: Gives microseconds since the epoch.
        progress: Called with phase, done and total (events).

    Raises:
        NotFound: There is no bundle.
        ChainBroken: It is not what it says, or not what was signed.
        InvalidInput: It does not begin with the log.
        SchemaNewer: A later release wrote it.

    Cost: One pass over the bundle to check it and one to fold it, held in memory.
    """
    folder = Path(os.fspath(bundle))
    checked = check_bundle(folder, keys=keys, since=since, progress=progress)
    _usable(checked, whole=False)
    opened_bundle, moment = _mounted(
        folder, checked, SqliteDatabase(":memory:"), clock, timezone, progress
    )
    opened_bundle.space, opened_bundle.spaces = space, checked_spaces(space, spaces)
    opened_bundle.known_spaces = KnownSpaces.of(opened_bundle.spaces, space, read_only=True)
    return Replay(opened_bundle, moment)


def _usable(checked: BundleCheck, *, whole: bool) -> Manifest:
    """Give the manifest of a bundle that can be read by this release.

    Raises:
        ChainBroken: Something is wrong with it.
        SchemaNewer: A later release wrote it.
        InvalidInput: It does not begin with the log, or content is withheld that is needed.
    """
    if checked.findings:
        found = checked.findings[0]
        raise ChainBroken(
            f"the bundle is broken: {found}",
            hint="Ask for it anew; `smriti-es log verify-bundle` names everything that is wrong.",
            position=found.position,
        )
    if checked.manifest is None or checked.events == 0:
        raise SchemaNewer(checked.incomplete[0])
    if checked.unknown:
        kind, version = checked.unknown[0]
        raise SchemaNewer(f"event type {kind} version {version} is not known to this release")
    if checked.manifest.first:
        raise InvalidInput(
            f"the bundle begins at position {checked.manifest.first}",
            hint="Ask for one of the whole log.",
        )
    if whole and checked.withheld:
        raise InvalidInput(
            f"the bundle withholds the content of {checked.withheld} events",
            hint="Ask for one with all content, or open this one to read with mount_audit.",
        )
    return checked.manifest


@contextmanager
def database_to_import_into(location: str) -> Iterator[Database]:
    """Open the database to import into; a file that was made for it goes again if that fails."""
    path = Path(location)
    is_new_file = not names_server(location) and not path.exists()
    database = open_database(location)
    try:
        yield database
    except BaseException:
        database.close()
        if is_new_file:
            for suffix in ("", "-wal", "-shm", "-lock"):
                with suppress(OSError):
                    path.with_name(f"{path.name}{suffix}").unlink()
        raise
    database.close()


def _mounted(
    folder: Path,
    checked: BundleCheck,
    database: Database,
    clock: Clock,
    timezone: str | None,
    progress: Progress,
) -> tuple[Opened, Moment]:
    """Fold a bundle into an empty database; it is closed again if that fails."""
    assert checked.manifest is not None
    try:
        migrate(database)
        with database.write() as connection:
            unpacked = unpack(connection, folder, checked, "default", bytes(32), progress)
        log = EventLog(database, unpacked.log, checked.manifest.log, clock)
        kept = founded(log, ())
        mounted = assemble(
            database,
            log,
            embedder=None,
            actor=Actor("owner", "local"),
            space="main",
            spaces=("main",),
            zone=zone_named(timezone or kept.timezone),
            single=kept.single,
            settings=_QUIET,
            clock=clock,
        )
        prepare_projections(mounted.projector)
        mounted.worker = VectorWorker(
            mounted.projector, bind=mounted.bind_embedder, background=False
        )
    except BaseException:
        database.close()
        raise
    return mounted, Moment(unpacked.last, unpacked.known)


def _compare_derived(folder: Path, checked: BundleCheck, progress: Progress) -> None:
    """Make anew what came along and follows from the events, and compare.

    Raises:
        IntegrityError: It is another.
    """
    assert checked.manifest is not None
    if not DERIVED & set(checked.manifest.files):
        return
    with tempfile.TemporaryDirectory() as aside:
        scratch = SqliteDatabase(Path(aside) / "folded.db")
        mounted, _ = _mounted(folder, checked, scratch, system_clock, None, progress)
        try:
            with scratch.read() as connection:
                files = derived_files(mounted.projector, connection)
                for name in sorted(DERIVED & set(checked.manifest.files)):
                    _assert_same(folder, name, files[name])
        finally:
            mounted.close()


def _assert_same(folder: Path, name: str, lines: Iterator[bytes]) -> None:
    with opened(folder, name) as file:
        for line in lines:
            if file.read(len(line)) != line:
                raise IntegrityError(
                    f"{name} does not follow from the events of the bundle",
                    hint="Another release may have written it: ask for a bundle without it.",
                )
        if file.read(1):
            raise IntegrityError(f"{name} holds more than follows from the events of the bundle")
