"""Formats told apart, and files that are recorded once however often they are imported."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput
from smriti_es.importers import detect_format, read_sessions
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


@pytest.mark.parametrize(
    ("content", "name"),
    [('{"session": "a"}', "jsonl"), ("\n [1]", "locomo"), ("\ufeff[1]", "locomo")],
)
def test_a_format_is_told_from_the_first_character(content: str, name: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(content, "utf-8")
    assert detect_format(file) == name


@pytest.mark.parametrize("content", ["", "hello", "\n\n"])
def test_a_file_in_no_format_is_refused(content: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(content, "utf-8")
    with pytest.raises(InvalidInput, match="begins like neither"):
        read_sessions(file)


def test_a_format_that_is_named_is_not_guessed(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(json.dumps({"session": "a", "role": "user", "content": "x"}), "utf-8")
    name, (session,) = read_sessions(file, "jsonl")
    assert (name, session.session) == ("jsonl", "a")
    with pytest.raises(InvalidInput, match="not a list of conversations"):
        read_sessions(file, "locomo")


Open = Callable[..., Engine]


def test_a_grown_file_adds_only_what_is_new(engine: Open) -> None:
    memory = engine()
    said = [{"role": "user", "content": "one"}, {"role": "user", "content": "two"}]
    grown = [*said, {"role": "user", "content": "three"}]
    for messages in (said, grown, grown):
        batch = SessionInput(session="a", messages=messages)
        memory.add_many(recognisable([batch], space="main"))
    assert [turn.text for turn in memory.turns()] == ["one", "two", "three"]
