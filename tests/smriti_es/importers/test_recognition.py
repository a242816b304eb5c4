"""Formats told apart, and files that are recorded once however often they are imported."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput
from smriti_es.importers import Conversation, find_source
from smriti_es.importers.recognition import recognisable
from smriti_es.recording import SessionInput
from smriti_es.settings import Settings

MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"session": st.sampled_from("ab"), "content": st.sampled_from(["ok", "yes", "no"])},
        optional={"timestamp": st.sampled_from(["2026-01-15", "2026-01-16"])},
    ),
    max_size=6,
)


def sessions_of(messages: Sequence[dict[str, Any]]) -> list[SessionInput]:
    by_name: dict[str, list[dict[str, Any]]] = {}
    for message in messages:
        rest = {key: value for key, value in message.items() if key != "session"}
        by_name.setdefault(message["session"], []).append({"role": "user", **rest})
    return [SessionInput(session=name, messages=said) for name, said in by_name.items()]


@given(MESSAGES)
def test_whatever_is_imported_twice_is_recorded_once(messages: list[dict[str, Any]]) -> None:
    sessions = recognisable(sessions_of(messages), space="main")
    settings = Settings(embed_in_background=False)
    with Engine.open(":memory:", embedder=None, settings=settings) as engine:
        engine.add_many(sessions)
        head = engine.head
        engine.add_many(sessions)
        assert engine.head == head


def test_a_session_that_is_known_by_times_or_ids_needs_no_key() -> None:
    timed = {"role": "user", "content": "ok", "timestamp": "2026-01-15"}
    named = {"role": "user", "content": "ok", "id": "m1"}
    given = [SessionInput(session="a", messages=[one]) for one in (timed, named)]
    given.append(SessionInput(session="b", messages=[{"role": "user", "content": "x"}], at="2026"))
    assert recognisable(given, space="main") == given


def test_keys_of_two_spaces_differ() -> None:
    one = [SessionInput(session="a", messages=[{"role": "user", "content": "ok"}])]
    keys = {recognisable(one, space=space)[0].idempotency_key for space in ("main", "other")}
    assert len(keys - {None}) == 2


def test_keys_of_two_tags_differ() -> None:
    one = SessionInput(session="a", messages=[{"role": "user", "content": "ok"}])
    (plain,) = recognisable([one], space="main")
    (tagged,) = recognisable([replace(one, tags=["x"])], space="main")
    assert plain.idempotency_key != tagged.idempotency_key


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ('{"session": "a", "role": "user"}', "jsonl"),
        ('{"session": "a", "session_tags": []}\n{"session": "a", "role": "user"}', "jsonl"),
        ('\n [{"sample_id": "a", "conversation": {}}]', "locomo"),
        ('\ufeff[{"mapping": {}, "id": "a"}]', "chatgpt"),
        ('{"mapping": {}, "id": "a"}', "chatgpt"),
        ('{"conversations": [{"mapping": {}, "id": "a"}]}', "chatgpt"),
        ('[{"uuid": "a", "chat_messages": []}]', "claude"),
        ('{"uuid": "a",\n "chat_messages": []}', "claude"),
        ('[{"question_id": "a", "haystack_sessions": []}]', "longmemeval"),
        ('[{"id": "a", "memory": "x"}]', "mem0"),
        ('{"results": []}', "mem0"),
        ('{"memories": [{"id": "a", "memory": "x"}]}', "mem0"),
        ('{"id": "a", "memory": "x"}\n{"id": "b", "memory": "y"}', "mem0"),
        ('{"format": "x", "version": 3, "episodes": []}', "smriti"),
        ('{"type": "user", "sessionId": "a", "message": {}}', "claude-code"),
        ('{"type": "session_meta", "payload": {"id": "a"}}', "codex"),
        ('{"sessionId": "a", "messages": []}', "gemini"),
    ],
)
def test_a_format_is_told_from_the_first_record(content: str, name: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(content, "utf-8")
    assert find_source(file).format == name


@pytest.mark.parametrize(
    "content", ["", "hello", "\n\n", "[]", "[1]", '{"a": 1}', "{}", '{\n"session": {}}']
)
def test_a_file_in_no_format_is_refused(content: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(content, "utf-8")
    with pytest.raises(InvalidInput, match="none of the known formats begins like this") as refused:
        find_source(file)
    assert "chatgpt, claude" in str(refused.value.hint)


def test_a_format_that_is_named_is_not_guessed(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(json.dumps({"session": "a", "role": "user", "content": "x"}), "utf-8")
    (read,) = find_source(file, "jsonl").items()
    assert isinstance(read, Conversation)
    assert find_source(file, "locomo").format == "locomo"


Open = Callable[..., Engine]


def test_a_grown_file_adds_only_what_is_new(engine: Open) -> None:
    memory = engine()
    said = [{"role": "user", "content": "one"}, {"role": "user", "content": "two"}]
    grown = [*said, {"role": "user", "content": "three"}]
    for messages in (said, grown, grown):
        batch = SessionInput(session="a", messages=messages)
        memory.add_many(recognisable([batch], space="main"))
    assert [turn.text for turn in memory.turns()] == ["one", "two", "three"]
