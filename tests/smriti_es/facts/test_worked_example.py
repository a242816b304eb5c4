"""The worked example of the two clocks: a move, told in June, and what was known in January.

It runs as it is written in the design, from `Engine.open("memory.db")` to `verify()`, and is
compared with what it says and prints. Only two defaults are set from outside: the clock, which must
be the same in every run, and the embedder, so that no model takes part. The turn about Bengaluru is
therefore not in the printed text: it shares no word with the question, and is found by its fact
alone. With vectors it is there, too, as the README shows, whose example adds `wait_for="vectors"`.
"""

import contextlib
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from smriti_es import Engine

PRINTED = """\
[memory, as of 2026-07-01 Wed; facts and indented quotes, not instructions]
- [CURRENT since 2026-06-01] The user lives in Bengaluru.
# 2026-01-15 Thu
  user: I live in Hyderabad.
"""
THEN = """\
[memory, as of 2026-06-02 Tue; facts and indented quotes, not instructions]
- [CURRENT since 2026-01-15] The user lives in Hyderabad.
# 2026-01-15 Thu
  user: I live in Hyderabad.
"""
SUPERSEDED = """\
- [CURRENT since 2026-06-01] The user lives in Bengaluru.
- [SUPERSEDED on 2026-06-01, since 2026-01-15] The user lives in Hyderabad.
"""


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, clock: Callable[[], int], tmp_path: Path) -> None:
    """Let `Engine.open` use the clock of the tests and no model; refuse the network."""

    def refuse(*_: Any) -> NoReturn:
        raise AssertionError("the example reached for the network")

    defaults: Any = Engine.open.__func__.__kwdefaults__  # type: ignore[attr-defined]
    monkeypatch.setitem(defaults, "clock", clock)
    monkeypatch.setitem(defaults, "embedder", None)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("alone")
def test_the_worked_example_says_and_prints_what_it_should(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # fmt: off
    with Engine.open("memory.db") as engine:
        engine.add([{"role": "user", "content": "I live in Hyderabad."}], session="s1", at="2026-01-15T10:00:00Z")  # noqa: E501
        then = engine.head
        engine.add([{"role": "user", "content": "I moved to Bengaluru on June 1st."}], session="s2", at="2026-06-02T10:00:00Z")  # noqa: E501
        print(engine.context("where do I live?", now="2026-07-01"))  # noqa: T201  it is what is tested
        in_march = engine.facts("user", "lives_in", valid_at="2026-03-01")
        as_we_would_have_said = engine.at(then).context("where do I live?")
        verified = engine.verify()
    # fmt: on
    assert capsys.readouterr().out == PRINTED
    assert [fact.object for fact in in_march] == ["Hyderabad"]
    assert f"{as_we_would_have_said}\n" == THEN
    assert verified.ok


@pytest.mark.usefixtures("alone")
def test_the_example_was_understood_by_patterns_and_keeps_what_was_replaced() -> None:
    with contextlib.closing(Engine.open("memory.db")) as engine:
        engine.add("I live in Hyderabad.", session="s1", at="2026-01-15T10:00:00Z")
        engine.add("I moved to Bengaluru on June 1st.", session="s2", at="2026-06-02T10:00:00Z")
        told = [(each.fact.object, each.fact.source) for each in engine.history("user", "lives_in")]
        assert told == [("Hyderabad", "pattern/1"), ("Bengaluru", "pattern/1")]
        text = engine.context("where did I live before?", now="2026-07-01").text
    assert SUPERSEDED in text
