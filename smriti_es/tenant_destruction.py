"""Destroy a tenant as a whole: its log, keys and projections; that it happened is kept elsewhere.

Within a tenant erasure keeps the chain. With the tenant the chain goes too, and with its keys every
tombstone. The store has a system log of its own, which names the log by its opaque id and nothing
else. Source: design page on trust, "Erasure".
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, delete, inspect

from smriti_es.attestation import Attestation
from smriti_es.clock import system_clock
from smriti_es.engine import Engine
from smriti_es.erasure_scan import Needles, needles_of_events, said_elsewhere
from smriti_es.events.catalogue import TenantDestroyed
from smriti_es.events.database import Database
from smriti_es.events.errors import HeldError, NotFound, StorageError
from smriti_es.events.header import Actor
from smriti_es.events.log import Clock, EventLog
from smriti_es.events.opening import open_database
from smriti_es.events.records import Append, NewEvent, RecordedEvent
from smriti_es.events.registry import SYSTEM_TENANT, Founding, open_log
from smriti_es.events.tables import metadata
from smriti_es.fact_verbs import checked_reason
from smriti_es.opened import Opened
from smriti_es.opening_arguments import checked_actor
from smriti_es.projections.generation import RETIRED
from smriti_es.projections.lexical.projection import LexicalProjection, document_table
from smriti_es.projections.projection import Fold
from smriti_es.projections.sweeping import sweep_within
from smriti_es.projections.vectors.graph_file import remove_pair
from smriti_es.version import __version__

_WAIT_S: Final = 2.0
# So many events are enough of a sample to look for afterwards.
_SAMPLE: Final = 500


@dataclass(frozen=True, slots=True)
class Destroyed:
    """What became of a tenant.

    Attributes:
        log_id: The opaque id of its log, 32 hex.
        events: How many events it had.
        position: Of the event in the system log that records it.
        places: What was found where: `clean`, `present`, or `not reachable` with the reason.
        verified: Whether a sample of its content was looked for in every file and not found.
    """

    log_id: str
    events: int
    position: int
    places: Mapping[str, str]
    verified: bool


def destroy_tenant(
    location: str | os.PathLike[str],
    tenant: str,
    *,
    reason: str = "",
    actor: str = "local",
    clock: Clock = system_clock,
) -> Destroyed:
    """Destroy a tenant's log, keys and projections for good.

    Args:
        location: Path of the SQLite file, or URL of the database.
        tenant: Whose log.
        reason: Why; it stays in the system log, so name nobody in it.
        actor: Who does it.
        clock: Gives microseconds since the epoch.

    Raises:
        HeldError: A legal hold of that tenant is in force; nothing was destroyed.
        NotFound: There is no such tenant.
        StorageError: The database could not do it; nothing was destroyed.
    """
    said, who = checked_reason(reason), Actor("owner", checked_actor(actor))
    Engine.open(location, tenant=tenant, embedder=None, read_only=True).close()
    with Engine.open(
        location, tenant=tenant, embedder=None, extractor=None, actor=actor, clock=clock
    ) as engine:
        opened = engine._opened
        system = system_log(opened.database, clock)
        with opened.database.of(None).write() as connection:
            _assert_free_of_holds(engine, clock())
            events = opened.log.size(connection)
            needles = sample_of(opened.log, events, connection)
            destroyed = TenantDestroyed(log=opened.log.log_id, events=events, reason=said)
            commit = system.append_within(connection, Append([NewEvent(destroyed)], who))
            lexical = take_out(opened, connection)
        places, verified = scrub_after(opened, lexical, needles)
    return Destroyed(opened.log.log_id, events, commit.first, places, verified)


def destroyed_tenants(location: str | os.PathLike[str]) -> list[RecordedEvent]:
    """Read which tenants were destroyed, by the ids of their logs; oldest first.

    Args:
        location: Path of the SQLite file, or URL of the database.

    Raises:
        StorageError: There is no such file, or it cannot be read.
    """
    database = open_database(location, read_only=True)
    try:
        events = list(open_log(database, SYSTEM_TENANT, clock=system_clock).read())
    except NotFound:
        return []  # it is founded with the first destruction
    finally:
        database.close()
    return [each for each in events if isinstance(each.event, TenantDestroyed)]


def system_log(database: Database, clock: Clock) -> EventLog:
    """Open the store's own log, founding it when there is none."""
    founding = Founding("UTC", f"smriti-es/{__version__}")
    return open_log(database, SYSTEM_TENANT, clock=clock, founding=founding)


def _assert_free_of_holds(engine: Engine, now: int) -> None:
    holds = [
        each.position for each in engine.holds() if each.expires_at is None or each.expires_at > now
    ]
    if holds:
        named = ("positions " if len(holds) > 1 else "position ") + ", ".join(map(str, holds))
        raise HeldError(f"held at {named}; nothing was destroyed", holds=holds)


def sample_of(log: EventLog, events: int, connection: Connection) -> Needles:
    """Choose what of a log is looked for in the files once it is gone."""
    step = max(1, events // _SAMPLE)
    return needles_of_events(
        [
            each
            for at in range(0, events, step)
            for each in log.read(at, at + 1, connection=connection)
        ]
    )


def take_out(opened: Opened, connection: Connection) -> list[int]:
    """Delete every row of a log in a write transaction; gives the generations of its words."""
    projector = opened.projector
    generations = projector.generations(connection)
    for generation in generations:
        projector.set_state(connection, generation, RETIRED)
    sweep_within(projector, connection)
    for table in reversed(metadata.sorted_tables):
        connection.execute(delete(table).where(table.c.log == opened.log.log))
    return [each.number for each in generations if each.name == LexicalProjection.name]


def scrub_after(
    opened: Opened, lexical: list[int], needles: Needles, *, keys: bool = True
) -> tuple[dict[str, str], bool]:
    """Scrub the files of a store that a log was taken out of, and look for what is left.

    Args:
        opened: The memory whose log is gone.
        lexical: The generations of its full-text index.
        needles: What to look for.
        keys: Whether its key and its newest checkpoint outside the database go, too.

    Returns:
        What was found where, and whether everything was searched and nothing found.
    """
    places = _scrubbed(opened, lexical, keys=keys)
    return places, _search(opened.database, needles, places)


def _scrubbed(opened: Opened, lexical: list[int], *, keys: bool) -> dict[str, str]:
    """Scrub the files; gives what could not be reached."""
    database, places = opened.database, dict[str, str]()
    try:
        if (graph := database.graph_path(opened.log.log)) is not None:
            remove_pair(graph)
    except StorageError as error:
        places["graph of vectors"] = f"not reachable: {error}"
    if keys:
        Attestation.of(opened).forget()
    try:
        left = _compact(opened, lexical)
    except StorageError as error:  # the tenant is gone; what is left of it is told
        left = str(error)
    if left is not None:
        places["freed pages"] = f"not reachable: {left}"
    if (unreached := database.scrub(wait_s=_WAIT_S)) is not None:
        place, _, why = unreached.partition(": ")
        places[place] = f"not reachable: {why}"
    return places


def _compact(opened: Opened, lexical: list[int]) -> str | None:
    """Merge what is left of the index of words, and write the file anew."""
    with opened.database.write() as connection:
        for number in lexical:
            # Where other tenants have rows in it, it is still there.
            if inspect(connection).has_table(document_table(number).name):
                LexicalProjection().optimize(Fold(connection, opened.log.log, number))
    return opened.database.compact()


def _search(database: Database, needles: Needles, places: dict[str, str]) -> bool:
    """Look for a sample of what is gone; says what was found where."""
    clean = not places
    with database.of(None).read() as connection:
        for each in database.search(needles.all):
            left = each.found - said_elsewhere(connection, each.found, set(needles.words))
            clean = clean and not left and each.problem is None
            if each.problem is not None:
                places[each.place] = f"not reachable: {each.problem}"
            places.setdefault(each.place, "present" if left else "clean")
    return clean
