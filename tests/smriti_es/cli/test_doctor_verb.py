"""`doctor` on the command line."""

from collections.abc import Callable
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
