"""Inputs that other memories got wrong: whose data it is, and who said it (BC-67 to BC-73)."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.embedders import Embedder
from smriti_es.engine import Engine
from smriti_es.recall.profiles import CHANNELS

Open = Callable[..., Engine]
QUESTION = "Where does Ana live since March 2026?"


@pytest.fixture
def theirs(engine: Open, embedder: Embedder, line_extractor: Callable[..., Any]) -> Engine:
    """A memory of which only the space of somebody else holds anything."""
    memory = engine(space="bo", embedder=embedder, extractor=line_extractor())
    memory.add("Ana | lives in | Lisbon", session="s1", at="2026-03-01", wait_for="facts")
    memory.alias("Anita", "Ana")
    memory.wait_for_vectors()
    assert len(memory.search(QUESTION)) > 0
    memory.close()
    return engine(space="ana", embedder=embedder, extractor=None)


@pytest.mark.parametrize("channel", [*CHANNELS, None])
def test_bc_67_no_channel_finds_what_another_space_holds(
    theirs: Engine, channel: str | None
) -> None:
    channels = CHANNELS if channel is None else (channel,)
    assert list(theirs.search(QUESTION, channels=channels)) == []
    assert list(theirs.search("Anita", channels=channels)) == []
    assert theirs.context(QUESTION, budget=3_000, channels=channels).evidence == ()


def test_bc_67_no_other_way_of_reading_does_either(theirs: Engine) -> None:
    assert list(theirs.turns()) == []
    assert list(theirs.sessions()) == []
    assert list(theirs.facts()) == []
    assert list(theirs.history("Ana")) == []


def test_bc_73_who_says_something_else_does_not_become_the_author_of_what_was_there(
    engine: Open,
) -> None:
    by_a = engine(actor="A", extractor=None)
    first = by_a.assert_fact("shelf 9", "holds", "paint")
    by_a.close()
    memory = engine(actor="B", extractor=None)
    second = memory.assert_fact("shelf 9", "holds", "paint and brushes")
    authors = {each.header.position: each.header.actor.id for each in memory.events()}
    assert (authors[first], authors[second]) == ("A", "B")
    assert [each.fact.position for each in memory.history("shelf 9")] == [first, second]
    memory.quarantine(actor="B")
    assert [each.object for each in memory.facts("shelf 9")] == ["paint"]
