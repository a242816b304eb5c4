"""A position leads nowhere outside of the spaces that a memory was opened to read."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import NotFound

Open = Callable[..., Engine]


def _proposed(owner: Engine) -> int:
    owner.assert_fact("user", "works_at", "Acme")
    owner.assert_fact("user", "works_at", "Initech", origin="agent")
    (waits,) = owner.review()
    return waits.position


# What an owner of the other space has done, and what is tried at its position from here.
TRIED: dict[str, tuple[Callable[[Engine], int], Callable[[Engine, int], Any]]] = {
    "end_fact": (lambda o: o.assert_fact("a", "b", "c"), lambda e, at: e.end_fact(at)),
    "retract": (lambda o: o.assert_fact("a", "b", "c"), lambda e, at: e.retract(at)),
    "retract_end": (
        lambda o: o.end_fact(o.assert_fact("a", "b", "c", valid_from="2020")),
        lambda e, at: e.retract_end(at),
    ),
    "approve": (_proposed, lambda e, at: e.approve(at)),
    "reject": (_proposed, lambda e, at: e.reject(at)),
    "edit": (_proposed, lambda e, at: e.edit(at, object="Globex")),
    "quarantine of a fact": (
        lambda o: o.assert_fact("a", "b", "c"),
        lambda e, at: e.quarantine(fact=at),
    ),
    "quarantine of a turn": (
        lambda o: o.add("Hello there.", session="s1").positions[0],
        lambda e, at: e.quarantine(turn=at),
    ),
    "impact": (lambda o: o.assert_fact("a", "b", "c"), lambda e, at: e.impact(fact=at)),
    "erase": (lambda o: o.assert_fact("a", "b", "c"), lambda e, at: e.erase(fact=at)),
    "erase of a turn": (
        lambda o: o.add("Hello there.", session="s1").positions[0],
        lambda e, at: e.erase(turn=at, dry_run=True),
    ),
    "place_hold": (
        lambda o: o.assert_fact("a", "b", "c"),
        lambda e, at: e.place_hold(fact=at, reason="r", authority="a"),
    ),
    "because": (
        lambda o: o.assert_fact("a", "b", "c"),
        lambda e, at: e.assert_fact("x", "y", "z", because=[at]),
    ),
    "replay without": (
        lambda o: o.assert_fact("a", "b", "c"),
        lambda e, at: e.replay(e.head, without={"fact": at}),
    ),
    "explain": (lambda o: o.assert_fact("a", "b", "c"), lambda e, at: e.explain(at)),
}


@pytest.mark.parametrize("verb", TRIED)
def test_what_lies_in_another_space_is_not_there(verb: str, engine: Open) -> None:
    done, tried = TRIED[verb]
    other, here = engine(space="other"), engine(space="here")
    at = done(other)
    head = other.head
    with pytest.raises(NotFound):
        tried(here, at)
    assert here.head == head


@pytest.mark.parametrize("verb", TRIED)
def test_whoever_reads_both_spaces_reaches_it(verb: str, engine: Open) -> None:
    done, tried = TRIED[verb]
    other = engine(space="other")
    at = done(other)
    both = engine(space="here", spaces=["here", "other"])
    both.assert_fact("here", "is", "there")
    result = tried(both, at)
    if hasattr(result, "close"):
        result.close()
