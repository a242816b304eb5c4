"""`extractions`: turns that an extractor failed on, which wait to be tried again."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, ClassVar, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Integer,
    MetaData,
    String,
    Table,
    func,
    or_,
    select,
    update,
)

from smriti_es.events.catalogue import ExtractionCompleted, ExtractionFailed
from smriti_es.events.database import in_parts, insert_rows
from smriti_es.events.records import RecordedEvent
from smriti_es.events.stored_rows import raw
from smriti_es.events.tables import BigNumber, event_table, projection_table
from smriti_es.projections.generation import POINTER
from smriti_es.projections.projection import Fold, Projection, delete_rows, rows_by_key

# Beside the generations stands how far extraction has come, under this name.
POINTER_NAME: Final = "extraction"


def leaf_before(connection: Connection, log: int, position: int) -> bytes:
    """Give the leaf hash of the event before a position; zeros when there is none."""
    c = event_table.c
    found = connection.execute(select(c.leaf).where(c.log == log, c.position == position - 1))
    return bytes(found.scalar() or bytes(32))


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
        # Position of the failure.
        Column("cause", BigInteger, nullable=False),
    )


_TYPES: Final = frozenset({ExtractionCompleted.TYPE, ExtractionFailed.TYPE})
_WHY: Final = ("attempts", "retryable", "error")
_ERASED: Final = (1, True, "what it said was erased")


def _turns_of(recorded: RecordedEvent) -> list[int]:
    """Give the turns that an extraction read; it refers to them, also once what it said is gone."""
    event = recorded.event
    if isinstance(event, (ExtractionCompleted, ExtractionFailed)):
        return sorted(set(event.turns))
    return sorted(set(recorded.header.refs))


def _why(recorded: RecordedEvent) -> tuple[int, bool, str]:
    """Say why an extraction failed, as far as that was not erased."""
    event = recorded.event
    if isinstance(event, ExtractionFailed):
        return event.attempt, event.retryable, event.error
    return _ERASED


class ExtractionsProjection(Projection):
    """Failed turns, until an extraction of theirs is completed."""

    name: ClassVar[str] = "extractions"
    version: ClassVar[int] = 2
    stems: ClassVar[tuple[str, ...]] = ("extraction_failed",)
    required: ClassVar[bool] = False

    def tables(self, generation: int) -> Sequence[Table]:
        """Give the one table of a generation."""
        return (failed_table(generation),)

    def apply(self, prepared: Sequence[RecordedEvent], fold: Fold) -> None:
        """Put failed turns on the list and take completed ones off it."""
        table = failed_table(fold.generation)
        for recorded in prepared:
            if recorded.header.type not in _TYPES:
                continue
            turns = _turns_of(recorded)
            delete_rows(fold, table, table.c.position, turns)
            if recorded.header.type == ExtractionFailed.TYPE:
                why = _why(recorded)
                session = recorded.header.facets["session"]
                rows = [(fold.log, turn, session, *why, recorded.position) for turn in turns]
                insert_rows(fold.connection, table, rows)

    def erase(self, positions: Sequence[int], fold: Fold) -> None:
        """Take erased turns off the list; of other turns, forget what was said of the failure."""
        super().erase(positions, fold)
        c, said = failed_table(fold.generation).c, dict(zip(_WHY, _ERASED, strict=True))
        for part in in_parts(positions):
            of_erased = update(failed_table(fold.generation)).where(
                c.log == fold.log, c.cause.in_(part)
            )
            fold.connection.execute(of_erased.values(said))

    def standing(self, live: Fold, detail: str | None) -> str | None:
        """Tell whether how far extraction has come is what was written down."""
        c, size = projection_table.c, func.coalesce(func.max(event_table.c.position), -1) + 1
        columns = (c.name, c.generation, c.version, c.state, c.folded, c.leaf, c.error, c.detail)
        rows = live.connection.execute(
            select(*map(raw, columns)).where(
                c.log == live.log, or_(c.name == POINTER_NAME, c.state == POINTER)
            )
        ).all()
        events = live.connection.execute(select(size).where(event_table.c.log == live.log)).scalar()
        for row in rows:
            folded = row.folded
            if not (type(folded) is int and 0 <= folded <= (events or 0)) or tuple(row) != (
                *(POINTER_NAME, 1, 1, POINTER, folded),
                leaf_before(live.connection, live.log, folded),
                *(None, None),
            ):
                return "how far extraction has come is not what was written: rebuild it"
        return super().standing(live, detail)

    def canonical_rows(self, fold: Fold) -> Iterable[Sequence[Any]]:
        """Give all rows."""
        return rows_by_key(self.tables(fold.generation), fold)
