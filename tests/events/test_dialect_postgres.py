"""PostgreSQL: locks, snapshots, timeouts, lost connections, and what is never told."""

import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import text

from smriti_es.engine import Engine
from smriti_es.events.catalogue import TurnRecorded
from smriti_es.events.database import rows_are_new
from smriti_es.events.dialect_postgres import PostgresDatabase
from smriti_es.events.errors import (
    IntegrityError,
    InvalidInput,
    NotAllowed,
    StorageBusy,
    StorageDamaged,
    StorageUnavailable,
)
from smriti_es.events.header import Actor
from smriti_es.events.log import EventLog
from smriti_es.events.records import NewEvent
from smriti_es.events.registry import Founding, open_log
from smriti_es.events.verification import verify_log
from tests.postgres_places import PostgresPlaces, connect

Turn = Callable[..., NewEvent]
PATIENCE_S = 30


@pytest.fixture
def place() -> Iterator[str]:
    """The URL of a database with the schema."""
    places = PostgresPlaces()
    yield places.named("memory.db")
    places.close()


@pytest.fixture
def server_database(place: str) -> Iterator[PostgresDatabase]:
    opened = PostgresDatabase(place, busy_timeout_ms=5_000)
    yield opened
    opened.close()


@pytest.fixture
def server_log(server_database: PostgresDatabase, clock: Any) -> EventLog:
    return open_log(server_database, "default", clock=clock, founding=Founding("UTC", "test"))


def kill_connections(place: str) -> int:
    """Let the server end every other connection to a database, as a restart would."""
    with connect(place) as ours:
        ended = ours.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).fetchone()
    assert ended is not None
    return int(ended[0])


def texts(log: EventLog) -> list[str]:
    return [each.event.text for each in log.read(1) if isinstance(each.event, TurnRecorded)]


def test_two_logs_are_written_at_the_same_time_and_one_log_is_not(
    place: str, server_database: PostgresDatabase, server_log: EventLog, clock: Any
) -> None:
    other = open_log(server_database, "other", clock=clock, founding=Founding("UTC", "test"))
    impatient = PostgresDatabase(place, busy_timeout_ms=200)
    with server_database.write(server_log.log):
        with impatient.write(other.log) as connection:
            assert connection.execute(text("SELECT 1")).scalar() == 1
        with pytest.raises(StorageBusy), impatient.write(server_log.log):
            pass
        with pytest.raises(StorageBusy), impatient.write():
            pass
    with impatient.write():
        pass
    impatient.close()


def test_a_held_database_keeps_the_writers_of_other_connections_out(
    place: str, server_database: PostgresDatabase, server_log: EventLog
) -> None:
    impatient = PostgresDatabase(place, busy_timeout_ms=200)
    with server_database.held():
        with server_database.held(), server_database.write():
            pass
        with server_database.write(server_log.log), impatient.read() as connection:
            assert connection.execute(text("SELECT count(*) FROM event")).scalar() == 1
        with pytest.raises(StorageBusy), impatient.write(server_log.log):
            pass
    with impatient.write(server_log.log):
        pass
    impatient.close()


def test_a_long_task_is_claimed_by_one_at_a_time(
    place: str, server_database: PostgresDatabase
) -> None:
    other = PostgresDatabase(place)
    with server_database.exclusive("rebuild") as won:
        assert won
        with other.exclusive("rebuild") as also, other.exclusive("another") as instead:
            assert (also, instead) == (False, True)
    with other.exclusive("rebuild", wait_s=1.0) as now:
        assert now
    other.close()


def test_a_claim_ends_with_the_connection_that_made_it(
    place: str, server_database: PostgresDatabase
) -> None:
    other = PostgresDatabase(place)
    with server_database.exclusive("rebuild"):
        kill_connections(place)
        with other.exclusive("rebuild", wait_s=5.0) as won:
            assert won
    other.close()


def test_a_read_sees_one_state_however_long_it_lasts_and_cannot_write(
    server_database: PostgresDatabase, server_log: EventLog, turn: Turn, owner: Actor
) -> None:
    count = text("SELECT count(*) FROM event")
    with server_database.read() as connection:
        before = connection.execute(count).scalar()
        server_log.append([turn()], actor=owner)
        assert connection.execute(count).scalar() == before == 1
    with pytest.raises(StorageUnavailable, match="read-only"), server_database.read() as connection:
        connection.execute(text("DELETE FROM event"))


def test_a_commit_is_durable_though_the_server_would_have_it_otherwise(
    place: str, server_database: PostgresDatabase
) -> None:
    with connect(place) as ours:
        ours.execute(f'ALTER DATABASE "{ours.info.dbname}" SET synchronous_commit = off')
    try:
        fresh = PostgresDatabase(place)
        with fresh.write() as connection:
            assert connection.execute(text("SHOW synchronous_commit")).scalar() == "on"
        fresh.close()
    finally:
        with connect(place) as ours:
            ours.execute(f'ALTER DATABASE "{ours.info.dbname}" RESET synchronous_commit')


def test_connections_that_the_server_ended_are_replaced_before_anybody_notices(
    place: str, server_log: EventLog, turn: Turn, owner: Actor
) -> None:
    server_log.append([turn("before")], actor=owner)
    assert kill_connections(place) >= 1
    server_log.append([turn("after")], actor=owner)
    assert texts(server_log) == ["before", "after"]
    assert verify_log(server_log).ok


def test_an_append_whose_connection_is_lost_in_the_middle_is_written_once(
    place: str, server_log: EventLog, turn: Turn, owner: Actor
) -> None:
    lost: list[int] = []

    def lose(step: str) -> None:
        if step == "events inserted" and not lost:
            lost.append(kill_connections(place))

    server_log.on_step = lose
    server_log.append([turn("once")], actor=owner)
    assert lost == [1]
    assert texts(server_log) == ["once"]
    assert verify_log(server_log).ok


@pytest.mark.parametrize("committed", [True, False])
def test_a_commit_that_was_not_heard_of_is_told_as_it_ended(
    committed: bool,
    place: str,
    server_database: PostgresDatabase,
    server_log: EventLog,
    turn: Turn,
    owner: Actor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The connection breaks around COMMIT: behind it, it stands; before it, it is done again."""
    broken: list[bool] = []
    commit = server_database._engine.dialect.do_commit

    def break_off(driver: Any) -> None:
        if broken:
            return commit(driver)
        broken.append(True)
        if committed:
            driver.execute("COMMIT")
        kill_connections(place)
        driver.execute("SELECT 1")  # the driver finds out, as it would in COMMIT
        return None

    monkeypatch.setattr(server_database._engine.dialect, "do_commit", break_off)
    server_log.append([turn("once")], actor=owner)
    assert broken == [True]
    assert texts(server_log) == ["once"]
    assert server_log.head == 1
    assert verify_log(server_log).ok


def test_a_deadlock_is_tried_again_and_nobody_sees_it(
    place: str, server_log: EventLog, turn: Turn, owner: Actor
) -> None:
    with connect(place) as ours:
        ours.execute("SET deadlock_timeout = '10s'")
        ours.autocommit = False
        ours.execute("LOCK TABLE payload IN EXCLUSIVE MODE")
        locked = threading.Event()

        def cross(step: str) -> None:
            if step == "head locked" and not locked.is_set():
                locked.set()

        server_log.on_step = cross

        def wait_for_the_head() -> None:
            locked.wait(PATIENCE_S)
            ours.execute("SELECT FROM log FOR UPDATE")
            ours.rollback()

        other = threading.Thread(target=wait_for_the_head)
        other.start()
        server_log.append([turn("through")], actor=owner)
        other.join(PATIENCE_S)
    assert texts(server_log) == ["through"]


def test_a_database_that_is_only_read_takes_no_write(place: str, server_log: EventLog) -> None:
    reading = PostgresDatabase(place, read_only=True)
    with pytest.raises(NotAllowed), reading.write():
        pass
    with reading.read() as connection:
        assert connection.execute(text("SELECT count(*) FROM log")).scalar() == 1
    reading.close()


def test_a_database_used_after_a_fork_refuses(server_database: PostgresDatabase) -> None:
    server_database._process = os.getpid() + 1
    with pytest.raises(StorageUnavailable, match="before a fork"), server_database.read():
        pass
    server_database._process = os.getpid()


def test_a_closed_database_is_told_as_closed(place: str) -> None:
    database = PostgresDatabase(place)
    database.close()
    with pytest.raises(StorageUnavailable, match="is closed"), database.read():
        pass


def test_a_server_that_is_not_there_is_told_at_once_and_without_the_password() -> None:
    with pytest.raises(StorageUnavailable) as caught:
        PostgresDatabase("postgresql+psycopg://me:hunter2@127.0.0.1:9/memory")
    assert "hunter2" not in str(caught.value)
    assert "postgresql://127.0.0.1:9/memory" in str(caught.value)


@pytest.mark.parametrize("url", ["postgresql+psycopg2://h/d", "mysql://h/d", "postgresql://h:x/d"])
def test_any_other_url_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput):
        PostgresDatabase(url)


def test_a_table_that_is_gone_is_told_as_damage(
    place: str, server_database: PostgresDatabase, server_log: EventLog
) -> None:
    with connect(place) as ours:
        ours.execute("ALTER TABLE payload RENAME TO elsewhere")
    try:
        with pytest.raises(StorageDamaged):
            list(server_log.read())
    finally:
        with connect(place) as ours:
            ours.execute("ALTER TABLE elsewhere RENAME TO payload")


def test_what_a_statement_carries_is_in_no_error(server_database: PostgresDatabase) -> None:
    with pytest.raises(StorageUnavailable) as caught, server_database.write() as connection:
        connection.execute(text("SELECT CAST(:secret AS bytea) / 2"), {"secret": "walnuts"})
    assert "walnuts" not in f"{caught.value}{caught.value.__cause__}"


def test_what_a_row_holds_is_in_no_error(
    server_database: PostgresDatabase, server_log: EventLog
) -> None:
    """The server adds the values of a row that is there already; they are somebody's words."""
    again = text(
        "INSERT INTO log SELECT log + 1, log_id, 'walnuts', size, head, known, peaks FROM log"
    )
    row = text("UPDATE log SET tenant = 'walnuts'")
    with pytest.raises(IntegrityError) as caught, server_database.write() as connection:
        connection.execute(row)
        with rows_are_new("a tenant"):
            connection.execute(again)
    assert "there already: duplicate key" in str(caught.value)
    assert "walnuts" not in str(caught.value)


def test_a_search_goes_on_without_an_index_that_cannot_be_read(place: str) -> None:
    with Engine.open(place, embedder=None, extractor=None) as memory:
        memory.add("A pear is a fruit.", session="a")
        with connect(place) as ours:
            (name,) = ours.execute(
                "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'posting_%_g1'"
            ).fetchone() or ("",)
            ours.execute(f'ALTER TABLE "{name}" RENAME TO elsewhere')
        try:
            found = memory.search("pear")
            assert any("index cannot be read" in each for each in found.degraded)
        finally:
            with connect(place) as ours:
                ours.execute(f'ALTER TABLE elsewhere RENAME TO "{name}"')
        assert [hit.text for hit in memory.search("pear")] == ["A pear is a fruit."]


def test_a_statement_that_takes_longer_than_the_url_allows_is_ended_and_wrote_nothing(
    place: str, server_log: EventLog, turn: Turn, owner: Actor
) -> None:
    hasty = PostgresDatabase(f"{place}&options=-cstatement_timeout%3D50ms")
    with (
        pytest.raises(StorageBusy, match="statement timeout"),
        hasty.write(server_log.log) as connection,
    ):
        connection.execute(text("UPDATE log SET size = size + 1"))
        connection.execute(text("SELECT pg_sleep(5)"))
    hasty.close()
    server_log.append([turn("after")], actor=owner)
    assert texts(server_log) == ["after"]
    assert verify_log(server_log).ok
