"""The page in a real Chromium: what only a browser does."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from smriti_es.engine import Engine

_CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
_NEEDED = (
    "needs a Chromium on the PATH (Debian: apt-get install chromium) and pip install playwright"
)
if _CHROMIUM is None:
    pytest.skip(_NEEDED, allow_module_level=True)
driver: Any = pytest.importorskip("playwright.sync_api", reason=_NEEDED)

pytestmark = pytest.mark.sqlite_only("about what a browser does, wherever the memory is kept")
NARROW = {"width": 320, "height": 800}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with driver.sync_playwright() as running:
        started = running.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def complaints() -> list[str]:
    """What the browser complained of: errors of scripts, and what the policy kept out."""
    return []


def _kept_out(request: Any) -> list[str]:
    """What a request failed on, unless the next page was opened before its answer came."""
    return [] if request.failure == "net::ERR_ABORTED" else [f"{request.url}: {request.failure}"]


@pytest.fixture
def tab(chromium: Any, address: str, told: Engine, complaints: list[str]) -> Iterator[Any]:
    context = chromium.new_context(base_url=address, viewport=NARROW)
    opened = context.new_page()
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("requestfailed", lambda request: complaints.extend(_kept_out(request)))
    yield opened
    context.close()


def test_no_page_needs_what_the_policy_keeps_out_nor_scrolls_sideways(
    tab: Any, told: Engine, complaints: list[str]
) -> None:
    fact = f"/facts/{told.facts()[0].position}"
    for path in ("/", "/sessions", "/turns", "/facts", fact, "/search?question=live", "/log"):
        tab.goto(path)
        assert tab.evaluate("document.documentElement.scrollWidth") == NARROW["width"], path
    assert complaints == []


def test_a_slider_writes_the_time_that_it_stands_for(tab: Any, told: Engine) -> None:
    tab.goto("/facts")
    position = tab.get_by_role("slider", name="Position in the log")
    position.press("Home")
    assert tab.get_by_label("Known to the memory at").input_value() == "0"
    position.press("ArrowRight")
    assert tab.get_by_label("Known to the memory at").input_value() == "1"
    tab.get_by_role("slider", name="World time").press("Home")
    assert tab.get_by_label("True in the world at").input_value() == "2026-01-15"
    tab.get_by_role("button", name="Show").click()
    assert "known_at=1" in tab.url
    assert tab.get_by_role("slider", name="Position in the log").input_value() == "1"


def test_the_keyboard_is_enough_to_approve(tab: Any, told: Engine, complaints: list[str]) -> None:
    tab.goto("/review")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Skip to the content"
    tab.keyboard.press("Enter")
    for _ in range(20):
        tab.keyboard.press("Tab")
        outline = tab.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none"  # where one is can be seen
        if tab.evaluate("document.activeElement.textContent") == "Approve":
            break
    tab.keyboard.press("Enter")
    tab.get_by_role("status").wait_for()
    assert tab.get_by_role("status").inner_text().endswith("was approved.")
    assert [each.object for each in told.facts("user", "lives_in")] == ["Paris"]
    assert complaints == []


def test_without_script_everything_is_there(chromium: Any, address: str, told: Engine) -> None:
    context = chromium.new_context(base_url=address, java_script_enabled=False)
    page = context.new_page()
    page.goto("/facts")
    page.get_by_label("True in the world at").fill("2026-02-01")
    page.get_by_role("button", name="Show").click()
    assert page.get_by_role("row", name="Hyderabad").get_by_text("current").count() == 1
    page.get_by_role("link", name="Review").click()
    page.get_by_role("button", name="Reject").click()
    assert page.get_by_role("status").inner_text().endswith("was rejected.")
    page.get_by_role("link", name="Log").click()
    page.get_by_role("button", name="Verify the log").click()
    assert page.get_by_role("status").inner_text() == "Everything is as it was written."
    context.close()


def test_a_page_of_another_server_cannot_decide(chromium: Any, address: str, told: Engine) -> None:
    context, before = chromium.new_context(), told.head
    page = context.new_page()
    target = f"{address}/review/{told.review()[0].position}/approve"
    page.route(
        "http://evil.example/",
        lambda route: route.fulfill(
            content_type="text/html",
            body=f'<form method="post" action="{target}"><input name="token" value="x"></form>',
        ),
    )
    page.goto("http://evil.example/")
    page.evaluate("document.forms[0].submit()")
    page.wait_for_url(target)
    assert "Refused" in page.content()
    assert told.head == before
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_follows_the_scheme_of_the_reader(
    chromium: Any, address: str, told: Engine, scheme: str
) -> None:
    context = chromium.new_context(base_url=address, color_scheme=scheme)
    page = context.new_page()
    page.goto("/")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 25, 29)"}[scheme]
    context.close()
