"""A long text reaches an embedder in pieces that fit and that miss nothing."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.embedders import CallableEmbedder, chunk_spans, chunks, embed_checked
from smriti_es.events.errors import InvalidInput

LIMITS = st.integers(1, 60).flatmap(
    lambda limit: st.tuples(st.just(limit), st.integers(0, limit - 1))
)
TEXTS = st.one_of(
    st.text(max_size=400),
    st.text("ab .!?\n", max_size=400),
    st.lists(st.text("xyz", min_size=1, max_size=30)).map(" ".join),
)


@given(TEXTS, LIMITS)
def test_every_character_is_covered_by_pieces_that_fit(text: str, limits: tuple[int, int]) -> None:
    limit, overlap = limits
    spans = chunk_spans(text, limit=limit, overlap=overlap)
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    for (_, before_end), (start, end) in pairwise(spans):
        assert before_end - overlap <= start <= before_end < end
    assert all(end - start <= limit for start, end in spans)


@given(TEXTS, LIMITS)
def test_the_number_of_pieces_stays_in_proportion(text: str, limits: tuple[int, int]) -> None:
    limit, overlap = limits
    pieces = chunks(text, limit=limit, overlap=overlap)
    assert len(pieces) <= 1 + 2 * len(text) / (limit - overlap)


@given(TEXTS, LIMITS)
def test_the_pieces_are_what_lies_in_the_spans(text: str, limits: tuple[int, int]) -> None:
    limit, overlap = limits
    spans = chunk_spans(text, limit=limit, overlap=overlap)
    assert chunks(text, limit=limit, overlap=overlap) == [text[start:end] for start, end in spans]


@pytest.mark.parametrize("text", ["", " ", "Short.", "x" * 1000])
def test_a_text_that_fits_is_one_piece(text: str) -> None:
    assert chunks(text) == [text]


def test_a_piece_ends_with_a_sentence_where_one_ends_late_enough() -> None:
    text = "One two three four. Five six seven eight nine ten eleven."
    assert chunks(text, limit=30, overlap=0)[0] == "One two three four. "


def test_a_piece_ends_with_a_word_where_no_sentence_ends() -> None:
    text = "one two three four five six seven"
    assert chunks(text, limit=16, overlap=0) == ["one two three ", "four five six ", "seven"]


def test_a_word_that_is_longer_than_a_piece_is_cut() -> None:
    assert chunks("a" * 25, limit=10, overlap=0) == ["a" * 10, "a" * 10, "a" * 5]


def test_pieces_without_blanks_repeat_the_overlap() -> None:
    assert chunks("abcdefghijkl", limit=6, overlap=2) == ["abcdef", "efghij", "ijkl"]


def test_a_repeated_end_begins_with_a_whole_word() -> None:
    pieces = chunks("alpha beta gamma delta epsilon zeta", limit=24, overlap=9)
    assert pieces == ["alpha beta gamma delta ", "delta epsilon zeta"]


def test_chinese_sentences_end_without_a_blank() -> None:
    text = "我在北京工作。我住在上海。她喜欢喝茶。"
    assert chunks(text, limit=15, overlap=0) == ["我在北京工作。我住在上海。", "她喜欢喝茶。"]


@pytest.mark.parametrize(("limit", "overlap"), [(0, 0), (-1, 0), (10, 10), (10, -1)])
def test_a_limit_that_cannot_work_is_refused(limit: int, overlap: int) -> None:
    with pytest.raises(InvalidInput, match=f"pieces of {limit} characters that share {overlap}"):
        chunks("text", limit=limit, overlap=overlap)


def test_a_sentence_deep_in_a_long_message_reaches_an_embedder_that_refuses_long_texts() -> None:
    def embed(texts: list[str]) -> list[list[float]]:
        assert all(len(text.split()) <= 500 for text in texts)
        return [[1.0, float("pot nine" in text)] for text in texts]

    words = ["word"] * 60_000
    words[40_000] = "The spare key is under pot nine."
    pieces = chunks(" ".join(words))
    vectors = embed_checked(CallableEmbedder(embed, model="picky", dimension=2), pieces)
    assert any("The spare key is under pot nine." in piece for piece in pieces)
    assert vectors[:, 1].max() > 0.7
