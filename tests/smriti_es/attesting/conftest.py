"""A memory whose log is attested, and ways to do it harm."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from smriti_es.engine import Engine

Open = Callable[..., Engine]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What copies the file and puts it back is about files."""
    for item in items:
        if "file" in getattr(item, "fixturenames", ()) and "attesting" in item.nodeid:
            item.add_marker(pytest.mark.sqlite_only("an older copy of the file is put back"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the memory lies."""
    return tmp_path / "memory.db"


@pytest.fixture
def attested(engine: Open) -> Engine:
    """A memory of two turns (positions 1 to 3), its key at 4, and a checkpoint of 5 events."""
    memory = engine(extractor=None)
    memory.add(["The kettle is red.", "The cup is blue."], session="s1", at="2026-01-01")
    assert memory.checkpoint().size == 5
    return memory


@pytest.fixture
def say(attested: Engine) -> Callable[..., None]:
    """Let the memory record so many turns more."""

    def run(count: int = 1) -> None:
        for number in range(count):
            attested.add(f"Remark {number} of {attested.head}.", session="s1")

    return run


@pytest.fixture
def tamper(file: Path) -> Callable[..., int]:
    """Run SQL on the memory's file behind the library's back; gives how many rows it changed."""

    def run(statement: str, *values: Any) -> int:
        with closing(sqlite3.connect(file)) as connection, connection:
            return connection.execute(statement, values).rowcount

    return run


@pytest.fixture
def older(
    attested: Engine, file: Path, say: Callable[..., None], engine: Open
) -> Callable[[], Engine]:
    """Keep a copy of the database, go on to a newer checkpoint, and open the copy in its place."""
    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(f"{file}.copy")) as copy:
        source.backup(copy)
    say(3)
    attested.checkpoint()

    def put_back() -> Engine:
        attested.close()
        for left in (f"{file}-wal", f"{file}-shm"):
            Path(left).unlink(missing_ok=True)
        shutil.copy(f"{file}.copy", file)
        return engine(extractor=None)

    return put_back


@pytest.fixture
def unreadable() -> Callable[[Path, int], Any]:
    """Change the rights of a file for as long as a block lasts."""

    @contextmanager
    def change(path: Path, mode: int) -> Iterator[None]:
        before = path.stat().st_mode
        path.chmod(mode)
        yield
        path.chmod(before)

    return change
