"""Erasure on PostgreSQL: tables are written anew, and the files of the server searched."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.dialect_postgres import PostgresDatabase
from smriti_es.settings import Settings
from tests.postgres_places import PostgresPlaces, connect

# Long enough to lie outside its row, where it would be compressed.
SECRET = "The vault of Zanzibar opens with walnuts. " * 120
PIECE = b"vault of Zanzibar"
ELSEWHERE = {
    "write-ahead log of the server and its archive",
    "replicas and replication slots",
    "backups, exports and disk blocks",
}


@pytest.fixture
def place(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of a database."""
    monkeypatch.setenv("SMRITI_ES_STATE", str(tmp_path / "state"))
    places = PostgresPlaces()
    yield places.named("memory.db")
    places.close()


def opened(place: str, **options: Any) -> Engine:
    quiet = Settings(embed_in_background=False)
    return Engine.open(place, embedder=None, extractor=None, settings=quiet, **options)


def in_the_files(place: str) -> bool:
    database = PostgresDatabase(place)
    (searched,) = database.search([PIECE, b"vault"])
    database.close()
    assert searched.problem is None
    return bool(searched.found)


def test_what_was_erased_is_in_no_file_of_the_tables_and_what_stays_is(place: str) -> None:
    with opened(place) as memory:
        memory.add("A pear is a fruit.", session="kept")
        memory.add(SECRET, session="gone")
        assert in_the_files(place)
        erased = memory.erase(session="gone")
        assert erased.verified
        assert erased.pending is None
        assert erased.places == {
            "tables and indexes": "clean",
            **dict.fromkeys(ELSEWHERE, "not reachable"),
        }
        assert [turn.text for turn in memory.turns()] == ["A pear is a fruit."]
        assert memory.verify().ok
    assert not in_the_files(place)


def test_a_row_that_was_only_deleted_is_still_found_in_the_files(place: str) -> None:
    """The search sees what no query does: without it, `clean` would say nothing."""
    with opened(place) as memory:
        memory.add(SECRET, session="gone")
    with connect(place) as ours:
        ours.execute("DELETE FROM payload")
        ours.execute("VACUUM payload")
    assert in_the_files(place)


def test_a_role_that_may_not_read_the_servers_files_is_told_so(place: str) -> None:
    with opened(place) as memory:
        memory.add(SECRET, session="gone")
    with connect(place) as ours:
        database = ours.info.dbname
        ours.execute(f'CREATE ROLE "{database}_plain" LOGIN')
        ours.execute(f'GRANT CREATE ON SCHEMA public TO "{database}_plain"')
        own = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        for (name,) in ours.execute(f"{own} AND relkind = 'r'").fetchall():
            ours.execute(f'ALTER TABLE "{name}" OWNER TO "{database}_plain"')
    user = f"{database}_plain"
    try:
        plain = place.replace("//test@", f"//{user}@")
        assert plain != place
        with opened(plain) as memory:
            erased = memory.erase(session="gone")
            assert not erased.verified
            assert erased.pending is None
            found = erased.places["tables and indexes"]
            assert found.startswith("not reachable: written anew, not searched: permission denied")
        assert not in_the_files(place)
    finally:
        with connect(place) as ours:
            ours.execute(f'REASSIGN OWNED BY "{user}" TO CURRENT_USER')
            ours.execute(f'DROP OWNED BY "{user}"')
            ours.execute(f'DROP ROLE "{user}"')


def test_somebody_who_reads_what_was_before_is_told_and_the_next_opening_goes_on(
    place: str, hurried: Callable[[], Any]
) -> None:
    with opened(place) as memory:
        memory.add(SECRET, session="gone")
        reader = PostgresDatabase(place)
        with hurried(), reader.read() as connection:
            connection.exec_driver_sql("SELECT count(*) FROM log").all()
            erased = memory.erase(session="gone")
            assert erased.pending is not None
            assert "somebody is reading" in erased.pending
            assert not erased.verified
        reader.close()
        assert memory.status().degraded[-1].startswith("erasure: not scrubbed")
    with opened(place) as memory:
        assert not any(each.startswith("erasure") for each in memory.status().degraded)
    assert not in_the_files(place)


def test_a_transaction_of_another_database_that_began_before_is_waited_for_and_told(
    place: str, hurried: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every snapshot counts it as running, so that a table written anew keeps what was erased."""
    monkeypatch.setattr("smriti_es.events.dialect_postgres._COMPACT_WAIT_S", 0.1)
    elsewhere = PostgresPlaces()
    with opened(place) as memory, connect(elsewhere.named("another.db")) as other:
        memory.add(SECRET, session="gone")
        with hurried(), other.transaction():
            other.execute("SELECT pg_current_xact_id()")
            erased = memory.erase(session="gone")
            assert erased.pending == "tables and indexes: somebody is reading what was before"
    with opened(place) as memory:
        assert not any(each.startswith("erasure") for each in memory.status().degraded)
    assert not in_the_files(place)
    elsewhere.close()
