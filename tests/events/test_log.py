"""Append, read, head: what the log promises to whoever writes and reads it."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from smriti_es.embedders import CallableEmbedder
from smriti_es.events import log as log_module
from smriti_es.events.catalogue import LogOpened, TurnRecorded
from smriti_es.events.errors import ConflictError, InvalidInput, NotAllowed
from smriti_es.events.guard import CallInsideTransaction, assert_outside_transaction
from smriti_es.events.header import Actor
from smriti_es.events.log import EventLog
from smriti_es.events.opening import open_database
from smriti_es.events.records import NewEvent, RecordedEvent, Transaction
from smriti_es.events.verification import verify_log

START = 1_780_394_400_000_000
Turn = Callable[..., NewEvent]


def texts(log: EventLog, start: int = 1, stop: int | None = None) -> list[str]:
    events = [recorded.event for recorded in log.read(start, stop)]
    return [event.text for event in events if isinstance(event, TurnRecorded)]


def test_a_founded_log_holds_its_first_event_alone(log: EventLog) -> None:
    assert log.head == 0
    assert [type(recorded.event) for recorded in log.read()] == [LogOpened]


def test_an_append_gives_the_next_positions_without_a_gap(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    first = log.append([turn(), turn(), turn()], actor=owner)
    second = log.append([turn()], actor=owner)
    assert (first.first, first.last, first.count) == (1, 3, 3)
    assert (second.first, second.last, second.count) == (4, 4, 1)
    assert log.head == 4
    assert [recorded.position for recorded in log.read()] == [0, 1, 2, 3, 4]


def test_what_was_appended_is_read_back_as_it_was(log: EventLog, turn: Turn) -> None:
    new = turn("in Lisbon", refs=(0,), name="Asha", metadata={"topic": "moving"})
    commit = log.append([new], actor=Actor("agent", "a-1"))
    (recorded,) = log.read(1)
    assert recorded.event == new.event
    assert recorded.header.type == "TurnRecorded"
    assert recorded.header.version == 1
    assert recorded.header.actor == Actor("agent", "a-1")
    assert recorded.header.refs == (0,)
    assert recorded.header.log == log.log_id
    assert recorded.header.known == commit.known


def test_an_event_may_name_an_actor_of_its_own(log: EventLog, turn: Turn, owner: Actor) -> None:
    other = NewEvent(turn().event, actor=Actor("tool", "t"))
    log.append([turn(), other], actor=owner)
    assert [recorded.header.actor.kind for recorded in log.read(1)] == ["owner", "tool"]


def test_all_events_of_a_commit_share_its_bounds_and_its_time(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    commit = log.append([turn(), turn(), turn()], actor=owner)
    headers = [recorded.header for recorded in log.read(1)]
    assert [header.commit for header in headers] == [(1, 3)] * 3
    assert [header.known for header in headers] == [commit.known] * 3


def test_the_time_of_a_commit_is_what_the_clock_says(
    log: EventLog, clock: Any, turn: Turn, owner: Actor
) -> None:
    clock.now = START + 3_600_000_000
    assert log.append([turn()], actor=owner).known == START + 3_600_000_000


@pytest.mark.parametrize("moved", [0, -1, -86_400_000_000, -START, -2 * START])
def test_time_rises_strictly_when_the_clock_stands_still_or_steps_back(
    log: EventLog, clock: Any, turn: Turn, owner: Actor, moved: int
) -> None:
    before = log.append([turn()], actor=owner).known
    clock.now, clock.step = before + moved, 0
    assert log.append([turn()], actor=owner).known == before + 1
    assert log.append([turn()], actor=owner).known == before + 2


def test_every_event_has_an_id_of_its_own_that_tells_its_millisecond(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    log.append([turn(), turn(), turn()], actor=owner)
    headers = [recorded.header for recorded in log.read()]
    assert len({header.id for header in headers}) == 4
    assert [int(header.id[:12], 16) for header in headers] == [
        header.known // 1_000 for header in headers
    ]


@pytest.mark.parametrize(
    ("start", "stop", "expected"),
    [
        (0, None, [0, 1, 2, 3, 4, 5]),
        (2, 4, [2, 3]),
        (3, 3, []),
        (4, 2, []),
        (4, 99, [4, 5]),
        (6, None, []),
        (99, None, []),
    ],
)
@pytest.mark.parametrize("batch", [1, 2, 3, 2_000])
def test_a_read_gives_the_events_from_start_up_to_stop(
    log: EventLog,
    turn: Turn,
    owner: Actor,
    monkeypatch: pytest.MonkeyPatch,
    start: int,
    stop: int | None,
    expected: list[int],
    batch: int,
) -> None:
    log.append([turn()] * 5, actor=owner)
    monkeypatch.setattr(log_module, "READ_BATCH", batch)
    assert [recorded.position for recorded in log.read(start, stop)] == expected


def test_a_read_from_a_negative_position_is_refused(log: EventLog) -> None:
    with pytest.raises(InvalidInput, match="begin at 0"):
        next(log.read(-1))


def test_a_read_in_a_snapshot_does_not_see_what_is_appended_meanwhile(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    log.append([turn("before")], actor=owner)
    with log.database.read() as snapshot:
        assert log.size(snapshot) == 2
        log.append([turn("after")], actor=owner)
        events = list(log.read(connection=snapshot))
    assert [recorded.position for recorded in events] == [0, 1]
    assert log.head == 2


def test_an_append_at_the_expected_head_is_written(log: EventLog, turn: Turn, owner: Actor) -> None:
    assert log.append([turn()], actor=owner, expected=0).first == 1


@pytest.mark.parametrize("expected", [-1, 0, 2, 99])
def test_an_append_with_another_head_than_expected_changes_nothing(
    log: EventLog, turn: Turn, owner: Actor, expected: int
) -> None:
    log.append([turn("winner")], actor=owner)
    with pytest.raises(ConflictError) as caught:
        log.append([turn("loser")], actor=owner, expected=expected)
    assert (caught.value.expected, caught.value.found) == (expected, 1)
    assert caught.value.retryable
    assert texts(log) == ["winner"]
    assert verify_log(log).ok


@pytest.mark.parametrize("nothing", [[], lambda _: []])
def test_a_command_that_decides_on_nothing_writes_nothing(
    log: EventLog, tamper: Callable[..., int], owner: Actor, nothing: Any
) -> None:
    before = log.append(nothing, actor=owner)
    assert (before.first, before.count, before.last) == (1, 0, 0)
    assert log.head == 0
    assert tamper("UPDATE log SET known = known WHERE known = ?", START) == 1


def test_a_command_sees_the_head_that_its_events_will_follow(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    log.append([turn("one")], actor=owner)
    seen: list[Transaction] = []

    def decide(transaction: Transaction) -> Sequence[NewEvent]:
        seen.append(transaction)
        return [turn("two", refs=(transaction.size - 1,))]

    commit = log.append(decide, actor=owner)
    before, after = log.read(1)
    assert len(seen) == 1
    assert (seen[0].size, seen[0].known, seen[0].leaf) == (2, commit.known, before.leaf)
    assert after.header.refs == (1,)


def test_a_command_that_raises_leaves_nothing_behind(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    def fail(transaction: Transaction) -> Sequence[NewEvent]:
        raise LookupError("no such session")

    with pytest.raises(LookupError, match="no such session"):
        log.append(fail, actor=owner)
    assert log.head == 0
    assert log.append([turn()], actor=owner).first == 1
    assert verify_log(log).ok


def test_a_ref_may_name_an_event_of_the_same_commit(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    log.append([turn(), turn(refs=(0, 1))], actor=owner)
    assert [recorded.header.refs for recorded in log.read(1)] == [(), (0, 1)]


@pytest.mark.parametrize("refs", [(2,), (3,), (99,), (-1,), (1, 0), (0, 0)])
def test_refs_that_are_not_ascending_and_before_their_event_are_refused_with_the_whole_commit(
    log: EventLog, turn: Turn, owner: Actor, refs: tuple[int, ...]
) -> None:
    with pytest.raises(InvalidInput, match="refs"):
        log.append([turn(), turn(refs=refs)], actor=owner)
    assert log.head == 0
    assert verify_log(log).ok


def test_a_model_called_while_a_command_decides_is_refused_and_nothing_is_written(
    log: EventLog, turn: Turn, owner: Actor, embedder: CallableEmbedder
) -> None:
    def decide(transaction: Transaction) -> Sequence[NewEvent]:
        embedder.embed(["hello"])
        return [turn()]

    with pytest.raises(CallInsideTransaction, match="word-sums"):
        log.append(decide, actor=owner)
    assert log.head == 0


def test_a_model_called_by_an_inline_projection_is_refused_and_nothing_is_written(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    log.inline = lambda transaction, events: assert_outside_transaction("a model")
    with pytest.raises(CallInsideTransaction, match="a model"):
        log.append([turn()], actor=owner)
    assert log.head == 0


def test_a_model_may_be_called_again_once_an_append_is_over(
    log: EventLog, turn: Turn, owner: Actor, embedder: CallableEmbedder
) -> None:
    log.append([turn()], actor=owner)
    assert embedder.embed(["hello"]).shape == (1, 16)


def test_the_inline_hook_is_given_the_events_as_they_are_recorded(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    given: list[RecordedEvent] = []
    log.inline = lambda transaction, events: given.extend(events)
    log.append([turn("one"), turn("two")], actor=owner)
    assert given == list(log.read(1))


def test_an_inline_hook_that_fails_undoes_the_commit(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    def fail(transaction: Transaction, events: Sequence[RecordedEvent]) -> None:
        raise ArithmeticError("cannot fold")

    log.inline = fail
    with pytest.raises(ArithmeticError):
        log.append([turn()], actor=owner)
    log.inline = None
    assert log.head == 0
    assert verify_log(log).ok


def test_an_append_names_its_steps_in_this_order(log: EventLog, turn: Turn, owner: Actor) -> None:
    steps: list[str] = []
    log.on_step = steps.append
    log.inline = lambda transaction, events: None
    log.append([turn()], actor=owner)
    assert steps == [
        "head locked",
        "decided",
        "events inserted",
        "payloads inserted",
        "projected",
        "head moved",
        "committed",
    ]


@pytest.mark.parametrize(
    "step",
    ["head locked", "decided", "events inserted", "payloads inserted", "projected", "head moved"],
)
def test_an_append_stopped_at_any_step_before_its_commit_leaves_nothing_behind(
    log: EventLog, turn: Turn, owner: Actor, step: str
) -> None:
    def stop(name: str) -> None:
        if name == step:
            raise KeyboardInterrupt

    log.on_step, log.inline = stop, lambda transaction, events: None
    with pytest.raises(KeyboardInterrupt):
        log.append([turn("lost"), turn("lost too")], actor=owner)
    log.on_step = lambda name: None
    assert log.head == 0
    log.append([turn("kept")], actor=owner)
    assert texts(log) == ["kept"]
    assert verify_log(log).ok


def test_a_commit_of_more_events_than_the_limit_is_refused(
    log: EventLog, turn: Turn, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_module, "EVENTS_PER_COMMIT_MAX", 3)
    with pytest.raises(InvalidInput, match="commit of 4 events; the limit is 3"):
        log.append([turn()] * 4, actor=owner)
    assert log.head == 0
    assert log.append([turn()] * 3, actor=owner).count == 3


@pytest.mark.parametrize("text", ["half \ud800", "\udfff"])
def test_text_that_is_no_unicode_is_refused_with_the_whole_commit(
    log: EventLog, turn: Turn, owner: Actor, text: str
) -> None:
    with pytest.raises(InvalidInput):
        log.append([turn("fine"), turn(text)], actor=owner)
    assert log.head == 0


def test_an_actor_that_does_not_fit_into_a_header_is_refused(log: EventLog, turn: Turn) -> None:
    with pytest.raises(InvalidInput, match="the limit is 65536"):
        log.append([turn()], actor=Actor("owner", "x" * 65_536))
    assert log.head == 0


def test_a_turn_of_a_megabyte_with_every_sort_of_character_is_kept_as_it_is(
    log: EventLog, turn: Turn, owner: Actor
) -> None:
    text = "\x00\u0915\U0001f600 " * 200_000
    log.append([turn(text)], actor=owner)
    assert texts(log) == [text]
    assert verify_log(log).ok


def test_a_database_that_is_only_read_is_not_appended_to(
    log: EventLog, turn: Turn, owner: Actor, places: Any
) -> None:
    reading = open_database(places.named("memory.db"), read_only=True)
    reader = EventLog(reading, log.log, log.log_id, log.clock)
    with pytest.raises(NotAllowed):
        reader.append([turn()], actor=owner)
    assert reader.head == 0
    reading.close()
