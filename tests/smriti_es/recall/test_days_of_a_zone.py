"""Days as a memory counts them: of 23 and 25 hours, with hours that come twice or never."""

from collections.abc import Callable

import pytest

from smriti_es.engine import Engine

Open = Callable[..., Engine]


def within(memory: Engine, question: str, now: str) -> set[str]:
    """The turns that count as said in the time that the question names."""
    return {hit.text for hit in memory.search(question, now=now) if "temporal" in hit.channels}


def said(memory: Engine, **times: str) -> None:
    for text, at in times.items():
        memory.add(f"the {text} log entry", session="log", at=at)


@pytest.mark.parametrize(
    ("zone", "day", "last_before", "first", "last", "first_after"),
    [
        # 25 hours: clocks went back at 06:00Z, and midnight moved from 04:00Z to 05:00Z.
        (
            *("America/New_York", "2023-11-05", "2023-11-05T03:59:59Z"),
            *("2023-11-05T04:00:00Z", "2023-11-06T04:59:59Z", "2023-11-06T05:00:00Z"),
        ),
        # 23 hours.
        (
            *("Europe/Berlin", "2024-03-31", "2024-03-30T22:59:59Z"),
            *("2024-03-30T23:00:00Z", "2024-03-31T21:59:59Z", "2024-03-31T22:00:00Z"),
        ),
        # The day begins at one o'clock: midnight does not exist.
        (
            *("America/Sao_Paulo", "2018-11-04", "2018-11-04T02:59:59Z"),
            *("2018-11-04T03:00:00Z", "2018-11-05T01:59:59Z", "2018-11-05T02:00:00Z"),
        ),
        # Midnight comes twice; the day begins with the first one.
        (
            *("America/Havana", "2023-11-05", "2023-11-05T03:59:59Z"),
            *("2023-11-05T04:00:00Z", "2023-11-06T04:59:59Z", "2023-11-06T05:00:00Z"),
        ),
        # Half an hour of summer time.
        (
            *("Australia/Lord_Howe", "2023-10-01", "2023-09-30T13:29:59Z"),
            *("2023-09-30T13:30:00Z", "2023-10-01T12:59:59Z", "2023-10-01T13:00:00Z"),
        ),
    ],
)
def test_a_day_begins_and_ends_at_the_midnights_of_the_zone(
    engine: Open, zone: str, day: str, last_before: str, first: str, last: str, first_after: str
) -> None:
    memory = engine(timezone=zone)
    said(memory, early=last_before, opening=first, closing=last, late=first_after)
    assert within(memory, f"Which log entry is of {day}?", "2024-06-01T12:00:00Z") == {
        "the opening log entry",
        "the closing log entry",
    }


def test_a_day_that_a_zone_skipped_holds_nothing(engine: Open) -> None:
    memory = engine(timezone="Pacific/Apia")
    said(memory, eve="2011-12-30T09:59:59Z", new="2011-12-30T10:00:00Z")
    now = "2012-01-05T00:00:00Z"
    assert within(memory, "Which log entry is of 2011-12-30?", now) == set()
    assert within(memory, "Which log entry is of 2011-12-29?", now) == {"the eve log entry"}
    assert within(memory, "Which log entry is of 2011-12-31?", now) == {"the new log entry"}


@pytest.mark.parametrize(
    ("at", "instant"),
    [
        # 01:30 came twice: the first one is meant.
        ("2023-11-05T01:30:00", "2023-11-05T05:30:00.000000Z"),
        ("2023-11-05T01:30:00-05:00", "2023-11-05T06:30:00.000000Z"),
        # 02:30 did not come: counted with the offset that held before, it was 03:30.
        ("2023-03-12T02:30:00", "2023-03-12T07:30:00.000000Z"),
        ("2023-03-12", "2023-03-12T05:00:00.000000Z"),
    ],
)
def test_local_times_that_are_ambiguous_or_missing_have_one_reading(
    engine: Open, at: str, instant: str
) -> None:
    memory = engine(timezone="America/New_York")
    memory.add("rain", session="weather", at=at)
    assert memory.turns()[0].said == instant


@pytest.mark.parametrize(
    ("zone", "now", "found"),
    [
        ("UTC", "2024-03-01T12:00:00Z", {"the evening log entry", "the night log entry"}),
        # Already the second of March.
        ("Asia/Tokyo", "2024-03-01T16:00:00Z", {"the night log entry"}),
        # Still the leap day.
        ("America/Los_Angeles", "2024-03-01T05:00:00Z", {"the noon log entry"}),
    ],
)
def test_today_is_the_day_of_whoever_asks(
    engine: Open, zone: str, now: str, found: set[str]
) -> None:
    memory = engine(timezone=zone)
    said(memory, noon="2024-02-29T12:00:00Z", evening="2024-03-01T09:00:00Z")
    said(memory, night="2024-03-01T15:30:00Z")
    assert within(memory, "Which log entry is of today?", now) == found


def test_yesterday_in_a_turn_counts_from_the_day_in_the_memorys_zone(engine: Open) -> None:
    memory = engine(timezone="Asia/Kolkata")
    memory.add("The lift broke yesterday.", session="log", at="2024-02-29T19:00:00Z")
    assert "yesterday [2024-02-29]" in memory.context("When did the lift break?").text


def test_a_turn_that_speaks_of_the_days_asked_about_counts_as_of_that_time(engine: Open) -> None:
    memory = engine(timezone="America/New_York")
    # Said on 6 November, local time, which is the 7th in UTC.
    memory.add("The boiler failed last weekend.", session="log", at="2023-11-07T04:00:00Z")
    memory.add("The boiler works.", session="log", at="2023-11-07T04:10:00Z")
    question = "What was wrong with the boiler on 2023-11-04?"
    assert within(memory, question, "2024-01-01T00:00:00Z") == {"The boiler failed last weekend."}
