"""LoCoMo files: dated sessions of named speakers."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import pytest

from smriti_es.events.errors import InvalidInput
from smriti_es.importers import read_locomo
from smriti_es.importers.locomo import parse_time

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


def sample(**conversation: Any) -> dict[str, Any]:
    return {"sample_id": "conv-1", "conversation": conversation, "qa": []}


def test_a_session_is_named_dated_and_tagged_by_its_conversation(
    written: Callable[[Any], Path],
) -> None:
    one = sample(session_1=TURNS, session_1_date_time="1:56 pm on 8 May, 2023", speaker_a="Ana")
    (session,) = read_locomo(written([one]))
    assert session.session == "conv-1:session_1"
    assert session.at == "2023-05-08T13:56:00"
    assert session.session_tags == ["conv-1"]


def test_a_turn_is_its_speaker_and_text_and_the_caption_of_what_was_shown(
    written: Callable[[Any], Path],
) -> None:
    one = sample(session_1=TURNS, session_1_date_time="1:56 pm on 8 May, 2023")
    (session,) = read_locomo(written([one]))
    assert session.messages == [
        {"role": "user", "content": "Ana: Hello!", "id": "D1:1"},
        {"role": "user", "content": "Ben: Look. [shared an image: a red kite]", "id": "D1:2"},
    ]


def test_a_turn_without_words_and_image_is_left_out(written: Callable[[Any], Path]) -> None:
    turns = [*TURNS, {"speaker": "Ana", "dia_id": "D1:3", "text": " "}]
    one = sample(session_1=turns, session_1_date_time="1:56 pm on 8 May, 2023")
    (session,) = read_locomo(written([one]))
    assert [message["id"] for message in cast("list[Any]", session.messages)] == ["D1:1", "D1:2"]


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
    assert [session.session for session in read_locomo(written([one]))] == [
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
    assert parse_time(text, "here") == moment


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
def test_what_is_no_time_is_refused_with_its_place(text: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^here: "):
        parse_time(text, "here")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[", "not JSON"),
        ({"a": 1}, "not a list of conversations"),
        ([1], "conversation 0: has no conversation"),
        ([{"sample_id": 1, "conversation": {}}], "conversation 0: has no conversation"),
        ([sample(session_1=TURNS)], "conversation 0, session_1: None is no time"),
        (
            [sample(session_1="x", session_1_date_time="1:56 pm on 8 May, 2023")],
            "conversation 0, session_1: is no list of turns",
        ),
        (
            [sample(session_1=[{"text": "x"}], session_1_date_time="1:56 pm on 8 May, 2023")],
            "conversation 0, session_1, turn 0: names no speaker",
        ),
    ],
)
def test_what_is_no_locomo_file_is_refused_with_its_place(
    content: Any, message: str, written: Callable[[Any], Path]
) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_locomo(written(content))
    assert message in str(refused.value)
