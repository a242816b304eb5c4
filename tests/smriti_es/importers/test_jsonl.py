"""JSON lines: sessions in, or the line that is at fault."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from smriti_es.events.errors import InvalidInput, NotFound
from smriti_es.importers import read_jsonl
from smriti_es.recording import SessionInput


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """Write lines, given as text or as what they hold, to a file."""

    def write(*lines: object) -> Path:
        file = tmp_path / "chats.jsonl"
        as_text = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        file.write_text("".join(f"{line}\n" for line in as_text), "utf-8")
        return file

    return write


def said(session: str, content: str, **more: object) -> dict[str, object]:
    return {"session": session, "role": "user", "content": content, **more}


def messages_of(session: SessionInput) -> list[object]:
    assert isinstance(session.messages, list)
    return session.messages


def test_lines_are_gathered_into_sessions_in_the_order_of_their_first_line(
    written: Callable[..., Path],
) -> None:
    first, second = read_jsonl(written(said("b", "one"), said("a", "two"), said("b", "three")))
    assert (first.session, second.session) == ("b", "a")
    assert first.messages == [
        {"role": "user", "content": "one"},
        {"role": "user", "content": "three"},
    ]


def test_what_a_message_carries_is_handed_on(written: Callable[..., Path]) -> None:
    line = said("a", "one", name="Mira", timestamp="2026-06-02", id="m1", tags=["x"], mood="good")
    (session,) = read_jsonl(written(line))
    assert session.messages == [{key: line[key] for key in line if key != "session"}]


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('{"session": "a", "session": "b", "role": "user", "content": "x"}', "session"),
        ('{"session": "a", "role": "user", "content": "x", "metadata": {"n": 1, "n": 2}}', "n"),
    ],
)
def test_a_line_that_names_a_key_twice_is_refused(
    line: str, key: str, written: Callable[..., Path]
) -> None:
    file = written(said("a", "one"), line)
    with pytest.raises(InvalidInput) as refused:
        read_jsonl(file)
    assert str(refused.value) == f"{file}:2: has the key {key!r} twice"
    assert refused.value.hint == "Keep one of the two."


def test_blank_lines_and_a_byte_order_mark_are_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "chats.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(said("a", "one")).encode() + b"\r\n\n  \n")
    (session,) = read_jsonl(file)
    assert session.messages == [{"role": "user", "content": "one"}]


def test_a_line_separator_of_unicode_within_a_text_ends_no_line(
    written: Callable[..., Path],
) -> None:
    line = json.dumps(said("a", "one\u2028two"), ensure_ascii=False)
    (session,) = read_jsonl(written(line))
    assert session.messages == [{"role": "user", "content": "one\u2028two"}]


def test_a_message_that_only_calls_tools_needs_no_content(written: Callable[..., Path]) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    (session,) = read_jsonl(written({"session": "a", "role": "assistant", "tool_calls": [call]}))
    assert len(messages_of(session)) == 1


def test_an_empty_file_has_no_sessions(written: Callable[..., Path]) -> None:
    assert read_jsonl(written()) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ("hello", "not JSON"),
        ("[1]", "not a JSON object"),
        ('{"session": "a", "role": "user", "content": NaN}', "not JSON: NaN is no number"),
        ({"role": "user", "content": "x"}, "has no 'session'"),
        ({"session": "a", "content": "x"}, "has no 'role'"),
        ({"session": "a", "role": "user"}, "has no 'content'"),
        ({"session": 7, "role": "user", "content": "x"}, "session must be text"),
        ({"session": " ", "role": "user", "content": "x"}, "session is blank"),
        (said("a", "x", timestamp="soon"), "timestamp is not a time: 'soon'"),
        (said("a", "x", origin="nobody"), "origin is 'nobody'"),
        (said("a", "x", tags="work"), "tags must be a list of texts"),
        (said("a", "x", metadata={"a": {"b": 1}}), "metadata"),
        ('{"session": "a", "role": "user", "content": "\\ud800"}', "content holds half"),
    ],
)
def test_a_line_that_cannot_be_recorded_is_named(
    line: object, message: str, written: Callable[..., Path]
) -> None:
    file = written(said("a", "fine"), "", line)
    with pytest.raises(InvalidInput) as refused:
        read_jsonl(file)
    assert str(refused.value).startswith(f"{file}:3: {message}")
    assert refused.value.hint


def test_one_id_for_two_messages_names_the_second_line(written: Callable[..., Path]) -> None:
    file = written(said("a", "one", id="m1"), said("b", "two", id="m1"), said("a", "3", id="m1"))
    with pytest.raises(InvalidInput, match=r":3: id 'm1' already stands for message 0"):
        read_jsonl(file)


def test_a_byte_that_is_not_utf_8_names_its_line(tmp_path: Path) -> None:
    file = tmp_path / "chats.jsonl"
    file.write_bytes(json.dumps(said("a", "one")).encode() + b'\n{"x": "\xff"}\n')
    with pytest.raises(InvalidInput, match=r":2: not UTF-8 at byte 7"):
        read_jsonl(file)


def test_a_session_of_more_messages_than_a_call_holds_comes_in_parts(
    written: Callable[..., Path],
) -> None:
    lines = [said("a", f"message {number}", id=f"m{number}") for number in range(10_001)]
    first, second = read_jsonl(written(*lines))
    assert (first.session, second.session) == ("a", "a")
    assert (len(messages_of(first)), len(messages_of(second))) == (10_000, 1)


def test_such_a_session_needs_something_to_recognise_each_message_by(
    written: Callable[..., Path],
) -> None:
    lines = [said("a", f"message {number}") for number in range(10_001)]
    with pytest.raises(InvalidInput, match=r":1: has neither id nor timestamp, in a session of 10"):
        read_jsonl(written(*lines))


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no such file: .*nowhere\.jsonl"):
        read_jsonl(tmp_path / "nowhere.jsonl")


def test_a_folder_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_jsonl(tmp_path)


def test_a_file_beyond_the_limit_is_refused_with_both_sizes(
    written: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smriti_es.importers.source.FILE_BYTES_MAX", 10)
    with pytest.raises(InvalidInput, match=r"has \d\d bytes, at most 10 are read"):
        read_jsonl(written(said("a", "one")))
