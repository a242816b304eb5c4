"""Callers that arrive together share a flush, and nothing else."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from sqlalchemy import Connection, exc, text

from smriti_es.events import group_commit
from smriti_es.events.catalogue import TurnRecorded
from smriti_es.events.database import Database
from smriti_es.events.errors import StorageUnavailable
from smriti_es.events.group_commit import GroupCommit, SharedWrite, Work
from smriti_es.events.header import Actor
from smriti_es.events.log import EventLog
from smriti_es.events.records import Commit, NewEvent
from smriti_es.events.verification import verify_log

PATIENCE_S = 30
Noting = Work[str]


class Announcing(list[Any]):
    """The queue of a group commit that tells whenever somebody joins it."""

    def __init__(self) -> None:
        super().__init__()
        self.joined = threading.Semaphore(0)

    def extend(self, requests: Any) -> None:
        super().extend(requests)
        self.joined.release()


@pytest.fixture
def group(database: Database, tamper: Callable[..., int]) -> GroupCommit:
    """A group commit on a database with a table of notes, which may name a parent note."""
    tamper(
        "CREATE TABLE note (text TEXT PRIMARY KEY, parent TEXT "
        "REFERENCES note (text) DEFERRABLE INITIALLY DEFERRED)"
    )
    return GroupCommit(database)


@pytest.fixture
def transactions(database: Database, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for each write transaction that was committed."""
    committed: list[int] = []
    write = database.write

    @contextmanager
    def counted(log: int | None = None) -> Iterator[Connection]:
        with write(log) as connection:
            yield connection
        committed.append(1)

    monkeypatch.setattr(database, "write", counted)
    return committed


def note(name: str, parent: str | None = None, then: BaseException | None = None) -> Noting:
    """Write a note, and fail afterwards if told to."""

    def work(connection: Connection, shared: SharedWrite | None) -> str:
        connection.execute(text("INSERT INTO note VALUES (:t, :p)"), {"t": name, "p": parent})
        if then is not None:
            raise then
        return name

    return work


def settle(name: str, connection: Connection) -> None:
    note(name)(connection, None)


def notes(database: Database) -> list[str]:
    with database.read() as connection:
        # Where a row lies, which is the order in which they came.
        order = "rowid" if connection.dialect.name == "sqlite" else "ctid"
        return list(connection.execute(text(f"SELECT text FROM note ORDER BY {order}")).scalars())


def run_together(group: GroupCommit, works: list[Noting]) -> list[Any]:
    """Run each work in a thread of its own, all of them waiting before the first may begin."""
    queue = Announcing()
    group._waiting = queue
    outcomes: list[Any] = [None] * len(works)

    def run(index: int) -> None:
        try:
            outcomes[index] = group.run(works[index])
        except BaseException as error:  # noqa: BLE001  what the caller would have seen
            outcomes[index] = error

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(works))]
    with group._turn:
        for thread in threads:
            thread.start()
            assert queue.joined.acquire(timeout=PATIENCE_S)
    for thread in threads:
        thread.join(PATIENCE_S)
    return outcomes


def test_work_returns_its_result_once_it_is_durable(group: GroupCommit, database: Database) -> None:
    assert group.run(note("a")) == "a"
    assert notes(database) == ["a"]


def test_work_that_fails_alone_raises_its_own_error_and_leaves_nothing(
    group: GroupCommit, database: Database
) -> None:
    error = LookupError("nothing there")
    with pytest.raises(LookupError) as caught:
        group.run(note("a", then=error))
    assert caught.value is error
    assert notes(database) == []


def test_callers_who_wait_together_share_one_transaction(
    group: GroupCommit, database: Database, transactions: list[int]
) -> None:
    names = ["a", "b", "c", "d", "e"]
    assert run_together(group, [note(name) for name in names]) == names
    assert len(transactions) == 1
    assert notes(database) == names


def test_work_that_fails_in_a_group_spoils_nothing_for_the_others(
    group: GroupCommit, database: Database, transactions: list[int]
) -> None:
    error = LookupError("nothing there")
    works = [note("a"), note("b", then=error), note("c")]
    assert run_together(group, works) == ["a", error, "c"]
    assert len(transactions) == 1
    assert notes(database) == ["a", "c"]


def test_what_works_put_off_is_written_once_behind_all_of_them(
    group: GroupCommit, database: Database
) -> None:
    def putting_off(name: str) -> Noting:
        def work(connection: Connection, shared: SharedWrite | None) -> str:
            assert shared is not None
            shared.settling[7] = partial(settle, f"after {name}", connection)
            return note(name)(connection, None)

        return work

    assert run_together(group, [putting_off("a"), putting_off("b")]) == ["a", "b"]
    assert notes(database) == ["a", "b", "after b"]


def test_works_are_run_again_and_share_nothing_when_one_of_them_fails(
    group: GroupCommit, database: Database
) -> None:
    told: list[bool] = []

    def asking(connection: Connection, shared: SharedWrite | None) -> str:
        told.append(shared is not None)
        if shared is not None:
            shared.settling[7] = partial(settle, "never", connection)
        return note("a")(connection, None)

    error = LookupError("nothing there")
    assert run_together(group, [asking, note("b", then=error)]) == ["a", error]
    assert told == [True, False]
    assert notes(database) == ["a"]


def test_many_works_of_one_caller_are_told_one_by_one(
    group: GroupCommit, database: Database
) -> None:
    error = ValueError("no")
    assert group.run_all([note("a"), note("b", then=error), note("c")]) == ["a", error, "c"]
    assert group.run_all([]) == []
    assert notes(database) == ["a", "c"]


def test_a_group_holds_no_more_works_than_the_limit(
    group: GroupCommit, transactions: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "GROUP_MAX", 2)
    assert group.run_all([note(name) for name in "abcde"]) == list("abcde")
    assert len(transactions) == 3


def test_a_commit_that_fails_is_told_to_everybody_in_the_group(
    group: GroupCommit, database: Database
) -> None:
    # The missing parent is noticed by COMMIT itself.
    first, second = run_together(group, [note("a"), note("b", parent="nobody")])
    assert isinstance(first, exc.IntegrityError)
    assert isinstance(second, exc.IntegrityError)
    assert notes(database) == []
    assert group.run(note("c")) == "c"


def test_a_failing_commit_leaves_the_error_of_a_work_that_had_failed_before_it(
    group: GroupCommit,
) -> None:
    error = LookupError("nothing there")
    outcomes = run_together(group, [note("a", then=error), note("b", parent="nobody")])
    assert outcomes[0] is error
    assert isinstance(outcomes[1], exc.IntegrityError)


@pytest.mark.sqlite_only("by what its driver says")
def test_a_database_that_gives_way_within_a_group_is_told_to_everybody(
    group: GroupCommit, database: Database
) -> None:
    def broken(connection: Connection, shared: SharedWrite | None) -> str:
        raise exc.OperationalError("x", None, sqlite3.OperationalError("database or disk is full"))

    outcomes = run_together(group, [note("a"), broken, note("b")])
    assert [type(outcome) for outcome in outcomes] == [StorageUnavailable] * 3
    assert notes(database) == []


def test_an_interrupt_is_raised_where_it_struck_and_told_to_the_others_as_a_failure(
    group: GroupCommit, database: Database
) -> None:
    struck = KeyboardInterrupt()
    outcomes = run_together(group, [note("a"), note("b", then=struck), note("c")])
    assert outcomes.count(struck) == 1
    others = [outcome for outcome in outcomes if outcome is not struck]
    assert [type(other) for other in others] == [StorageUnavailable] * 2
    assert "interrupted" in str(others[0])
    assert notes(database) == []
    assert group.run(note("d")) == "d"


def test_what_an_interrupted_caller_had_not_begun_is_never_written(
    group: GroupCommit, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "GROUP_MAX", 1)
    with pytest.raises(KeyboardInterrupt):
        group.run_all([note("done"), note("struck", then=KeyboardInterrupt()), note("never")])
    assert group.run(note("later")) == "later"
    assert notes(database) == ["done", "later"]


def test_sixteen_threads_append_at_once_and_nothing_is_lost_doubled_or_mixed(
    log: EventLog, turn: Callable[..., NewEvent], owner: Actor
) -> None:
    commits: list[Commit] = []
    ready = threading.Barrier(16)

    def append(name: int) -> None:
        ready.wait(PATIENCE_S)
        for number in range(10):
            said = [turn(f"{name}:{number}:{part}") for part in "ab"]
            commits.append(log.append(said, actor=owner))

    threads = [threading.Thread(target=append, args=(name,)) for name in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)

    in_order = sorted(commits, key=lambda commit: commit.first)
    assert [commit.first for commit in in_order] == list(range(1, 321, 2))
    assert all(before.known < after.known for before, after in pairwise(in_order))
    said = [r.event.text for r in log.read(1) if isinstance(r.event, TurnRecorded)]
    assert [one[:-1] for one in said[::2]] == [other[:-1] for other in said[1::2]]
    assert sorted(said) == sorted(
        f"{name}:{number}:{part}" for name in range(16) for number in range(10) for part in "ab"
    )
    assert verify_log(log).ok
