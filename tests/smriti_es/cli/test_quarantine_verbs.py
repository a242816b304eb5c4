"""`quarantine`, `impact` and `without`: what rests on what, and what is withheld."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smriti_es.engine import Engine

Call = Callable[..., Any]

# Of the memory in which somebody moved: what session s2 is, and the facts.
HYDERABAD, SESSION, TURN, BENGALURU = 5, 6, 7, 9
RESTING = {"sessions": [SESSION], "turns": [TURN], "facts": [BENGALURU], "ends": [], "served": []}


def lives_in(call: Call) -> list[str]:
    return [fact["object"] for fact in call("facts", "user", "lives_in", "--json").lines]


def events(call: Call) -> int:
    return int(call("status", "--json").json["events"])


def test_impact_counts_what_rests_on_a_session_and_says_where(moved: Call) -> None:
    done = moved("impact", "--session", "s2")
    assert done.code == 0
    assert [line.split() for line in done.out.splitlines()] == [
        ["what", "how", "many", "positions"],
        ["sessions", "1", "6"],
        ["turns", "1", "7"],
        ["facts", "1", "9"],
        ["ends", "0"],
    ]


def test_impact_answers_in_json(moved: Call) -> None:
    assert moved("impact", "--session", "s2", "--json").json == {
        "target": {"session": "s2"},
        "cascade": True,
        **RESTING,
    }


@pytest.mark.parametrize(
    ("named", "facts"),
    [
        (("--turn", TURN), [9]),
        (("--fact", HYDERABAD), [5]),
        (("--origin", "owner"), [5, 9, 11, 12]),
        (("--actor", "local"), [5, 9, 11, 12]),
        (("--origin", "tool"), []),
    ],
    ids=str,
)
def test_impact_takes_whatever_can_be_named(
    moved: Call, named: tuple[Any, ...], facts: list[int]
) -> None:
    assert moved("impact", *named, "--json").json["facts"] == facts


def test_neighbouring_positions_are_shown_as_a_range(moved: Call) -> None:
    facts = moved("impact", "--origin", "owner").out.splitlines()[3]
    assert facts.split(maxsplit=2)[2].strip() == "5, 9, 11-12"


def test_impact_tells_the_receipts_of_answers_that_handed_it_out(
    moved: Call, tmp_path: Path
) -> None:
    with Engine.open(
        tmp_path / "memory.db", embedder=None, extractor=None, receipts=True
    ) as memory:
        memory.context("Where do I live?")
    assert moved("impact", "--session", "s2").out.splitlines()[-1].split() == ["served", "1", "13"]


@pytest.mark.parametrize("verb", [("impact",), ("without",), ("quarantine", "add")])
def test_exactly_one_thing_is_named(moved: Call, verb: tuple[str, ...]) -> None:
    none, two = moved(*verb), moved(*verb, "--turn", TURN, "--session", "s2")
    assert (none.code, none.err.splitlines()[0]) == (2, "error: nothing is named")
    assert (two.code, two.err.splitlines()) == (
        2,
        [
            "error: 2 things are named",
            "hint: Name exactly one of --turn, --session, --fact, --origin, --actor.",
        ],
    )


@pytest.mark.parametrize("verb", [("impact",), ("without",), ("quarantine", "add")])
def test_what_is_not_there_is_an_error(moved: Call, verb: tuple[str, ...]) -> None:
    done = moved(*verb, "--session", "nowhere")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: no session 'nowhere' in main\n")


def test_a_quarantine_withholds_and_its_release_brings_back(moved: Call) -> None:
    done = moved("quarantine", "add", "--session", "s2", "--reason", "somebody else")
    assert (done.code, done.out) == (
        0,
        "Quarantined session s2 at position 13: 3 items are withheld; "
        "`quarantine release 13` brings back what nothing else withholds.\n",
    )
    assert lives_in(moved) == ["Hyderabad"]
    assert [turn["session"] for turn in moved("turns", "--json").lines] == ["s1"]
    assert moved("quarantine", "release", 13, "--reason", "it was me").out == (
        "The quarantine at position 13 is lifted.\n"
    )
    assert lives_in(moved) == ["Bengaluru"]


def test_a_quarantine_answers_in_json(moved: Call) -> None:
    done = moved("quarantine", "add", "--fact", BENGALURU, "--json").json
    assert (done["quarantine"], done["items"]) == (13, 1)
    assert done["head"] == events(moved) - 1
    released = moved("quarantine", "release", 13, "--json").json
    assert released == {"changed": True, "head": events(moved) - 1}


def test_without_cascade_what_was_derived_stays(moved: Call) -> None:
    done = moved("quarantine", "add", "--turn", TURN, "--no-cascade", "--json").json
    assert (done["items"], lives_in(moved)) == (1, ["Bengaluru"])


def test_a_dry_run_tells_what_would_be_withheld_and_records_nothing(moved: Call) -> None:
    done = moved("quarantine", "add", "--session", "s2", "--dry-run")
    assert done.out == moved("impact", "--session", "s2").out
    assert done.err == "note: nothing was recorded; without --dry-run this would be withheld\n"
    assert (events(moved), lives_in(moved)) == (13, ["Bengaluru"])


def test_a_dry_run_without_cascade_counts_no_more_than_what_is_named(moved: Call) -> None:
    said = ("quarantine", "add", "--session", "s2", "--dry-run", "--json")
    assert moved(*said).json == {"target": {"session": "s2"}, "cascade": True, **RESTING}
    assert moved(*said, "--no-cascade").json == {
        "target": {"session": "s2"},
        "cascade": False,
        **RESTING,
        "facts": [],
    }


def test_quarantines_are_listed_until_they_are_lifted(moved: Call) -> None:
    moved("quarantine", "add", "--session", "s2", "--reason", "somebody else")
    moved("quarantine", "add", "--turn", TURN, "--no-cascade")
    first, second = moved("quarantine", "list", "--json").lines
    assert (first["position"], first["target"], first["items"]) == (13, {"session": "s2"}, 3)
    assert (first["cascade"], first["reason"]) == (True, "somebody else")
    assert (second["target"], second["cascade"], second["items"]) == ({"turn": TURN}, False, 1)
    shown = moved("quarantine", "list").out.splitlines()
    assert shown[0].split() == ["position", "since", "what", "cascade", "withheld", "reason"]
    assert shown[1].split()[3:] == ["session", "s2", "yes", "3", "somebody", "else"]
    moved("quarantine", "release", 13)
    moved("quarantine", "release", second["position"])
    assert moved("quarantine", "list").err == "note: nothing is quarantined\n"


def test_what_is_not_quarantined_cannot_be_released(moved: Call) -> None:
    done = moved("quarantine", "release", TURN)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: no quarantine at position 7\n"
        "hint: `smriti-es quarantine list` lists those that are not lifted.\n"
    )


def test_without_tells_what_would_be_believed_otherwise_and_changes_nothing(moved: Call) -> None:
    done = moved("without", "--session", "s2")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "Left out with session s2:"
    assert [line.split() for line in lines[7:]] == [
        ["What", "would", "be", "believed", "otherwise:"],
        ["position", "change", "what", "before", "after"],
        [
            *("5", "re-dated", "user", "lives_in", "Hyderabad"),
            *("2023-01-15", "..", "2023-06-01", "2023-01-15", ".."),
        ],
        [
            *("9", "no", "longer", "believed", "user", "lives_in", "Bengaluru"),
            "2023-06-01",
            "..",
            "-",
        ],
    ]
    assert (events(moved), lives_in(moved)) == (13, ["Bengaluru"])


def test_without_answers_in_one_document(moved: Call) -> None:
    found = moved("without", "--fact", BENGALURU, "--json").json
    assert (found["without"], found["known_at"]) == ({"fact": BENGALURU}, 12)
    assert found["left_out"] == {"sessions": [], "turns": [], "facts": [BENGALURU], "ends": []}
    told = [(each["position"], each["kind"], sorted(each)) for each in found["changes"]]
    members = ["after", "before", "kind", "position"]
    assert told == [(5, "re-dated", members), (9, "no longer believed", members)]
    assert found["changes"][1]["after"] is None
    assert found["changes"][0]["after"]["valid_to"] is None


def test_without_answers_as_of_the_past(moved: Call) -> None:
    found = moved("without", "--session", "s1", "--known-at", HYDERABAD, "--json").json
    assert found["known_at"] == HYDERABAD
    assert [(each["position"], each["kind"]) for each in found["changes"]] == [
        (HYDERABAD, "no longer believed")
    ]
    assert moved("without", "--session", "s2", "--known-at", HYDERABAD).code == 2


def test_what_nobody_believes_makes_no_difference(moved: Call) -> None:
    moved("quarantine", "add", "--session", "s2")
    assert "note: no belief differs\n" in moved("without", "--session", "s2").err
