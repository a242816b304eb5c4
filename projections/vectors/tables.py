"""The tables of `vectors`, and how a row of vectors is written."""

import hashlib
import struct
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, MetaData, String, Table

from smriti_es.events.tables import BigNumber
from smriti_es.projections.vectors.token_rows import token_table

VERSION: Final = 2
# Half precision halves the disk and moves a cosine by less than 0.001.
STORED: Final = np.dtype("<f2")
DIGEST_BYTES: Final = 16
ERROR_LENGTH_MAX: Final = 500
_PLACE: Final = struct.Struct(">qqqqq")


@dataclass(frozen=True, slots=True)
class VectorTables:
    """The tables of one generation: vectors, token vectors, and what could not be embedded."""

    vector: Table
    failure: Table
    token: Table


@cache
def vector_tables(generation: int) -> VectorTables:
    """Give the tables of a generation."""
    suffix = f"v{VERSION}_g{generation}"
    metadata = MetaData()
    return VectorTables(
        vector=Table(
            f"vector_{suffix}",
            metadata,
            Column("log", BigNumber, primary_key=True, autoincrement=False),
            # Rises with every insert, so that caches catch up by it (design: decisions, 31).
            Column("vector_seq", BigInteger, primary_key=True, autoincrement=False),
            Column("position", BigInteger, nullable=False),
            Column("piece", Integer, nullable=False),
            # How many pieces the turn has, so that one that is missing is noticed.
            Column("pieces", Integer, nullable=False),
            # Whether there are token vectors of the piece, so that it is noticed, too.
            Column("has_tokens", Integer, nullable=False),
            Column("input", LargeBinary(DIGEST_BYTES), nullable=False),
            Column("digest", LargeBinary(DIGEST_BYTES), nullable=False),
            Column("vector", LargeBinary, nullable=False),
            Index(f"vector_by_position_{suffix}", "log", "position", "piece", unique=True),
        ),
        failure=Table(
            f"vector_failure_{suffix}",
            metadata,
            Column("log", BigNumber, primary_key=True, autoincrement=False),
            Column("position", BigInteger, primary_key=True, autoincrement=False),
            Column("attempts", Integer, nullable=False),
            Column("error", String(ERROR_LENGTH_MAX), nullable=False),
        ),
        token=token_table(suffix, metadata),
    )


def is_whole_row(row: Any) -> bool:
    """Tell whether a stored row is as it was written."""
    place = (row.vector_seq, row.position, row.piece, row.pieces, row.has_tokens)
    if not (all(type(each) is int for each in place) and isinstance(row.vector, bytes)):
        return False
    return bool(row.digest == row_digest(*place, row.input, row.vector))


def row_digest(
    vector_seq: int,
    position: int,
    piece: int,
    pieces: int,
    has_tokens: int,
    input_: bytes,
    stored: bytes,
) -> bytes:
    """Hash a row to the 16 bytes by which one that was damaged or moved is found."""
    place = _PLACE.pack(vector_seq, position, piece, pieces, has_tokens)
    return hashlib.sha256(place + input_ + stored).digest()[:DIGEST_BYTES]
