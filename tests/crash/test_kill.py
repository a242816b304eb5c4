"""SIGKILL at every named step: what was acknowledged stays, and nothing is half there (BC-80)."""

import json
import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine
from smriti_es.events.catalogue import EmbedderChanged, LogOpened

Kill = Callable[..., dict[str, Any]]
Reopened = Callable[..., Engine]
AssertWhole = Callable[[Engine, Sequence[Any]], set[int]]

GUARANTEES = os.environ.get("SMRITI_ES_GUARANTEES") == "1"
STEPS = (
    "head locked",
    "decided",
    "events inserted",
    "payloads inserted",
    "projected",
    "head moved",
    "committed",
    "between commits",
)
# 8 x 25 kills in an append, of which two of each step are the sample.
NTHS = tuple(range(1, 26)) if GUARANTEES else (1, 4)
RANDOM_KILLS = 100 if GUARANTEES else 4


def small_embedder(model: str = "small") -> CallableEmbedder:
    def embed(texts: list[str]) -> list[list[float]]:
        return [[1.0, 1.0 + len(text) % 7, 2.0] for text in texts]

    return CallableEmbedder(embed, model=model, dimension=3)


@pytest.fixture
def filled(reopened: Reopened) -> Engine:
    """A memory of ten adds with vectors, still open in this process."""
    engine = reopened(embedder=small_embedder())
    for number in range(10):
        texts = [f"add {number} turn {turn} about pears" for turn in range(3)]
        engine.add([{"role": "user", "content": text} for text in texts], session="old")
    engine.wait_for_vectors()
    return engine


@pytest.mark.parametrize("nth", NTHS)
@pytest.mark.parametrize("step", STEPS)
def test_an_append_killed_at_a_step_is_whole_or_absent(
    step: str, nth: int, kill: Kill, reopened: Reopened, assert_whole: AssertWhole
) -> None:
    said = kill("append", step=step, nth=nth, first=0, adds=nth + 1, threads=1)["said"]
    engine = reopened()
    found = assert_whole(engine, said)
    # Acknowledged in order, so that at most the one in hand may be there besides.
    assert len(said) <= len(found) <= len(said) + 1
    assert found == set(range(len(found)))
    if step not in ("committed", "between commits"):
        assert len(found) == len(said)
    engine.add([{"role": "user", "content": f"add 99 turn {n}"} for n in range(3)], session="new")
    assert assert_whole(engine, said) == {*found, 99}


@pytest.mark.parametrize("nth", NTHS)
@pytest.mark.parametrize("step", ["decided", "head moved", "committed"])
def test_threads_that_share_a_commit_die_together_and_lose_nothing_acknowledged(
    step: str, nth: int, kill: Kill, reopened: Reopened, assert_whole: AssertWhole
) -> None:
    nth = 3 * nth + 5
    said = kill("append", step=step, nth=nth, first=0, adds=nth, threads=6)["said"]
    assert_whole(reopened(), said)


@pytest.mark.parametrize("number", range(RANDOM_KILLS))
def test_a_kill_at_any_moment_loses_nothing_acknowledged(
    number: int, kill: Kill, reopened: Reopened, assert_whole: AssertWhole
) -> None:
    chance = random.Random(number)
    job = {"first": 0, "adds": 300, "threads": chance.choice((1, 2, 5))}
    said = kill("append", kill_after=chance.randint(1, 30), **job)["said"]
    assert_whole(reopened(), said)


def test_kills_in_a_row_add_up(kill: Kill, reopened: Reopened, assert_whole: AssertWhole) -> None:
    said: list[Any] = []
    for number, step in enumerate(STEPS):
        said += kill("append", step=step, nth=3, first=100 * number, adds=5, threads=1)["said"]
    assert len(assert_whole(reopened(), said)) >= len(said)


@pytest.mark.parametrize("step", ["head locked", "projected", "head moved", "committed"])
def test_who_has_the_file_open_meanwhile_goes_on_at_once(
    step: str, filled: Engine, kill: Kill, assert_whole: AssertWhole
) -> None:
    filled.search("pears")
    said = kill("append", step=step, nth=2, first=20, adds=5, threads=1)["said"]
    filled.add([{"role": "user", "content": f"add 50 turn {n}"} for n in range(3)], session="old")
    assert {20, 50} <= assert_whole(filled, said)
    assert len(filled.search("turn 2 of add 50", k=200)) == len(filled.turns())


@pytest.mark.parametrize(
    "step",
    [
        "schema written",
        "head locked",
        "events inserted",
        "head moved",
        "founded",
        "projections begun",
        "before the first fold",
    ],
)
def test_a_memory_whose_founding_was_killed_is_founded_once(
    step: str, kill: Kill, reopened: Reopened, assert_whole: AssertWhole
) -> None:
    assert kill("found", step=step)["said"] == []
    engine = reopened(embedder=small_embedder())
    engine.add([{"role": "user", "content": f"add 0 turn {n}"} for n in range(3)], session="a")
    engine.wait_for_vectors()
    assert assert_whole(engine, []) == {0}
    founded = [each.position for each in engine.events() if isinstance(each.event, LogOpened)]
    assert founded == [0]


REBUILD_STEPS = [
    ("rows written", 1),
    ("rows written", 3),
    ("step committed", 3),
    ("about to flip", 1),
    ("flipped", 1),
    ("switched", 1),
    ("about to sweep", 1),
    ("tables dropped", 1),
    ("swept", 1),
]


# The last: two in one pass.
NAMES = ("turns", "lexical", "vectors", "turns lexical")
# Every step with every projection; in the sample, with one of them.
REBUILDS = [
    (step, nth, name)
    for number, (step, nth) in enumerate(REBUILD_STEPS)
    for name in (NAMES if GUARANTEES else (NAMES[number % len(NAMES)],))
]


@pytest.mark.parametrize(("step", "nth", "projection"), REBUILDS)
def test_a_rebuild_killed_at_a_step_leaves_one_generation_that_serves(
    step: str, nth: int, projection: str, filled: Engine, kill: Kill, assert_whole: AssertWhole
) -> None:
    before = [hit.position for hit in filled.search("pears turn 2", k=30)]
    kill("rebuild", step=step, nth=nth, projection=projection, model="small")
    serving = [each for each in filled.status().projections if each.state == "active"]
    assert sorted(each.name for each in serving) == sorted(filled._opened.projector.projections)
    assert all(each.behind == 0 for each in serving)
    assert [hit.position for hit in filled.search("pears turn 2", k=30)] == before
    assert {each.problem for each in filled.check()} == {None}
    reports = filled.rebuild_all(projection.split())
    assert [report.equal for report in reports] == [True] * len(reports)
    built_before = step in ("step committed", "about to flip", "flipped") or nth == 3
    assert {report.resumed_at > 0 for report in reports} == {built_before}
    assert_whole(filled, [])
    assert {each.state for each in filled.status().projections} == {"active"}


# A step, for the how many-th time it kills, and how many steps of eight events were done by then.
SWITCH_STEPS = [
    ("embedding", 1, 0),
    ("embedding", 3, 2),
    ("rows written", 1, 0),
    ("rows written", 3, 2),
    ("step committed", 4, 3),
    ("about to flip", 1, 5),
    ("flipped", 1, 5),
]
SWITCHED = ["switched", "about to sweep", "tables dropped"]


@pytest.mark.parametrize(
    ("step", "nth", "steps"), [*SWITCH_STEPS, *((step, 1, 0) for step in SWITCHED)]
)
def test_a_killed_switch_of_the_embedder_took_place_or_is_gone_on_with(
    step: str,
    nth: int,
    steps: int,
    filled: Engine,
    kill: Kill,
    reopened: Reopened,
    assert_whole: AssertWhole,
) -> None:
    before = [(hit.position, hit.score) for hit in filled.search("pears turn 2", k=30)]
    kill("switch", step=step, nth=nth)
    changed = [
        each.event.embedder["model"]
        for each in filled.events()
        if isinstance(each.event, EmbedderChanged)
    ]
    switched = step in SWITCHED
    assert changed == (["small", "successor"] if switched else ["small"])
    embedder = filled.status().embedder
    assert embedder is not None
    assert embedder["model"] == changed[-1]
    found = filled.search("pears turn 2", k=30)
    assert [each.split(",")[0] for each in found.degraded] == (
        ["semantic: the vectors were made by another embedder"] if switched else []
    )
    assert switched or [(hit.position, hit.score) for hit in found] == before
    assert filled.embedder_state().next_folded == min(8 * steps, filled.head + 1)
    asked: list[str] = []

    def embed(texts: list[str]) -> list[list[float]]:
        asked.extend(texts)
        return [[1.0, 1.0 + len(text) % 7, 2.0, 1.0] for text in texts]

    successor = CallableEmbedder(embed, model="successor", dimension=4)
    again = reopened(embedder=successor)
    done = again.switch_embedder(successor)
    assert (done.position is None) == switched
    assert len(asked) == done.items == (0 if switched else 30 - done.resumed)
    assert again.search("pears").degraded == ()
    assert (again.status().vectors, again.status().pending) == (30, 0)
    assert {each.state for each in again.status().projections} == {"active"}
    assert_whole(again, [])


@pytest.mark.parametrize("nth", [1, 3])
@pytest.mark.parametrize("step", ["embedding", "rows written", "step committed"])
def test_embedding_goes_on_after_a_kill_where_it_stopped(
    step: str, nth: int, kill: Kill, reopened: Reopened, assert_whole: AssertWhole
) -> None:
    kill("append", killed=False, first=0, adds=10, threads=1)
    kill("embed", step=step, nth=nth)
    engine = reopened(embedder=small_embedder())
    done = engine.status().vectors
    assert (done > 0) == (nth == 3)
    assert done < 30
    asked: list[str] = []

    def embed(texts: list[str]) -> list[list[float]]:
        asked.extend(texts)
        return small_embedder().embed(texts).tolist()  # type: ignore[no-any-return]

    again = reopened(embedder=CallableEmbedder(embed, model="small", dimension=3))
    again.wait_for_vectors()
    assert len(asked) == 30 - done
    assert (again.status().vectors, again.status().pending) == (30, 0)
    assert again.rebuild("vectors").equal
    assert_whole(again, [])


IMPORT_KILLS = range(1, 12) if GUARANTEES else (1, 4, 9)


@pytest.mark.parametrize("nth", IMPORT_KILLS)
@pytest.mark.parametrize("step", ["decided", "events inserted"])
def test_an_import_goes_on_after_a_kill_and_records_everything_once(
    step: str, nth: int, kill: Kill, reopened: Reopened, assert_whole: AssertWhole, tmp_path: Path
) -> None:
    file = tmp_path / "chats.jsonl"
    texts = [f"add {number} turn {turn} about pears" for number in range(12) for turn in range(3)]
    lines = [{"session": text[:6], "role": "user", "content": text} for text in texts]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    kill("import", step=step, nth=nth, file=str(file))
    engine = reopened()
    there = len(engine.turns())
    assert there == len(assert_whole(engine, [])) * 3 < 36
    done = engine.import_file(file)
    assert (done.recorded, done.replayed) == (36 - there, there)
    assert assert_whole(engine, []) == set(range(12))
    assert engine.import_file(file).recorded == 0


CHECKPOINT_KILLS = 40 if GUARANTEES else 4


@pytest.mark.parametrize("closing", [False, True])
@pytest.mark.parametrize("number", range(CHECKPOINT_KILLS))
def test_a_kill_amid_a_checkpoint_loses_nothing_acknowledged(
    number: int, closing: bool, kill: Kill, reopened: Reopened, assert_whole: AssertWhole
) -> None:
    chance = random.Random(number)
    job = {
        "nth": 99 if closing else chance.randint(1, 4),
        "first": 0,
        "adds": 3 if closing else 12,
        "size": chance.choice((1, 200, 4_000)),
        "delay_us": chance.randint(0, 6_000),
        "close": closing,
    }
    said = kill("checkpoint", step="checkpoint", **job)["said"]
    engine = reopened()
    assert_whole(engine, said)
    engine.add([{"role": "user", "content": f"add 99 turn {n}"} for n in range(3)], session="new")
    assert 99 in assert_whole(engine, said)
