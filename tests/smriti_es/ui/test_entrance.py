"""Who comes in with which key, and what they see."""

from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.serving.access_keys import AccessKeys
from smriti_es.ui.visiting import VISIT_US

pytestmark = pytest.mark.sqlite_only("about keys, which lie in a file whatever the database")


def come_in(browser: Any, key: str, *, status: int = 200) -> Any:
    return browser.send(browser.open("/enter").one("form"), key=key, status=status)


def test_whoever_has_no_key_sees_the_entrance_alone(
    browser: Any, told: Engine, keys: AccessKeys
) -> None:
    _, key = keys.add("desk", role="owner", whole_tenant=True)
    for path in ("/", "/turns", "/facts?subject=user", "/log/3"):
        page = browser.open(path)
        assert page.one("h1").text == "Come in"
        assert "Hyderabad" not in page.text
        assert page.all("nav") == []
    wrong = come_in(browser, f"{key[:-1]}x", status=403)
    assert wrong.one("p", role="alert").text.startswith("That key opens nothing here")


def test_a_key_opens_the_page_for_the_visit(browser: Any, told: Engine, keys: AccessKeys) -> None:
    _, key = keys.add("desk", role="owner", whole_tenant=True)
    assert come_in(browser, key).one("h1").text == "Overview"
    assert "Hyderabad" in browser.open("/turns").text
    [cookie] = browser.http.cookies.jar
    assert cookie.has_nonstandard_attr("HttpOnly")
    assert cookie.get_nonstandard_attr("SameSite") == "strict"
    assert key not in (cookie.value or "")
    browser.send(browser.open("/").one("form", _class="leave"))
    browser.http.cookies.set(cookie.name, cookie.value or "")
    assert browser.open("/turns").one("h1").text == "Come in"


def test_a_visit_ends_with_its_key(browser: Any, told: Engine, keys: AccessKeys) -> None:
    keys.add("other", role="owner")
    _, key = keys.add("desk", role="owner")
    come_in(browser, key)
    keys.remove("desk")
    assert browser.open("/turns").one("h1").text == "Come in"


def test_a_visit_ends_after_half_a_day(
    browser: Any, told: Engine, keys: AccessKeys, clock: Any
) -> None:
    _, key = keys.add("desk", role="owner")
    come_in(browser, key)
    clock.now += VISIT_US
    assert browser.open("/turns").one("h1").text == "Come in"


def test_the_page_is_not_for_agents(browser: Any, told: Engine, keys: AccessKeys) -> None:
    _, key = keys.add("bot", role="agent")
    come_in(browser, key, status=403)
    bearer = browser.http.get("/turns", headers={"Authorization": f"Bearer {key}"})
    assert bearer.status_code == 403
    assert "Hyderabad" not in bearer.text


def test_an_auditor_sees_what_waits_and_decides_nothing(
    browser: Any, told: Engine, keys: AccessKeys
) -> None:
    _, key = keys.add("audit", role="auditor", whole_tenant=True)
    come_in(browser, key)
    [waiting] = browser.open("/review").all("article")
    assert waiting.all("form") == []
    leave, before = browser.open("/log").one("form", _class="leave"), told.head
    position = told.review()[0].position
    browser.send(leave, to=f"/review/{position}/approve", status=403)
    assert told.head == before
    verified = browser.send(browser.open("/log").one("form", _class="verify"))
    assert verified.one("p", role="status").text == "Everything is as it was written."


def test_a_key_of_some_spaces_sees_neither_others_nor_the_log(
    browser: Any, told: Engine, keys: AccessKeys, visitors: Any
) -> None:
    _, key = keys.add("desk", tenant="acme", spaces=["one"], role="owner")
    come_in(browser, key)
    [cookie] = browser.http.cookies.jar
    assert cookie.value
    browser.http.get("/")  # founds the tenant's log
    assert "/log" not in [each["href"] for each in browser.open("/").one("nav").all("a")]
    assert "Hyderabad" not in browser.open("/facts").text
    browser.open("/log", status=403)
    browser.open("/log/1", status=403)
    position = told.facts("user", "lives_in")[0].position
    browser.open(f"/facts/{position}", status=404)


def test_a_token_of_one_visit_is_none_of_another(
    browser: Any, told: Engine, keys: AccessKeys
) -> None:
    _, key = keys.add("desk", role="owner")
    before = browser.open("/enter").one("form")
    come_in(browser, key)
    position = told.review()[0].position
    browser.send(before, to=f"/review/{position}/approve", status=403)
    assert len(told.review()) == 1
