"""Which of the candidates were stated to be severe failures, and how severe."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from sqlalchemy import Connection, Select, Table, bindparam, select

from smriti_es.events.database import in_parts
from smriti_es.recall.channels import Scores
from smriti_es.recall.visible import Positions
from smriti_es.severity import INTENSITY, VALENCE, stated_weight


def failures_among(
    connection: Connection, log: int, attributes: Sequence[Table], positions: Positions
) -> Scores:
    """Weigh the stated failures among turns and facts; see `severity`.

    Args:
        connection: A snapshot.
        log: The log's number.
        attributes: The tables of metadata, of turns and of facts.
        positions: Their positions.

    Returns:
        float64, aligned with the positions; 0 for what is not severe.
    """
    stated: dict[int, dict[str, float]] = {}
    for table in attributes:
        statement = _stated(table)
        for part in in_parts(positions.tolist()):
            values = {"in_log": log, "positions": part}
            for row in connection.execute(statement, values):
                stated.setdefault(row.position, {})[row.name] = row.number
    weights = {position: stated_weight(each) for position, each in stated.items()}
    return np.array([weights.get(position, 0.0) for position in positions.tolist()])


@cache
def _stated(attribute: Table) -> Select[Any]:
    c = attribute.c
    return select(c.position, c.name, c.number).where(
        c.log == bindparam("in_log"),
        c.position.in_(bindparam("positions", expanding=True)),
        c.name.in_([VALENCE, INTENSITY]),
        c.kind == "number",
        c.listed.is_(False),
    )
