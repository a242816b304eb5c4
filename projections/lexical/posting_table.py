"""The postings of words in a table, for databases without FTS5.

One row a term and document, led by log and term, with the frequency in the index itself: what a
term's look-up reads lies together, and nothing else is touched.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import numpy as np
from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    delete,
    select,
)

from smriti_es.events.database import insert_rows
from smriti_es.events.tables import BigNumber
from smriti_es.projections.lexical.index import Indexed, Positions, PostingIndex, TermPostings
from smriti_es.projections.projection import Fold, delete_rows

_BIG: Final = np.dtype(">i8")
_SMALL: Final = np.dtype(">i4")


class PostingTable(PostingIndex):
    """Postings in a table of PostgreSQL."""

    def create(self, fold: Fold, suffix: str) -> None:
        """Create the table of a generation where it is missing."""
        _posting(suffix).create(fold.connection, checkfirst=True)

    def clear(self, fold: Fold, suffix: str) -> None:
        """Delete the log's rows."""
        posting = _posting(suffix)
        fold.connection.execute(delete(posting).where(posting.c.log == fold.log))

    def add(self, items: Sequence[Indexed], fold: Fold, suffix: str) -> None:
        """Add a row for each term of each document."""
        rows = [
            (fold.log, term, at, frequency)
            for at, words in items
            for term, frequency in Counter(words).items()
        ]
        insert_rows(fold.connection, _posting(suffix), rows)

    def erase(self, positions: set[int], fold: Fold, suffix: str) -> None:
        """Delete the rows of documents."""
        posting = _posting(suffix)
        delete_rows(fold, posting, posting.c.position, sorted(positions))

    def forget(self, items: Sequence[Indexed], fold: Fold, suffix: str) -> None:
        """Delete the rows of documents; their terms are not needed."""
        self.erase({at for at, _ in items}, fold, suffix)

    def optimize(self, fold: Fold, suffix: str) -> None:
        """Do nothing: deleted rows go as those of any table do, when the store is written anew."""

    def by_term(self, fold: Fold, suffix: str) -> Iterator[TermPostings]:
        """Give every posting of the log, term by term."""
        c = _posting(suffix).c
        statement = select(c.term, c.position, c.frequency).where(c.log == fold.log)
        rows = fold.connection.execute(statement.order_by(c.term, c.position))
        for term, postings in groupby(rows, key=itemgetter(0)):
            _, positions, frequencies = zip(*postings, strict=True)
            yield term, list(positions), list(frequencies)

    def of(
        self, connection: Connection, log: int, suffix: str, term: str
    ) -> tuple[Positions, Positions]:
        """Give where a term occurs (see `PostingIndex.of`): as two packed values, not as rows."""
        ((places, frequencies),) = connection.exec_driver_sql(
            _look_up(suffix), {"log": log, "term": term}
        ).cursor.fetchall()
        positions = np.frombuffer(places or b"", _BIG).astype(np.int64)
        counts = np.frombuffer(frequencies or b"", _SMALL).astype(np.int64)
        # In the order of the index as a rule, which the server does not promise.
        order = np.argsort(positions)
        return positions[order], counts[order]


@cache
def _posting(suffix: str) -> Table:
    return Table(
        f"posting_{suffix}",
        MetaData(),
        Column("log", BigNumber, nullable=False),
        Column("term", String, nullable=False),
        Column("position", BigInteger, nullable=False),
        Column("frequency", Integer, nullable=False),
        Index(
            f"posting_by_term_{suffix}",
            "log",
            "term",
            "position",
            unique=True,
            postgresql_include=["frequency"],
        ),
        Index(f"posting_by_position_{suffix}", "log", "position"),
    )


@cache
def _look_up(suffix: str) -> Any:
    posting = _posting(suffix).name
    return (
        "SELECT string_agg(int8send(position), ''::bytea),"  # noqa: S608  ours
        " string_agg(int4send(frequency), ''::bytea)"
        f" FROM {posting} WHERE log = %(log)s AND term = %(term)s"
    )
