"""Arguments that mean nothing: each is refused as such, whatever it would do to a driver."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import IdempotencyConflict, InvalidInput, NotFound

HALF = "half \ud800"


@pytest.fixture
def memory(engine: Callable[..., Engine]) -> Engine:
    return engine(extractor=None)


@pytest.mark.parametrize(
    "ask",
    [
        lambda m: m.facts(HALF),
        lambda m: m.facts("a", HALF),
        lambda m: m.facts(object=HALF),
        lambda m: m.facts(entity=HALF),
        lambda m: m.facts(tags=[HALF]),
        lambda m: m.facts(5),
        lambda m: m.history(HALF),
        lambda m: m.diff(0, 0, subject=HALF),
        lambda m: m.search("x", tags=[HALF]),
        lambda m: m.search("x", sessions=[HALF]),
        lambda m: m.search("x", tags=5),
        lambda m: m.search("x", roles=5),
        lambda m: m.context("x", tags_any=[7]),
        lambda m: m.facts(scopes=5),
    ],
)
def test_a_name_that_is_no_text_is_refused(ask: Callable[[Any], Any], memory: Engine) -> None:
    with pytest.raises(InvalidInput):
        ask(memory)


@pytest.mark.parametrize("position", [10**30, -1, True, 1.5, "1", None])
@pytest.mark.parametrize("verb", ["explain", "retract", "end_fact", "retract_end"])
def test_what_is_no_position_is_refused(verb: str, position: Any, memory: Engine) -> None:
    with pytest.raises(InvalidInput, match="position"):
        getattr(memory, verb)(position)


@pytest.mark.parametrize("position", [10**30, -2, True, 1.5, "1"])
def test_a_page_begins_after_a_position(position: Any, memory: Engine) -> None:
    for read in (memory.turns, memory.sessions):
        with pytest.raises(InvalidInput, match="position"):
            read(after=position)
    with pytest.raises(InvalidInput, match="because"):
        memory.assert_fact("a", "likes", "b", because=[position])


@pytest.mark.parametrize("year", ["1564-04-26", "9999-12-31"])
def test_a_time_out_of_range_is_told_the_range(year: str, memory: Engine) -> None:
    with pytest.raises(InvalidInput, match="1684 to 2255"):
        memory.assert_fact("a", "likes", "b", valid_from=year)


@pytest.mark.parametrize(
    "other",
    [
        {"origin": "untrusted"},
        {"session_tags": ["x"]},
        {"session_metadata": {"level": 1}},
        {"tags": ["x"]},
        {"kind": "note"},
    ],
)
def test_an_idempotency_key_stands_for_everything_that_was_asked(
    other: dict[str, Any], memory: Engine
) -> None:
    asked: dict[str, Any] = {"session": "s", "idempotency_key": "k", "at": "2024"}
    memory.add("x", **asked)
    assert memory.add("x", **asked).repeated
    with pytest.raises(IdempotencyConflict):
        memory.add("x", **asked, **other)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"entities": "abc"}, "entities takes a list of names"),
        ({"entities": 5}, "entities takes a list of names"),
        ({"because": 5}, "because takes a list of positions"),
        ({"because": "5"}, "because takes a list of positions"),
    ],
)
def test_one_thing_where_a_list_is_meant_is_refused(
    given: dict[str, Any], message: str, memory: Engine
) -> None:
    with pytest.raises(InvalidInput, match=message) as refused:
        memory.assert_fact("a", "likes", "b", **given)
    assert refused.value.hint.startswith("Write ")


@pytest.mark.parametrize("start", [None, "5", 1.5, float("nan"), True, -1, 2**70])
def test_the_log_is_read_from_a_position(start: Any, memory: Engine) -> None:
    with pytest.raises(InvalidInput, match=r"^start is no position$"):
        memory.events(start)
    if start is not None:
        with pytest.raises(InvalidInput, match=r"^stop is no position$"):
            memory.events(0, start)


def test_only_a_mapping_names_what_to_leave_out(memory: Engine) -> None:
    with pytest.raises(InvalidInput, match=r"^5 names nothing$"):
        memory.replay(0, without=5)  # type: ignore[arg-type]


def test_what_nothing_is_named_by_is_told(memory: Engine) -> None:
    with pytest.raises(InvalidInput, match=r"^nothing can be named by 'a'$"):
        memory.quarantine(a=1)  # type: ignore[call-arg]


def test_there_is_nothing_to_step_over_where_all_is_folded(memory: Engine) -> None:
    with pytest.raises(InvalidInput, match="can step over nothing: it is up to date; 1000000000"):
        memory.skip("facts", 10**9, "x")


@pytest.mark.parametrize(
    ("ask", "field"),
    [
        (lambda m: m.search("x", k=0), "k"),
        (lambda m: m.context("x", budget=0), "budget"),
        (lambda m: m.turns(limit=0), "limit"),
        (
            lambda m: m.assert_fact("a", "likes", "b", valid_from="2024", valid_to="2023"),
            "valid_to",
        ),
    ],
)
def test_what_is_out_of_range_is_told_what_to_do(
    ask: Callable[[Any], Any], field: str, memory: Engine
) -> None:
    with pytest.raises(InvalidInput, match=f"^{field} ") as refused:
        ask(memory)
    assert refused.value.hint
    assert refused.value.field == field


def test_a_fact_that_is_not_there_is_told_where_positions_come_from(memory: Engine) -> None:
    with pytest.raises(NotFound) as refused:
        memory.explain(0)
    assert refused.value.hint == "engine.facts() and engine.history() give positions."
