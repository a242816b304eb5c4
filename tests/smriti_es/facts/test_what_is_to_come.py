"""A question about a day is answered with what held then, not with what came later."""

from collections.abc import Callable

import pytest

from smriti_es.engine import Engine

THEN = "2023-05-01"


@pytest.fixture
def memory(engine: Callable[..., Engine]) -> Engine:
    """The user lived in Graz, and moved to Vienna a year after the day that is asked about."""
    memory = engine(":memory:")
    memory.add("I live in Graz.", session="a", at="2023-01-10")
    memory.add("I live in Vienna.", session="b", at="2024-05-20")
    return memory


def test_a_turn_that_says_what_holds_only_later_is_left_to_the_fact(memory: Engine) -> None:
    found = memory.search("Where do I live?", valid_at=THEN, now="2024-07-01")
    assert [(hit.text, hit.fact and hit.fact.status) for hit in found] == [
        ("I live in Graz.", None),
        ("The user lives in Graz.", "current"),
        ("The user lives in Vienna.", "scheduled"),
    ]


def test_a_context_shows_what_holds_before_what_is_to_come(memory: Engine) -> None:
    shown = memory.context("Where do I live? In Vienna?", valid_at=THEN, now="2024-07-01")
    assert [fact.status for fact in shown.facts] == ["current", "scheduled"]


def test_a_question_about_what_was_keeps_the_order_of_the_ranking(memory: Engine) -> None:
    asked = "Did I live in Graz before?"
    shown = memory.context(asked, now="2024-07-01", history=True)
    assert next(fact.object for fact in shown.facts) == "Graz"
