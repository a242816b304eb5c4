"""What somebody said is shown as text: it becomes no element, no script and no turned line."""

from pathlib import Path
from typing import Any

import pytest

import smriti_es.ui
from smriti_es.engine import Engine
from tests.smriti_es.ui.markup import Element

HOSTILE = "</p><script>alert(1)</script><img src=x onerror=alert(2)>\"'`<b>&amp;"
TURNED = "safe\u202egnp.exe\u0007\u200b end"
OWN_ELEMENTS = {
    *("html", "head", "meta", "title", "link", "script", "body", "header", "nav", "main", "footer"),
    *(
        "h1",
        "h2",
        "h3",
        "p",
        "a",
        "b",
        "em",
        "q",
        "span",
        "div",
        "ol",
        "ul",
        "li",
        "dl",
        "dt",
        "dd",
    ),
    *("form", "input", "label", "button", "select", "option", "details", "summary", "pre", "code"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "article"),
    *("svg", "rect", "g", "path", "text"),
}
PATHS = ("/", "/sessions", "/turns", "/facts", "/search?question=%3Cscript%3E", "/review", "/log")


@pytest.fixture
def poisoned(memory: Engine) -> Engine:
    """A memory in which everything that anybody may choose is hostile."""
    said = {"role": "user", "content": f"{HOSTILE} {TURNED}", "name": "Eve <i>"}
    memory.add([said], session=HOSTILE, tags=["<u>tag</u>"], metadata={"<k>": HOSTILE})
    memory.assert_fact(f"S{HOSTILE}", "p<x>", f"O{HOSTILE}{TURNED}", scope="team:<x>", tags=["<u>"])
    memory.add(
        [{"role": "user", "content": "I live in Paris</h2><script>."}], session="x", origin="agent"
    )
    return memory


def pages(browser: Any, memory: Engine) -> dict[str, Element]:
    [fact] = memory.facts(predicate="p<x>", scopes=None)
    log = tuple(f"/log/{position}" for position in range(memory.head + 1))
    return {path: browser.open(path) for path in (*PATHS, f"/facts/{fact.position}", *log)}


@pytest.mark.sqlite_only("about what is printed, wherever it was kept")
def test_what_was_said_becomes_no_element_and_no_script(browser: Any, poisoned: Engine) -> None:
    for path, page in pages(browser, poisoned).items():
        every = page.all("*")
        assert {each.name for each in every} <= OWN_ELEMENTS, path
        assert [each["src"] for each in page.all("script")] == ["/static/page.js"], path
        assert not [name for each in every for name in each.attributes if name.startswith("on")]
        assert not [each for each in every if "style" in each.attributes], path
        assert {each["href"][:1] for each in page.all("a")} <= {"/", "#"}, path


@pytest.mark.sqlite_only("about what is printed, wherever it was kept")
def test_it_is_there_to_be_read_nevertheless(browser: Any, poisoned: Engine) -> None:
    [turn, _] = browser.open("/turns").all("p", _class="said")
    assert turn.text == f"{HOSTILE} safe\\u202egnp.exe\\x07\\u200b end"
    [link] = [each["href"] for each in browser.open("/sessions").all("a") if HOSTILE in each.text]
    assert browser.open(link).one("h1").text == f"Turns of {HOSTILE}"


@pytest.mark.sqlite_only("about what is printed, wherever it was kept")
def test_nothing_that_turns_a_line_or_hides_reaches_a_page(browser: Any, poisoned: Engine) -> None:
    unseen = {"\u202e", "\u0007", "\u200b"}
    for path in ("/turns", "/facts", "/log/2", "/log/3", "/search?question=%E2%80%AEx"):
        assert not unseen & set(browser.http.get(path).text), path


def test_no_template_marks_text_as_safe() -> None:
    templates = Path(smriti_es.ui.__file__).with_name("templates")
    texts = [each.read_text("utf-8") for each in templates.glob("*.html")]
    assert len(texts) > 10
    assert not [text for text in texts if "|safe" in text or "autoescape" in text]
