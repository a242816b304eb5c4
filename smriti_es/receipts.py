"""Receipts: which state of the log an answer came from, checkable by the answer alone.

A receipt holds a digest of what was served and the positions of what was in it, and neither the
question nor the answer. Source: design page on trust, "Quarantine, lineage, blast radius".
"""

import hashlib
from dataclasses import dataclass
from typing import Final

from sqlalchemy import select

from smriti_es.checked_values import Place, checked_text
from smriti_es.events.catalogue import ContextServed
from smriti_es.events.records import NewEvent
from smriti_es.kept_turns import WhileKept
from smriti_es.opened import Opened
from smriti_es.projections.receipts import ReceiptsProjection, receipt_table
from smriti_es.results import Context, SearchResult

# A header has room for many references, but not for any number of them.
_ITEMS_MAX: Final = 1_000


@dataclass(frozen=True, slots=True)
class Receipt:
    """That an answer was handed out.

    Attributes:
        position: Place of the receipt in the log.
        kind: `context` or `search`.
        head: Position up to which the answer knew the log: `at(head)` sees what it saw.
        known: When it was handed out, microseconds since the epoch.
        items: Positions of the turns and facts in it, best first; empty once that was erased.
    """

    position: int
    kind: str
    head: int
    known: int
    items: tuple[int, ...]


def record_receipt(opened: Opened, answer: Context | SearchResult) -> None:
    """Record that an answer is handed out."""
    items = _items(answer)[:_ITEMS_MAX]
    served = ContextServed(
        kind="context" if isinstance(answer, Context) else "search",
        head=answer.head,
        digest=answer.digest,
        items=items,
    )
    receipt = [NewEvent(served, tuple(sorted(set(items))))]
    # What was erased since the answer was read leaves no digest of it.
    command = WhileKept(opened.projector, receipt, items) if items else receipt
    opened.log.append(command, actor=opened.actor)


def find_receipts(opened: Opened, served: str | Context | SearchResult) -> list[Receipt]:
    """Find the receipts of something that was handed out, oldest first."""
    if isinstance(served, (Context, SearchResult)):
        digest = served.digest
    else:
        text = checked_text(served, Place("served"))
        digest = hashlib.sha256(text.encode()).hexdigest()
    projector = opened.projector
    with opened.database.read() as connection:
        serving = projector.serving(connection)
        table = receipt_table(projector.readable(serving, ReceiptsProjection.name).number)
        c = table.c
        rows = connection.execute(
            select(c.position, c.kind, c.head, c.known)
            .where(c.log == opened.log.log, c.digest == digest)
            .order_by(c.position)
        ).all()
    return [Receipt(*row, _items_of(opened, row.position)) for row in rows]


def _items(answer: Context | SearchResult) -> tuple[int, ...]:
    if isinstance(answer, SearchResult):
        return tuple(hit.position for hit in answer.hits)
    turns = [each.position for each in answer.evidence]
    return (*turns, *(fact.position for fact in (*answer.facts, *answer.observed)))


def _items_of(opened: Opened, position: int) -> tuple[int, ...]:
    (recorded,) = opened.log.read(position, position + 1)
    said = recorded.event
    return tuple(said.items) if isinstance(said, ContextServed) else ()
