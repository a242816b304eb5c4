"""LoCoMo files: dated sessions of named speakers."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from smriti_es.importers import Conversation, LeftOut, find_source
from smriti_es.importers.locomo import parse_time
from smriti_es.importers.records import Unreadable

TURNS = [
    {"speaker": "Ana", "dia_id": "D1:1", "text": "Hello!"},
    {"speaker": "Ben", "dia_id": "D1:2", "text": "Look.", "blip_caption": "a red kite"},
]


@pytest.fixture
def written(tmp_path: Path) -> Callable[[Any], Path]:
    """Write a value to a file as JSON."""

    def write(value: Any) -> Path:
        file = tmp_path / "locomo.json"
        file.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
        return file

    return write


def sessions(file: Path) -> list[Conversation]:
    return [each for each in find_source(file, "locomo").items() if isinstance(each, Conversation)]


def sample(**conversation: Any) -> dict[str, Any]:
    return {"sample_id": "conv-1", "conversation": conversation, "qa": []}


def test_a_session_is_named_dated_and_tagged_by_its_conversation(
    written: Callable[[Any], Path],
) -> None:
    one = sample(session_1=TURNS, session_1_date_time="1:56 pm on 8 May, 2023", speaker_a="Ana")
    (session,) = sessions(written([one]))
    assert session.session == "conv-1:session_1"
    assert session.at == "2023-05-08T13:56:00"
    assert session.tags == ("conv-1",)


def test_a_turn_is_its_speaker_and_text_and_the_caption_of_what_was_shown(
    written: Callable[[Any], Path],
) -> None:
    one = sample(session_1=TURNS, session_1_date_time="1:56 pm on 8 May, 2023")
    (session,) = sessions(written([one]))
    assert session.messages == [
        {"role": "user", "content": "Ana: Hello!", "id": "D1:1"},
        {"role": "user", "content": "Ben: Look. [shared an image: a red kite]", "id": "D1:2"},
    ]


def test_a_turn_without_words_and_image_is_empty(written: Callable[[Any], Path]) -> None:
    turns = [*TURNS, {"speaker": "Ana", "dia_id": "D1:3", "text": " "}]
    one = sample(session_1=turns, session_1_date_time="1:56 pm on 8 May, 2023")
    (session,) = sessions(written([one]))
    assert [each["content"] for each in session.messages] == [
        "Ana: Hello!",
        "Ben: Look. [shared an image: a red kite]",
        "",
    ]


def test_sessions_come_in_the_order_of_time_and_those_without_turns_not_at_all(
    written: Callable[[Any], Path],
) -> None:
    one = sample(
        session_10=TURNS,
        session_10_date_time="12:05 am on 1 March, 2023",
        session_2=TURNS,
        session_2_date_time="12:05 pm on 1 March, 2023",
        session_1=TURNS,
        session_1_date_time="9:00 am on 2 January, 2024",
        session_11_date_time="9:00 am on 3 January, 2024",
        session_12=[],
    )
    assert [session.session for session in sessions(written([one]))] == [
        "conv-1:session_10",
        "conv-1:session_2",
        "conv-1:session_1",
    ]


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56)),  # noqa: DTZ001  the file names no zone
        ("12:00 am on 29 February, 2024", datetime(2024, 2, 29)),  # noqa: DTZ001  the same
        ("12:30 pm on 31 December, 2022", datetime(2022, 12, 31, 12, 30)),  # noqa: DTZ001  the same
    ],
)
def test_a_time_is_read(text: str, moment: datetime) -> None:
    assert parse_time(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        None,
        7,
        "",
        "13:00 pm on 8 May, 2023",
        "1:56 pm on 8 Mai, 2023",
        "1:56 pm on 30 February, 2023",
    ],
)
def test_what_is_no_time_is_refused(text: Any) -> None:
    with pytest.raises(Unreadable):
        parse_time(text)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[", "unreadable: not JSON: Expecting value; nothing was read"),
        ({"a": 1}, "conversation 0: unreadable: has no conversation with a sample_id"),
        ([1], "conversation 0: unreadable: has no conversation with a sample_id"),
        (
            [sample(session_1=TURNS)],
            "conversation 0 (conv-1, session_1): unreadable: None is no time of a session",
        ),
        (
            [sample(session_1="x", session_1_date_time="1:56 pm on 8 May, 2023")],
            "conversation 0 (conv-1, session_1): unreadable: the session is no JSON list",
        ),
        (
            [sample(session_1=[{"text": "x"}], session_1_date_time="1:56 pm on 8 May, 2023")],
            "conversation 0 (conv-1, session_1), message 0: unreadable: names no speaker",
        ),
    ],
)
def test_what_is_no_part_of_a_locomo_file_is_left_out_with_its_place(
    content: Any, message: str, written: Callable[[Any], Path]
) -> None:
    file = written(content)
    left_out = [each for each in find_source(file, "locomo").items() if isinstance(each, LeftOut)]
    assert [str(each) for each in left_out] == [f"{file}: {message}"]
