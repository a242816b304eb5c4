"""`status` and `quarantines` count what waits for an owner, in the spaces that are read."""

from collections.abc import Callable

import pytest

from smriti_es.engine import Engine

Open = Callable[..., Engine]


@pytest.fixture
def both(engine: Open) -> tuple[Engine, Engine]:
    """A memory of `main`, in which two things wait, and one of another space with a third."""
    main, other = engine(), engine(space="elsewhere", extractor=None)
    for memory in (main, other):
        memory.assert_fact("user", "lives_in", "Pune")
        memory.assert_fact("user", "lives_in", "Rome", origin="agent")
    main.add("I work at Acme.", session="s1", at="2026-01-01")
    main.add("I quit my job.", session="s2", at="2026-02-01", origin="untrusted")
    other.add("It rained.", session="s1")
    return main, other


def test_what_waits_for_review_is_counted(both: tuple[Engine, Engine]) -> None:
    for memory in both:
        assert memory.status().review == len(memory.review())
    assert [memory.status().review for memory in both] == [2, 1]


def test_what_was_decided_or_is_withheld_is_counted_no_more(both: tuple[Engine, Engine]) -> None:
    memory = both[0]
    first, second = memory.review()
    memory.reject(first.position)
    memory.quarantine(fact=second.position)
    assert memory.status().review == 0


def test_quarantines_of_other_spaces_are_neither_listed_nor_counted(
    both: tuple[Engine, Engine],
) -> None:
    main, other = both
    mine, theirs = main.quarantine(session="s1"), other.quarantine(session="s1")
    assert [[each.position for each in memory.quarantines()] for memory in both] == [
        [mine],
        [theirs],
    ]
    assert [memory.status().quarantines for memory in both] == [1, 1]
    main.release(mine)
    assert [memory.status().quarantines for memory in both] == [0, 1]


def test_of_a_quarantine_over_spaces_each_counts_what_it_may_read(
    both: tuple[Engine, Engine], engine: Open
) -> None:
    main, other = both
    main.quarantine(origin="agent")
    every = engine(spaces=["main", "elsewhere"], extractor=None)
    counts = [memory.quarantines()[0].items for memory in (main, other, every)]
    assert counts == [1, 1, 2]


def test_a_quarantine_of_nothing_is_listed(both: tuple[Engine, Engine]) -> None:
    main, _ = both
    at = main.quarantine(origin="tool")
    assert [(each.position, each.items) for each in main.quarantines()] == [(at, 0)]
    assert main.status().quarantines == 1


def test_turns_sessions_and_facts_are_counted_in_the_spaces_that_are_read(
    both: tuple[Engine, Engine], engine: Open
) -> None:
    every = engine(spaces=["main", "elsewhere"], extractor=None)
    told = [memory.status() for memory in (*both, every)]
    assert [
        (each.spaces, each.sessions, each.turns, each.facts, each.undated) for each in told
    ] == [
        (("main",), 2, 2, 3, 0),
        (("elsewhere",), 1, 1, 2, 1),
        (("main", "elsewhere"), 3, 3, 5, 1),
    ]
    assert len({each.events for each in told}) == 1
    assert {each.pending for each in told} == {8}
