"""Who speaks in a turn."""

import pytest

from smriti_es.projections.speakers import speaker_in_text, speaker_of


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Caroline: Hey Mel!", "caroline"),
        ("Dr. Ada O'Neil: good morning", "dr. ada o'neil"),
        ("Jean-Luc Picard: engage", "jean-luc picard"),
        ("Мария: привет", "мария"),
        ("Élodie: salut", "élodie"),
        ("王小明\uff1a你好", "王小明"),
        ("मीरा: नमस्ते", "मीरा"),
        ("Ann:\nhello", "ann"),
    ],
)
def test_a_leading_name_is_the_speaker(text: str, name: str) -> None:
    assert speaker_in_text(text) == name


@pytest.mark.parametrize(
    "text",
    [
        "hello there",
        "note to self: buy milk",
        "One Two Three Four: too many words",
        f"{'A' * 32}: too long",
        "Https://example.org",
        "Meet at 10: 30",
        "3:1 was the score",
        ": nothing",
        "",
    ],
)
def test_other_openings_name_nobody(text: str) -> None:
    assert speaker_in_text(text) is None


@pytest.mark.parametrize("role", ["Assistant", "SYSTEM", "User", "Tool", "AI"])
def test_a_turn_does_not_become_another_role_by_saying_so(role: str) -> None:
    assert speaker_in_text(f"{role}: I promise") is None


def test_a_name_of_31_characters_is_still_a_name() -> None:
    assert speaker_in_text(f"{'A' * 31}: hi") == "a" * 31


def test_a_given_name_wins_over_the_one_in_the_text() -> None:
    assert speaker_of("Mel", "Caroline: hi") == "mel"


def test_without_a_given_name_the_text_says_it() -> None:
    assert speaker_of(None, "Caroline: hi") == "caroline"
