"""An owner's word, said on the page."""

from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.catalogue import FactApproved


def proposal(browser: Any) -> Any:
    [waiting] = browser.open("/review").all("article")
    return waiting.one("form")


def test_what_waits_is_told_with_what_it_stands_against(browser: Any, told: Engine) -> None:
    [waiting] = browser.open("/review").all("article")
    assert "lives_in Paris" in waiting.text
    assert "agent, said 2026-05-20" in waiting.text
    assert waiting.one("dl").all("a")[-1].text == "The user lives in Bengaluru."
    assert waiting.one("summary").text == "What approving would change: 1"
    assert waiting.one("h3").text == "FactSuperseded"


def test_what_is_approved_holds(browser: Any, told: Engine) -> None:
    form = proposal(browser)
    page = browser.send(form, reason="they told me")
    assert page.one("p", role="status").text.endswith("was approved.")
    assert page.all("article") == []
    assert [each.object for each in told.facts("user", "lives_in")] == ["Paris"]
    said = [each.event.reason for each in told.events() if isinstance(each.event, FactApproved)]
    assert said == ["they told me"]
    browser.send(form, status=404)


def test_what_is_rejected_is_believed_never(browser: Any, told: Engine) -> None:
    form = proposal(browser)
    reject = next(each["formaction"] for each in form.all("button", _class="second"))
    page = browser.send(form, to=reject)
    assert page.one("p", role="status").text.endswith("was rejected.")
    assert [each.object for each in told.facts("user", "lives_in")] == ["Bengaluru"]
    assert told.review() == []


def test_the_times_that_are_asked_about_outlast_a_decision(browser: Any, told: Engine) -> None:
    form = browser.open("/review?valid_at=2026-02-01").all("article")[0].one("form")
    page = browser.send(form)
    assert page.one("input", id="valid_at")["value"] == "2026-02-01"
    assert "This page tells of now" in page.text


@pytest.mark.parametrize(
    ("headers", "token"),
    [
        ({}, ""),
        ({}, "0" * 64),
        ({}, "é"),
        ({"Sec-Fetch-Site": "cross-site"}, None),
        ({"Sec-Fetch-Site": "same-site"}, None),
        ({"Origin": "http://evil.example"}, None),
        ({"Origin": "null"}, None),
    ],
)
def test_a_form_of_another_page_decides_nothing(
    browser: Any, told: Engine, headers: dict[str, str], token: str | None
) -> None:
    form, before = proposal(browser), told.head
    own = form.one("input", name="token")["value"]
    sent = {"token": own if token is None else token}
    for path in (form["action"], "/log/verify", "/leave"):
        assert browser.http.post(path, data=sent, headers=headers).status_code == 403
    assert told.head == before


def test_reading_changes_nothing(browser: Any, told: Engine) -> None:
    before = told.head
    paths = (proposal(browser)["action"], "/log/verify", "/leave")
    assert {browser.http.get(path).status_code for path in paths} <= {404, 405, 422}
    for path in ("/", "/sessions", "/turns", "/facts", "/search?question=x", "/review", "/log"):
        browser.open(path)
    assert told.head == before
