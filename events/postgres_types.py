"""SQLAlchemy's dialect for PostgreSQL and psycopg, with the few things that must not differ.

Text is compared and sorted by code point, as SQLite does it, whatever the collation of the server;
no text is cut off or refused for its length; many rows go in by COPY.
"""

from collections.abc import Sequence
from typing import Any, Final

import psycopg
from psycopg import sql
from sqlalchemy import Connection, Table, exc
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.postgresql.base import PGTypeCompiler
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

# The name by which SQLAlchemy finds this dialect, in the place of "postgresql+psycopg".
DRIVER: Final = "smriti_es_postgresql.psycopg"
_TEXT: Final = 'TEXT COLLATE "C"'
# Every reader shares a lock of this table, from before its snapshot on.
READERS_GATE: Final = "projection"
_READERS_WAIT_MS: Final = 2_000
# From so many rows on COPY, which needs one exchange more, is faster than single inserts.
COPY_FROM: Final = 6


class _TypeCompiler(PGTypeCompiler):
    def visit_string(self, type_: Any, **options: Any) -> str:
        del type_, options
        return _TEXT

    visit_text = visit_string


class PostgresDialect(PGDialect_psycopg):
    """See the module."""

    type_compiler_cls = _TypeCompiler
    supports_statement_cache = True

    def copy_rows(
        self, connection: Connection, table: Table, rows: Sequence[tuple[Any, ...]]
    ) -> bool:
        """Insert rows by COPY, if there are enough of them.

        Args:
            connection: A write transaction.
            table: The table.
            rows: Values in the order of the table's columns.

        Returns:
            Whether they were inserted.

        Raises:
            DBAPIError: As for any other insert.
        """
        if len(rows) < COPY_FROM:
            return False
        driver = connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection)
        statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
            sql.Identifier(table.name),
            sql.SQL(", ").join(sql.Identifier(column.name) for column in table.columns),
        )
        try:
            with driver.cursor() as cursor, cursor.copy(statement) as copy:
                for row in rows:
                    copy.write_row(row)
        except psycopg.Error as error:
            raise exc.DBAPIError.instance(
                "COPY",
                None,
                error,
                psycopg.Error,
                hide_parameters=True,
                connection_invalidated=driver.broken,
                dialect=self,
            ) from error
        return True

    def shut_readers_out(self, connection: Connection) -> None:
        """Wait until no snapshot is open that may still read a table which is to be dropped.

        Readers that come meanwhile wait as well, so it is not for long.

        Raises:
            DBAPIError: Somebody reads on.
        """
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {_READERS_WAIT_MS}")
        connection.exec_driver_sql(f"LOCK TABLE {READERS_GATE} IN ACCESS EXCLUSIVE MODE")


registry.register(DRIVER, __name__, PostgresDialect.__name__)
