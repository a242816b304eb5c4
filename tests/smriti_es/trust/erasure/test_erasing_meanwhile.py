"""What somebody is making of content while it is erased is not recorded."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es import receipts
from smriti_es.embedders import Embedder
from smriti_es.engine import Engine
from smriti_es.events.catalogue import ArbitrationDecided, ContextServed
from smriti_es.extraction.arbitration import Verdict
from smriti_es.extraction.contract import Extraction

Open = Callable[..., Engine]


def values(memory: Engine) -> list[str]:
    return sorted(fact.object for fact in memory.facts(statuses=None, scopes=None))


def test_turns_are_not_extracted_after_they_were_erased(
    engine: Open, line_extractor: Callable[..., Any]
) -> None:
    memory = engine()

    class Overtaken:
        immediate = True
        name = "overtaken/1"
        model = ""
        prompt_digest = ""

        def extract(self, turns: Any, *, timezone: str) -> Extraction:
            if len(turns) == 2:
                memory.erase(turn=turns[0].position)
            return line_extractor().extract(turns, timezone=timezone)  # type: ignore[no-any-return]

    other = engine(extractor=Overtaken())
    other.add(["Ana | keeps | bees", "Ana | plays | the oboe"], session="s1")
    other.extract_pending()
    assert values(other) == ["the oboe"]
    assert other.verify().ok


def test_a_verdict_on_what_was_erased_meanwhile_repeats_nothing_of_it(
    engine: Open, line_extractor: Callable[..., Any], embedder: Embedder
) -> None:
    memory = engine(extractor=line_extractor(), embedder=embedder)
    memory.add("Ana | likes | strong coffee", session="s1")

    class Overtaken:
        model = "scripted"

        def decide(self, new: Any, candidates: Any) -> Verdict:
            memory.erase(session="s1")
            return Verdict("supersede", 0, reply=f"{new.object} replaces {candidates[0].object}")

    other = engine(extractor=line_extractor(), embedder=embedder, arbiter=Overtaken())
    other.add("Ana | likes | strong tea", session="s2")
    (decided,) = [
        each.event for each in other.events() if isinstance(each.event, ArbitrationDecided)
    ]
    assert (decided.reply, decided.candidates, decided.action) == ("", (), "add")
    assert values(other) == ["strong tea"]
    assert other.verify().ok


def test_an_answer_with_what_was_erased_meanwhile_leaves_no_receipt(
    engine: Open, line_extractor: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = engine(extractor=line_extractor(), receipts=True)
    memory.add("Ana | keeps | bees", session="s1")
    items = receipts._items

    def overtaken(answer: Any) -> tuple[int, ...]:
        engine().erase(session="s1")
        return items(answer)

    monkeypatch.setattr(receipts, "_items", overtaken)
    assert "bees" in memory.context("What does Ana keep?").text
    assert not any(isinstance(each.event, ContextServed) for each in memory.events())
