"""`serve ui` as a process: it says where the page is, and ends when it is told to."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx

from smriti_es.engine import Engine

LIMIT_S = 60


def test_the_page_is_served_until_the_process_is_told_to_end(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "memory.db", embedder=None) as engine:
        engine.add("I live in Pune.", session="s1")
    command = [sys.executable, "-m", "smriti_es", "serve", "ui", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--db", str(tmp_path / "memory.db")],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "SMRITI_ES_EMBEDDER": "none", "COLUMNS": "200"},
    )
    try:
        assert process.stderr is not None
        found = re.search(r"the memory can be looked at: (\S+)", process.stderr.readline())
        assert found is not None
        answer = httpx.get(f"{found[1]}/turns", trust_env=False, timeout=LIMIT_S)
        assert "I live in Pune." in answer.text
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate(timeout=LIMIT_S)
    finally:
        process.kill()
        process.communicate()
    assert told == ""
    with Engine.open(tmp_path / "memory.db", embedder=None) as engine:
        assert engine.verify().ok
