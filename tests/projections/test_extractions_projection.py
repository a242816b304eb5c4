"""What the rows of `extractions` say: turns that wait to be extracted again."""

from collections.abc import Callable
from typing import Any

import pytest

from smriti_es.events.catalogue import ExtractionCompleted, ExtractionFailed, SessionStarted
from smriti_es.projections.extractions import ExtractionsProjection


def failed(*turns: int, attempt: int = 1, retryable: bool = True) -> ExtractionFailed:
    return ExtractionFailed(
        session=1,
        turns=turns,
        extractor="lines/1",
        error=f"attempt {attempt}",
        retryable=retryable,
        attempt=attempt,
    )


def completed(*turns: int) -> ExtractionCompleted:
    return ExtractionCompleted(session=1, turns=turns, extractor="lines/1")


@pytest.fixture
def extractions(alone: Callable[..., Any]) -> Any:
    """The projection `extractions` on a log of its own."""
    return alone(ExtractionsProjection())


def waiting(extractions: Any) -> list[tuple[int, int]]:
    return [(row["position"], row["attempts"]) for row in extractions.rows()]


def test_a_failed_turn_waits_with_the_reason(extractions: Any) -> None:
    extractions.append(failed(3, 2, 3, retryable=False))
    first, second = extractions.rows()
    assert first == {
        "position": 2,
        "session": 1,
        "attempts": 1,
        "retryable": False,
        "error": "attempt 1",
        "cause": 1,
    }
    assert second["position"] == 3


def test_a_turn_that_fails_again_waits_once(extractions: Any) -> None:
    extractions.append(failed(2, 3))
    extractions.append(failed(3, attempt=2))
    assert waiting(extractions) == [(2, 1), (3, 2)]


def test_a_completed_extraction_takes_its_turns_off_the_list(extractions: Any) -> None:
    extractions.append(failed(2, 3, 4))
    extractions.append(completed(3, 9))
    assert waiting(extractions) == [(2, 1), (4, 1)]


def test_turns_that_never_failed_are_not_on_the_list(extractions: Any) -> None:
    extractions.append(SessionStarted(session="walks", space="main"), completed(2, 3))
    assert waiting(extractions) == []


@pytest.mark.parametrize("batch", [1, 2, 1000])
@pytest.mark.parametrize("erased", [None, 1, 2, 3])
def test_rows_come_out_the_same_in_whatever_portions_the_log_is_folded(
    batch: int, erased: int | None, extractions: Any
) -> None:
    extractions.append(failed(2, 3), completed(2))
    extractions.append(failed(3, attempt=2))
    if erased is not None:
        extractions.erase(erased)
    extractions.fold_anew(batch)
    expected = {None: [(3, 2)], 1: [(3, 2)], 2: [(2, 1), (3, 2)], 3: [(3, 1)]}
    assert waiting(extractions) == expected[erased]


@pytest.mark.parametrize(
    "change", ["session = '0'", "attempts = 0", "retryable = NOT retryable", "error = '0'"]
)
def test_a_single_changed_value_changes_the_fingerprint(
    change: str, extractions: Any, tamper: Callable[..., int]
) -> None:
    extractions.append(failed(2))
    before = extractions.fingerprint
    assert tamper(f"UPDATE extraction_failed_v2_g1 SET {change}") == 1
    assert extractions.fingerprint != before
