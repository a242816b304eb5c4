"""An aggregate of the `eventsourcing` library that takes turns; importing it needs the library."""

from collections.abc import Mapping
from typing import Any

from eventsourcing.domain import Aggregate, event


class Turns(Aggregate):
    """What was said."""

    def __init__(self) -> None:
        self.taken: list[Mapping[str, Any]] = []

    @event("Taken")
    def take(self, turn: Mapping[str, Any]) -> None:
        """Take a turn."""
        self.taken.append(turn)
