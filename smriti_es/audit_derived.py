"""What follows from the log, as files of a bundle: facts, their revisions, and fingerprints.

They prove nothing to who cannot fold; an import makes them anew and compares.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Connection, Table, select

from smriti_es.events.audit.layout import FACTS, FINGERPRINTS, REVISIONS
from smriti_es.projections.facts import fact_tables
from smriti_es.projections.projection import fingerprint
from smriti_es.projections.projector import Projector
from smriti_es.projections.revisions import revision_table

_BATCH: Final = 1_000
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def derived_files(projector: Projector, connection: Connection) -> dict[str, Iterator[bytes]]:
    """Give the files that follow from a log, as lines.

    Args:
        projector: Runs the log's projections, which must have folded all of it.
        connection: The snapshot to read.

    Raises:
        ProjectionBehind: Another release has built one of the projections.
    """
    serving = projector.serving(connection)
    facts, revisions = (projector.readable(serving, name) for name in ("facts", "revisions"))
    log = projector.log.log
    return {
        FACTS: _rows_of(connection, log, fact_tables(facts.number).fact),
        REVISIONS: _rows_of(connection, log, revision_table(revisions.number)),
        FINGERPRINTS: _fingerprints(projector, connection),
    }


def _rows_of(connection: Connection, log: int, table: Table) -> Iterator[bytes]:
    columns = [column for column in table.columns if column.name != "log"]
    key = [column for column in table.primary_key if column.name != "log"]
    rows = connection.execute(select(*columns).where(table.c.log == log).order_by(*key))
    for part in rows.partitions(_BATCH):
        for row in part:
            yield _line(dict(row._mapping))


def _fingerprints(projector: Projector, connection: Connection) -> Iterator[bytes]:
    serving = projector.serving(connection)
    inline = {name: each for name, each in projector.projections.items() if each.inline}
    said = {}
    for name, projection in sorted(inline.items()):
        fold = projector.fold(connection, projector.readable(serving, name))
        said[name] = {"sha256": fingerprint(projection, fold), "version": projection.version}
    yield _line(said)


def _line(value: dict[str, Any]) -> bytes:
    return _encode(value).encode() + b"\n"
