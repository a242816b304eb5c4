"""What a keyboard and a screen reader need is on every page, and colours can be told apart."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import smriti_es.ui
from smriti_es.engine import Engine

pytestmark = pytest.mark.sqlite_only("about what is printed, wherever it was kept")
PATHS = ("/", "/sessions", "/turns", "/facts", "/search?question=live", "/review", "/log", "/log/2")
HEADINGS = ("h1", "h2", "h3", "h4")
STYLE = Path(smriti_es.ui.__file__).with_name("static") / "page.css"
ON_PAPER = ("ink", "faint", "link", "current", "scheduled", "bad", "doubt")


@pytest.fixture
def pages(browser: Any, told: Engine) -> dict[str, Any]:
    fact = f"/facts/{told.facts()[0].position}"
    found = {path: browser.open(path) for path in (*PATHS, fact, "/enter")}
    found["verified"] = browser.send(found["/log"].one("form", _class="verify"))
    found["refused"] = browser.open("/nowhere", status=404)
    return found


def test_every_page_has_its_landmarks_its_language_and_one_heading(pages: dict[str, Any]) -> None:
    for path, page in pages.items():
        assert page.one("html")["lang"] == "en", path
        assert page.one("head").one("title").text == f"{page.one('h1').text} - smriti-es", path
        assert page.one("main")["id"] == "main", path
        skip = page.one("body").all("a")[0]
        assert (skip.text, skip["href"]) == ("Skip to the content", "#main"), path
        if page.all("nav"):
            assert page.one("nav")["aria-label"] == "Pages", path


def test_the_page_that_is_open_is_marked_in_the_navigation(pages: dict[str, Any]) -> None:
    for path in ("/", "/sessions", "/turns", "/facts", "/review", "/log"):
        [current] = [each for each in pages[path].all("a") if "aria-current" in each.attributes]
        assert (current["href"], current["aria-current"]) == (path, "page")


def test_every_field_has_a_label_and_every_control_a_name(pages: dict[str, Any]) -> None:
    for path, page in pages.items():
        labels = {each["for"] for each in page.all("label")}
        fields = [*page.all("input"), *page.all("select")]
        shown = [each for each in fields if each.attributes.get("type") != "hidden"]
        assert {each["id"] for each in shown} == labels, path
        assert all(each.text for each in [*page.all("button"), *page.all("a")]), path


def test_names_and_descriptions_point_at_something(pages: dict[str, Any]) -> None:
    for path, page in pages.items():
        ids = [each["id"] for each in page.all("*") if "id" in each.attributes]
        assert len(ids) == len(set(ids)), path
        pointed = {
            name
            for each in page.all("*")
            for attribute in ("aria-labelledby", "aria-describedby", "for")
            for name in each.attributes.get(attribute, "").split()
        }
        assert pointed <= set(ids), path


def test_every_table_says_what_its_rows_and_columns_are(pages: dict[str, Any]) -> None:
    tables = [(path, table) for path, page in pages.items() for table in page.all("table")]
    assert len(tables) > 10
    for path, table in tables:
        assert table.all("caption") or "aria-labelledby" in table.attributes, path
        assert {each["scope"] for each in table.one("thead").all("th")} == {"col"}, path
        assert all(row.all("th", scope="row") for row in table.one("tbody").all("tr")), path


def test_headings_leave_out_no_level(pages: dict[str, Any]) -> None:
    for path, page in pages.items():
        levels = [int(each.name[1]) for each in page.one("main").all("*") if each.name in HEADINGS]
        assert levels[0] == 1, path
        assert all(b <= a + 1 for a, b in pairwise(levels)), path


def test_a_picture_is_told_in_words_or_is_an_ornament(pages: dict[str, Any]) -> None:
    for path, page in pages.items():
        for picture in page.all("svg"):
            told = picture.attributes.get("role") == "img" and picture.all("title")
            assert told or picture["aria-hidden"] == "true", path


def luminance(colour: str) -> float:
    parts = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_colours_differ_enough_to_be_read(scheme: int) -> None:
    # 4.5 to 1 for text: WCAG 2.2, 1.4.3.
    found = re.findall(r":root \{(.*?)\}", STYLE.read_text("utf-8"), re.DOTALL)[scheme]
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", found))
    assert contrast(colours["act"], colours["on-act"]) >= 4.5
    for name in ON_PAPER:
        assert all(contrast(colours[name], colours[on]) >= 4.5 for on in ("paper", "soft")), name
    # 3 to 1 for what is drawn: 1.4.11.
    assert contrast(colours["past"], colours["soft"]) >= 3
