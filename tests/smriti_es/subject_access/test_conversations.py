"""The conversations of a memory in a file, which another memory takes as they are."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput
from smriti_es.results import RecordedTurn
from smriti_es.subject_access.export import Form

Open = Callable[..., Engine]


def turns(memory: Engine) -> list[RecordedTurn]:
    """The turns, without what is of this memory: positions, and when it learned of them."""
    found = memory.turns(limit=1_000)
    return [replace(each, position=0, known=0) for each in found]


def contents(memory: Engine) -> list[Any]:
    found: list[Any] = [each.event for each in memory.events() if hasattr(each.event, "said_text")]
    return [(each.content, each.extra, each.tool_calls) for each in found]


@pytest.fixture
def spoken(engine: Open) -> Engine:
    """A memory with a turn of every kind."""
    memory = engine("spoken.db")
    call = {"id": "c1", "name": "look", "arguments": {"q": 1}}
    messages: list[Any] = [
        {"role": "user", "content": "One.\u2028Two.", "timestamp": "2026-01-15T10:00:00+05:30"},
        {"role": "user", "content": "It was in May.", "timestamp": "2025-05", "id": "m2"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "found", "tool_call_id": "c1", "name": "look"},
        {"role": "user", "content": [{"type": "text", "text": "See"}, {"type": "image"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "name": "look", "input": {}}]},
        {"role": "Mira", "content": "Hello.", "mood": "good", "tags": ["x"], "kind": "greeting"},
        {"role": "captain", "name": "Ben", "content": "Aye.", "metadata": {"n": 1}},
        {"role": "user", "content": "Paste.", "origin": "untrusted"},
        {"role": "user", "content": "ok"},
        {"role": "user", "content": "ok"},
    ]
    title = {"title": "Lisbon\nin May"}
    memory.add(messages, session="a", session_tags=["trip"], session_metadata=title)
    memory.add("Later.", session="b")
    memory.add("More.", session="a")
    return memory


def test_what_is_written_as_lines_and_imported_gives_equal_turns(
    spoken: Engine, engine: Open, tmp_path: Path
) -> None:
    file = tmp_path / "chats.jsonl"
    written = spoken.export_conversations(file)
    assert (written.sessions, written.turns, written.form) == (2, 13, "jsonl")
    other = engine("other.db")
    done = other.import_file(file)
    assert (done.format, done.recorded, done.left_out) == ("jsonl", 13, ())

    def in_order(memory: Engine) -> list[RecordedTurn]:
        dated = [replace(each, said_precision="any") for each in turns(memory)]
        return sorted(dated, key=lambda each: (each.session, each.ordinal))

    assert in_order(other) == in_order(spoken)
    (session, _) = other.sessions()
    assert (session.tags, session.metadata) == (("trip",), {"title": "Lisbon\nin May"})
    assert sorted(map(repr, contents(other))) == sorted(map(repr, contents(spoken)))
    assert other.import_file(file).recorded == 0
    other.export_conversations(tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_text("utf-8") == file.read_text("utf-8")


def test_what_is_withheld_or_erased_is_in_neither_form(spoken: Engine, tmp_path: Path) -> None:
    hidden, gone = spoken.turns(limit=2)
    spoken.quarantine(turn=hidden.position)
    spoken.erase(turn=gone.position)
    forms: tuple[Form, ...] = ("jsonl", "markdown")
    for form in forms:
        file = tmp_path / form
        assert spoken.export_conversations(file, form=form).turns == 11
        text = file.read_text("utf-8")
        assert "One." not in text
        assert "in May." not in text
        assert "Later." in text


def test_a_page_shows_who_said_what_and_nothing_said_is_markup(
    engine: Open, tmp_path: Path
) -> None:
    memory = engine()
    memory.add(
        [{"role": "user", "content": "# Not a heading\n```\nx", "timestamp": "2026-01-15"}],
        session="a *b*",
    )
    memory.export_conversations(tmp_path / "page.md", form="markdown")
    lines = (tmp_path / "page.md").read_text("utf-8").splitlines()
    assert [line for line in lines if line.startswith("#")] == [
        "# Conversations",
        "## a \\*b\\*",
        "### user, 2026-01-15",
        "# Not a heading",
    ]
    fences = [line for line in lines if line.startswith("````")]
    assert len(fences) == 2


def test_a_file_that_is_there_is_not_replaced(spoken: Engine, tmp_path: Path) -> None:
    file = tmp_path / "chats.jsonl"
    file.write_text("mine", "utf-8")
    with pytest.raises(InvalidInput, match="there is a file at"):
        spoken.export_conversations(file)
    with pytest.raises(InvalidInput, match="form is 'csv'"):
        spoken.export_conversations(tmp_path / "x", form="csv")  # type: ignore[arg-type]
    assert file.read_text("utf-8") == "mine"


def test_several_spaces_are_not_mixed_in_one_file(engine: Open, tmp_path: Path) -> None:
    engine(space="other").add("x", session="a")
    memory = engine(spaces=["main", "other"])
    with pytest.raises(InvalidInput, match="2 spaces are read"):
        memory.export_conversations(tmp_path / "x")
