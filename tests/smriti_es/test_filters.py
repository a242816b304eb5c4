"""The caller's filter: its forms, its refusals, its meaning (decision 12; BC-69)."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.events.errors import InvalidInput
from smriti_es.filters import And, Comparison, Not, Or, matches, parse_filter

LEVELS = [{"level": level} for level in range(1, 6)]


def found(where: Mapping[str, Any]) -> list[int]:
    condition = parse_filter(where)
    return [item["level"] for item in LEVELS if matches(condition, item)]


def holds(where: Mapping[str, Any], **metadata: Any) -> bool:
    return matches(parse_filter(where), metadata)


@pytest.mark.parametrize(
    ("where", "levels"),
    [
        ({"level": 4}, [4]),
        ({"level": {"eq": 4}}, [4]),
        ({"level": {"ne": 4}}, [1, 2, 3, 5]),
        ({"level": {"gte": 4}}, [4, 5]),
        ({"level": {"gt": 4}}, [5]),
        ({"level": {"lte": 2}}, [1, 2]),
        ({"level": {"lt": 2}}, [1]),
        ({"level": {"in": [1, 2, 9]}}, [1, 2]),
        ({"level": {"in": []}}, []),
        ({"level": {"range": [2, 4]}}, [2, 3, 4]),
        ({"level": {"gte": 2, "lt": 4}}, [2, 3]),
        ({"$or": [{"level": 1}, {"level": 5}]}, [1, 5]),
        ({"AND": [{"level": {"gt": 1}}, {"level": {"lt": 4}}]}, [2, 3]),
        ({"NOT": {"level": 1}}, [2, 3, 4, 5]),
        ({"levle": 1}, []),
        ({"levle": {"ne": 1}}, []),
        ({"NOT": {"levle": 1}}, [1, 2, 3, 4, 5]),
    ],
)
def test_supported_forms_find_what_they_say(where: Mapping[str, Any], levels: list[int]) -> None:
    assert found(where) == levels


def test_no_filter_matches_everything() -> None:
    assert parse_filter(None) is None
    assert parse_filter({}) is None
    assert matches(None, {})


def test_operators_and_connectives_may_carry_a_dollar() -> None:
    where = {"$Or": [{"level": {"$gte": 4}}, {"$not": {"level": {"$in": [1]}}}]}
    assert parse_filter(where) == Or(
        (Comparison("level", "gte", 4), Not(Comparison("level", "in", (1,))))
    )


def test_several_keys_and_several_operators_are_one_and() -> None:
    assert parse_filter({"level": {"gte": 1, "lt": 3}, "topic": "kiln"}) == And(
        (
            Comparison("level", "gte", 1),
            Comparison("level", "lt", 3),
            Comparison("topic", "eq", "kiln"),
        )
    )


def test_an_unknown_operator_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(InvalidInput, match="regex") as caught:
        parse_filter({"level": {"regex": "."}})
    assert caught.value.operator == "regex"
    for operator in ("eq", "ne", "in", "gt", "gte", "lt", "lte", "range", "contains"):
        assert operator in caught.value.hint


def test_an_unknown_connective_is_refused() -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_filter({"$nor": [{"level": 1}]})
    assert caught.value.operator == "$nor"


@pytest.mark.parametrize(
    "where",
    [
        "level = 4",
        [],
        [{"level": 1}],
        5,
        {"level": None},
        {"level": [1, 2]},
        {"level": {}},
        {"level": {5: 1}},
        {"level": {"eq": None}},
        {"level": {"eq": {"a": 1}}},
        {"level": float("nan")},
        {"level": 2**53 + 1},
        {"level": {"gt": True}},
        {"level": {"gt": [1]}},
        {"level": {"in": 1}},
        {"level": {"in": "abc"}},
        {"level": {"in": [[1]]}},
        {"level": {"in": [None]}},
        {"level": {"range": 1}},
        {"level": {"range": [1]}},
        {"level": {"range": [1, 2, 3]}},
        {"level": {"range": [1, "2"]}},
        {"level": {"range": [3, 1]}},
        {"level": {"range": [False, True]}},
        {"title": {"contains": 1}},
        {"title": {"contains": ""}},
        {"title": "a\0"},
        {"title": "\ud800"},
        {"": 1},
        {5: 1},
        {"and": []},
        {"or": {"level": 1}},
        {"or": [{}]},
        {"or": [1]},
        {"not": {}},
        {"not": [{"level": 1}]},
        {"not": 1},
    ],
)
def test_what_cannot_be_understood_is_refused_and_never_left_out(where: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_filter(where)
    assert caught.value.hint


def nested(depth: int) -> dict[str, Any]:
    where: dict[str, Any] = {"level": 1}
    for _ in range(depth - 1):
        where = {"not": where}
    return where


def test_a_filter_may_be_eight_deep_and_no_deeper() -> None:
    assert parse_filter(nested(8)) is not None
    for depth in (9, 10_000):
        with pytest.raises(InvalidInput):
            parse_filter(nested(depth))


def test_a_filter_may_have_two_hundred_nodes_and_no_more() -> None:
    assert parse_filter({"or": [{"level": 1}] * 199}) is not None
    with pytest.raises(InvalidInput):
        parse_filter({"or": [{"level": 1}] * 200})


def test_in_may_have_five_hundred_choices_and_no_more() -> None:
    assert parse_filter({"level": {"in": list(range(500))}}) is not None
    with pytest.raises(InvalidInput):
        parse_filter({"level": {"in": list(range(501))}})


def test_numbers_compare_with_numbers_whatever_their_type() -> None:
    assert holds({"level": 4.0}, level=4)
    assert holds({"level": {"gt": 3.5}}, level=4)


def test_texts_compare_by_code_point() -> None:
    assert holds({"name": {"gt": "Z"}}, name="a")
    assert holds({"name": {"lt": "\U00010000"}}, name="\uffff")
    assert not holds({"name": "café"}, name="cafe\u0301")


@pytest.mark.parametrize("operator", ["eq", "gt", "gte", "lt", "lte"])
def test_values_of_two_types_are_never_equal_and_never_in_order(operator: str) -> None:
    assert not holds({"level": {operator: 4}}, level="4")
    assert not holds({"level": {operator: "4"}}, level=4)
    assert not holds({"level": {operator: 1}}, level=True)


def test_values_of_two_types_differ() -> None:
    assert holds({"level": {"ne": 4}}, level="4")
    assert holds({"flag": {"ne": 1}}, flag=True)


def test_booleans_are_equal_only_to_booleans() -> None:
    assert holds({"flag": True}, flag=True)
    assert holds({"flag": {"in": [False]}}, flag=False)
    assert not holds({"flag": True}, flag=1)
    assert not holds({"flag": {"in": [0, 1]}}, flag=True)


def test_contains_finds_a_part_of_a_text_exactly_as_written() -> None:
    assert holds({"title": {"contains": "kiln"}}, title="The kiln runs")
    assert not holds({"title": {"contains": "Kiln"}}, title="The kiln runs")
    assert not holds({"title": {"contains": "%"}}, title="The kiln runs")
    assert not holds({"title": {"contains": "4"}}, title=4)


def test_a_list_matches_when_any_entry_does() -> None:
    topics = ["kiln", "glaze", 4]
    assert holds({"topics": "glaze"}, topics=topics)
    assert holds({"topics": {"in": ["clay", 4]}}, topics=topics)
    assert holds({"topics": {"contains": "laz"}}, topics=topics)
    assert not holds({"topics": "clay"}, topics=topics)


def test_a_list_differs_when_no_entry_is_equal() -> None:
    assert holds({"topics": {"ne": "clay"}}, topics=["kiln", "glaze"])
    assert not holds({"topics": {"ne": "kiln"}}, topics=["kiln", "glaze"])


def test_a_list_is_in_no_order() -> None:
    assert not holds({"levels": {"gte": 0}}, levels=[1, 2])
    assert not holds({"levels": {"range": [0, 9]}}, levels=[1, 2])


def test_an_empty_list_holds_no_value() -> None:
    assert not holds({"topics": {"ne": "kiln"}}, topics=[])
    assert holds({"not": {"topics": "kiln"}}, topics=[])


_values = st.integers(-2, 2) | st.sampled_from(["", "a", "ab", "b"]) | st.booleans()
_metadata = st.dictionaries(
    st.sampled_from(["x", "y"]), _values | st.lists(_values, max_size=2), max_size=2
)
_orderable = st.integers(-2, 2) | st.sampled_from(["a", "ab", "b"])
_comparisons = st.one_of(
    st.builds(lambda v: {"eq": v}, _values),
    st.builds(lambda v: {"ne": v}, _values),
    st.builds(lambda v: {"in": v}, st.lists(_values, max_size=3)),
    st.builds(lambda o, v: {o: v}, st.sampled_from(["gt", "gte", "lt", "lte"]), _orderable),
    st.builds(lambda v: {"contains": v}, st.sampled_from(["a", "b", "ab"])),
)
_filters = st.recursive(
    st.dictionaries(st.sampled_from(["x", "y"]), _comparisons, min_size=1, max_size=2),
    lambda inner: st.one_of(
        st.builds(
            lambda c, p: {c: p}, st.sampled_from(["and", "$or"]), st.lists(inner, min_size=1)
        ),
        st.builds(lambda part: {"not": part}, inner),
    ),
    max_leaves=5,
)


@given(_filters, _metadata)
def test_not_is_the_exact_opposite(where: dict[str, Any], metadata: dict[str, Any]) -> None:
    try:
        negated = parse_filter({"not": where})
    except InvalidInput:
        return
    assert matches(negated, metadata) is not matches(parse_filter(where), metadata)


@given(_comparisons, _metadata)
def test_an_absent_key_matches_nothing(where: dict[str, Any], metadata: dict[str, Any]) -> None:
    assert not matches(parse_filter({"absent": where}), metadata)


@given(_orderable, _values)
def test_gte_is_gt_or_eq_and_range_of_one_value_is_eq(bound: Any, value: Any) -> None:
    either = holds({"x": {"gt": bound}}, x=value) or holds({"x": bound}, x=value)
    assert holds({"x": {"gte": bound}}, x=value) is either
    assert holds({"x": {"range": [bound, bound]}}, x=value) is holds({"x": bound}, x=value)


@given(_values, st.lists(_values, min_size=1, max_size=3))
def test_eq_and_ne_divide_the_items_that_hold_a_value(value: Any, entries: list[Any]) -> None:
    assert holds({"x": {"eq": value}}, x=entries) is not holds({"x": {"ne": value}}, x=entries)


def test_one_and_true_are_two_filters_whatever_was_asked_before(engine: Callable[..., Any]) -> None:
    memory = engine(extractor=None)
    memory.add({"role": "user", "content": "valve one", "metadata": {"secret": 1}}, session="s")
    memory.add({"role": "user", "content": "valve true", "metadata": {"secret": True}}, session="s")

    def found(value: object) -> list[str]:
        return [hit.text for hit in memory.search("valve", where={"secret": value})]

    assert [found(value) for value in (1, True, 1.0)] == [
        ["valve one"],
        ["valve true"],
        ["valve one"],
    ]
