"""`vectors`: one row per piece of a turn, made by one embedder, outside any transaction.

Where the embedder gives token vectors, they lie in rows beside (`token_rows`), made by the same
call of the model, and come and go with the vector of the piece.

Rows are the truth of this projection; the matrix in memory and the graph file are caches of them. A
row names the commitment of the payload it was made from, so that what it belongs to can be checked
without a model.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Protocol

import numpy as np
import numpy.typing as npt
from sqlalchemy import (
    Connection,
    Table,
    func,
    select,
)

from smriti_es.events.catalogue import EmbedderChanged
from smriti_es.events.database import insert_rows
from smriti_es.events.errors import EmbedderError
from smriti_es.events.records import RecordedEvent, decode_recorded
from smriti_es.events.stored_rows import raw
from smriti_es.events.tables import event_table, payload_table
from smriti_es.projections.items import items
from smriti_es.projections.projection import Fold, Projection
from smriti_es.projections.vectors.tables import (
    DIGEST_BYTES,
    ERROR_LENGTH_MAX,
    STORED,
    VERSION,
    is_whole_row,
    row_digest,
    vector_tables,
)
from smriti_es.projections.vectors.token_rows import (
    PIECES_MAX,
    is_whole_token_row,
    quantised,
    token_rows,
)

FloatMatrix = npt.NDArray[np.float32]
EMBEDDER_NEEDED: Final = "Open the memory with an embedder."
# Why there is no vector of what is withheld from an embedder that sends text on.
NOT_SHOWN: Final = "withheld: no embedder is shown it before it is released"
WithheldAmong = Callable[[Sequence[int]], AbstractSet[int]]


def nothing_withheld(positions: Sequence[int]) -> AbstractSet[int]:
    """Withhold none of some turns and facts."""
    del positions
    return frozenset()


@dataclass(frozen=True, slots=True)
class EmbeddedText:
    """What became of one text.

    Attributes:
        vectors: (pieces, dimension) float32, unit length, in text order; None when it failed.
        error: Why it failed, or None.
        tokens: (tokens, dimension) float32 of each of the first pieces; none of an embedder that
            does not give them, or is not to.
        space: The space of these.
    """

    vectors: FloatMatrix | None
    error: str | None = None
    tokens: Sequence[FloatMatrix] = ()
    space: str = ""


class TurnEmbedder(Protocol):
    """Makes vectors of whole texts, however long."""

    @property
    def identity(self) -> str:
        """Identity of the embedder as canonical JSON text."""
        ...

    def embed_texts(self, texts: Sequence[str]) -> list[EmbeddedText]:
        """Embed texts, one entry each; raises EmbedderError when the embedder is out of reach."""
        ...


@dataclass(frozen=True, slots=True)
class EmbeddedTurn:
    """A turn with what became of its text.

    Attributes:
        position: The turn.
        input: 16 bytes of the commitment to its payload.
        outcome: Its vectors, or why there are none.
    """

    position: int
    input: bytes
    outcome: EmbeddedText


class VectorsProjection(Projection):
    """Vectors of turns by one embedder.

    Args:
        embedder: Makes the vectors; None: the rows can be read and checked, but not added to.
        withheld_among: Gives, of turns and facts, those that the embedder is not to be shown; they
            count as failed until they are released.
    """

    name: ClassVar[str] = "vectors"
    version: ClassVar[int] = VERSION
    inline: ClassVar[bool] = False
    required: ClassVar[bool] = False
    stems: ClassVar[tuple[str, ...]] = ("vector", "vector_failure", "token_vector")

    def __init__(
        self, embedder: TurnEmbedder | None, withheld_among: WithheldAmong = nothing_withheld
    ) -> None:
        self._embedder = embedder
        self.withheld_among = withheld_among

    @property
    def detail(self) -> str | None:
        """The embedder's identity: vectors of two embedders never share a generation."""
        return None if self._embedder is None else self._embedder.identity

    def tables(self, generation: int) -> Sequence[Table]:
        """Give the three tables of a generation."""
        tables = vector_tables(generation)
        return (tables.vector, tables.failure, tables.token)

    def prepare(self, events: Sequence[RecordedEvent]) -> list[EmbeddedTurn]:
        """Embed the turns and facts among the events.

        Raises:
            EmbedderError: There is no embedder, or it is out of reach; nothing is lost by trying
            later.
        """
        found = list(items(events))
        if not found:
            return []
        if self._embedder is None:
            raise EmbedderError("no embedder to make vectors with", hint=EMBEDDER_NEEDED)
        withheld = self.withheld_among([item.recorded.position for item in found])
        shown = [item for item in found if item.recorded.position not in withheld]
        outcomes = self._embedder.embed_texts([item.meaning for item in shown]) if shown else []
        became = {
            item.recorded.position: outcome for item, outcome in zip(shown, outcomes, strict=True)
        }
        kept_back = EmbeddedText(None, NOT_SHOWN)
        return [
            EmbeddedTurn(at, input_digest(item.recorded), became.get(at, kept_back))
            for item in found
            for at in (item.recorded.position,)
        ]

    def apply(self, prepared: Sequence[EmbeddedTurn], fold: Fold) -> None:
        """Write vectors, and what failed."""
        tables = vector_tables(fold.generation)
        following = _next_seq(fold.connection, tables.vector, fold.log)
        rows: list[tuple[Any, ...]] = []
        tokens: list[tuple[Any, ...]] = []
        failures: list[tuple[Any, ...]] = []
        for turn in prepared:
            if turn.outcome.vectors is None:
                reason = (turn.outcome.error or "unknown")[:ERROR_LENGTH_MAX]
                failures.append((fold.log, turn.position, 1, reason))
                continue
            pieces = len(turn.outcome.vectors)
            read = [quantised(each) for each in turn.outcome.tokens[:PIECES_MAX]]
            for piece, vector in enumerate(turn.outcome.vectors):
                stored = vector.astype(STORED).tobytes()
                has_tokens = int(piece < len(read))
                place = (following + len(rows), turn.position, piece, pieces, has_tokens)
                digest = row_digest(*place, turn.input, stored)
                rows.append((fold.log, *place, turn.input, digest, stored))
            tokens += token_rows(fold.log, turn.position, turn.input, turn.outcome.space, read)
        insert_rows(fold.connection, tables.vector, rows)
        insert_rows(fold.connection, tables.token, tokens)
        insert_rows(fold.connection, tables.failure, failures)

    def refold(self, events: Sequence[RecordedEvent], fold: Fold, live: Fold) -> None:
        """Say which rows must be there, taking over the live vectors that are whole."""
        wanted = {item.recorded.position: input_digest(item.recorded) for item in items(events)}
        if not wanted:
            return
        own, theirs = vector_tables(fold.generation), vector_tables(live.generation)
        bounds = (min(wanted), max(wanted))
        rows = [
            (fold.log, *row[1:])
            for row in _stretch(theirs.vector, live, bounds)
            if wanted.get(row.position) == row.input and is_whole_row(row)
        ]
        having = {(row[2], row[3]) for row in rows if row[5]}
        tokens = [
            (fold.log, *row[1:])
            for row in _stretch(theirs.token, live, bounds)
            if (row.position, row.piece) in having and is_whole_token_row(row, wanted[row.position])
        ]
        lacking = having - {(row[1], row[2]) for row in tokens}
        rows = [row for row in rows if (row[2], row[3]) not in lacking]
        whole = _with_every_piece(rows)
        failed = [
            (fold.log, *row[1:])
            for row in _stretch(theirs.failure, live, bounds)
            if row.position in wanted and row.position not in whole
        ]
        insert_rows(fold.connection, own.vector, rows)
        insert_rows(fold.connection, own.token, tokens)
        insert_rows(fold.connection, own.failure, failed)
        have = whole | {row[1] for row in failed}
        missing = [(fold.log, p, 0, "missing") for p in sorted(set(wanted) - have)]
        insert_rows(fold.connection, own.failure, missing)

    def canonical_rows(self, fold: Fold) -> Iterable[Sequence[Any]]:
        """Give (position, piece, pieces, input, SHA-256 of the vector), tokens, and the failures.

        In which order vectors were made does not follow from the log; the digest of a row vouches
        for the place that it took.
        """
        tables = vector_tables(fold.generation)
        c, f, t = tables.vector.c, tables.failure.c, tables.token.c
        for row in fold.connection.execute(
            select(*map(raw, (c.position, c.piece, c.pieces, c.has_tokens, c.input, c.vector)))
            .where(c.log == fold.log)
            .order_by(c.position, c.piece)
        ):
            yield (*row[:-1], _hashed(row.vector))
        for row in fold.connection.execute(
            select(*map(raw, (t.position, t.piece, t.space, t.tokens)))
            .where(t.log == fold.log)
            .order_by(t.position, t.piece)
        ):
            yield (*row[:-1], _hashed(row.tokens))
        yield from fold.connection.execute(
            select(raw(f.position), raw(f.error)).where(f.log == fold.log).order_by(f.position)
        )

    def standing(self, live: Fold, detail: str | None) -> str | None:
        """Compare the embedder that is written down with what the log says of it."""
        if detail is None:
            return None
        recorded = last_change(live)
        if recorded is None or (
            isinstance(recorded.event, EmbedderChanged)
            and detail != canonical_identity(recorded.event.embedder)
        ):
            return "the log names another embedder: rebuild it"
        return None


def canonical_identity(embedder: Mapping[str, Any]) -> str:
    """Write the identity of an embedder as canonical JSON text."""
    return json.dumps(embedder, sort_keys=True, separators=(",", ":"))


def last_change(live: Fold) -> RecordedEvent | None:
    """Read the event that names the embedder last."""
    c, p = event_table.c, payload_table.c
    joined = event_table.outerjoin(payload_table, (p.log == c.log) & (p.position == c.position))
    row = live.connection.execute(
        select(c.header, c.leaf, p.body)
        .select_from(joined)
        .where(c.log == live.log, c.type == EmbedderChanged.TYPE)
        .order_by(c.position.desc())
        .limit(1)
    ).one_or_none()
    return None if row is None else decode_recorded(*row)


def _stretch(table: Table, fold: Fold, bounds: tuple[int, int]) -> Iterable[Any]:
    """Read the rows of a stretch of positions, each value as it is stored."""
    statement = select(*map(raw, table.c)).where(
        table.c.log == fold.log, table.c.position.between(*bounds)
    )
    return fold.connection.execute(statement)


def _with_every_piece(rows: Iterable[tuple[Any, ...]]) -> set[int]:
    """Give the positions of the turns of which every piece is among the rows."""
    found = Counter((position, pieces) for _, _, position, _, pieces, *_ in rows)
    return {position for (position, pieces), count in found.items() if count == pieces}


def _hashed(stored: Any) -> Any:
    return hashlib.sha256(stored).digest() if isinstance(stored, bytes) else stored


def input_digest(recorded: RecordedEvent) -> bytes:
    """Name the payload that a vector is made from: 16 bytes of its commitment."""
    assert recorded.header.payload is not None
    return bytes.fromhex(recorded.header.payload.commitment)[:DIGEST_BYTES]


def _next_seq(connection: Connection, vector: Table, log: int) -> int:
    statement = select(func.coalesce(func.max(vector.c.vector_seq), -1) + 1)
    return int(connection.execute(statement.where(vector.c.log == log)).scalar_one())
