"""Check events while they are read, so that a replay trusts nothing and reads nothing twice.

`verify_log` reads the whole log, goes on after a finding and compares the tables beside it as well;
this stops at the first event that is not what was written.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from smriti_es.events import head_row
from smriti_es.events.chain import leaf_hash
from smriti_es.events.commitment import matches
from smriti_es.events.erasure_verification import Erasures
from smriti_es.events.errors import ChainBroken, IntegrityError, PayloadMissing
from smriti_es.events.header import GENESIS_PREVIOUS, Header
from smriti_es.events.log import READ_BATCH, EventLog, assert_in_order
from smriti_es.events.records import RecordedEvent, decode_recorded


def read_verified(
    log: EventLog, start: int = 0, stop: int | None = None
) -> Iterator[RecordedEvent]:
    """Read events in order, in one snapshot, and recompute hash, link and commitment of each.

    Args:
        log: The log.
        start: Position of the first.
        stop: Position after the last; None: up to the head, and then what the head row says and
            that every payload that is gone was erased is checked, too.

    Yields:
        The events, in today's form.

    Raises:
        ChainBroken: An event does not follow from the one before it.
        PayloadMissing: A payload is gone that no event erased.
        IntegrityError: A row is not what was written.
        SchemaNewer: An event comes from a later release.
    """
    with log.database.read() as snapshot:
        before = log.read_rows(start - 1, 1, snapshot) if start else ()
        previous = leaf_hash(before[0].header).hex() if before else GENESIS_PREVIOUS
        reading = VerifiedReading(log.log_id, previous)
        end = log.size(snapshot) if stop is None else min(stop, log.size(snapshot))
        for first in range(start, end, READ_BATCH):
            count = min(READ_BATCH, end - first)
            rows = log.read_rows(first, count, snapshot)
            assert_in_order(rows, first)
            if len(rows) < count:
                at = first + len(rows)
                raise ChainBroken(f"the event at position {at} is missing", position=at)
            for row in rows:
                recorded = decode_recorded(row.header, row.leaf, row.body)
                reading.check(row, recorded.header)
                yield recorded
        if stop is None:
            reading.finish(head_row.leaf_of(snapshot, log.log))


@dataclass(slots=True)
class VerifiedReading:
    """Compares events, read in order, with the chain that they belong to.

    Attributes:
        log_id: The log's id, which every header names.
        previous: Leaf hash of the event before the next one, 64 hex.
        erasures: Which payloads are gone, and what the events say of that.
    """

    log_id: str
    previous: str
    erasures: Erasures = field(default_factory=Erasures)

    def check(self, row: Any, header: Header) -> None:
        """Compare the next event, as it is stored, with its header and the event before it.

        Raises:
            ChainBroken: Its header is not the one that was written here.
            IntegrityError: A copied column or its payload is not.
        """
        leaf = leaf_hash(row.header)
        at = row.position
        if (leaf, header.previous, header.position) != (row.leaf, self.previous, at):
            raise ChainBroken(f"the event at position {at} does not follow", position=at)
        if (header.log, header.type, header.known) != (self.log_id, row.type, row.known):
            raise IntegrityError(f"the row at position {at} is not what its header says")
        pay = header.payload
        if row.body is None and pay is not None:
            self.erasures.missing.append(at)
        elif row.body is not None and (
            pay is None
            or len(row.body) != pay.size
            or not matches(pay.commitment, row.key, row.body)
        ):
            raise IntegrityError(f"the payload at position {at} is not what its header commits to")
        for finding in self.erasures.take(header, ()):
            raise IntegrityError(str(finding))
        self.previous = leaf.hex()

    def finish(self, head: bytes) -> None:
        """Compare the end of the log with the leaf hash in its head row.

        Raises:
            ChainBroken: The log does not end in that event.
            PayloadMissing: A payload is gone that no event erased.
        """
        if head.hex() != self.previous:
            raise ChainBroken("the log does not end where its head row says")
        for finding in self.erasures.lost():
            raise PayloadMissing(str(finding), position=finding.position)
