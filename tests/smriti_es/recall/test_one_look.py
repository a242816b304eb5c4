"""What a read must know of the projections it looks up once."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.reading import TurnReader
from smriti_es.recall.evidence import PackSettings
from smriti_es.settings import Settings


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


def test_what_a_search_and_a_context_see_alike_is_kept_once(engine: Callable[..., Engine]) -> None:
    memory = engine()
    memory.add("I live in Pune.", session="s1")
    memory.search("Where do I live?")
    memory.context("Where do I live?")
    memory.search("Where do I live?", roles=["assistant"])
    kept = [each.turns for each in memory._opened.reader.visible._kept.values()]
    assert sorted(len(turns) for turns in kept) == [0, 1, 1]
    assert len({id(turns) for turns in kept}) == 2


@pytest.mark.parametrize(("words", "reads"), [(2, [75, 75]), (60, [75])])
def test_a_context_reads_on_only_while_what_it_read_would_not_fill_it(
    engine: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch, words: int, reads: list[int]
) -> None:
    memory = engine(extractor=None, settings=Settings(packing=PackSettings(neighbours=0)))
    memory.add([f"Pune {number} {'again ' * words}" for number in range(200)], session="s1")
    by_position = TurnReader.by_position
    read: list[int] = []

    def counting(self: TurnReader, wanted: Iterable[int]) -> Any:
        some = list(wanted)
        read.append(len(some))
        return by_position(self, some)

    monkeypatch.setattr(TurnReader, "by_position", counting)
    text = memory.context("Pune", budget=9_000).text
    assert read == reads
    assert (len(text) > 8_500) == (words == 60)
