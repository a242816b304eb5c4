"""What is too large, malformed, or of another server is refused, as a page that says why."""

from typing import Any

import pytest

from smriti_es.engine import Engine

pytestmark = pytest.mark.sqlite_only("about requests, whatever the database")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/facts?valid_at=yesterday", 422),
        ("/facts?known_at=2025-13-40", 422),
        ("/turns?known_at=99999999", 404),
        ("/turns?known_at=" + "9" * 400, 404),
        ("/turns?after=x", 422),
        ("/turns?after=-1", 422),
        ("/turns?after=" + "9" * 30, 422),
        ("/turns?session=nobody", 404),
        ("/facts?cursor=zz", 422),
        ("/facts?status=undecided", 422),
        ("/search?question=" + "x" * 4_001, 422),
        ("/search?" + "&".join(f"a{number}=1" for number in range(41)), 422),
        ("/search?question=%ff", 400),
        ("/search?question=%ed%a0%80", 400),
        ("/log/one", 422),
        ("/log/99999", 404),
        ("/facts/99999", 404),
        ("/facts/..%2f..%2fetc", 404),
        ("/static/..%2fapplication.py", 404),
        ("/static/", 404),
        ("/turns/", 404),
        ("/openapi.json", 404),
    ],
)
def test_what_cannot_be_answered_is_told_on_a_page(
    browser: Any, told: Engine, path: str, status: int
) -> None:
    page = browser.open(path, status=status)
    assert page.one("h1").text == "Not answered"
    assert page.one("p", role="alert").text
    assert "Traceback" not in page.text


def test_times_that_cannot_be_read_stay_there_to_be_corrected(browser: Any, told: Engine) -> None:
    page = browser.open("/facts?subject=user&valid_at=yesterday", status=422)
    assert page.one("input", id="valid_at")["value"] == "yesterday"
    assert page.one("input", name="subject")["value"] == "user"


@pytest.mark.parametrize(
    "question", ["%00", "%22%20OR%201=1--", "*", "NEAR(", "%F0%9F%91%A9", "%20"]
)
def test_no_question_is_too_strange(browser: Any, told: Engine, question: str) -> None:
    assert browser.open(f"/search?question={question}").one("h1").text == "Search"


def test_a_page_under_another_name_is_not_answered(browser: Any, told: Engine) -> None:
    for name in ("evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example"):
        assert browser.http.get("/turns", headers={"Host": name}).status_code == 421
    port = browser.http.base_url.port
    assert browser.http.get("/turns", headers={"Host": f"localhost:{port}"}).status_code == 200


def test_a_page_of_another_server_leads_here_and_loads_nothing(browser: Any, told: Engine) -> None:
    def opened(site: str, mode: str) -> int:
        headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode}
        answer = browser.http.get("/search?question=live", headers=headers)
        return int(answer.status_code)

    assert {opened("cross-site", mode) for mode in ("no-cors", "cors", "")} == {403}
    assert opened("same-site", "no-cors") == 403
    assert opened("cross-site", "navigate") == 200
    assert opened("same-origin", "no-cors") == opened("none", "navigate") == 200


def test_what_went_wrong_here_is_told_to_the_log_alone(
    browser: Any, told: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("a secret of the server")

    monkeypatch.setattr(Engine, "turns", fails)
    page = browser.open("/turns", status=500)
    assert page.one("p", role="alert").text.startswith("Something went wrong")
    assert "secret" not in page.text
    assert "a secret of the server" in caplog.text


def test_a_body_is_bounded_and_a_form(browser: Any, told: Engine) -> None:
    post = browser.http.post
    assert post("/log/verify", data={"token": "x" * 70_000}).status_code == 413
    assert post("/log/verify", json={"token": "x"}).status_code == 415
    assert post("/log/verify", data={"token": "x" * 5_000}).status_code == 422


def test_every_answer_keeps_others_out(browser: Any, told: Engine) -> None:
    for path in ("/", "/turns", "/nowhere", "/enter", "/static/page.css", "/facts?valid_at=x"):
        headers = browser.http.get(path).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; style-src 'self'; script-src 'self'; ")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
    foreign = browser.http.get("/", headers={"Host": "evil.example"})
    assert foreign.headers["x-content-type-options"] == "nosniff"
