"""An extractor that takes its time: nobody waits for it, and closing waits for little."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.extraction.contract import Extraction, SourceTurn
from smriti_es.settings import Settings

Open = Callable[..., Engine]
Extracting = Callable[..., Any]
OSLO = "Rachel | lives_in | Oslo"
BY_HAND = Settings(embed_in_background=False, extract_in_background=False)


class Slow:
    """An extractor that takes as long as the test wants: it waits for a go at each call."""

    name, model, prompt_digest, immediate = "slow/1", "", "", False

    def __init__(self, extractor: Any) -> None:
        self.extractor = extractor
        self.asked = threading.Semaphore(0)
        self.go = threading.Semaphore(0)

    def extract(self, turns: Sequence[SourceTurn], *, timezone: str) -> Extraction:
        self.asked.release()
        assert self.go.acquire(timeout=30)
        found: Extraction = self.extractor.extract(turns, timezone=timezone)
        return found


@pytest.fixture
def slow(line_extractor: Extracting) -> Slow:
    return Slow(line_extractor())


def test_a_slow_extractor_keeps_nobody_waiting(engine: Open, slow: Slow, objects: Any) -> None:
    memory = engine(extractor=slow, settings=Settings(embed_in_background=False))
    added = memory.add(OSLO, session="a")
    assert added.facts == ()
    assert slow.asked.acquire(timeout=30)
    assert objects(memory) == []
    assert memory.status().extraction_behind == 1
    slow.go.release(9)
    memory.extract_pending()
    assert objects(memory) == ["Oslo"]
    assert memory.status().extraction_behind == 0


def test_closing_waits_for_the_session_in_hand_and_no_other(
    engine: Open, slow: Slow, objects: Any
) -> None:
    settings = Settings(embed_in_background=False)
    memory = engine(extractor=slow, settings=settings)
    for number in range(3):
        memory.add(f"user | likes | thing {number}", session=f"s{number}")
    assert slow.asked.acquire(timeout=30)
    closing = threading.Thread(target=memory.close)
    closing.start()
    slow.go.release()
    closing.join(timeout=30)
    assert not closing.is_alive()
    assert not slow.asked.acquire(blocking=False)
    slow.go.release(9)
    memory = engine(extractor=slow, settings=BY_HAND)
    assert objects(memory) == ["thing 0"]
    assert len(memory.extract_pending()) == 2
    assert slow.extractor.seen == [(2,), (4,), (6,)]


def test_a_slow_extractor_may_be_run_by_hand_alone(engine: Open, slow: Slow, objects: Any) -> None:
    slow.go.release(9)
    memory = engine(extractor=slow, settings=BY_HAND)
    memory.add(OSLO, session="a")
    assert objects(memory) == []
    assert memory.status().extraction_behind == 1
    assert len(memory.extract_pending()) == 1
