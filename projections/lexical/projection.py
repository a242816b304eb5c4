"""`lexical`: the full-text index.

FTS5 keeps the postings; the terms are made by our own analysis before it sees them, and the ranking
statistics are computed per read over what that read may see. So the database's tokenizer, its
ranking and other logs in the same file have no say in an answer (design: decisions, 30).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
from sqlalchemy import (
    DDL,
    BigInteger,
    Column,
    Connection,
    Integer,
    MetaData,
    String,
    Table,
    bindparam,
    func,
    insert,
    select,
)

from smriti_es.events.database import in_parts, insert_rows
from smriti_es.events.records import RecordedEvent
from smriti_es.events.stored_rows import raw
from smriti_es.events.tables import BigNumber
from smriti_es.projections.items import items
from smriti_es.projections.lexical.analysis import terms
from smriti_es.projections.projection import Fold, Projection

Positions = npt.NDArray[np.int64]
# A document's number is the log's number and the position side by side: 2**40 events a log.
_POSITION_BITS: Final = 40
_POSITION_MASK: Final = (1 << _POSITION_BITS) - 1


@dataclass(frozen=True, slots=True)
class LexicalTables:
    """The tables of one generation.

    Attributes:
        document: How many terms a turn has.
        term: The FTS5 table, contentless: it keeps postings and no text.
        posting: A view of FTS5 on its own postings, one row an occurrence.
    """

    document: Table
    term: Table
    posting: Table


@cache
def lexical_tables(generation: int) -> LexicalTables:
    """Give the tables of a generation."""
    suffix = f"v{LexicalProjection.version}_g{generation}"
    metadata = MetaData()
    return LexicalTables(
        document=Table(
            f"document_{suffix}",
            metadata,
            Column("log", BigNumber, primary_key=True, autoincrement=False),
            Column("position", BigInteger, primary_key=True, autoincrement=False),
            Column("length", Integer, nullable=False),
        ),
        term=Table(f"term_{suffix}", metadata, Column("rowid", Integer), Column("terms", String)),
        posting=Table(
            f"posting_{suffix}", metadata, Column("term", String), Column("doc", Integer)
        ),
    )


class LexicalProjection(Projection):
    """Terms of turns. It may lag or halt without harm to what is written."""

    name: ClassVar[str] = "lexical"
    version: ClassVar[int] = 2
    required: ClassVar[bool] = False
    # `posting` is a view of `term` and goes first.
    stems: ClassVar[tuple[str, ...]] = ("document", "posting", "term")

    def tables(self, generation: int) -> Sequence[Table]:
        """Give the ordinary table of a generation; the two of FTS5 are handled beside it."""
        return (lexical_tables(generation).document,)

    def create(self, fold: Fold) -> None:
        """Create the tables; FTS5 splits at ASCII punctuation only, which our terms do not hold."""
        super().create(fold)
        tables = lexical_tables(fold.generation)
        names = {"term": tables.term.name, "posting": tables.posting.name}
        for statement in (
            "CREATE VIRTUAL TABLE IF NOT EXISTS %(term)s USING "
            "fts5(terms, content='', tokenize=\"ascii tokenchars ':_'\")",
            "CREATE VIRTUAL TABLE IF NOT EXISTS %(posting)s USING fts5vocab(%(term)s, instance)",
        ):
            fold.connection.execute(DDL(statement, context=names))  # type: ignore[no-untyped-call]

    def clear(self, fold: Fold) -> None:
        """Delete the log's rows; FTS5 keeps no text, so it must be told which terms to forget."""
        _forget(fold, _terms_by_position(fold))
        super().clear(fold)

    def apply(self, prepared: Sequence[RecordedEvent], fold: Fold) -> None:
        """Fold the text of turns."""
        tables = lexical_tables(fold.generation)
        documents, texts = [], []
        prefix = f"{fold.log}:"
        between = f" {prefix}"
        for item in items(prepared):
            words, position = terms(item.words), item.recorded.position
            documents.append((fold.log, position, len(words)))
            # Each word with the log's number before it.
            text = prefix + between.join(words) if words else ""
            texts.append((fold.log << _POSITION_BITS | position, text))
        insert_rows(fold.connection, tables.document, documents)
        insert_rows(fold.connection, tables.term, texts)

    def erase(self, positions: Sequence[int], fold: Fold) -> None:
        """Delete turns and facts; FTS5 must be told which of their terms to forget.

        Here they are gathered from all postings; whoever still has the text calls `forget` before.
        """
        if there := self._indexed(positions, fold):
            gathered = (each for each in _terms_by_position(fold) if each[0] in there)
            _forget(fold, gathered)
        super().erase(positions, fold)

    def forget(self, events: Sequence[RecordedEvent], fold: Fold) -> None:
        """Delete turns and facts whose text is at hand, as far as they are in the index."""
        prefix = f"{fold.log}:"
        found = list(items(events))
        there = self._indexed([item.recorded.position for item in found], fold)
        known = [item for item in found if item.recorded.position in there]
        _forget(
            fold,
            (
                (item.recorded.position, [prefix + word for word in terms(item.words)])
                for item in known
            ),
        )
        super().erase(sorted(there), fold)

    def _indexed(self, positions: Sequence[int], fold: Fold) -> set[int]:
        """Give the positions among some that are in the index."""
        document = lexical_tables(fold.generation).document.c
        there: set[int] = set()
        for part in in_parts(positions):
            among = document.log == fold.log, document.position.in_(part)
            there.update(fold.connection.execute(select(document.position).where(*among)).scalars())
        return there

    def optimize(self, fold: Fold) -> None:
        """Merge the index into one piece: the terms of what was deleted lie in the pieces before.

        Source: https://sqlite.org/fts5.html, "The 'optimize' command".
        """
        commands = _commands(fold.generation)
        fold.connection.execute(insert(commands).values({commands.name: "optimize"}))

    def canonical_rows(self, fold: Fold) -> Iterable[Sequence[Any]]:
        """Give lengths, then (term, position, frequency) as the index itself has them."""
        document = lexical_tables(fold.generation).document
        yield from fold.connection.execute(
            select(raw(document.c.position), raw(document.c.length))
            .where(document.c.log == fold.log)
            .order_by(document.c.position)
        )
        prefix, first = f"{fold.log}:", fold.log << _POSITION_BITS
        for term, doc, frequency in fold.connection.execute(_all_postings(fold)):
            yield (term.removeprefix(prefix), doc - first, frequency)


def postings(
    connection: Connection, log: int, generation: int, term: str
) -> tuple[Positions, Positions]:
    """Read where a term occurs.

    Returns:
        Positions of the turns, ascending, and how often the term occurs in each; int64, equally
        long.
    """
    # The driver's own rows: SQLAlchemy's would cost more than the whole look-up for a common term.
    rows = connection.exec_driver_sql(
        _posting_statement(generation), {"term": f"{log}:{term}"}
    ).cursor.fetchall()
    documents = np.fromiter((row[0] for row in rows), np.int64, len(rows)) & _POSITION_MASK
    if len(documents) == 0:
        return documents, documents
    return np.unique(documents, return_counts=True)


@cache
def _posting_statement(generation: int) -> str:
    posting = lexical_tables(generation).posting
    statement = select(posting.c.doc).where(posting.c.term == bindparam("term"))
    return str(statement)


def _all_postings(fold: Fold) -> Any:
    posting = lexical_tables(fold.generation).posting
    return (
        select(posting.c.term, posting.c.doc, func.count())
        # ';' follows ':' in ASCII, so this is every term of the log and of no other.
        .where(posting.c.term >= f"{fold.log}:", posting.c.term < f"{fold.log};")
        .group_by(posting.c.term, posting.c.doc)
        .order_by(posting.c.term, posting.c.doc)
    )


def _terms_by_position(fold: Fold) -> Iterator[tuple[int, list[str]]]:
    """Gather each turn's terms (as they lie in the index) from its postings."""
    gathered: dict[int, Counter[str]] = {}
    for term, doc, frequency in fold.connection.execute(_all_postings(fold)):
        gathered.setdefault(doc & _POSITION_MASK, Counter())[term] += frequency
    for position in sorted(gathered):
        yield position, list(gathered[position].elements())


def _forget(fold: Fold, gone: Iterable[tuple[int, list[str]]]) -> None:
    """Take turns out of FTS5 by the command that its contentless tables need.

    Source: https://sqlite.org/fts5.html, "The 'delete' command".
    """
    rows = [
        ("delete", fold.log << _POSITION_BITS | position, " ".join(words))
        for position, words in gone
    ]
    insert_rows(fold.connection, _commands(fold.generation), rows)


@cache
def _commands(generation: int) -> Table:
    """Give the full-text table as it takes commands: in a column of its own name."""
    term = lexical_tables(generation).term
    command: Column[Any] = Column(term.name, String)
    return Table(term.name, MetaData(), command, Column("rowid", Integer), Column("terms", String))
