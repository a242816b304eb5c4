"""LoCoMo as it is read: turn texts, times, labels, splits."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bench.locomo_data import (
    CATEGORIES,
    assert_known_counts,
    clean_labels,
    load_locomo,
    session_time,
    split_of,
    turn_content,
)

KNOWN = frozenset({"D1:1", "D1:2", "D8:6", "D9:17", "D21:18"})


@pytest.mark.parametrize(
    ("given", "cleaned"),
    [
        (["D8:6"], ("D8:6",)),
        (["D8:6; D9:17"], ("D8:6", "D9:17")),
        (["D8:6,D9:17"], ("D8:6", "D9:17")),
        (["D21:18 D1:2 D1:1"], ("D21:18", "D1:2", "D1:1")),
        (["D1:1", "D1:1"], ("D1:1",)),
        (["D"], ()),
        (["D:11:26", "D30:05"], ()),
        (["D4:36", "D1:1"], ("D1:1",)),
        ([], ()),
    ],
)
def test_labels_are_split_and_unknown_ones_left_out(
    given: list[str], cleaned: tuple[str, ...]
) -> None:
    assert clean_labels(given, KNOWN) == cleaned


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("12:09 am on 13 December, 2022", datetime(2022, 12, 13, 0, 9, tzinfo=UTC)),
        ("12:30 pm on 1 January, 2024", datetime(2024, 1, 1, 12, 30, tzinfo=UTC)),
    ],
)
def test_a_session_time_is_read_as_utc(text: str, instant: datetime) -> None:
    assert session_time(text) == instant


def test_a_turn_begins_with_its_speaker_and_ends_with_what_its_image_shows() -> None:
    turn = {"speaker": "Ada", "dia_id": "D1:1", "text": "Look!", "blip_caption": "a red kite"}
    assert turn_content(turn) == "Ada: Look! [shared an image: a red kite]"


def test_a_turn_without_an_image_is_its_text() -> None:
    assert turn_content({"speaker": "Ada", "dia_id": "D1:1", "text": "Look!"}) == "Ada: Look!"


def test_conversations_alternate_between_the_splits() -> None:
    numbers = (26, 30, 41, 42, 43, 44, 47, 48, 49, 50)
    dev = [number for number in numbers if split_of(f"conv-{number}") == "dev"]
    assert dev == [26, 41, 43, 47, 49]


def test_a_conversation_of_no_split_is_refused() -> None:
    with pytest.raises(ValueError, match="not in"):
        split_of("conv-99")


def test_sessions_without_turns_are_left_out(locomo_file: Path) -> None:
    first = load_locomo(locomo_file)[0]
    assert [session.name for session in first.sessions] == [
        "conv-26:session_1",
        "conv-26:session_2",
    ]


def test_questions_are_asked_at_the_time_of_the_last_session(locomo_file: Path) -> None:
    assert load_locomo(locomo_file)[0].now == datetime(2023, 6, 1, 9, 5, tzinfo=UTC)


def test_adversarial_questions_are_left_out(locomo_file: Path) -> None:
    first = load_locomo(locomo_file)[0]
    assert [question.category for question in first.questions] == [
        "multi-hop",
        "single-hop",
        "temporal",
    ]
    assert set(CATEGORIES) == {1, 2, 3, 4}


def test_a_question_keeps_its_evidence_and_its_answer_as_text(locomo_file: Path) -> None:
    first, _, third = load_locomo(locomo_file)[0].questions
    assert first.evidence == ("D1:3", "D1:1")
    assert (third.answer, third.evidence) == ("2023", ())


def test_counts_that_are_not_the_known_release_are_refused(locomo_file: Path) -> None:
    with pytest.raises(ValueError, match="the release has"):
        assert_known_counts(load_locomo(locomo_file))
