"""Arguments that mean nothing: each is refused as such, whatever it would do to a driver."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import IdempotencyConflict, InvalidInput

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
