"""The outermost layer: errors in one line, exit codes, clean streams, whatever the locale."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from smriti_es.cli import app
from smriti_es.events.errors import ChainBroken
from smriti_es.version import __version__

Call = Callable[..., Any]

READING = [
    ("context", "where?"),
    ("search", "where?"),
    ("turns",),
    ("sessions",),
    ("status",),
    ("log", "tail"),
    ("log", "verify"),
    ("projections", "status"),
    ("projections", "check"),
    ("review", "list"),
    ("quarantine", "list"),
    ("impact", "--session", "s1"),
    ("without", "--session", "s1"),
    ("trust",),
]


def verbs(command: Any, *above: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, inner in getattr(command, "commands", {}).items():
        yield from verbs(inner, *above, name)
    if not hasattr(command, "commands"):
        yield above, command


VERBS = dict(verbs(get_command(app)))


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_every_verb_has_a_line_of_help_and_examples(words: tuple[str, ...]) -> None:
    command = VERBS[words]
    assert command.help.endswith(".")
    assert "\n" not in command.help
    assert f"smriti-es {' '.join(words)}" in command.epilog


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_every_verb_takes_the_shared_options(words: tuple[str, ...]) -> None:
    options = {option for parameter in VERBS[words].params for option in parameter.opts}
    assert {"--db", "--tenant", "--space", "--timezone", "--embedder", "--json"} <= options


def test_the_version_is_told(call: Call) -> None:
    assert call("--version").out == f"smriti-es {__version__}\n"


@pytest.mark.parametrize("words", [(), ("log",), ("projections",)])
def test_a_group_alone_shows_its_help(words: tuple[str, ...], call: Call) -> None:
    done = call(*words)
    assert (done.code, done.err) == (0, "")
    assert "Usage: smriti-es" in done.out


@pytest.mark.parametrize(
    ("arguments", "message", "see"),
    [
        (("serch", "x"), "No such command 'serch'. Did you mean 'search', 'serve'?", ""),
        (("search",), "Missing argument 'QUESTION'.", " search"),
        (("search", "x", "--nope"), "No such option: --nope", " search"),
        (("log", "tail", "-n", "many"), "Invalid value for '-n'", " log tail"),
    ],
)
def test_a_call_that_cannot_be_read_is_one_line_with_a_hint(
    arguments: tuple[str, ...], message: str, see: str, call: Call
) -> None:
    done = call(*arguments)
    assert (done.code, done.out) == (2, "")
    error, hint = done.err.splitlines()
    assert error.startswith(f"error: {message}")
    assert hint == f"hint: See smriti-es{see} --help."


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_reading_a_memory_that_is_not_there_is_an_error_and_makes_none(
    words: tuple[str, ...], call: Call, tmp_path: Path
) -> None:
    done = call(*words)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"error: there is no memory at {tmp_path / 'memory.db'}\n"
        "hint: `smriti-es init` or `smriti-es add` makes one; --db names another file.\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_a_tenant_that_does_not_exist_is_an_error(words: tuple[str, ...], two_homes: Call) -> None:
    done = two_homes(*words, "--tenant", "bob")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: no tenant 'bob' in ")


def test_reading_leaves_no_trace_in_the_log(two_homes: Call) -> None:
    before = two_homes("status", "--json").json["head"]
    for words in READING:
        two_homes(*words)
    assert two_homes("status", "--json").json["head"] == before


def test_a_file_that_is_no_memory_is_an_error(call: Call, tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_bytes(b"dear diary, " * 1000)
    done = call("status")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert done.err.count("\n") == 2


def test_options_may_stand_before_the_verb_and_after_it(two_homes: Call, tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    two_homes("--db", file, "add", "elsewhere")
    for arguments in (("--db", file, "--json", "turns"), ("turns", "--db", file, "--json")):
        assert [turn["text"] for turn in two_homes(*arguments).lines] == ["elsewhere"]


def test_options_may_stand_between_a_group_and_its_verb(two_homes: Call) -> None:
    assert len(two_homes("log", "--json", "tail", "-n", 1).lines) == 1


def test_what_stands_after_the_verb_wins(two_homes: Call, tmp_path: Path) -> None:
    done = two_homes("--db", tmp_path / "nowhere.db", "turns", "--db", tmp_path / "memory.db")
    assert done.code == 0


def test_the_command_line_wins_over_the_environment(two_homes: Call, tmp_path: Path) -> None:
    done = two_homes("--db", tmp_path / "memory.db", "turns", SMRITI_ES_DB="nowhere.db")
    assert done.code == 0


def test_tenant_space_and_zone_may_come_from_the_environment(call: Call) -> None:
    chosen = {
        "SMRITI_ES_TENANT": "mira",
        "SMRITI_ES_SPACE": "garden",
        "SMRITI_ES_TIMEZONE": "Asia/Kolkata",
    }
    call("add", "The figs are ripe.", "--at", "2026-06-02", **chosen)
    (turn,) = call("turns", "--json", **chosen).lines
    assert (turn["space"], turn["said_at"]) == ("garden", "2026-06-01T18:30:00.000000Z")
    assert call("status", "--json", **chosen).json["tenant"] == "mira"


def test_a_memory_remembers_the_zone_that_it_was_founded_with(call: Call) -> None:
    call("init", "--timezone", "Asia/Kolkata")
    call("add", "The figs are ripe.", "--at", "2026-06-02")
    (turn,) = call("turns", "--json").lines
    assert turn["said_at"] == "2026-06-01T18:30:00.000000Z"


def test_a_memory_that_is_not_what_was_written_ends_a_call_with_1(
    two_homes: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ChainBroken("position 3: the chain is broken", position=3)

    monkeypatch.setattr("smriti_es.engine.Engine.turns", broken)
    done = two_homes("turns")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error: position 3: the chain is broken\nhint: Run ")


def test_an_interrupted_call_is_quiet(two_homes: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("smriti_es.engine.Engine.turns", interrupted)
    done = two_homes("turns")
    assert (done.code, done.out, done.err) == (130, "", "")


def test_what_somebody_said_cannot_command_the_terminal(call: Call) -> None:
    call("add", "red \x1b[31mor\x07 not \u202e", "--session", "s\x1b[2J")
    for words in (("turns",), ("sessions",), ("search", "red"), ("log", "tail", "--content")):
        out = call(*words).out
        assert "\x1b" not in out
        assert "\u202e" not in out
    assert "red \\x1b[31mor\\x07 not" in call("turns").out


def test_an_error_quotes_what_was_given_in_one_harmless_line(two_homes: Call) -> None:
    done = two_homes("turns", "--session", "no\nsuch\x1b[31m")
    assert done.err.count("\n") == 2
    assert "\x1b" not in done.err


def test_a_process_answers_in_json_and_nothing_else(process: Call) -> None:
    assert process("add", "I live in Pune.", "--session", "s1", "--json").json["positions"] == [3]
    done = process("search", "where do I live?", "--json")
    assert (done.code, len(done.json["hits"]), done.err) == (0, 1, "")


def test_a_process_that_fails_prints_no_traceback(process: Call, tmp_path: Path) -> None:
    done = process("search", "where do I live?", "--json")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: there is no memory at ")
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "locale",
    [
        {"LANG": "C", "LC_ALL": "C"},
        {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
    ],
)
def test_any_script_survives_any_locale(locale: dict[str, str], process: Call) -> None:
    said = "नमस्ते, ça va? 😀"
    assert process("add", "-", "--session", "s1", stdin=said.encode(), **locale).code == 0
    (turn,) = process("turns", "--json", **locale).lines
    assert turn["text"] == said
    assert process("turns", **locale).code == 0


def test_nobody_reading_any_more_ends_a_process_quietly(
    process: Call, environment: dict[str, str], tmp_path: Path
) -> None:
    process("add", "one", "--no-wait")
    for arguments in (["turns"], ["turns", "--json"], ["context", "one"]):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(
            [sys.executable, "-m", "smriti_es", *arguments],
            cwd=tmp_path,
            env=environment,
            stdout=writer,
            stderr=subprocess.PIPE,
            timeout=120,
            check=False,
        )
        os.close(writer)
        assert done.returncode == 141
        assert b"Broken" not in done.stderr
        assert b"Traceback" not in done.stderr


def test_a_followed_log_ends_quietly_when_it_is_interrupted(
    process: Call, environment: dict[str, str], tmp_path: Path
) -> None:
    process("add", "one", "--no-wait", "--embedder", "none")
    following = subprocess.Popen(
        [sys.executable, "-m", "smriti_es", "log", "tail", "--follow", "--json"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert following.stdout is not None
    seen = [json.loads(following.stdout.readline())["position"] for _ in range(3)]
    process("add", "two", "--no-wait", "--embedder", "none")
    seen.append(json.loads(following.stdout.readline())["position"])
    following.send_signal(signal.SIGINT)
    _, errors = following.communicate(timeout=60)
    assert (seen, following.returncode, errors) == ([0, 1, 2, 3], 130, b"")


def test_importing_the_command_line_loads_neither_database_nor_model(
    environment: dict[str, str], tmp_path: Path
) -> None:
    code = "import json, sys, smriti_es.cli; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        timeout=120,
        check=True,
    )
    loaded = {name.split(".")[0] for name in json.loads(done.stdout)}
    assert loaded & {"sqlalchemy", "numpy", "onnxruntime", "hnswlib", "httpx", "alembic"} == set()


@pytest.mark.parametrize(
    ("line", "word", "offered"),
    [("smriti-es ten", 1, ["tenant"]), ("smriti-es tenant mo", 2, ["move"])],
)
def test_a_shell_completes_verbs(
    line: str, word: int, offered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    completing = {"_SMRITI_ES_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": word}
    done = CliRunner().invoke(
        app, [], prog_name="smriti-es", env={k: str(v) for k, v in completing.items()}
    )
    assert done.output.split() == offered
