"""Placing, listing and releasing holds, and what is refused of it."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.catalogue import HoldReleased
from smriti_es.events.errors import InvalidInput, NotFound

Open = Callable[..., Engine]
# 2026-06-02T10:00:00Z, at which the tests' clock begins.
START, DAY = 1_780_394_400_000_000, 86_400_000_000
COURT: dict[str, Any] = {"authority": "District court", "reason": "case 12/7"}


@pytest.fixture
def memory(engine: Open) -> Engine:
    """Two sessions of a turn each."""
    memory = engine(extractor=None)
    memory.add("I like tea.", session="s7", at="2026-01-01")
    memory.add("I like coffee.", session="s8", at="2026-01-02")
    return memory


def test_holds_are_listed_with_what_they_keep_and_who_asked(memory: Engine) -> None:
    first = memory.place_hold(session="s7", expires_at="2026-06-03T00:00Z", **COURT)
    second = memory.place_hold(entity="Alice ", authority="audit", reason="year 2026")
    third = memory.place_hold(authority="audit", reason="everything")
    held = memory.holds()
    assert [(each.position, each.kind, each.name, each.space) for each in held] == [
        (first, "session", "s7", "main"),
        (second, "entity", "alice", ""),
        (third, "tenant", "", ""),
    ]
    assert [(each.authority, each.reason) for each in held] == [
        ("District court", "case 12/7"),
        ("audit", "year 2026"),
        ("audit", "everything"),
    ]
    assert [each.expires_at for each in held] == [START + 14 * 3_600_000_000, None, None]


def test_a_released_hold_is_listed_no_more_and_an_expired_one_is(
    memory: Engine, clock: Any
) -> None:
    released = memory.place_hold(session="s7", **COURT)
    expired = memory.place_hold(session="s8", expires_at="2026-06-02T12:00Z", **COURT)
    memory.release_hold(released)
    clock.now = START + DAY
    assert [each.position for each in memory.holds()] == [expired]


def test_placing_and_releasing_a_hold_are_events_with_who_did_it(memory: Engine) -> None:
    hold = memory.place_hold(session="s7", **COURT)
    memory.release_hold(hold, reason="the case is closed")
    placed, released = memory.events(hold)
    assert (placed.header.type, released.header.type) == ("HoldPlaced", "HoldReleased")
    assert {(each.header.actor.kind, each.header.actor.id) for each in (placed, released)} == {
        ("owner", "local")
    }
    assert isinstance(released.event, HoldReleased)
    assert released.event.reason == "the case is closed"


def test_a_hold_that_never_was_cannot_be_released(memory: Engine) -> None:
    (tea, _) = [turn.position for turn in memory.turns()]
    with pytest.raises(NotFound, match=f"no hold stands at position {tea}"):
        memory.release_hold(tea)


def test_a_hold_is_released_once(memory: Engine) -> None:
    hold = memory.place_hold(session="s7", **COURT)
    memory.release_hold(hold)
    before = memory.head
    with pytest.raises(NotFound, match=f"no hold stands at position {hold}"):
        memory.release_hold(hold)
    assert memory.head == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"turn": 3, "session": "s7"},
        {"origin": "tool"},
        {"before": "2026"},
        {"turn": "s7"},
        {"session": ""},
        {"session": "s7", "authority": ""},
        {"session": "s7", "expires_at": "soon"},
    ],
    ids=str,
)
def test_a_hold_that_says_nothing_clear_is_refused(memory: Engine, wrong: dict[str, Any]) -> None:
    before = memory.head
    with pytest.raises(InvalidInput):
        memory.place_hold(**{**COURT, **wrong})
    assert memory.head == before


def test_a_position_at_which_nothing_is_cannot_be_held(engine: Open) -> None:
    memory = engine()
    fact = memory.assert_fact("Bob", "married_to", "Ana")
    wrong: list[dict[str, Any]] = [{"turn": fact}, {"fact": 99}]
    for named in wrong:
        with pytest.raises(NotFound):
            memory.place_hold(reason="", authority="court", **named)
    assert memory.holds() == []


def test_a_hold_that_would_have_expired_already_is_refused(engine: Open) -> None:
    memory = engine()
    with pytest.raises(InvalidInput, match="expired already"):
        memory.place_hold(reason="", authority="court", expires_at="2020-01-01")
    assert memory.holds() == []
