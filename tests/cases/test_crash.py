"""What went wrong for others when work is cut short. BC-80 stands in tests/crash as well."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.extraction.contract import Extraction, SourceTurn
from smriti_es.settings import Settings

SEAT = "user | wants | a window seat"
BY_HAND = Settings(embed_in_background=False, extract_in_background=False)


class Interrupted:
    """An extractor that works in the background; its first call is cancelled half-way."""

    name, model, prompt_digest, immediate = "interrupted/1", "", "", False

    def __init__(self, extractor: Any) -> None:
        self.extractor = extractor
        self.cancelled = False

    def extract(self, turns: Sequence[SourceTurn], *, timezone: str) -> Extraction:
        found: Extraction = self.extractor.extract(turns, timezone=timezone)
        if not self.cancelled:
            self.cancelled = True
            raise KeyboardInterrupt
        return found


def test_bc_80_a_damaged_file_is_named_with_the_first_bad_position_and_the_remedy(
    tmp_path: Path, damage_page: Callable[[Path, bytes | int], None]
) -> None:
    path = tmp_path / "memory.db"
    with Engine.open(path, embedder=None, extractor=None) as memory:
        for number in range(30):
            memory.add(f"line {number:03} {'x' * 300}", session="s1")
    damage_page(path, b"line 020")
    with Engine.open(path, embedder=None, read_only=True) as memory:
        report = memory.verify()
    assert not report.ok
    first = report.log.findings[0].position
    assert first is not None
    assert first <= 22
    assert str(report.log.findings[0]) == (
        f"position {first}, payload: cannot be read: database disk image is malformed"
    )
    assert "Page" in str(report.file)


def test_bc_82_a_turn_is_found_at_once_and_its_facts_when_they_are_waited_for(
    engine: Callable[..., Engine], line_extractor: Callable[..., Any]
) -> None:
    extractor = Interrupted(line_extractor())
    extractor.cancelled = True
    memory = engine(extractor=extractor, settings=BY_HAND)
    memory.add(SEAT, session="s1")
    assert [hit.text for hit in memory.search("window seat")] == [SEAT]
    memory.add("And a blanket.", session="s1", wait_for="facts")
    assert [fact.object for fact in memory.facts("user", "wants")] == ["a window seat"]


def test_bc_82_a_cancelled_extraction_leaves_nothing_half_and_is_done_once_more(
    engine: Callable[..., Engine], line_extractor: Callable[..., Any]
) -> None:
    extractor = Interrupted(line_extractor())
    memory = engine(extractor=extractor, settings=BY_HAND)
    with pytest.raises(KeyboardInterrupt):
        memory.add(SEAT, session="s1", wait_for="facts")
    assert memory.facts() == []
    assert memory.status().extraction_behind == 1
    memory.add("And a blanket.", session="s2", wait_for="facts")
    assert [fact.object for fact in memory.facts()] == ["a window seat"]
    assert extractor.extractor.seen == [(2,), (2,), (4,)]
