"""`log tail` and `log verify`: the end of the log, and whether it is what was written."""

import json
from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from smriti_es.cli.log_verbs import Tail
from smriti_es.cli.screen import Screen

Call = Callable[..., Any]


def test_tail_shows_the_last_events(two_homes: Call) -> None:
    found = two_homes("log", "tail", "-n", 2, "--json").lines
    assert [(event["position"], event["type"]) for event in found] == [
        (5, "SessionStarted"),
        (6, "TurnRecorded"),
    ]


def test_tail_shows_everything_when_there_is_less(two_homes: Call) -> None:
    assert len(two_homes("log", "tail", "--json").lines) == 7


def test_tail_shows_nothing_when_nothing_is_wanted(two_homes: Call) -> None:
    assert two_homes("log", "tail", "-n", 0).out == ""


def test_tail_is_a_line_for_each_event(two_homes: Call) -> None:
    (line,) = two_homes("log", "tail", "-n", 1).out.splitlines()
    position, _, _, kind, actor, leaf, size, unit = line.split()
    assert (position, kind, actor, unit) == ("6", "TurnRecorded", "owner:local", "B")
    (event,) = two_homes("log", "tail", "-n", 1, "--json").lines
    assert event["leaf"].startswith(leaf)
    assert event["payload_bytes"] == int(size)


def test_tail_shows_what_was_said_only_when_asked(two_homes: Call) -> None:
    assert "Bengaluru" not in two_homes("log", "tail").out
    assert "Bengaluru" in two_homes("log", "tail", "--content").out


def test_tail_in_json_carries_the_content_only_when_asked(two_homes: Call) -> None:
    (event,) = two_homes("log", "tail", "-n", 1, "--json").lines
    assert "event" not in event
    (event,) = two_homes("log", "tail", "-n", 1, "--json", "--content").lines
    assert event["event"]["text"] == "I live in Bengaluru now."
    assert event["event"]["said_at"] == "2026-06-02T10:00:00.000000Z"


def test_tail_refuses_a_count_out_of_range(two_homes: Call) -> None:
    done = two_homes("log", "tail", "-n", -1)
    assert done.code == 2
    assert "-n is -1" in done.err


def test_a_followed_log_shows_what_is_appended_once_each(
    engine: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    memory = engine()
    shown = Tail(Screen(as_json=True), ZoneInfo("UTC"), content=True, following=1)
    to_add = iter(["first", "second"])

    def wait() -> None:
        if (text := next(to_add, None)) is None:
            raise KeyboardInterrupt
        memory.add(text, session="s1")

    with pytest.raises(KeyboardInterrupt):
        shown.follow(memory, wait)
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["position"] for event in events] == [1, 2, 3]
    assert [event["event"].get("text") for event in events] == [None, "first", "second"]


def test_an_intact_log_verifies(two_homes: Call) -> None:
    done = two_homes("log", "verify")
    assert done.code == 0
    assert done.out.startswith("The log is intact: 7 events, head ")
    assert done.out.count("equal") == 8


def test_verify_can_leave_the_projections_out(two_homes: Call) -> None:
    found = two_homes("log", "verify", "--no-projections", "--json").json
    assert (found["ok"], found["log"]["events"], found["projections"]) == (True, 7, [])


def test_an_edited_payload_is_found_with_its_position(
    two_homes: Call, behind_the_back: Callable[..., int]
) -> None:
    assert behind_the_back(
        "UPDATE payload SET body = cast(replace(body, 'Bengaluru', 'Hyderabad') AS BLOB)"
        " WHERE position = 6"
    )
    done = two_homes("log", "verify")
    assert done.code == 1
    assert "The log is NOT what was written: 1 finding." in done.out
    row = done.out.splitlines()[2].split()
    assert row[0] == "6"
    assert "not what the header commits to" in done.out
    assert "note: the projections were not compared: the log comes first" in done.err


def test_findings_in_json_end_with_1_too(
    two_homes: Call, behind_the_back: Callable[..., int]
) -> None:
    assert behind_the_back("UPDATE event SET known = known + 1 WHERE position = 4")
    done = two_homes("log", "verify", "--json")
    assert done.code == 1
    (finding,) = done.json["log"]["findings"]
    assert (finding["position"], finding["place"]) == (4, "event.known")


def test_a_log_that_has_lost_its_genesis_can_still_be_verified(
    two_homes: Call, behind_the_back: Callable[..., int]
) -> None:
    assert behind_the_back("UPDATE payload SET body = '{}' WHERE position = 0")
    done = two_homes("log", "verify", "--json")
    assert done.code == 1
    assert {finding["position"] for finding in done.json["log"]["findings"]} >= {0}


def test_a_projection_that_differs_from_the_log_is_found(
    two_homes: Call, behind_the_back: Callable[..., int]
) -> None:
    assert behind_the_back("UPDATE turn_v1_g1 SET role = 'tool' WHERE position = 4")
    done = two_homes("log", "verify", "--json")
    assert done.code == 1
    assert done.json["log"]["ok"] is True
    assert [each["projection"] for each in done.json["projections"] if not each["ok"]] == ["turns"]
