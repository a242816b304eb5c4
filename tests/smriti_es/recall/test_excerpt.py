import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.recall.excerpt import excerpt

FILLER = "The weather was mild and nothing much happened in the garden that day."
LONG_ANSWER = "My dentist moved to 14 Harbour Street in Leeds."

# No ellipsis among them: then every ellipsis in a result is a mark of ours.
ANY_TEXT = st.text(st.characters(exclude_characters="…", exclude_categories=["Cs"]), max_size=400)
PROSE = st.lists(
    st.sampled_from([FILLER, LONG_ANSWER, "Yes!", "Really?", "a" * 90, "牙医搬到利兹了。", "\n"]),
    max_size=30,
).map(" ".join)
QUESTION = ("dentist", "harbour", "牙医")


def filler_around(answer: str) -> str:
    sentences = [FILLER] * 40
    sentences[33] = answer
    return " ".join(sentences)


def test_a_text_that_fits_comes_back_as_it_is() -> None:
    text = "  two  spaces,\n\na blank line "
    assert excerpt(text, {"dentist"}, len(text)) == text


def test_the_sentence_that_answers_is_kept_whole() -> None:
    shown = excerpt(filler_around(LONG_ANSWER), {"dentist", "address"}, 300)
    assert LONG_ANSWER in shown
    assert len(shown) <= 300


def test_an_answer_at_the_very_end_is_kept() -> None:
    assert LONG_ANSWER in excerpt(f"{FILLER * 60} {LONG_ANSWER}", {"dentist"}, 250)


def test_an_inflected_word_answers_too() -> None:
    text = filler_around("She runs every morning.")
    assert "She runs every morning." in excerpt(text, {"run"}, 200)


def test_a_single_long_sentence_is_shown_around_its_matching_words() -> None:
    words = [f"word{number}" for number in range(600)]
    words[400] = "dentist"
    shown = excerpt(" ".join(words), {"dentist"}, 240)
    assert " dentist " in shown
    assert "word399 dentist word401" in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert len(shown) > 180


def test_a_long_text_without_spaces_is_shown_around_its_matching_words() -> None:
    text = "天气很好我们去公园散步" * 60 + "牙医搬到利兹" + "天气很好我们去公园散步" * 60
    shown = excerpt(text, {"牙医"}, 120)
    assert "牙医" in shown
    assert len(shown) <= 120


def test_chinese_sentences_end_without_a_space() -> None:
    text = "今天天气很好。" * 40 + "牙医搬到利兹了。" + "今天天气很好。" * 40
    assert "。 … 牙医搬到利兹了。" in excerpt(text, {"牙医"}, 20)


def test_lines_are_sentences() -> None:
    text = "\n".join(["- eggs and flour"] * 30 + ["- the dentist bill"] + ["- more flour"] * 30)
    assert "- the dentist bill" in excerpt(text, {"dentist"}, 60)


def test_without_a_match_the_beginning_is_shown() -> None:
    text = "First of all. " + f"{FILLER} " * 20
    assert excerpt(text, {"dentist"}, 100).startswith("First of all. The weather")


def test_what_stands_next_to_a_match_is_taken_before_what_stands_far_away() -> None:
    sentences = [f"Sentence number {number} is here." for number in range(60)]
    sentences[40] = "The dentist called."
    shown = excerpt(" ".join(sentences), {"dentist"}, 120)
    assert "number 39 is here. The dentist called. Sentence number 41" in shown


def test_the_order_of_the_text_is_kept() -> None:
    text = f"The harbour is old. {FILLER * 10} The dentist is new. {FILLER * 10}"
    shown = excerpt(text, {"dentist", "harbour"}, 60)
    assert shown.index("harbour") < shown.index("dentist")


def test_a_mark_stands_for_every_gap() -> None:
    shown = excerpt(filler_around(LONG_ANSWER), {"dentist"}, 130)
    assert shown == f"{FILLER} … {LONG_ANSWER} …"


def test_a_letter_is_not_parted_from_its_accent() -> None:
    text = "e\u0301" * 400
    shown = excerpt(text, (), 100)
    assert all(not part.startswith("\u0301") for part in shown.split("… "))


@pytest.mark.parametrize(("limit", "shown"), [(-1, ""), (0, ""), (1, "…"), (4, "…")])
def test_where_nothing_fits_only_a_mark_is_left(limit: int, shown: str) -> None:
    assert excerpt("some words", (), limit) == shown


def test_a_blank_text_becomes_shorter_too() -> None:
    assert len(excerpt(" " * 50, (), 20)) <= 20


@given(ANY_TEXT | PROSE, st.integers(0, 420))
def test_no_excerpt_is_longer_than_its_limit(text: str, limit: int) -> None:
    assert len(excerpt(text, QUESTION, limit)) <= limit


@given((ANY_TEXT | PROSE).filter(str.strip), st.integers(1, 420))
def test_an_excerpt_of_something_is_something(text: str, limit: int) -> None:
    assert excerpt(text, QUESTION, limit).strip()


@given(ANY_TEXT | PROSE, st.integers(5, 420))
def test_parts_are_unchanged_and_in_order(text: str, limit: int) -> None:
    shown = excerpt(text, QUESTION, limit)
    if shown == text:
        return
    place = 0
    for part in re.split(r" … |^… | …$", shown):
        found = text.find(part, place)
        assert found >= 0
        place = found + len(part)


@given(ANY_TEXT | PROSE, st.integers(0, 420))
def test_the_same_text_gives_the_same_excerpt(text: str, limit: int) -> None:
    assert excerpt(text, QUESTION, limit) == excerpt(text, set(QUESTION), limit)
