"""`demo`: the main job done on the conversation that comes along."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smriti_es.cli.demo import CONVERSATION
from smriti_es.embedders.minilm import minilm_installed

Call = Callable[..., Any]

LINES = [json.loads(line) for line in CONVERSATION.read_text("utf-8").splitlines()]


def test_the_conversation_has_several_sessions_over_months() -> None:
    days = sorted(line["timestamp"][:10] for line in LINES)
    assert 60 <= len(LINES) <= 90
    assert len({line["session"] for line in LINES}) >= 6
    assert (days[0], days[-1]) == ("2025-02-09", "2025-10-19")


def test_the_conversation_is_between_two_people_and_an_assistant() -> None:
    assert {(line["role"], line.get("name")) for line in LINES} == {
        ("user", "Ishani"),
        ("user", "Rafael"),
        ("assistant", None),
    }


@pytest.mark.skipif(not minilm_installed(), reason="needs the extra minilm")
def test_the_demo_answers_with_dated_evidence_from_the_default_model(call: Call) -> None:
    done = call("demo", "--json", SMRITI_ES_EMBEDDER=None)
    assert done.code == 0
    where, allergic, trip = [answer["context"]["text"] for answer in done.json["answers"]]
    assert "I live in Bristol now! I moved in last weekend [2025-06-14..2025-06-15]" in where
    assert "Six years I have lived in Leeds" in where
    assert "They did tests yesterday [2025-03-15]: I'm allergic to cashews" in allergic
    assert "São Miguel, 4 to 11 October" in trip
    assert done.json["seconds"] < 30


def test_the_demo_verifies_and_rebuilds_what_it_used(call: Call) -> None:
    found = call("demo", "--json").json
    assert found["ok"] is True
    assert found["verify"]["log"]["ok"] is True
    assert [each["projection"] for each in found["rebuilt"]] == ["turns", "lexical"]
    assert all(each["before"] == each["after"] for each in found["rebuilt"])


def test_the_demo_tells_people_the_same(call: Call) -> None:
    done = call("demo")
    assert done.code == 0
    assert "77 turns in 8 sessions" in done.out
    assert "Where does Ishani live now, and since when?" in done.out
    assert "The log is intact: 87 events" in done.out
    assert "The log verifies, and the rebuilt projections equal those that answered." in done.out


def test_the_demo_leaves_the_users_own_memory_alone(call: Call, tmp_path: Path) -> None:
    assert call("demo").code == 0
    assert list(tmp_path.iterdir()) == []


def test_the_demo_keeps_a_file_that_is_named_when_asked(call: Call, tmp_path: Path) -> None:
    done = call("demo", "--keep", "--db", "shown.db")
    assert "The memory is at shown.db." in done.out
    assert call("status", "--db", "shown.db", "--json").json["turns"] == 77


def test_the_demo_clears_a_file_that_is_named_when_not_asked(call: Call, tmp_path: Path) -> None:
    assert call("demo", "--db", "shown.db", "--json").json["file"] is None
    assert list(tmp_path.iterdir()) == []


def test_the_demo_refuses_a_file_that_exists(two_homes: Call) -> None:
    done = two_homes("demo", "--db", "memory.db")
    assert (done.code, done.out) == (2, "")
    assert "memory.db exists already" in done.err
    assert len(two_homes("turns", "--json").lines) == 3


def test_the_demo_says_where_the_memory_is_that_it_keeps(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    file = Path(call("demo", "--keep", "--json").json["file"])
    assert file.is_relative_to(tmp_path)
    assert file.is_file()
