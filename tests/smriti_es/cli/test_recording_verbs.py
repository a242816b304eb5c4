"""`init` and `add`: what is written, what is refused, what is said."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]


def test_init_makes_a_memory(call: Call, tmp_path: Path) -> None:
    done = call("init", "--timezone", "Asia/Kolkata", "--json")
    assert done.code == 0
    assert done.json["created"] is True
    assert done.json["location"] == str(tmp_path / "memory.db")
    assert done.json["timezone"] == "Asia/Kolkata"


def test_init_leaves_a_memory_that_is_there_as_it_is(call: Call) -> None:
    first = call("init", "--json").json
    again = call("init", "--json").json
    assert again == {**first, "created": False}


def test_init_says_where_the_memory_is(call: Call, tmp_path: Path) -> None:
    done = call("init")
    assert done.out.startswith(f"Made a memory at {tmp_path / 'memory.db'} (tenant default")


def test_init_says_that_an_embedder_without_a_model_is_weak(call: Call) -> None:
    assert "note: semantic: weak" in call("init").err


def test_add_records_a_text_with_all_that_is_said_of_it(call: Call) -> None:
    done = call(
        *("add", "Rain again.", "--session", "s1", "--name", "Mira", "--at", "2026-06-02"),
        *("--tag", "weather", "--tag", "daily", "--meta", "level=4", "--meta", "wet=true"),
        *("--meta", 'code="007"', "--meta", "place=Pune", "--kind", "note", "--origin", "agent"),
    )
    assert done.code == 0
    (turn,) = call("turns", "--json").lines
    assert {key: turn[key] for key in ("session", "role", "name", "text", "kind", "origin")} == {
        "session": "s1",
        "role": "user",
        "name": "Mira",
        "text": "Rain again.",
        "kind": "note",
        "origin": "agent",
    }
    assert turn["tags"] == ["daily", "weather"]
    assert turn["metadata"] == {"level": 4, "wet": True, "code": "007", "place": "Pune"}
    assert (turn["said_at"], turn["said_precision"]) == ("2026-06-02T00:00:00.000000Z", "day")


def test_add_says_where_the_turn_is(call: Call) -> None:
    done = call("add", "Rain again.", "--session", "s1")
    assert done.out == "Recorded 1 turn in session s1 at position 3.\n"


def test_add_answers_in_one_document(call: Call) -> None:
    done = call("add", "Rain again.", "--session", "s1", "--json")
    assert done.json == {
        "session": "s1",
        "positions": [3],
        "replayed": 0,
        "skipped": [],
        "facts": [],
        "proposed": False,
        "head": 3,
        "repeated": False,
        "redacted": {},
        "stripped": 0,
        "kept": [],
        "erased": 0,
        "vectors": "made",
        "degraded": [],
    }


def test_add_reads_a_text_from_stdin_without_the_line_end_that_closes_it(call: Call) -> None:
    call("add", "-", stdin="two\nlines\n")
    assert [turn["text"] for turn in call("turns", "--json").lines] == ["two\nlines"]


def test_add_refuses_stdin_that_is_not_utf_8(call: Call) -> None:
    done = call("add", "-", stdin=b"caf\xe9")
    assert (done.code, done.out) == (2, "")
    assert "stdin is not UTF-8 at byte 3" in done.err


def test_add_records_a_file_of_messages(call: Call, tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "Which tree is that?"},
        {"role": "assistant", "content": "A neem."},
        {"role": "assistant", "content": None},
    ]
    (tmp_path / "messages.json").write_text(json.dumps(messages), "utf-8")
    done = call("add", "--file", "messages.json", "--session", "walk", "--json")
    assert done.json["positions"] == [3, 4]
    assert done.json["skipped"] == [{"index": 2, "reason": "empty", "pattern": None}]


def test_add_takes_a_file_of_messages_from_stdin(call: Call) -> None:
    done = call("add", "--file", "-", "--json", stdin='{"role": "user", "content": "hello"}')
    assert done.json["positions"] == [3]


def test_a_grown_conversation_sent_again_records_only_what_is_new(
    call: Call, tmp_path: Path
) -> None:
    file = tmp_path / "messages.json"
    messages = [{"role": "user", "content": "one"}, {"role": "user", "content": "two"}]
    file.write_text(json.dumps(messages), "utf-8")
    call("add", "--file", file)
    file.write_text(json.dumps([*messages, {"role": "user", "content": "three"}]), "utf-8")
    done = call("add", "--file", file)
    assert done.out == "Recorded 1 turn in session cli at position 5; there already: 2.\n"


def test_add_without_waiting_leaves_the_vectors_for_later(call: Call) -> None:
    done = call("add", "Rain again.", "--no-wait", "--json")
    assert done.json["vectors"] == "waiting"
    assert call("status", "--json").json["pending"] == 1


def test_add_without_an_embedder_makes_no_vectors(call: Call) -> None:
    assert call("add", "Rain.", "--embedder", "none", "--json").json["vectors"] == "off"


def test_add_keeps_the_turn_and_says_so_when_the_model_cannot_be_used(
    call: Call, tmp_path: Path
) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).write_text("neither a model nor a tokenizer", "utf-8")
    done = call("add", "Rain again.", "--embedder", tmp_path)
    assert done.code == 0
    assert "their vectors wait: semantic: the model" in done.err
    assert [turn["text"] for turn in call("turns", "--json").lines] == ["Rain again."]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "there is nothing to add"),
        (("text", "--file", "messages.json"), "a text and --file were given"),
        (("--file", "nowhere.json"), "no such file: nowhere.json"),
        (("--file", "-", "--role", "user"), "--role and --name do not go with --file"),
        (("--file", "-"), "-: not JSON"),
        (("text", "--role", ""), "role is "),
        (("text", "--meta", "level"), "--meta 'level' has no ="),
        (("text", "--meta", "a=1", "--meta", "a=2"), "gives 'a' a second time"),
        (("text", "--at", "soon"), "at is not a time: 'soon'"),
        (("text", "--origin", "nobody"), "origin is 'nobody'"),
        (("text", "--space", "a", "--space", "b"), "several spaces are named"),
        (("text", "--timezone", "Mars/Olympus"), "no time zone 'Mars/Olympus'"),
        (("text", "--embedder", "guess"), "there is no embedder 'guess'"),
    ],
)
def test_add_refuses_what_it_cannot_record_and_writes_nothing(
    arguments: tuple[str, ...], message: str, call: Call
) -> None:
    call("init")
    done = call("add", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert message in done.err
    assert call("turns", "--json").lines == []


def test_a_message_that_names_a_key_twice_is_refused(call: Call) -> None:
    done = call("add", "--file", "-", stdin='[{"role": "user", "role": "tool", "content": "x"}]')
    assert "-: has the key 'role' twice" in done.err


@pytest.mark.parametrize("verb", [("add", "text"), ("init",), ("search", "text"), ("status",)])
def test_a_folder_is_told_from_a_file(verb: tuple[str, ...], call: Call, tmp_path: Path) -> None:
    done = call(*verb, "--db", tmp_path)
    assert (done.code, done.out) == (2, "")
    problem, hint = done.err.splitlines()
    assert problem.endswith(": it is a folder")
    assert hint == "hint: Name a file in it."


def test_a_list_that_is_no_list_of_messages_is_refused(call: Call) -> None:
    done = call("add", "--file", "-", stdin='"hello"')
    assert "-: neither a list of messages nor one message" in done.err


def test_words_that_json_takes_for_numbers_beyond_all_bounds_stay_words(call: Call) -> None:
    call("add", "text", "--meta", "name=NaN", "--meta", "list=[1]")
    (turn,) = call("turns", "--json").lines
    assert turn["metadata"] == {"name": "NaN", "list": "[1]"}


def test_init_settles_which_predicates_hold_one_value(call: Call) -> None:
    made = call("init", "--single-valued", "Home Airport", "--json").json
    assert {"home_airport", "lives_in"} <= set(made["single_valued"])
    assert call("init", "--json").json["single_valued"] == made["single_valued"]
    refused = call("init", "--single-valued", "gate")
    assert (refused.code, "gate was not among" in refused.err) == (2, True)


def edited_messages(folder: Path, *ids: str) -> Path:
    """Messages with ids, of which the words are new in every file."""
    file = folder / f"messages-{len(list(folder.iterdir()))}.json"
    messages = [{"role": "user", "content": f"{file.name} {name}", "id": name} for name in ids]
    file.write_text(json.dumps(messages), "utf-8")
    return file


def test_turns_that_come_again_with_other_words_are_named(call: Call, tmp_path: Path) -> None:
    call("add", "--file", edited_messages(tmp_path, "m1", "m2"), "--session", "s1")
    done = call("add", "--file", edited_messages(tmp_path, "m1", "m3"), "--session", "s1")
    assert done.code == 0
    assert done.out.startswith("Recorded 1 turn in session s1")
    assert (
        "note: 1 turn came again with other words, and the stored text was kept: m1 of s1\n"
        in done.err
    )
    assert [turn["source_id"] for turn in call("turns", "--json").lines] == ["m1", "m2", "m3"]


def test_many_turns_that_come_again_are_counted(call: Call, tmp_path: Path) -> None:
    names = [f"m{number}" for number in range(8)]
    call("add", "--file", edited_messages(tmp_path, *names), "--session", "s1")
    done = call("add", "--file", edited_messages(tmp_path, *names), "--session", "s1")
    assert "note: 8 turns came again" in done.err
    assert done.err.count(" of s1") == 5
    assert " and 3 more\n" in done.err


def test_turns_that_come_again_stand_in_json(call: Call, tmp_path: Path) -> None:
    call("add", "--file", edited_messages(tmp_path, "m1"), "--session", "s1")
    done = call("add", "--file", edited_messages(tmp_path, "m1"), "--session", "s1", "--json")
    assert (done.json["replayed"], done.json["kept"]) == (1, ["m1"])
