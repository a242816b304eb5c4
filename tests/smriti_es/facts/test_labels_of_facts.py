"""Tags and metadata that a fact was stated with: read back, and filtered by in every read."""

from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput


@pytest.fixture
def labelled(memory: Engine) -> Engine:
    """Three facts about Rachel: two with labels, one without any."""
    memory.assert_fact(
        "Rachel", "likes", "rain", multi=True, tags=["b", "a"], metadata={"level": 4, "by": "Ana"}
    )
    memory.assert_fact(
        "Rachel", "likes", "snow", multi=True, tags=["b"], metadata={"level": 7, "sure": True}
    )
    memory.assert_fact("Rachel", "likes", "hail", multi=True)
    return memory


def test_a_fact_gives_back_what_it_was_stated_with(labelled: Engine) -> None:
    assert [(fact.object, fact.tags, fact.metadata) for fact in labelled.facts()] == [
        ("rain", ("a", "b"), {"by": "Ana", "level": 4}),
        ("snow", ("b",), {"level": 7, "sure": True}),
        ("hail", (), {}),
    ]


FILTERS: list[tuple[dict[str, Any], set[str]]] = [
    ({"tags": ["b"]}, {"rain", "snow"}),
    ({"tags": ["a", "b"]}, {"rain"}),
    ({"tags_any": ["a", "z"]}, {"rain"}),
    ({"tags": ["z"]}, set()),
    ({"where": {"level": {"gte": 5}}}, {"snow"}),
    ({"where": {"by": "Ana"}}, {"rain"}),
    ({"where": {"$not": {"by": "Ana"}}}, {"snow", "hail"}),
    ({"tags": ["b"], "where": {"sure": True}}, {"snow"}),
]


@pytest.mark.parametrize(("filters", "found"), FILTERS, ids=[str(one) for one, _ in FILTERS])
def test_facts_are_filtered_by_labels_in_every_read(
    filters: dict[str, Any], found: set[str], labelled: Engine
) -> None:
    question = "What does Rachel like: rain, snow, hail?"

    def read(memory: Any) -> list[set[str]]:
        hits = memory.search(question, **filters)
        return [
            {fact.object for fact in memory.facts("Rachel", **filters)},
            {each.fact.object for each in memory.history("Rachel", **filters)},
            {change.fact.object for change in memory.diff(0, then, **filters)},
            {hit.fact.object for hit in hits if hit.fact is not None},
            {fact.object for fact in memory.context(question, **filters).facts},
        ]

    then = labelled.head
    labelled.assert_fact(
        "Rachel", "likes", "fog", multi=True, tags=["a", "b"], metadata={"by": "Ana", "level": 9}
    )
    assert read(labelled.at(then)) == [found] * 5
    with labelled.replay(then) as replayed:
        assert read(replayed) == [found] * 5


def test_a_fact_without_the_label_leaves_its_chain_as_it_is(memory: Engine) -> None:
    memory.assert_fact("Rachel", "lives_in", "Oslo", valid_from="2020", tags=["old"])
    memory.assert_fact("Rachel", "lives_in", "Pune", valid_from="2024")
    assert memory.facts("Rachel", tags=["old"]) == []
    (oslo,) = memory.facts("Rachel", tags=["old"], statuses=None)
    assert (oslo.object, str(oslo.status)) == ("Oslo", "superseded")


@pytest.mark.parametrize(
    "filters", [{"tags": "b"}, {"tags_any": "b"}, {"where": {"level": {"above": 3}}}]
)
def test_a_label_filter_that_cannot_be_understood_is_refused(
    filters: dict[str, Any], labelled: Engine
) -> None:
    with pytest.raises(InvalidInput):
        labelled.facts(**filters)
    with pytest.raises(InvalidInput):
        labelled.history(**filters)
    with pytest.raises(InvalidInput):
        labelled.diff(0, labelled.head, **filters)


def test_labels_of_facts_are_rebuilt_as_they_were(labelled: Engine) -> None:
    assert labelled.rebuild("facts").equal
    assert {fact.object for fact in labelled.facts(tags=["b"])} == {"rain", "snow"}
    assert labelled.verify().ok
