"""`turns` and `sessions`: pages of what there is."""

from collections.abc import Callable
from typing import Any

Call = Callable[..., Any]


def test_turns_are_lines_of_json_in_the_order_of_the_log(two_homes: Call) -> None:
    assert [turn["position"] for turn in two_homes("turns", "--json").lines] == [3, 4, 6]


def test_turns_come_newest_first_when_asked(two_homes: Call) -> None:
    assert [turn["position"] for turn in two_homes("turns", "--newest", "--json").lines] == [
        6,
        4,
        3,
    ]


def test_turns_go_on_after_the_last_of_a_page(two_homes: Call) -> None:
    first = two_homes("turns", "-n", 2)
    assert "note: there may be more: --after 4" in first.err
    assert [turn["position"] for turn in two_homes("turns", "--after", 4, "--json").lines] == [6]


def test_turns_take_the_filters_of_a_question(two_homes: Call) -> None:
    assert [turn["position"] for turn in two_homes("turns", "--tag", "family", "--json").lines] == [
        4
    ]


def test_turns_are_a_table_for_people(two_homes: Call) -> None:
    out = two_homes("turns", "--session", "s2").out
    assert out.splitlines()[0].split() == ["position", "said", "session", "who", "text"]
    assert out.splitlines()[1].split()[:4] == ["6", "2026-06-02", "10:00", "s2"]


def test_turns_show_times_in_the_zone_that_is_asked_for(two_homes: Call) -> None:
    out = two_homes("turns", "--session", "s2", "--timezone", "Asia/Kolkata").out
    assert "2026-06-02 15:30" in out


def test_a_turn_that_nobody_dated_is_shown_with_the_time_of_its_recording(call: Call) -> None:
    call("add", "undated")
    assert "(recorded)" in call("turns").out


def test_sessions_are_lines_of_json(two_homes: Call) -> None:
    first, second = two_homes("sessions", "--json").lines
    assert (first["name"], first["turns"], second["name"]) == ("s1", 2, "s2")
    assert first["last_said_at"] == "2026-01-15T10:01:00.000000Z"


def test_sessions_are_a_table_for_people(two_homes: Call) -> None:
    row = two_homes("sessions", "-n", 1).out.splitlines()[1].split()
    assert row == ["2", "s1", "main", "2", "2026-01-15", "10:00", "2026-01-15", "10:01"]


def test_an_empty_list_is_said_and_prints_nothing(two_homes: Call) -> None:
    for arguments in (("turns", "--role", "tool"), ("sessions", "--tag", "none")):
        done = two_homes(*arguments)
        assert (done.code, done.out, done.err) == (0, "", "note: nothing was found\n")


def test_a_page_out_of_range_is_refused(two_homes: Call) -> None:
    done = two_homes("turns", "-n", 0)
    assert done.code == 2
    assert "limit is 0" in done.err


def test_turns_and_sessions_are_listed_as_they_were_known_then(moved: Call) -> None:
    assert len(moved("turns", "--json").lines) == 2
    assert [
        turn["session"] for turn in moved("turns", "--known-at", "2023-05-01", "--json").lines
    ] == ["s1"]
    assert [each["name"] for each in moved("sessions", "--known-at", 5, "--json").lines] == ["s1"]
