"""Inputs that other memories got wrong: the shape of messages (BC-51 to BC-55, BC-71)."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput

Open = Callable[..., Engine]


def test_a_list_of_text_parts_is_joined_and_kept_as_it_was(engine: Open) -> None:
    memory = engine()
    parts = [{"type": "text", "text": "The kiln runs"}, {"type": "text", "text": "at night"}]
    memory.add([{"role": "user", "content": parts}], session="plant")
    assert [turn.text for turn in memory.turns()] == ["The kiln runs at night"]
    recorded: Any = list(memory.events())[-1].event
    assert recorded.content == parts


def test_a_call_of_every_shape_is_recorded_and_the_answer_refers_to_the_call(engine: Open) -> None:
    memory = engine()
    added = memory.add(
        [
            {"role": "user", "content": "hi"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c1", "function": {"name": "lookup", "arguments": '{"q":1}'}}
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": '{"temp":21}'},
            {"role": "user", "content": ""},
            {"role": "user", "content": "   "},
        ],
        session="plant",
    )
    said, call, answer = added.positions
    events = {event.position: event for event in memory.events()}
    assert call in events[answer].header.refs
    assert [turn.origin for turn in memory.turns()] == ["owner", "agent", "tool"]
    assert [(skip.index, skip.reason) for skip in added.skipped] == [(3, "empty"), (4, "empty")]
    assert said < call < answer


def test_a_kind_comes_back_as_given_and_filters(engine: Open) -> None:
    memory = engine()
    memory.add("x marks the spot", session="walk", kind="field-note")
    memory.add("y does not", session="walk")
    assert [turn.kind for turn in memory.turns(kinds=["field-note"])] == ["field-note"]


def test_a_new_session_is_made_and_can_be_read(engine: Open) -> None:
    memory = engine()
    memory.add("Filters arrive on Friday.", session="typo-scope")
    hits = memory.search("filters", sessions=["typo-scope"])
    assert [hit.text for hit in hits] == ["Filters arrive on Friday."]


@pytest.mark.parametrize(
    ("where", "levels"),
    [
        ({"level": {"gte": 4}}, [4, 5]),
        ({"$or": [{"level": 1}, {"level": 5}]}, [1, 5]),
        ({"NOT": {"level": 1}}, [2, 3, 4, 5]),
        ({"levle": 1}, []),
    ],
)
def test_filters_mean_what_they_say(engine: Open, where: dict[str, Any], levels: list[int]) -> None:
    memory = engine()
    for level in range(1, 6):
        memory.add(f"pump check {level}", session="plant", metadata={"level": level})
    assert [turn.metadata["level"] for turn in memory.turns(where=where)] == levels
    found = sorted(h.metadata["level"] for h in _turns(memory, where))
    assert found == levels


def test_an_unknown_operator_is_refused_by_name(engine: Open) -> None:
    memory = engine()
    with pytest.raises(InvalidInput, match="regex"):
        memory.search("pump", where={"level": {"regex": "."}})


def test_all_tags_and_any_tag_are_two_filters(engine: Open) -> None:
    memory = engine()
    for number, tags in enumerate((["alpha"], ["beta"], ["alpha", "beta"], ["alphabet"])):
        memory.add(f"note {number}", session="notes", tags=tags)
    assert [t.text for t in memory.turns(tags=["alpha", "beta"])] == ["note 2"]
    assert [t.text for t in memory.turns(tags_any=["alpha"])] == ["note 0", "note 2"]


def test_a_limit_is_filled_from_what_matches(engine: Open) -> None:
    memory = engine()
    for number in range(30):
        memory.add(f"pump {number}", session="plant", tags=["rare"] if number % 10 == 0 else [])
    assert len(memory.search("pump", k=3, tags=["rare"])) == 3


def _turns(memory: Engine, where: dict[str, Any]) -> list[Any]:
    return [hit.turn for hit in memory.search("pump check", where=where)]
