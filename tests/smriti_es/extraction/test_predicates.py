"""One relation has one name, whatever a model calls it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.extraction.predicates import (
    attitude_to,
    normal_relation,
    says_one_value,
    snake_case,
)


@pytest.mark.parametrize(
    ("said", "spelled"),
    [
        ("lives_in", "lives_in"),
        (" Lives in ", "lives_in"),
        ("livesIn", "lives_in"),
        ("LIVES-IN", "lives_in"),
        ("job title!", "job_title"),
        ("__uses__phone__", "uses_phone"),
        ("wohnt_in_Köln", "wohnt_in_köln"),
        ("0:_0", "0_0"),
        ("?!", ""),
    ],
)
def test_a_predicate_is_spelled_in_snake_case(said: str, spelled: str) -> None:
    assert snake_case(said) == spelled


@given(st.text(max_size=30))
def test_a_spelling_is_not_changed_by_spelling_it_again(said: str) -> None:
    assert snake_case(snake_case(said)) == snake_case(said)


@pytest.mark.parametrize(
    ("said", "relation"),
    [
        (("moved_to", "Pune"), ("lives_in", "Pune")),
        (("relocatedTo", "Pune"), ("lives_in", "Pune")),
        (("preferred", "tea"), ("prefers", "tea")),
        (("prefer", "tea"), ("prefers", "tea")),
        (("employed_by", "Acme"), ("works_at", "Acme")),
        (("favorite_color", "blue"), ("favourite_colour", "blue")),
        (("Favorite", "blue"), ("favourite", "blue")),
        (("favorites_count", "3"), ("favorites_count", "3")),
        (("visited", "Goa"), ("visited", "Goa")),
        (("likes", "the Hill  Walking."), ("attitude_to:hill_walking", "positive")),
        (("loves", "Tea"), ("attitude_to:tea", "positive")),
        (("loves", "Italian food"), ("attitude_to:italian_food", "positive")),
        (("loves", "hiking in the rain"), ("attitude_to:hiking_in_the_rain", "positive")),
        (("dislikes", "tea"), ("attitude_to:tea", "negative")),
        (("hates", "C++"), ("attitude_to:c++", "negative")),
        (("does not like", "tea"), ("attitude_to:tea", "negative")),
        (("attitude_to:Tea", "loves"), ("attitude_to:tea", "positive")),
        (("Attitude to: tea", "negative"), ("attitude_to:tea", "negative")),
        (("positive", "tea"), ("positive", "tea")),
    ],
)
def test_a_relation_has_its_usual_form(said: tuple[str, str], relation: tuple[str, str]) -> None:
    assert normal_relation(*said) == relation


def test_an_attitude_without_polarity_is_none() -> None:
    assert normal_relation("attitude_to:tea", "often") is None


def test_a_change_of_mind_has_the_same_predicate() -> None:
    before, after = normal_relation("loves", "an oat milk"), normal_relation("hates", "Oat milk!")
    assert before is not None
    assert after is not None
    assert before[0] == after[0] == attitude_to("oat milk")


@pytest.mark.parametrize(
    ("predicate", "one"),
    [("attitude_to:tea", True), ("favourite_colour", True), ("lives_in", False), ("likes", False)],
)
def test_an_attitude_and_a_favourite_are_one_at_a_time(predicate: str, one: bool) -> None:
    assert says_one_value(predicate) is one
