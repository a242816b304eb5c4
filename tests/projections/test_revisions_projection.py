"""What the rows of `revisions` say: one for each belief about a fact, tiling knowledge time."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from smriti_es.events.catalogue import (
    FactAsserted,
    FactIntervalRevised,
    FactReaffirmed,
    FactReopened,
    FactRetracted,
    FactSuperseded,
    SessionStarted,
)
from smriti_es.projections.revisions import RevisionsProjection


@pytest.fixture
def revisions(alone: Callable[..., Any]) -> Any:
    """The projection `revisions` on a log of its own."""
    return alone(RevisionsProjection())


def of(revisions: Any, fact: int) -> list[dict[str, Any]]:
    return [row for row in revisions.rows() if row["fact"] == fact]


def test_a_belief_begins_with_the_commit_of_its_statement(
    revisions: Any, told: Callable[..., FactAsserted]
) -> None:
    at = revisions.append(told(valid_to=7_000))
    (row,) = revisions.rows()
    assert row == {
        "fact": at,
        "revision": 0,
        "state": "admitted",
        "valid_from": 1_000,
        "valid_to": 7_000,
        "superseded_by": None,
        "folded_into": None,
        "known_from": revisions.known(at),
        "known_to": None,
        "cause": at,
    }


def test_each_change_closes_one_belief_and_opens_the_next(
    revisions: Any, told: Callable[..., FactAsserted]
) -> None:
    revisions.append(told("Oslo"))
    changes = [
        revisions.append(told("Pune"), FactSuperseded(fact=1, by=2, valid_to=4_000)) + 1,
        revisions.append(FactIntervalRevised(fact=1, by=2, valid_to=3_000)),
        revisions.append(FactReaffirmed(fact=1, standing=2)),
        revisions.append(FactReopened(fact=1, valid_to=6_000)),
        revisions.append(FactRetracted(fact=1)),
    ]
    rows = of(revisions, 1)
    assert [row["revision"] for row in rows] == list(range(6))
    assert [(r["state"], r["valid_to"], r["superseded_by"], r["folded_into"]) for r in rows] == [
        ("admitted", None, None, None),
        ("admitted", 4_000, 2, None),
        ("admitted", 3_000, 2, None),
        ("admitted", None, None, 2),
        ("admitted", 6_000, None, None),
        ("retracted", None, None, None),
    ]
    assert [row["cause"] for row in rows] == [1, *changes]
    assert [row["known_from"] for row in rows[1:]] == [revisions.known(at) for at in changes]
    assert all(one["known_to"] == other["known_from"] for one, other in pairwise(rows))
    assert rows[-1]["known_to"] is None


def test_changes_of_one_commit_are_one_belief(
    revisions: Any, told: Callable[..., FactAsserted]
) -> None:
    at = revisions.append(
        told("Oslo"),
        told("Pune"),
        FactReaffirmed(fact=1, standing=2),
        FactSuperseded(fact=1, by=2, valid_to=4_000),
    )
    (row,) = of(revisions, at)
    assert (row["valid_to"], row["folded_into"], row["cause"]) == (4_000, None, at + 3)
    revisions.append(FactReopened(fact=1), FactReaffirmed(fact=1, standing=2))
    first, second = of(revisions, at)
    assert first["known_to"] == second["known_from"]
    assert (second["folded_into"], second["valid_to"], second["revision"]) == (2, None, 1)


def test_other_events_leave_no_row(revisions: Any) -> None:
    revisions.append(SessionStarted(session="walks", space="main"))
    assert revisions.rows() == []


@pytest.fixture
def varied(revisions: Any, told: Callable[..., FactAsserted]) -> Any:
    """Two facts with several beliefs each."""
    revisions.append(told("Oslo"))
    revisions.append(told("Pune"), FactSuperseded(fact=1, by=2, valid_to=4_000))
    revisions.append(FactIntervalRevised(fact=2, by=-1, valid_to=8_000))
    revisions.append(FactRetracted(fact=2), FactReopened(fact=1))
    return revisions


@pytest.mark.parametrize("batch", [1, 2, 3, 1000])
def test_rows_come_out_the_same_in_whatever_portions_the_log_is_folded(
    batch: int, varied: Any
) -> None:
    before = varied.fingerprint, varied.rows()
    varied.fold_anew(batch)
    assert (varied.fingerprint, varied.rows()) == before


@pytest.mark.parametrize("batch", [1, 1000])
def test_a_fact_whose_content_is_erased_was_never_believed(batch: int, varied: Any) -> None:
    varied.erase(2)
    varied.fold_anew(batch)
    assert {row["fact"] for row in varied.rows()} == {1}


@pytest.mark.parametrize("position", range(1, 7))
def test_any_erased_event_leaves_rows_that_tile(position: int, varied: Any) -> None:
    varied.erase(position)
    varied.fold_anew(1000)
    in_one = varied.fingerprint
    varied.fold_anew(1)
    assert varied.fingerprint == in_one
    for fact in (1, 2):
        rows = of(varied, fact)
        assert [row["revision"] for row in rows] == list(range(len(rows)))
        assert all(one["known_to"] == other["known_from"] for one, other in pairwise(rows))
        assert rows == [] or rows[-1]["known_to"] is None


@pytest.mark.parametrize("column", ["state", "valid_to", "superseded_by", "known_from", "cause"])
def test_a_single_changed_value_changes_the_fingerprint(
    column: str, varied: Any, tamper: Callable[..., int]
) -> None:
    before = varied.fingerprint
    where = "WHERE fact = 1 AND revision = 1"
    assert tamper(f"UPDATE fact_revision_v1_g1 SET {column} = 77 {where}") == 1
    assert varied.fingerprint != before
