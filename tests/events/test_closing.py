"""A closed database is one file that can be copied."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from smriti_es.engine import Engine

pytestmark = pytest.mark.sqlite_only("the write-ahead log of a file")


def test_closing_folds_the_write_ahead_log_into_the_file(
    engine: Callable[..., Engine], tmp_path: Path
) -> None:
    memory = engine()
    memory.add("rain", session="s1")
    assert memory.turns()
    memory.close()
    assert not (tmp_path / "memory.db-wal").exists()
    copy = tmp_path / "copy.db"
    copy.write_bytes((tmp_path / "memory.db").read_bytes())
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT count(*) FROM event").fetchone() == (3,)
