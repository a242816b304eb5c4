"""A turn is found by a question in its own language, by words alone, and by no other question."""

from collections.abc import Callable
from pathlib import Path

import pytest

from smriti_es.engine import Engine

Open = Callable[..., Engine]

_TABLE = Path(__file__).with_name("languages.txt").read_text(encoding="utf-8")
_ROWS = [line.split(" | ") for line in _TABLE.splitlines() if not line.startswith("#")]
LANGUAGES = {name: (turn, question, other) for name, turn, question, other in _ROWS}


@pytest.mark.parametrize(("turn", "question", "other"), LANGUAGES.values(), ids=LANGUAGES)
def test_a_turn_is_found_in_its_own_language_and_by_no_other_question(
    engine: Open, turn: str, question: str, other: str
) -> None:
    memory = engine()
    memory.add(turn, session="a")
    memory.add("Nothing of the kind was heard by Rachel.", session="b")
    assert [hit.text for hit in memory.search(question)] == [turn]
    assert [hit.text for hit in memory.search(other)] == []


def test_the_best_of_many_languages_is_the_one_that_was_asked_in(engine: Open) -> None:
    memory = engine()
    for turn, _, _ in LANGUAGES.values():
        memory.add(turn, session="all")
    found = {name: memory.search(question)[0].text for name, (_, question, _) in LANGUAGES.items()}
    assert found == {name: turn for name, (turn, _, _) in LANGUAGES.items()}
