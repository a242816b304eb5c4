"""What the rows of `facts` say of the events: statements, ends, decisions, premises and names."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.events.catalogue import (
    ArbitrationDecided,
    Erased,
    Event,
    FactAsserted,
    FactEnded,
    FactEndRetracted,
    FactIntervalRevised,
    FactReaffirmed,
    FactReopened,
    FactRetracted,
    FactSuperseded,
    SessionStarted,
)
from smriti_es.projections.facts import FactsProjection

FACT, END, EDGE, PREMISE, ENTITY = range(5)


def ended(**more: Any) -> FactEnded:
    given: dict[str, Any] = {
        "space": "main",
        "subject": "Rachel Smith",
        "predicate": "lives_in",
        "valid_to": 9_000,
        "said_at": 8_000,
    }
    return FactEnded(**(given | more))


@pytest.fixture
def facts(alone: Callable[..., Any]) -> Any:
    """The projection `facts` on a log of its own."""
    return alone(FactsProjection())


def place(row: dict[str, Any]) -> tuple[Any, ...]:
    return (row["state"], row["valid_to"], row["superseded_by"], row["folded_into"])


def test_a_statement_is_kept_in_key_form_with_its_content_left_in_the_payload(
    facts: Any, told: Callable[..., FactAsserted]
) -> None:
    at = facts.append(told("Caf\u00e9  STRASSE", scope="Project:Atlas", statement="secret"))
    (row,) = facts.rows(FACT)
    assert (row["position"], row["subject"], row["value"]) == (at, "rachel smith", "café strasse")
    assert (row["predicate"], row["scope"], row["space"]) == ("lives_in", "project:atlas", "main")
    assert (row["said_at"], row["valid_from"], row["known"]) == (5_000, 1_000, facts.known(at))
    assert (row["origin"], row["kind"], row["single"]) == ("owner", "knowledge", False)
    assert place(row) == ("admitted", None, None, None)
    assert "secret" not in str([facts.rows(table) for table in range(5)])


def test_a_statement_ends_where_it_says_so_itself(
    facts: Any, told: Callable[..., FactAsserted]
) -> None:
    facts.append(told(valid_to=7_000, single=True))
    (row,) = facts.rows(FACT)
    assert (row["stated_to"], row["valid_to"], row["single"]) == (7_000, 7_000, True)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (FactSuperseded(fact=1, by=2, valid_to=4_000), ("admitted", 4_000, 2, None)),
        (FactIntervalRevised(fact=1, by=2, valid_to=4_000), ("admitted", 4_000, 2, None)),
        (FactIntervalRevised(fact=1, by=-1, valid_to=4_000), ("admitted", 4_000, None, None)),
        (FactIntervalRevised(fact=1, by=-1), ("admitted", None, None, None)),
        (FactReopened(fact=1), ("admitted", None, None, None)),
        (FactReopened(fact=1, valid_to=7_000), ("admitted", 7_000, None, None)),
        (FactReaffirmed(fact=1, standing=2), ("admitted", None, None, 2)),
        (FactRetracted(fact=1), ("retracted", None, None, None)),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, object) else "",
)
@pytest.mark.parametrize(
    "before",
    [
        FactSuperseded(fact=1, by=2, valid_to=3_000),
        FactReaffirmed(fact=1, standing=2),
        FactIntervalRevised(fact=1, by=-1, valid_to=2_000),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_was_decided_replaces_what_had_been(
    before: Event,
    change: Event,
    expected: tuple[Any, ...],
    facts: Any,
    told: Callable[..., FactAsserted],
) -> None:
    facts.append(told("Oslo"), told("Pune"))
    facts.append(before)
    facts.append(change)
    changed, other = facts.rows(FACT)
    assert place(changed) == expected
    assert place(other) == ("admitted", None, None, None)
    assert changed["valid_from"] == 1_000


def test_a_stated_end_is_kept_until_it_is_taken_back(facts: Any) -> None:
    at = facts.append(ended(object="OSLO", scope="Trip:Goa"))
    (row,) = facts.rows(END)
    assert (row["position"], row["subject"], row["value"]) == (at, "rachel smith", "oslo")
    assert (row["predicate"], row["scope"]) == ("lives_in", "trip:goa")
    assert (row["valid_to"], row["said_at"], row["retracted_known"]) == (9_000, 8_000, None)
    gone = facts.append(FactEndRetracted(end=at))
    assert facts.rows(END)[0]["retracted_known"] == facts.known(gone)


def test_only_a_decision_to_replace_is_an_edge(
    facts: Any, told: Callable[..., FactAsserted]
) -> None:
    facts.append(told("tea"), told("coffee"))
    facts.append(
        ArbitrationDecided(fact=2, target=1, action="supersede"),
        ArbitrationDecided(fact=2, target=-1, action="add"),
        ArbitrationDecided(fact=-1, target=1, action="skip"),
    )
    assert facts.rows(EDGE) == [{"position": 2, "of": 1}]


def test_premises_and_names_are_kept_once(facts: Any, told: Callable[..., FactAsserted]) -> None:
    facts.append(told("Oslo"), told("Pune"))
    at = facts.append(
        told("tax", because=(2, 1, 2), entities=("Norway", "NORWAY", " ", "rachel smith"))
    )
    assert facts.rows(PREMISE) == [{"position": at, "premise": 1}, {"position": at, "premise": 2}]
    names = [row["entity"] for row in facts.rows(ENTITY) if row["position"] == at]
    assert names == ["norway", "rachel smith"]


def test_other_events_leave_no_row(facts: Any) -> None:
    facts.append(SessionStarted(session="walks", space="main"))
    assert [facts.rows(table) for table in range(5)] == [[]] * 5


@pytest.fixture
def varied(facts: Any, told: Callable[..., FactAsserted]) -> Any:
    """One of everything, in four commits."""
    facts.append(told("Oslo"), told("Pune", because=(1,), entities=("India",)))
    facts.append(FactSuperseded(fact=1, by=2, valid_to=4_000), ended(object="Pune"))
    facts.append(told("Oslo", said_at=6_000), FactReaffirmed(fact=5, standing=1))
    facts.append(FactEndRetracted(end=4), ArbitrationDecided(fact=2, target=1, action="supersede"))
    facts.append(FactRetracted(fact=2), FactReopened(fact=1))
    return facts


@pytest.mark.parametrize("batch", [1, 2, 3, 1000])
def test_rows_come_out_the_same_in_whatever_portions_the_log_is_folded(
    batch: int, varied: Any
) -> None:
    before = varied.fingerprint, [varied.rows(table) for table in range(5)]
    varied.fold_anew(batch)
    assert (varied.fingerprint, [varied.rows(table) for table in range(5)]) == before


@pytest.mark.parametrize("batch", [1, 1000])
def test_a_statement_whose_content_is_erased_leaves_nothing(batch: int, varied: Any) -> None:
    varied.erase(2)
    varied.fold_anew(batch)
    assert [row["position"] for row in varied.rows(FACT)] == [1, 5]
    assert varied.rows(PREMISE) == []
    assert 2 not in {row["position"] for row in varied.rows(ENTITY)}


@pytest.mark.parametrize("position", range(1, 11))
def test_any_erased_event_folds_as_if_it_had_said_nothing(
    position: int, varied: Any, told: Callable[..., FactAsserted]
) -> None:
    varied.erase(position)
    varied.fold_anew(1000)
    in_one = varied.fingerprint
    varied.fold_anew(1)
    assert varied.fingerprint == in_one
    varied.append(told("Bergen"))
    assert varied.rows(FACT)[-1]["value"] == "bergen"


def test_everything_erased_folds_to_nothing(varied: Any) -> None:
    varied.append(Erased(ranges=[[1, 10]], part_of=-1, predecessor="lapse"))
    varied.fold_anew(3)
    assert [varied.rows(table) for table in range(5)] == [[]] * 5


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE fact_v3_g1 SET value = 'x' WHERE position = 1",
        "UPDATE fact_v3_g1 SET single = NOT single WHERE position = 1",
        "UPDATE fact_v3_g1 SET superseded_by = 5 WHERE position = 1",
        "UPDATE fact_end_v3_g1 SET valid_to = 1",
        "UPDATE fact_end_v3_g1 SET retracted_known = NULL",
        "DELETE FROM fact_edge_v3_g1",
        "UPDATE fact_premise_v3_g1 SET premise = 5",
        "UPDATE fact_entity_v3_g1 SET entity = 'x' WHERE entity = 'india'",
    ],
)
def test_a_single_changed_value_changes_the_fingerprint(
    statement: str, varied: Any, tamper: Callable[..., int]
) -> None:
    before = varied.fingerprint
    assert tamper(statement) == 1
    assert varied.fingerprint != before
