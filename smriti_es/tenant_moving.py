"""Move a tenant's log to another database, with proof that all of it arrived.

The log goes as a bundle that is checked as anybody would check one, and is folded anew where it
arrives; the keys that only the database had, checkpoints, vectors and the signing key come along.
Nobody can record to it meanwhile. It is taken out of the first database last, when every projection
there and here has the same fingerprint: until then nothing is lost if anything fails, and the same
call goes on where it was stopped. Source: design page on scale, step 3.
"""

import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Table, delete, select, update

from smriti_es.audit_import import database_to_import_into, take_over
from smriti_es.clock import system_clock
from smriti_es.database_egress import check_database
from smriti_es.egress import policy_of
from smriti_es.engine import Engine
from smriti_es.events import idempotency
from smriti_es.events.audit.checking import check_bundle
from smriti_es.events.catalogue import LogImported, TenantMoved
from smriti_es.events.database import Database, insert_rows
from smriti_es.events.errors import Conflict, IntegrityError
from smriti_es.events.header import Actor
from smriti_es.events.log import Clock, EventLog
from smriti_es.events.records import Append, NewEvent
from smriti_es.events.stored_tree import StoredTree
from smriti_es.events.tables import checkpoint_table, log_table, projection_table
from smriti_es.extraction_pointer import persisted_pointer, write_pointer
from smriti_es.fact_verbs import checked_reason
from smriti_es.migrate import migrate
from smriti_es.opened import Opened
from smriti_es.opening_arguments import checked_actor
from smriti_es.projections.projector import Progress, no_progress
from smriti_es.projections.vectors.projection import VectorsProjection
from smriti_es.projections.vectors.tables import vector_tables
from smriti_es.rollback_guard import RollbackGuard
from smriti_es.settings import Settings
from smriti_es.signing_key import KeyFile
from smriti_es.tenant_destruction import sample_of, scrub_after, system_log, take_out

_QUIET: Final = Settings(embed_in_background=False, extract_in_background=False)
_BATCH: Final = 500
_SILENT_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class Moved:
    """What a move did.

    Attributes:
        tenant: The name of the log where it is now.
        log_id: Its opaque id, as it was.
        events: How many events it had; all of them are there.
        root: Merkle root over them, 64 hex.
        fingerprints: Of every projection, as they were there and are here.
        position: Of the event in the system log of the store it left.
        places: What was found where in that store's files once it was gone: `clean`, `present`, or
            `not reachable` with the reason.
        verified: Whether a sample of its content was looked for in every file and not found.
    """

    tenant: str
    log_id: str
    events: int
    root: str
    fingerprints: Mapping[str, str]
    position: int
    places: Mapping[str, str]
    verified: bool


def move_tenant(  # noqa: PLR0913  everything that may be chosen, each with a default
    source: str | os.PathLike[str],
    tenant: str,
    target: str | os.PathLike[str],
    *,
    name: str | None = None,
    reason: str = "",
    actor: str = "local",
    clock: Clock = system_clock,
    progress: Progress = no_progress,
    profile: str | None = None,
    allowed_hosts: Sequence[str] = (),
) -> Moved:
    """Move a tenant from one database to another, SQLite or PostgreSQL, either way.

    Args:
        source: Path of the SQLite file, or URL of the database, where it is.
        tenant: Its name there.
        target: Path or URL of the database to move it to; a file is made when it is missing.
        name: Its name there; None: as it was.
        reason: Why; it stays in both stores for ever, so name nobody in it.
        actor: Opaque name of whoever moves it.
        clock: Gives microseconds since the epoch.
        progress: Called with phase, done and total (events, or rows).
        profile: As for `Engine.open`; a database is a place that text is sent to.
        allowed_hosts: As for `Engine.open`.

    Raises:
        EgressRefused: The profile does not allow one of the databases; nothing was changed.
        NotFound: There is no such tenant.
        Conflict: The other database has a tenant of that name, or this log, and not from a move
            that was stopped; nothing was changed.
        IntegrityError: The log is not what was written, or not what arrived; it is in both still.
        StorageError: A database cannot be used; the tenant is where it was.
    """
    said, by, there = checked_reason(reason), Actor("owner", checked_actor(actor)), name or tenant
    for place in (source, target):
        check_database(policy_of(profile, allowed_hosts), os.fspath(place))
    Engine.open(source, tenant=tenant, embedder=None, read_only=True).close()
    with Engine.open(
        source, tenant=tenant, embedder=None, extractor=None, settings=_QUIET, clock=clock
    ) as engine:
        opened = engine._opened
        system = system_log(opened.database, clock)
        with opened.database.of(None).write(log=opened.log.log) as connection:
            progress = _kept_alive(connection, progress)
            size = opened.log.size(connection)
            needles = sample_of(opened.log, size, connection)
            root = StoredTree(connection, opened.log.log).at(size).root().hex()
            moved = TenantMoved(log=opened.log.log_id, events=size, root=root, reason=said)
            there = _carry(engine, target, there, moved, by, progress)
            with Engine.open(
                target, tenant=there, embedder=None, extractor=None, settings=_QUIET, clock=clock
            ) as arrived:
                keys = _bring_along(opened, arrived._opened, progress)
                prints = _compared(engine, arrived, progress)
            commit = system.append_within(connection, Append([NewEvent(moved)], by))
            lexical = take_out(opened, connection)
        places, verified = scrub_after(opened, lexical, needles, keys=keys)
    return Moved(there, moved.log, size, root, prints, commit.first, places, verified)


def _kept_alive(connection: Connection, progress: Progress) -> Progress:
    """Say something to the server now and then: it ends a transaction that is silent for long."""
    last = time.monotonic()

    def report(phase: str, done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last > _SILENT_S:
            connection.exec_driver_sql("SELECT 1")
            last = time.monotonic()
        progress(phase, done, total)

    return report


def _carry(
    engine: Engine,
    target: str | os.PathLike[str],
    tenant: str,
    moved: TenantMoved,
    by: Actor,
    progress: Progress,
) -> str:
    """Bring the events there, unless they are; gives the tenant's name there."""
    with database_to_import_into(os.fspath(target)) as database:
        migrate(database)
        found = _arrived_as(database, moved)
        if found is None:
            _send(engine, database, tenant, by, moved.reason, progress)
    return found or tenant


def _arrived_as(database: Database, moved: TenantMoved) -> str | None:
    """Give the tenant's name there, if a move that was stopped has brought the log already.

    Raises:
        Conflict: The log is there, and is not what would have arrived.
    """
    with database.read() as connection:
        c, size = log_table.c, moved.events
        statement = select(c.log, c.tenant, c.size).where(c.log_id == moved.log)
        row = connection.execute(statement).one_or_none()
        if row is None:
            return None
        there = EventLog(database, row.log, moved.log, system_clock)
        for recorded in there.read(size, size + 1, connection=connection):
            event = recorded.event
            if isinstance(event, LogImported) and event.root == moved.root and row.size == size + 1:
                return str(row.tenant)
    raise Conflict(
        f"{database.location} holds the log {moved.log} already: {row.size} events, and the last"
        " of them is not that it arrived",
        hint="Is it the same database, or has the log gone on there? Compare both, then destroy"
        " the one that is not needed (`smriti-es tenant destroy`).",
    )


def _send(
    engine: Engine, database: Database, tenant: str, by: Actor, reason: str, progress: Progress
) -> None:
    """Write the log there, as a bundle that was checked, under the key that it has here."""
    log = engine._opened.log
    with tempfile.TemporaryDirectory(prefix="smriti-es-move-") as aside:
        bundle = Path(aside, "bundle")
        engine.export_audit(bundle, progress=progress)
        checked = check_bundle(bundle, progress=progress)
        if checked.findings:
            raise IntegrityError(
                f"the log is not what was written: {checked.findings[0]}",
                hint="`smriti-es log verify` names everything that is wrong.",
            )
        with log.database.read() as connection:
            key = idempotency.hmac_key(connection, log.log)
        take_over(
            database, bundle, checked, tenant, key, by, reason, log.clock, log.randomness, progress
        )


def _bring_along(source: Opened, target: Opened, progress: Progress) -> bool:
    """Copy what is no event and would be missed: checkpoints, vectors, the key that signs.

    Returns:
        Whether key and newest checkpoint lie elsewhere than before.

    Raises:
        Conflict: Another key of this log lies where the key is to go.
    """
    with source.database.read() as here, target.database.write(log=target.log.log) as there:
        before, after = (
            each.projector.readable(each.projector.serving(at), VectorsProjection.name)
            for each, at in ((source, here), (target, there))
        )
        held, holding = vector_tables(before.number), vector_tables(after.number)
        for copied, place in (
            (checkpoint_table, checkpoint_table),
            (held.vector, holding.vector),
            (held.failure, holding.failure),
            (held.token, holding.token),
        ):
            _copy(here, copied, source.log.log, there, place, target.log.log, progress)
        # The events are the same ones, so what was folded of them there is folded here.
        c = projection_table.c
        there.execute(
            update(projection_table)
            .where(c.log == target.log.log, c.name == before.name, c.generation == after.number)
            .values(folded=before.folded, leaf=before.leaf, detail=before.detail)
        )
        pointer = persisted_pointer(here, source.log.log)
        if pointer is not None:
            write_pointer(there, target.log.log, pointer)
    return _bring_key(source, target)


def _copy(
    here: Connection,
    copied: Table,
    source: int,
    there: Connection,
    place: Table,
    target: int,
    progress: Progress,
) -> None:
    """Copy the rows of one log from a table to another of the same columns, in parts."""
    there.execute(delete(place).where(place.c.log == target))  # of a move that was stopped
    columns = [column for column in copied.c if column.name != "log"]
    every = select(*columns).where(copied.c.log == source).execution_options(yield_per=_BATCH)
    done = 0
    with here.execute(every) as rows:
        for part in rows.partitions():
            insert_rows(there, place, [(target, *row) for row in part])
            done += len(part)
            progress(f"copy {copied.name}", done, done)


def _bring_key(source: Opened, target: Opened) -> bool:
    log_id = source.log.log_id
    here, there = (each.database.beside(f"key-{log_id}") for each in (source, target))
    if here == there or there is None:
        return False
    if here is not None and KeyFile(here).exists():
        key = KeyFile(here).read()
        # Its name aside is random, and only what has the length of a secret is one.
        found = KeyFile(there).made(lambda size: key.secret if size == 32 else os.urandom(size))
        if found.secret != key.secret:
            raise Conflict(f"{there} holds another key of this log", hint="Move it away first.")
    newest = RollbackGuard.beside(source.database, log_id).read()
    if newest is not None:
        RollbackGuard.beside(target.database, log_id).keep(newest)
    return True


def _compared(source: Engine, target: Engine, progress: Progress) -> dict[str, str]:
    """Give the fingerprints of the projections, which must be the same there and here."""
    found = []
    for engine in (source, target):
        reports = engine.check(progress=progress)
        wrong = [f"{each.projection}: {each.problem}" for each in reports if not each.ok]
        if wrong:
            raise IntegrityError(
                f"{engine._opened.database.location}: {'; '.join(wrong)}",
                hint="`smriti-es projections rebuild` folds it anew; then move the tenant again.",
            )
        found.append({each.projection: each.live for each in reports})
    if found[0] != found[1]:
        names = [name for name in found[0] if found[0][name] != found[1].get(name)]
        raise IntegrityError(
            f"what arrived has other {', '.join(names)}", hint="It is still in both databases."
        )
    return found[0]
