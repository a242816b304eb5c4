"""`import`: whole files, once, or not at all."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    """A file of three messages in two sessions, one of them alone and without a time."""
    file = tmp_path / "chats.jsonl"
    lines = [
        {"session": "s1", "role": "user", "content": "I live in Pune.", "timestamp": "2026-01-15"},
        {"session": "s2", "role": "user", "content": "नमस्ते"},
        {"session": "s1", "role": "assistant", "content": "Noted.", "timestamp": "2026-01-15"},
    ]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return file


def test_import_records_a_file(call: Call, chats: Path) -> None:
    done = call("import", chats, "--json")
    assert done.code == 0
    assert done.json == {
        "file": str(chats),
        "format": "jsonl",
        "sessions": 2,
        "recorded": 3,
        "replayed": 0,
        "skipped": 0,
        "erased": 0,
        "redacted": {},
        "stripped": 0,
        "kept": [],
        "head": 6,
        "facts": 0,
        "proposed": False,
        "vectors": "made",
        "degraded": [],
    }


def test_importing_a_file_twice_stores_nothing_new_and_says_so(call: Call, chats: Path) -> None:
    call("import", chats)
    done = call("import", chats)
    assert done.out == "Recorded nothing new from 2 sessions (jsonl); there already: 3.\n"
    assert len(call("turns", "--json").lines) == 3


def test_a_line_that_was_edited_is_named_and_the_stored_text_is_kept(
    call: Call, tmp_path: Path
) -> None:
    file = tmp_path / "notes.jsonl"
    for words in ("I live in Pune.", "I live in Oslo."):
        line = {"session": "s1", "role": "user", "content": words, "id": "m1"}
        file.write_text(json.dumps(line), "utf-8")
        done = call("import", file, "--json")
    assert (done.json["recorded"], done.json["replayed"]) == (0, 1)
    assert done.json["kept"] == [{"session": "s1", "id": "m1"}]
    assert [turn["text"] for turn in call("turns", "--json").lines] == ["I live in Pune."]


def test_what_was_there_is_counted_whoever_had_recorded_it(call: Call, chats: Path) -> None:
    call("add", "नमस्ते", "--session", "s2")
    call("add", "I live in Pune.", "--session", "s1", "--at", "2026-01-15")
    for _ in range(2):
        counts = call("import", chats, "--json").json
    assert (counts["recorded"], counts["replayed"]) == (0, 3)


def test_one_file_may_go_to_two_spaces(call: Call, chats: Path) -> None:
    call("import", chats)
    assert call("import", chats, "--space", "other", "--json").json["recorded"] == 3


def test_import_counts_messages_that_say_nothing(call: Call, chats: Path) -> None:
    with chats.open("a", encoding="utf-8") as file:
        file.write('{"session": "s3", "role": "user", "content": "  "}\n')
    done = call("import", chats)
    assert done.out == "Recorded 3 turns in 3 sessions (jsonl); not recorded: 1.\n"


def test_a_line_that_cannot_be_recorded_keeps_the_whole_file_out(call: Call, chats: Path) -> None:
    with chats.open("a", encoding="utf-8") as file:
        file.write('{"session": "s3", "role": "user", "content": "x", "timestamp": "soon"}\n')
    done = call("import", chats)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {chats}:4: timestamp is not a time: 'soon'\n")
    assert not (chats.parent / "memory.db").exists()


def test_import_of_a_format_that_does_not_exist_names_those_that_do(
    call: Call, chats: Path
) -> None:
    done = call("import", chats, "--format", "csv")
    assert done.code == 2
    assert done.err == "error: there is no format 'csv'\nhint: Use one of auto, jsonl, locomo.\n"


def test_import_of_a_missing_file_is_an_error(call: Call) -> None:
    done = call("import", "nowhere.jsonl")
    assert (done.code, done.err) == (
        2,
        "error: no such file: nowhere.jsonl\nhint: Check the path.\n",
    )


def test_import_without_waiting_says_how_to_make_the_vectors(call: Call, chats: Path) -> None:
    done = call("import", chats, "--no-wait")
    assert "`smriti-es projections catch-up` makes them." in done.err
    assert call("projections", "catch-up", "--json").json["vectors"] == 3
