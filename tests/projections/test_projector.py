"""The contract of projections, points 1 to 6, as the runner keeps it (decisions 27 and 28)."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine
from smriti_es.events.errors import NotFound, ProjectionBehind, ProjectionFailed
from smriti_es.projections import rebuild
from smriti_es.projections.lexical.projection import LexicalProjection
from smriti_es.projections.turns import TurnsProjection
from smriti_es.results import ProjectionStatus

OpenEngine = Callable[..., Engine]
State = Callable[[Engine, str], ProjectionStatus]
Spoil = Callable[..., Callable[[], None]]
Said = Callable[..., Sequence[Any]]
Fingerprints = Callable[[Engine], dict[str, str]]
Unfold = Callable[[Engine, str], None]
INLINE = ("turns", "lexical")


# 1. Pure


@pytest.mark.sqlite_only("its driver tells which tables are read")
def test_no_fold_looks_at_anything_but_the_events_and_its_own_rows(
    pure: list[str],
    engine: OpenEngine,
    embedder: CallableEmbedder,
    a_life: Callable[[Engine], None],
) -> None:
    memory = engine(embedder=embedder)
    a_life(memory)
    memory.wait_for_vectors()
    names = list(memory._opened.projector.projections)
    assert [name for name in names if not memory.rebuild(name).equal] == []
    assert set(pure) == set(names)


@pytest.mark.sqlite_only("its driver tells which tables are read")
def test_the_guard_catches_a_fold_that_reads_the_clock(
    engine: OpenEngine, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    folds: Any = TurnsProjection.apply

    def apply(self: TurnsProjection, prepared: Any, fold: Any) -> None:
        time.time()
        folds(self, prepared, fold)

    memory = engine()
    monkeypatch.setattr(TurnsProjection, "apply", apply)
    request.getfixturevalue("pure")
    with pytest.raises(ProjectionFailed, match="Impure"):
        memory.add("What time is it?", session="clock")


@pytest.mark.sqlite_only("its driver tells which tables are read")
def test_the_guard_catches_a_fold_that_reads_the_tables_of_another(
    engine: OpenEngine, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    folds: Any = TurnsProjection.apply

    def apply(self: TurnsProjection, prepared: Any, fold: Any) -> None:
        fold.connection.exec_driver_sql("SELECT length FROM document_v2_g1").all()
        folds(self, prepared, fold)

    memory = engine()
    monkeypatch.setattr(TurnsProjection, "apply", apply)
    request.getfixturevalue("pure")
    with pytest.raises(ProjectionFailed, match="prohibited"):
        memory.add("How long is it?", session="lengths")


FOLD_AGAIN = """
import sys
from smriti_es.engine import Engine
from smriti_es.settings import Settings
memory = Engine.open(sys.argv[1], embedder=None, settings=Settings(embed_in_background=False))
for name in ("turns", "lexical"):
    report = memory.rebuild(name)
    print(name, report.before, report.after)
    assert memory.check(name)[0].ok
memory.close()
"""


def test_neither_hash_seed_nor_time_zone_nor_locale_changes_a_fingerprint(
    engine: OpenEngine,
    a_life: Callable[[Engine], None],
    run_apart: Callable[..., Any],
    fingerprints: Fingerprints,
    places: Any,
) -> None:
    memory = engine()
    a_life(memory)
    expected = {name: fingerprints(memory)[name] for name in INLINE}
    memory.close()
    place = str(places.named("memory.db"))
    for seed, zone, locale in (("0", "UTC", "C"), ("4711", "Asia/Kathmandu", "tr_TR.UTF-8")):
        said = run_apart("-c", FOLD_AGAIN, place, PYTHONHASHSEED=seed, TZ=zone, LC_ALL=locale)
        assert said.splitlines() == [f"{name} {expected[name]} {expected[name]}" for name in INLINE]


# 2. Checkpoint with the rows


def test_the_checkpoint_carries_position_and_leaf_of_the_last_event(
    engine: OpenEngine, a_life: Callable[[Engine], None]
) -> None:
    memory = engine()
    a_life(memory)
    *_, last = memory.events()
    with memory._opened.database.read() as connection:
        serving = memory._opened.projector.serving(connection)
    assert {serving[name].folded for name in INLINE} == {last.position + 1}
    assert {serving[name].leaf for name in INLINE} == {last.leaf}


def test_rows_of_another_history_are_noticed_and_not_built_upon(
    engine: OpenEngine, tamper: Callable[..., int]
) -> None:
    memory = engine()
    memory.add("One.", session="a")
    assert tamper("UPDATE projection SET leaf = zeroblob(32) WHERE name = 'turns'") == 1
    with pytest.raises(ProjectionBehind, match="another history"):
        memory.add("Two.", session="a")
    assert memory.check("turns")[0].problem == "it was folded from another history: rebuild it"
    memory.rebuild("turns")
    memory.add("Two.", session="a")
    assert memory.verify().ok


def test_a_failing_fold_moves_neither_rows_nor_checkpoint(
    engine: OpenEngine, spoil: Spoil, state: State, said: Said, fingerprints: Fingerprints
) -> None:
    memory = engine()
    memory.add("One.", session="a")
    before = fingerprints(memory)
    spoil(TurnsProjection)
    with pytest.raises(ProjectionFailed) as caught:
        memory.add(said("Two.", "poison", "Three."), session="a")
    assert (caught.value.projection, caught.value.position) == ("turns", 3)
    assert fingerprints(memory) == before
    assert memory.head == 2
    assert state(memory, "turns").folded == 3
    memory.add("Four.", session="a")
    assert [turn.text for turn in memory.turns()] == ["One.", "Four."]


def test_of_two_runners_that_fold_the_same_events_one_gives_way(
    engine: OpenEngine, a_life: Callable[[Engine], None], unfold: Unfold
) -> None:
    memory, other = engine(), engine()
    a_life(memory)
    unfold(memory, "lexical")
    with memory._opened.database.read() as connection:
        generation = memory._opened.projector.serving(connection)["lexical"]
    lexical = memory._opened.projector.projections["lexical"]
    assert memory._opened.projector.advance(lexical, generation, 3) == 3
    assert other._opened.projector.advance(lexical, generation, 5) == 0
    memory._opened.projector.catch_up("lexical")
    assert memory.verify().ok


def test_a_runner_never_brings_a_retired_generation_back(
    engine: OpenEngine,
    state: State,
    spoil: Spoil,
    unfold: Unfold,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory, other = engine(), engine()
    memory.add("One.", session="a")
    unfold(memory, "lexical")
    projector = other._opened.projector
    with other._opened.database.read() as connection:
        unfolded = projector.serving(connection)["lexical"]
    assert projector.advance(LexicalProjection(), unfolded, 2) == 2
    with other._opened.database.read() as connection:
        stale = projector.serving(connection)["lexical"]
    monkeypatch.setattr(rebuild, "sweep", lambda _: 0)
    memory.rebuild("lexical")
    spoil(LexicalProjection, "One")
    with pytest.raises(ProjectionFailed):
        projector.advance(LexicalProjection(), stale, 10)
    assert (state(memory, "lexical").generation, state(memory, "lexical").state) == (2, "active")


# 3. Total


@pytest.mark.parametrize("erased", [[1], [2], [3, 4], list(range(1, 15))])
def test_erased_payloads_fold(
    erased: list[int],
    engine: OpenEngine,
    embedder: CallableEmbedder,
    a_life: Callable[[Engine], None],
    tamper: Callable[..., int],
) -> None:
    memory = engine(embedder=embedder)
    a_life(memory)
    memory.wait_for_vectors()
    for position in erased:
        tamper("DELETE FROM payload WHERE position = ?", position)
    for name in memory._opened.projector.projections:
        memory.rebuild(name)
    assert {report.problem for report in memory.check()} == {None}
    assert not {turn.position for turn in memory.turns()} & set(erased)
    memory.add("Afterwards.", session="garden")
    assert {report.problem for report in memory.check()} == {None}


def test_vectors_of_two_embedders_never_meet_in_one_generation(
    engine: OpenEngine, embedder: CallableEmbedder
) -> None:
    first = engine(embedder=embedder)
    first.add("One.", session="a")
    first.wait_for_vectors()
    other = CallableEmbedder(lambda texts: [[1.0, 0.0]] * len(texts), model="other", dimension=2)
    second = engine(embedder=other)
    second.rebuild("vectors")
    second.add("Two.", session="a")
    opened = first._opened
    with opened.database.read() as connection:
        serving = opened.projector.serving(connection)["vectors"]
    with pytest.raises(ProjectionBehind, match="other"):
        # What a worker does that looked at its embedder just before the other took over.
        opened.projector.advance(opened.projector.projections["vectors"], serving, 10)
    second.wait_for_vectors()
    assert second.check("vectors")[0].ok
    assert second.status().vectors == 2


# 6. Batched


@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_no_batch_size_changes_a_fingerprint(
    batch: int,
    engine: OpenEngine,
    embedder: CallableEmbedder,
    a_life: Callable[[Engine], None],
    fingerprints: Fingerprints,
    unfold: Unfold,
) -> None:
    memory = engine(embedder=embedder)
    a_life(memory)
    memory.wait_for_vectors()
    expected = fingerprints(memory)
    for name in ("turns", "lexical", "vectors"):
        unfold(memory, name)
        memory._opened.projector.catch_up(name, batch=batch)
    assert fingerprints(memory) == expected


def test_one_commit_or_many_give_the_same_rows_but_for_the_time(
    engine: OpenEngine, clock: Any, fingerprints: Fingerprints
) -> None:
    clock.step = 0
    texts = [f"Turn {number} of a walk." for number in range(20)]
    said = [{"role": "user", "content": text, "timestamp": "2026-05-01"} for text in texts]
    whole, single = engine("whole.db"), engine("single.db")
    whole.add(said, session="a")
    for each in said:
        single.add(each, session="a")
    assert fingerprints(whole)["lexical"] == fingerprints(single)["lexical"]
    columns = [(t.position, t.ordinal, t.text, t.said_at) for t in whole.turns()]
    assert columns == [(t.position, t.ordinal, t.text, t.said_at) for t in single.turns()]


# Tenants


def test_two_logs_in_one_file_share_tables_and_never_rows(
    engine: OpenEngine,
    a_life: Callable[[Engine], None],
    embedder: CallableEmbedder,
    fingerprints: Fingerprints,
) -> None:
    alone = engine("alone.db", tenant="b", embedder=embedder)
    a, b = (engine(tenant=name, embedder=embedder) for name in ("a", "b"))
    for memory in (alone, a, b):
        a_life(memory)
        memory.wait_for_vectors()
    a.add("Only a says this of pears.", session="garden", wait_for="vectors")
    assert fingerprints(b)["lexical"] == fingerprints(alone)["lexical"]
    assert b.status().vectors == alone.status().vectors == len(b.turns()) + b.status().facts
    assert len(a.turns()) == len(b.turns()) + 1
    assert all(hit.text != "Only a says this of pears." for hit in b.search("pears"))


@pytest.mark.parametrize("name", ["turns", "lexical", "vectors"])
def test_a_rebuild_of_one_log_leaves_the_others_untouched(
    name: str,
    engine: OpenEngine,
    a_life: Callable[[Engine], None],
    embedder: CallableEmbedder,
    fingerprints: Fingerprints,
) -> None:
    a, b = (engine(tenant=each, embedder=embedder) for each in ("a", "b"))
    for memory in (a, b):
        a_life(memory)
        memory.wait_for_vectors()
    before = (fingerprints(b), b.status().projections, [h.score for h in b.search("pear")])
    assert a.rebuild(name).generation == 2
    assert (fingerprints(b), b.status().projections, [h.score for h in b.search("pear")]) == before
    assert a.verify().ok
    assert b.verify().ok


def test_a_twelfth_log_does_not_read_the_postings_of_the_first(engine: OpenEngine) -> None:
    memories = [engine(tenant=f"t{number}") for number in range(12)]
    for memory in memories:
        memory.add(f"pear of {memory.status().tenant}", session="a")
    for memory in memories:
        assert [hit.text for hit in memory.search("pear")] == [f"pear of {memory.status().tenant}"]
        assert memory.rebuild("lexical").equal


def test_a_projection_that_does_not_exist_is_named(engine: OpenEngine) -> None:
    with pytest.raises(NotFound, match="lexicon"):
        engine().rebuild("lexicon")
    with pytest.raises(NotFound, match="lexicon"):
        engine().check("lexicon")
