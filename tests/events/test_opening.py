"""Which database a location names."""

import sys
from pathlib import Path

import pytest

from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.errors import MissingExtra
from smriti_es.events.local_state import state_folder
from smriti_es.events.locations import names_server
from smriti_es.events.opening import open_database


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("postgresql+psycopg://me@host/memory", True),
        ("postgresql://host/memory", True),
        ("memory.db", False),
        ("postgresql.db", False),
        ("folder/postgresql+psycopg://memory.db", False),
        ("mysql://host/memory", False),
        (":memory:", False),
    ],
)
def test_the_url_of_a_server_is_told_from_a_path(location: str, expected: bool) -> None:
    assert names_server(location) is expected


def test_a_path_is_a_file_of_sqlite(tmp_path: Path) -> None:
    database = open_database(tmp_path / "memory.db")
    assert isinstance(database, SqliteDatabase)
    database.close()


def test_a_server_without_its_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match="psycopg") as caught:
        open_database("postgresql://localhost/memory")
    assert caught.value.hint == "pip install 'smriti-es[postgres]'"


def test_the_folder_of_this_machine_is_its_owners_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMRITI_ES_STATE", str(tmp_path / "of" / "its" / "own"))
    assert state_folder() == tmp_path / "of" / "its" / "own"
    assert state_folder().stat().st_mode & 0o077 == 0


def test_without_a_variable_it_is_where_programs_keep_their_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SMRITI_ES_STATE", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_folder() == tmp_path / "smriti-es"
