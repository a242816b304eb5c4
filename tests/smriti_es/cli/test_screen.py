"""What reaches a terminal, and what a program reads."""

import json
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from smriti_es.cli.progress_bars import progress_bar
from smriti_es.cli.screen import Screen, json_line, one_line, plain, shortened

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(TEXTS)
def test_plain_text_holds_nothing_that_a_terminal_obeys(text: str) -> None:
    assert not any(
        (ord(character) < 32 and character not in "\t\n") or 127 <= ord(character) < 160
        for character in plain(text)
    )


def test_plain_text_shows_what_it_took_out() -> None:
    assert plain("a\x1b[31mb\r\x9bc\u202ed") == "a\\x1b[31mb\\r\\x9bc\\u202ed"


def test_plain_text_keeps_every_script() -> None:
    every = "नमस्ते ça 😀\t한국어\n"
    assert plain(every) == every


@given(TEXTS)
def test_one_line_is_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1


@pytest.mark.parametrize(
    ("text", "length", "expected"),
    [("short", 10, "short"), ("one two three", 8, "one two…"), ("a\n b", 9, "a b"), ("", 3, "")],
)
def test_a_shortened_text_says_that_it_is_cut(text: str, length: int, expected: str) -> None:
    assert shortened(text, length) == expected


@given(TEXTS)
def test_json_is_one_line_that_reads_back_and_commands_no_terminal(text: str) -> None:
    line = json_line({"text": text})
    assert json.loads(line) == {"text": text}
    assert len(line.splitlines()) == 1
    assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in line)


def screen_on(*, terminal: bool) -> tuple[Screen, StringIO]:
    stream = StringIO()
    console = Console(file=stream, force_terminal=terminal, width=100, _environ={"TERM": "xterm"})
    return Screen(as_json=False, out=console, err=console), stream


def test_progress_is_shown_on_a_terminal_with_what_is_done_and_in_all() -> None:
    screen, stream = screen_on(terminal=True)
    with progress_bar(screen, fold="making vectors") as progress:
        progress("fold", 5, 40)
        progress("fold", 40, 40)
    assert "making vectors" in stream.getvalue()
    assert "40/40" in stream.getvalue()


def test_progress_begins_again_with_each_phase() -> None:
    screen, stream = screen_on(terminal=True)
    with progress_bar(screen) as progress:
        progress("verify", 10, 10)
        progress("fold", 3, 10)
    assert "reading the log" in stream.getvalue()
    assert "3/10" in stream.getvalue()


def test_progress_is_silent_without_a_terminal() -> None:
    screen, stream = screen_on(terminal=False)
    with progress_bar(screen) as progress:
        progress("fold", 5, 10)
    assert stream.getvalue() == ""


def test_a_context_keeps_its_bytes_unless_a_terminal_shows_it() -> None:
    for terminal, expected in ((False, "a\x1bb\n"), (True, "a\\x1bb\n")):
        screen, stream = screen_on(terminal=terminal)
        screen.verbatim("a\x1bb")
        assert stream.getvalue() == expected
