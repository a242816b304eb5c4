"""Are payloads gone where an event erased them, and nowhere else?"""

from collections.abc import Container, Iterator
from dataclasses import dataclass, field

from smriti_es.events.catalogue import Erased
from smriti_es.events.findings import Finding
from smriti_es.events.header import INTEGER_MAX, Header
from smriti_es.events.position_runs import PositionRuns, runs_of


@dataclass(slots=True)
class Erasures:
    """Which payloads are gone, as far as the log was read.

    Attributes:
        missing: Those that are gone and of which no event has said yet that it erased them.
        erased: Those of which one has.
    """

    missing: PositionRuns = field(default_factory=PositionRuns)
    erased: PositionRuns = field(default_factory=PositionRuns)

    def take(self, header: Header, unread: Container[int]) -> Iterator[Finding]:
        """Compare what an event says it erased with what is gone.

        Args:
            header: The event's; most erase nothing.
            unread: Positions of payloads of which nobody can tell.
        """
        if header.type != Erased.TYPE:
            return
        runs = runs_of(header.facets.get("ranges"), 0, INTEGER_MAX)
        if runs is None:
            yield Finding(header.position, "event.header", "does not say what it erases")
            return
        if runs and runs[-1][1] >= header.position:
            later = max(runs[-1][0], header.position)
            yield Finding(header.position, "event.header", f"erases {later}, which comes later")
            return
        for first, last in runs:
            if self.missing.count_in(first, last) <= last - first:
                yield from self._still_there(range(first, last + 1), header.position, unread)
            self.missing.remove(first, last)
            self.erased.add(first, last)

    def _still_there(
        self, positions: range, erased_at: int, unread: Container[int]
    ) -> Iterator[Finding]:
        for position in positions:
            if not any(position in each for each in (self.missing, self.erased, unread)):
                problem = f"is there, though the event at {erased_at} erased it"
                yield Finding(position, "payload", problem)

    def lost(self) -> Iterator[Finding]:
        """Name the payloads that are gone though nothing erased them."""
        for first, last in self.missing.runs:
            for position in range(first, last + 1):
                yield Finding(position, "payload", "is missing, and no event erased it")
