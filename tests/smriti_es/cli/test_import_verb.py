"""`import`: what is there, once, and every record accounted for."""

import json
import zipfile
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
        "dry_run": False,
        "sessions": 2,
        "recorded": 3,
        "replayed": 0,
        "erased": 0,
        "stated": 0,
        "skipped": 0,
        "reasons": {},
        "left_out": [],
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
    assert (done.code, done.out) == (
        0,
        "Recorded 3 turns in 2 sessions (jsonl); not recorded: 1.\n",
    )
    assert done.err.startswith("note: not recorded: 1 empty\n")
    assert f"note: {chats}:4: empty\n" in call("import", chats, "--list-left-out").err


@pytest.fixture
def with_a_fault(chats: Path) -> Path:
    """The file with a line that cannot be recorded."""
    with chats.open("a", encoding="utf-8") as file:
        file.write('{"session": "s3", "role": "user", "content": "x", "timestamp": "soon"}\n')
    return chats


def test_a_line_that_cannot_be_recorded_is_named_and_the_others_are_recorded(
    call: Call, with_a_fault: Path
) -> None:
    done = call("import", with_a_fault)
    assert (done.code, done.out) == (
        1,
        "Recorded 3 turns in 2 sessions (jsonl); not recorded: 1.\n",
    )
    fault = f"note: {with_a_fault}:4: unreadable: timestamp is not a time: 'soon'\n"
    assert done.err == f"note: not recorded: 1 unreadable\n{fault}"
    again = call("import", with_a_fault, "--json")
    assert (again.code, again.json["recorded"]) == (1, 0)
    assert again.json["left_out"] == [
        {
            "file": str(with_a_fault),
            "line": 4,
            "conversation": None,
            "name": None,
            "index": None,
            "reason": "unreadable",
            "detail": "timestamp is not a time: 'soon'",
            "count": 1,
        }
    ]


def test_strictly_such_a_line_keeps_the_whole_file_out(call: Call, with_a_fault: Path) -> None:
    done = call("import", with_a_fault, "--strict")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {with_a_fault}:4: unreadable: timestamp is not a time")
    assert call("turns", "--json").lines == []


def test_a_dry_run_makes_no_memory(call: Call, chats: Path) -> None:
    done = call("import", chats, "--dry-run")
    assert (done.code, done.err) == (0, "")
    assert done.out == "Would record 3 turns from 2 sessions (jsonl).\n"
    assert not (chats.parent / "memory.db").exists()


def test_a_dry_run_of_a_memory_that_is_there_knows_what_it_holds(call: Call, chats: Path) -> None:
    call("import", chats)
    head = call("status", "--json").json["events"]
    assert call("import", chats, "--dry-run").out == (
        "Would record 0 turns from 2 sessions (jsonl); there already: 3.\n"
    )
    assert call("import", chats, "--dry-run", "--tenant", "other", "--json").json["recorded"] == 3
    assert call("status", "--json").json["events"] == head


def test_options_of_an_import_reach_the_turns(call: Call, chats: Path) -> None:
    options = ("--session-prefix", "old/", "--origin", "untrusted", "--tag", "import")
    assert call("import", chats, *options).code == 0
    first = call("turns", "--json").lines[0]
    assert (first["session"], first["origin"], first["tags"]) == ("old/s1", "untrusted", ["import"])


def test_an_archive_of_chats_is_imported_as_downloaded(call: Call, tmp_path: Path) -> None:
    message = {"uuid": "m1", "sender": "human", "text": "I live in Pune."}
    chat = {"uuid": "c1", "name": "Kilns", "chat_messages": [message]}
    with zipfile.ZipFile(tmp_path / "claude.zip", "w") as archive:
        archive.writestr("conversations.json", json.dumps([chat]))
    done = call("import", tmp_path / "claude.zip")
    assert (done.code, done.out) == (0, "Recorded 1 turn in 1 session (claude).\n")


def test_import_of_a_format_that_does_not_exist_names_those_that_do(
    call: Call, chats: Path
) -> None:
    done = call("import", chats, "--format", "csv")
    assert done.code == 2
    assert done.err.startswith("error: there is no format 'csv'\nhint: Use one of auto, chatgpt, ")


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
