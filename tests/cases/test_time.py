"""Inputs that other memories got wrong: time and time zones (BC-09 to BC-14)."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.instants import format_instant

Open = Callable[..., Engine]


def test_times_with_and_without_an_offset_are_compared(engine: Open) -> None:
    memory = engine()
    memory.assert_fact("pump", "state", "on", valid_from="2026-04-01T10:00:00")
    memory.assert_fact("pump", "state", "off", valid_from="2026-04-01T10:30:00+02:00")
    assert [(each.fact.object, each.fact.interval[0]) for each in memory.history("pump")] == [
        ("off", "2026-04-01T08:30:00.000000Z"),
        ("on", "2026-04-01T10:00:00.000000Z"),
    ]
    assert [fact.object for fact in memory.facts("pump", "state")] == ["on"]
    (naive,) = [e.event for e in memory.events(1, 2)]
    assert naive is not None
    assert vars_of(naive)["valid_text"] == "2026-04-01T10:00:00"


def vars_of(event: Any) -> dict[str, Any]:
    return {name: getattr(event, name) for name in event.__dataclass_fields__}


@pytest.fixture(params=["America/Los_Angeles", "Asia/Kolkata", "UTC"])
def process_zone(request: pytest.FixtureRequest, monkeypatch: Any) -> Iterator[str]:
    """Let the process be somewhere else."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


def test_a_range_of_dates_does_not_shift_with_the_zone_of_the_process(
    process_zone: str, engine: Open
) -> None:
    memory = engine()
    memory.add("Backup finished.", session="a", at="2026-02-09T03:00:00Z")
    found = memory.search("backup", since="2026-02-09T00:00:00Z", until="2026-02-09T23:59:59Z")
    assert [hit.text for hit in found] == ["Backup finished."]
    assert memory.turns()[0].said == "2026-02-09T03:00:00.000000Z"
    memory.assert_fact("backup", "state", "done", valid_from="2026-02-09")
    assert memory.facts("backup")[0].interval[0] == "2026-02-09T00:00:00.000000Z"
    assert [f.object for f in memory.facts("backup", valid_at="2026-02-08T23:59:59Z")] == []


def test_last_week_is_counted_from_when_it_was_said(engine: Open) -> None:
    memory = engine()
    memory.add("The lift was serviced last week.", session="a", at="2022-11-16T08:00:00Z")
    (turn,) = memory.turns()
    assert turn.said == "2022-11-16T08:00:00.000000Z"
    assert format_instant(turn.known).startswith("2026-06-02T10:00:")
    text = memory.context("When was the lift serviced?").text
    assert "last week [2022-11-07..2022-11-13]" in text
    found = memory.search("What was serviced between 2022-11-07 and 2022-11-13?")
    assert "temporal" in found[0].channels


def test_a_fact_of_an_imported_message_is_dated_from_the_message(engine: Open) -> None:
    memory = engine()
    memory.add("I moved to Pune last month.", session="a", at="2022-11-16T08:00:00Z")
    (fact,) = memory.facts("user", "lives_in")
    assert (fact.interval[0], fact.precision) == ("2022-10-01T00:00:00.000000Z", "month")
    assert format_instant(fact.known_from).startswith("2026-06-02T10:00:")


def test_a_message_without_a_time_says_that_its_time_is_not_known(engine: Open) -> None:
    memory = engine()
    memory.add("Yesterday the compressor tripped.", session="a")
    memory.add("I live in Pune.", session="a")
    memory.add("The compressor runs.", session="a", at="2026-06-01")
    turns = memory.turns()
    assert [turn.said_at == turn.known for turn in turns] == [True, True, False]
    assert [turn.said_precision for turn in turns] == ["unknown", "unknown", "day"]
    (fact,) = memory.facts()
    assert (fact.valid_from, fact.precision) == (turns[1].said_at, "unknown")
    assert memory.status().undated == 2
