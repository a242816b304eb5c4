"""`tenant`: whose memories a file holds, and the end of one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]


@pytest.fixture
def shared(moved: Call) -> Call:
    """The command line, over a file with the memory of somebody who moved and that of `acme`."""
    moved("add", "We plan a trip to Lisbon.", "--tenant", "acme")
    return moved


def test_tenants_are_listed(shared: Call) -> None:
    assert shared("tenant", "list").out == "acme\ndefault\n"
    assert shared("tenant", "list", "--json").lines == [{"tenant": "acme"}, {"tenant": "default"}]


def test_a_tenant_is_destroyed_once_that_is_confirmed(shared: Call) -> None:
    done = shared("tenant", "destroy", "acme", stdin="y\n")
    assert done.code == 0
    asked = "Destroy everything of the tenant 'acme'? It cannot be undone. [y/N]:"
    assert done.err.rstrip() == asked
    assert "Destroyed acme: 4 events of the log " in done.out
    assert ["memory.db", "clean"] in [line.split() for line in done.out.splitlines()]
    assert shared("tenant", "list").out == "default\n"


def test_nothing_is_destroyed_without_a_word(shared: Call) -> None:
    assert shared("tenant", "destroy", "acme", stdin="n\n").code != 0
    assert shared("tenant", "destroy", "acme", stdin="").code != 0
    assert shared("tenant", "list").out == "acme\ndefault\n"


def test_destroying_answers_in_json_and_asks_nothing_with_yes(shared: Call) -> None:
    done = shared("tenant", "destroy", "acme", "--yes", "--json")
    assert (done.code, done.err) == (0, "")
    told = done.json
    assert (told["events"], told["position"], told["verified"]) == (4, 1, True)
    assert (len(told["log_id"]), set(told["places"].values())) == (32, {"clean"})


def test_the_other_memories_of_the_file_are_left_alone(shared: Call) -> None:
    before = shared("facts", "--status", "any", "--json").out
    shared("tenant", "destroy", "acme", "--yes")
    assert shared("facts", "--status", "any", "--json").out == before
    assert shared("log", "verify").code == 0


def test_a_hold_forbids_it(shared: Call) -> None:
    shared("hold", "place", "--tenant", "acme", "--authority", "court")
    done = shared("tenant", "destroy", "acme", "--yes")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines() == [
        "error: held at position 4; nothing was destroyed",
        "hint: Release the holds, or name less; `smriti-es hold list` lists them.",
    ]


def test_a_tenant_that_is_not_there_is_an_error(shared: Call) -> None:
    done = shared("tenant", "destroy", "nobody", "--yes")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: no tenant 'nobody' in ")


def test_the_log_of_the_store_is_no_tenant(shared: Call) -> None:
    shared("tenant", "destroy", "acme", "--yes")
    assert shared("tenant", "list").out == "default\n"
    done = shared("tenant", "destroy", "smriti-es:system", "--yes")
    assert (done.code, done.err.splitlines()[0]) == (
        2,
        "error: smriti-es:system is the store's own log",
    )


def test_a_file_of_nobody_is_said_to_be_one(call: Call) -> None:
    call("init")
    call("tenant", "destroy", "default", "--yes")
    done = call("tenant", "list")
    assert (done.code, done.out, done.err) == (0, "", "note: nobody has a memory here\n")


@pytest.mark.parametrize("verb", [("list",), ("destroy", "acme", "--yes")])
def test_a_file_that_is_not_there_is_not_made(
    call: Call, verb: tuple[str, ...], tmp_path: Path
) -> None:
    done = call("tenant", *verb)
    assert (done.code, done.err.startswith("error: there is no memory at ")) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_a_tenant_is_created_once(call: Call) -> None:
    assert call("tenant", "create", "acme").out.startswith("Made the tenant acme, log ")
    assert call("tenant", "create", "acme").out.startswith("There is the tenant acme, log ")
    assert call("tenant", "list").out == "acme\n"


def test_a_tenant_moves_and_is_found_where_it_went(call: Call) -> None:
    call("add", "We plan a trip.", "--tenant", "acme")
    done = call("tenant", "move", "acme", "--to", "there.db", "--as", "successor")
    assert done.code == 0
    assert "It is the tenant successor of there.db now" in done.out
    assert call("tenant", "list", "--db", "there.db").out == "successor\n"
    assert call("tenant", "list").out == ""
    found = call("search", "trip", "--db", "there.db", "--tenant", "successor")
    assert "We plan a trip." in found.out


def test_a_move_in_json_names_what_is_the_same_in_both(call: Call) -> None:
    call("add", "We plan a trip.", "--tenant", "acme")
    moved = call("tenant", "move", "acme", "--to", "there.db", "--json").json
    assert (moved["tenant"], moved["verified"]) == ("acme", True)
    assert {"turns", "facts", "revisions", "lexical", "vectors"} <= set(moved["fingerprints"])


def test_a_move_of_nobody_is_told(call: Call) -> None:
    call("add", "We plan a trip.", "--tenant", "acme")
    done = call("tenant", "move", "bo", "--to", "there.db")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: no tenant 'bo' in ")
