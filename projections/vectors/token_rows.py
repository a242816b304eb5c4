"""Token vectors as rows: one for each piece of a turn, a signed byte for each number.

Each vector is stretched until its largest number is 127; how long it was is of no use, since only
angles are compared. All that is added up in comparing two of them are whole numbers below 2^24, so
float32 holds every sum exactly, and a comparison comes out the same in any order, on any machine.
"""

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Integer,
    LargeBinary,
    MetaData,
    Select,
    Table,
    bindparam,
    select,
)

from smriti_es.events.rows_among import fetch_among, keys
from smriti_es.events.tables import BigNumber

FloatMatrix = npt.NDArray[np.float32]
TokenMatrix = npt.NDArray[np.int8]
Positions = npt.NDArray[np.int64]
# Of longer turns the first pieces are compared token by token, the others by their vectors alone.
PIECES_MAX: Final = 16
# What the name of each of the tables begins with.
TOKENS: Final = "token_vector_"
_LARGEST: Final = 127
_SPACE_BYTES: Final = 8
_DIGEST_BYTES: Final = 16
_PLACE: Final = struct.Struct(">qq")


def token_table(suffix: str, metadata: MetaData) -> Table:
    """Give the table of one generation."""
    return Table(
        f"{TOKENS}{suffix}",
        metadata,
        Column("log", BigNumber, primary_key=True, autoincrement=False),
        Column("position", BigInteger, primary_key=True, autoincrement=False),
        Column("piece", Integer, primary_key=True, autoincrement=False),
        Column("space", LargeBinary(_SPACE_BYTES), nullable=False),
        Column("digest", LargeBinary(_DIGEST_BYTES), nullable=False),
        Column("tokens", LargeBinary, nullable=False),
    )


def space_key(space: str) -> bytes:
    """Name a space of token vectors in the 8 bytes that rows have for it."""
    return hashlib.sha256(space.encode()).digest()[:_SPACE_BYTES]


def quantised(vectors: FloatMatrix) -> TokenMatrix:
    """Write vectors as signed bytes, each by its own largest number.

    Args:
        vectors: (tokens, dimension) of any length.

    Returns:
        (tokens, dimension) int8; a vector of zeros stays one.
    """
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    stretched = vectors * (_LARGEST / np.where(largest > 0.0, largest, 1.0))
    return np.rint(stretched).astype(np.int8)


def token_row_digest(
    position: int, piece: int, input_: bytes, space: bytes, tokens: bytes
) -> bytes:
    """Hash a row to the 16 bytes by which one that was damaged or moved is found."""
    place = _PLACE.pack(position, piece)
    return hashlib.sha256(place + input_ + space + tokens).digest()[:_DIGEST_BYTES]


def is_whole_token_row(row: Any, input_: bytes) -> bool:
    """Tell whether a stored row is as it was written, for a payload of that digest."""
    if not all(type(each) is int for each in (row.position, row.piece)):
        return False
    if not all(isinstance(each, bytes) for each in (row.space, row.tokens)):
        return False
    made = token_row_digest(row.position, row.piece, input_, row.space, row.tokens)
    return bool(row.digest == made)


@dataclass(frozen=True, slots=True)
class TokenRows:
    """The token vectors of some turns and facts, as they are compared.

    Attributes:
        positions: int64, ascending, each once: those that have token vectors.
        starts: Where the tokens of each begin; aligned with `positions`.
        tokens: (tokens, dimension) int8; those of all pieces of a turn follow one another.
    """

    positions: Positions
    starts: npt.NDArray[np.intp]
    tokens: TokenMatrix


def read_tokens(
    connection: Connection,
    table: Table,
    log: int,
    *,
    space: str,
    dimension: int,
    positions: Positions,
) -> TokenRows:
    """Read the token vectors of turns and facts, some hundreds in one query.

    Args:
        connection: The snapshot of the read.
        table: Of the generation that serves.
        log: The log's number.
        space: The space that the question's tokens are of; rows of another one are left out.
        dimension: Of its vectors.
        positions: int64, ascending, each once.
    """
    values = {"this_log": log, "this_space": space_key(space)}
    found = fetch_among(connection, partial(_by_position, table), positions.tolist(), values)
    rows = [row for row in found if _fits(row[1], dimension)]
    places = np.fromiter((row[0] for row in rows), np.int64, len(rows))
    counts = np.fromiter((len(row[1]) // dimension for row in rows), np.int64, len(rows))
    first = np.flatnonzero(np.concatenate(([True], places[1:] != places[:-1]))[: len(places)])
    begins = np.concatenate(([0], np.cumsum(counts)))[first]
    tokens = np.frombuffer(b"".join(row[1] for row in rows), np.int8).reshape(-1, dimension)
    return TokenRows(places[first], begins, tokens)


def _fits(stored: Any, dimension: int) -> bool:
    """Tell whether stored bytes are vectors of a dimension, at least one."""
    return isinstance(stored, bytes) and len(stored) > 0 and len(stored) % dimension == 0


@cache
def _by_position(table: Table, size: int) -> Select[Any]:
    c = table.c
    return (
        select(c.position, c.tokens)
        .where(
            c.log == bindparam("this_log"),
            c.position.in_(keys(size)),
            c.space == bindparam("this_space"),
        )
        .order_by(c.position, c.piece)
    )


def token_rows(
    log: int, position: int, input_: bytes, space: str, pieces: Sequence[TokenMatrix]
) -> list[tuple[Any, ...]]:
    """Write the token vectors of a turn's pieces as rows, in the order of the columns."""
    key = space_key(space)
    rows = []
    for piece, tokens in enumerate(pieces):
        stored = tokens.tobytes()
        digest = token_row_digest(position, piece, input_, key, stored)
        rows.append((log, position, piece, key, digest, stored))
    return rows
