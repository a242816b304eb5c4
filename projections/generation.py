"""A generation of a projection: one set of tables, and how far the log is folded into it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from smriti_es.events.records import RecordedEvent

ACTIVE: Final = "active"
HALTED: Final = "halted"
BUILDING: Final = "building"
RETIRED: Final = "retired"
# A row that only says how far something has come that is no projection.
POINTER: Final = "pointer"
SERVING: Final = (ACTIVE, HALTED)


@dataclass(frozen=True, slots=True)
class Generation:
    """One generation of one projection.

    Attributes:
        name: The projection.
        number: Which generation.
        version: The projection's version that built it.
        state: active, halted, building or retired.
        folded: How many events are folded in, which is the position of the next.
        leaf: Leaf hash of the last folded event; zeros when there is none.
        error: Why it halted, or None.
        detail: What else identifies it (the embedder of vectors), or None.
    """

    name: str
    number: int
    version: int
    state: str
    folded: int
    leaf: bytes
    error: str | None
    detail: str | None

    def after(self, events: Sequence[RecordedEvent]) -> "Generation":
        """Give the generation as it is once these events, the next ones, are folded in."""
        # Written out, for `replace` costs more than folding a small event.
        return Generation(
            self.name,
            self.number,
            self.version,
            self.state,
            self.folded + len(events),
            events[-1].leaf,
            self.error,
            self.detail,
        )
