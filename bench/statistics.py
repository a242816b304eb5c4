"""Medians and percentiles, each by one stated rule."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def percentile(values: Iterable[float], share: float) -> float:
    """Give the value below which a share of the values lie.

    Args:
        values: At least one.
        share: 0 to 1.

    Returns:
        The sorted values' entry at `floor(share * count)`, the last at most; never a value that was
        not measured.
    """
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def median(values: Iterable[float]) -> float:
    """Give the upper median."""
    return percentile(values, 0.5)


def milliseconds(seconds: Iterable[float]) -> dict[str, float]:
    """Summarise durations in seconds as p50 and p95 in milliseconds."""
    durations = list(seconds)
    return {
        "p50": round(1e3 * percentile(durations, 0.5), 3),
        "p95": round(1e3 * percentile(durations, 0.95), 3),
    }


def medians(repetitions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Give the median of each figure over repetitions that measured the same figures.

    Args:
        repetitions: At least one; each a map of numbers, or of such maps.

    Returns:
        A map of the same shape.
    """
    found: dict[str, Any] = {}
    for name, value in repetitions[0].items():
        values = [repetition[name] for repetition in repetitions]
        found[name] = medians(values) if isinstance(value, Mapping) else median(values)
    return found
