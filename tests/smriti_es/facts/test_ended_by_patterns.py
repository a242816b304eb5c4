"""An employment that somebody says is over ends in the memory, as exactly as it was said."""

from collections.abc import Callable

import pytest

from smriti_es.engine import Engine
from smriti_es.events.catalogue import FactAsserted
from smriti_es.events.instants import format_instant

Open = Callable[..., Engine]


@pytest.fixture
def employed(engine: Open) -> Engine:
    """Somebody who has worked at Acme since 2020, as patterns understood it."""
    memory = engine(":memory:")
    memory.add("I joined Acme in March 2020.", session="a", at="2020-04-01T10:00:00Z")
    return memory


def stated(memory: Engine) -> list[str]:
    return [e.event.object for e in memory.events() if isinstance(e.event, FactAsserted)]


@pytest.mark.parametrize(
    ("said", "until"),
    [
        ("I left Acme last month.", "2026-05-01"),
        ("I quit my job at Acme.", "2026-06-02"),
        ("I no longer work at Acme.", "2026-06-02"),
        ("I stopped working for Acme in May.", "2026-05-01"),
        ("I quit my job in May.", "2026-05-01"),
        ("I was let go from Acme in 2025.", "2025-01-01"),
    ],
)
def test_what_was_left_has_ended_and_nothing_else_is_stated(
    said: str, until: str, employed: Engine
) -> None:
    employed.add(said, session="b", at="2026-06-02T10:00:00Z")
    assert employed.facts("user", "works_at", valid_at="2026-07-01") == []
    (fact,) = employed.facts("user", statuses=["ended"], valid_at="2026-07-01")
    assert fact.valid_to is not None
    assert (fact.object, format_instant(fact.valid_to)[:10]) == ("Acme", until)
    assert stated(employed) == ["Acme"]


@pytest.mark.parametrize(
    "said",
    [
        "I left Acme's keys at home.",
        "I left my bag at Acme.",
        "I left Acme at five.",
        "I left Acme yesterday.",
        "I left Globex last month.",
        "I left Paris last month.",
        "I left Ana in May.",
    ],
)
def test_what_says_nothing_of_the_employment_leaves_it_as_it_is(
    said: str, employed: Engine
) -> None:
    employed.add(said, session="b", at="2026-06-02T10:00:00Z")
    (fact,) = employed.facts("user", "works_at", valid_at="2026-07-01")
    assert (fact.object, fact.valid_to) == ("Acme", None)
    assert stated(employed) == ["Acme"]
