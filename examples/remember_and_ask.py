"""A conversation goes in, dated evidence comes out, and the log proves it."""

from pathlib import Path
from tempfile import TemporaryDirectory

from smriti_es import Engine

with TemporaryDirectory() as folder, Engine.open(Path(folder) / "memory.db") as engine:
    engine.add(
        [{"role": "user", "content": "I live in Hyderabad."}],
        session="january",
        at="2026-01-15T10:00:00Z",
    )
    engine.add(
        [{"role": "user", "content": "I moved to Bengaluru yesterday."}],
        session="june",
        at="2026-06-02T10:00:00Z",
        wait_for="vectors",
    )
    print(engine.context("Where do I live?", now="2026-07-01"))
    print("log and projections are right:", engine.verify().ok)
