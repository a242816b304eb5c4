"""The schema on PostgreSQL: made once, whoever comes first, and as the code has it."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text

from smriti_es.events.dialect_postgres import PostgresDatabase
from smriti_es.events.errors import SchemaNewer, SchemaOutdated, StorageUnavailable
from smriti_es.events.tables import metadata
from smriti_es.migrate import SCHEMA_REVISION, migrate
from tests.postgres_places import PostgresPlaces, connect


@pytest.fixture
def empty() -> Iterator[str]:
    """The URL of a database without any table."""
    places = PostgresPlaces()
    place = places.another()
    with connect(place) as ours:
        ours.execute("CREATE SCHEMA bare")
    yield f"{place}&options=-csearch_path%3Dbare"
    with connect(place) as ours:
        ours.execute("DROP SCHEMA bare CASCADE")
    places.close()


@pytest.fixture
def fresh(empty: str) -> Iterator[PostgresDatabase]:
    database = PostgresDatabase(empty)
    yield database
    database.close()


def revision(database: PostgresDatabase) -> Any:
    with database.read() as connection:
        return connection.execute(text("SELECT version_num FROM smriti_es_schema")).scalar_one()


def test_an_empty_database_gets_the_schema_that_the_code_has(fresh: PostgresDatabase) -> None:
    assert migrate(fresh) is None
    assert revision(fresh) == SCHEMA_REVISION
    with fresh.read() as connection:
        # The table of versions is alembic's own.
        options = {"include_name": lambda name, kind, _: name != "smriti_es_schema"}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []
        columns = inspect(connection).get_columns("log")
    assert {str(each["type"]) for each in columns} == {"BIGINT", 'TEXT COLLATE "C"', "BYTEA"}


def test_several_who_come_at_once_make_it_once(empty: str) -> None:
    databases = [PostgresDatabase(empty) for _ in range(4)]
    errors: list[Exception] = []

    def make(database: PostgresDatabase) -> None:
        try:
            migrate(database)
        except Exception as error:  # noqa: BLE001  whatever it is, the test fails on it
            errors.append(error)

    threads = [threading.Thread(target=make, args=(each,)) for each in databases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert errors == []
    assert revision(databases[0]) == SCHEMA_REVISION
    for database in databases:
        database.close()


def test_a_database_that_holds_something_else_is_left_alone(
    empty: str, fresh: PostgresDatabase
) -> None:
    with connect(empty) as ours:
        ours.execute("CREATE TABLE invoice (number integer)")
    with pytest.raises(StorageUnavailable, match="other tables"):
        migrate(fresh)


def test_a_database_that_is_only_read_is_not_changed(empty: str) -> None:
    reading = PostgresDatabase(empty, read_only=True)
    with pytest.raises(SchemaOutdated):
        migrate(reading, read_only=True)
    with reading.read() as connection:
        assert inspect(connection).get_table_names() == []
    reading.close()


def test_a_schema_of_a_later_release_is_refused(empty: str, fresh: PostgresDatabase) -> None:
    migrate(fresh)
    with connect(empty) as ours:
        ours.execute("UPDATE smriti_es_schema SET version_num = '9999'")
    with pytest.raises(SchemaNewer, match="9999"):
        migrate(fresh)
