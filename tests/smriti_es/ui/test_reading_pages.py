"""What the pages show, on both databases: the same as the engine says."""

from typing import Any
from zoneinfo import ZoneInfo

import pytest

from smriti_es.cli.shown_times import shown_time
from smriti_es.engine import Engine
from tests.smriti_es.ui.markup import Element

ALIKE = ("Sessions", "Turns", "Facts", "Waiting for review", "Quarantines", "Events")


def rows(page: Element, which: int = 0) -> list[list[str]]:
    """The cells of a table, row by row, without its head."""
    body = page.all("table")[which].one("tbody")
    return [
        [cell.text for cell in row.parts if isinstance(cell, Element)] for row in body.all("tr")
    ]


def test_the_overview_tells_what_there_is_and_where_each_projection_stands(
    browser: Any, told: Engine
) -> None:
    page, status = browser.open("/"), told.status()
    figures = dict(
        zip(
            [each.text for each in page.one("dl", _class="figures").all("dt")],
            [each.text for each in page.one("dl", _class="figures").all("dd")],
            strict=True,
        )
    )
    counted = (status.sessions, status.turns, status.facts, status.review, 0, status.events)
    assert figures == dict(zip(ALIKE, map(str, counted), strict=True))
    assert [row[:3] for row in rows(page)] == [
        [each.name, each.state, str(each.folded)] for each in status.projections
    ]
    assert status.head in page.text


def test_sessions_lead_to_their_turns(browser: Any, told: Engine) -> None:
    told.add("Ça va, a/b & c?", session='s/"4"', at="2026-05-21T10:00:00Z")
    page = browser.open("/sessions")
    assert [row[0] for row in rows(page)] == ["s1", "s2", "s3", 's/"4"']
    [link] = [each["href"] for each in page.all("a") if each.text == 's/"4"']
    assert [each.text for each in browser.open(link).all("p", _class="said")] == ["Ça va, a/b & c?"]


def test_every_turn_is_on_exactly_one_page(browser: Any, memory: Engine) -> None:
    texts = [f"Turn number {number}." for number in range(120)]
    memory.add([{"role": "user", "content": text} for text in texts], session="long")
    found, path = [], "/turns?session=long"
    while path:
        page = browser.open(path)
        found += [each.text for each in page.all("p", _class="said")]
        path = next((each["href"] for each in page.all("a", rel="next")), "")
    assert found == texts


def test_a_bar_ends_where_the_next_one_begins(browser: Any, told: Engine) -> None:
    page = browser.open("/facts?subject=user&valid_at=2026-05-10")
    assert [row[0] for row in rows(page)] == ["user lives_in Hyderabad", "user lives_in Bengaluru"]
    assert [row[2:4] for row in rows(page)] == [
        ["2026-01-15", "2026-05-01"],
        ["2026-05-01", "open"],
    ]
    past, now = (next(iter(svg.all("rect"))) for svg in page.all("svg"))
    assert (past["class"], now["class"]) == ("bar superseded", "bar current")
    assert int(past["x"]) == 0
    assert int(past["width"]) == int(now["x"]) > 0
    assert int(now["x"]) + int(now["width"]) == 1_000


@pytest.mark.parametrize(
    ("times", "seen"),
    [
        ("", {"Hyderabad": "superseded", "Bengaluru": "current"}),
        ("valid_at=2026-02-01", {"Hyderabad": "current", "Bengaluru": "scheduled"}),
        ("known_at={first}", {"Hyderabad": "current"}),
    ],
)
def test_both_times_decide_what_is_shown(
    browser: Any, memory: Engine, times: str, seen: dict[str, str]
) -> None:
    memory.add("I live in Hyderabad.", session="s1", at="2026-01-15T10:00:00Z")
    first = memory.head
    memory.add("I live in Bengaluru.", session="s2", at="2026-05-01T10:00:00Z")
    page = browser.open(f"/facts?{times.format(first=first)}")
    assert {row[0].split()[-1]: row[4].split()[0] for row in rows(page)} == seen


def test_every_page_that_reads_knows_no_more_than_it_is_asked_about(
    browser: Any, memory: Engine
) -> None:
    memory.add("I live in Hyderabad.", session="s1", at="2026-01-15T10:00:00Z")
    then = memory.head
    memory.add("I live in Bengaluru.", session="s2", at="2026-05-01T10:00:00Z")
    for path in ("/sessions", "/turns", "/facts", "/search?question=live", "/log"):
        page = browser.open(f"{path}{'&' if '?' in path else '?'}known_at={then}").one("main")
        assert "Bengaluru" not in page.text, path
        assert "s2" not in page.text, path
        assert f"what was known at {then}" in page.text, path
    assert rows(browser.open(f"/log?known_at={then}"))[-1][0].startswith(f"#{then} ")
    later = browser.open(f"/log/{then + 1}?known_at={then}", status=404)
    assert "held none by that time" in later.text


def test_a_position_tells_when_it_was_recorded(browser: Any, told: Engine) -> None:
    [last] = told.events(told.head)
    recorded = shown_time(last.header.known, ZoneInfo("UTC"))
    page = browser.open(f"/facts?known_at={told.head}")
    assert f"As of what was known at {told.head}, recorded {recorded}." in page.text


def test_the_last_event_leads_only_back(browser: Any, told: Engine) -> None:
    pages = {at: browser.open(f"/log/{at}") for at in (0, told.head)}
    leading = {
        at: [each for each in ("prev", "next") if page.all("a", rel=each)]
        for at, page in pages.items()
    }
    assert leading == {0: ["next"], told.head: ["prev"]}


def test_links_and_forms_lead_to_the_same_times(browser: Any, told: Engine) -> None:
    page = browser.open(f"/facts?subject=user&valid_at=2026-02-01&known_at={told.head}")
    own = [each["href"] for each in page.all("a") if each["href"].startswith("/")]
    carried = [each for each in own if each != "/facts"]  # that one leads back to now
    assert all("valid_at=2026-02-01" in each for each in carried)
    times = page.one("form", _class="as-of")
    assert times.one("input", name="subject")["value"] == "user"
    narrowing = page.one("form", _class="filter")
    assert narrowing.one("input", name="known_at")["value"] == str(told.head)


def test_a_search_tells_the_rank_of_each_hit_after_each_step(browser: Any, told: Engine) -> None:
    page = browser.open("/search?question=where+do+I+live")
    hits = told.search("where do I live", k=20, explain=True)
    assert [each.text for each in page.all("p", _class="said")] == [hit.text for hit in hits]
    steps = rows(page, 0)
    assert [row[0] for row in steps] == [each.step for each in hits[0].steps]
    assert [row[2] for row in steps] == [str(each.after) for each in hits[0].steps]
    assert [row[0] for row in rows(page, 1)] == list(hits[0].explanation)


def test_a_fact_leads_to_its_words_and_tells_its_lineage(browser: Any, told: Engine) -> None:
    [fact] = told.facts("user", "lives_in", valid_at="2026-02-01")
    page = browser.open(f"/facts/{fact.position}?known_at={told.head}")
    explained = told.explain(fact.position)
    causes = [*explained.rests_on, *explained.decided]
    assert [row[0] for row in rows(page, 0)] == [f"#{each.position} {each.type}" for each in causes]
    picture = page.one("svg", _class="lineage")
    drawn = {each.all("text")[0].text.split()[0] for each in picture.all("g")}
    assert drawn == {f"#{each}" for each in (fact.position, *(one.position for one in causes))}
    assert len(picture.all("path")) >= 2
    [turn] = [each["href"] for each in page.all("a") if each.text.startswith("turn ")]
    assert "I live in Hyderabad." in browser.open(turn).text
    assert [row[3] for row in rows(page, 1)] == ["admitted"] * len(explained.revisions)


def test_each_event_of_the_log_names_the_hash_of_the_one_before(browser: Any, told: Engine) -> None:
    page = browser.open("/log")
    hashes = [[code["title"] for code in row.all("code")] for row in page.one("tbody").all("tr")]
    assert len(hashes) == told.head + 1
    assert [previous for _, previous in hashes[1:]] == [leaf for leaf, _ in hashes[:-1]]
    assert hashes[-1][0] == told.status().head
    assert "I live in Hyderabad." in browser.open("/log/2").text + browser.open("/log/3").text


def test_the_log_is_verified_at_the_press_of_a_button(
    browser: Any, told: Engine, tamper: Any
) -> None:
    button = browser.open("/log").one("form", _class="verify")
    page = browser.send(button)
    assert page.one("p", role="status").text == "Everything is as it was written."
    assert {row[1] for row in rows(page)} == {"as the log says"}
    assert tamper("UPDATE event SET leaf = zeroblob(32) WHERE position = 2") == 1
    page = browser.send(button)
    assert page.one("p", role="status").text == "Something is not as it was written."
    assert "position 2" in page.text
