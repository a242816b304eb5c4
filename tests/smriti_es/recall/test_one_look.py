"""What a read must know of the projections it looks up once."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.engine import Engine


@pytest.mark.parametrize("verb", ["search", "context"])
def test_a_question_asks_once_which_generations_serve(
    engine: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    memory = engine()
    memory.add("I live in Pune.", session="s1")
    projector: Any = memory._opened.projector
    asked: list[Any] = []

    def serving(connection: Any, ask: Any = projector.serving) -> Any:
        asked.append(connection)
        return ask(connection)

    monkeypatch.setattr(projector, "serving", serving)
    getattr(memory, verb)("Where do I live?")
    assert len(asked) == 1
