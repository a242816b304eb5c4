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
# Where a connection keeps whether policies hold for its transaction, so that COPY is refused.
ROWS_ARE_GUARDED: Final = "rows are guarded"
_FOREIGN: Final = """
SELECT FROM pg_class WHERE relnamespace = current_schema()::regnamespace
  AND relname = ANY (%s) AND NOT pg_has_role(relowner, 'USAGE') LIMIT 1
"""
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
        """Insert rows by COPY, if there are enough of them; as arrays, where policies forbid COPY.

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
        if connection.info.get(ROWS_ARE_GUARDED):
            connection.exec_driver_sql(self._inserting_arrays(table), _columns_of(table, rows))
            return True
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

    def may_drop(self, connection: Connection, tables: Sequence[str]) -> bool:
        """Tell whether the role may drop tables: whoever owns them may, an application may not."""
        driver = connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection)
        return driver.execute(_FOREIGN, [list(tables)]).fetchone() is None

    def _inserting_arrays(self, table: Table) -> str:
        """Give the insert that takes the values of each column as one array."""
        quote = self.identifier_preparer.quote
        names = ", ".join(quote(column.name) for column in table.columns)
        arrays = ", ".join(
            f"%({column.name})s::{self._array_type(column.type)}" for column in table.columns
        )
        return f"INSERT INTO {quote(table.name)} ({names}) SELECT * FROM unnest({arrays})"  # noqa: S608

    def _array_type(self, type_: Any) -> str:
        return str(type_.compile(dialect=self)).partition(" COLLATE")[0] + "[]"

    def shut_readers_out(self, connection: Connection) -> None:
        """Wait until no snapshot is open that may still read a table which is to be dropped.

        Readers that come meanwhile wait as well, so it is not for long.

        Raises:
            DBAPIError: Somebody reads on.
        """
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {_READERS_WAIT_MS}")
        connection.exec_driver_sql(f"LOCK TABLE {READERS_GATE} IN ACCESS EXCLUSIVE MODE")


def _columns_of(table: Table, rows: Sequence[tuple[Any, ...]]) -> dict[str, list[Any]]:
    values = zip(*rows, strict=True)
    return {column.name: list(each) for column, each in zip(table.columns, values, strict=True)}


registry.register(DRIVER, __name__, PostgresDialect.__name__)
