"""Severe failures are told apart, weighed up, and never give way."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.severity import stated_weight

BAD = {"valence": -0.9, "intensity": 0.9}


@pytest.fixture
def memory(engine: Callable[..., Engine]) -> Engine:
    return engine(":memory:", extractor=None, embedder=None)


def test_a_stated_failure_is_a_critical_warning(memory: Engine) -> None:
    memory.add("Deploying with force wiped the table.", session="s", metadata=BAD)
    memory.add("Deploying takes a minute.", session="t")
    found = memory.search("deploying")
    assert {hit.text: hit.severity for hit in found} == {
        "Deploying with force wiped the table.": "critical_warning",
        "Deploying takes a minute.": "context",
    }


def test_a_stated_failure_ranks_above_its_like(memory: Engine) -> None:
    memory.add("Deploying on Mondays is slow.", session="s")
    memory.add("Deploying on Fridays is slow.", session="t", metadata=BAD)
    found = memory.search("deploying slow", explain=True)
    assert found[0].text == "Deploying on Fridays is slow."
    assert found[0].score == pytest.approx(sum(found[0].explanation.values()))


def test_what_does_not_bear_on_the_question_is_not_raised(memory: Engine) -> None:
    memory.add("Deploying with force wiped the table.", session="s", metadata=BAD)
    memory.add("Tea is at four.", session="t")
    assert [hit.text for hit in memory.search("tea")] == ["Tea is at four."]


def test_a_fact_that_was_given_up_is_an_antipattern(memory: Engine) -> None:
    memory.assert_fact("the build", "uses_tool", "make", valid_from="2024", multi=False)
    memory.assert_fact("the build", "uses_tool", "ninja", valid_from="2025", multi=False)
    found = memory.search("build tool", history=True)
    assert {hit.fact.object: hit.severity for hit in found if hit.fact} == {
        "ninja": "context",
        "make": "known_antipattern",
    }


def test_a_fact_may_be_stated_as_a_failure_too(memory: Engine) -> None:
    memory.assert_fact("force push", "lost", "a day of work", metadata=BAD)
    assert memory.search("force push")[0].severity == "critical_warning"


@pytest.mark.parametrize(
    ("metadata", "weight"),
    [
        ({"valence": -0.9, "intensity": 0.8}, 0.72),
        ({"valence": -3, "intensity": 2}, 1.0),
        ({"valence": -0.9, "intensity": 0.2}, 0.0),
        ({"valence": -0.5, "intensity": 0.9}, 0.0),
        ({"valence": 0.9, "intensity": 0.9}, 0.0),
        ({"valence": -0.9}, 0.0),
        ({"valence": True, "intensity": True}, 0.0),
        ({"valence": "-0.9", "intensity": "0.9"}, 0.0),
        ({"valence": [-0.9], "intensity": [0.9]}, 0.0),
        ({}, 0.0),
    ],
)
def test_only_what_is_stated_as_bad_and_strong_weighs(
    metadata: dict[str, Any], weight: float
) -> None:
    assert stated_weight(metadata) == pytest.approx(weight)


def test_a_severe_turn_is_no_echo(memory: Engine) -> None:
    asked = "Shall we deploy with force on Friday?"
    memory.add(asked, session="s", metadata=BAD)
    memory.add("We deploy with force at times.", session="t")
    assert memory.search(asked)[0].text == asked
