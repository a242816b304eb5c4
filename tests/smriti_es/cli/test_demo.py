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
    done = call("demo", "--json", SMRITI_ES_EMBEDDER=None, SMRITI_ES_EXTRACTOR=None)
    assert done.code == 0
    where, allergic, trip = [answer["context"]["text"] for answer in done.json["answers"]]
    assert "- [CURRENT since 2025-06-14] Ishani lives in Bristol." in where
    assert "I moved to Bristol last weekend [2025-06-14..2025-06-15]" in where
    assert "- [CURRENT since 2025-03-16] Rafael is allergic to cashews." in allergic
    assert "They did tests yesterday [2025-03-15]. I'm allergic to cashews" in allergic
    assert "São Miguel, 4 to 11 October" in trip
    assert done.json["seconds"] < 30


def test_the_demo_verifies_and_rebuilds_what_it_used(call: Call) -> None:
    found = call("demo", "--json").json
    assert found["ok"] is True
    assert found["verify"]["log"]["ok"] is True
    assert [each["projection"] for each in found["rebuilt"]] == ["turns", "facts", "lexical"]
    assert all(each["before"] == each["after"] for each in found["rebuilt"])


def test_the_demo_tells_people_the_same(call: Call) -> None:
    done = call("demo")
    assert done.code == 0
    assert "77 turns in 8 sessions" in done.out
    assert "Where does Ishani live now, and since when?" in done.out
    assert "The log is intact: 87 events" in done.out
    assert "The log verifies, and the rebuilt projections equal those that answered." in done.out


def test_the_demo_finds_facts_with_the_times_in_which_they_hold(call: Call) -> None:
    facts = call("demo", "--json", SMRITI_ES_EXTRACTOR=None).json["facts"]
    homes = [fact for fact in facts if fact["predicate"] == "lives_in"]
    assert [(fact["object"], fact["status"], fact["valid_to"]) for fact in homes] == [
        ("Leeds", "superseded", "2025-06-14T00:00:00.000000Z"),
        ("Bristol", "current", None),
    ]
    assert {fact["source"] for fact in facts} == {"pattern/1"}


def test_the_demo_answers_as_of_a_day_before_it_knew_of_the_move(call: Call) -> None:
    then = call("demo", "--json", SMRITI_ES_EXTRACTOR=None).json["then"]
    assert [(fact["object"], fact["status"]) for fact in then["facts"]] == [
        ("Leeds", "current"),
        ("Tidewater Freight", "current"),
        ("the City Archive", "scheduled"),
    ]


def test_the_demo_draws_the_facts_and_tells_them_as_of_then(call: Call) -> None:
    out = call("demo", SMRITI_ES_EXTRACTOR=None).out
    assert "now 2025-10-20 ▼" in out
    assert "ishani lives_in Leeds" in out
    assert "- [SCHEDULED from 2025-06-16] Ishani works at the City Archive." in out


def test_the_demo_works_without_an_extractor(call: Call) -> None:
    done = call("demo", "--json")
    assert (done.code, done.json["facts"], done.json["then"]["facts"]) == (0, [], [])


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
