"""Which of the events around erased content repeat it, and go with it: decided from what they say.

What says how a statement stands (a link of its chain) carries times of another one: of the
statement that follows it, or of the end that somebody stated. It goes with that one. Source:
decision 16.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from smriti_es.blast_radius import BlastRadius
from smriti_es.events.catalogue import (
    ArbitrationDecided,
    ContextServed,
    ExtractionCompleted,
    ExtractionFailed,
    FactAdmitted,
    FactApproved,
    FactAsserted,
    FactEnded,
    FactEndRetracted,
    FactIntervalRevised,
    FactReaffirmed,
    FactRejected,
    FactReopened,
    FactRetracted,
    FactSuperseded,
)
from smriti_es.events.catalogue.facts import NOBODY
from smriti_es.events.records import RecordedEvent

# What was derived from content as a whole.
_WHOLE: Final = frozenset({ExtractionCompleted.TYPE, ExtractionFailed.TYPE, ContextServed.TYPE})
# What says how a statement stands, with a time in it.
LINKS: Final = frozenset({FactSuperseded.TYPE, FactIntervalRevised.TYPE, FactReopened.TYPE})
# What was said of one statement or stated end, by the name under which its header has it.
_OF_ONE: Final[Mapping[str, str]] = {
    FactAdmitted.TYPE: "fact",
    FactApproved.TYPE: "fact",
    FactRejected.TYPE: "fact",
    FactRetracted.TYPE: "fact",
    FactEndRetracted.TYPE: "end",
}


class ErasureLineage:
    """Decides which events go with erased content.

    Args:
        content: Positions of what goes.
        recorded: The events there, with their content.
        around: The events that refer to them.
    """

    def __init__(
        self,
        content: BlastRadius,
        recorded: Mapping[int, RecordedEvent],
        around: Iterable[RecordedEvent],
    ) -> None:
        self._around = list(around)
        self._claims = frozenset({*content.facts, *content.ends})
        self._all = frozenset(content.positions)
        said = [each.event for each in recorded.values()]
        self._stated_ends = {each.valid_to for each in said if isinstance(each, FactEnded)}
        # Erased statements that ever ended, as far as is known.
        self._ended = {
            each.header.facets["fact"] for each in self._around if each.header.type in LINKS
        } | {
            at
            for at, each in recorded.items()
            if isinstance(each.event, FactAsserted) and each.event.valid_to is not None
        }

    def going(self) -> set[int]:
        """Give the positions of the events that go."""
        return {each.position for each in self._around if self._goes(each)}

    def _goes(self, recorded: RecordedEvent) -> bool:
        kind, facets = recorded.header.type, recorded.header.facets
        if kind in _WHOLE:
            return True
        if kind in _OF_ONE:
            return facets[_OF_ONE[kind]] in self._claims
        if kind in LINKS:
            return self._link_goes(recorded)
        if kind == FactReaffirmed.TYPE:
            # A restatement stands by itself in the past as well, unless what it repeats is known
            # to have ended: then it is not shown there, rather than shown as if it had not.
            standing = facets["standing"]
            alone = standing in self._claims and standing not in self._ended
            return facets["fact"] in self._claims or alone
        return kind == ArbitrationDecided.TYPE and self._verdict_goes(recorded)

    def _link_goes(self, recorded: RecordedEvent) -> bool:
        facets = recorded.header.facets
        if not self._claims.isdisjoint({facets["fact"], facets.get("by", NOBODY)}):
            return True
        match recorded.event:
            case FactIntervalRevised(by=by, valid_to=ends) if by == NOBODY:
                return ends in self._stated_ends
            case FactReopened(valid_to=ends):
                return ends in self._stated_ends
            case _:
                return False

    def _verdict_goes(self, recorded: RecordedEvent) -> bool:
        facets, event = recorded.header.facets, recorded.event
        named = {facets["fact"], facets["target"]}
        if isinstance(event, ArbitrationDecided):
            named.update(event.candidates)
        turns = self._all & set(recorded.header.refs)
        return bool(turns or named & self._claims)
