"""`serve rest` as a process: it says where it listens, and finishes what is under way."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest

from smriti_es.engine import Engine
from smriti_es.serving.access_keys import AccessKeys

LIMIT_S = 120
ADDRESS = re.compile(r"serving REST at (\S+)")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Start a server over `memory.db`; gives the process."""
    started: list[subprocess.Popen[str]] = []

    def run(*options: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "smriti_es", "serve", "rest", "--port", "0", *options]
        started.append(
            subprocess.Popen(
                [*command, "--db", str(tmp_path / "memory.db")],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env={**os.environ, "SMRITI_ES_EMBEDDER": "none", "COLUMNS": "200"},
            )
        )
        return started[-1]

    yield run
    for process in started:
        process.kill()
        process.communicate()


def address(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    found = ADDRESS.search(process.stderr.readline())
    assert found is not None
    return found[1]


def test_it_finishes_what_is_under_way_when_it_is_told_to_end(
    start: Callable[..., Any], tmp_path: Path
) -> None:
    server = start()
    at = address(server)
    answers: list[int] = []

    def write() -> None:
        with httpx.Client(base_url=at, trust_env=False, timeout=LIMIT_S) as client:
            for number in range(200):
                said = {"session": f"s{number}", "messages": [f"Turn {number}."]}
                try:
                    answers.append(client.post("/v1/turns", json=said).status_code)
                except httpx.HTTPError:
                    return
                if number == 5:
                    server.send_signal(signal.SIGTERM)

    thread = Thread(target=write)
    thread.start()
    thread.join(LIMIT_S)
    server.wait(LIMIT_S)
    assert len(answers) >= 6
    assert set(answers) == {201}
    with Engine.open(tmp_path / "memory.db", embedder=None) as engine:
        assert len(engine.turns(limit=10_000)) >= len(answers)
        assert engine.verify().ok


def test_it_does_not_listen_beyond_this_machine_without_a_key(
    start: Callable[..., Any], tmp_path: Path
) -> None:
    server = start("--host", "0.0.0.0")
    _, told = server.communicate(timeout=LIMIT_S)
    assert server.returncode == 2
    assert "there is no access key" in told
    assert not (tmp_path / "memory.db").exists()


def test_what_keeps_the_memory_from_opening_is_told_at_once(
    start: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "memory.db").write_bytes(b"this is no memory, whatever its name says" * 100)
    server = start()
    _, told = server.communicate(timeout=LIMIT_S)
    assert server.returncode == 2
    assert told.startswith("error: ")


def test_two_servers_on_one_file_see_what_each_other_wrote(
    start: Callable[..., Any], tmp_path: Path
) -> None:
    _, key = AccessKeys.beside(str(tmp_path / "memory.db")).add("laptop", role="owner")
    one, two = address(start()), address(start())
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(trust_env=False, timeout=LIMIT_S, headers=headers) as client:
        said = {"session": "s1", "messages": ["I live in Pune."]}
        assert client.post(f"{one}/v1/turns", json=said).status_code == 201
        found = client.post(f"{two}/v1/search", json={"question": "Pune"}).json()
        assert [hit["turn"]["text"] for hit in found["hits"]] == ["I live in Pune."]
        assert httpx.get(f"{two}/v1/status", trust_env=False).status_code == 401
