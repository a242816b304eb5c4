"""What the rows of `lineage` say: which event was derived from which, both ways."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.events.catalogue import FactRetracted, SessionStarted, TurnRecorded
from smriti_es.projections.lineage import LineageProjection, children_of, parents_of


@pytest.fixture
def lineage(alone: Callable[..., Any]) -> Any:
    """A session at 1 with turns at 2 and 3, and what was derived from them at 4 and 5."""
    rows = alone(LineageProjection())
    turns = [
        TurnRecorded(session=1, ordinal=n, origin="owner", role="user", text="hi") for n in (0, 1)
    ]
    refs = [(), (1,), (1, 2)]
    rows.append(SessionStarted(session="walks", space="main"), *turns, refs=refs)
    rows.append(FactRetracted(fact=2), FactRetracted(fact=3), refs=[(2, 3), (2, 4)])
    return rows


def pairs(lineage: Any) -> list[tuple[int, int]]:
    return [(row["child"], row["parent"]) for row in lineage.rows()]


def test_references_are_rows_but_for_that_of_a_turn_to_its_session(lineage: Any) -> None:
    assert pairs(lineage) == [(3, 2), (4, 2), (4, 3), (5, 2), (5, 4)]


def test_lineage_is_read_both_ways(lineage: Any) -> None:
    log = lineage.projector.log
    with log.database.read() as connection:
        assert parents_of(connection, log.log, 1, 5) == [2, 4]
        assert children_of(connection, log.log, 1, 2) == [3, 4, 5]
        assert parents_of(connection, log.log, 1, 1) == []
        assert children_of(connection, log.log, 1, 99) == []


@pytest.mark.parametrize("batch", [1, 2, 1000])
@pytest.mark.parametrize("erased", [[], [2], [1, 2, 3, 4, 5]])
def test_references_stand_in_headers_and_so_outlast_the_content(
    batch: int, erased: list[int], lineage: Any
) -> None:
    before = lineage.fingerprint, pairs(lineage)
    for position in erased:
        lineage.erase(position)
    lineage.fold_anew(batch)
    assert (lineage.fingerprint, pairs(lineage)) == before


def test_a_single_changed_value_changes_the_fingerprint(
    lineage: Any, tamper: Callable[..., int]
) -> None:
    before = lineage.fingerprint
    assert tamper("UPDATE lineage_v1_g1 SET parent = 1 WHERE child = 3") == 1
    assert lineage.fingerprint != before
