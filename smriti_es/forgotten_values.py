"""Values that were erased to be forgotten, or turned down, are not extracted again.

What anybody states directly is recorded all the same: it is their word, and not a memory that came
back. Source: design page on trust, "Erasure", 7.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import select

from smriti_es.events.catalogue import (
    ExtractionCompleted,
    FactAsserted,
    FactEnded,
    TombstonesCleared,
)
from smriti_es.events.errors import NotFound
from smriti_es.events.idempotency import hmac_key
from smriti_es.events.records import NewEvent, Transaction
from smriti_es.fact_draft import FactDraft
from smriti_es.ground import Ground
from smriti_es.projections.projector import Projector
from smriti_es.tombstones import Value, kept_out, value_macs

_DIRECT: Final = "direct"
# What an extraction says of each; of what it was, nothing.
_DROPPED: Final = {"reason": "it was erased or turned down, and is kept from coming back"}

Ends = Sequence[tuple[FactEnded, tuple[int, ...]]]


def without_forgotten(
    preceding: Sequence[NewEvent], drafts: Sequence[FactDraft], ends: Ends, ground: Ground
) -> tuple[Sequence[NewEvent], Sequence[FactDraft], Ends]:
    """Leave out what was extracted and is to stay forgotten, and let the extraction say so.

    Args:
        preceding: The extraction, or nothing.
        drafts: Statements.
        ends: Stated ends, each with the events that it rests on.
        ground: What the command stands on.
    """
    said: list[FactAsserted | FactEnded] = [draft.event for draft in drafts]
    said += [end for end, _ in ends]
    if not any(each.source != _DIRECT for each in said):
        return preceding, drafts, ends
    transaction, keeping = ground.transaction, ground.withholding.tables.keeping
    key = hmac_key(transaction.connection, transaction.log)
    out = kept_out(transaction.connection, transaction.log, keeping, key, said, ground.names)
    if not any(out):
        return preceding, drafts, ends
    kept = [each for each, gone in zip(drafts, out, strict=False) if not gone]
    kept_ends = [each for each, gone in zip(ends, out[len(drafts) :], strict=True) if not gone]
    return [_told(each, sum(out)) for each in preceding], kept, kept_ends


@dataclass(slots=True)
class ReadmitValue:
    """Let a value be extracted again."""

    projector: Projector
    value: Value
    reason: str

    def __call__(self, transaction: Transaction) -> list[NewEvent]:
        """Decide on the events."""
        ground = Ground(self.projector, transaction)
        key = hmac_key(transaction.connection, transaction.log)
        c = ground.withholding.tables.keeping.value.c
        macs = value_macs(key, self.value, ground.names())
        found = transaction.connection.execute(
            select(c.mac).where(c.log == transaction.log, c.mac.in_(macs))
        )
        values = sorted(found.scalars())
        if not values:
            raise NotFound("nothing keeps this value from being extracted")
        return [NewEvent(TombstonesCleared(values=values, reason=self.reason))]


def _told(new: NewEvent, dropped: int) -> NewEvent:
    event = new.event
    if not isinstance(event, ExtractionCompleted):
        return new
    said = [*event.dropped, *([_DROPPED] * dropped)]
    return replace(new, event=replace(event, dropped=said, accepted=event.accepted - dropped))
