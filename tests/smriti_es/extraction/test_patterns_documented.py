"""The page on patterns names every predicate, and says how many values each has."""

import re
from pathlib import Path

import pytest

from smriti_es.extraction.pattern_families import FAMILIES

ROW = re.compile(r"^\| (?P<names>`[^|]+) \| (?P<values>one|many) \|", re.MULTILINE)
NAME = re.compile(r"`(\w+(?::|_(?=<))?)[^`]*`")


def test_the_page_lists_every_predicate_with_how_many_values_it_has() -> None:
    page = Path(__file__).resolve().parents[3] / "docs" / "patterns.md"
    if not page.is_file():
        pytest.skip("needs a checkout")

    listed = {
        name: row["values"] == "one"
        for row in ROW.finditer(page.read_text("utf-8"))
        for name in NAME.findall(row["names"])
    }

    assert listed == {name: family.single for name, family in FAMILIES.items()}
