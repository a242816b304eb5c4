"""Sessions of coding agents, and haystacks of LongMemEval."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smriti_es.engine import Engine

AsJson = Callable[..., Path]
Read = Callable[[Path], Any]
Open = Callable[..., Engine]


@pytest.fixture
def lines(tmp_path: Path) -> Callable[..., Path]:
    """Write values to a file, one a line."""

    def write(*values: Any) -> Path:
        file = tmp_path / "session.jsonl"
        file.write_text("".join(f"{json.dumps(each)}\n" for each in values), "utf-8")
        return file

    return write


def record(number: int, role: str, content: Any, **more: Any) -> dict[str, Any]:
    said = {"message": {"role": role, "content": content}, "sessionId": "s1", "type": role}
    return {"uuid": f"u{number}", "timestamp": f"2026-01-15T10:00:0{number}Z", **said, **more}


def test_of_claude_code_what_was_said_is_kept_with_calls_of_tools(
    lines: Callable[..., Path], engine: Open
) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "kiln.py"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "heat()"}
    memory = engine()
    done = memory.import_file(
        lines(
            {"type": "summary", "sessionId": "s1"},
            record(1, "user", "Read it."),
            record(2, "assistant", [call]),
            record(3, "user", [result]),
            record(4, "user", "<meta>", isMeta=True),
            record(5, "assistant", "aside", isSidechain=True),
            {"type": "user", "sessionId": "s1"},
        )
    )
    assert (done.format, done.recorded) == ("claude-code", 3)
    assert [(each.place.line, each.reason) for each in done.left_out] == [
        (1, "bookkeeping"),
        (5, "hidden"),
        (6, "branch"),
        (7, "unreadable"),
    ]
    said, called, answered = memory.turns()
    assert (said.session, said.source_id, said.role) == ("claude-code:s1", "u1", "user")
    assert called.tool_calls == [{"id": "t1", "name": "Read", "arguments": {"path": "kiln.py"}}]
    assert (answered.text, answered.role, answered.tool_call_id) == ("heat()", "tool", "t1")


def test_of_codex_what_was_said_is_kept_with_calls_of_tools(
    lines: Callable[..., Path], engine: Open
) -> None:
    def item(**payload: Any) -> dict[str, Any]:
        return {"type": "response_item", "timestamp": "2026-01-15T10:00:00Z", "payload": payload}

    memory = engine()
    done = memory.import_file(
        lines(
            {"type": "session_meta", "payload": {"id": "s1"}},
            item(type="message", role="user", content=[{"type": "input_text", "text": "Go."}]),
            item(type="reasoning", summary=[]),
            item(type="function_call", name="shell", call_id="c1", arguments="ls"),
            item(type="function_call_output", call_id="c1", output="kiln.py"),
            {"type": "event_msg", "payload": {}},
        )
    )
    assert (done.format, done.recorded, done.reasons) == ("codex", 3, {"bookkeeping": 2})
    said, called, answered = memory.turns()
    assert (said.text, said.session) == ("Go.", "codex:s1")
    assert called.tool_calls == [{"id": "c1", "name": "shell", "arguments": "ls"}]
    assert (answered.text, answered.origin, answered.tool_call_id) == ("kiln.py", "tool", "c1")


def test_of_gemini_what_was_said_is_kept(as_json: AsJson, engine: Open) -> None:
    messages = [
        {"id": "1", "type": "user", "content": ["Go."], "timestamp": "2026-01-15T10:00:00Z"},
        {"id": "2", "type": "gemini", "content": "", "toolCalls": [{"id": "c", "name": "ls"}]},
        {"id": "3", "type": "info", "content": "x"},
    ]
    memory = engine()
    done = memory.import_file(as_json({"sessionId": "s1", "messages": messages}))
    assert (done.format, done.recorded, done.reasons) == ("gemini", 2, {"bookkeeping": 1})
    said, called = memory.turns()
    assert (said.text, said.session) == ("Go.", "gemini:s1")
    assert called.tool_calls == [{"id": "c", "name": "ls", "arguments": None}]


def haystack(**more: Any) -> dict[str, Any]:
    turns = [
        {"role": "user", "content": "I use stoneware."},
        {"role": "assistant", "content": "So."},
    ]
    return {
        "question_id": "q1",
        "haystack_session_ids": ["a", "a"],
        "haystack_dates": ["2023/05/30 (Tue) 23:40", "2023/05/31 (Wed) 08:00"],
        "haystack_sessions": [turns, turns[:1]],
        **more,
    }


def test_a_haystack_becomes_dated_sessions_of_its_question(as_json: AsJson, engine: Open) -> None:
    memory = engine(timezone="Asia/Kolkata")
    done = memory.import_file(as_json([haystack()]))
    assert (done.format, done.sessions, done.recorded) == ("longmemeval", 2, 3)
    first, second = memory.sessions()
    assert (first.name, second.name, first.tags) == ("q1:0:a", "q1:1:a", ("q1",))
    assert memory.turns()[0].said == "2023-05-30T18:10:00.000000Z"


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"haystack_dates": []}, "conversation 0: unreadable: has not as many dates and names"),
        (
            {"haystack_dates": ["soon", "2023/02/30 (Tue) 23:40"]},
            "conversation 0 (q1, session 0): unreadable: 'soon' is no time of a session",
        ),
        ({"haystack_sessions": {}}, "conversation 0: unreadable: its haystack_sessions is no JSON"),
    ],
)
def test_a_haystack_that_cannot_be_read_is_left_out_with_its_place(
    more: dict[str, Any], why: str, as_json: AsJson, read: Read
) -> None:
    found, left_out = read(as_json([haystack(**more)]))
    assert found == []
    assert left_out[0].startswith(why)
