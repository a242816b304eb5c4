"""Embedders to switch between: by letters, of any length, and told what to do meanwhile."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from smriti_es import CallableEmbedder, Engine
from smriti_es.embedders import FloatMatrix
from smriti_es.embedders.tokens import TokenVectors
from smriti_es.projections.vectors.tables import vector_tables


class Letters(CallableEmbedder):
    """Counts letters; the first of the alphabet, as many as it has dimensions.

    Attributes:
        asked: Every text that it was given, in order.
        meanwhile: Called with the texts of each call, before they are embedded.
        token_space: None: it gives no token vectors.
    """

    def __init__(self, dimension: int, endpoint: str | None = None) -> None:
        self.asked: list[str] = []
        self.meanwhile: Callable[[Sequence[str]], object] = len
        self.token_space: str | None = None
        model = f"letters-{dimension}"
        super().__init__(self._counts, model=model, dimension=dimension, endpoint=endpoint)
        self._length = dimension

    def _counts(self, texts: Sequence[str]) -> Any:
        self.asked.extend(texts)
        self.meanwhile(texts)
        return [
            [1 + 3 * text.lower().count(chr(97 + letter)) for letter in range(self._length)]
            for text in texts
        ]

    def embed_tokens(self, texts: Sequence[str]) -> tuple[FloatMatrix, list[TokenVectors]]:
        """Embed texts, and each as one token."""
        vectors = self.embed(texts)
        return vectors, [
            TokenVectors(vector.reshape(1, -1), ((0, len(text)),))
            for text, vector in zip(texts, vectors, strict=True)
        ]


@pytest.fixture
def letters() -> Callable[..., Letters]:
    """Make an embedder by letters, of so many dimensions."""
    return Letters


@pytest.fixture
def stored() -> Callable[[Engine, int], dict[int, int]]:
    """Give the position of each vector of a generation, and how many dimensions it has."""

    def read(memory: Engine, generation: int) -> dict[int, int]:
        table = vector_tables(generation).vector
        with memory._opened.database.read() as connection:
            rows = connection.execute(table.select().order_by(table.c.position)).all()
        return {row.position: len(np.frombuffer(row.vector, np.float16)) for row in rows}

    return read
