"""`log tail` and `log verify`: the end of the log, and whether it is what was written."""

import json
from collections.abc import Callable
from pathlib import Path
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
    assert done.out.count("equal") == 10


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
    assert "note: the projections were not compared: what was found above comes first" in done.err


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


@pytest.fixture
def damaged(
    two_homes: Call, tmp_path: Path, damage_page: Callable[[Path, bytes | int], None]
) -> Call:
    """The command line, over a memory of which the page with what was said cannot be read."""
    damage_page(tmp_path / "memory.db", b"I live in Bengaluru now.")
    return two_homes


def test_a_damaged_page_is_told_with_the_file_the_position_and_what_to_do(
    damaged: Call, tmp_path: Path
) -> None:
    done = damaged("log", "verify")
    file = tmp_path / "memory.db"
    assert done.code == 1
    assert done.out.splitlines()[2].split()[:5] == ["0", "payload", "cannot", "be", "read:"]
    assert f"The file {file} is damaged: Page " in done.out
    assert done.err.splitlines()[-1] == (
        f"hint: Restore a backup of {file}, or copy what can be read into a new file: "
        f"`smriti-es log rescue NEW.db --db {file}`."
    )


def test_a_damaged_page_in_json_is_a_finding_that_cannot_be_read(damaged: Call) -> None:
    done = damaged("log", "verify", "--json")
    assert done.code == 1
    assert {finding["unreadable"] for finding in done.json["log"]["findings"]} == {True}
    assert done.json["file"].startswith("Page ")


def test_a_file_that_is_no_database_is_told_by_verify_in_the_same_way(
    call: Call, tmp_path: Path
) -> None:
    (tmp_path / "memory.db").write_text("Dear diary, " * 500)
    done = call("log", "verify")
    assert done.code == 1
    assert "not a database" in done.out
    assert "Restore a backup" in done.err


@pytest.mark.parametrize("verb", [("context", "where?"), ("turns",), ("log", "tail")])
def test_other_verbs_that_meet_damage_lead_to_verify(damaged: Call, verb: tuple[str, ...]) -> None:
    done = damaged(*verb)
    assert (done.code, done.out) == (2, "")
    assert "is damaged or not a memory: database disk image is malformed" in done.err
    assert "hint: Run `smriti-es log verify`" in done.err


def test_edited_content_is_told_with_how_far_the_log_is_intact(
    two_homes: Call, behind_the_back: Callable[..., int], tmp_path: Path
) -> None:
    behind_the_back("UPDATE payload SET body = cast('{}' AS BLOB) WHERE position = 4")
    assert two_homes("log", "verify").err.splitlines()[-1] == (
        f"hint: Restore a backup of {tmp_path / 'memory.db'}; "
        "what stands before position 4 is as it was written."
    )


def test_a_projection_that_differs_is_told_with_how_to_make_it_anew(
    two_homes: Call, behind_the_back: Callable[..., int]
) -> None:
    behind_the_back("UPDATE turn_v1_g1 SET role = 'tool' WHERE position = 4")
    assert two_homes("log", "verify").err.splitlines()[-1] == (
        "hint: Make them anew from the log: `smriti-es projections rebuild turns`."
    )


def test_what_can_be_read_is_copied_into_a_new_memory(
    two_homes: Call,
    tmp_path: Path,
    damage_page: Callable[[Path, bytes | int], None],
    root_page: Callable[[Path, str], int],
) -> None:
    file = tmp_path / "memory.db"
    damage_page(file, root_page(file, "turn_v1_g1"))
    done = two_homes("log", "rescue", "new.db")
    assert (done.code, done.out.splitlines()[1].split()) == (
        0,
        ["default", "7", "7", "none", "none"],
    )
    assert "`smriti-es log verify --db new.db`" in done.err
    assert two_homes("log", "verify", "--db", "new.db").code == 0


def test_a_rescue_that_lost_something_ends_with_1(damaged: Call) -> None:
    done = damaged("log", "rescue", "new.db", "--json")
    assert done.code == 1
    (log,) = done.json["logs"]
    assert (log["tenant"], log["whole"], log["events"]) == ("default", False, 7)
    assert log["lost"] == [0, 1, 2, 3, 4, 5, 6]


def test_a_rescue_names_content_whose_rows_are_gone(
    two_homes: Call, behind_the_back: Callable[..., int]
) -> None:
    assert behind_the_back("DELETE FROM payload WHERE position BETWEEN 4 AND 5") == 2
    done = two_homes("log", "rescue", "new.db")
    assert done.code == 1
    assert done.out.splitlines()[1].split() == ["default", "7", "7", "4,", "5", "none"]


def test_a_rescue_says_which_events_are_left_behind(
    two_homes: Call, behind_the_back: Callable[..., int]
) -> None:
    assert behind_the_back("UPDATE event SET header = x'00' WHERE position = 5") == 1
    done = two_homes("log", "rescue", "new.db")
    assert done.code == 1
    assert "default: events 5 to 6 are left behind" in done.out


def test_a_projection_that_differs_from_the_log_is_found(
    two_homes: Call, behind_the_back: Callable[..., int]
) -> None:
    assert behind_the_back("UPDATE turn_v1_g1 SET role = 'tool' WHERE position = 4")
    done = two_homes("log", "verify", "--json")
    assert done.code == 1
    assert done.json["log"]["ok"] is True
    assert [each["projection"] for each in done.json["projections"] if not each["ok"]] == ["turns"]
