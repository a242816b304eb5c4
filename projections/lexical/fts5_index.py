"""The postings of words in FTS5, which keeps them in little space and merges them by itself.

Its table is contentless: it holds postings and no text, so it must be told which terms to forget.
A term stands there with its log's number before it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Final

import numpy as np
from sqlalchemy import (
    DDL,
    Column,
    Connection,
    Integer,
    MetaData,
    Select,
    String,
    Table,
    bindparam,
    func,
    insert,
    select,
)

from smriti_es.events.database import insert_rows
from smriti_es.projections.lexical.index import Indexed, Positions, PostingIndex, TermPostings
from smriti_es.projections.projection import Fold

# A document's number is the log's number and the position side by side: 2**40 events a log.
_POSITION_BITS: Final = 40
_TERMS_AT_ONCE: Final = 256


class Fts5Index(PostingIndex):
    """Postings in FTS5."""

    def create(self, fold: Fold, suffix: str) -> None:
        """Create the tables; FTS5 splits at ASCII punctuation only, which our terms do not hold."""
        names = {"term": _term(suffix).name, "posting": _posting(suffix).name}
        for statement in (
            "CREATE VIRTUAL TABLE IF NOT EXISTS %(term)s USING "
            "fts5(terms, content='', tokenize=\"ascii tokenchars ':_'\")",
            "CREATE VIRTUAL TABLE IF NOT EXISTS %(posting)s USING fts5vocab(%(term)s, instance)",
        ):
            fold.connection.execute(DDL(statement, context=names))  # type: ignore[no-untyped-call]

    def clear(self, fold: Fold, suffix: str) -> None:
        """Forget the log's postings; FTS5 must be told which."""
        _forget(fold, suffix, _terms_by_position(fold, suffix))

    def add(self, items: Sequence[Indexed], fold: Fold, suffix: str) -> None:
        """Add documents, each word with the log's number before it."""
        prefix = f"{fold.log}:"
        between = f" {prefix}"
        texts = [
            (fold.log << _POSITION_BITS | at, prefix + between.join(words) if words else "")
            for at, words in items
        ]
        insert_rows(fold.connection, _term(suffix), texts)

    def erase(self, positions: set[int], fold: Fold, suffix: str) -> None:
        """Forget documents whose terms are gathered from all postings."""
        gathered = _terms_by_position(fold, suffix)
        _forget(fold, suffix, (each for each in gathered if each[0] in positions))

    def forget(self, items: Sequence[Indexed], fold: Fold, suffix: str) -> None:
        """Forget documents whose terms are at hand."""
        prefix = f"{fold.log}:"
        _forget(fold, suffix, ((at, [prefix + word for word in words]) for at, words in items))

    def optimize(self, fold: Fold, suffix: str) -> None:
        """Merge the index into one piece: the terms of what was deleted lie in the pieces before.

        Source: https://sqlite.org/fts5.html, "The 'optimize' command".
        """
        commands = _commands(suffix)
        fold.connection.execute(insert(commands).values({commands.name: "optimize"}))

    def by_term(self, fold: Fold, suffix: str) -> Iterator[TermPostings]:
        """Give every posting of the log, term by term."""
        prefix = f"{fold.log}:"
        found = fold.connection.execute(_every_term(suffix), _span_of(fold))
        for part in found.partitions(_TERMS_AT_ONCE):
            for term, listed in part:
                positions, frequencies = _counted(listed)
                yield term.removeprefix(prefix), positions.tolist(), frequencies.tolist()

    def of(
        self, connection: Connection, log: int, suffix: str, term: str
    ) -> tuple[Positions, Positions]:
        """Give where a term occurs (see `PostingIndex.of`)."""
        # One text of numbers: a Python object for each posting would cost thrice the look-up.
        ((listed,),) = connection.exec_driver_sql(
            _posting_statement(suffix), {"term": f"{log}:{term}", "first": log << _POSITION_BITS}
        ).cursor.fetchall()
        if listed is None:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        return _counted(listed)


def _counted(listed: str) -> tuple[Positions, Positions]:
    """Read the position of each occurrence as positions, ascending, and how often each stands."""
    places = np.fromstring(listed, np.int64, sep=",")
    if (places[1:] < places[:-1]).any():  # in the order of the index, which nobody promises
        places.sort()
    first = np.flatnonzero(np.concatenate(([True], places[1:] != places[:-1])))
    return places[first], np.diff(first, append=len(places))


@cache
def _term(suffix: str) -> Table:
    return Table(f"term_{suffix}", MetaData(), Column("rowid", Integer), Column("terms", String))


@cache
def _posting(suffix: str) -> Table:
    """Give the view of FTS5 on its own postings, one row an occurrence."""
    return Table(f"posting_{suffix}", MetaData(), Column("term", String), Column("doc", Integer))


@cache
def _posting_statement(suffix: str) -> str:
    posting = _posting(suffix)
    numbers = func.group_concat(posting.c.doc - bindparam("first"))
    return str(select(numbers).where(posting.c.term == bindparam("term")))


@cache
def _every_term(suffix: str) -> Select[Any]:
    """Select the terms of a log in their order, each with its occurrences as one text."""
    posting = _posting(suffix)
    numbers = func.group_concat(posting.c.doc - bindparam("first"))
    return (
        select(posting.c.term, numbers)
        .where(posting.c.term >= bindparam("begin"), posting.c.term < bindparam("end"))
        .group_by(posting.c.term)
        .order_by(posting.c.term)
    )


def _span_of(fold: Fold) -> dict[str, Any]:
    """Give what bounds the terms of a log: ';' follows ':' in ASCII."""
    return {
        "first": fold.log << _POSITION_BITS,
        "begin": f"{fold.log}:",
        "end": f"{fold.log};",
    }


def _terms_by_position(fold: Fold, suffix: str) -> Iterator[tuple[int, list[str]]]:
    """Gather each document's terms (as they lie in the index) from its postings."""
    gathered: dict[int, Counter[str]] = {}
    for term, listed in fold.connection.execute(_every_term(suffix), _span_of(fold)):
        positions, frequencies = _counted(listed)
        for position, frequency in zip(positions.tolist(), frequencies.tolist(), strict=True):
            gathered.setdefault(position, Counter())[term] += frequency
    for position in sorted(gathered):
        yield position, list(gathered[position].elements())


def _forget(fold: Fold, suffix: str, gone: Iterable[tuple[int, list[str]]]) -> None:
    """Take documents out by the command that contentless tables need.

    Source: https://sqlite.org/fts5.html, "The 'delete' command".
    """
    rows = [
        ("delete", fold.log << _POSITION_BITS | position, " ".join(words))
        for position, words in gone
    ]
    insert_rows(fold.connection, _commands(suffix), rows)


@cache
def _commands(suffix: str) -> Table:
    """Give the full-text table as it takes commands: in a column of its own name."""
    term = _term(suffix)
    command: Column[Any] = Column(term.name, String)
    return Table(term.name, MetaData(), command, Column("rowid", Integer), Column("terms", String))
