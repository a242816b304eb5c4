"""Which items a reply lists, in whatever form a model gives them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.extraction.json_reply import is_schema, read_items, read_object

PIECES = [
    *("{", "}", "[", "]", ":", ",", '"facts"', '"statement"', '"A"', '"type"', '"object"'),
    *('"properties"', "null", "1", " ", "\n", "```json", "</think>", "so", '"action"', '"'),
]
NEARLY_REPLIES = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
A, B = {"statement": "A"}, {"statement": "B"}


@given(st.text() | NEARLY_REPLIES)
def test_no_reply_breaks_the_reader(text: str) -> None:
    items, value = read_items(text), read_object(text, key="action")
    assert items.status in {"ok", "truncated", "malformed", "wrong_shape", "schema_echo"}
    assert items.items == () or items.status in {"ok", "truncated"}
    assert ("action" in value.value) is (value.status == "ok")


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ('Here is what I found:\n```json\n{"facts":["A","B"]}\n```\nHope it helps!', ["A", "B"]),
        ('{"facts": [{"statement": "A"}]}', [A]),
        ('[{"statement": "A"}]', [A]),
        ('{"statement": "A"}', [A]),
        ('{"statement": "A"}\n{"statement": "B"}\n', [A, B]),
        ('{"facts": {"statement": "A"}}', [A]),
        ('{"facts": {"a": 1}}', [{"a": 1}]),
        ('{"facts": "one string"}', ["one string"]),
        ('{"facts": [1, null, {"text": "ok"}]}', [1, None, {"text": "ok"}]),
        ('{"result": {"facts": [{"statement": "A"}]}}', [A]),
        ('{"found": [{"statement": "A"}], "count": 1}', [A]),
        (
            '[{"entity_name":"Pump 3","entity_type_id":0}]',
            [{"entity_name": "Pump 3", "entity_type_id": 0}],
        ),
        ('["A", "B"]', ["A", "B"]),
        ('As [1] and ["so"] show: {"facts": [{"statement": "A"}]}', [A]),
        ('[ ] to do\n{"facts": [{"statement": "A"}]}', [A]),
        ('<think>{"facts": [{"statement": "B"}]}</think>{"facts": [{"statement": "A"}]}', [A]),
        ('<think>so</think>{"facts": [{"statement": "A"}]}', [A]),
        ('{"facts": [{"statement": "A"}]}</think> Done.', [A]),
        (
            '{"properties": {"facts": {}}, "required": ["facts"]} {"facts": [{"statement": "A"}]}',
            [A],
        ),
        ('[{"statement": "B"}, oops] {"facts": [{"statement": "A"}]}', [A]),
    ],
)
def test_items_are_found_in_whatever_form_they_come(text: str, items: list[Any]) -> None:
    found = read_items(text)
    assert (found.status, list(found.items)) == ("ok", items)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "null",
        "{}",
        "[]",
        '""',
        "```json\n[]\n```",
        '{"facts": []}',
        '{"facts": null}',
        '<think>{"facts": [{"statement": "draft"}]}</think>{"facts": []}',
        '<think>{"facts": [{"statement": "draft"}]}</think> null',
        "I found nothing: {}",
    ],
)
def test_nothing_said_is_nothing_found(text: str) -> None:
    found = read_items(text)
    assert (found.status, found.items) == ("ok", ())


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ('{"facts": [{"statement": "A"}, {"statement": "B', [A]),
        ('[{"statement": "A"}, {"statement": "B", "entities": ["x", "y', [A]),
        ('{"facts": [{"statement": "A"}, {"statement": "B"}', [A, B]),
        ('[{"statement": "A"} {"statement": "B"}]', [A, B]),
        ('{"facts": [', []),
        ('{"facts": ["A", "B', ["A"]),
    ],
)
def test_of_a_reply_that_breaks_off_the_whole_items_are_taken(text: str, items: list[Any]) -> None:
    found = read_items(text)
    assert (found.status, list(found.items)) == ("truncated", items)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Sorry, I cannot do that.", "malformed"),
        ("```json\n```", "malformed"),
        ("<think> hm", "malformed"),
        ("{facts: [A]}", "malformed"),
        ('{"facts": 7}', "wrong_shape"),
        ("[1, 2]", "wrong_shape"),
        ("[[1]]", "wrong_shape"),
        ('{"statement": "A", "entities": ["x", ', "wrong_shape"),
        ('{"a": {"b": {"c": {"d": [{"statement": "A"}]}}}}', "wrong_shape"),
        ('{"a": [{"statement": "A"}], "b": [{"statement": "B"}]}', "wrong_shape"),
        ('{"properties": {"facts": {"type": "array"}}, "required": ["facts"]}', "schema_echo"),
        ('{"$schema": "https://json-schema.org/draft", "title": "Facts"}', "schema_echo"),
        ('{"facts": {"type": "array", "items": {"type": "object"}}}', "schema_echo"),
        ('{"facts": [{"type": "object", "properties": {"statement": {}}}]}', "schema_echo"),
        ('[{"type": "object", "required": ["statement"]}]', "schema_echo"),
    ],
)
def test_a_reply_without_items_says_why(text: str, status: str) -> None:
    found = read_items(text)
    assert (found.status, found.items) == (status, ())


def test_what_is_odd_about_the_json_is_noted() -> None:
    found = read_items('{"facts": [{"statement": "A", "statement": "B", "turns": NaN}]}')
    assert found.items == ({"statement": "B", "turns": None},)
    assert found.notes == ("duplicate key: statement", "no number: NaN")


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ({"type": "object", "properties": {}}, True),
        ({"type": "string", "description": "a name"}, True),
        ({"type": "string"}, False),
        ({"type": "person", "description": "a name"}, False),
        ({"statement": "A", "type": "object"}, False),
        ({"properties": "A"}, False),
        ("properties", False),
        ([{"properties": {}}], False),
    ],
)
def test_a_form_is_told_from_data(value: object, schema: bool) -> None:
    assert is_schema(value) is schema


@pytest.mark.parametrize(
    ("text", "status", "value"),
    [
        ('{"action": "add"}', "ok", {"action": "add"}),
        ('Well: ```{"action": null}```', "ok", {"action": None}),
        ('{"a": 1} then {"action": 2}', "ok", {"action": 2}),
        ('[{"action": "add"}]', "wrong_shape", {}),
        ('{"op": "add"}', "wrong_shape", {}),
        ('{"action": "add"', "wrong_shape", {}),
        ("add", "malformed", {}),
        ("", "malformed", {}),
    ],
)
def test_the_first_whole_object_with_the_key_counts(
    text: str, status: str, value: dict[str, Any]
) -> None:
    found = read_object(text, key="action")
    assert (found.status, found.value) == (status, value)
