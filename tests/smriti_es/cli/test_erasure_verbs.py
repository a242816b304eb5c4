"""`erase` and `sweep`: what would go, what goes, what forbids it, and what was found where."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.catalogue import Erased
from smriti_es.events.header import Actor

Call = Callable[..., Any]

# Of the memory in which somebody moved: what session s2 is, and the facts.
HYDERABAD, SESSION, TURN, BENGALURU = 5, 6, 7, 9
ELSEWHERE = ("backups, exports and disk blocks", "not reachable")


def lives_in(call: Call) -> list[tuple[str, str]]:
    found = call("facts", "user", "lives_in", "--status", "any", "--json").lines
    return [(fact["object"], fact["status"]) for fact in found]


def events(call: Call) -> int:
    return int(call("status", "--json").json["events"])


def rows(shown: str) -> list[list[str]]:
    return [line.split() for line in shown.splitlines()]


def test_a_dry_run_lists_what_would_go_and_erases_nothing(moved: Call) -> None:
    done = moved("erase", "--session", "s2", "--dry-run")
    assert (done.code, rows(done.out)) == (
        0,
        [
            ["what", "how", "many", "positions"],
            ["sessions", "1", "6"],
            ["turns", "1", "7"],
            ["facts", "1", "9"],
            ["ends", "0"],
            ["lapses", "before", "1", "5"],
            ["waits", "on", "0"],
            ["aliases", "0"],
            ["what", "repeats", "it", "2"],
        ],
    )
    assert done.err == "note: nothing was erased; without --dry-run this would go\n"
    assert (events(moved), len(lives_in(moved))) == (13, 2)


def test_a_dry_run_answers_in_json(moved: Call) -> None:
    assert moved("erase", "--session", "s2", "--dry-run", "--json").json == {
        "position": None,
        "content": {"sessions": [SESSION], "turns": [TURN], "facts": [BENGALURU], "ends": []},
        "aliases": 0,
        "derived": 2,
        "predecessors": [HYDERABAD],
        "waiting": [],
        "predecessor": "lapse",
        "holds": [],
        "places": {},
        "verified": False,
        "pending": None,
    }


def test_what_is_erased_is_gone_and_what_it_had_replaced_lapses(moved: Call) -> None:
    done = moved("erase", "--session", "s2", "--reason", "asked for on 3 June")
    assert (done.code, done.err) == (0, "")
    assert "Erased session s2 at position 13." in done.out
    assert ["memory.db", "clean"] in rows(done.out)
    assert lives_in(moved) == [("Hyderabad", "lapsed")]
    assert [turn["session"] for turn in moved("turns", "--json").lines] == ["s1"]
    assert moved("log", "verify").code == 0


def test_no_file_of_the_memory_holds_what_was_erased(moved: Call, tmp_path: Path) -> None:
    def holding() -> set[str]:
        files = tmp_path.glob("memory.db*")
        return {each.name for each in files if b"bengaluru" in each.read_bytes().lower()}

    assert "memory.db" in holding()
    moved("erase", "--session", "s2")
    assert holding() == set()


def test_erasing_answers_in_json(moved: Call) -> None:
    done = moved("erase", "--session", "s2", "--json").json
    assert (done["position"], done["content"]["facts"], done["predecessors"]) == (13, [9], [5])
    assert (done["verified"], done["pending"], done["holds"]) == (True, None, [])
    assert done["places"].pop(ELSEWHERE[0]) == ELSEWHERE[1]
    assert set(done["places"].values()) == {"clean"}


def test_what_was_never_true_lets_what_it_had_replaced_go_on(moved: Call) -> None:
    moved("erase", "--session", "s2", "--reopen")
    assert lives_in(moved) == [("Hyderabad", "current")]


def test_forgotten_values_are_not_extracted_again(moved: Call) -> None:
    moved("erase", "--session", "s2", "--forget-values")
    moved("add", "I moved to Bengaluru.", "--session", "s3", "--at", "2024-01-01")
    assert lives_in(moved) == [("Hyderabad", "lapsed")]


def test_a_forgotten_value_is_let_in_again(moved: Call) -> None:
    moved("erase", "--session", "s2", "--forget-values")
    done = moved("readmit", "user", "lives_in", "bengaluru", "--reason", "moved back")
    assert (done.code, done.out) == (0, "It may be extracted again.\n")
    moved("add", "I moved to Bengaluru.", "--session", "s3", "--at", "2024-01-01")
    assert ("Bengaluru", "current") in lives_in(moved)


def test_a_value_that_nothing_keeps_out_is_an_error(moved: Call) -> None:
    done = moved("readmit", "user", "lives_in", "Rome")
    assert (done.code, done.out, done.err) == (
        2,
        "",
        "error: nothing keeps this value from being extracted\n",
    )


def test_an_erased_turn_that_is_said_again_is_left_out_and_told(moved: Call) -> None:
    said = ("add", "I moved to Bengaluru on June 1st.", "--session", "s2", "--at", "2023-06-02")
    moved("erase", "--session", "s2")
    done = moved(*said)
    assert (done.code, done.out) == (
        0,
        "Recorded nothing new in session s2; erased before, and left out: 1.\n",
    )
    assert moved(*said, "--json").json["erased"] == 1
    assert moved(*said, "--readmit", "--json").json["erased"] == 0
    assert ("Bengaluru", "current") in lives_in(moved)


def test_erased_turns_of_a_file_are_left_out_and_told(call: Call, tmp_path: Path) -> None:
    lines = [
        f'{{"session": "s1", "role": "user", "content": "Word {each}.", "id": "m{each}"}}\n'
        for each in range(3)
    ]
    (tmp_path / "chats.jsonl").write_text("".join(lines), "utf-8")
    call("import", "chats.jsonl")
    (turn,) = [each for each in call("turns", "--json").lines if each["text"] == "Word 1."]
    call("erase", "--turn", turn["position"])
    counts = call("import", "chats.jsonl", "--json").json
    assert (counts["recorded"], counts["replayed"], counts["erased"]) == (0, 2, 1)
    assert call("import", "chats.jsonl").out == (
        "Recorded nothing new from 1 session (jsonl); there already: 2; "
        "erased before, and left out: 1.\n"
    )
    again = call("import", "chats.jsonl", "--readmit", "--json").json
    assert (again["recorded"], again["replayed"], again["erased"]) == (1, 2, 0)


def test_who_erases_and_why_is_recorded(moved: Call, tmp_path: Path) -> None:
    moved("erase", "--session", "s2", "--by", "dpo", "--reason", "asked for")
    with Engine.open(tmp_path / "memory.db", embedder=None, read_only=True) as memory:
        (erased,) = [each for each in memory.events() if isinstance(each.event, Erased)]
    assert isinstance(erased.event, Erased)
    assert (erased.header.actor, erased.event.reason) == (Actor("owner", "dpo"), "asked for")


@pytest.mark.parametrize(
    ("named", "facts"),
    [
        (("--turn", TURN), [9]),
        (("--fact", HYDERABAD), [5]),
        (("--entity", "ATLAS"), [12]),
        (("--origin", "owner"), [5, 9, 11, 12]),
        (("--whole-space", "main"), [5, 9, 11, 12]),
        (("--before", "2023-02"), [5]),
    ],
    ids=str,
)
def test_erase_takes_whatever_can_be_named(
    moved: Call, named: tuple[Any, ...], facts: list[int]
) -> None:
    done = moved("erase", *named, "--dry-run", "--json")
    assert done.json["content"]["facts"] == facts


def test_exactly_one_thing_is_named(moved: Call) -> None:
    none, two = moved("erase"), moved("erase", "--turn", TURN, "--session", "s2")
    hint = (
        "hint: Name exactly one of --turn, --session, --fact, --origin, --entity, "
        "--whole-space, --before."
    )
    assert (none.code, none.err.splitlines()) == (2, ["error: nothing is named", hint])
    assert (two.code, two.err.splitlines()) == (2, ["error: 2 things are named", hint])
    assert events(moved) == 13


@pytest.mark.parametrize(
    ("named", "error"),
    [
        (("--session", "nowhere"), "no session 'nowhere' in main"),
        (("--turn", 5), "no turn at 5"),
        (("--fact", 7), "there is no fact at position 7"),
        (("--entity", "Nobody"), "there is nothing of entity 'Nobody'"),
        (("--whole-space", "team"), "there is no space 'team'"),
        (("--before", "2000"), "nothing was said before that"),
    ],
    ids=str,
)
def test_what_is_not_there_cannot_be_erased(
    moved: Call, named: tuple[Any, ...], error: str
) -> None:
    done = moved("erase", *named)
    assert (done.code, done.out, done.err.splitlines()[0]) == (2, "", f"error: {error}")
    assert events(moved) == 13


def test_erasing_twice_is_an_error_and_no_second_event(moved: Call) -> None:
    moved("erase", "--turn", TURN)
    before = events(moved)
    assert moved("erase", "--turn", TURN).code == 2
    assert events(moved) == before


def test_a_hold_forbids_it_and_says_how_to_lift_it(moved: Call) -> None:
    moved("hold", "place", "--session", "s2", "--authority", "court")
    done = moved("erase", "--session", "s2")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: the hold at position 13 keeps it; nothing was erased\n"
        "hint: Release the holds, or name less; `smriti-es hold list` lists them.\n"
    )


def test_a_dry_run_tells_which_holds_forbid_it(moved: Call) -> None:
    moved("hold", "place", "--session", "s2", "--authority", "court")
    one = moved("erase", "--session", "s2", "--dry-run")
    assert (one.code, one.err) == (
        0,
        "note: nothing was erased, and cannot be: held at position 13\n",
    )
    moved("hold", "place", "--authority", "audit")
    two = moved("erase", "--session", "s2", "--dry-run")
    assert two.err == "note: nothing was erased, and cannot be: held at positions 13, 14\n"


@pytest.mark.parametrize("verb", [("erase", "--session", "s1"), ("sweep",)])
@pytest.mark.parametrize("dry_run", [[], ["--dry-run"]])
def test_no_memory_is_made_to_erase_from(
    call: Call, verb: tuple[str, ...], dry_run: list[str], tmp_path: Path
) -> None:
    assert call(*verb, *dry_run).code == 2
    assert list(tmp_path.iterdir()) == []


def test_a_sweep_erases_what_is_due(moved: Call) -> None:
    moved("retention", "set", 90)
    would = moved("sweep", "--now", "2023-08-15", "--dry-run")
    assert (would.code, would.out) == (0, "2 turns and facts would go, 0 are held.\n")
    assert moved("sweep", "--now", "2023-08-15").out == "2 turns and facts went, 0 are held.\n"
    assert lives_in(moved) == [("Bengaluru", "current")]


def test_a_sweep_skips_what_is_held(moved: Call) -> None:
    moved("retention", "set", 90)
    moved("hold", "place", "--session", "s1", "--authority", "court")
    assert moved("sweep", "--now", "2023-08-15").out == "0 turns and facts went, 2 are held.\n"


def test_a_sweep_answers_in_json(moved: Call) -> None:
    moved("retention", "set", 90)
    assert moved("sweep", "--now", "2023-08-15", "--dry-run", "--json").json == {
        "due": 2,
        "held": 0,
        "content": {"sessions": [2], "turns": [3], "facts": [HYDERABAD], "ends": []},
        "position": None,
        "pending": None,
        "verified": False,
    }
    done = moved("sweep", "--now", "2023-08-15", "--json").json
    assert (done["due"], done["position"], done["verified"]) == (2, 14, True)


@pytest.mark.parametrize("verb", [("erase", "--before"), ("sweep", "--now")])
def test_a_time_that_cannot_be_read_is_an_error(moved: Call, verb: tuple[str, str]) -> None:
    done = moved(*verb, "soon")
    assert (done.code, done.err.splitlines()) == (
        2,
        [
            "error: not a time: 'soon'",
            "hint: Give RFC 3339 text such as 2026-06-02T10:00:00Z, or a part of it.",
        ],
    )
