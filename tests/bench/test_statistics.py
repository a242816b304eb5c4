"""Percentiles and medians by their stated rule."""

import pytest

from bench.statistics import median, medians, milliseconds, percentile


@pytest.mark.parametrize(("share", "value"), [(0.0, 1.0), (0.5, 3.0), (0.95, 4.0), (1.0, 4.0)])
def test_a_percentile_is_a_value_that_was_measured(share: float, value: float) -> None:
    assert percentile([4.0, 1.0, 3.0, 2.0], share) == value


def test_the_median_of_an_odd_number_is_the_middle_one() -> None:
    assert median([9.0, 1.0, 2.0]) == 2.0


def test_durations_are_told_in_milliseconds() -> None:
    assert milliseconds([0.001] * 19 + [0.5]) == {"p50": 1.0, "p95": 500.0}


def test_medians_are_taken_figure_by_figure_at_any_depth() -> None:
    runs = [
        {"rate": 1.0, "add": {"p50": 30.0}},
        {"rate": 3.0, "add": {"p50": 10.0}},
        {"rate": 2.0, "add": {"p50": 20.0}},
    ]
    assert medians(runs) == {"rate": 2.0, "add": {"p50": 20.0}}
