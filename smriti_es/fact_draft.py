"""A statement about to be recorded."""

from dataclasses import dataclass

from smriti_es.events.catalogue import ArbitrationDecided, FactAsserted


@dataclass(frozen=True, slots=True)
class FactDraft:
    """A statement about to be recorded, with the events that it rests on.

    Attributes:
        event: The statement; its `fact` id is filled in when it is recorded.
        refs: Positions of turns, extraction and premises.
        verdict: What an arbiter said of it, or None when none was asked.
        origin_named: Whether somebody named the event's origin; then a premise of a lower one
            refuses it, instead of lowering it.
    """

    event: FactAsserted
    refs: tuple[int, ...] = ()
    verdict: ArbitrationDecided | None = None
    origin_named: bool = False
