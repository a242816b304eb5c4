"""`serve`: what is refused before anything listens."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]
ELSEWHERE = ("--host", "192.0.2.1")


@pytest.mark.parametrize(
    "words",
    [
        ("rest",),
        ("ui",),
        ("mcp", "--transport", "http"),
        ("proxy", "--upstream", "http://localhost:9/v1"),
    ],
)
def test_nothing_listens_beyond_this_machine_without_a_key(
    words: tuple[str, ...], call: Call, tmp_path: Path
) -> None:
    done = call("serve", *words, *ELSEWHERE)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: 192.0.2.1 can be reached from other machines")
    assert not (tmp_path / "memory.db").exists()


def test_a_proxy_sends_only_to_where_the_profile_allows(call: Call, tmp_path: Path) -> None:
    upstream = ("--upstream", "https://api.example.com/v1")
    done = call("serve", "proxy", *upstream, "--profile", "local")
    assert done.code == 2
    assert "api.example.com" in done.err
    assert not (tmp_path / "memory.db").exists()


def test_a_page_to_look_at_a_memory_makes_none(call: Call, tmp_path: Path) -> None:
    done = call("serve", "ui", "--port", "0")
    assert done.code == 2
    assert "there is no memory at" in done.err
    assert not (tmp_path / "memory.db").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("mcp", "--transport", "pigeon"), "there is no transport 'pigeon'"),
        (("mcp", "--transport", "http", "--port", "70000"), "70000 is no port"),
        (("proxy", "--upstream", "ftp://x"), "no http or https URL"),
        (("proxy",), "Missing option '--upstream'"),
    ],
)
def test_what_cannot_be_served_is_told(words: tuple[str, ...], told: str, call: Call) -> None:
    done = call("serve", *words)
    assert done.code == 2
    assert told in done.err
