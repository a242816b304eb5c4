"""A file that was deleted, moved or replaced under an open database takes no more writes."""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from smriti_es.engine import Engine
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.errors import StorageUnavailable
from smriti_es.events.header import Actor
from smriti_es.events.log import EventLog
from smriti_es.events.records import NewEvent
from smriti_es.events.verification import verify_log

pytestmark = pytest.mark.sqlite_only("a file can be moved and replaced")

Turn = Callable[..., NewEvent]


def unlink_all(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()


def test_an_append_to_a_deleted_file_is_refused_and_makes_no_new_one(
    log: EventLog, database: SqliteDatabase, turn: Turn, owner: Actor
) -> None:
    log.append([turn("before")], actor=owner)
    unlink_all(database.path)
    with pytest.raises(StorageUnavailable, match="is gone: it was moved or deleted") as caught:
        log.append([turn("after")], actor=owner)
    assert "nothing was written" in caught.value.hint
    assert not database.path.exists()


def test_every_caller_of_a_group_is_told(
    log: EventLog, database: SqliteDatabase, turn: Turn, owner: Actor
) -> None:
    unlink_all(database.path)

    def append(number: int) -> type[Exception] | None:
        try:
            log.append([turn(f"{number}")], actor=owner)
        except StorageUnavailable as error:
            return type(error)
        return None

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(append, range(16))) == {StorageUnavailable}


def test_a_file_that_is_put_back_is_written_to_again(
    log: EventLog, database: SqliteDatabase, turn: Turn, owner: Actor
) -> None:
    away = database.path.with_name("away.db")
    database.path.rename(away)
    with pytest.raises(StorageUnavailable, match="is gone"):
        log.append([turn("meanwhile")], actor=owner)
    away.rename(database.path)
    assert log.append([turn("after")], actor=owner).first == 1
    assert verify_log(log).ok


def test_another_file_in_its_place_is_not_written_to(
    log: EventLog, database: SqliteDatabase, turn: Turn, owner: Actor, tmp_path: Path
) -> None:
    other = tmp_path / "other.db"
    shutil.copyfile(database.path, other)
    other.replace(database.path)
    before = database.path.read_bytes()
    with pytest.raises(StorageUnavailable, match="is another file now"):
        log.append([turn("after")], actor=owner)
    assert database.path.read_bytes() == before


def test_a_file_that_goes_before_the_first_write_is_not_made_anew(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "new.db")
    (tmp_path / "new.db").unlink()
    with pytest.raises(StorageUnavailable, match="is gone"), database.write():
        pass
    database.close()
    assert not (tmp_path / "new.db").exists()


def test_an_engine_over_a_deleted_file_says_so_and_closes(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Engine.open(path, embedder=None) as memory:
        memory.add("I live in Pune.", session="s1")
        unlink_all(path)
        with pytest.raises(StorageUnavailable, match="is gone"):
            memory.add("I live in Oslo.", session="s1")
        assert [turn.text for turn in memory.turns()] == ["I live in Pune."]
    assert not path.exists()
