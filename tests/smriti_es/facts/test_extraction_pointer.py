"""How far extraction has come: never past a turn that still waits."""

import itertools
from collections.abc import Callable

import pytest

from smriti_es.events.log import EventLog
from smriti_es.extraction_pointer import ExtractionPointer


@pytest.fixture
def pointer(log: EventLog) -> ExtractionPointer:
    return ExtractionPointer(log, done=10)


@pytest.mark.parametrize("order", list(itertools.permutations([(10, 12), (12, 13), (13, 20)])))
def test_stretches_done_in_any_order_move_it_to_their_end(
    order: list[tuple[int, int]], pointer: ExtractionPointer
) -> None:
    for start, stop in order:
        pointer.pass_over(start, stop)
    assert (pointer.done, pointer.stretches_ahead) == (20, 0)


def test_it_stays_before_what_waits(pointer: ExtractionPointer) -> None:
    pointer.pass_over(11, 15)
    pointer.pass_over(16, 18)
    assert (pointer.done, pointer.stretches_ahead) == (10, 2)
    pointer.pass_over(10, 11)
    assert (pointer.done, pointer.stretches_ahead) == (15, 1)


def test_a_stretch_that_was_passed_already_moves_it_nowhere(pointer: ExtractionPointer) -> None:
    pointer.pass_over(2, 9)
    assert (pointer.done, pointer.stretches_ahead) == (10, 0)
    pointer.pass_over(8, 12)
    assert pointer.done == 12


def test_what_was_written_down_is_found_again(log: EventLog) -> None:
    first = ExtractionPointer(log)
    first.begin()
    first.pass_over(0, 1)
    first.persist()
    second = ExtractionPointer(log)
    second.begin()
    assert (second.done, second.persisted) == (1, 1)


@pytest.mark.parametrize("edit", ["folded = 7", "folded = 0", "leaf = zeroblob(32)"])
def test_a_position_that_was_edited_counts_for_nothing(
    edit: str, log: EventLog, tamper: Callable[..., int]
) -> None:
    first = ExtractionPointer(log)
    first.begin()
    first.pass_over(0, 1)
    first.persist()
    assert tamper(f"UPDATE projection SET {edit} WHERE name = 'extraction'") == 1
    second = ExtractionPointer(log)
    second.begin()
    assert (second.done, second.persisted) == (0, 0)
