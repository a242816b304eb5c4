"""How fast a memory is switched to another embedder, beside what its model can do by itself."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.synthetic import synthetic_sessions
from smriti_es import Engine, HashEmbedder, MiniLMEmbedder, Settings
from smriti_es.embedders.tokens import embed_tokens_checked


def measure_reembedding(folder: Path, turns: int, model: MiniLMEmbedder) -> Mapping[str, Any]:
    """Embed the texts of a memory with the model alone, and switch the memory to it.

    The model alone is given all texts in one call, which is what it is fastest with: it sorts them
    by length. Both make token vectors. Processor time is told, too, for a machine that is shared.

    Args:
        folder: Where to make the memory.
        turns: How many turns.
        model: The model, loaded.
    """
    quiet = Settings(embed_in_background=False)
    with Engine.open(
        folder / "memory.db", embedder=HashEmbedder(), extractor=None, settings=quiet
    ) as memory:
        memory.add_many([session.as_input() for session in synthetic_sessions(turns)])
        memory.wait_for_vectors()
        texts = [turn.text for turn in memory.turns(limit=turns)]
        assert len(texts) == turns
        started, processor = time.perf_counter(), time.process_time()
        embed_tokens_checked(model, texts)
        alone, alone_processor = time.perf_counter() - started, time.process_time() - processor
        started, processor = time.perf_counter(), time.process_time()
        switch = memory.switch_embedder(model)
        whole, whole_processor = time.perf_counter() - started, time.process_time() - processor
    assert (switch.items, switch.failed) == (turns, 0)
    return {
        "model_alone_per_s": turns / alone,
        "switch_per_s": turns / whole,
        "share_of_the_model": alone / whole,
        "model_alone_per_processor_s": turns / alone_processor,
        "switch_per_processor_s": turns / whole_processor,
        "share_of_the_model_in_processor_time": alone_processor / whole_processor,
    }
