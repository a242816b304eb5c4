"""Claude's export: messages in order, of one branch, with attachments of their own origin."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smriti_es.engine import Engine

AsJson = Callable[..., Path]
Read = Callable[[Path], Any]
Open = Callable[..., Engine]
ROOT = "00000000-0000-4000-8000-000000000000"


def said(name: str, sender: str, text: str, **more: Any) -> dict[str, Any]:
    return {
        "uuid": name,
        "sender": sender,
        "text": text,
        "created_at": "2026-01-15T10:00:00Z",
    } | more


def conversation(*messages: Any, **more: Any) -> dict[str, Any]:
    about = {"uuid": "c1", "name": "Kilns", "created_at": "2026-01-15T09:59:00.5Z"}
    return {**about, "chat_messages": list(messages), **more}


def test_messages_become_turns_with_their_ids_and_times(as_json: AsJson, engine: Open) -> None:
    given = conversation(said("m1", "human", "Which clay?"), said("m2", "assistant", "Stoneware."))
    memory = engine()
    done = memory.import_file(as_json([given]))
    assert (done.format, done.sessions, done.recorded, done.left_out) == ("claude", 1, 2, ())
    first, second = memory.turns()
    assert (first.text, first.role, first.source_id) == ("Which clay?", "user", "m1")
    assert (first.said, first.origin) == ("2026-01-15T10:00:00.000000Z", "owner")
    assert (second.role, second.origin) == ("assistant", "agent")
    (session,) = memory.sessions()
    assert session.name == "claude:c1"
    assert session.metadata == {"conversation_id": "c1", "source": "claude", "title": "Kilns"}


def test_parts_are_read_and_thoughts_are_not(as_json: AsJson, engine: Open) -> None:
    parts = [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "text", "text": "I look.", "citations": []},
        {"type": "tool_use", "id": "t1", "name": "web_search", "input": {"query": "clay"}},
        {
            "type": "tool_result",
            "tool_use_id": "t1",
            "content": [{"type": "text", "text": "Clay."}],
        },
        {"type": "token_budget"},
    ]
    memory = engine()
    memory.import_file(as_json([conversation(said("m1", "assistant", "", content=parts))]))
    (turn,) = memory.turns()
    assert turn.text == "I look. Clay."
    assert turn.tool_calls == [{"id": "t1", "name": "web_search", "arguments": {"query": "clay"}}]


def test_what_was_attached_is_a_turn_of_its_own_that_nobody_said(
    as_json: AsJson, engine: Open
) -> None:
    attached = [{"file_name": "notes.txt", "extracted_content": "I live in Oslo."}]
    files = [{"file_name": "notes.txt"}, {"file_name": "kiln.png"}]
    given = said("m1", "human", "Read this.", attachments=attached, files=files)
    memory = engine()
    memory.import_file(as_json([conversation(given)]))
    spoken, document = memory.turns()
    assert spoken.text == "Read this. [file: notes.txt] [file: kiln.png]"
    assert (document.text, document.origin) == ("I live in Oslo.", "untrusted")
    assert (document.kind, document.metadata) == ("attachment", {"file": "notes.txt"})
    assert [each.origin for each in memory.facts("user", "lives_in")] == ["untrusted"]


def test_of_a_tree_the_branch_of_the_last_message_is_taken(as_json: AsJson, read: Read) -> None:
    given = conversation(
        said("m1", "human", "Which clay?", parent_message_uuid=ROOT),
        said("m2", "assistant", "Porcelain.", parent_message_uuid="m1"),
        said("m3", "assistant", "Stoneware.", parent_message_uuid="m1"),
    )
    ((found,), left_out) = read(as_json([given]))
    assert [each["content"] for each in found.messages] == ["Which clay?", "Stoneware."]
    assert left_out == [
        "conversation 0 (Kilns), message 1: branch: it does not lead to the last message"
    ]


def test_messages_whose_parents_lead_nowhere_are_all_taken(as_json: AsJson, read: Read) -> None:
    given = conversation(
        said("m1", "human", "Which clay?", parent_message_uuid="gone"),
        said("m2", "assistant", "Stoneware.", parent_message_uuid="lost"),
    )
    ((found,), left_out) = read(as_json([given]))
    assert (len(found.messages), left_out) == (2, [])


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (7, "conversation 0: unreadable: the conversation is no JSON object"),
        ({"chat_messages": []}, "conversation 0: unreadable: its uuid is no id"),
        (
            {"uuid": "c9", "chat_messages": {}},
            "conversation 0: unreadable: its chat_messages is no JSON list",
        ),
        (
            conversation(7),
            "conversation 0 (Kilns), message 0: unreadable: the message is no JSON object",
        ),
    ],
)
def test_what_is_no_conversation_is_left_out_with_its_place(
    entry: Any, why: str, as_json: AsJson, engine: Open
) -> None:
    done = engine().import_file(as_json([entry]), format="claude")
    assert [str(each).split(": ", 1)[1] for each in done.left_out] == [why]


def test_a_conversation_without_messages_makes_no_session(as_json: AsJson, engine: Open) -> None:
    memory = engine()
    assert memory.import_file(as_json([conversation()])).sessions == 0
    assert memory.sessions() == []
