import os
import re
import subprocess
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from smriti_es.projections.lexical.analysis import (
    TERM_LIMIT,
    content_terms,
    query_terms,
    terms,
)

ANY_TEXT = st.text(st.characters(), max_size=200)
ASCII_OUTSIDE_A_TERM = re.compile(r"[\x00-\x7f](?<![a-z0-9_])")


def found(text: str, question: str) -> bool:
    """All terms of the question are terms of the text, and there is at least one."""
    asked = query_terms(question)
    return bool(asked) and set(asked) <= set(terms(text))


# --- words ---


def test_words_are_folded_and_stemmed() -> None:
    assert terms("Hiking, hiked & HIKES!") == ["hike", "hike", "hike"]


def test_accents_fall_away_from_latin_greek_and_cyrillic() -> None:
    assert terms("İstanbul reunião Łódź Søren ΑΘΉΝΑ ёлка") == [
        "istanbul", "reuniao", "lodz", "soren", "αθην", "елк",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("A reunião foi às 9h.", "reuniao"),
        ("Straße gesperrt", "strasse"),
        ("İstanbul ofisi kapalı", "istanbul"),
        ("İstanbul ofisi kapalı", "kapali"),
        ("यंत्र बंद है", "यंत्र"),
    ],
)
def test_text_of_other_languages_is_found_by_plain_typing(text: str, question: str) -> None:
    assert found(text, question)


def test_devanagari_words_keep_their_vowel_signs_and_stay_whole() -> None:
    assert terms("यंत्र बंद है") == ["यंत्र", "बंद", "है"]


def test_arabic_keeps_its_letters_and_loses_what_writers_leave_out() -> None:
    assert terms("مُحَمَّد محمـــد محمد") == ["محمد", "محمد", "محمد"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("أحمد", "احمد"),  # alef with and without hamza
        ("إدارة", "ادارة"),
        ("آمنة", "امنة"),
        ("علي", "على"),  # yeh with and without dots
        ("مكتبة", "مكتبه"),  # the feminine ending
        ("کتاب", "كتاب"),  # kaf of Persian
        ("הַשָּׁלוֹם", "השלום"),  # Hebrew points
        ("हिन्दी", "हिंदी"),  # a nasal before a consonant
        ("चाँद", "चांद"),
        ("ज़रूर", "जरूर"),  # the dot below, as one letter and left out
        ("ΟΔΟΣ", "οδος"),  # final sigma
        ("Αθήνα", "ΑΘΗΝΑ"),
        ("ISPARTA", "ısparta"),
        ("GROẞ", "gross"),
        ("ЁЛКА", "елка"),
        ("ﾊﾝｶｸ", "ハンカク"),
        ("Ａｂｃ１２３", "abc123"),
    ],
)
def test_two_ways_of_writing_a_word_are_one_term(one: str, other: str) -> None:
    assert terms(one) == terms(other) != []
    assert len(terms(one)) <= 3


def test_cyrillic_short_i_is_a_letter_of_its_own() -> None:
    assert terms("йод") == ["йод"] != terms("иод")


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        ("кошка", "кошки"),
        ("встреча", "встречи"),
        ("γάτα", "γάτες"),
        ("كتاب", "الكتاب"),
        ("किताब", "किताबें"),
    ],
)
def test_other_alphabets_are_stemmed_for_a_language_of_their_own(
    singular: str, plural: str
) -> None:
    assert terms(singular) == terms(plural)


def test_no_word_of_another_alphabet_is_stemmed_for_english() -> None:
    # "-ing" in Cyrillic letters, and a Latin word that is not of ASCII letters alone.
    assert terms("митинг") == ["митинг"]
    assert terms("Ŋaing") == ["ŋaing"]


def test_composed_and_decomposed_spellings_give_the_same_terms() -> None:
    assert (
        terms(unicodedata.normalize("NFD", "Café Ñandú"))
        == terms("Café Ñandú")
        == ["cafe", "nandu"]
    )


def test_compatibility_forms_give_the_same_terms() -> None:
    assert terms("ﬁle ｆｕｌｌ ㎏") == ["file", "full", "kg"]


# --- apostrophes ---


def test_contractions_are_one_word() -> None:
    assert terms("don't it's we’re") == ["dont", "its", "were"]


def test_a_possessive_is_the_word_itself() -> None:
    assert terms("Caroline's Caroline’s CAROLINE'S dogs'") == [
        "carolin",
        "carolin",
        "carolin",
        "dog",
    ]


def test_a_contraction_is_not_taken_for_another_word() -> None:
    assert terms("I'd she'll we'll I'll") == ["i", "she", "we", "i"]
    assert content_terms("what is my user id") == ["user", "id"]


def test_apostrophes_inside_names_are_dropped() -> None:
    assert terms("O'Brien d'Artagnan") == ["obrien", "dartagnan"]


# --- identifiers ---


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("user_name", ["user_name", "user", "name"]),
        ("getUserName", ["getusernam", "get", "user", "name"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("dotted.path", ["dotted_path", "dot", "path"]),
        ("kebab-case", ["kebab_case", "kebab", "case"]),
        ("std::vector", ["std_vector", "std", "vector"]),
        ("GB/s", ["gb_s", "gb", "s"]),
        ("v1.2", ["v1_2", "v1", "2"]),
        ("bay7-valve", ["bay7_valve", "bay7", "valv"]),
        ("2023-05-08", ["2023_05_08", "2023", "05", "08"]),
        ("bob@example.com", ["bob_example_com", "bob", "exampl", "com"]),
        ("__init__", ["init"]),
        ("src/app/main.py", ["src_app_main_py", "src", "app", "main", "py"]),
        (r"lib\\core.dll", ["lib", "core_dll", "core", "dll"]),
        ("HTTP_TIMEOUT_MS", ["http_timeout_ms", "http", "timeout", "ms"]),
        ("https://ex.org/a?b=1", ["https", "ex_org_a", "ex", "org", "a", "b", "1"]),
        ("2.10.0-rc1", ["2_10_0_rc1", "2", "10", "0", "rc1"]),
    ],
)
def test_an_identifier_is_itself_and_its_parts(identifier: str, expected: list[str]) -> None:
    assert terms(identifier) == query_terms(identifier) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("iPhone", ["iphon"]), ("PhD", ["phd"]), ("CDs", ["cd"]), ("eBay", ["ebay"])],
)
def test_a_name_with_one_odd_capital_is_one_word(name: str, expected: list[str]) -> None:
    assert terms(name) == expected


def test_sentence_punctuation_joins_nothing() -> None:
    assert terms("Well... yes. (No?) - so--and") == ["well", "yes", "no", "so", "and"]


@pytest.mark.parametrize(
    "question",
    [
        "bay7-valve AND pressure",
        "bay7-valve",
        "BAY7 valves",
        '"bay7-valve"',
        "bay7-valve*",
        "(bay7",
    ],
)
def test_an_identifier_is_found_however_it_is_asked_for(question: str) -> None:
    indexed = set(terms("The bay7-valve holds pressure."))
    assert indexed & set(content_terms(question))


# --- scripts without spaces ---


@pytest.mark.parametrize("question", ["会議室 予約", "火曜日", "予約", "会"])
def test_japanese_is_found_by_the_words_inside_it(question: str) -> None:
    assert found("会議室の予約は毎週火曜日に更新される", question)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("李雷 负责 夜班", "李雷"),
        ("李雷负责夜班", "夜班"),
        ("我喜欢喝茶和咖啡", "茶"),
        ("서울에서 집까지", "서울"),
        ("서울에서 집까지", "집"),
        ("ฉันชอบกินข้าวผัด", "ข้าว"),
        ("ﾃﾞﾝｼｬで行く", "デンシャ"),
    ],
)
def test_runs_without_spaces_are_found_by_their_parts(text: str, question: str) -> None:
    assert found(text, question)


def test_a_run_is_indexed_as_pairs_and_single_ideographs() -> None:
    assert terms("夜班表") == ["夜班", "班表", "夜", "班", "表"]


def test_a_question_asks_for_pairs_only() -> None:
    assert query_terms("夜班表") == ["夜班", "班表"]
    assert query_terms("夜") == ["夜"]


def test_single_kana_and_thai_letters_are_not_indexed_beside_their_pairs() -> None:
    assert terms("ねこ") == ["ねこ"]
    assert terms("กข") == ["กข"]


def test_a_vowel_sign_stays_with_its_consonant() -> None:
    assert terms("ดีค") == ["ดีค"]


def test_scripts_side_by_side_are_told_apart() -> None:
    assert terms("iPhone手机3月") == ["iphon", "手机", "手", "机", "3", "月"]


# --- pictographs ---


def test_each_emoji_is_a_term() -> None:
    assert terms("Party🎉🎉 time ❤️") == ["parti", "🎉", "🎉", "time", "❤"]


def test_skin_tone_makes_no_other_emoji() -> None:
    assert terms("👍🏽") == terms("👍") == ["👍"]


def test_a_joined_emoji_is_itself_and_its_parts() -> None:
    assert terms("👩🏽‍💻") == ["👩\u200d💻", "👩", "💻"]


def test_a_flag_is_one_term() -> None:
    assert terms("🇩🇪🇫🇷") == ["🇩🇪", "🇫🇷"]


def test_a_loose_joiner_vanishes() -> None:
    assert terms("क्\u200dष 🎉\u200d a\u200db") == ["क्ष", "🎉", "ab"]


# --- what separates ---


def test_control_characters_separate() -> None:
    assert terms("tool output: \x00\x01binary\x7fend\x85more") == [
        "tool", "output", "binari", "end", "more",
    ]  # fmt: skip


def test_white_space_of_every_kind_separates() -> None:
    assert terms("one\u00a0two\u3000three\u2028four\u200bfive") == [
        "one",
        "two",
        "three",
        "four",
        "five",
    ]


def test_invisible_characters_inside_a_word_vanish() -> None:
    assert terms("soft\u00adware \u202eright\u202c") == ["softwar", "right"]


def test_signs_stuck_to_a_word_do_not_change_it() -> None:
    assert terms("Foo™ Bar® 25°") == ["foo", "bar", "25"]


@pytest.mark.parametrize(
    "text", ["", " ", "(" * 5000, '"', "'", "^ - * : { }", "\x00", "\ud800", "_"]
)
def test_text_without_words_has_no_terms(text: str) -> None:
    assert terms(text) == query_terms(text) == content_terms(text) == []


def test_a_long_word_is_cut() -> None:
    assert terms("7" * 1000) == ["7" * TERM_LIMIT]
    assert [len(term) for term in terms("क" * 1000)] == [TERM_LIMIT]
    assert max(len(term) for term in terms("part-" * 1000)) == TERM_LIMIT


# --- properties ---


@given(ANY_TEXT)
@example("ŉ ẞ İ ΐ ½ ﷺ ㍿ 1️⃣ \u0301 \U000e0067")
def test_a_term_holds_no_white_space_and_only_plain_ascii(text: str) -> None:
    for term in [*terms(text), *query_terms(text)]:
        assert 1 <= len(term) <= TERM_LIMIT
        assert not any(character.isspace() for character in term)
        assert not ASCII_OUTSIDE_A_TERM.search(term)
        term.encode("utf-8")


@given(ANY_TEXT)
def test_whatever_a_text_asks_for_it_also_holds(text: str) -> None:
    assert set(content_terms(text)) <= set(terms(text))
    assert set(query_terms(text)) <= set(terms(text))


@given(st.text(st.characters(max_codepoint=127), max_size=100))
def test_ascii_gives_the_same_terms_beside_other_text(text: str) -> None:
    assert terms(f"{text} é") == [*terms(text), "e"]


@given(ANY_TEXT)
def test_normal_form_makes_no_difference(text: str) -> None:
    assert terms(unicodedata.normalize("NFD", text)) == terms(unicodedata.normalize("NFC", text))


@given(ANY_TEXT, ANY_TEXT)
def test_texts_a_line_apart_do_not_touch(first: str, second: str) -> None:
    assert terms(f"{first}\n{second}") == terms(first) + terms(second)


def test_terms_do_not_depend_on_the_process() -> None:
    text = "Straße İstanbul getUserName 会議室 👩🏽‍💻 Caroline's"
    code = (
        f"from smriti_es.projections.lexical.analysis import terms\nprint(ascii(terms({text!a})))"
    )
    for seed, language in [("1", "C"), ("2", "tr_TR.UTF-8")]:
        environment = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": language, "LANG": language}
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        assert done.stdout.strip() == ascii(terms(text))


def test_threads_get_the_terms_of_their_own_text() -> None:
    texts = [f"running{number} jumping swimmers-{number} flying" for number in range(400)]
    alone = [terms(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(terms, texts)) == alone


def test_more_words_than_are_remembered_change_nothing() -> None:
    before = terms("the walking dead")
    for start in range(0, 70_000, 1000):
        terms(" ".join(f"w{number}" for number in range(start, start + 1000)))
    assert terms("the walking dead") == before
