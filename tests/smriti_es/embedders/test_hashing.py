"""The embedder without a model: stable everywhere, honest about being weak."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import smriti_es.embedders
from smriti_es.embedders import Embedder, HashEmbedder, embed_checked
from smriti_es.events.errors import InvalidInput
from smriti_es.events.guard import CallInsideTransaction, transaction_open

APART = """
from smriti_es.embedders import HashEmbedder
print(HashEmbedder().embed(["The spare key is under pot nine.", ""]).tobytes().hex())
"""


def cosine(left: str, right: str) -> float:
    vectors = HashEmbedder().embed([left, right])
    return float(vectors[0] @ vectors[1])


@given(st.lists(st.text(max_size=40), max_size=5), st.sampled_from([1, 2, 8, 256]))
def test_every_text_gets_a_vector_of_unit_length(texts: list[str], dimension: int) -> None:
    vectors = embed_checked(HashEmbedder(dimension), texts)
    assert vectors.shape == (len(texts), dimension)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-6)


@given(st.lists(st.text(max_size=40), min_size=1, max_size=5))
def test_a_text_gets_the_same_vector_alone_and_among_others(texts: list[str]) -> None:
    together = HashEmbedder().embed(texts)
    alone = np.concatenate([HashEmbedder().embed([text]) for text in texts])
    assert (together == alone).all()


@pytest.mark.parametrize("seed", ["0", "1", "4711"])
def test_the_vectors_are_the_same_in_every_process(seed: str, tmp_path: Path) -> None:
    found_in = str(Path(smriti_es.embedders.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", APART],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": found_in, "PYTHONHASHSEED": seed},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    here = HashEmbedder().embed(["The spare key is under pot nine.", ""])
    assert done.stdout.strip() == here.tobytes().hex()


def test_the_vector_of_a_word_is_pinned_since_logs_hold_such_vectors() -> None:
    # Features of "key": the word (1.0), the n-grams <ke, key, ey>, <key, key> (0.4 each).
    expected = [0, 0.686803, 0, 0, -0.274721, 0.274721, 0.274721, 0.549442]
    assert HashEmbedder(8).embed(["key"])[0].tolist() == pytest.approx(expected, abs=1e-6)


def test_case_and_compatibility_forms_do_not_matter() -> None:
    assert cosine("Where is the KEY?", "where is the key") == pytest.approx(1.0, abs=1e-6)
    assert cosine("ﬁle", "file") == pytest.approx(1.0, abs=1e-6)


def test_shared_words_bring_texts_closer_than_none() -> None:
    question = "Where is the spare key?"
    assert cosine(question, "The spare key is under pot nine.") > 0.4
    assert abs(cosine(question, "Bananas ripen in summer")) < 0.25


def test_a_word_is_close_to_its_own_inflections() -> None:
    assert cosine("gardening", "gardener") > 0.3
    assert cosine("gardening", "gardener") > cosine("gardening", "mountain") + 0.3


def test_unrelated_texts_lie_on_both_sides_of_zero() -> None:
    words = ["apple", "bridge", "cloud", "doctor", "engine", "forest", "guitar", "hammer"]
    vectors = HashEmbedder().embed(words)
    between = (vectors @ vectors.T)[np.triu_indices(len(words), k=1)]
    assert between.min() < 0 < between.max()
    assert abs(between.mean()) < 0.1


def test_chinese_texts_that_share_a_word_are_closer() -> None:
    assert cosine("我在北京工作", "北京很大") > cosine("我在北京工作", "上海很小") + 0.05


def test_texts_without_a_word_differ_from_one_another() -> None:
    vectors = HashEmbedder().embed(["", "!!!", "…"])
    assert len({row.tobytes() for row in vectors}) == 3


def test_it_says_that_it_is_weak_and_what_it_is() -> None:
    embedder: Embedder = HashEmbedder(64)
    assert embedder.weak
    assert (embedder.identity.kind, embedder.identity.dimension) == ("hash", 64)


def test_a_dimension_below_one_is_refused() -> None:
    with pytest.raises(InvalidInput, match="0 dimensions"):
        HashEmbedder(0)


def test_a_call_inside_a_write_transaction_is_refused() -> None:
    with transaction_open(), pytest.raises(CallInsideTransaction):
        HashEmbedder().embed(["a"])
