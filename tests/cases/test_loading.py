"""Inputs that other memories got wrong: what is said is there at once (BC-90, BC-92)."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.recording import SessionInput
from smriti_es.settings import Settings

Open = Callable[..., Engine]


def test_bc_90_nobody_waits_for_a_model_and_words_are_found_meanwhile(
    engine: Open, line_extractor: Callable[..., Any]
) -> None:
    answering = threading.Event()
    asked: list[int] = []

    class Slow(line_extractor):  # type: ignore[misc, valid-type]
        def extract(self, turns: Sequence[Any], *, timezone: str) -> Any:
            asked.append(len(turns))
            assert answering.wait(60)
            return super().extract(turns, timezone=timezone)

    memory = engine(extractor=Slow(immediate=False), settings=Settings(embed_in_background=False))
    text = "The spare key is under pot nine. " + "Nothing else happened. " * 2_000
    added = memory.add(text, session="s1")  # returns, though no model has answered
    (hit,) = memory.search("spare key")
    assert (hit.position,) == added.positions
    assert not memory.status().extraction_failed
    answering.set()
    memory.close()
    assert len(asked) <= 1


def test_bc_92_a_bulk_load_flushes_once_for_many_sessions_and_asks_no_model(
    engine: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = engine(extractor=None)
    database = memory._opened.database
    flushes: list[int] = []
    write = type(database).write

    def counted(self: Any, log: int | None = None) -> Any:
        flushes.append(1)
        return write(self, log)

    monkeypatch.setattr(type(database), "write", counted)
    memory.add_many(
        [
            SessionInput(messages=f"Fact number {number} of many.", session=f"s{number}")
            for number in range(1_000)
        ]
    )
    assert len(flushes) < 20
    assert [hit.text for hit in memory.search("number 777 of many", k=1)] == [
        "Fact number 777 of many."
    ]
