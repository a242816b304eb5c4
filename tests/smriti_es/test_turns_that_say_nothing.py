"""A call of which nothing is left to record: it is told so, and harms nobody."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput
from smriti_es.recording import SessionInput

Open = Callable[..., Engine]
EMPTY: list[Any] = [
    "",
    "  \n",
    "\u00a0",
    [],
    [{"role": "assistant", "content": None}],
    [{"role": "user", "content": []}],
]


@pytest.mark.parametrize("messages", EMPTY)
@pytest.mark.parametrize("turns", [0, 1, 3])
def test_nothing_to_record_is_no_error_whatever_the_session_holds(
    turns: int, messages: Any, engine: Open
) -> None:
    memory = engine()
    for number in range(turns):
        memory.add(f"turn {number}", session="s")
    head = memory.head
    added = memory.add(messages, session="s")
    assert (added.positions, added.replayed) == ((), 0)
    assert [each.reason for each in added.skipped] == ["empty"] * (messages != [])
    assert memory.head == head


def test_a_session_without_turns_takes_no_other_along(engine: Open) -> None:
    memory = engine()
    memory.add("there", session="b")
    sessions = [SessionInput(session=name, messages=name * (name != "b")) for name in "abc"]
    added = memory.add_many(sessions)
    assert [len(each.positions) for each in added] == [1, 0, 1]
    assert [turn.text for turn in memory.turns()] == ["there", "a", "c"]


def test_what_is_to_be_waited_for_is_checked_before_anything_is_written(engine: Open) -> None:
    memory = engine()
    head = memory.head
    with pytest.raises(InvalidInput, match="vector"):
        memory.add("x", session="s", wait_for="vector")  # type: ignore[arg-type]
    assert memory.head == head
