"""Which logs a database holds: a tenant's name leads to its log."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, func, insert, select

from smriti_es.events import idempotency
from smriti_es.events.catalogue import LogOpened
from smriti_es.events.commitment import KEY_BYTES
from smriti_es.events.database import Database, rows_are_new
from smriti_es.events.errors import InvalidInput, NotFound
from smriti_es.events.header import Actor
from smriti_es.events.identifiers import Randomness
from smriti_es.events.log import Clock, EventLog
from smriti_es.events.records import Append, NewEvent
from smriti_es.events.tables import keyring_table, log_table

TENANT_LENGTH_MAX: Final = 200
# The store's own log, which says what became of tenants; no memory can be opened under its name.
SYSTEM_TENANT: Final = "smriti-es:system"
ENGINE_ACTOR: Final = Actor("engine", "smriti-es")


@dataclass(frozen=True, slots=True)
class Founding:
    """What a new log is founded with.

    Attributes:
        timezone: IANA name of the zone in which times without an offset are read.
        engine: Name and version of the software.
        single_valued: Predicates that hold one value at a time; None: nothing is recorded of it.
        trust: Its profile of trust.
    """

    timezone: str
    engine: str
    single_valued: Sequence[str] | None = None
    trust: str = "personal"


def open_log(
    database: Database,
    tenant: str,
    *,
    clock: Clock,
    randomness: Randomness = os.urandom,
    founding: Founding | None = None,
) -> EventLog:
    """Open a tenant's log, founding it when there is none yet.

    Args:
        database: Where the logs lie; its schema must be current.
        tenant: The tenant's name, 1 to 200 characters.
        clock: Gives microseconds since the epoch.
        randomness: Gives random bytes.
        founding: What to found a missing log with; None: a missing log is an error.

    Raises:
        InvalidInput: The name is empty, too long or holds control characters.
        NotFound: There is no such tenant, and nothing to found it with.
    """
    assert_tenant_name(tenant)
    registry = database.of(None)
    with registry.read() as connection:
        found = _find(connection, tenant)
    if found is None:
        if founding is None:
            raise NotFound(
                f"no tenant {tenant!r} in {database.location}",
                hint="Check the name; opened to write, a memory is made for it.",
            )
        found = _found(registry, tenant, founding, clock, randomness)
    return EventLog(database.of(found[0]), found[0], found[1], clock, randomness)


def assert_tenant_name(tenant: object) -> None:
    """Refuse what cannot be the name of a tenant.

    Raises:
        InvalidInput: It is no text, empty, too long or holds control characters.
    """
    fits = isinstance(tenant, str) and 0 < len(tenant) <= TENANT_LENGTH_MAX
    if not (fits and str(tenant).isprintable()):
        raise InvalidInput(
            f"a tenant's name has 1 to {TENANT_LENGTH_MAX} printable characters",
            hint='Leave it out for the tenant "default".',
            field="tenant",
        )


def assert_not_reserved(tenant: object) -> None:
    """Refuse the name of the store's own log.

    Raises:
        InvalidInput: It is that.
    """
    if tenant == SYSTEM_TENANT:
        raise InvalidInput(
            f"{SYSTEM_TENANT} is the store's own log", hint="Name another tenant.", field="tenant"
        )


def tenants(database: Database) -> list[str]:
    """List the tenants' names, in alphabetical order."""
    with database.read() as connection:
        found = connection.execute(select(log_table.c.tenant).order_by("tenant")).scalars()
        return [name for name in found if name != SYSTEM_TENANT]


def _find(connection: Connection, tenant: str) -> tuple[int, str] | None:
    row = connection.execute(
        select(log_table.c.log, log_table.c.log_id).where(log_table.c.tenant == tenant)
    ).one_or_none()
    return None if row is None else (row.log, row.log_id)


def _found(
    database: Database, tenant: str, founding: Founding, clock: Clock, randomness: Randomness
) -> tuple[int, str]:
    """Write the registry row, the key and the genesis event in one transaction."""
    with database.write() as connection:
        if (existing := _find(connection, tenant)) is not None:
            return existing  # another process was faster
        number = connection.execute(
            select(func.coalesce(func.max(log_table.c.log), 0) + 1)
        ).scalar_one()
        log_id = randomness(16).hex()
        key = randomness(KEY_BYTES)
        connection.execute(
            insert(log_table).values(
                log=number,
                log_id=log_id,
                tenant=tenant,
                size=0,
                head=bytes(32),
                known=0,
                peaks=b"",
            )
        )
        with rows_are_new(f"a key for log {number}, which is not in the registry,"):
            connection.execute(insert(keyring_table).values(log=number, hmac_key=key))
        genesis = LogOpened(
            tenant=tenant,
            timezone=founding.timezone,
            engine=founding.engine,
            key_check=idempotency.key_check(key),
            single_valued=founding.single_valued,
            trust=founding.trust,
        )
        log = EventLog(database, number, log_id, clock, randomness)
        log.append_within(connection, Append([NewEvent(genesis)], ENGINE_ACTOR))
        return number, log_id
