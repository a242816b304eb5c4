"""A tenant is destroyed as a whole: its log, keys and projections; the others are left alone."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from smriti_es.embedders import Embedder
from smriti_es.engine import Engine
from smriti_es.events.catalogue import TenantDestroyed
from smriti_es.events.dialect_postgres import PostgresDatabase
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.errors import HeldError, InvalidInput, NotFound, StorageError
from smriti_es.events.opening import open_database
from smriti_es.events.registry import tenants
from smriti_es.settings import Settings
from smriti_es.tenant_destruction import destroy_tenant, destroyed_tenants

Place = str | Path
Open = Callable[..., Engine]
# Words that occur nowhere else, each in another part of a memory.
MARKS = (
    *("qwurzelholz", "qsessionname", "qstatedvalue", "qaliasname", "qholdreason", "qtagged"),
    "qtenantname",
)


@pytest.fixture
def place(places: Any) -> Place:
    """A file with the memories of two tenants, both closed."""
    found: Place = places.named("memory.db")
    return found


@pytest.fixture
def two(engine: Open, place: Place, line_extractor: Callable[..., Any], embedder: Embedder) -> str:
    """Tenant `qtenantname` with a mark in everything, and `other`; gives the id of its log."""
    memory = engine(
        tenant="qtenantname",
        extractor=line_extractor(),
        embedder=embedder,
        settings=Settings(embed_in_background=False, graph_threshold=1),
    )
    memory.add(
        "Ana | likes | qwurzelholz", session="qsessionname", tags=["qtagged"], at="2026-01-01"
    )
    memory.assert_fact("Ana", "owns", "qstatedvalue")
    memory.alias("qaliasname", "Ana")
    memory.release_hold(memory.place_hold(authority="qholdreason", reason="qholdreason"))
    memory.wait_for_vectors()
    memory.search("qwurzelholz")  # the graph is kept from the first question on
    log_id = memory.status().log_id
    memory.close()
    other = engine(tenant="other", extractor=None, embedder=embedder)
    other.add("We plan a trip to Lisbon.", session="qother")
    other.wait_for_vectors()
    other.close()
    return log_id


def marks_in(place: Place, marks: tuple[str, ...] = MARKS) -> set[str]:
    """Give the marks that any file of the store holds, in whatever case."""
    if isinstance(place, str):
        database = PostgresDatabase(place)
        found = {
            each
            for searched in database.search([*map(str.encode, marks)])
            for each in searched.found
        }
        database.close()
        return {each.decode() for each in found}
    stored = b"\0".join(each.read_bytes() for each in files(place)).lower()
    return {mark for mark in marks if mark.encode() in stored}


def files(place: Path) -> list[Path]:
    return [each for each in place.parent.iterdir() if each.name.startswith(place.name)]


def named(place: Place) -> list[str]:
    database = open_database(place, read_only=True)
    try:
        return tenants(database)
    finally:
        database.close()


def test_nothing_of_a_destroyed_tenant_is_left_in_any_file(two: str, place: Place) -> None:
    assert marks_in(place) == set(MARKS)
    destroyed = destroy_tenant(place, "qtenantname")
    assert marks_in(place) == set()
    assert destroyed.verified
    assert set(destroyed.places.values()) == {"clean"}


@pytest.mark.sqlite_only("by the files beside it")
def test_no_file_of_a_destroyed_tenant_is_left(two: str, place: Path) -> None:
    graph = {"memory.db-vectors-1.hnsw", "memory.db-vectors-1.hnsw.json"}
    assert graph <= {each.name for each in files(place)}
    destroy_tenant(place, "qtenantname")
    assert {each.name for each in files(place)} & graph == set()


def test_the_memories_of_others_are_as_they_were(
    engine: Open, two: str, place: Place, embedder: Embedder
) -> None:
    def seen() -> list[Any]:
        with Engine.open(
            place, tenant="other", embedder=embedder, extractor=None, read_only=True
        ) as other:
            hits = [hit.text for hit in other.search("a trip to Lisbon")]
            return [other.head, hits, other.turns(), other.verify().ok, other.check()]

    before = seen()
    destroy_tenant(place, "qtenantname")
    assert seen() == before
    assert before[1:2] == [["We plan a trip to Lisbon."]]
    assert before[3] is True


def test_a_destroyed_tenant_cannot_be_opened_to_read(two: str, place: Place) -> None:
    destroy_tenant(place, "qtenantname")
    assert named(place) == ["other"]
    with pytest.raises(NotFound, match="no tenant 'qtenantname'"):
        Engine.open(place, tenant="qtenantname", embedder=None, read_only=True)


def test_the_store_remembers_that_a_tenant_was_destroyed_and_not_which(
    two: str, place: Place
) -> None:
    destroyed = destroy_tenant(place, "qtenantname", reason="asked for", actor="ops")
    (recorded,) = destroyed_tenants(place)
    assert recorded.event == TenantDestroyed(log=two, events=destroyed.events, reason="asked for")
    assert (recorded.position, recorded.header.actor.id) == (destroyed.position, "ops")
    assert (destroyed.log_id, len(two)) == (two, 32)


def test_every_event_of_a_destroyed_tenant_is_counted(engine: Open, two: str, place: Place) -> None:
    memory = engine(tenant="qtenantname", extractor=None)
    size = memory.head + 1
    memory.close()
    assert destroy_tenant(place, "qtenantname").events == size


def test_where_no_tenant_was_destroyed_there_is_nothing_to_read(two: str, place: Place) -> None:
    assert destroyed_tenants(place) == []


def test_destroyed_tenants_are_read_oldest_first(engine: Open, two: str, place: Place) -> None:
    engine(tenant="other", extractor=None).close()
    destroy_tenant(place, "qtenantname", reason="first")
    destroy_tenant(place, "other", reason="second")
    events = [each.event for each in destroyed_tenants(place)]
    assert [each.reason for each in events if isinstance(each, TenantDestroyed)] == [
        "first",
        "second",
    ]


def test_a_hold_forbids_it_and_nothing_is_destroyed(engine: Open, two: str, place: Place) -> None:
    memory = engine(tenant="qtenantname", extractor=None)
    hold = memory.place_hold(session="anything", authority="court", reason="case 12/7")
    memory.close()
    with pytest.raises(HeldError, match=f"held at position {hold}; nothing was destroyed"):
        destroy_tenant(place, "qtenantname")
    assert named(place) == ["other", "qtenantname"]
    assert destroyed_tenants(place) == []
    with Engine.open(place, tenant="qtenantname", embedder=None, extractor=None) as again:
        assert (again.verify().ok, len(again.turns())) == (True, 1)
        again.release_hold(hold)
    assert destroy_tenant(place, "qtenantname").verified


def test_a_hold_that_has_expired_forbids_nothing(
    engine: Open, two: str, place: Place, clock: Any
) -> None:
    memory = engine(tenant="qtenantname", extractor=None)
    memory.place_hold(authority="court", reason="case 12/7", expires_at="2026-06-03")
    memory.close()
    clock.now += 86_400_000_000
    assert destroy_tenant(place, "qtenantname", clock=clock).verified


def test_a_hold_of_another_tenant_forbids_nothing(engine: Open, two: str, place: Place) -> None:
    other = engine(tenant="other", extractor=None)
    other.place_hold(authority="court", reason="case 12/7")
    other.close()
    assert destroy_tenant(place, "qtenantname").verified


def test_a_tenant_that_is_not_there_cannot_be_destroyed(two: str, place: Place) -> None:
    with pytest.raises(NotFound, match="no tenant 'nobody'"):
        destroy_tenant(place, "nobody")
    assert named(place) == ["other", "qtenantname"]


def test_a_tenant_is_destroyed_once(two: str, place: Place) -> None:
    destroy_tenant(place, "qtenantname")
    with pytest.raises(NotFound):
        destroy_tenant(place, "qtenantname")
    assert len(destroyed_tenants(place)) == 1


@pytest.mark.sqlite_only("by the files beside it")
def test_a_file_that_is_not_there_is_not_made(place: Path) -> None:
    with pytest.raises(StorageError):
        destroy_tenant(place, "qtenantname")
    assert files(place) == []


def test_the_log_of_the_store_itself_is_neither_opened_nor_destroyed(
    engine: Open, two: str, place: Place
) -> None:
    with pytest.raises(InvalidInput, match="the store's own log"):
        engine(tenant="smriti-es:system")
    with pytest.raises(InvalidInput, match="the store's own log"):
        destroy_tenant(place, "smriti-es:system")


def test_a_tenant_of_the_same_name_begins_anew(engine: Open, two: str, place: Place) -> None:
    destroy_tenant(place, "qtenantname")
    again = engine(tenant="qtenantname", extractor=None)
    assert (again.head, again.turns(), again.holds()) == (0, [], [])
    assert again.status().log_id != two
    again.add("I begin anew.", session="qsessionname", at="2026-01-01")
    assert again.verify().ok


def test_nothing_that_was_erased_is_kept_out_of_a_tenant_that_begins_anew(
    engine: Open, two: str, place: Place, line_extractor: Callable[..., Any]
) -> None:
    said = ("Ana | likes | qwurzelholz", "qsessionname")
    memory = engine(tenant="qtenantname", extractor=None)
    memory.erase(session=said[1], forget_values=True)
    memory.close()
    destroy_tenant(place, "qtenantname")
    again = engine(tenant="qtenantname", extractor=line_extractor())
    added = again.add(said[0], session=said[1], at="2026-01-01")
    assert (len(added.positions), added.erased, len(again.facts())) == (1, 0, 1)


@pytest.mark.parametrize("step", ["sample_of", "needles_of_events", "system_log"])
def test_a_failure_inside_leaves_the_tenant_whole(
    two: str, place: Place, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OSError("out of order")

    monkeypatch.setattr(f"smriti_es.tenant_destruction.{step}", fail)
    with pytest.raises(OSError, match="out of order"):
        destroy_tenant(place, "qtenantname")
    assert_whole(place)


def test_a_failure_after_the_rows_are_deleted_brings_them_back(
    two: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    from smriti_es import tenant_destruction

    destroy = tenant_destruction.take_out

    def destroy_and_fail(*given: Any) -> None:
        destroy(*given)
        raise OSError("out of order")

    monkeypatch.setattr(tenant_destruction, "take_out", destroy_and_fail)
    with pytest.raises(OSError, match="out of order"):
        destroy_tenant(place, "qtenantname")
    assert_whole(place)


@pytest.mark.sqlite_only("the write-ahead log and the compaction of a file")
def test_whoever_reads_meanwhile_keeps_it_from_being_cut_off_and_that_is_told(
    two: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smriti_es.tenant_destruction._WAIT_S", 0.0)
    with closing(sqlite3.connect(place, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
        destroyed = destroy_tenant(place, "qtenantname")
    told = destroyed.places["memory.db-wal"]
    assert (told, destroyed.verified) == (
        "not reachable: somebody is reading what was before",
        False,
    )


@pytest.mark.sqlite_only("the write-ahead log and the compaction of a file")
def test_a_failure_after_it_was_destroyed_is_told_where_it_is_left(
    two: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Any) -> None:
        raise StorageError("the disk is full")

    monkeypatch.setattr(SqliteDatabase, "compact", fail)
    destroyed = destroy_tenant(place, "qtenantname")
    assert destroyed.places["freed pages"] == "not reachable: the disk is full"
    assert (destroyed.verified, named(place)) == (False, ["other"])


def assert_whole(place: Place) -> None:
    """See that the tenant is there with all that it had, and that nothing says otherwise."""
    with Engine.open(place, tenant="qtenantname", embedder=None, extractor=None) as again:
        assert again.verify().ok
        assert {report.ok for report in again.check()} == {True}
        assert [turn.text for turn in again.turns()] == ["Ana | likes | qwurzelholz"]
    assert destroyed_tenants(place) == []
