"""`doctor` on the command line."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any


def test_a_memory_that_is_well_ends_with_nought(call: Callable[..., Any]) -> None:
    call("add", "A pear.", "--session", "s1")
    told = call("doctor")
    assert told.code == 0
    assert "graph: not needed: " in told.out
    found = call("doctor", "--json").json
    assert found["ok"]
    assert found["graph"]["state"] == "not needed"
    assert {each["projection"] for each in found["projections"]} >= {"turns", "lexical", "vectors"}


def test_what_is_not_well_is_repaired_and_told(call: Callable[..., Any], tmp_path: Path) -> None:
    call("add", "A pear.", "--session", "s1")
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection, connection:
        connection.execute("UPDATE turn_v1_g1 SET role = 'nobody'")
    assert call("doctor").code == 1
    repaired = call("doctor", "--repair")
    assert repaired.code == 0
    assert "repaired: turns: rebuilt from the log" in repaired.out
    assert call("doctor").code == 0
    again = call("doctor", "--repair", "--json").json
    assert (again["ok"], again["steps"]) == (True, [])


def test_what_cannot_be_repaired_ends_with_one(call: Callable[..., Any], tmp_path: Path) -> None:
    call("add", "A pear.", "--session", "s1")
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection, connection:
        connection.execute("UPDATE event SET known = known + 1 WHERE position = 1")
    ended = call("doctor", "--repair", "--json")
    assert ended.code == 1
    assert [(step["what"], step["done"]) for step in ended.json["steps"]] == [("chain", False)]


def test_repairing_makes_no_memory_and_no_tenant(call: Callable[..., Any]) -> None:
    assert call("doctor", "--repair").code == 2
    call("add", "A pear.", "--session", "s1")
    assert call("doctor", "--repair", "--tenant", "nobody").code == 2
    assert call("tenant", "list").out == "default\n"
