"""Inputs that other memories got wrong: full text and Unicode (BC-42 to BC-50)."""

from collections.abc import Callable

import pytest

from smriti_es.engine import Engine

Open = Callable[..., Engine]


def texts(engine: Engine, question: str) -> list[str]:
    """What a search by words alone finds."""
    return [hit.text for hit in engine.search(question)]


@pytest.mark.parametrize(
    "question",
    [
        "bay7-valve AND pressure",
        "bay7-valve NOT missing",
        "bay7 OR nothing",
        "NEAR(bay7 valve",
        '"bay7 valve unclosed',
        "bay7-valve: pressure*",
        "{bay7} ^valve -holds",
    ],
)
def test_query_syntax_of_other_tools_is_plain_words(engine: Open, question: str) -> None:
    memory = engine()
    memory.add("The bay7-valve holds pressure.", session="plant")
    assert texts(memory, question) == ["The bay7-valve holds pressure."]


@pytest.mark.parametrize(
    "question",
    ["it's (draft", "GB/s", "v1.2*", "^x", "-x", "{a b}", '""', "(" * 5_000, "AND", "", "  ", "?"],
)
def test_a_question_of_operators_alone_is_answered(engine: Open, question: str) -> None:
    memory = engine()
    memory.add("The kiln is hot.", session="plant")
    assert texts(memory, question) == []


@pytest.mark.parametrize("question", ["会議室 予約", "火曜日", "予約"])
def test_japanese_is_found_by_words_alone(engine: Open, question: str) -> None:
    memory = engine()
    memory.add("会議室の予約は毎週火曜日に更新される", session="office")
    memory.add("The canteen is closed on Sundays.", session="office")
    hits = memory.search(question)
    assert [hit.text for hit in hits] == ["会議室の予約は毎週火曜日に更新される"]
    assert hits[0].channels == ("lexical",)


@pytest.mark.parametrize("question", ["李雷", "夜班"])
def test_short_chinese_words_are_not_too_short(engine: Open, question: str) -> None:
    memory = engine()
    memory.add("李雷 负责 夜班", session="plant")
    assert texts(memory, question) == ["李雷 负责 夜班"]


def test_a_name_of_two_characters_is_an_entity_with_facts(engine: Open) -> None:
    memory = engine()
    memory.assert_fact("李雷", "responsible_for", "夜班")
    assert [fact.object for fact in memory.facts("李雷")] == ["夜班"]
    memory.alias("Li Lei", "李雷")
    assert [fact.object for fact in memory.facts("Li Lei")] == ["夜班"]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("reuniao", "A reunião foi às 9h."),
        ("strasse", "Straße gesperrt"),
        ("istanbul", "İstanbul ofisi kapalı"),
        ("यंत्र", "यंत्र बंद है"),
    ],
)
def test_accents_fold_and_vowel_signs_stay(engine: Open, question: str, found: str) -> None:
    memory = engine()
    for text in ("A reunião foi às 9h.", "Straße gesperrt", "İstanbul ofisi kapalı", "यंत्र बंद है"):
        memory.add(text, session="languages")
    assert texts(memory, question) == [found]


def test_both_spellings_of_an_accent_are_one_word(engine: Open) -> None:
    memory = engine()
    memory.add("The Café opens at eight.", session="town")
    assert texts(memory, "Cafe\u0301") == ["The Café opens at eight."]


def test_control_characters_are_kept_and_the_words_beside_them_found(engine: Open) -> None:
    memory = engine()
    memory.add("tool output: \x00\x01binary", session="tools")
    (turn,) = memory.turns()
    assert turn.text == "tool output: \x00\x01binary"
    assert texts(memory, "binary output") == ["tool output: \x00\x01binary"]


def test_emoji_and_code_identifiers_are_words(engine: Open) -> None:
    memory = engine()
    memory.add("Launch day 🚀", session="work")
    memory.add("call parse_config_file() before start", session="work")
    assert texts(memory, "🚀") == ["Launch day 🚀"]
    assert texts(memory, "config") == ["call parse_config_file() before start"]
    assert texts(memory, "parse_config_file") == ["call parse_config_file() before start"]
