"""What was said in the very same words again comes after everything that says something else."""

from collections.abc import Callable

import pytest

from smriti_es.engine import Engine

CLOSED = "The workshop is closed on Sundays."
KEY = "The workshop key hangs by the door."


@pytest.fixture
def memory(engine: Callable[..., Engine]) -> Engine:
    """Six sessions in which the same was said, and one that says where the key is."""
    memory = engine(":memory:", extractor=None)
    for number in range(6):
        memory.add(CLOSED, session=f"s{number}", at=f"2026-01-0{number + 1}")
    memory.add(KEY, session="key", at="2026-02-01")
    return memory


def test_a_search_gives_it_once_before_it_gives_it_again(memory: Engine) -> None:
    found = memory.search("workshop Sundays and key", k=4)
    assert {hit.text for hit in found.hits[:2]} == {CLOSED, KEY}
    assert [hit.text for hit in found.hits[2:]] == [CLOSED, CLOSED]
    assert [hit.rank for hit in found] == [1, 2, 3, 4]


def test_a_search_is_no_shorter_for_it(memory: Engine) -> None:
    assert len(memory.search("workshop", k=20)) == 7


def test_a_small_context_has_room_for_what_says_something_else(memory: Engine) -> None:
    shown = memory.context("tell me about the workshop", budget=250).text
    assert KEY in shown
    assert CLOSED in shown


def test_the_same_words_of_two_speakers_are_two_things(engine: Callable[..., Engine]) -> None:
    memory = engine(":memory:", extractor=None)
    for name in ("Ana", "Ben"):
        memory.add({"role": name, "content": "I like tea."}, session=name)
    memory.add("Tea is served at five.", session="c")
    names = {hit.turn and hit.turn.name for hit in memory.search("like tea", k=2)}
    assert names == {"Ana", "Ben"}
