"""Turns may be read for facts more than once; what any reading said of erased content goes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.catalogue import ExtractionCompleted, ExtractionFailed
from smriti_es.events.errors import ExtractionError
from smriti_es.extraction.contract import Extraction, SourceTurn
from smriti_es.settings import Settings

Open = Callable[..., Engine]
BY_HAND = Settings(embed_in_background=False, extract_in_background=False)


@dataclass
class Stumbling:
    """Reads lines as facts; out of order at first, it says what it was about to say."""

    lines: Any
    immediate: bool = False
    name: str = "stumbling/1"
    model: str = "scripted"
    prompt_digest: str = ""
    stumbles: list[bool] = field(default_factory=lambda: [True])

    def extract(self, turns: Sequence[SourceTurn], *, timezone: str) -> Extraction:
        said = " ".join(turn.text for turn in turns)
        if self.stumbles and self.stumbles.pop():
            raise ExtractionError(f"cannot read {said!r}")
        return Extraction(self.lines.extract(turns, timezone=timezone).facts, replies=(said,))


@pytest.fixture
def memory(engine: Open, line_extractor: Callable[..., Any]) -> Engine:
    """Of Ana it was learned at the second attempt that she likes tea."""
    memory = engine(extractor=Stumbling(line_extractor()), settings=BY_HAND)
    memory.add("Ana | likes | tea", session="a")
    memory.extract_pending(retry=True)
    memory.extract_pending(retry=True)
    return memory


def readings(memory: Engine) -> list[bool]:
    """Tell of every attempt to read turns for facts whether its content is there."""
    types = {ExtractionCompleted.TYPE, ExtractionFailed.TYPE}
    return [each.event is not None for each in memory.events() if each.header.type in types]


def test_what_a_failed_attempt_said_goes_with_the_facts_of_the_next(memory: Engine) -> None:
    assert (readings(memory), [each.object for each in memory.facts()]) == ([True, True], ["tea"])
    memory.erase(entity="Ana")
    assert readings(memory) == [False, False]
    assert memory.verify().ok


def test_what_other_turns_were_read_for_stays(memory: Engine) -> None:
    memory.add("Bob | likes | coffee", session="b")
    memory.extract_pending()
    memory.erase(entity="Ana")
    assert readings(memory) == [False, False, True]
    assert [each.object for each in memory.facts()] == ["coffee"]


def test_a_turn_of_which_the_facts_were_erased_is_not_read_again(memory: Engine) -> None:
    memory.erase(entity="Ana")
    memory.extract_pending(retry=True)
    assert (memory.facts(), memory.status().extraction_failed) == ([], ())
