"""Several appends in one flush: each a commit of its own, told one by one."""

from collections.abc import Callable

from smriti_es.events.catalogue import TurnRecorded
from smriti_es.events.errors import ConflictError, StorageUnavailable
from smriti_es.events.header import Actor
from smriti_es.events.log import EventLog
from smriti_es.events.records import Append, Commit, NewEvent, Transaction
from smriti_es.events.verification import verify_log

Turn = Callable[..., NewEvent]


def said(log: EventLog) -> list[str]:
    return [r.event.text for r in log.read(1) if isinstance(r.event, TurnRecorded)]


def test_several_requests_are_each_a_commit_of_their_own(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    outcomes = log.append_all([Append([turn("a"), turn("b")], owner), Append([turn("c")], owner)])
    assert [(o.first, o.count) for o in outcomes if isinstance(o, Commit)] == [(1, 2), (3, 1)]
    known = [recorded.header.known for recorded in log.read(1)]
    assert known[0] == known[1] < known[2]


def test_several_requests_share_one_lock_and_one_move_of_the_head(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    steps: list[str] = []
    log.on_step = steps.append
    log.append_all([Append([turn("a")], owner), Append([], owner), Append([turn("b")], owner)])
    assert [step for step in steps if "head" in step] == ["head locked", "head moved"]
    assert steps.count("events inserted") == 2


def test_checkpoints_are_settled_once_for_all_requests_before_the_head_moves(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    settled: list[tuple[int, int, bytes]] = []

    def settle(after: Transaction) -> None:
        settled.append((after.start, after.size, after.leaf))
        assert log.head == 0

    log.settle_inline = settle
    log.append_all([Append([turn("a")], owner), Append([turn("b"), turn("c")], owner)])
    assert settled == [(1, 4, list(log.read())[-1].leaf)]


def test_several_requests_may_be_none(log: EventLog) -> None:
    assert log.append_all([]) == []
    assert log.head == 0


def test_one_of_several_requests_that_fails_is_told_in_its_place(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    outcomes = log.append_all(
        [
            Append([turn("a")], owner),
            Append([turn("late")], owner, expected=0),
            Append([turn("b")], owner, expected=1),
        ]
    )
    assert [type(outcome) for outcome in outcomes] == [Commit, ConflictError, Commit]
    assert said(log) == ["a", "b"]
    assert verify_log(log).ok


def test_a_statement_that_the_driver_refuses_spoils_nothing_for_the_others(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    def bind_what_cannot_be_bound(transaction: Transaction) -> list[NewEvent]:
        transaction.connection.exec_driver_sql("SELECT ?", ([],))
        return []

    wrong = Append(bind_what_cannot_be_bound, owner)
    outcomes = log.append_all([Append([turn("a")], owner), wrong, Append([turn("b")], owner)])
    assert [type(outcome) for outcome in outcomes] == [Commit, StorageUnavailable, Commit]
    assert said(log) == ["a", "b"]
    assert verify_log(log).ok
