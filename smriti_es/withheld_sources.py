"""What is found in turns that are withheld is withheld with them, and released with them.

An extraction may come after the quarantine of what it was made from, and a quarantined session may
go on. Source: design page on trust, "Quarantine, lineage, blast radius".
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from smriti_es.events.catalogue import FactAsserted, FactEnded, Quarantined
from smriti_es.events.erasure import ranges_of
from smriti_es.events.records import NewEvent
from smriti_es.withholding import Withholding


@dataclass(frozen=True, slots=True)
class Held:
    """What is withheld from the moment that it is recorded.

    Attributes:
        events: The quarantines that it joins, continued.
        positions: Where it will stand.
    """

    events: Sequence[NewEvent] = ()
    positions: set[int] = field(default_factory=set)


def withheld_with_their_sources(
    events: Sequence[NewEvent], position: int, withholding: Withholding
) -> Held:
    """Give the statements and ends among new events that rest on something withheld.

    Args:
        events: About to be recorded from a position on.
        position: Where the first of them will stand.
        withholding: What is withheld so far.
    """
    claims = {
        at: new.refs
        for at, new in enumerate(events, position)
        if isinstance(new.event, (FactAsserted, FactEnded))
    }
    sources = sorted({ref for refs in claims.values() for ref in refs if ref < position})
    causes = withholding.causes_among(sources)
    joining: dict[int, set[int]] = {}
    for at, refs in claims.items():
        for cause in {cause for ref in refs for cause in causes.get(ref, ())}:
            joining.setdefault(cause, set()).add(at)
    return Held(
        [each for cause in sorted(joining) for each in continued(cause, joining[cause])],
        {at for joined in joining.values() for at in joined},
    )


def continued(quarantine: int, positions: Iterable[int]) -> Iterator[NewEvent]:
    """Let a quarantine withhold further positions."""
    for part in ranges_of(positions):
        yield NewEvent(Quarantined(ranges=part, part_of=quarantine), (quarantine,))


def withheld_with_their_session(
    session: int, positions: Iterable[int], withholding: Withholding
) -> list[NewEvent]:
    """Withhold further turns of a session by whatever withholds the session itself."""
    causes = withholding.causes_among([session]).get(session, set())
    wanted = list(positions)
    return [each for cause in sorted(causes) for each in continued(cause, wanted)]
