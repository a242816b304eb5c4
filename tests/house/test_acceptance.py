"""What was asked for leads to the tests that show it, and those tests exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
ROW = re.compile(r"^\| ([A-Z]{2,3}-\d\d) \| (.+?) \| (.+?) \|$", re.MULTILINE)
TEST = re.compile(r"`([\w/]+\.py)::(\w+)`")
# How many there are of each; cases from elsewhere are not numbered without gaps.
LISTS = {
    "EXT": 11,
    "SCO": 15,
    "CON": 22,
    "OBS": 11,
    "ENT": 11,
    "OWN": 9,
    "LIF": 9,
    "TIM": 20,
    "MCP": 11,
}
# Cases about supersession, time, duplicates and what models put out.
CASES = {
    *("BC-01", "BC-02", "BC-04", "BC-05", "BC-08", "BC-09", "BC-10", "BC-13", "BC-14", "BC-15"),
    *("BC-17", "BC-18", "BC-19", "BC-21", "BC-22", "BC-57", "BC-59", "BC-60", "BC-62", "BC-63"),
}
NAMED = re.compile(r"\bBC[-_](\d\d)\b", re.IGNORECASE)


def rows() -> list[tuple[str, str]]:
    """Each id with the cell that leads to its tests."""
    text = (TESTS / "acceptance.md").read_text("utf-8")
    return [(number, cell) for number, _, cell in ROW.findall(text)]


@cache
def names_in(path: str) -> frozenset[str]:
    """The names of the tests of a file."""
    tree = ast.parse((TESTS / path).read_text("utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize(("number", "cell"), rows(), ids=[number for number, _ in rows()])
def test_every_line_leads_to_tests_that_exist(number: str, cell: str) -> None:
    named = TEST.findall(cell)
    assert named, f"{number} names no test"
    missing = [f"{path}::{name}" for path, name in named if name not in names_in(path)]
    assert missing == []


@pytest.mark.parametrize("family", sorted(LISTS))
def test_every_number_of_a_list_is_there_once(family: str) -> None:
    numbers = [number for number, _ in rows() if number.startswith(f"{family}-")]
    assert numbers == [f"{family}-{each:02}" for each in range(1, LISTS[family] + 1)]


def test_every_case_is_there_once_and_those_about_facts_all_are() -> None:
    numbers = [number for number, _ in rows() if number.startswith("BC-")]
    assert numbers == sorted(set(numbers))
    assert CASES - set(numbers) == set()


def test_a_case_that_a_test_names_is_in_the_list() -> None:
    listed = {number for number, _ in rows()}
    named = {
        f"BC-{found}"
        for path in TESTS.rglob("test_*.py")
        if path != Path(__file__).resolve()
        for found in NAMED.findall(path.read_text("utf-8").replace("_", "-"))
    }
    assert named - listed == set()
