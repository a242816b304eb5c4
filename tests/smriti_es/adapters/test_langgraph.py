"""The store of LangGraph, beside the one that LangGraph keeps in memory."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.embedders import HashEmbedder
from smriti_es.engine import Engine

pytest.importorskip("langgraph.store.base", reason="the extra langgraph is not installed")

from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    Op,
    PutOp,
)
from langgraph.store.memory import InMemoryStore

from smriti_es.adapters.langgraph import SmritiStore

Open = Callable[..., Engine]
PUT: list[tuple[tuple[str, ...], str, dict[str, Any]]] = [
    (("users", "ann"), "home", {"text": "Ann lives by the lake.", "level": 3}),
    (("users", "ann"), "Home", {"text": "Another key.", "level": 1}),
    (("users", "ann", "a/b %"), "x", {"nested": {"tags": ["red", "blue"]}, "level": 2.5}),
    (("users", "bob"), "home", {"text": "Bob keeps bees.", "level": True}),
    (("docs",), "empty", {}),
    (("docs",), "picture", {"url": "data:image/png;base64," + "QUJD" * 1_000}),
]
FILTERS: list[dict[str, Any]] = [
    {},
    {"level": 3},
    {"level": {"$ne": 3}},
    {"nested": {"tags": ["red", "blue"]}},
    {"nested": {"tags": ["red"]}},
    {"gone": None},
]
PREFIXES: list[tuple[str, ...]] = [(), ("users",), ("users", "ann"), ("use",), ("gone",)]


def filled(store: Any) -> Any:
    for namespace, key, value in PUT:
        store.put(namespace, key, {"old": "as it was"})
        store.put(namespace, key, value)
    store.put(("users", "eve"), "home", {"text": "Eve was here."})
    store.delete(("users", "eve"), "home")
    return store


def told(items: Any) -> list[Any]:
    return sorted((each.namespace, each.key, repr(each.value)) for each in items)


def test_what_was_put_is_got_as_it_was_put(engine: Open) -> None:
    store = filled(SmritiStore(engine()))
    for namespace, key, value in PUT:
        item = store.get(namespace, key)
        assert (item.namespace, item.key, item.value) == (namespace, key, value)
    assert store.get(("users", "eve"), "home") is None
    assert store.get(("nobody",), "home") is None
    assert store.get(("docs",), "nothing") is None


def test_it_finds_by_filter_what_the_store_in_memory_finds(engine: Open) -> None:
    ours, theirs = filled(SmritiStore(engine())), filled(InMemoryStore())
    for prefix in PREFIXES:
        for wanted in FILTERS:
            expected = told(theirs.search(prefix, filter=wanted, limit=100))
            assert told(ours.search(prefix, filter=wanted, limit=100)) == expected


# The store in memory raises where an item has no such number.
COMPARED = {"$gt": {"home"}, "$gte": {"home", "x"}, "$lt": {"Home"}, "$lte": {"Home", "x"}}


@pytest.mark.parametrize("order", COMPARED)
def test_numbers_are_compared_and_what_is_none_passes_no_comparison(
    order: str, engine: Open
) -> None:
    store = filled(SmritiStore(engine()))
    found = store.search((), filter={"level": {order: 2.5, "$ne": None}}, limit=100)
    assert {each.key for each in found} == COMPARED[order]


def test_it_lists_the_namespaces_that_the_store_in_memory_lists(engine: Open) -> None:
    ours, theirs = filled(SmritiStore(engine())), filled(InMemoryStore())
    # The one in memory still lists a namespace whose last item was deleted.
    del theirs._data["users", "eve"]
    for asked in (
        {},
        {"prefix": ("users",)},
        {"prefix": ("users", "*", "a/b %")},
        {"suffix": ("*", "bob")},
        {"max_depth": 1},
        {"limit": 2, "offset": 1},
    ):
        assert ours.list_namespaces(**asked) == theirs.list_namespaces(**asked)


def test_pages_of_a_search_are_parts_of_one_list(engine: Open) -> None:
    store = filled(SmritiStore(engine()))
    every = [(each.namespace, each.key) for each in store.search((), limit=100)]
    assert every == [(namespace, key) for namespace, key, _ in reversed(PUT)]
    paged = [store.search((), limit=2, offset=start) for start in (0, 2, 4, 6)]
    assert [(each.namespace, each.key) for page in paged for each in page] == every


def test_a_query_finds_what_answers_it_within_the_prefix(engine: Open) -> None:
    memory = engine(embedder=HashEmbedder())
    store = filled(SmritiStore(memory))
    memory.wait_for_vectors()
    best = store.search(("users",), query="Who keeps bees?")[0]
    assert (best.namespace, best.key) == (("users", "bob"), "home")
    assert best.score > 0
    within = store.search(("users", "ann"), query="Who lives by the lake, and who keeps bees?")
    assert (within[0].namespace, within[0].key) == (("users", "ann"), "home")
    assert {each.namespace[1] for each in within} == {"ann"}
    assert store.search((), query="as it was", filter={"old": "as it was"}) == []


def test_a_filter_leaves_no_answer_out_that_lies_further_down(engine: Open) -> None:
    store = SmritiStore(engine())
    for number in range(12):
        store.put(("bees",), f"k{number}", {"text": "The bees hum.", "number": number})
    for number in range(12):
        (found,) = store.search(("bees",), query="bees", filter={"number": number}, limit=1)
        assert found.value["number"] == number


def test_what_is_not_to_be_indexed_is_found_by_no_query(engine: Open) -> None:
    store = SmritiStore(engine(), fields=["title"])
    store.put(("docs",), "a", {"title": "Kilns", "text": "glaze"})
    store.put(("docs",), "b", {"title": "Glaze"}, index=False)
    store.put(("docs",), "c", {"title": "Pots", "text": "glaze"}, index=["text"])
    assert [each.key for each in store.search(("docs",), query="glaze")] == ["c"]
    assert store.get(("docs",), "b").value == {"title": "Glaze"}  # type: ignore[union-attr]


def test_an_item_keeps_when_it_was_made(engine: Open) -> None:
    store = SmritiStore(engine())
    store.put(("docs",), "a", {"n": 1})
    first = store.get(("docs",), "a")
    store.put(("docs",), "a", {"n": 2})
    store.put(("docs",), "a", {"n": 3})
    last = store.get(("docs",), "a")
    assert first is not None
    assert last is not None
    assert first.created_at == first.updated_at == last.created_at < last.updated_at


def test_a_batch_reads_what_was_there_before_it_puts(engine: Open) -> None:
    store = SmritiStore(engine())
    asked: list[Op] = [
        PutOp(("docs",), "a", {"n": 1}),
        GetOp(("docs",), "a"),
        PutOp(("docs",), "a", {"n": 2}),
    ]
    assert asyncio.run(store.abatch(asked)) == [None, None, None]
    item = asyncio.run(store.aget(("docs",), "a"))
    assert item is not None
    assert item.value == {"n": 2}


def test_what_was_replaced_is_known_as_of_then_and_what_is_withheld_is_gone(engine: Open) -> None:
    memory = engine()
    store = SmritiStore(memory)
    store.put(("docs",), "a", {"text": "It is red."})
    store.put(("docs",), "a", {"text": "It is blue."})
    assert [turn.text for turn in memory.turns()] == ["It is blue."]
    (turn,) = memory.turns()
    assert turn.origin == "agent"
    memory.quarantine(turn=turn.position)
    assert store.get(("docs",), "a") is None
    assert store.search(("docs",)) == []


def test_namespaces_that_langgraph_refuses_and_operators_that_it_does_not_know(
    engine: Open,
) -> None:
    store = SmritiStore(engine())
    with pytest.raises(InvalidNamespaceError):
        store.put(("a.b",), "k", {})
    store.put(("a",), "k", {"n": 1})
    with pytest.raises(ValueError, match="no operator"):
        store.search(("a",), filter={"n": {"$like": 1}})
    with pytest.raises(NotImplementedError):
        store.put(("a",), "k", {"n": 1}, ttl=5.0)
