"""Every answer says up to where it knows the log, and whether that may still change."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.answer import Answer, KnownTo
from smriti_es.engine import Engine
from smriti_es.events.errors import NotFound
from smriti_es.events.instants import format_instant
from smriti_es.view import View

Open = Callable[..., Engine]

# What every read verb is called with; each answers something in `lived`.
READS: dict[str, Callable[..., Any]] = {
    "facts": lambda view, **as_of: view.facts("user", **as_of),
    "history": lambda view, **as_of: view.history("user", **as_of),
    "explain": lambda view, **as_of: view.explain(1, **as_of),
    "turns": lambda view, **as_of: view.turns(**as_of),
    "sessions": lambda view, **as_of: view.sessions(**as_of),
    "search": lambda view, **as_of: view.search("Where is home?", **as_of),
    "context": lambda view, **as_of: view.context("Where is home?", **as_of),
}
FAR = "2200-01-01"
each_read = pytest.mark.parametrize("read", READS.values(), ids=READS)


@pytest.fixture
def lived(memory: Engine) -> Engine:
    """A fact at 1, a turn at 3 in its session, and at 4 another fact, with what follows at 5."""
    memory.assert_fact("user", "lives_in", "Oslo", valid_from="2020")
    memory.add("Home is where the fjord is.", session="s")
    memory.assert_fact("user", "lives_in", "Pune", valid_from="2025")
    assert memory.head == 5
    return memory


def known(memory: Engine, position: int) -> str:
    return format_instant(next(memory.events(position, position + 1)).header.known)


def told(answer: Any) -> tuple[int, bool]:
    return answer.head, answer.provisional


@each_read
def test_an_answer_as_of_now_knows_the_whole_log(read: Callable[..., Any], lived: Engine) -> None:
    assert told(read(lived)) == (5, False)


@each_read
@pytest.mark.parametrize(
    ("known_at", "head", "provisional"), [(2, 3, False), (4, 5, False), (5, 5, False)]
)
def test_an_answer_as_of_a_position_knows_to_the_end_of_its_commit(
    read: Callable[..., Any], known_at: int, head: int, lived: Engine, *, provisional: bool
) -> None:
    assert told(read(lived, known_at=known_at)) == (head, provisional)


@each_read
def test_an_answer_as_of_a_time_before_the_head_is_settled(
    read: Callable[..., Any], lived: Engine
) -> None:
    assert told(read(lived, known_at=known(lived, 3))) == (3, False)


@each_read
def test_an_answer_as_of_a_time_at_or_past_the_head_is_provisional(
    read: Callable[..., Any], lived: Engine
) -> None:
    assert told(read(lived, known_at=known(lived, 5))) == (5, True)
    assert told(read(lived, known_at=FAR)) == (5, True)


@each_read
def test_the_head_of_an_answer_gives_the_same_answer_later(
    read: Callable[..., Any], lived: Engine
) -> None:
    before = read(lived, known_at=FAR)
    lived.assert_fact("user", "lives_in", "Rome", valid_from="2026")
    lived.add("Home is Rome now.", session="s")
    after = read(lived, known_at=before.head)
    if isinstance(before, list):
        assert list(after) == list(before)
    assert told(after) == (5, False)


@each_read
def test_a_view_and_a_replay_tell_the_same(read: Callable[..., Any], lived: Engine) -> None:
    for moment in (3, FAR, known(lived, 3)):
        view = lived.at(moment)
        with lived.replay(moment) as replay:
            assert told(read(view)) == told(read(replay)) == (view.head, view.provisional)
            assert read(view) == read(replay)


def test_a_view_says_whether_it_is_provisional(lived: Engine) -> None:
    views: list[tuple[View, bool]] = [
        (lived, False),
        (lived.at(5), False),
        (lived.at(FAR), True),
        (lived.at(known(lived, 3)), False),
    ]
    assert [view.provisional for view, _ in views] == [expected for _, expected in views]


def test_an_answer_of_a_view_knows_no_more_than_the_view(lived: Engine) -> None:
    assert told(lived.at(3).facts(known_at=FAR)) == (3, False)
    assert told(lived.at(3).facts(known_at=1)) == (1, False)


def test_a_difference_knows_what_the_later_moment_knew(lived: Engine) -> None:
    assert told(lived.diff(0, 3)) == (3, False)
    assert told(lived.diff(0, FAR)) == (5, True)
    assert told(lived.at(3).diff(0, FAR)) == (3, False)


def test_a_page_of_turns_knows_as_much_as_the_whole_list(lived: Engine) -> None:
    assert told(lived.turns(after=3, limit=1)) == (5, False)


def test_an_answer_is_a_list_and_stays_what_it_is_when_copied() -> None:
    answer = Answer([1, 2], KnownTo(7, provisional=True))
    assert answer == [1, 2]
    for copied in (copy.copy(answer), copy.deepcopy(answer), pickle.loads(pickle.dumps(answer))):
        assert copied == answer
        assert told(copied) == (7, True)


def test_a_halted_projection_lets_an_answer_know_less() -> None:
    assert KnownTo.of(4, None) == KnownTo(3, provisional=False)


def test_a_time_before_the_log_is_still_no_time(lived: Engine) -> None:
    with pytest.raises(NotFound):
        lived.facts(known_at="1999")
