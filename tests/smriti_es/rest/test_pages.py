"""Pages: every item once, whatever is written meanwhile."""

from collections.abc import Callable
from typing import Any

import pytest

Api = Callable[..., Any]


def pages(api: Api, path: str, **asked: Any) -> list[list[Any]]:
    found, cursor = [], None
    while True:
        given = asked if cursor is None else asked | {"cursor": cursor}
        page = api("GET", path, params=given)
        assert page.status_code == 200, page.text
        found.append(page.json()["items"])
        cursor = page.json()["next"]
        if cursor is None:
            return found


@pytest.fixture
def seven(api: Api) -> Api:
    for number in range(7):
        said = {"session": f"s{number}", "messages": [f"Turn {number}."], "at": "2026-01-01"}
        api("POST", "/v1/turns", json=said)
        fact = {"subject": "user", "predicate": "likes", "object": f"thing {number}", "multi": True}
        api("POST", "/v1/facts", json=fact | {"valid_from": f"2020-01-0{number + 1}"})
    return api


@pytest.mark.parametrize(
    ("path", "sizes"),
    [
        ("/v1/turns", [3, 3, 1]),
        ("/v1/sessions", [3, 3, 1]),
        ("/v1/facts", [3, 3, 1]),
        ("/v1/history", [3, 3, 1]),
    ],
)
def test_a_list_comes_in_pages_each_item_once(seven: Api, path: str, sizes: list[int]) -> None:
    found = pages(seven, path, limit=3)
    assert [len(page) for page in found] == sizes
    whole = [item for page in found for item in page]
    assert whole == pages(seven, path, limit=1000)[0]


def test_a_page_that_holds_all_has_no_next(seven: Api) -> None:
    assert [len(page) for page in pages(seven, "/v1/turns", limit=7)] == [7]


def test_the_newest_come_first_when_asked(seven: Api) -> None:
    found = pages(seven, "/v1/turns", limit=4, newest=True)
    assert [turn["text"] for turn in found[0]][:2] == ["Turn 6.", "Turn 5."]
    assert [len(page) for page in found] == [4, 3]


@pytest.mark.parametrize("path", ["/v1/facts", "/v1/history"])
def test_the_next_page_is_of_the_same_answer_whatever_was_written_since(
    seven: Api, path: str
) -> None:
    first = seven("GET", path, params={"limit": 4}).json()
    new = {"subject": "user", "predicate": "likes", "object": "a new thing", "multi": True}
    seven("POST", "/v1/facts", json=new | {"valid_from": "2019"})
    second = seven("GET", path, params={"limit": 4, "cursor": first["next"]}).json()
    items = [*first["items"], *second["items"]]
    facts = [item["fact"] if path == "/v1/history" else item for item in items]
    assert [fact["object"] for fact in facts] == [f"thing {number}" for number in range(7)]


def test_events_come_in_pages(seven: Api) -> None:
    found = pages(seven, "/v1/events", limit=10)
    positions = [event["position"] for page in found for event in page]
    assert positions == list(range(len(positions)))


@pytest.mark.parametrize("cursor", ["x", "bm90IEpTT04", "W10", "eyJhZnRlciI6InYifQ", "😀"])
@pytest.mark.parametrize("path", ["/v1/turns", "/v1/facts"])
def test_what_is_no_cursor_is_refused(api: Api, path: str, cursor: str) -> None:
    refused = api("GET", path, params={"cursor": cursor})
    assert (refused.status_code, refused.json()["detail"]) == (422, "this is no cursor")


@pytest.mark.parametrize("limit", [0, 1001, "many"])
def test_a_page_has_a_size(api: Api, limit: Any) -> None:
    assert api("GET", "/v1/turns", params={"limit": limit}).status_code == 422
