"""The migrations make the tables that the code uses, no more and no less."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Column, Integer, MetaData, inspect

from smriti_es import migrate as module
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.tables import metadata
from smriti_es.migrate import REVISIONS, SCHEMA_REVISION, migrate, migrations_folder

pytestmark = pytest.mark.sqlite_only("the schema of a file; test_migrate_server.py has the other")


@pytest.fixture
def config() -> Config:
    """Alembic, told where our scripts are."""
    made = Config()
    made.set_main_option("script_location", str(migrations_folder()))
    return made


def differences(database: SqliteDatabase, wanted: MetaData) -> list[Any]:
    with database.read() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": module.VERSION_TABLE}
        )
        return list(compare_metadata(context, wanted))


def test_the_migrations_make_exactly_the_tables_that_the_code_uses(
    database: SqliteDatabase,
) -> None:
    assert differences(database, metadata) == []


def test_a_column_that_no_migration_makes_would_be_noticed(database: SqliteDatabase) -> None:
    wanted = MetaData()
    for table in metadata.sorted_tables:
        table.to_metadata(wanted)
    wanted.tables["event"].append_column(Column("extra", Integer))
    assert [difference[0] for difference in differences(database, wanted)] == ["add_column"]


def test_columns_keys_and_indexes_are_those_of_the_code(database: SqliteDatabase) -> None:
    with database.read() as connection:
        inspector = inspect(connection)
        for table in metadata.sorted_tables:
            found = inspector.get_columns(table.name)
            assert [(c["name"], str(c["type"]), c["nullable"]) for c in found] == [
                (c.name, str(c.type.compile(connection.dialect)), c.nullable) for c in table.columns
            ]
            assert inspector.get_pk_constraint(table.name)["constrained_columns"] == [
                column.name for column in table.primary_key
            ]
            assert {index["name"] for index in inspector.get_indexes(table.name)} == {
                index.name for index in table.indexes
            }
            assert {
                column
                for constraint in inspector.get_unique_constraints(table.name)
                for column in constraint["column_names"]
            } == {column.name for column in table.columns if column.unique}


def test_the_revisions_named_in_the_code_are_those_of_the_scripts(config: Config) -> None:
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_heads() == [SCHEMA_REVISION]
    in_order = [script.revision for script in scripts.walk_revisions()][::-1]
    assert in_order == list(REVISIONS)
    assert len(set(in_order)) == len(in_order)


def test_the_first_migration_can_be_taken_back(database: SqliteDatabase, config: Config) -> None:
    with database.write() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
    with database.read() as connection:
        assert inspect(connection).get_table_names() == ["smriti_es_schema"]


def test_the_migrations_of_this_release_are_where_they_are_looked_for() -> None:
    assert (migrations_folder() / "env.py").is_file()
    assert not (migrations_folder() / "__init__.py").exists()


def test_alembic_s_own_command_line_makes_the_same_schema(tmp_path: Path) -> None:
    root = Path(module.__file__).resolve().parents[1]
    if not (root / "pyproject.toml").is_file():
        pytest.skip("needs a checkout")
    path = tmp_path / "by-hand.db"
    subprocess.run(
        [sys.executable, "-m", "alembic", "-x", f"url=sqlite:///{path}", "upgrade", "head"],
        cwd=root,
        check=True,
        capture_output=True,
    )
    database = SqliteDatabase(path)
    assert migrate(database) is None
    assert differences(database, metadata) == []
    database.close()
