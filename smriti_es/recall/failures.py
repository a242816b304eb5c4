"""Which of the candidates were stated to be severe failures, and how severe."""

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from sqlalchemy import Connection, Select, Table, bindparam, literal, select

from smriti_es.events.rows_among import fetch_among, keys
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
        found = fetch_among(
            connection, partial(_stated, table), positions.tolist(), {"in_log": log}
        )
        for position, name, number in found:
            stated.setdefault(position, {})[name] = number
    if not stated:
        return np.zeros(len(positions))
    weights = {position: stated_weight(each) for position, each in stated.items()}
    return np.array([weights.get(position, 0.0) for position in positions.tolist()])


@cache
def _stated(attribute: Table, size: int) -> Select[Any]:
    c = attribute.c
    return select(c.position, c.name, c.number).where(
        c.log == bindparam("in_log"),
        c.position.in_(keys(size)),
        c.name.in_([literal(VALENCE), literal(INTENSITY)]),
        c.kind == "number",
        c.listed.is_(False),
    )
