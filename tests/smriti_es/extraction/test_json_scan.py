"""JSON is found in any text, whole or damaged, and no text breaks the search."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.extraction.json_scan import DEPTH_MAX, FoundJson, find_json

# What JSON is made of, so that chance builds nearly valid texts.
PIECES = ["{", "}", "[", "]", ":", ",", '"', "\\", "\\u", "null", "NaN", "1e9", "-", " ", "\n", "a"]
NEARLY_JSON = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**38), 10**38)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
CONTAINERS = st.lists(VALUES, max_size=5) | st.dictionaries(st.text(), VALUES, max_size=5)


def _length(items: list[Any]) -> int:
    """How long a list is when it is written without its last bracket."""
    return len(json.dumps(items)) - 1


def whole(text: str) -> list[Any]:
    return [found.value for found in find_json(text) if found.complete]


@given(st.text() | NEARLY_JSON)
def test_no_text_breaks_the_search(text: str) -> None:
    for found in find_json(text):
        written = json.dumps(found.value, allow_nan=False).encode("utf-8")
        assert json.loads(written) == found.value


@given(CONTAINERS, st.booleans(), st.sampled_from(["", "Here: ", "```json\n", "so {that [is "]))
def test_a_value_is_found_as_json_reads_it(value: Any, ascii_only: bool, before: str) -> None:
    text = before + json.dumps(value, ensure_ascii=ascii_only) + "\n``` Hope it helps!"
    found = next(find_json(text))
    assert found == FoundJson(value, complete=True, notes=())


@given(st.lists(CONTAINERS, min_size=1, max_size=4), st.data())
def test_of_a_list_that_is_cut_off_the_whole_items_are_left(
    items: list[Any], data: st.DataObject
) -> None:
    text = json.dumps(items)
    cut = data.draw(st.integers(1, len(text) - 1))
    left = [found.value for found in find_json(text[:cut]) if not found.complete]
    whole_ones = [count for count in range(1, len(items) + 1) if cut >= _length(items[:count])]
    assert (left[0] if left else []) == items[: max(whole_ones, default=0)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('["a [b] {c}"]', [["a [b] {c}"]]),
        ('{"a": "\\"}"} rest', [{"a": '"}'}]),
        ("[1, 2,]", [[1, 2]]),
        ('{"a": 1,}', [{"a": 1}]),
        ("[True, False, None]", [[True, False, None]]),
        ('["line\nbreak"]', [["line\nbreak"]]),
        (r'["\q \/ \u00e9 \u12"]', [["q / \u00e9 u12"]]),
        ("[007, -0.5, 1e2]", [[7, -0.5, 100.0]]),
        ("[1e999]", [[None]]),
        ("[" + "9" * 5000 + "]", [[None]]),
        ("[] {} [1]", [[], {}, [1]]),
        ("\ufeff[\ufeff1]", [[1]]),
        ("{'a': 1} [nul] [-] [,1] [\u0663]", []),
        ("no JSON at all", []),
        ("", []),
    ],
)
def test_what_models_write_is_read_as_it_was_meant(text: str, values: list[Any]) -> None:
    assert whole(text) == values


def test_numbers_that_are_none_become_null_and_are_noted() -> None:
    (found,) = find_json('{"a": NaN, "b": -Infinity}')
    assert found == FoundJson(
        {"a": None, "b": None}, complete=True, notes=("no number: NaN", "no number: -Infinity")
    )


def test_of_a_key_that_stands_twice_the_last_value_counts_and_it_is_noted() -> None:
    (found,) = find_json('{"a": 1, "b": 2, "a": 3}')
    assert found == FoundJson({"a": 3, "b": 2}, complete=True, notes=("duplicate key: a",))


def test_single_surrogates_are_replaced_and_pairs_joined() -> None:
    assert whole(r'["\ud83d\ude00 \ud800 \udc00"]') == [["\U0001f600 \ufffd \ufffd"]]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"facts": [{"a": 1}, {"b": "x', {"facts": [{"a": 1}]}),
        ('{"facts": [{"a": 1}, {"b": 2}', {"facts": [{"a": 1}, {"b": 2}]}),
        ('{"outer": {"facts": [1, 2, 3', {"outer": {"facts": [1, 2]}}),
        ('{"a": 1, "b": "cut', {"a": 1}),
        ('[{"a": 1}, oops, {"b": 2}]', [{"a": 1}]),
    ],
)
def test_of_a_damaged_value_the_whole_parts_are_left(text: str, value: Any) -> None:
    assert next(find_json(text)) == FoundJson(value, complete=False, notes=())


def test_a_value_behind_a_bracket_in_prose_is_found() -> None:
    assert whole('set {x} [see above] {"facts": []}') == [{"facts": []}]


def test_nesting_without_measure_is_no_value() -> None:
    deep = "[" * (DEPTH_MAX + 1) + "1" + "]" * (DEPTH_MAX + 1)
    assert json.loads(deep) not in whole(deep)
    assert whole(deep[1:-1]) == [json.loads(deep[1:-1])]


@pytest.mark.parametrize("piece", ["[", '{"a":', '["', "[1,", '{"a":{"a"', "[{", '{"'])
def test_hostile_text_is_scanned_in_one_pass(piece: str) -> None:
    # Quadratic work would take minutes here and stop the run.
    assert sum(1 for _ in find_json(piece * (200_000 // len(piece)))) >= 0
