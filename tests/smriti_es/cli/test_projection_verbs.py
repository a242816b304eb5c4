"""`projections`: how far they are, whether they are right, and building them anew."""

from collections.abc import Callable
from typing import Any

import pytest

Call = Callable[..., Any]

ALL = {
    *("entities", "extractions", "facts", "lexical"),
    *("lineage", "receipts", "revisions", "trust", "turns", "vectors"),
}


def test_status_tells_how_far_each_is(two_homes: Call) -> None:
    found = two_homes("projections", "status", "--json").json["projections"]
    assert [each["name"] for each in found] == sorted(ALL)
    assert {(each["folded"], each["behind"]) for each in found} == {(7, 0)}


def test_status_is_a_table_for_people(two_homes: Call) -> None:
    lines = two_homes("projections", "status").out.splitlines()
    assert lines[0].split()[:3] == ["projection", "state", "version"]
    assert lines[1].split()[:2] == ["entities", "active"]


def test_check_finds_nothing_in_a_sound_memory(two_homes: Call) -> None:
    done = two_homes("projections", "check", "--json")
    assert (done.code, done.json["ok"]) == (0, True)
    assert all(each["live"] == each["fresh"] for each in done.json["projections"])


def test_check_of_one_projection_leaves_the_others_alone(two_homes: Call) -> None:
    found = two_homes("projections", "check", "lexical", "--json").json["projections"]
    assert [each["projection"] for each in found] == ["lexical"]


def test_check_ends_with_1_when_rows_are_not_what_the_log_says(
    two_homes: Call, behind_the_back: Callable[..., int]
) -> None:
    assert behind_the_back("UPDATE turn_v1_g1 SET role = 'tool' WHERE position = 4")
    done = two_homes("projections", "check", "turns")
    assert done.code == 1
    assert "rebuild it" in " ".join(done.out.split())


def test_rebuild_gives_what_was_there(two_homes: Call) -> None:
    done = two_homes("projections", "rebuild", "turns", "lexical", "--json")
    assert done.code == 0
    assert [(each["projection"], each["equal"]) for each in done.json["rebuilt"]] == [
        ("turns", True),
        ("lexical", True),
    ]


def test_rebuild_repairs_what_was_damaged(
    two_homes: Call, behind_the_back: Callable[..., int]
) -> None:
    behind_the_back("UPDATE turn_v1_g1 SET role = 'tool' WHERE position = 4")
    done = two_homes("projections", "rebuild", "turns")
    assert (done.code, "differs" in done.out) == (0, True)
    assert two_homes("projections", "check").code == 0


def test_rebuild_of_all_takes_every_one(two_homes: Call) -> None:
    found = two_homes("projections", "rebuild", "--all", "--json").json["rebuilt"]
    assert {each["projection"] for each in found} == ALL


@pytest.mark.parametrize("arguments", [(), ("turns", "--all")])
def test_rebuild_wants_to_know_what(arguments: tuple[str, ...], two_homes: Call) -> None:
    done = two_homes("projections", "rebuild", *arguments)
    assert (done.code, done.out) == (2, "")
    assert "say which projections to rebuild" in done.err


@pytest.mark.parametrize("verb", ["rebuild", "check"])
def test_a_projection_that_does_not_exist_is_refused_by_name(verb: str, two_homes: Call) -> None:
    done = two_homes("projections", verb, "dreams")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: no projection 'dreams'\nhint: There are: ")


def test_catch_up_makes_the_vectors_that_wait(two_homes: Call) -> None:
    two_homes("add", "One more.", "--no-wait")
    done = two_homes("projections", "catch-up")
    assert (done.code, done.out) == (0, "4 turns and facts have vectors, 0 wait.\n")


def test_catch_up_without_an_embedder_is_an_error(two_homes: Call) -> None:
    done = two_homes("projections", "catch-up", "--embedder", "none")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")


@pytest.mark.parametrize("verb", ["rebuild", "catch-up"])
def test_a_memory_that_is_not_there_is_not_made(verb: str, call: Call, tmp_path: Any) -> None:
    arguments = ("turns",) if verb == "rebuild" else ()
    done = call("projections", verb, *arguments)
    assert (done.code, done.err.startswith("error: there is no memory at ")) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_a_tenant_that_is_not_there_is_not_made(two_homes: Call) -> None:
    done = two_homes("projections", "rebuild", "turns", "--tenant", "bob")
    assert (done.code, done.err.startswith("error: no tenant 'bob'")) == (2, True)
    assert two_homes("status", "--tenant", "bob").code == 2
