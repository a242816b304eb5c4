"""JSON lines: sessions in, or the line that is at fault."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from smriti_es.captured import Limits
from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput, NotFound
from smriti_es.importers import Conversation, LeftOut, find_source
from smriti_es.importing import Imported
from smriti_es.settings import Settings

Open = Callable[..., Engine]


def conversations(file: Path) -> list[Conversation]:
    """Read a file of which every line can be read."""
    items = list(find_source(file, "jsonl").items())
    assert all(isinstance(each, Conversation) for each in items)
    return [each for each in items if isinstance(each, Conversation)]


def imported(memory: Engine, file: Path) -> Imported:
    return memory.import_file(file, format="jsonl")


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


def test_lines_are_gathered_into_sessions_in_the_order_of_their_first_line(
    written: Callable[..., Path],
) -> None:
    first, second = conversations(written(said("b", "one"), said("a", "two"), said("b", "three")))
    assert (first.session, second.session) == ("b", "a")
    assert first.messages == [
        {"role": "user", "content": "one"},
        {"role": "user", "content": "three"},
    ]


def test_what_a_message_carries_is_handed_on(written: Callable[..., Path]) -> None:
    line = said("a", "one", name="Mira", timestamp="2026-06-02", id="m1", tags=["x"], mood="good")
    (session,) = conversations(written(line))
    assert session.messages == [{key: line[key] for key in line if key != "session"}]


def test_blank_lines_and_a_byte_order_mark_are_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "chats.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(said("a", "one")).encode() + b"\r\n\n  \n")
    (session,) = conversations(file)
    assert session.messages == [{"role": "user", "content": "one"}]


def test_a_line_separator_of_unicode_within_a_text_ends_no_line(
    written: Callable[..., Path],
) -> None:
    line = json.dumps(said("a", "one\u2028two"), ensure_ascii=False)
    (session,) = conversations(written(line))
    assert session.messages == [{"role": "user", "content": "one\u2028two"}]


def test_a_message_that_only_calls_tools_needs_no_content(written: Callable[..., Path]) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    (session,) = conversations(written({"session": "a", "role": "assistant", "tool_calls": [call]}))
    assert len(session.messages) == 1


def test_an_empty_file_has_no_sessions(written: Callable[..., Path]) -> None:
    assert conversations(written()) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ("hello", "not JSON"),
        ("[1]", "not a JSON object"),
        (
            '{"session": "a", "session": "b", "role": "user", "content": "x"}',
            "has the key 'session'",
        ),
        (
            '{"session": "a", "role": "user", "content": "x", "m": {"n": 1, "n": 2}}',
            "has the key 'n'",
        ),
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
        ("[" * 100_000, "not JSON"),
    ],
)
def test_a_line_that_cannot_be_recorded_is_left_out_with_its_place(
    line: object, message: str, written: Callable[..., Path], engine: Open
) -> None:
    file = written(said("a", "fine"), "", line, said("a", "fine, too"))
    memory = engine()
    (left_out,) = imported(memory, file).left_out
    assert str(left_out).startswith(f"{file}:3: unreadable: {message}")
    assert (left_out.place.line, left_out.is_fault) == (3, True)
    assert [turn.text for turn in memory.turns()] == ["fine", "fine, too"]


def test_strictly_such_a_line_keeps_the_whole_file_out(
    written: Callable[..., Path], engine: Open
) -> None:
    file = written(said("a", "fine"), said("a", "x", timestamp="soon"), "{")
    memory = engine()
    with pytest.raises(InvalidInput) as refused:
        memory.import_file(file, strict=True)
    assert str(refused.value).startswith(f"{file}:2: unreadable: timestamp is not a time: 'soon'")
    assert str(refused.value).endswith(", and 1 more like it")
    assert memory.sessions() == []


def test_one_id_for_two_messages_leaves_out_the_second(
    written: Callable[..., Path], engine: Open
) -> None:
    file = written(said("a", "one", id="m1"), said("b", "two", id="m1"), said("a", "3", id="m1"))
    (left_out,) = imported(engine(), file).left_out
    assert str(left_out) == f"{file}:3: unreadable: id 'm1' already stands for another message"


def test_a_byte_that_is_not_utf_8_ends_the_reading_and_is_named(
    tmp_path: Path, engine: Open
) -> None:
    file = tmp_path / "chats.jsonl"
    line = json.dumps(said("a", "one")).encode()
    file.write_bytes(line + b'\n{"x": "\xff"}\n' + line)
    done = imported(engine(), file)
    assert done.recorded == 1
    assert [str(each) for each in done.left_out] == [
        f"{file}:2: unreadable: not UTF-8 at byte 7; nothing was read after it"
    ]


@pytest.fixture
def of_three(engine: Open) -> Engine:
    """A memory that takes three messages in a call."""
    return engine(settings=Settings(limits=Limits(messages_max=3), embed_in_background=False))


def test_a_session_of_more_messages_than_a_call_holds_comes_in_parts(
    written: Callable[..., Path], of_three: Engine
) -> None:
    file = written(*(said("a", f"message {number}", id=f"m{number}") for number in range(7)))
    assert (imported(of_three, file).sessions, imported(of_three, file).recorded) == (1, 0)
    assert [turn.text for turn in of_three.turns()] == [f"message {number}" for number in range(7)]


def test_such_a_session_needs_something_to_recognise_each_message_by(
    written: Callable[..., Path], of_three: Engine
) -> None:
    lines = [said("a", f"message {number}", timestamp="2026-01-15") for number in range(3)]
    file = written(*lines, said("a", "unknown"))
    done = imported(of_three, file)
    assert done.recorded == 3
    assert [str(each) for each in done.left_out] == [
        f"{file}:4: unreadable: has neither id nor timestamp, in a session of 4 messages"
    ]


def test_what_a_session_carries_is_handed_on(written: Callable[..., Path], engine: Open) -> None:
    about = {"session": "a", "session_tags": ["trip"], "session_metadata": {"title": "Lisbon"}}
    memory = engine()
    imported(memory, written(about, said("a", "one")))
    (session,) = memory.sessions()
    assert (session.tags, session.metadata) == (("trip",), {"title": "Lisbon"})


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no such file: .*nowhere\.jsonl"):
        conversations(tmp_path / "nowhere.jsonl")


def test_a_file_beyond_the_limit_is_refused_with_both_sizes(
    written: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smriti_es.importers.source.FILE_BYTES_MAX", 10)
    with pytest.raises(InvalidInput, match=r"has \d\d bytes, at most 10 are read"):
        conversations(written(said("a", "one")))


def test_a_line_beyond_the_limit_ends_the_reading(
    written: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(said("a", "one"), said("a", "two" * 100))
    monkeypatch.setattr("smriti_es.importers.source.LINE_BYTES_MAX", 100)
    left_out, read = find_source(file, "jsonl").items()
    assert isinstance(left_out, LeftOut)
    assert str(left_out) == (
        f"{file}:2: unreadable: has more than 100 bytes; nothing was read after it"
    )
    assert isinstance(read, Conversation)
    assert [each["content"] for each in read.messages] == ["one"]
