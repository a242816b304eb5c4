"""The verb `export`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]


@pytest.fixture
def told(call: Call) -> Call:
    """A memory in which somebody was spoken of."""
    call("add", "Rachel lives in Pune.", "--session", "s1", SMRITI_ES_EXTRACTOR="patterns")
    return call


def test_it_writes_what_is_held_and_says_what_was_not_looked_at(told: Call, tmp_path: Path) -> None:
    done = told("export", "rachel.jsonl", "--about", "rachel")
    assert done.code == 0
    lines = [json.loads(line) for line in (tmp_path / "rachel.jsonl").read_text().splitlines()]
    assert [each["record"] for each in lines] == [
        *("export", "session", "turn", "extraction", "fact", "total"),
    ]
    assert "Written to rachel.jsonl, up to position 5." in done.out
    assert "Not looked at:" in done.out
    assert "read it before you hand it over" in done.err


def test_a_page_for_people_is_asked_for_by_format(told: Call, tmp_path: Path) -> None:
    told("export", "rachel.md", "--about", "Rachel", "--format", "markdown")
    assert (tmp_path / "rachel.md").read_text().startswith("# What this memory holds on somebody")


def test_json_tells_the_counts_and_the_digest(told: Call) -> None:
    done = told("export", "rachel.jsonl", "--about", "Rachel", "--others", "excerpts", "--json")
    told_of = done.json
    assert told_of["records"] == {"extraction": 1, "fact": 1, "session": 1, "turn": 1}
    assert (told_of["names"], told_of["head"], len(told_of["digest"])) == (["rachel"], 5, 64)


def test_of_somebody_unknown_it_says_that_nothing_is_held(told: Call) -> None:
    done = told("export", "mallory.jsonl", "--about", "Mallory")
    assert (done.code, done.out.splitlines()[0]) == (0, "Nothing is held on Mallory.")


def test_a_file_that_is_there_is_an_error_and_is_kept(told: Call, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    done = told("export", "mine", "--about", "Rachel")
    assert done.code == 2
    assert done.err.startswith("error: there is a file at mine already\nhint: Name a new one.")
    assert (tmp_path / "mine").read_text() == "mine"


def test_without_a_name_the_conversations_are_written_and_can_be_imported(
    two_homes: Call, tmp_path: Path
) -> None:
    done = two_homes("export", tmp_path / "chats.jsonl")
    assert done.out == f"Wrote 3 turns of 2 sessions to {tmp_path / 'chats.jsonl'}.\n"
    again = two_homes("import", tmp_path / "chats.jsonl", "--db", tmp_path / "other.db", "--json")
    assert (again.json["recorded"], again.json["format"]) == (3, "jsonl")
    page = two_homes("export", tmp_path / "chats.md", "--format", "markdown", "--json").json
    assert (page["form"], page["sessions"], page["turns"]) == ("markdown", 2, 3)
    assert "I live in Bengaluru now." in (tmp_path / "chats.md").read_text("utf-8")
