"""Inputs that other memories got wrong: embedders and indexes (BC-34 to BC-41, BC-86)."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sqlalchemy import inspect

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


def test_another_dimension_is_noticed_and_a_switch_takes_it_over(engine: Open) -> None:
    memory = engine(embedder=letters(8))
    memory.add("The kiln is hot.", session="plant", wait_for="vectors")
    memory.close()
    memory = engine(embedder=letters(12))
    before = memory.search("kiln")
    assert [hit.text for hit in before] == ["The kiln is hot."]
    assert "another embedder, letters-8" in before.degraded[0]
    memory.switch_embedder(letters(12))
    after = memory.search("kiln")
    assert after.degraded == ()
    assert "semantic" in after[0].channels


def test_what_was_withheld_replaced_or_proposed_has_vectors_of_the_new_embedder_when_it_returns(
    engine: Open,
) -> None:
    memory = engine(embedder=letters(8))
    memory.add("The kiln is hot.", session="plant")
    turn = memory.turns()[-1].position
    old = memory.assert_fact("Ana", "lives_in", "Oslo", valid_from="2024")
    memory.assert_fact("Ana", "lives_in", "Pune", valid_from="2025")
    retracted = memory.assert_fact("Ana", "likes", "kilns", multi=True)
    proposed = memory.assert_fact("Ana", "lives_in", "Bergen", valid_from="2026", origin="agent")
    quarantines = [memory.quarantine(turn=turn), memory.quarantine(fact=old)]
    memory.wait_for_vectors()
    memory.switch_embedder(letters(12))
    memory.retract(retracted)
    for each in quarantines:
        memory.release(each)
    memory.approve(proposed)
    memory.wait_for_vectors()
    found = memory.search("Where in Oslo, Pune or Bergen does Ana live?", history=True, k=20)
    assert found.degraded == ()
    semantic = {hit.position for hit in found if "semantic" in hit.channels}
    assert {turn, old, proposed} <= semantic
    assert (memory.status().vectors, memory.status().pending) == (5, 0)
    assert memory.verify().ok


def test_every_table_that_holds_vectors_is_of_the_generation_that_is_switched(
    engine: Open,
) -> None:
    memory = engine(embedder=letters(8))
    memory.add("The kiln is hot.", session="plant", wait_for="vectors")
    memory.switch_embedder(letters(12))
    with memory._opened.database.read() as connection:
        names = inspect(connection).get_table_names()
    holding = {name for name in names if "vector" in name}
    assert holding == {"vector_v2_g2", "vector_failure_v2_g2", "token_vector_v2_g2"}


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
