"""What is derived from the log is made anew when it is damaged; the log itself never is."""

import shutil
import sqlite3
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smriti_es.embedders import CallableEmbedder, HashEmbedder
from smriti_es.engine import Engine
from smriti_es.events.errors import NotAllowed
from smriti_es.examining import Examined
from smriti_es.projections.generation import BUILDING, RETIRED
from smriti_es.projections.projection import Fold
from smriti_es.repairing import Repair, Repaired
from smriti_es.settings import Settings
from smriti_es.witnesses import FolderWitness

Tamper = Callable[..., int]
Run = Callable[..., Any]
FOREGROUND = Settings(embed_in_background=False)


@pytest.fixture
def memory(engine: Callable[..., Engine], embedder: CallableEmbedder) -> Engine:
    """Two sessions about where somebody lives, with facts and vectors."""
    made = engine(embedder=embedder)
    made.add("I live in Hyderabad.", session="s1", at="2024-01-15")
    made.add("I moved to Bengaluru.", session="s2", at="2024-06-02", wait_for="vectors")
    return made


def table_of(memory: Engine, projection: str, stem: str) -> str:
    with memory._opened.database.read() as connection:
        serving = memory._opened.projector.serving(connection)[projection]
    return f"{stem}_v{serving.version}_g{serving.number}"


def log_of(memory: Engine) -> list[bytes]:
    return [event.leaf for event in memory.events(verified=True)]


def examined(memory: Engine, what: str) -> Examined:
    return next(each for each in memory.doctor().examined if each.what == what)


def done(repair: Repair) -> list[tuple[str, bool]]:
    return [(step.what, step.done) for step in repair.steps]


def test_a_memory_that_is_well_is_left_alone(memory: Engine) -> None:
    repair = memory.repair()
    assert (repair.ok, repair.steps) == (True, ())
    assert repair.after is repair.before


@pytest.mark.parametrize(
    ("projection", "stem"),
    [
        ("turns", "turn"),
        ("facts", "fact"),
        ("revisions", "fact_revision"),
        ("entities", "alias"),
        ("lexical", "document"),
        ("vectors", "vector"),
        ("trust", "erasure"),
    ],
)
def test_a_projection_whose_rows_cannot_be_read_is_rebuilt_and_the_log_stays(
    projection: str, stem: str, memory: Engine, past_the_library: Run
) -> None:
    before = log_of(memory)
    past_the_library(f"DROP TABLE {table_of(memory, projection, stem)}")
    repair = memory.repair()
    assert done(repair) == [(projection, True)]
    assert (repair.before.ok, repair.after.ok, repair.ok) == (False, True, True)
    assert log_of(memory) == before
    assert [fact.object for fact in memory.facts("user", "lives_in")] == ["Bengaluru"]


def test_a_projection_that_differs_from_a_replay_is_rebuilt(memory: Engine, tamper: Tamper) -> None:
    table = table_of(memory, "facts", "fact")
    assert tamper(f"DELETE FROM {table} WHERE value = 'bengaluru'") == 1
    assert done(memory.repair()) == [("facts", True)]
    assert [fact.object for fact in memory.facts("user", "lives_in")] == ["Bengaluru"]


def test_a_memory_whose_record_of_erasures_cannot_be_read_opens_and_is_repaired(
    memory: Engine,
    engine: Callable[..., Engine],
    embedder: CallableEmbedder,
    past_the_library: Run,
) -> None:
    table = table_of(memory, "trust", "erasure")
    memory.close()
    past_the_library(f"DROP TABLE {table}")
    again = engine(embedder=embedder)
    assert done(again.repair()) == [("trust", True)]
    again.erase(session="s1")
    assert [turn.text for turn in again.turns()] == ["I moved to Bengaluru."]


@pytest.mark.sqlite_only("a page is one of a file's")
def test_a_damaged_page_of_a_projection_is_left_behind_by_the_rebuild(
    memory: Engine,
    engine: Callable[..., Engine],
    embedder: CallableEmbedder,
    tmp_path: Path,
    damage_page: Callable[[Path, bytes | int], None],
    root_page: Callable[[Path, str], int],
) -> None:
    file, table = tmp_path / "memory.db", table_of(memory, "facts", "fact")
    memory.close()
    damage_page(file, root_page(file, table))
    again = engine(embedder=embedder)
    repair = again.repair()
    assert ("facts", True) in done(repair)
    assert [fact.object for fact in again.facts("user", "lives_in")] == ["Bengaluru"]
    assert all(each.ok for each in repair.after.projections)


@pytest.mark.sqlite_only("the index of words is a virtual table there")
def test_an_index_that_cannot_be_deleted_keeps_the_memory_from_nothing(
    memory: Engine,
    engine: Callable[..., Engine],
    embedder: CallableEmbedder,
    past_the_library: Run,
) -> None:
    past_the_library(f"DROP TABLE {table_of(memory, 'lexical', 'term')}_config")
    repair = memory.repair()
    assert done(repair) == [("lexical", True), ("leftovers", False)]
    assert not repair.ok
    memory.close()
    again = engine(embedder=embedder)
    assert again.doctor().ok
    assert "I live in Hyderabad." in again.context("Hyderabad").text


def test_where_the_log_is_not_what_was_written_nothing_is_made_anew(
    memory: Engine, tamper: Tamper
) -> None:
    table = table_of(memory, "facts", "fact")
    assert tamper("UPDATE event SET known = known + 1 WHERE position = 2") == 1
    assert tamper(f"DELETE FROM {table} WHERE value = 'bengaluru'") == 1
    repair = memory.repair()
    assert done(repair) == [("chain", False)]
    assert "log rescue" in repair.steps[0].told
    assert not repair.ok
    assert "Bengaluru" not in [fact.object for fact in memory.facts("user", "lives_in")]


def test_what_broken_off_work_left_is_deleted(memory: Engine) -> None:
    opened = memory._opened
    projector = opened.projector
    with opened.database.write() as connection:
        turns, lexical = projector.projections["turns"], projector.projections["lexical"]
        begun = projector.add_generation(connection, turns, BUILDING, detail=None)
        retired = projector.add_generation(connection, lexical, RETIRED, detail=None)
        lexical.create(Fold(connection, opened.log.log, 77))
    found = examined(memory, "leftovers")
    assert found.verdict == "note"
    assert found.told == (
        f"lexical {retired.number}, out of service; turns {begun.number}, begun, and 0 events far; "
        "tables of lexical 77 that nothing names"
    )
    repair = memory.repair()
    assert repair.ok
    assert [step.told for step in repair.steps] == [
        f"turns {begun.number}, begun and left at 0 events, is given up",
        "tables of lexical 77, which nothing named, are gone",
        f"lexical {retired.number}, out of service, is gone",
    ]
    assert examined(memory, "leftovers") == Examined("leftovers", "well", "nothing lies about")


def test_what_somebody_is_building_is_left_to_them(memory: Engine) -> None:
    opened = memory._opened
    with opened.database.write() as connection:
        turns = opened.projector.projections["turns"]
        opened.projector.add_generation(connection, turns, BUILDING, detail=None)
    with opened.database.exclusive(f"rebuild-{opened.log.log}-turns"):
        repair = memory.repair()
    assert done(repair) == [("leftovers", False)]
    assert "is being rebuilt" in repair.steps[0].told


@pytest.mark.sqlite_only("rights on files")
def test_files_that_others_may_read_are_closed_to_them(memory: Engine, tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    file.chmod(0o644)
    assert examined(memory, "permissions").verdict == "wrong"
    repair = memory.repair()
    assert repair.ok
    assert repair.steps[0] == Repaired("permissions", "memory.db is the owner's alone")
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.sqlite_only("the graph is kept in a file")
def test_a_damaged_graph_is_built_anew_and_one_that_is_not_needed_is_deleted(
    engine: Callable[..., Engine], embedder: CallableEmbedder, tmp_path: Path
) -> None:
    graph = tmp_path / "memory.db-vectors-1.hnsw"
    small = Settings(embed_in_background=False, graph_threshold=10)
    memory = engine(embedder=embedder, settings=small, extractor=None)
    for number in range(12):
        memory.add(f"Pear number {number}.", session="s1")
    memory.wait_for_vectors()
    content = bytearray(graph.read_bytes())
    content[len(content) // 2] ^= 4
    graph.write_bytes(content)
    repair = memory.repair()
    assert done(repair) == [("graph", True), ("graph", True)]
    assert repair.after.graph is not None
    assert (repair.after.graph.state, repair.after.graph.recall) == ("whole", 1.0)
    memory.close()
    with_less = engine(embedder=embedder, settings=FOREGROUND)
    assert done(with_less.repair()) == [("graph", True)]
    assert not graph.exists()


def test_vectors_of_an_embedder_that_is_not_at_hand_are_not_made_by_another(
    memory: Engine, engine: Callable[..., Engine], past_the_library: Run
) -> None:
    past_the_library(f"DELETE FROM {table_of(memory, 'vectors', 'vector')}")
    memory.close()
    repair = engine(embedder=HashEmbedder()).repair()
    assert done(repair) == [("vectors", False)]
    assert "word-sums" in repair.steps[0].told


def test_only_an_owner_who_may_write_repairs(memory: Engine, engine: Callable[..., Engine]) -> None:
    with pytest.raises(NotAllowed):
        engine(origin="agent").repair()
    with pytest.raises(NotAllowed):
        engine(read_only=True).repair()


def test_the_doctor_names_a_broken_chain(memory: Engine, tamper: Tamper) -> None:
    assert examined(memory, "chain").verdict == "well"
    tamper("UPDATE event SET known = known + 1 WHERE position = 2")
    found = memory.doctor()
    assert not found.ok
    assert [each.what for each in found.examined if each.verdict == "wrong"] == ["chain"]
    assert found.projections == ()


def test_the_doctor_says_how_much_is_attested_and_witnessed(memory: Engine, tmp_path: Path) -> None:
    assert examined(memory, "attestation").verdict == "note"
    size = memory.checkpoint().size
    signed = f"the newest checkpoint attests {size} of {size} events; no witness signed it"
    assert examined(memory, "attestation") == Examined("attestation", "well", signed)
    memory.witness(FolderWitness(tmp_path / "witness"))
    assert examined(memory, "attestation").told.endswith("; witnesses that signed it: 1")


def test_the_doctor_says_whose_vectors_serve_and_who_is_missing(
    memory: Engine, engine: Callable[..., Engine]
) -> None:
    told = "the vectors are those of word-sums"
    assert examined(memory, "embedder") == Examined("embedder", "well", told)
    memory.close()
    without = examined(engine(embedder=None), "embedder")
    assert without == Examined("embedder", "note", f"{told}; there is none to embed questions with")


@pytest.mark.sqlite_only("a disk that is this machine's")
def test_the_doctor_says_when_the_disk_is_nearly_full(
    memory: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(2**30, 2**30 - 2**20, 2**20))
    found = examined(memory, "disk")
    assert found.verdict == "note"
    assert found.told.startswith("1.0 MiB free beside ")


@pytest.mark.sqlite_only("SQLite's version")
@pytest.mark.parametrize(("version", "verdict"), [((3, 51, 2), "note"), ((3, 51, 3), "well")])
def test_the_doctor_warns_of_versions_with_a_known_fault(
    version: tuple[int, ...], verdict: str, memory: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
    assert examined(memory, "versions").verdict == verdict


@pytest.mark.sqlite_only("a journal of a file")
def test_the_doctor_says_that_commits_are_flushed(memory: Engine, tmp_path: Path) -> None:
    said = examined(memory, "durability")
    assert said == Examined("durability", "well", "every commit is flushed (wal, synchronous=FULL)")
    with Engine.open(":memory:", embedder=None) as fleeting:
        assert examined(fleeting, "durability").verdict == "note"


def test_the_doctor_says_what_a_server_may_lose(every_database: Any, tmp_path: Path) -> None:
    place = every_database["postgresql"].named("memory.db")
    with Engine.open(place, embedder=None) as memory:
        found = examined(memory, "durability")
        with memory._opened.database.read() as connection:
            flushed = connection.exec_driver_sql("SHOW fsync").scalar_one()
    assert found.verdict == ("well" if flushed == "on" else "note")
    assert ("fsync=off" in found.told) == (flushed == "off")
