"""Sentence models in ONNX form: pooling worked out by hand, order kept, bad files named."""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from smriti_es.embedders import Embedder, OnnxEmbedder, embed_checked
from smriti_es.events.errors import EmbedderError, InvalidInput, NotFound
from smriti_es.events.guard import CallInsideTransaction, transaction_open

WriteModel = Callable[..., Path]
# The tiny model: red = (1, 0), green = (0, 1), blue = (3, 4), unknown = (0, -1), padding = (9, 9).
HALF = pytest.approx([0.5**0.5, 0.5**0.5])


def test_a_vector_is_the_mean_of_the_token_vectors_at_unit_length(tiny_model: WriteModel) -> None:
    vectors = OnnxEmbedder(tiny_model()).embed(["red green", "blue", "red"])
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [HALF, pytest.approx([0.6, 0.8]), [1.0, 0.0]]


def test_padding_does_not_count(tiny_model: WriteModel) -> None:
    vectors = OnnxEmbedder(tiny_model()).embed(["red", "green green green red red red"])
    assert vectors.tolist() == [[1.0, 0.0], HALF]


@pytest.mark.parametrize(
    "inputs",
    [
        ("input_ids",),
        ("input_ids", "attention_mask"),
        ("input_ids", "attention_mask", "token_type_ids"),
    ],
)
def test_a_model_is_given_only_the_inputs_it_has(
    tiny_model: WriteModel, inputs: tuple[str, ...]
) -> None:
    assert OnnxEmbedder(tiny_model(inputs=inputs)).embed(["red"]).tolist() == [[1.0, 0.0]]


def test_a_model_may_want_its_inputs_as_32_bit_integers(tiny_model: WriteModel) -> None:
    assert OnnxEmbedder(tiny_model(kind=6)).embed(["green"]).tolist() == [[0.0, 1.0]]


def test_a_vector_that_the_model_pooled_is_taken_as_it_is(tiny_model: WriteModel) -> None:
    embedder = OnnxEmbedder(tiny_model(pooled=(1,)))
    assert embedder.embed(["red green"]).tolist() == [HALF]
    assert embedder.identity.pooling == "model"


def test_an_output_that_is_neither_token_vectors_nor_pooled_is_refused(
    tiny_model: WriteModel,
) -> None:
    with pytest.raises(EmbedderError, match="gives 1 dimensions where 2 or 3 are meant"):
        OnnxEmbedder(tiny_model(pooled=(1, 2))).embed(["red"])


def test_a_model_that_fails_on_a_text_is_named(tiny_model: WriteModel) -> None:
    folder = tiny_model()
    with pytest.raises(EmbedderError, match="cannot be run") as caught:
        OnnxEmbedder(folder).embed(["beyond"])
    assert caught.value.file == str(folder / "model.onnx")


def test_repr_names_the_model_file(tiny_model: WriteModel) -> None:
    folder = tiny_model()
    assert repr(OnnxEmbedder(folder)) == f"OnnxEmbedder('{folder / 'model.onnx'}')"


def test_an_input_that_no_tokenizer_gives_is_named(tiny_model: WriteModel) -> None:
    embedder = OnnxEmbedder(tiny_model(inputs=("input_ids", "pixel_values")))
    with pytest.raises(EmbedderError, match="wants the input pixel_values"):
        embedder.embed(["red"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(counts=st.lists(st.integers(1, 40), min_size=1, max_size=20), size=st.integers(1, 7))
def test_rows_are_in_text_order_however_texts_are_batched(
    tiny_model: WriteModel, tmp_path: Path, counts: list[int], size: int
) -> None:
    folder = tmp_path / "tiny"
    embedder = OnnxEmbedder(folder if folder.exists() else tiny_model(), batch_size=size)
    # One red among n - 1 greens points to (1, n - 1): every length has a direction of its own.
    vectors = embedder.embed([" ".join(["red"] + ["green"] * (count - 1)) for count in counts])
    expected = [[1 / np.hypot(1, n - 1), (n - 1) / np.hypot(1, n - 1)] for n in counts]
    assert vectors == pytest.approx(np.array(expected), abs=1e-6)


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_the_number_of_threads_does_not_change_a_vector(
    tiny_model: WriteModel, threads: int
) -> None:
    texts = ["red blue " * count for count in range(1, 60)]
    folder = tiny_model()
    expected = OnnxEmbedder(folder, threads=1, batch_size=4).embed(texts)
    assert (OnnxEmbedder(folder, threads=threads, batch_size=4).embed(texts) == expected).all()


def test_several_threads_may_share_one_embedder(tiny_model: WriteModel) -> None:
    embedder = OnnxEmbedder(tiny_model())
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(embedder.embed, [["red", "blue"]] * 24))
    assert all((vectors == found[0]).all() for vectors in found)


def test_an_empty_text_counts_as_a_blank(tiny_model: WriteModel) -> None:
    vectors = OnnxEmbedder(tiny_model()).embed(["", " ", "red"])
    assert vectors.tolist() == [HALF, HALF, [1.0, 0.0]]


def test_what_lies_beyond_max_tokens_does_not_count(tiny_model: WriteModel) -> None:
    folder = tiny_model()
    text = "red red green"
    assert OnnxEmbedder(folder, max_tokens=2).embed([text]).tolist() == [[1.0, 0.0]]
    assert OnnxEmbedder(folder, max_tokens=3).embed([text])[0][1] > 0


def test_no_texts_give_an_empty_matrix(tiny_model: WriteModel) -> None:
    assert OnnxEmbedder(tiny_model()).embed([]).shape == (0, 2)


@pytest.mark.parametrize(("text", "problem"), [("empty", "all zeros"), ("infinite", "not finite")])
def test_a_vector_that_cannot_be_used_is_refused(
    tiny_model: WriteModel, text: str, problem: str
) -> None:
    with pytest.raises(EmbedderError, match=f"text 1 .*{problem}"):
        OnnxEmbedder(tiny_model()).embed(["red", text])


def test_the_identity_names_the_model_by_its_content(tiny_model: WriteModel) -> None:
    folder = tiny_model()
    embedder: Embedder = OnnxEmbedder(folder, model_name="two-dimensional", max_tokens=64)
    assert not embedder.weak
    assert embedder.identity.to_dict() == {
        "kind": "onnx",
        "model": "two-dimensional",
        "revision": sha256((folder / "model.onnx").read_bytes()).hexdigest(),
        "dimension": 2,
        "pooling": "mean",
        "normalised": True,
        "max_tokens": 64,
    }


def test_a_moved_folder_keeps_its_identity(tiny_model: WriteModel, tmp_path: Path) -> None:
    folder = tiny_model()
    moved = shutil.copytree(folder, tmp_path / "elsewhere" / folder.name)
    assert OnnxEmbedder(moved).identity == OnnxEmbedder(folder).identity


def test_the_model_file_itself_can_be_given(tiny_model: WriteModel) -> None:
    folder = tiny_model()
    embedder = OnnxEmbedder(folder / "model.onnx")
    assert embed_checked(embedder, ["red"]).tolist() == [[1.0, 0.0]]
    assert embedder.identity.model == "tiny"


def test_the_tokenizer_may_lie_elsewhere(tiny_model: WriteModel, tmp_path: Path) -> None:
    folder = tiny_model()
    tokenizer = (folder / "tokenizer.json").rename(tmp_path / "words.json")
    embedder = OnnxEmbedder(folder / "model.onnx", tokenizer=tokenizer)
    assert embedder.embed(["green"]).tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named_at_once(tiny_model: WriteModel, name: str) -> None:
    folder = tiny_model()
    (folder / name).unlink()
    with pytest.raises(NotFound, match="no such file") as caught:
        OnnxEmbedder(folder)
    assert caught.value.file == str(folder / name)
    assert "model.onnx and tokenizer.json" in caught.value.hint


def test_a_missing_model_file_that_was_given_by_name_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as caught:
        OnnxEmbedder(tmp_path / "no.onnx")
    assert caught.value.file == str(tmp_path / "no.onnx")


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_damaged_file_is_an_embedder_error_that_names_it(
    tiny_model: WriteModel, name: str
) -> None:
    folder = tiny_model()
    (folder / name).write_bytes(b"damaged")
    with pytest.raises(EmbedderError, match="cannot be loaded") as caught:
        OnnxEmbedder(folder).embed(["red"])
    assert str(folder / name) in str(caught.value)


@pytest.mark.parametrize(("name", "value"), [("max_tokens", 1), ("threads", 0), ("batch_size", 0)])
def test_a_number_out_of_range_is_refused(tiny_model: WriteModel, name: str, value: int) -> None:
    with pytest.raises(InvalidInput, match=f"{name} is {value}") as caught:
        OnnxEmbedder(tiny_model(), **{name: value})  # type: ignore[arg-type]
    assert caught.value.field == name


def test_neither_embedding_nor_loading_happens_inside_a_write_transaction(
    tiny_model: WriteModel,
) -> None:
    embedder = OnnxEmbedder(tiny_model())
    with transaction_open():
        with pytest.raises(CallInsideTransaction):
            embedder.embed(["red"])
        with pytest.raises(CallInsideTransaction):
            _ = embedder.identity


def test_a_known_identity_can_be_read_inside_a_write_transaction(tiny_model: WriteModel) -> None:
    embedder = OnnxEmbedder(tiny_model())
    known = embedder.identity
    with transaction_open():
        assert embedder.identity == known
