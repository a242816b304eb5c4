"""Nothing is recorded of what was erased while somebody made something of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from smriti_es.events.records import Command, NewEvent, Transaction
from smriti_es.projections.projector import Projector
from smriti_es.withholding import last_erasure_in


@dataclass(slots=True)
class WhileKept:
    """Run a command unless anything that it came from was erased meanwhile.

    Attributes:
        projector: Knows which tables serve.
        command: What came of it.
        sources: Positions of what it came from, at least one.
        overtaken: After it ran, whether one of them was erased, so that nothing was recorded.
    """

    projector: Projector
    command: Command | Sequence[NewEvent]
    sources: Sequence[int]
    overtaken: bool = False

    def __call__(self, transaction: Transaction) -> Sequence[NewEvent]:
        """Decide on the events."""
        self.overtaken = bool(gone_among(self.projector, self.sources, transaction))
        if self.overtaken:
            return []
        return self.command(transaction) if callable(self.command) else self.command


def gone_among(
    projector: Projector, positions: Sequence[int], transaction: Transaction
) -> list[int]:
    """Give the positions of the events whose content is gone."""
    # Only an erasure that was recorded after them can concern them; mostly there is none.
    if last_erasure_in(projector, transaction) < min(positions):
        return []
    events = [projector.events_from(at, 1, transaction.connection)[0] for at in positions]
    return [each.position for each in events if each.event is None]
