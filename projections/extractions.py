"""`extractions`: turns that an extractor failed on, which wait to be tried again."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, ClassVar

from sqlalchemy import BigInteger, Boolean, Column, Integer, MetaData, String, Table, delete

from smriti_es.events.catalogue import ExtractionCompleted, ExtractionFailed
from smriti_es.events.database import insert_rows
from smriti_es.events.records import RecordedEvent
from smriti_es.events.tables import BigNumber
from smriti_es.projections.facts import rows_by_key
from smriti_es.projections.projection import Fold, Projection


@cache
def failed_table(generation: int) -> Table:
    """Give the table of a generation."""
    return Table(
        f"extraction_failed_v{ExtractionsProjection.version}_g{generation}",
        MetaData(),
        Column("log", BigNumber, primary_key=True, autoincrement=False),
        Column("position", BigNumber, primary_key=True, autoincrement=False),
        Column("session", BigInteger, nullable=False),
        Column("attempts", Integer, nullable=False),
        Column("retryable", Boolean, nullable=False),
        Column("error", String, nullable=False),
    )


class ExtractionsProjection(Projection):
    """Failed turns, until an extraction of theirs is completed."""

    name: ClassVar[str] = "extractions"
    version: ClassVar[int] = 1
    stems: ClassVar[tuple[str, ...]] = ("extraction_failed",)
    required: ClassVar[bool] = False

    def tables(self, generation: int) -> Sequence[Table]:
        """Give the one table of a generation."""
        return (failed_table(generation),)

    def apply(self, prepared: Sequence[RecordedEvent], fold: Fold) -> None:
        """Put failed turns on the list and take completed ones off it."""
        table = failed_table(fold.generation)
        for recorded in prepared:
            event = recorded.event
            if not isinstance(event, (ExtractionFailed, ExtractionCompleted)):
                continue
            turns = list(event.turns)
            fold.connection.execute(
                delete(table).where(table.c.log == fold.log, table.c.position.in_(turns))
            )
            if isinstance(event, ExtractionFailed):
                why = (event.session, event.attempt, event.retryable, event.error)
                rows = [(fold.log, turn, *why) for turn in sorted(set(turns))]
                insert_rows(fold.connection, table, rows)

    def canonical_rows(self, fold: Fold) -> Iterable[Sequence[Any]]:
        """Give all rows."""
        return rows_by_key(self.tables(fold.generation), fold)
