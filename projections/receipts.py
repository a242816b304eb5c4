"""`receipts`: what was handed out, by the digest of it."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, ClassVar

from sqlalchemy import BigInteger, Column, Index, MetaData, String, Table

from smriti_es.events.catalogue import ContextServed
from smriti_es.events.database import insert_rows
from smriti_es.events.records import RecordedEvent
from smriti_es.projections.labels import position_key
from smriti_es.projections.projection import Fold, Projection, rows_by_key


@cache
def receipt_table(generation: int) -> Table:
    """Give the table of a generation."""
    suffix = f"v{ReceiptsProjection.version}_g{generation}"
    return Table(
        f"receipt_{suffix}",
        MetaData(),
        *position_key(),
        Column("digest", String(64), nullable=False),
        Column("kind", String(16), nullable=False),
        Column("head", BigInteger, nullable=False),
        Column("known", BigInteger, nullable=False),
        Index(f"receipt_by_digest_{suffix}", "log", "digest"),
    )


class ReceiptsProjection(Projection):
    """Receipts of answers. It may lag or halt without harm to what is written."""

    name: ClassVar[str] = "receipts"
    version: ClassVar[int] = 1
    required: ClassVar[bool] = False
    stems: ClassVar[tuple[str, ...]] = ("receipt",)

    def tables(self, generation: int) -> Sequence[Table]:
        """Give the one table of a generation."""
        return (receipt_table(generation),)

    def apply(self, prepared: Sequence[RecordedEvent], fold: Fold) -> None:
        """Add a row for each receipt."""
        rows = [
            (
                fold.log,
                recorded.position,
                recorded.event.digest,
                recorded.event.kind,
                recorded.event.head,
                recorded.header.known,
            )
            for recorded in prepared
            if isinstance(recorded.event, ContextServed)
        ]
        insert_rows(fold.connection, receipt_table(fold.generation), rows)

    def canonical_rows(self, fold: Fold) -> Iterable[Sequence[Any]]:
        """Give all rows."""
        return rows_by_key(self.tables(fold.generation), fold)
