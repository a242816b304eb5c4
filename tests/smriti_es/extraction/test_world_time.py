"""A time in the world is read from the words that say it, and counts from when they were said."""

import os
import time
from collections.abc import Iterator
from datetime import UTC
from typing import get_args
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.events.instants import INSTANT_MAX, Precision, format_instant, parse_instant
from smriti_es.extraction.world_time import Prefer, read_world_time

# A Tuesday.
SAID_AT = parse_instant("2026-06-02T10:00:00Z").at
ZONES = ("UTC", "Asia/Kolkata", "America/Los_Angeles", "Pacific/Kiritimati", "Africa/Cairo")

WRITTEN = """
2019 | 2019-01-01 .. 2020-01-01 year
2024-03 | 2024-03-01 .. 2024-04-01 month
2024/03/05 | 2024-03-05 .. 2024-03-06 day
2024-03-05 | 2024-03-05 .. 2024-03-06 day
20240305 | 2024-03-05 .. 2024-03-06 day
2023-W05 | 2023-01-30 .. 2023-02-06 week
March 2024 | 2024-03-01 .. 2024-04-01 month
in March, 2024 | 2024-03-01 .. 2024-04-01 month
May 8, 2023 at 3pm | 2023-05-08 .. 2023-05-09 day
on the 5th of May 2023 | 2023-05-05 .. 2023-05-06 day
in 2019 | 2019-01-01 .. 2020-01-01 year
since 2019 | 2019-01-01 .. 2020-01-01 year
from January 2020 on | 2020-01-01 .. 2020-02-01 month
Q3 2024 | 2024-07-01 .. 2024-10-01 year
in the summer of 2019 | 2019-06-01 .. 2019-09-01 year
early 2020 | 2020-01-01 .. 2020-05-01 year
the beginning of May 2024 | 2024-05-01 .. 2024-05-11 month
from 2019 to 2021 | 2019-01-01 .. 2022-01-01 year
May 3 to May 5 | 2026-05-03 .. 2026-05-06 week
the 2010s | 2010-01-01 .. 2020-01-01 year
"""

RELATIVE = """
today | 2026-06-02 .. 2026-06-03 day
yesterday | 2026-06-01 .. 2026-06-02 day
Yesterday evening | 2026-06-01 .. 2026-06-02 day
the day before yesterday | 2026-05-31 .. 2026-06-01 day
last week | 2026-05-25 .. 2026-06-01 week
since last week | 2026-05-25 .. 2026-06-01 week
last month | 2026-05-01 .. 2026-06-01 month
next month | 2026-07-01 .. 2026-08-01 month
last year | 2025-01-01 .. 2026-01-01 year
last summer | 2025-06-01 .. 2025-09-01 year
three years ago | 2023-01-01 .. 2024-01-01 year
a few weeks ago | 2026-05-04 .. 2026-05-25 month
in two weeks | 2026-06-15 .. 2026-06-22 week
half a year ago | 2025-12-01 .. 2026-01-01 month
the past two weeks | 2026-05-19 .. 2026-06-03 month
"""

UNREADABLE = """
soon
once upon a time
before 2019
until June
by March 2024
after the war
over 2000
about 2000 people
2023-02-30
June 31st, 2024
on the 31st of June 2024
on 2024-06-31
June 29th to 31st, 2024
2023-02-30T10:00:00Z
2026-13-01
1066
9999
12
"""

PAST_AND_FUTURE = """
June 1st | 2026-06-01 | 2027-06-01
June 2nd | 2026-06-02 | 2026-06-02
June 3rd | 2025-06-03 | 2026-06-03
March | 2026-03-01 | 2027-03-01
June | 2026-06-01 | 2026-06-01
29 February | 2024-02-29 | 2028-02-29
winter | 2025-12-01 | 2026-12-01
on Friday | 2026-05-29 | 2026-06-05
Monday morning | 2026-06-01 | 2026-06-08
Christmas | 2025-12-25 | 2026-12-25
"""


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


@pytest.fixture
def process_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The process thinks that it is in a zone 14 hours ahead of UTC."""
    before = os.environ.get("TZ")
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    yield
    if before is None:
        monkeypatch.delenv("TZ")
    else:
        monkeypatch.setenv("TZ", before)
    time.tzset()


@pytest.mark.parametrize(("words", "period"), rows(WRITTEN) + rows(RELATIVE))
def test_a_coarse_time_is_the_first_instant_of_its_period(words: str, period: str) -> None:
    span, precision = period.rsplit(" ", 1)
    first, after = span.split(" .. ")

    found = read_world_time(words, said_at=SAID_AT, zone=UTC)

    assert found.at == parse_instant(first).at
    assert found.end == parse_instant(after).at
    assert found.precision == precision
    assert found.text == words


@pytest.mark.parametrize(("words", "past", "future"), rows(PAST_AND_FUTURE))
def test_what_comes_back_is_the_latest_or_the_next_as_preferred(
    words: str, past: str, future: str
) -> None:
    def day(prefer: Prefer) -> str:
        found = read_world_time(words, said_at=SAID_AT, zone=UTC, prefer=prefer)
        assert found.at is not None
        return format_instant(found.at)[:10]

    assert (day("past"), day("future")) == (past, future)


@pytest.mark.parametrize("words", UNREADABLE.strip().splitlines())
def test_what_cannot_be_read_is_unknown_and_keeps_its_words(words: str) -> None:
    found = read_world_time(words, said_at=SAID_AT, zone=UTC)

    assert (found.at, found.end, found.precision, found.text) == (None, None, "unknown", words)


@pytest.mark.parametrize("words", [None, "", "   "])
def test_no_words_are_no_time(words: str | None) -> None:
    found = read_world_time(words, said_at=SAID_AT, zone=UTC)

    assert (found.at, found.precision, found.text) == (None, "unknown", None)


def test_an_offset_is_converted_and_a_time_without_one_is_read_in_the_zone() -> None:
    berlin = ZoneInfo("Europe/Berlin")

    aware = read_world_time("2026-04-01T10:30:00+02:00", said_at=SAID_AT, zone=UTC)
    naive = read_world_time("2026-04-01T10:30:00", said_at=SAID_AT, zone=berlin)
    in_utc = read_world_time("2026-04-01T10:00:00", said_at=SAID_AT, zone=UTC)

    assert aware.at == naive.at == parse_instant("2026-04-01T08:30:00Z").at
    assert aware.precision == naive.precision == "instant"
    assert in_utc.at is not None
    assert aware.at < in_utc.at


def test_last_week_counts_from_when_it_was_said() -> None:
    said_at = parse_instant("2022-11-16T08:00:00Z").at

    found = read_world_time("last week", said_at=said_at, zone=UTC)

    assert found.at == parse_instant("2022-11-07").at
    assert found.end == parse_instant("2022-11-14").at


def test_the_day_of_speaking_is_the_one_in_the_speakers_zone() -> None:
    said_at = parse_instant("2026-06-02T02:00:00Z").at
    pacific = ZoneInfo("America/Los_Angeles")

    found = read_world_time("yesterday", said_at=said_at, zone=pacific)

    assert found.at == parse_instant("2026-05-31", zone=pacific).at
    assert found.at == parse_instant("2026-05-31T07:00:00Z").at


def test_now_is_the_moment_of_speaking() -> None:
    found = read_world_time("now", said_at=SAID_AT, zone=UTC)

    assert (found.at, found.end, found.precision) == (SAID_AT, SAID_AT, "instant")


def test_a_story_is_no_time() -> None:
    story = "in 2019 " + "and so on " * 30

    assert read_world_time(story, said_at=SAID_AT, zone=UTC).at is None


@pytest.mark.usefixtures("process_zone")
@pytest.mark.parametrize(("words", "period"), rows(RELATIVE))
def test_the_zone_of_the_process_plays_no_part(words: str, period: str) -> None:
    found = read_world_time(words, said_at=SAID_AT, zone=UTC)

    assert found.at == parse_instant(period[:10]).at


TALK = """
in on since last next this the May June 31 2019 29 February week year ago a few two of early late -
to from Friday winter Christmas now 2023-02-30 0001 9999 W05 T10:00 before yesterday quarter Q3
first
"""
WORDS = st.lists(st.sampled_from(TALK.split()), max_size=6).map(" ".join)


@given(
    words=st.text(max_size=220) | WORDS,
    said_at=st.integers(-INSTANT_MAX, INSTANT_MAX),
    zone=st.sampled_from(ZONES).map(ZoneInfo),
    prefer=st.sampled_from(("past", "future")),
)
def test_reading_never_raises_and_gives_a_period_or_nothing(
    words: str, said_at: int, zone: ZoneInfo, prefer: Prefer
) -> None:
    found = read_world_time(words, said_at=said_at, zone=zone, prefer=prefer)

    assert found.precision in get_args(Precision)
    assert found.text == (words if words.strip() else None)
    if found.at is None:
        assert (found.end, found.precision) == (None, "unknown")
    else:
        assert found.end is not None
        assert found.at <= found.end
