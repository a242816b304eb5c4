"""No vector is used that was not checked: one for each text, of one dimension, finite, not zero."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.embedders import EmbedderIdentity, embed_checked
from smriti_es.embedders.checked import checked_matrix
from smriti_es.events.errors import EmbedderError, InvalidInput, NotFound
from smriti_es.events.guard import CallInsideTransaction, transaction_open

NAN, INFINITY = float("nan"), float("inf")


class Scripted:
    """An embedder of two dimensions that returns what the test says."""

    weak = False
    identity = EmbedderIdentity("test", "scripted", "", 2, "model", True, 0)

    def __init__(self, embed: Callable[[Sequence[str]], Any]) -> None:
        self._embed = embed

    def embed(self, texts: Sequence[str]) -> Any:
        return self._embed(texts)


def returning(vectors: Any) -> Scripted:
    return Scripted(lambda texts: vectors)


def test_good_vectors_come_back_as_float32_of_unit_length() -> None:
    vectors = embed_checked(returning([[3, 4], [0, -2]]), ["a", "b"])
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0.0, -1.0]]


def test_no_texts_give_an_empty_matrix_of_the_embedders_dimension() -> None:
    vectors = embed_checked(returning([]), [])
    assert vectors.shape == (0, 2)
    assert vectors.dtype == np.float32


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[1, 0]], "the embedder returned 1 vectors for 2 texts"),
        ([[1, 0]] * 3, "the embedder returned 3 vectors for 2 texts"),
        ([[1, 0, 0]] * 2, "the embedder returned vectors of 3 dimensions, expected 2"),
        ([[1, 0], [1]], "the embedder returned vectors of 1 and 2 dimensions in one answer"),
        ([[1, 0], None], "the embedder's vector for text 1 is null"),
        ([None, None], "the embedder's vector for text 0 is null"),
        ([[1, 0], [1, NAN]], "the embedder's vector for text 1 holds a number that is not finite"),
        (
            [[INFINITY, 0], [1, 0]],
            "the embedder's vector for text 0 holds a number that is not fin",
        ),
        ([[1, 0], [1, None]], "the embedder's vector for text 1 holds a number that is not finite"),
        ([[1, 0], [0, 0]], "the embedder's vector for text 1 is all zeros"),
        ([1.0, 0.0], "the embedder's vector for text 0 is no list of numbers"),
        ([[], []], "the embedder's vector for text 0 is no list of numbers"),
        (["AACAPw==", "AACAPw=="], "the embedder's vector for text 0 is no list of numbers"),
        ([["x", "y"]] * 2, "the embedder returned vectors that do not consist of numbers"),
        (np.ones((2, 1, 2)), "the embedder returned vectors that do not consist of numbers"),
        (None, "the embedder returned NoneType, not a sequence of vectors"),
        (np.float32(1), "the embedder returned float32, not a sequence of vectors"),
    ],
)
def test_an_unusable_answer_is_refused_and_named(vectors: Any, message: str) -> None:
    with pytest.raises(EmbedderError) as caught:
        embed_checked(returning(vectors), ["a", "b"])
    assert str(caught.value).startswith(message)
    assert not caught.value.retryable


def test_a_wrong_dimension_tells_both_values_and_what_to_do() -> None:
    with pytest.raises(EmbedderError) as caught:
        embed_checked(returning([[1, 0, 0]]), ["a"])
    assert (caught.value.expected, caught.value.found) == (2, 3)
    assert "switch the log to the new embedder" in caught.value.hint


@pytest.mark.parametrize("kind", [np.float16, np.float64, np.int8, np.uint8])
def test_another_numeric_type_is_converted(kind: type[np.generic]) -> None:
    vectors = embed_checked(returning(np.array([[3, 4]], kind)), ["a"])
    assert vectors.dtype == np.float32
    assert vectors[0].tolist() == pytest.approx([0.6, 0.8])


@pytest.mark.parametrize("size", [1e-300, 1e-40, 1e40, 1e300])
def test_vectors_of_extreme_length_are_scaled_without_overflow(size: float) -> None:
    assert checked_matrix([[3 * size, 4 * size]], count=1, dimension=2)[0].tolist() == (
        pytest.approx([0.6, 0.8])
    )


@given(
    st.lists(
        st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3).filter(any), min_size=1, max_size=8
    )
)
def test_every_checked_vector_has_unit_length_and_keeps_its_direction(
    rows: list[list[float]],
) -> None:
    vectors = checked_matrix(rows, count=len(rows), dimension=None).astype(np.float64)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-6)
    assert (np.sign(vectors) * np.sign(rows) >= 0).all()


def test_the_embedders_own_array_is_not_changed() -> None:
    array = np.array([[3.0, 4.0]])
    embed_checked(returning(array), ["a"])
    assert array.tolist() == [[3.0, 4.0]]


def test_one_text_instead_of_a_list_is_refused() -> None:
    with pytest.raises(InvalidInput, match="one text, not a sequence"):
        embed_checked(returning([[1, 0]]), "a")


def test_whatever_an_embedder_raises_comes_back_as_an_embedder_error() -> None:
    def fail(texts: Sequence[str]) -> Any:
        raise ZeroDivisionError("boom")

    with pytest.raises(EmbedderError, match="ZeroDivisionError: boom") as caught:
        embed_checked(Scripted(fail), ["a"])
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_an_error_of_the_library_passes_unchanged() -> None:
    missing = NotFound("no such file")

    def fail(texts: Sequence[str]) -> Any:
        raise missing

    with pytest.raises(NotFound) as caught:
        embed_checked(Scripted(fail), ["a"])
    assert caught.value is missing


def test_embedding_inside_a_write_transaction_is_refused_before_the_call() -> None:
    asked: list[Sequence[str]] = []
    with transaction_open(), pytest.raises(CallInsideTransaction):
        embed_checked(Scripted(asked.append), ["a"])
    assert asked == []
