"""Token vectors: of which tokens, in which space, in one call with the vector of the text."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from smriti_es.embedders import FloatMatrix, HashEmbedder, OnnxEmbedder
from smriti_es.embedders import minilm as installed
from smriti_es.embedders.fit_token_projection import fit_projection, words_of
from smriti_es.embedders.minilm import MiniLMEmbedder
from smriti_es.embedders.tokens import (
    PooledOnly,
    TokenVectors,
    embed_tokens_checked,
    token_space_of,
)
from smriti_es.events.errors import EmbedderError, NotFound

WriteModel = Callable[..., Path]
# The tiny model: red = (1, 0), green = (0, 1), blue = (3, 4), unknown = (0, -1).


def test_each_word_has_its_vector_at_unit_length_and_its_place(tiny_model: WriteModel) -> None:
    vectors, (tokens,) = OnnxEmbedder(tiny_model()).embed_tokens(["red, blue"])
    assert tokens.spans == ((0, 3), (5, 9))
    assert tokens.vectors.tolist() == [[1.0, 0.0], pytest.approx([0.6, 0.8])]
    assert vectors.tolist() == OnnxEmbedder(tiny_model(name="other")).embed(["red, blue"]).tolist()


def test_a_text_of_nothing_but_marks_keeps_their_vectors(tiny_model: WriteModel) -> None:
    _, (marks, nothing) = OnnxEmbedder(tiny_model()).embed_tokens(["?!", ""])
    assert marks.vectors.tolist() == [[0.0, -1.0]]
    assert nothing.spans == ()


def test_texts_of_a_batch_keep_their_order(tiny_model: WriteModel) -> None:
    texts = ["red", "green green green", "blue", "red green"]
    _, tokens = OnnxEmbedder(tiny_model(), batch_size=2).embed_tokens(texts)
    assert [len(each.spans) for each in tokens] == [1, 3, 1, 2]
    assert tokens[2].vectors.tolist() == [pytest.approx([0.6, 0.8])]


def test_a_model_that_pools_by_itself_has_no_token_vectors(tiny_model: WriteModel) -> None:
    assert token_space_of(OnnxEmbedder(tiny_model(pooled=(1,)))) is None
    assert token_space_of(HashEmbedder()) is None
    assert token_space_of(OnnxEmbedder(tiny_model(name="other"))) is not None


def test_an_embedder_can_be_kept_from_giving_them(tiny_model: WriteModel) -> None:
    whole = OnnxEmbedder(tiny_model())
    kept = PooledOnly(whole)
    assert token_space_of(kept) is None
    assert (kept.identity, kept.weak, kept.endpoint) == (whole.identity, False, None)
    assert kept.embed(["red"]).tolist() == [[1.0, 0.0]]


def test_a_projection_makes_another_space(tiny_model: WriteModel, tmp_path: Path) -> None:
    folder, file = tiny_model(), tmp_path / "projection.npy"
    np.save(file, np.array([[0.0], [1.0]], np.float16))
    projected = OnnxEmbedder(folder, token_projection=file)
    assert projected.token_space != OnnxEmbedder(folder).token_space
    _, (tokens,) = projected.embed_tokens(["blue"])
    assert tokens.vectors.tolist() == [[1.0]]


def test_a_projection_that_is_not_there_is_named(tiny_model: WriteModel, tmp_path: Path) -> None:
    with pytest.raises(NotFound) as caught:
        OnnxEmbedder(tiny_model(), token_projection=tmp_path / "none.npy")
    assert caught.value.file == str(tmp_path / "none.npy")


def test_a_projection_is_fitted_to_the_words_whatever_their_order(tiny_model: WriteModel) -> None:
    embedder = OnnxEmbedder(tiny_model())
    words = ["red", "blue", "green"]
    fitted = fit_projection(embedder, words)
    assert fitted.tolist() == fit_projection(embedder, words[::-1]).tolist()
    # red red' + green green' + blue blue' = [[1.36, 0.48], [0.48, 1.64]]: its axes by hand.
    first = np.array([0.48, 2.0 - 1.36])
    assert fitted[:, 0].tolist() == pytest.approx(
        (first / np.linalg.norm(first)).tolist(), abs=1e-3
    )


def test_only_whole_words_of_letters_are_fitted_to() -> None:
    assert words_of(["red", "##ed", "[CLS]", "a", "10", "naïve"]) == ["red"]


class Saying:
    """An embedder that returns what it was given to return."""

    weak = False
    endpoint = None
    token_space = "said"

    def __init__(self, inner: HashEmbedder, tokens: list[TokenVectors]) -> None:
        self.identity = inner.identity
        self.embed = inner.embed
        self._tokens = tokens

    def embed_tokens(self, texts: Sequence[str]) -> tuple[FloatMatrix, list[TokenVectors]]:
        return self.embed(texts), self._tokens


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ([], "the tokens of 0 texts for 1"),
        ([TokenVectors(np.ones((2, 3), np.float32), ((0, 1),))], "have the shape"),
        ([TokenVectors(np.full((1, 3), np.nan, np.float32), ((0, 1),))], "not finite"),
        ([TokenVectors(np.ones((1, 1025), np.float32), ((0, 1),))], "at most 1,024"),
    ],
)
def test_token_vectors_that_cannot_be_used_are_refused(
    tokens: list[TokenVectors], message: str
) -> None:
    with pytest.raises(EmbedderError, match=message):
        embed_tokens_checked(Saying(HashEmbedder(), tokens), ["one text"])


@pytest.mark.skipif(not installed.minilm_installed(), reason="needs the extra `minilm`")
def test_the_default_model_gives_128_numbers_a_word_piece() -> None:
    text = "Ada: I moved to Lisbon, unbelievably!"
    _, (tokens,) = MiniLMEmbedder(threads=1).embed_tokens([text])
    said = [text[slice(*span)] for span in tokens.spans]
    assert said[:5] == ["Ada", "I", "moved", "to", "Lisbon"]
    assert "".join(said[5:]) == "unbelievably"
    assert tokens.vectors.shape == (len(said), 128)
    assert np.linalg.norm(tokens.vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
