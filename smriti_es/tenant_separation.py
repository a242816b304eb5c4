"""Let a server keep tenants apart by itself: row-level security, switched on by the owner."""

import os
from dataclasses import dataclass

from smriti_es.events.errors import InvalidInput
from smriti_es.events.locations import names_server
from smriti_es.events.opening import open_database
from smriti_es.migrate import migrate


@dataclass(frozen=True, slots=True)
class Separation:
    """How a server keeps tenants apart.

    Attributes:
        on: Whether it does.
        tables: The tables that have a policy now, or had one.
        application: The role that was given the use of them; None: none was named.
    """

    on: bool
    tables: tuple[str, ...]
    application: str | None


def separate_tenants(
    location: str | os.PathLike[str], *, on: bool = True, application: str | None = None
) -> Separation:
    """Give every table a policy by which a transaction sees the rows of one tenant alone.

    It holds behind the conditions that every statement has anyway, for the role that owns the
    tables as well, and for tables that are made later. Nobody writes meanwhile; memories that are
    open go on.

    Args:
        location: URL of the database, of the role that owns the tables.
        on: Whether to set the policies, or to take them away.
        application: A role that is to read and write, and owns nothing; the owner must be a member
            of it, so as to drop what it makes in a rebuild.

    Raises:
        InvalidInput: It is no server, or the role cannot be held to a policy or be followed;
            nothing was changed.
        StorageError: The role may not change the tables, or the server cannot be used.
    """
    place = os.fspath(location)
    if not names_server(place):
        raise InvalidInput(
            "only a server keeps tenants apart by itself",
            hint="Give each tenant a file of its own.",
            field="location",
        )
    database = open_database(place)
    try:
        migrate(database)
        from smriti_es.events import postgres_rows  # needs the driver

        with database.creating() as connection:
            if application is not None:
                problem = postgres_rows.role_problem(connection, application)
                if problem is not None:
                    raise InvalidInput(
                        problem, hint='See "A second wall" in postgresql.md.', field="application"
                    )
                postgres_rows.grant(connection, application)
            tables = postgres_rows.switch(connection, on=on)
    finally:
        database.close()
    return Separation(on, tuple(tables), application)
