"""Opening a memory brings its schema up to date, and never at the price of what is in it."""

import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import inspect, select, text

import smriti_es
from smriti_es import migrate as module
from smriti_es.events.catalogue import TurnRecorded
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.errors import SchemaNewer, SchemaOutdated, StorageUnavailable
from smriti_es.events.header import Actor
from smriti_es.events.log import EventLog
from smriti_es.events.records import NewEvent
from smriti_es.events.registry import Founding, open_log, tenants
from smriti_es.events.tables import log_table, metadata, tree_node_table
from smriti_es.events.verification import verify_log
from smriti_es.migrate import REVISIONS, SCHEMA_REVISION, migrate, migrations_folder

pytestmark = pytest.mark.sqlite_only("files are copied aside; test_migrate_server.py has the other")

NEXT = '''"""A revision of the future."""
import sqlalchemy as sa
from alembic import op

revision = "next"
down_revision = "{before}"
branch_labels = depends_on = None


def upgrade() -> None:
    op.create_table("extra", sa.Column("id", sa.Integer, primary_key=True))
    op.add_column("log", sa.Column("extra", sa.Integer))
    {then}
'''


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[SqliteDatabase]:
    """A file that nothing was written to yet."""
    opened = SqliteDatabase(tmp_path / "fresh.db")
    yield opened
    opened.close()


@pytest.fixture
def next_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Pretend to be the next release, which has one revision more."""

    def pretend(then: str = "pass", *, folder: str = "migrations") -> None:
        copied = tmp_path / "elsewhere" / folder
        shutil.copytree(migrations_folder(), copied, ignore=shutil.ignore_patterns("__pycache__"))
        script = NEXT.format(before=SCHEMA_REVISION, then=then)
        (copied / "versions" / "next.py").write_text(script)
        monkeypatch.setattr(module, "migrations_folder", lambda: copied)
        monkeypatch.setattr(module, "SCHEMA_REVISION", "next")
        monkeypatch.setattr(module, "REVISIONS", (*REVISIONS, "next"))

    return pretend


def revision(database: SqliteDatabase) -> str | None:
    with database.read() as connection:
        return module._revision(connection)


def tables(database: SqliteDatabase) -> set[str]:
    with database.read() as connection:
        return set(inspect(connection).get_table_names())


def tree_rows(database: SqliteDatabase) -> dict[str, list[Any]]:
    """Everything that is kept of trees."""
    with database.read() as connection:
        found = {
            "log": select(log_table.c.log, log_table.c.peaks).order_by(log_table.c.log),
            "tree_node": select(tree_node_table).order_by(*tree_node_table.primary_key),
        }
        return {name: list(connection.execute(each)) for name, each in found.items()}


def copies(database: SqliteDatabase) -> list[Path]:
    return sorted(database.path.parent.glob("*before-schema*"))


def test_a_fresh_file_gets_the_schema_and_needs_no_copy(fresh: SqliteDatabase) -> None:
    assert migrate(fresh) is None
    assert revision(fresh) == SCHEMA_REVISION
    assert tables(fresh) == {*metadata.tables, "smriti_es_schema"}
    assert copies(fresh) == []


def test_a_memory_without_a_file_gets_the_schema_too() -> None:
    database = SqliteDatabase(":memory:")
    assert migrate(database) is None
    assert migrate(database) is None
    assert tables(database) == {*metadata.tables, "smriti_es_schema"}
    database.close()


def test_a_current_database_is_not_written_to(log: EventLog, database: SqliteDatabase) -> None:
    database.close()
    before = database.path.read_bytes()
    again = SqliteDatabase(database.path)
    assert migrate(again) is None
    again.close()
    assert database.path.read_bytes() == before
    assert copies(database) == []


@pytest.mark.parametrize(("current", "loaded"), [(True, "False"), (False, "True")])
def test_alembic_is_loaded_only_when_there_is_something_to_migrate(
    fresh: SqliteDatabase, current: bool, loaded: str
) -> None:
    if current:
        migrate(fresh)
    script = """
import sys
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.migrate import migrate
database = SqliteDatabase(sys.argv[1])
migrate(database)
database.close()
print("alembic" in sys.modules)
"""
    ran = subprocess.run(
        [sys.executable, "-c", script, str(fresh.path)],
        env={"PYTHONPATH": str(Path(smriti_es.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() == loaded


def test_an_older_memory_is_copied_aside_and_then_brought_up_to_date(
    log: EventLog, database: SqliteDatabase, next_release: Callable[..., None]
) -> None:
    next_release()
    copy = migrate(database)
    assert copy == database.path.with_name("memory.db.before-schema-next")
    assert revision(database) == "next"
    assert "extra" in tables(database)
    assert verify_log(log).ok
    older = SqliteDatabase(copy)
    assert revision(older) == SCHEMA_REVISION
    assert "extra" not in tables(older)
    assert verify_log(open_log(older, "default", clock=log.clock)).ok
    older.close()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def test_a_memory_from_before_there_were_trees_gets_those_of_all_its_logs(
    log: EventLog, database: SqliteDatabase
) -> None:
    twin = open_log(database, "twin", clock=log.clock, founding=Founding("UTC", "test"))
    turn = NewEvent(TurnRecorded(session=0, ordinal=0, origin="owner", role="user", text="hello"))
    log.append([turn] * 299, actor=Actor("owner", "tester"))
    trees = tree_rows(database)
    assert len(trees["tree_node"]) == 1
    with database.write() as connection:
        config = Config()
        config.set_main_option("script_location", str(migrations_folder()))
        config.attributes["connection"] = connection
        command.downgrade(config, "0001")
    assert not {"tree_node", "checkpoint"} & tables(database)
    assert migrate(database) == database.path.with_name("memory.db.before-schema-0002")
    assert tree_rows(database) == trees
    assert verify_log(log).ok
    assert verify_log(twin).ok
    assert log.append([turn], actor=Actor("owner", "tester")).first == 300


def test_the_copy_holds_what_was_not_yet_folded_into_the_file(
    log: EventLog, database: SqliteDatabase, next_release: Callable[..., None]
) -> None:
    assert database.path.with_name("memory.db-wal").stat().st_size > 0
    next_release()
    copy = migrate(database)
    assert copy is not None
    older = SqliteDatabase(copy)
    assert tenants(older) == ["default"]
    older.close()


def test_an_older_memory_without_a_file_is_brought_up_to_date_without_a_copy(
    next_release: Callable[..., None],
) -> None:
    database = SqliteDatabase(":memory:")
    migrate(database)
    next_release()
    assert migrate(database) is None
    assert revision(database) == "next"
    database.close()


def test_an_older_memory_opened_to_read_only_is_refused_and_left_alone(
    log: EventLog, database: SqliteDatabase, next_release: Callable[..., None]
) -> None:
    next_release()
    reading = SqliteDatabase(database.path, read_only=True)
    with pytest.raises(SchemaOutdated, match=f"has schema {SCHEMA_REVISION}") as caught:
        migrate(reading, read_only=True)
    assert "without read_only" in caught.value.hint
    assert revision(database) == SCHEMA_REVISION
    assert copies(database) == []
    reading.close()


def test_an_empty_file_opened_to_read_only_is_refused_and_left_empty(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    reading = SqliteDatabase(tmp_path / "empty.db", read_only=True)
    with pytest.raises(SchemaOutdated, match="has schema none"):
        migrate(reading, read_only=True)
    reading.close()
    assert (tmp_path / "empty.db").stat().st_size == 0


@pytest.mark.parametrize("read_only", [True, False])
def test_a_memory_of_a_later_release_is_refused_and_left_alone(
    log: EventLog, database: SqliteDatabase, tamper: Callable[..., int], read_only: bool
) -> None:
    tamper("UPDATE smriti_es_schema SET version_num = '9999'")
    database.close()
    before = database.path.read_bytes()
    again = SqliteDatabase(database.path, read_only=read_only)
    with pytest.raises(SchemaNewer, match=f"schema 9999.*up to {SCHEMA_REVISION}") as caught:
        migrate(again, read_only=read_only)
    assert "Upgrade" in caught.value.hint
    again.close()
    assert database.path.read_bytes() == before
    assert copies(database) == []


@pytest.mark.parametrize("read_only", [True, False])
def test_a_database_of_something_else_is_refused_and_left_alone(
    fresh: SqliteDatabase, read_only: bool
) -> None:
    with fresh.write() as connection:
        connection.execute(text("CREATE TABLE recipe (name TEXT)"))
    other = SqliteDatabase(fresh.path, read_only=read_only)
    with pytest.raises(StorageUnavailable, match="holds other tables and no memory") as caught:
        migrate(other, read_only=read_only)
    assert "new file" in caught.value.hint
    assert tables(fresh) == {"recipe"}
    other.close()


def test_a_migration_that_fails_leaves_the_memory_as_it_was(
    log: EventLog, database: SqliteDatabase, next_release: Callable[..., None]
) -> None:
    next_release(then="raise ArithmeticError('half way')")
    with pytest.raises(ArithmeticError, match="half way"):
        migrate(database)
    assert revision(database) == SCHEMA_REVISION
    assert "extra" not in tables(database)
    assert verify_log(log).ok
    assert len(copies(database)) == 1


@contextmanager
def overtaken_by(other: SqliteDatabase, held: Callable[..., Any]) -> Iterator[None]:
    migrate(other)
    with held():
        yield


def test_a_memory_that_another_process_brings_up_to_date_first_is_not_copied_again(
    log: EventLog,
    database: SqliteDatabase,
    next_release: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    next_release()
    slower = SqliteDatabase(database.path)
    held = slower.held
    monkeypatch.setattr(slower, "held", lambda: overtaken_by(database, held))
    assert migrate(slower) is None
    slower.close()
    older = SqliteDatabase(copies(database)[0])
    assert revision(older) == SCHEMA_REVISION
    older.close()


def test_a_fresh_file_that_another_process_migrates_first_is_fine(
    fresh: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    slower = SqliteDatabase(fresh.path)
    held = slower.held
    monkeypatch.setattr(slower, "held", lambda: overtaken_by(fresh, held))
    assert migrate(slower) is None
    assert tables(slower) == {*metadata.tables, "smriti_es_schema"}
    slower.close()


def test_without_room_for_the_copy_nothing_is_migrated(
    log: EventLog,
    database: SqliteDatabase,
    next_release: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    next_release()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1))
    with pytest.raises(StorageUnavailable, match="no room") as caught:
        migrate(database)
    assert "Free" in caught.value.hint
    assert revision(database) == SCHEMA_REVISION
    assert copies(database) == []


def test_where_the_copy_cannot_be_written_nothing_is_migrated(
    log: EventLog, database: SqliteDatabase, next_release: Callable[..., None]
) -> None:
    next_release()
    database.path.with_name("memory.db.before-schema-next").mkdir()
    with pytest.raises(StorageUnavailable, match="cannot be written"):
        migrate(database)
    assert revision(database) == SCHEMA_REVISION


def test_migrations_are_found_in_a_folder_with_an_odd_name(
    fresh: SqliteDatabase, next_release: Callable[..., None]
) -> None:
    next_release(folder="100% 'odd'")
    migrate(fresh)
    assert revision(fresh) == "next"


def test_migrations_are_found_beside_an_installed_package_and_else_in_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "smriti_es"
    package.mkdir()
    monkeypatch.setattr(module, "__file__", str(package / "migrate.py"))
    assert migrations_folder() == tmp_path / "alembic"
    (package / "migrations").mkdir()
    assert migrations_folder() == package / "migrations"
