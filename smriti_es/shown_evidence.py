"""The words that support a statement, as far as they may be read.

A quarantine without cascade leaves standing what was derived from a turn; the words of the turn are
withheld wherever they are quoted.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from smriti_es.projections.trust import TrustTables, causes_among

Quotes = tuple[tuple[int, str], ...]


def shown_evidence(
    connection: Connection,
    tables: TrustTables,
    log: int,
    said: Sequence[Mapping[str, Any]],
    known: int | None,
) -> list[Quotes]:
    """Give the evidence of each of some statements: turns that are not withheld, with the words.

    Args:
        connection: The snapshot.
        tables: What is withheld.
        log: The log's number.
        said: What the statements say.
        known: The knowledge time as of which is read; None: now.
    """
    turns = sorted({each["turn"] for body in said for each in body.get("evidence", ())})
    withheld = causes_among(connection, tables, log, turns, known=known)
    return [
        tuple(
            (each["turn"], each["quote"])
            for each in body.get("evidence", ())
            if each["turn"] not in withheld
        )
        for body in said
    ]
