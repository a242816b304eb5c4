"""A memory is backed up while it is used, and restored; a copy that is not whole is none."""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from smriti_es.backing_up import back_up, restore
from smriti_es.embedders import Embedder
from smriti_es.engine import Engine
from smriti_es.events.errors import (
    Conflict,
    IntegrityError,
    InvalidInput,
    LogRolledBack,
    NotFound,
    StorageError,
)

Open = Callable[..., Engine]


@pytest.fixture
def memory(tmp_path: Path, embedder: Embedder) -> Engine:
    """A memory of two turns, with vectors; its checkpoint attests them."""
    opened = Engine.open(tmp_path / "memory.db", embedder=embedder, extractor=None)
    opened.add(["The kettle is red.", "The cup is blue."], session="s1", wait_for="vectors")
    opened.checkpoint()
    return opened


def said(path: Path) -> list[str]:
    with Engine.open(path, embedder=None, extractor=None, read_only=True) as opened:
        return [turn.text for turn in opened.turns()]


def test_a_backup_of_an_open_memory_holds_what_it_held(memory: Engine, tmp_path: Path) -> None:
    copied = back_up(tmp_path / "memory.db", tmp_path / "monday.db")
    (log,) = copied.logs
    status = memory.status()
    assert (log.tenant, log.log_id, log.events, log.head) == (
        "default",
        status.log_id,
        status.events,
        status.head,
    )
    memory.add("Later.", session="s1")
    assert said(tmp_path / "monday.db") == ["The kettle is red.", "The cup is blue."]
    memory.close()


def test_a_backup_is_for_its_owner_alone_and_nothing_lies_beside_it(
    memory: Engine, tmp_path: Path
) -> None:
    (tmp_path / "kept").mkdir()
    back_up(tmp_path / "memory.db", tmp_path / "kept" / "monday.db")
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["monday.db"]
    assert (tmp_path / "kept" / "monday.db").stat().st_mode & 0o777 == 0o600
    memory.close()


def test_who_writes_meanwhile_is_not_kept_waiting_and_the_copy_is_one_state(
    memory: Engine, tmp_path: Path
) -> None:
    enough = threading.Event()
    written: list[int] = []

    def write() -> None:
        while not enough.is_set():
            memory.add(f"Remark {len(written)}.", session="s1")
            written.append(1)

    writer = threading.Thread(target=write)
    writer.start()
    for number in range(3):
        seen = len(written)
        while len(written) < seen + 3:
            enough.wait(0.01)
        back_up(tmp_path / "memory.db", tmp_path / f"copy-{number}.db")
    enough.set()
    writer.join()
    memory.close()
    for number in range(3):
        with Engine.open(tmp_path / f"copy-{number}.db", embedder=None, read_only=True) as copy:
            assert copy.verify().ok
    assert len(said(tmp_path / "copy-2.db")) > len(said(tmp_path / "copy-0.db"))


def test_progress_tells_of_pages_and_then_of_events(memory: Engine, tmp_path: Path) -> None:
    seen: list[str] = []
    back_up(
        tmp_path / "memory.db",
        tmp_path / "monday.db",
        progress=lambda phase, done, total: seen.append(phase),
    )
    assert list(dict.fromkeys(seen)) == ["copy", "verify"]
    memory.close()


def test_nothing_is_replaced(memory: Engine, tmp_path: Path) -> None:
    (tmp_path / "monday.db").write_text("words")
    with pytest.raises(Conflict, match="there is a file at"):
        back_up(tmp_path / "memory.db", tmp_path / "monday.db")
    with pytest.raises(Conflict, match="there is a file at"):
        restore(tmp_path / "memory.db", tmp_path / "monday.db")
    assert (tmp_path / "monday.db").read_text() == "words"
    memory.close()


def test_a_damaged_memory_gives_no_backup_and_leaves_no_file(
    memory: Engine, tmp_path: Path
) -> None:
    memory.close()
    with closing(sqlite3.connect(tmp_path / "memory.db")) as raw, raw:
        raw.execute("UPDATE payload SET body = x'00' WHERE position = 1")
    with pytest.raises(IntegrityError, match="tenant default: position 1"):
        back_up(tmp_path / "memory.db", tmp_path / "monday.db")
    assert list(tmp_path.glob("monday*")) == []


def test_what_is_no_memory_is_not_backed_up(tmp_path: Path) -> None:
    (tmp_path / "words.db").write_text("words")
    with pytest.raises(StorageError):
        back_up(tmp_path / "words.db", tmp_path / "monday.db")
    with pytest.raises((NotFound, StorageError)):
        back_up(tmp_path / "nothing.db", tmp_path / "monday.db")
    assert not (tmp_path / "monday.db").exists()
    assert not (tmp_path / "nothing.db").exists()


def test_a_memory_on_a_server_is_left_to_the_server(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="server's own means") as caught:
        back_up("postgresql://db.example/memories", tmp_path / "monday.db")
    assert "pg_dump" in caught.value.hint
    with pytest.raises(InvalidInput, match="server's own means"):
        restore(tmp_path / "monday.db", "postgresql://db.example/memories")


def test_a_backup_is_restored_where_the_memory_was(memory: Engine, tmp_path: Path) -> None:
    back_up(tmp_path / "memory.db", tmp_path / "monday.db")
    memory.close()
    (tmp_path / "memory.db").unlink()
    (log,) = restore(tmp_path / "monday.db", tmp_path / "memory.db").logs
    assert log.behind is None
    with Engine.open(tmp_path / "memory.db", embedder=None, extractor=None) as again:
        again.add("On we go.", session="s1")
        assert again.verify().ok


def test_a_backup_from_before_the_newest_checkpoint_is_said_to_be_and_waits_for_an_owner(
    memory: Engine, tmp_path: Path
) -> None:
    back_up(tmp_path / "memory.db", tmp_path / "monday.db")
    memory.add("Later.", session="s1")
    memory.checkpoint()
    memory.close()
    (tmp_path / "memory.db").unlink()
    (log,) = restore(tmp_path / "monday.db", tmp_path / "memory.db").logs
    assert log.behind is not None
    assert "attests" in log.behind
    with Engine.open(tmp_path / "memory.db", embedder=None, extractor=None) as again:
        with pytest.raises(LogRolledBack):
            again.add("On we go.", session="s1")
        again.accept_restore(reason="The disk died.")
        again.add("On we go.", session="s1")
