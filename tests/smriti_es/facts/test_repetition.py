"""A fact that only repeats a turn which is a hit itself takes no place of its own."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es import Engine

WHERE = "Where does Rachel live?"


@pytest.fixture
def memory(engine: Any, line_extractor: Callable[..., Any]) -> Engine:
    opened: Engine = engine(extractor=line_extractor())
    return opened


def found(memory: Engine, **options: Any) -> list[str]:
    hits = memory.search(WHERE, **options)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    return ["turn" if hit.fact is None else hit.fact.object for hit in hits]


def test_a_lone_fact_leaves_its_place_to_the_turn_it_rests_on(memory: Engine) -> None:
    memory.add("Rachel | lives_in | Oslo", session="a")
    assert found(memory) == ["turn"]
    assert [fact.object for fact in memory.context(WHERE).facts] == ["Oslo"]


def test_a_turn_that_is_found_by_its_fact_alone_takes_the_place_of_that_fact(
    memory: Engine,
) -> None:
    memory.add("Rachel | has | a kiln | keys=oven furnace", session="a")
    memory.add("Is an oven there, there, or there?", session="b")
    hits = memory.search("Is there an oven? A furnace?")
    assert [hit.turn and hit.turn.session for hit in hits] == ["a", "b"]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_a_fact_without_a_turn_keeps_its_place(memory: Engine) -> None:
    memory.assert_fact("Rachel", "lives_in", "Oslo")
    assert found(memory) == ["Oslo"]


@pytest.mark.parametrize(
    "lines",
    [
        ("Rachel | lives_in | Rome | from=2020 \n Once.", "Rachel | lives_in | Oslo | from=2024"),
        ("Rachel | lives_in | Oslo | from=2040",),
        ("Rachel | lives_in | Oslo | from=2020 | to=2040",),
    ],
    ids=["it took the place of another", "it is yet to come", "it has an end"],
)
def test_a_fact_that_says_more_than_its_turn_keeps_its_place(
    lines: tuple[str, ...], memory: Engine
) -> None:
    for line in lines:
        memory.add(line, session="a")
    assert sorted(found(memory)) == ["Oslo", *["turn"] * len(lines)]


def test_a_place_that_a_fact_leaves_goes_to_the_next_hit(memory: Engine) -> None:
    memory.add("Rachel | lives_in | Oslo", session="a")
    for number in range(4):
        memory.add(f"Rachel lives well, number {number}", session="b")
    assert found(memory, k=3) == ["turn"] * 3


def test_facts_crowd_no_turn_out_however_many_there_are(engine: Any) -> None:
    memory = engine(extractor="auto")
    names = [f"Zed{first}{second}" for first in "abcdefghijk" for second in "abcdefghijklmnopqrst"]
    memory.add(" ".join(f"My cousin is called {name}." for name in names), session="a")
    memory.add("We visited a cousin in Leeds with the old blue car.", session="b")
    assert len(memory.facts()) == 220
    hits = memory.search("cousin called Zedab", k=12)
    assert {hit.turn.session for hit in hits if hit.turn is not None} == {"a", "b"}
    assert "Leeds" in memory.context("cousin", budget=100_000).text
