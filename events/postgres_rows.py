"""Row-level security: a second wall between tenants, behind the conditions of our statements.

Every table with a column `log` gets one policy: a transaction sees and writes the rows of the log
that it has named in the setting `smriti_es.log`, and no row at all if it has named none. It is
named for one transaction (`SET LOCAL`), so that no connection carries it over to the next one. What
concerns every log (a new tenant, a migration) names `EVERY_LOG`. The policies are forced upon the
owner of the tables, too. Whoever may send statements of his own can name any log: this wall is for
a condition that was forgotten. Source: https://www.postgresql.org/docs/16/ddl-rowsecurity.html.
"""

from typing import Any, Final, LiteralString

from psycopg import sql
from sqlalchemy import Connection, Table, event

from smriti_es.events.postgres_connection import driver_of, run

# No log has this number.
EVERY_LOG: Final = -1
_POLICY: Final = "smriti_es_log"
# Read once a statement, not once a row; empty after a transaction that had set it.
_NAMED: Final = "(SELECT nullif(current_setting('smriti_es.log', true), '')::bigint)"
_SWITCH_ON: Final = f"""
ALTER TABLE {{table}} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {{table}} FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS {_POLICY} ON {{table}};
CREATE POLICY {_POLICY} ON {{table}} USING (log = {_NAMED} OR {_NAMED} = {EVERY_LOG})
"""
_SWITCH_OFF: Final = f"""
DROP POLICY IF EXISTS {_POLICY} ON {{table}};
ALTER TABLE {{table}} NO FORCE ROW LEVEL SECURITY;
ALTER TABLE {{table}} DISABLE ROW LEVEL SECURITY
"""
_OF_LOGS: Final = """
SELECT relname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'log'
WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY relname
"""
_IS_ON: Final = "SELECT relrowsecurity FROM pg_class WHERE oid = to_regclass('event')"
_ROLE: Final = """
SELECT rolsuper OR rolbypassrls, pg_has_role(oid, current_user, 'MEMBER'),
  pg_has_role(current_user, oid, 'MEMBER')
FROM pg_roles WHERE rolname = %s
"""
_USE: Final = "SELECT, INSERT, UPDATE, DELETE"
_GRANTS: Final = f"""
GRANT USAGE, CREATE ON SCHEMA {{schema}} TO {{role}};
GRANT {_USE} ON ALL TABLES IN SCHEMA {{schema}} TO {{role}};
ALTER DEFAULT PRIVILEGES IN SCHEMA {{schema}} GRANT {_USE} ON TABLES TO {{role}}
"""


def naming(log: int | None) -> str:
    """Give the statement that names the log of a transaction; None: every log."""
    return f"SET LOCAL smriti_es.log = '{EVERY_LOG if log is None else int(log)}'"


def is_on(connection: Connection) -> bool:
    """Tell whether the rows of the logs are kept apart by the server."""
    return bool(connection.exec_driver_sql(_IS_ON).scalar())


def switch(connection: Connection, *, on: bool) -> list[str]:
    """Set the policy on every table that has rows of logs, or take it away; gives the tables."""
    tables = [str(name) for name in connection.exec_driver_sql(_OF_LOGS).scalars()]
    for table in tables:
        _set_policy(connection, table, _SWITCH_ON if on else _SWITCH_OFF)
    return tables


def role_problem(connection: Connection, role: str) -> str | None:
    """Say why a role cannot be the application's, or None.

    Args:
        connection: A transaction of the role that owns the tables.
        role: The role that the application connects as.
    """
    row = connection.exec_driver_sql(_ROLE, (role,)).one_or_none()
    if row is None:
        return f"there is no role {role}"
    passes, owns, can_be_followed = row
    if passes:
        return f"{role} is a superuser or has BYPASSRLS, so that no policy holds for it"
    if owns:
        return f"{role} owns the tables, or is a member of the role that does"
    return None if can_be_followed else f"the owner of the tables is no member of {role}"


def grant(connection: Connection, role: str) -> None:
    """Let a role read and write every table there is and comes, and make those of a rebuild."""
    schema = connection.exec_driver_sql("SELECT current_schema()").scalar_one()
    names = {"schema": sql.Identifier(str(schema)), "role": sql.Identifier(role)}
    run(connection, sql.SQL(_GRANTS).format(**names).as_string(driver_of(connection)))


def _set_policy(connection: Connection, table: str, statements: LiteralString) -> None:
    named = sql.SQL(statements).format(table=sql.Identifier(table))
    run(connection, named.as_string(driver_of(connection)))


@event.listens_for(Table, "after_create")
def _keep_apart(table: Table, connection: Connection, **_: Any) -> None:
    """Set the policy on a table that is made later, wherever it is made."""
    if connection.dialect.name == "postgresql" and "log" in table.c and is_on(connection):
        _set_policy(connection, table.name, _SWITCH_ON)
