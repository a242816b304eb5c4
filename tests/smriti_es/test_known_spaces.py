"""Spaces: a read of one that nothing was ever written to is an error, and no empty answer."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import NotFound

READS = [
    lambda m, **more: m.search("Graz", **more),
    lambda m, **more: m.context("Graz", **more),
    lambda m, **more: m.turns(**more),
    lambda m, **more: m.sessions(**more),
]
READS_OF_FACTS = [
    lambda m: m.facts(),
    lambda m: m.history(),
    lambda m: m.diff(0, m.head),
    lambda m: m.review(),
]


@pytest.mark.parametrize("read", [*READS, *READS_OF_FACTS])
def test_a_read_of_a_space_that_does_not_exist_is_refused(
    read: Callable[..., Any], engine: Callable[..., Engine]
) -> None:
    memory = engine(extractor=None, spaces=["main", "nope"])
    memory.add("I moved to Graz.", session="s")
    with pytest.raises(NotFound, match=r"^there is no space 'nope'$") as refused:
        read(memory)
    assert refused.value.hint == "Check the name; the first write to a space makes it."


@pytest.mark.parametrize("read", READS)
def test_a_read_that_is_narrowed_to_what_exists_is_answered(
    read: Callable[..., Any], engine: Callable[..., Engine]
) -> None:
    memory = engine(extractor=None, spaces=["main", "nope"])
    memory.add("I moved to Graz.", session="s")
    assert read(memory, spaces=["main"])
    with pytest.raises(NotFound, match="there is no space 'nope'"):
        read(memory, spaces=["nope"])


@pytest.mark.parametrize("read", [*READS[2:], *READS_OF_FACTS])
@pytest.mark.parametrize("space", ["main", "work"])
def test_the_space_that_is_written_to_may_be_empty(
    space: str, read: Callable[..., Any], engine: Callable[..., Engine]
) -> None:
    assert list(read(engine(extractor=None, space=space))) == []


@pytest.mark.parametrize("space", ["main", "work"])
def test_an_empty_memory_finds_nothing(space: str, engine: Callable[..., Engine]) -> None:
    assert list(engine(extractor=None, space=space).search("Graz").hits) == []


def test_an_engine_that_only_reads_makes_no_space(engine: Callable[..., Engine]) -> None:
    engine("memory.db", extractor=None)
    reading = engine("memory.db", extractor=None, space="work", read_only=True)
    with pytest.raises(NotFound, match="there is no space 'work'"):
        reading.turns()
    assert list(engine("memory.db", extractor=None, read_only=True).turns()) == []


def test_a_space_begins_with_its_first_turn_also_for_those_who_looked_before(
    engine: Callable[..., Engine],
) -> None:
    reading = engine("memory.db", extractor=None, spaces=["main", "work"])
    with pytest.raises(NotFound):
        reading.turns()
    engine("memory.db", extractor=None, space="work").add("I moved to Graz.", session="s")
    assert [turn.text for turn in reading.turns()] == ["I moved to Graz."]


def test_a_space_of_facts_alone_exists(engine: Callable[..., Engine]) -> None:
    engine("memory.db", extractor=None, space="work").assert_fact("Mira", "lives_in", "Graz")
    reading = engine("memory.db", extractor=None, spaces=["main", "work"])
    assert [fact.object for fact in reading.facts()] == ["Graz"]
    assert list(reading.turns()) == []


def test_a_view_and_a_replay_of_a_time_before_a_space_know_no_such_space(
    engine: Callable[..., Engine],
) -> None:
    engine("memory.db", extractor=None, space="work").add("I moved to Graz.", session="s")
    reading = engine("memory.db", extractor=None, spaces=["main", "work"])
    assert [turn.text for turn in reading.turns()] == ["I moved to Graz."]
    with reading.replay(0) as replayed:
        for view in (reading.at(0), replayed):
            with pytest.raises(NotFound, match="there is no space 'work'"):
                view.turns()
