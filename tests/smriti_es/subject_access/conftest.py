"""A memory that holds something on Rachel, and ways to look at what is exported of it."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.extraction.chat import Message, Reply
from smriti_es.extraction.contract import Extraction, SourceTurn


@dataclass
class Replying:
    """Reads lines as facts, as a model whose reply is kept, and knows who "She" is."""

    lines: Any
    immediate: bool = True
    name: str = "replying/1"
    model: str = "scripted"
    prompt_digest: str = ""

    def extract(self, turns: Sequence[SourceTurn], *, timezone: str) -> Extraction:
        read = self.lines.extract(turns, timezone=timezone)
        facts = tuple(
            replace(fact, subject="Rachel") if fact.subject == "She" else fact
            for fact in read.facts
        )
        reply = "; ".join(fact.statement for fact in facts)
        return Extraction(facts, replies=(reply,) if reply else ())


class Summing:
    """A model that writes one sentence, whatever it is asked."""

    model = "scripted"

    def __init__(self, text: str) -> None:
        self.text = text

    def complete(self, messages: Sequence[Message], *, json_mode: bool) -> Reply:
        return Reply(self.text, {"calls": 1})


@pytest.fixture(scope="session")
def summing() -> Callable[[str], Summing]:
    """Make a model that writes one sentence."""
    return Summing


@dataclass(frozen=True)
class Held:
    """A memory and what was told it, by position."""

    memory: Engine
    said: dict[str, int]


@pytest.fixture
def held(engine: Callable[..., Engine], line_extractor: Callable[..., Any]) -> Held:
    """A memory that holds something on Rachel in every state, and something on Tom."""
    memory = engine(extractor=Replying(line_extractor()), receipts=True)
    lines = [
        {"role": "user", "name": "Rachel", "content": "Tom | owns | a boat"},
        {"role": "user", "content": "She | works_at | Acme"},
        {"role": "user", "content": "It rained. I met Dr. Rachel Green's sister. We ate."},
        {"role": "user", "content": "Tom | lives_in | Rome"},
    ]
    hers, source, named, his = memory.add(lines, session="s1", at="2026-01-15").positions
    said = {"hers": hers, "source": source, "named": named, "his": his}
    said["old"] = memory.assert_fact("Rachel", "lives_in", "Pune", valid_from="2024-01-01")
    said["new"] = memory.assert_fact("RACHEL", "lives_in", "Oslo", valid_from="2026-01-01")
    said["proposed"] = memory.assert_fact("Rachel", "lives_in", "Rome", origin="agent")
    said["rejected"] = memory.assert_fact("Rachel", "lives_in", "Lima", origin="agent")
    memory.reject(said["rejected"], reason="made up")
    said["retracted"] = memory.assert_fact("Rachel", "likes", "chess", multi=True)
    memory.retract(said["retracted"], reason="a mix-up")
    said["withheld"] = memory.assert_fact("Rachel", "likes", "snakes", multi=True)
    memory.quarantine(fact=said["withheld"], reason="somebody else spoke")
    memory.context("Where does Rachel live?")
    return Held(memory, said)


@pytest.fixture
def exported(tmp_path: Path) -> Callable[..., list[dict[str, Any]]]:
    """Export what is held on somebody as JSON Lines, and give the lines."""

    def export(memory: Engine, about: str = "Rachel", **options: Any) -> list[dict[str, Any]]:
        number = len(list(tmp_path.glob("about-*.jsonl")))
        written = memory.export(tmp_path / f"about-{number}.jsonl", about=about, **options)
        return [json.loads(line) for line in Path(written.path).read_text("utf-8").splitlines()]

    return export
