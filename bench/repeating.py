"""Measure something several times, telling which time it is, and take medians."""

from collections.abc import Callable, Mapping
from typing import Any

from rich.console import Console

from bench.statistics import medians

Show = Callable[[str], None]


def repeated(
    console: Console,
    name: str,
    repetitions: int,
    measure: Callable[[Show], Mapping[str, Any]],
) -> dict[str, Any]:
    """Give the medians over repetitions.

    Args:
        console: Where to show how far it is.
        name: What is measured.
        repetitions: How often.
        measure: Measures once; told where to say which part it is at.
    """
    measured: list[Mapping[str, Any]] = []
    with console.status(name) as status:

        def show(part: str) -> None:
            status.update(f"{name}, repetition {len(measured) + 1} of {repetitions}: {part}")

        while len(measured) < repetitions:
            measured.append(measure(show))
    return medians(measured)
