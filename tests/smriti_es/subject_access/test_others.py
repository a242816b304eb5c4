"""`others="excerpts"`: of what others said only what names the person."""

import json
from collections.abc import Callable
from typing import Any

Export = Callable[..., list[dict[str, Any]]]


def content(lines: list[dict[str, Any]], position: int) -> Any:
    (record,) = [each for each in lines[1:-1] if each["position"] == position]
    return record.get("content")


def test_their_own_words_are_whole(held: Any, exported: Export) -> None:
    lines = exported(held.memory, others="excerpts")
    assert content(lines, held.said["hers"])["text"] == "Tom | owns | a boat"


def test_of_what_others_said_the_sentences_that_name_them_are_left(
    held: Any, exported: Export
) -> None:
    lines = exported(held.memory, others="excerpts")
    told = content(lines, held.said["named"])
    assert told["text"] == "[…] Rachel Green's sister. […]"


def test_of_a_turn_that_does_not_name_them_no_word_is_left(held: Any, exported: Export) -> None:
    lines = exported(held.memory, others="excerpts")
    assert content(lines, held.said["source"])["text"] == "[…]"


def test_what_others_said_beside_it_and_about_themselves_is_left_out(
    held: Any, exported: Export
) -> None:
    turn = {
        "role": "user",
        "name": "Ann",
        "content": "I am ill. Rachel knows.",
        "tags": ["ann's"],
        "metadata": {"by": "Ann"},
    }
    held.memory.add(turn, session="s2", session_tags=["ann's"])
    assert "Ann" in json.dumps(exported(held.memory))
    assert "Ann" not in json.dumps(exported(held.memory, others="excerpts"))
    assert "ann's" not in json.dumps(exported(held.memory, others="excerpts"))


def test_what_a_model_replied_is_left_out(held: Any, exported: Export) -> None:
    lines = exported(held.memory, others="excerpts")
    (extraction,) = [each for each in lines[1:-1] if each["record"] == "extraction"]
    assert "replies" not in extraction["content"]
    assert extraction["left_out"].startswith("it may speak of others")


def test_what_is_not_whole_has_no_key_and_what_is_has_one(held: Any, exported: Export) -> None:
    for record in exported(held.memory, others="excerpts")[1:-1]:
        assert ("key" in record) == ("left_out" not in record)


def test_facts_about_them_are_whole(held: Any, exported: Export) -> None:
    lines = exported(held.memory, others="excerpts")
    (works,) = held.memory.facts("Rachel", "works_at")
    assert content(lines, works.position)["evidence"] == [
        {"quote": "She | works_at | Acme", "turn": held.said["source"]}
    ]
