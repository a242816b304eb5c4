"""Any function from texts to vectors can be an embedder."""

from typing import Any

import numpy as np
import pytest

from smriti_es.embedders import CallableEmbedder, Embedder
from smriti_es.events.errors import EmbedderError, InvalidInput
from smriti_es.events.guard import CallInsideTransaction, transaction_open


def lengths(texts: list[str]) -> list[list[float]]:
    return [[3.0 * len(text), 4.0 * len(text)] for text in texts]


def test_the_functions_vectors_come_back_with_unit_length() -> None:
    vectors = CallableEmbedder(lengths, model="lengths", dimension=2).embed(("a", "bb"))
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [pytest.approx([0.6, 0.8])] * 2


def test_the_identity_is_what_the_caller_says() -> None:
    embedder: Embedder = CallableEmbedder(
        lengths, model="lengths", dimension=2, revision="7", weak=True
    )
    assert embedder.weak
    assert embedder.identity.to_dict() == {
        "kind": "callable",
        "model": "lengths",
        "revision": "7",
        "dimension": 2,
        "pooling": "model",
        "normalised": True,
        "max_tokens": 0,
    }


def test_no_texts_need_no_call() -> None:
    def never(texts: list[str]) -> Any:
        raise AssertionError("called")

    assert CallableEmbedder(never, model="never", dimension=3).embed([]).shape == (0, 3)


def test_an_answer_of_another_dimension_names_both() -> None:
    embedder = CallableEmbedder(lengths, model="lengths", dimension=5)
    with pytest.raises(EmbedderError, match="vectors of 2 dimensions, expected 5"):
        embedder.embed(["a"])


def test_an_exception_of_the_function_becomes_an_embedder_error() -> None:
    def boom(texts: list[str]) -> Any:
        raise RuntimeError("out of memory")

    with pytest.raises(EmbedderError, match="RuntimeError: out of memory"):
        CallableEmbedder(boom, model="boom", dimension=2).embed(["a"])


def test_a_model_without_a_name_is_refused() -> None:
    with pytest.raises(InvalidInput, match="model must be printable text"):
        CallableEmbedder(lengths, model="", dimension=2)


def test_a_call_inside_a_write_transaction_is_refused() -> None:
    with transaction_open(), pytest.raises(CallInsideTransaction, match="lengths"):
        CallableEmbedder(lengths, model="lengths", dimension=2).embed(["a"])
