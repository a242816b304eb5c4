"""What a question asks the full-text index for, in any language."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.projections.lexical.analysis import (
    STOP_WORDS,
    _query_entries,
    content_terms,
    terms,
)
from smriti_es.projections.lexical.stop_words_elsewhere import LATIN_STOP_WORDS, OTHER_STOP_WORDS


@given(
    st.text(st.sampled_from("会議室の猫はどこですかいつ予約的了吗我酒어디회의입니까ที่ไหนบ้านใคร์ -?"))
)
def test_a_question_without_spaces_asks_for_nothing_that_its_text_does_not_hold(text: str) -> None:
    assert set(content_terms(text)) <= set(terms(text))


def test_a_question_keeps_what_it_is_about() -> None:
    assert content_terms("can you remind me what the dentist address was") == ["dentist", "address"]


def test_a_question_asks_for_each_term_once_in_order() -> None:
    assert content_terms("Paris, then Rome, then Paris?") == ["pari", "rome"]


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Wo ist der Schlüssel von der Garage?", "schlussel garag"),
        ("¿Dónde está la llave del garaje?", "llave garaj"),
        ("Où est la clé du garage ?", "cle garag"),
        ("Dov'è la chiave del garage?", "chiav garag"),
        ("Onde está a chave da garagem?", "chave garagem"),
        ("Waar is de sleutel van de garage?", "sleutel garag"),
        ("Gdzie jest klucz do garażu?", "klucz garazu"),
        ("Где ключ от гаража?", "ключ гараж"),
        ("Πού είναι το κλειδί;", "κλειδ"),
        ("أين مفتاح المرآب؟", "مفتاح مراب"),
        ("चाबी कहाँ है?", "चाब"),
        ("猫はどこですか", "猫"),
        ("会議室の予約はいつですか", "会議 議室 予約"),
        ("车库的钥匙在哪里？", "车库 钥匙 匙在"),
        ("차고 열쇠는 어디에 있나요?", "차고 열쇠 쇠는"),
        ("กุญแจอยู่ที่ไหน", "กุญ ญแ แจ จอ อยู่"),
    ],
)
def test_a_question_of_any_language_asks_for_what_it_is_about(question: str, asked: str) -> None:
    assert content_terms(question) == asked.split()


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What did we say about the war?", ["war"]),
        ("Did he die in the car?", ["die", "car"]),
        ("Who is the man with the hat?", ["man", "hat"]),
    ],
)
def test_a_stop_word_of_another_language_is_a_word_in_english(
    question: str, asked: list[str]
) -> None:
    assert content_terms(question) == asked


def test_a_question_of_stop_words_still_searches() -> None:
    assert content_terms("what is it?") == ["what", "is", "it"]


def test_a_stop_word_is_known_by_its_form_not_its_stem() -> None:
    assert content_terms("who is willing") == ["will"]


def test_a_month_that_is_also_a_verb_is_no_stop_word() -> None:
    assert content_terms("what did we do in May") == ["may"]


def test_stop_words_of_other_languages_are_written_as_the_analysis_folds_them() -> None:
    for word in OTHER_STOP_WORDS.union(*LATIN_STOP_WORDS.values()):
        assert _folded_whole(word) == word.replace("-", "_")


def _folded_whole(word: str) -> str:
    """A word as it is folded, before it is stemmed."""
    return "_".join(entry.word for entry in _query_entries(word)[:1])


def test_stop_words_are_written_as_the_analysis_folds_them() -> None:
    assert all(re.fullmatch("[a-z]+", word) for word in STOP_WORDS)
    assert content_terms(" ".join(sorted(STOP_WORDS)) + " zebra") == ["zebra"]
