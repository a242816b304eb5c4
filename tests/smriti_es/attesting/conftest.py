"""A memory whose log is attested, and ways to do it harm."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from smriti_es.engine import Engine
from tests.places import Places

Open = Callable[..., Engine]


@pytest.fixture
def outside(attested: Engine) -> Callable[[str], Path]:
    """Where what belongs to the memory and not into its database lies: a key, a checkpoint."""
    database = attested._opened.database
    log = attested.status().log_id

    def path(kind: str) -> Path:
        found = database.beside(f"{kind}-{log}")
        assert found is not None
        return found

    return path


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
def older(
    attested: Engine, places: Places, say: Callable[..., None], engine: Open
) -> Callable[[], Engine]:
    """Keep a copy of the database, go on to a newer checkpoint, and open the copy in its place."""
    copy = places.copied("memory.db")
    say(3)
    attested.checkpoint()

    def put_back() -> Engine:
        attested.close()
        places.put_back("memory.db", copy)
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
