"""What properties over whole memories share."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine
from smriti_es.settings import Settings


def above_zero(texts: list[str]) -> list[list[float]]:
    """Vectors of which any two have a cosine above 0: the semantic channel compares every turn."""
    return [[1.0, 1.0 + len(text) % 5, 1.0 + sum(map(ord, text)) % 7] for text in texts]


@pytest.fixture(scope="module")
def shared(
    tmp_path_factory: pytest.TempPathFactory, empty_memory: bytes
) -> Iterator[Callable[..., Engine]]:
    """Open engines on one file that all examples of a module share; each uses its own sessions."""
    path: Path = tmp_path_factory.mktemp("shared") / "memory.db"
    path.write_bytes(empty_memory)
    opened: dict[tuple[tuple[str, object], ...], Engine] = {}

    def open_engine(*, semantic: bool = False, **options: Any) -> Engine:
        key = tuple(sorted({**options, "semantic": semantic}.items()))
        if key not in opened:
            embedder = CallableEmbedder(above_zero, model="above-zero", dimension=3)
            opened[key] = Engine.open(
                path,
                embedder=embedder if semantic else None,
                settings=Settings(embed_in_background=False),
                **options,
            )
        return opened[key]

    yield open_engine
    for engine in opened.values():
        engine.close()
