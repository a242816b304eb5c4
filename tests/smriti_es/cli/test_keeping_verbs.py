"""`hold` and `retention`: what must be kept, and for how long the rest is."""

from collections.abc import Callable
from typing import Any

import pytest

Call = Callable[..., Any]


def test_a_hold_is_placed_listed_and_released(moved: Call) -> None:
    placed = moved(
        *("hold", "place", "--session", "s2", "--authority", "District court"),
        *("--reason", "case 12/7", "--until", "2099-01-01"),
    )
    assert (placed.code, placed.out) == (
        0,
        "Held at position 13: session s2; `hold release 13` lifts it.\n",
    )
    (shown,) = moved("hold", "list", "--json").lines
    shown.pop("known")
    assert shown == {
        "position": 13,
        "kind": "session",
        "name": "s2",
        "space": "main",
        "expires_at": "2099-01-01T00:00:00.000000Z",
        "reason": "case 12/7",
        "authority": "District court",
    }
    released = moved("hold", "release", 13, "--reason", "closed")
    assert (released.code, released.out) == (0, "The hold at position 13 is lifted.\n")
    assert moved("hold", "list").err == "note: nothing is held\n"


def test_holds_are_listed_as_a_table(moved: Call) -> None:
    moved("hold", "place", "--entity", "Atlas", "--authority", "audit", "--until", "2099-01-01")
    moved("hold", "place", "--authority", "court")
    head, first, second = [line.split() for line in moved("hold", "list").out.splitlines()]
    assert head == ["position", "since", "what", "expires", "authority", "reason"]
    assert (first[0], first[3:]) == ("13", ["entity", "atlas", "2099-01-01", "00:00", "audit"])
    assert (second[0], second[3:]) == ("14", ["tenant", "-", "court"])


def test_a_hold_that_names_nothing_keeps_everything(moved: Call) -> None:
    placed = moved("hold", "place", "--authority", "court")
    assert placed.out == "Held at position 13: everything; `hold release 13` lifts it.\n"
    assert moved("erase", "--session", "s1").code == 2


def test_holds_answer_in_json(moved: Call) -> None:
    placed = moved("hold", "place", "--turn", 3, "--authority", "court", "--json").json
    assert placed == {"hold": 13, "head": 13}
    assert moved("hold", "release", 13, "--json").json == {"changed": True, "head": 14}
    assert moved("hold", "list", "--json").out == ""


@pytest.mark.parametrize(
    "named",
    [("--turn", 3), ("--session", "S1"), ("--fact", 5), ("--entity", "USER")],
    ids=str,
)
def test_whatever_can_be_named_can_be_held(moved: Call, named: tuple[Any, ...]) -> None:
    moved("hold", "place", *named, "--authority", "court")
    done = moved("erase", "--session", "s1")
    assert (done.code, done.err.splitlines()[0]) == (
        2,
        "error: the hold at position 13 keeps it; nothing was erased",
    )


def test_a_hold_says_who_asks_for_it(moved: Call) -> None:
    done = moved("hold", "place", "--session", "s2")
    assert (done.code, done.err.splitlines()[0]) == (2, "error: Missing option '--authority'.")


def test_one_thing_at_a_time_is_held(moved: Call) -> None:
    done = moved("hold", "place", "--turn", 3, "--session", "s2", "--authority", "court")
    assert (done.code, done.err.splitlines()) == (
        2,
        [
            "error: 2 things are named",
            "hint: Name exactly one of --turn, --session, --fact, --entity, --whole-space.",
        ],
    )


def test_what_does_not_stand_cannot_be_released(moved: Call) -> None:
    done = moved("hold", "release", 5)
    assert (done.code, done.out, done.err) == (
        2,
        "",
        "error: no hold stands at position 5\nhint: `smriti-es hold list` lists them.\n",
    )


def test_how_long_things_are_kept_is_settled_and_listed(moved: Call) -> None:
    done = moved("retention", "set", 90)
    assert (done.code, done.out) == (0, "Kept for 90 days; `sweep` erases what is older.\n")
    moved("retention", "set", 1.5, "--kind", "note", "--session", "s1")
    shown = [line.split() for line in moved("retention", "list").out.splitlines()]
    assert shown == [
        ["space", "session", "kind", "days"],
        ["main", "-", "-", "90"],
        ["main", "s1", "note", "1.5"],
    ]


def test_retention_answers_in_json(moved: Call) -> None:
    assert moved("retention", "set", 90, "--json").json == {"changed": True, "head": 13}
    assert moved("retention", "list", "--json").lines == [
        {"position": 13, "space": "main", "session": "", "kind": "", "keep_for_s": 7_776_000.0}
    ]


def test_a_rule_is_lifted(moved: Call) -> None:
    moved("retention", "set", 90)
    done = moved("retention", "set", "--forever", "--reason", "wanted after all")
    assert (done.code, done.out) == (0, "Kept for as long as one likes.\n")
    assert moved("retention", "list").err == ("note: everything is kept for as long as one likes\n")


@pytest.mark.parametrize("given", [(), (90, "--forever")], ids=str)
def test_a_number_of_days_or_for_ever_is_given(moved: Call, given: tuple[Any, ...]) -> None:
    done = moved("retention", "set", *given)
    assert (done.code, done.err.splitlines()[0]) == (
        2,
        "error: Invalid value: give a number of days, or --forever",
    )


@pytest.mark.parametrize("days", ["-1", "3650001", "1e300", "nan"])
def test_a_number_of_days_that_cannot_be_is_an_error(moved: Call, days: str) -> None:
    done = moved("retention", "set", "--", days)
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[0].endswith(" days; give 0 to 3,650,000")
