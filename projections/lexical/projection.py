"""`lexical`: the full-text index.

A database keeps the postings; the terms are made by our own analysis before it sees them, and the
ranking statistics are computed per read over what that read may see. So the database's tokenizer,
its ranking and other logs in it have no say in an answer (design: decisions, 30).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Final

from sqlalchemy import BigInteger, Column, Connection, Integer, MetaData, Table, select

from smriti_es.events.database import in_parts, insert_rows
from smriti_es.events.records import RecordedEvent
from smriti_es.events.stored_rows import raw
from smriti_es.events.tables import BigNumber
from smriti_es.projections.items import items
from smriti_es.projections.lexical.analysis import terms
from smriti_es.projections.lexical.fts5_index import Fts5Index
from smriti_es.projections.lexical.index import Positions, PostingIndex
from smriti_es.projections.lexical.posting_table import PostingTable
from smriti_es.projections.projection import Fold, Projection, canonical_line

_INDEXES: Final[Mapping[str, PostingIndex]] = {"sqlite": Fts5Index()}
_TABLE: Final = PostingTable()


@cache
def document_table(generation: int) -> Table:
    """Give the table that says how many terms each turn and fact has."""
    return Table(
        f"document_{_suffix(generation)}",
        MetaData(),
        Column("log", BigNumber, primary_key=True, autoincrement=False),
        Column("position", BigInteger, primary_key=True, autoincrement=False),
        Column("length", Integer, nullable=False),
    )


def _suffix(generation: int) -> str:
    return f"v{LexicalProjection.version}_g{generation}"


def index_of(connection: Connection) -> PostingIndex:
    """Give the way in which a database keeps postings."""
    return _INDEXES.get(connection.dialect.name, _TABLE)


class LexicalProjection(Projection):
    """Terms of turns. It may lag or halt without harm to what is written."""

    name: ClassVar[str] = "lexical"
    version: ClassVar[int] = 2
    required: ClassVar[bool] = False
    # In SQLite `posting` is a view of `term` and goes first; elsewhere it is a table and alone.
    stems: ClassVar[tuple[str, ...]] = ("document", "posting", "term")

    def tables(self, generation: int) -> Sequence[Table]:
        """Give the one table of a generation that is the same on every database."""
        return (document_table(generation),)

    def create(self, fold: Fold) -> None:
        """Create the tables of the fold's generation where they are missing."""
        super().create(fold)
        index_of(fold.connection).create(fold, _suffix(fold.generation))

    def clear(self, fold: Fold) -> None:
        """Delete the log's rows and postings."""
        index_of(fold.connection).clear(fold, _suffix(fold.generation))
        super().clear(fold)

    def apply(self, prepared: Sequence[RecordedEvent], fold: Fold) -> None:
        """Fold the text of turns."""
        indexed = [(item.recorded.position, terms(item.words)) for item in items(prepared)]
        documents = [(fold.log, position, len(words)) for position, words in indexed]
        insert_rows(fold.connection, document_table(fold.generation), documents)
        index_of(fold.connection).add(indexed, fold, _suffix(fold.generation))

    def erase(self, positions: Sequence[int], fold: Fold) -> None:
        """Delete turns and facts, with all their terms.

        Where their text is needed for that, it costs a pass over all postings; whoever still has it
        calls `forget` before.
        """
        if there := self._indexed(positions, fold):
            index_of(fold.connection).erase(there, fold, _suffix(fold.generation))
        super().erase(positions, fold)

    def forget(self, events: Sequence[RecordedEvent], fold: Fold) -> None:
        """Delete turns and facts whose text is at hand, as far as they are in the index."""
        found = list(items(events))
        there = self._indexed([item.recorded.position for item in found], fold)
        known = [
            (item.recorded.position, terms(item.words))
            for item in found
            if item.recorded.position in there
        ]
        index_of(fold.connection).forget(known, fold, _suffix(fold.generation))
        super().erase(sorted(there), fold)

    def _indexed(self, positions: Sequence[int], fold: Fold) -> set[int]:
        """Give the positions among some that are in the index."""
        document = document_table(fold.generation).c
        there: set[int] = set()
        for part in in_parts(positions):
            among = document.log == fold.log, document.position.in_(part)
            there.update(fold.connection.execute(select(document.position).where(*among)).scalars())
        return there

    def optimize(self, fold: Fold) -> None:
        """Let go of the terms of what was deleted, as far as the index still keeps them."""
        index_of(fold.connection).optimize(fold, _suffix(fold.generation))

    def canonical_rows(self, fold: Fold) -> Iterable[Sequence[Any]]:
        """Give lengths, then (term, position, frequency) as the index itself has them."""
        yield from _documents(fold)
        yield from index_of(fold.connection).all(fold, _suffix(fold.generation))

    def canonical_lines(self, fold: Fold) -> Iterator[str]:
        """Write those rows; the postings of a term at a time, of which there are thirty a turn."""
        yield from map(canonical_line, _documents(fold))
        for term, positions, frequencies in index_of(fold.connection).by_term(
            fold, _suffix(fold.generation)
        ):
            begin = canonical_line([term])[:-2]
            yield "".join(
                [f"{begin},{at},{n}]\n" for at, n in zip(positions, frequencies, strict=True)]
            )


def _documents(fold: Fold) -> Iterable[Sequence[Any]]:
    document = document_table(fold.generation)
    return fold.connection.execute(
        select(raw(document.c.position), raw(document.c.length))
        .where(document.c.log == fold.log)
        .order_by(document.c.position)
    )


def postings(
    connection: Connection, log: int, generation: int, term: str
) -> tuple[Positions, Positions]:
    """Read where a term occurs.

    Returns:
        Positions of the turns, ascending, and how often the term occurs in each; int64, equally
        long.
    """
    return index_of(connection).of(connection, log, _suffix(generation), term)
