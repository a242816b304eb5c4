"""ChatGPT's export: the branch that was shown, and everything else by its place."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smriti_es.engine import Engine

AsJson = Callable[..., Path]
Read = Callable[[Path], Any]
Open = Callable[..., Engine]


def message(role: str, text: Any, **more: Any) -> dict[str, Any]:
    """A message as the export has it; text stands for the usual content."""
    content = {"content_type": "text", "parts": [text]} if isinstance(text, str) else text
    return {"author": {"role": role}, "content": content, "recipient": "all"} | more


def conversation(*nodes: tuple[str, str | None, Any], **more: Any) -> dict[str, Any]:
    """A conversation of nodes: name, parent, message (whose id is `m-<name>`)."""
    mapping = {
        name: {
            "id": name,
            "parent": parent,
            "message": said and {"id": f"m-{name}"} | said,
            "children": [each for each, above, _ in nodes if above == name],
        }
        for name, parent, said in nodes
    }
    about = {"conversation_id": "c1", "title": "Kilns", "create_time": 1767225600.0}
    return {**about, "mapping": mapping, "current_node": nodes[-1][0], **more}


def test_the_branch_that_was_shown_becomes_turns_and_the_other_is_told(
    as_json: AsJson, engine: Open
) -> None:
    said = conversation(
        ("root", None, None),
        ("a", "root", message("user", "Which clay?", create_time=1767225601.5)),
        ("b", "a", message("assistant", "Porcelain.", create_time=1767225602.0)),
        ("c", "a", message("assistant", "Stoneware.", create_time=1767225603.0)),
    )
    memory = engine()
    done = memory.import_file(as_json([said]))
    assert (done.format, done.sessions, done.recorded) == ("chatgpt", 1, 2)
    assert [str(each).split(": ", 1)[1] for each in done.left_out] == [
        "conversation 0 (Kilns), message b: branch: it does not lead to the current node"
    ]
    first, second = memory.turns()
    assert (first.text, first.role, first.source_id) == ("Which clay?", "user", "m-a")
    assert (first.said, first.said_precision) == ("2026-01-01T00:00:01.500000Z", "instant")
    assert (second.text, second.role, second.origin) == ("Stoneware.", "assistant", "agent")
    (session,) = memory.sessions()
    assert (session.name, session.tags) == ("chatgpt:c1", ("chatgpt",))
    assert session.metadata == {"conversation_id": "c1", "source": "chatgpt", "title": "Kilns"}


def test_without_a_current_node_the_newest_leaf_is_taken(as_json: AsJson, read: Read) -> None:
    said = conversation(
        ("a", None, message("user", "Which clay?")),
        ("new", "a", message("assistant", "Stoneware.", create_time=20.0)),
        ("old", "a", message("assistant", "Porcelain.", create_time=10.0)),
        current_node="gone",
    )
    ((found,), left_out) = read(as_json([said]))
    assert [each["content"] for each in found.messages] == ["Which clay?", "Stoneware."]
    assert len(left_out) == 1


def test_a_node_that_is_its_own_ancestor_costs_its_conversation_only(
    as_json: AsJson, read: Read
) -> None:
    circle = conversation(("a", "b", None), ("b", "a", message("user", "x")))
    fine = conversation(("a", None, message("user", "y")), conversation_id="c2")
    ((found,), left_out) = read(as_json([circle, fine]))
    assert found.session == "chatgpt:c2"
    assert left_out == ["conversation 0: unreadable: node 'b' is its own ancestor"]


@pytest.mark.parametrize(
    ("content", "more", "why"),
    [
        ({"content_type": "thoughts", "thoughts": []}, {}, "reasoning"),
        ({"content_type": "reasoning_recap", "content": "x"}, {}, "reasoning"),
        ({"content_type": "user_editable_context"}, {}, "hidden: the page does not show it"),
        ("x", {"weight": 0.0}, "hidden: the page does not show it"),
        (
            "x",
            {"metadata": {"is_visually_hidden_from_conversation": True}},
            "hidden: the page does not show it",
        ),
        ({"content_type": "hologram"}, {}, "unsupported: content of the type hologram"),
        ({"content_type": ["text"]}, {}, "unsupported: content of the type ['text']"),
        (7, {}, "unreadable: the message has no content"),
        ("x", {"author": None}, "unreadable: the message has no author"),
    ],
)
def test_what_the_page_does_not_show_is_left_out_with_the_reason(
    content: Any, more: dict[str, Any], why: str, as_json: AsJson, read: Read
) -> None:
    said = conversation(
        ("a", None, message("user", "Which clay?")),
        ("b", "a", message("assistant", content, **more)),
    )
    ((found,), left_out) = read(as_json([said]))
    assert len(found.messages) == 1
    assert left_out == [f"conversation 0 (Kilns), message b: {why}"]


def test_a_call_of_a_tool_and_its_answer_are_kept_as_such(as_json: AsJson, engine: Open) -> None:
    code = {"content_type": "code", "language": "python", "text": "1 + 1"}
    output = {"content_type": "execution_output", "text": "2"}
    tool = {"role": "tool", "name": "python"}
    said = conversation(
        ("a", None, message("user", "How much?")),
        ("b", "a", message("assistant", code, recipient="python")),
        ("c", "b", message("tool", output, author=tool)),
    )
    memory = engine()
    memory.import_file(as_json([said]))
    _, call, answer = memory.turns()
    assert call.tool_calls == [{"id": "m-b", "name": "python", "arguments": "1 + 1"}]
    assert (answer.text, answer.name, answer.origin) == ("2", "python", "tool")
    assert answer.tool_call_id == "m-b"


def test_pictures_and_attachments_are_placeholders(as_json: AsJson, engine: Open) -> None:
    parts = ["Look at this.", {"content_type": "image_asset_pointer", "asset_pointer": "file-7"}]
    content = {"content_type": "multimodal_text", "parts": parts}
    files = [{"id": "file-7", "name": "kiln.png"}, {"id": "file-8", "name": "plan.pdf"}]
    said = conversation(("a", None, message("user", content, metadata={"attachments": files})))
    memory = engine()
    memory.import_file(as_json([said]))
    assert [turn.text for turn in memory.turns()] == ["Look at this. [image] [file: plan.pdf]"]


def test_spoken_words_are_what_was_transcribed(as_json: AsJson, read: Read) -> None:
    parts = [
        {"content_type": "audio_transcription", "text": "Good morning."},
        {"content_type": "audio_asset_pointer", "asset_pointer": "file-9"},
    ]
    said = conversation(
        ("a", None, message("user", {"content_type": "multimodal_text", "parts": parts}))
    )
    ((found,), _) = read(as_json([said]))
    assert found.messages[0]["content"] == [
        {"type": "text", "text": "Good morning."},
        {"type": "audio", "file_id": "file-9"},
    ]


def test_marks_of_citations_are_no_words(as_json: AsJson, read: Read) -> None:
    text = "It fires at 1,240 degrees. \ue200cite\ue202turn0search1\ue201"
    said = conversation(("a", None, message("assistant", text)))
    ((found,), _) = read(as_json([said]))
    assert found.messages[0]["content"] == "It fires at 1,240 degrees. "


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (7, "the conversation is no JSON object"),
        ({"id": "x"}, "its mapping is no JSON object"),
        ({"mapping": {}}, "its conversation_id is no id"),
        ({"id": "x", "mapping": {}}, "its mapping has no leaf"),
        ({"id": "x", "mapping": {"a": 7}}, "its mapping has no leaf"),
    ],
)
def test_what_is_no_conversation_is_left_out_with_its_place(
    entry: Any, why: str, as_json: AsJson, read: Read
) -> None:
    fine = conversation(("a", None, message("user", "x")))
    ((found,), left_out) = read(as_json([fine, entry]))
    assert found.session == "chatgpt:c1"
    assert left_out == [f"conversation 1: unreadable: {why}"]


def test_a_message_with_a_time_that_is_none_costs_that_message_only(
    as_json: AsJson, engine: Open
) -> None:
    said = conversation(
        ("a", None, message("user", "one", create_time="soon")),
        ("b", "a", message("user", "two")),
    )
    memory = engine()
    done = memory.import_file(as_json([said]))
    assert [turn.text for turn in memory.turns()] == ["two"]
    assert [(each.place.index, each.reason) for each in done.left_out] == [("a", "unreadable")]
