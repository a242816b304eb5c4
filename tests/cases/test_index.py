"""Inputs that other memories got wrong: embedders and indexes (BC-34 to BC-41)."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine

Open = Callable[..., Engine]


def letters(
    dimension: int, *, refuses: str | None = None, longest: int = 10**9
) -> CallableEmbedder:
    """An embedder by letters; refuses one word, and texts of more words than it can read."""

    def embed(texts: Sequence[str]) -> Any:
        for text in texts:
            if refuses is not None and refuses in text:
                raise ValueError(f"cannot embed {refuses}")
            if len(text.split()) > longest:
                raise ValueError("text is too long")
        return np.array(
            [[1 + text.lower().count(chr(97 + n)) for n in range(dimension)] for text in texts],
            np.float32,
        )

    return CallableEmbedder(embed, model=f"letters-{dimension}", dimension=dimension)


def test_another_dimension_is_noticed_and_a_rebuild_takes_it_over(engine: Open) -> None:
    memory = engine(embedder=letters(8))
    memory.add("The kiln is hot.", session="plant", wait_for="vectors")
    memory.close()
    memory = engine(embedder=letters(12))
    before = memory.search("kiln")
    assert [hit.text for hit in before] == ["The kiln is hot."]
    assert "another embedder" in before.degraded[0]
    memory.rebuild("vectors")
    after = memory.search("kiln")
    assert after.degraded == ()
    assert "semantic" in after[0].channels


def test_a_text_that_cannot_be_embedded_keeps_nobody_else_waiting(engine: Open) -> None:
    memory = engine(embedder=letters(8, refuses="boom"))
    memory.add("boom", session="plant")
    memory.add("fine weather", session="plant")
    memory.wait_for_vectors()
    assert memory.search("fine")[0].text == "fine weather"
    status = memory.status()
    assert [reason for _, reason in status.failed] != []
    assert status.vectors == 1


def test_what_failed_is_tried_again(engine: Open) -> None:
    memory = engine(embedder=letters(8, refuses="boom"))
    memory.add("boom", session="plant")
    memory.wait_for_vectors()
    memory.close()
    memory = engine(embedder=letters(8))
    memory.wait_for_vectors()
    assert memory.status().failed == ()
    assert memory.status().vectors == 1


def test_a_sentence_deep_in_a_very_long_turn_is_found(engine: Open) -> None:
    memory = engine(embedder=letters(8, longest=500))
    words = ["filler"] * 60_000
    words[40_000] = "The spare key is under pot nine."
    memory.add(" ".join(words), session="garden")
    memory.add("Something else entirely.", session="garden")
    memory.wait_for_vectors()
    assert memory.status().failed == ()
    best = memory.search("where is the spare key")[0]
    assert "under pot nine" in best.text
    assert "under pot nine" in memory.context("where is the spare key", budget=600).text
