"""`status`: what there is, in one look."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smriti_es.cli.status_verb import size_in_words

Call = Callable[..., Any]


def test_status_tells_what_there_is(two_homes: Call, tmp_path: Path) -> None:
    found = two_homes("status", "--json").json
    counts = {name: found[name] for name in ("events", "sessions", "turns", "vectors", "pending")}
    assert counts == {"events": 7, "sessions": 2, "turns": 3, "vectors": 3, "pending": 0}
    assert found["location"] == str(tmp_path / "memory.db")
    assert found["embedder"]["kind"] == "hash"
    assert found["timezone"] == "UTC"


def test_status_is_a_panel_for_people(two_homes: Call) -> None:
    out = two_homes("status").out
    assert "3 in 2 sessions" in out
    assert "words-and-ngrams (256 dimensions)" in out
    assert "! semantic: weak" in out


def test_status_counts_the_turns_that_nobody_gave_a_time_to(call: Call) -> None:
    call("add", "--session", "a", "It rained.")
    call("add", "--session", "a", "It snowed.", "--at", "2026-01-01")
    assert call("status", "--json").json["undated"] == 1
    assert "2 in 1 sessions, 1 without a time of their own" in call("status").out


def test_status_of_a_memory_without_vectors_says_none_yet(call: Call) -> None:
    call("init", "--embedder", "none")
    assert "none yet" in call("status", "--embedder", "none").out


@pytest.mark.parametrize(
    ("size_bytes", "words"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1536, "1.5 KiB"),
        (5 * 1024**2, "5.0 MiB"),
        (3 * 1024**5, "3072.0 TiB"),
    ],
)
def test_a_size_is_written_in_the_unit_that_suits_it(size_bytes: int, words: str) -> None:
    assert size_in_words(size_bytes) == words


def test_status_counts_facts_and_turns_that_wait_for_extraction(moved: Call) -> None:
    moved("add", "I play the veena.", "--extractor", "none")
    found = moved("status", "--json").json
    assert (found["facts"], found["extraction_behind"]) == (4, 1)
    out = moved("status").out
    assert "4; 1 turn waits for extraction" in out
    assert "extract pending" in out


def test_status_of_a_memory_without_facts_says_so(call: Call) -> None:
    call("init")
    assert "│ facts        0 " in call("status").out


def test_status_says_what_waits_for_an_owner(moved: Call) -> None:
    assert "for you      nothing" in moved("status").out
    moved("assert", "user", "lives_in", "Rome", "--origin", "agent")
    moved("quarantine", "add", "--fact", "11")
    found = moved("status", "--json").json
    assert (found["review"], found["quarantines"], found["spaces"]) == (1, 1, ["main"])
    assert "1 to review (`smriti-es review list`); 1 quarantine stands" in moved("status").out
