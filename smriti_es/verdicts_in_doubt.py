"""What an arbiter left out because of something that is withheld now is looked for once more.

A verdict to skip says that a known fact says the same already. When that fact is quarantined,
nothing says it any longer: the turns of what was skipped are put on the list of those that an
extraction is tried on again, which records nothing twice.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from sqlalchemy import select

from smriti_es.events.catalogue import ArbitrationDecided, ExtractionCompleted, ExtractionFailed
from smriti_es.events.database import in_parts
from smriti_es.events.header import Header, decode_header
from smriti_es.events.log import EventLog
from smriti_es.events.records import NewEvent
from smriti_es.events.tables import event_table
from smriti_es.ground import Ground
from smriti_es.projections.lineage import children_of_any
from smriti_es.projections.turns import turn_tables

IN_DOUBT: Final = "an arbiter had left out what they say for a fact that is quarantined"


def asked_again(
    ground: Ground, log: EventLog, facts: Sequence[int], withheld: Collection[int]
) -> list[NewEvent]:
    """Put turns on the list of what is read again, for verdicts that rest on some facts.

    Args:
        ground: The open append.
        log: The log.
        facts: Facts that are about to be withheld.
        withheld: Everything that is about to be withheld.
    """
    turns: dict[tuple[int, str], set[int]] = {}
    for verdict in _skipping(ground, facts):
        read = [each for each in verdict.refs if each != verdict.facets["target"]]
        extractor = _extractor_of(ground, log, verdict)
        for turn, session in _readable(ground, read, withheld):
            turns.setdefault((session, extractor), set()).add(turn)
    return [
        NewEvent(
            ExtractionFailed(
                session=session, turns=sorted(read), extractor=extractor, error=IN_DOUBT
            ),
            tuple(sorted(read)),
        )
        for (session, extractor), read in sorted(turns.items())
    ]


def _skipping(ground: Ground, facts: Sequence[int]) -> Iterator[Header]:
    """Give the verdicts that left something out because of one of some facts."""
    transaction, c = ground.transaction, event_table.c
    lineage = ground.projector.serving_in(transaction)["lineage"].number
    found = children_of_any(transaction.connection, transaction.log, lineage, facts)
    for part in in_parts(sorted({child for _, child in found})):
        rows = transaction.connection.execute(
            select(c.header)
            .where(
                c.log == transaction.log,
                c.position.in_(part),
                c.type == ArbitrationDecided.TYPE,
            )
            .order_by(c.position)
        )
        for header in map(decode_header, rows.scalars().all()):
            if header.facets["action"] == "skip" and header.facets["target"] in set(facts):
                yield header


def _extractor_of(ground: Ground, log: EventLog, verdict: Header) -> str:
    """Give who had found what was left out: an extraction comes first in its commit."""
    first = verdict.commit[0]
    (recorded,) = log.read(first, first + 1, connection=ground.transaction.connection)
    said = recorded.event
    return said.extractor if isinstance(said, ExtractionCompleted) else ""


def _readable(
    ground: Ground, positions: Sequence[int], withheld: Collection[int]
) -> list[tuple[int, int]]:
    """Give those that are turns and are not withheld, each with its session."""
    transaction = ground.transaction
    tables = turn_tables(ground.projector.serving_in(transaction)["turns"].number)
    turn = tables.turn.c
    hidden = ground.withholding.withheld_among(positions) | set(withheld)
    rows = transaction.connection.execute(
        select(turn.position, turn.session).where(
            turn.log == transaction.log, turn.position.in_(positions)
        )
    )
    return [(row.position, row.session) for row in rows if row.position not in hidden]
