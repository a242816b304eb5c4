"""Time is read once, exactly, and never by the zone of the process."""

import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.events.errors import InvalidInput
from smriti_es.events.instants import (
    INSTANT_MAX,
    PRECISIONS,
    Instant,
    format_instant,
    parse_instant,
    to_datetime,
)

SECOND = 1_000_000
DAY = 86_400 * SECOND
KOLKATA = ZoneInfo("Asia/Kolkata")
BERLIN = ZoneInfo("Europe/Berlin")
# 2026-06-02T10:00:00Z and 2023-05-08T00:00:00Z, from `date -u +%s`.
TEN = 1_780_394_400 * SECOND
EIGHTH = 1_683_504_000 * SECOND

instants = st.integers(-INSTANT_MAX, INSTANT_MAX)
zones = st.sampled_from(
    ["UTC", "Asia/Kolkata", "Europe/Berlin", "America/St_Johns", "Pacific/Apia"]
).map(ZoneInfo)


@pytest.fixture(params=["UTC", "Asia/Kolkata", "America/St_Johns", "Pacific/Apia"])
def process_zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Give the process another time zone for the length of a test."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("value", "at", "precision"),
    [
        ("2026-06-02T10:00:00Z", TEN, "instant"),
        ("2026-06-02T10:00:00+00:00", TEN, "instant"),
        ("2026-06-02T15:30:00+05:30", TEN, "instant"),
        ("2026-06-02T10:00:00.000001Z", TEN + 1, "instant"),
        ("2026-06-02 10:00", TEN, "instant"),
        ("2026/06/02 10:00", TEN, "instant"),
        ("20260602T100000Z", TEN, "instant"),
        ("  2026-06-02T10:00:00Z\n", TEN, "instant"),
        ("2023-05-08", EIGHTH, "day"),
        ("2023/5/8", EIGHTH, "day"),
        ("20230508", EIGHTH, "day"),
        ("2023-W19-1", EIGHTH, "day"),
        ("2023-W19", EIGHTH, "week"),
        ("2023-05", EIGHTH - 7 * DAY, "month"),
        ("2023/5", EIGHTH - 7 * DAY, "month"),
        ("2023", EIGHTH - 127 * DAY, "year"),
        ("1970", 0, "year"),
        ("1969-12-31T23:59:59.999999Z", -1, "instant"),
        (datetime(2026, 6, 2, 10, tzinfo=UTC), TEN, "instant"),
        (datetime(2026, 6, 2, 15, 30, tzinfo=KOLKATA), TEN, "instant"),
        (datetime(2026, 6, 2, 10), TEN, "instant"),  # noqa: DTZ001  what the caller may give
        (date(2023, 5, 8), EIGHTH, "day"),
        (0, 0, "instant"),
        (1_780_394_400, TEN, "instant"),
        (1_780_394_400.25, TEN + 250_000, "instant"),
        (-1, -SECOND, "instant"),
    ],
    ids=repr,
)
def test_a_time_is_read_with_the_precision_it_was_written_with(
    value: str | datetime | date | float, at: int, precision: str
) -> None:
    assert parse_instant(value) == Instant(at, precision)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "zone", "expected"),
    [
        ("2026-06-02T15:30:00", KOLKATA, "2026-06-02T10:00:00.000000Z"),
        ("2023-05-08", KOLKATA, "2023-05-07T18:30:00.000000Z"),
        ("2023-05", KOLKATA, "2023-04-30T18:30:00.000000Z"),
        ("2023", BERLIN, "2022-12-31T23:00:00.000000Z"),
        ("2023-W19", BERLIN, "2023-05-07T22:00:00.000000Z"),
        (date(2023, 5, 8), BERLIN, "2023-05-07T22:00:00.000000Z"),
        (datetime(2023, 5, 8, 9), BERLIN, "2023-05-08T07:00:00.000000Z"),  # noqa: DTZ001  as above
        ("2023-05-08T09:00:00Z", BERLIN, "2023-05-08T09:00:00.000000Z"),
        (1_780_394_400, KOLKATA, "2026-06-02T10:00:00.000000Z"),
    ],
    ids=repr,
)
def test_a_time_without_an_offset_is_meant_in_the_zone_that_was_named(
    value: str | datetime | date, zone: ZoneInfo, expected: str
) -> None:
    assert format_instant(parse_instant(value, zone=zone).at) == expected


@pytest.mark.parametrize(
    ("value", "at"),
    [
        ("2023-05-08", EIGHTH),
        ("2023", EIGHTH - 127 * DAY),
        ("2026-06-02T10:00:00", TEN),
        (datetime(2026, 6, 2, 10), TEN),  # noqa: DTZ001  what the caller may give
        (date(2023, 5, 8), EIGHTH),
        (1_780_394_400, TEN),
    ],
    ids=repr,
)
def test_the_zone_of_the_process_does_not_count(
    process_zone: str, value: str | datetime | date | int, at: int
) -> None:
    assert (time.localtime(0).tm_gmtoff == 0) is (process_zone == "UTC")
    assert parse_instant(value).at == at
    assert format_instant(TEN) == "2026-06-02T10:00:00.000000Z"


@pytest.mark.parametrize(
    "value",
    [
        "",
        " ",
        "yesterday",
        "10:00",
        "08.05.2023",
        "5/8/2023",
        "2023-13",
        "2023-02-30",
        "2023-W54",
        "20231301",
        "2023-05-08T25:00:00Z",
        "2023-05-08T10:00:00+99:00",
        "0000",
        "2023-05-08\x00",
        "x" * 1_000_000,
        float("nan"),
        float("inf"),
        1e300,
        10**30,
        INSTANT_MAX,
        True,
        None,
        b"2023",
        Decimal(1),
        [2023],
        timedelta(1),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_is_no_time_is_refused_in_one_short_line(value: object) -> None:
    with pytest.raises(InvalidInput, match="not a time") as caught:
        parse_instant(value)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 100
    assert "RFC 3339" in caught.value.hint


@pytest.mark.parametrize(
    "value",
    [
        "9999-12-31",
        "1564-04-26",
        "1683-12-31",
        "1683",
        "0001-01-01T00:00:00+14:00",
        "2256",
        "9999-12-31T23:59:59Z",
        datetime.max,  # noqa: DTZ901  what the caller may give
        datetime.min.replace(tzinfo=timezone(timedelta(hours=14))),
        datetime.max.replace(tzinfo=timezone(-timedelta(hours=14))),
        date.max,
        date.min,
    ],
    ids=lambda value: repr(value)[:40],
)
def test_a_time_too_far_off_is_refused_with_the_range(value: Any) -> None:
    with pytest.raises(InvalidInput, match="lies outside the years 1684 to 2255"):
        parse_instant(value)


def test_the_reach_is_what_a_header_can_hold() -> None:
    assert format_instant(INSTANT_MAX) == "2255-06-05T23:47:34.740991Z"
    assert format_instant(-INSTANT_MAX) == "1684-07-28T00:12:25.259009Z"
    assert parse_instant("2255-06-05T23:47:34.740991Z").at == 2**53 - 1
    with pytest.raises(InvalidInput):
        parse_instant("2255-06-05T23:47:34.740992Z")


@pytest.mark.parametrize(
    ("value", "zone", "length"),
    [
        ("2023-05-08T10:00:00Z", UTC, timedelta(0)),
        ("2023-05-08", UTC, timedelta(days=1)),
        ("2023-W19", UTC, timedelta(days=7)),
        ("2023-02", UTC, timedelta(days=28)),
        ("2024-02", UTC, timedelta(days=29)),
        ("2023-12", UTC, timedelta(days=31)),
        ("2023", UTC, timedelta(days=365)),
        ("2024", UTC, timedelta(days=366)),
        ("2023-03-26", BERLIN, timedelta(hours=23)),
        ("2023-10-29", BERLIN, timedelta(hours=25)),
        ("2023-03", BERLIN, timedelta(days=31, hours=-1)),
    ],
)
def test_a_period_ends_where_the_next_one_begins_on_the_calendar_of_its_zone(
    value: str, zone: ZoneInfo, length: timedelta
) -> None:
    meant = parse_instant(value, zone=zone)
    assert timedelta(microseconds=meant.end(zone) - meant.at) == length


def test_the_precisions_are_these() -> None:
    assert PRECISIONS == ("instant", "day", "week", "month", "year", "unknown")


def test_an_instant_of_unknown_precision_ends_where_it_begins() -> None:
    assert Instant(TEN, "unknown").end() == TEN


@given(instants)
def test_text_made_of_an_instant_is_read_back_exactly(at: int) -> None:
    assert parse_instant(format_instant(at)) == Instant(at)


@given(instants, zones)
def test_a_datetime_made_of_an_instant_is_read_back_exactly(at: int, zone: ZoneInfo) -> None:
    moment = to_datetime(at, zone)
    assert moment.tzinfo is zone
    assert parse_instant(moment) == Instant(at)
    assert parse_instant(moment.isoformat()) == Instant(at)


@given(instants, instants)
def test_text_sorts_as_time_does(one: int, other: int) -> None:
    assert (format_instant(one) < format_instant(other)) is (one < other)


@given(st.dates(date(1685, 1, 1), date(2254, 12, 31)), zones)
def test_a_day_is_the_midnight_of_its_zone_however_it_is_written(day: date, zone: ZoneInfo) -> None:
    at = to_datetime(parse_instant(day, zone=zone).at, zone)
    assert parse_instant(day.isoformat(), zone=zone) == parse_instant(day, zone=zone)
    assert parse_instant(f"{day:%Y%m%d}", zone=zone) == parse_instant(day, zone=zone)
    assert at.date() in {day, day + timedelta(1)}  # where midnight was skipped
    assert parse_instant(day, zone=zone).end(zone) >= parse_instant(day, zone=zone).at


@given(st.text(max_size=30) | st.from_regex(r"[0-9TWZ:/ +.-]{1,25}", fullmatch=True))
def test_any_text_is_a_time_within_reach_or_refused(text: str) -> None:
    try:
        found = parse_instant(text)
    except InvalidInput:
        return
    assert abs(found.at) <= INSTANT_MAX
    assert found.precision in PRECISIONS
