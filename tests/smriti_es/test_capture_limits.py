"""Limits and types of what callers attach to a turn."""

from typing import Any

import pytest

from smriti_es.capture import Limits, Turn, capture
from smriti_es.events.errors import InvalidInput

SMALL = Limits(
    text_bytes_max=60,
    messages_max=2,
    name_length_max=10,
    tags_max=2,
    tag_length_max=5,
    metadata_max=2,
    metadata_key_length_max=5,
    metadata_value_length_max=6,
    source_id_length_max=4,
)


def captured_metadata(value: object) -> object:
    metadata: Any = {"k": value}
    (turn,) = capture([Turn("user", "hi", metadata=metadata)]).turns
    return turn.metadata["k"]


def test_everything_at_its_limit_is_taken() -> None:
    turn = Turn(
        "user",
        "é" * 30,
        name="n" * 10,
        id="i" * 4,
        tags=["t" * 5, "u" * 5],
        metadata={"k" * 5: "v" * 6, "l": [1, 2]},
        kind="k" * 10,
        tool_call_id="c" * 4,
    )
    (stored,) = capture([turn], limits=SMALL).turns
    assert stored.text == "é" * 30


@pytest.mark.parametrize(
    ("rest", "limit"),
    [
        ({"content": "é" * 31}, 60),
        ({"content": [{"type": "note", "body": "x" * 50}]}, 60),
        ({"custom": "x" * 60}, 60),
        ({"role": "r" * 11}, 10),
        ({"name": "n" * 11}, 10),
        ({"kind": "k" * 11}, 10),
        ({"id": "i" * 5}, 4),
        ({"tool_call_id": "i" * 5}, 4),
        ({"tags": ["a", "b", "c"]}, 2),
        ({"tags": ["t" * 6]}, 5),
        ({"metadata": {"a": 1, "b": 2, "c": 3}}, 2),
        ({"metadata": {"k" * 6: 1}}, 5),
        ({"metadata": {"k": "v" * 7}}, 6),
        ({"metadata": {"k": [1, 2, 3]}}, 2),
    ],
)
def test_beyond_a_limit_the_call_is_refused_and_told_what_to_do(
    rest: dict[str, Any], limit: int
) -> None:
    message = {"role": "user", "content": "hi", **rest}
    with pytest.raises(InvalidInput) as caught:
        capture([{"role": "user", "content": "hi"}, message], limits=SMALL)
    assert (caught.value.index, caught.value.limit) == (1, limit)
    assert caught.value.hint


def test_too_many_messages_are_refused() -> None:
    with pytest.raises(InvalidInput) as caught:
        capture([Turn("user", "hi")] * 3, limits=SMALL)
    assert caught.value.limit == 2


def test_the_limits_hold_for_turn_and_call_together() -> None:
    with pytest.raises(InvalidInput):
        capture([Turn("user", "hi", tags=["a", "b"])], tags=["c"], limits=SMALL)
    with pytest.raises(InvalidInput):
        capture([Turn("user", "hi", metadata={"a": 1})], metadata={"b": 1, "c": 1}, limits=SMALL)


@pytest.mark.parametrize("value", ["x", "", 4, 2**53, -(2**53), 1.5, True, [1, "a", False], []])
def test_flat_metadata_values_are_kept(value: object) -> None:
    kept = captured_metadata(value)
    assert (kept, type(kept)) == (value, type(value))


@pytest.mark.parametrize(
    "value",
    [
        None,
        float("nan"),
        float("inf"),
        2**53 + 1,
        -(2**53) - 1,
        b"x",
        {"a": 1},
        [[1]],
        [None],
        [float("-inf")],
        object(),
    ],
)
def test_other_metadata_values_are_refused(value: object) -> None:
    with pytest.raises(InvalidInput):
        captured_metadata(value)


@pytest.mark.parametrize("key", ["", " ", 3, "$gte", "and", "OR", "Not"])
def test_metadata_keys_that_no_filter_could_name_are_refused(key: Any) -> None:
    with pytest.raises(InvalidInput):
        capture([Turn("user", "hi", metadata={key: 1})])


@pytest.mark.parametrize("metadata", ["level", 3, [("level", 3)]])
def test_metadata_that_is_no_mapping_is_refused(metadata: Any) -> None:
    with pytest.raises(InvalidInput):
        capture([Turn("user", "hi", metadata=metadata)])


@pytest.mark.parametrize("tags", ["work", 3, [3], [""], [" "], [None], {"work": 1}])
def test_tags_that_are_no_list_of_texts_are_refused(tags: Any) -> None:
    with pytest.raises(InvalidInput):
        capture([Turn("user", "hi", tags=tags)])


def test_tags_may_be_left_out_as_none() -> None:
    (turn,) = capture([{"role": "user", "content": "hi", "tags": None, "metadata": None}]).turns
    assert (turn.tags, turn.metadata) == ((), {})


@pytest.mark.parametrize("identifier", ["", " ", 7])
def test_an_unusable_source_id_is_refused(identifier: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        capture([Turn("user", "hi", id=identifier)])
    assert caught.value.field == "id"
