"""Run the command line: in this process, or as a process of its own."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import smriti_es
from smriti_es.cli import app
from smriti_es.embedders import HashEmbedder
from smriti_es.engine import Engine
from smriti_es.events.instants import parse_instant
from smriti_es.settings import Settings

SETTINGS = (
    *("DB", "TENANT", "SPACE", "TIMEZONE", "EMBEDDER", "EMBEDDER_KEY"),
    *("EXTRACTOR", "LLM", "LLM_KEY", "PROFILE", "ALLOWED_HOSTS", "REDACT", "IGNORE"),
)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a call ended.

    Attributes:
        code: Exit code.
        out: What it wrote to stdout.
        err: What it wrote to stderr.
    """

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on stdout."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """The lines of JSON on stdout."""
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    """The environment of a call: a memory in the test's folder, vectors without a model, no facts.

    A test that wants facts names the extractor.
    """
    return {
        "SMRITI_ES_DB": str(tmp_path / "memory.db"),
        "SMRITI_ES_EMBEDDER": "hash",
        "SMRITI_ES_EXTRACTOR": "none",
    }


@pytest.fixture
def call(settings: dict[str, str], tmp_path: Path, monkeypatch: Any) -> Callable[..., Ended]:
    """Call the command line in this process; keywords are environment variables."""
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()

    def run(*arguments: object, stdin: str | bytes = "", **environment: str | None) -> Ended:
        unset = {f"SMRITI_ES_{name}": None for name in SETTINGS}
        done = runner.invoke(
            app,
            [str(argument) for argument in arguments],
            input=stdin,
            env={**unset, **settings, **environment},
        )
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return Ended(done.exit_code, done.stdout, done.stderr)

    return run


@pytest.fixture
def environment(settings: dict[str, str]) -> dict[str, str]:
    """The environment of a process of its own, which finds the same package as this one."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SMRITI_ES_")}
    found_in = str(Path(smriti_es.__file__).parents[1])
    return {**kept, **settings, "PYTHONPATH": found_in}


@pytest.fixture
def process(environment: dict[str, str], tmp_path: Path) -> Callable[..., Ended]:
    """Call the command line as a process; keywords are environment variables."""

    def run(*arguments: object, stdin: bytes = b"", **more: str) -> Ended:
        done = subprocess.run(
            [sys.executable, "-m", "smriti_es", *map(str, arguments)],
            cwd=tmp_path,
            env=environment | more,
            input=stdin,
            capture_output=True,
            timeout=120,
            check=False,
        )
        return Ended(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))

    return run


@pytest.fixture
def behind_the_back(tmp_path: Path) -> Callable[..., int]:
    """Run SQL on the memory's file past the library; gives how many rows it changed."""

    def run(statement: str, *values: Any) -> int:
        with closing(sqlite3.connect(tmp_path / "memory.db")) as connection, connection:
            return connection.execute(statement, values).rowcount

    return run


@pytest.fixture(scope="session")
def written_memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory of turns in which somebody has moved, closed and to be copied."""
    file = tmp_path_factory.mktemp("written") / "memory.db"
    settings = Settings(embed_in_background=False)
    with Engine.open(file, embedder=HashEmbedder(), extractor=None, settings=settings) as memory:
        for text, session, at, tag in (
            ("I live in Hyderabad, near the lake.", "s1", "2026-01-15T10:00:00Z", "home"),
            ("My sister plays the veena.", "s1", "2026-01-15T10:01:00Z", "family"),
            ("I live in Bengaluru now.", "s2", "2026-06-02T10:00:00Z", "home"),
        ):
            memory.add(text, session=session, at=at, tags=[tag])
        memory.wait_for_vectors()
    return file


@pytest.fixture(scope="session")
def believing_memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory with facts, each known on the day on which it was said; closed and to be copied.

    Positions of the facts: 5 (Hyderabad), 9 (Bengaluru), 11 (a Fiat), 12 (Atlas).
    """
    file = tmp_path_factory.mktemp("believing") / "memory.db"
    day = ["2023-01-01"]

    def clock() -> int:
        return parse_instant(day[0]).at

    settings = Settings(embed_in_background=False)
    with Engine.open(file, embedder=HashEmbedder(), settings=settings, clock=clock) as memory:
        for text, session, said in (
            ("I live in Hyderabad.", "s1", "2023-01-15"),
            ("I moved to Bengaluru on June 1st.", "s2", "2023-06-02"),
        ):
            day[0] = said
            memory.add(text, session=session, at=said)
        day[0] = "2023-07-01"
        memory.assert_fact("user", "drives", "a Fiat", valid_from="2023-02", valid_to="2023-05-01")
        memory.assert_fact("Atlas", "deadline", "September", scope="project:Atlas")
        memory.wait_for_vectors()
    return file


@pytest.fixture
def moved(
    call: Callable[..., Ended],
    settings: dict[str, str],
    believing_memory: Path,
    tmp_path: Path,
) -> Callable[..., Ended]:
    """The command line with patterns, over a memory that believes that somebody has moved."""
    shutil.copyfile(believing_memory, tmp_path / "memory.db")
    del settings["SMRITI_ES_EXTRACTOR"]
    return call


class Model:
    """A chat service on loopback that gives its answers in order, and the last one for ever after.

    Attributes:
        address: What `--llm` takes.
        asked: What it was asked, call by call.
        keys: The bearer token of each call, or None.
    """

    def __init__(self, loopback: Any) -> None:
        self._loopback = loopback
        self.address = f"{loopback.address}#small"

    @property
    def asked(self) -> list[Any]:
        return [body["messages"] for _, _, body in self._loopback.requests]

    @property
    def keys(self) -> list[str | None]:
        return [headers.get("Authorization") for _, headers, _ in self._loopback.requests]

    def says(self, *answers: Any) -> None:
        """Set the answers: a text, a number for a status of HTTP, anything else as JSON."""
        self._loopback.answers.clear()
        for each in answers:
            said = each if isinstance(each, (str, int)) else json.dumps(each)
            message = {"role": "assistant", "content": said}
            body = {"choices": [{"message": message, "finish_reason": "stop"}]}
            status = each if isinstance(each, int) else 200
            self._loopback.sends(json.dumps(body).encode(), status=status)


@pytest.fixture
def model(loopback: Any) -> Model:
    """A language model of one's own."""
    return Model(loopback)


@pytest.fixture
def two_homes(
    call: Callable[..., Ended], written_memory: Path, tmp_path: Path
) -> Callable[..., Ended]:
    """The command line, over a memory in which somebody has moved."""
    shutil.copyfile(written_memory, tmp_path / "memory.db")
    return call
