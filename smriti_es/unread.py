"""Turns that nobody has read for facts: an answer says how many of those it saw there are."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from sqlalchemy import Connection, Select, Table, bindparam, select

from smriti_es.extraction_pointer import persisted_pointer
from smriti_es.opened import Opened
from smriti_es.projections.extractions import failed_table
from smriti_es.recall.reader import Ranked


def read_for_facts_to(opened: Opened, connection: Connection) -> int | None:
    """Give the position before which all turns were read for facts; None where none ever is.

    Of turns that another process reads as they come, some may lie behind it.
    """
    done = persisted_pointer(connection, opened.log.log)
    if opened.extraction is None:
        return done
    return max(done or 0, opened.extraction.extracting.pointer.done)


def telling_unread(opened: Opened, connection: Connection, ranked: Ranked) -> Ranked:
    """Let a ranking as of now say how many of its turns facts were not found in yet, and why."""
    positions = ranked.turns.positions
    if not len(positions):
        return ranked
    done = _read_to(opened, connection, int(positions[-1]))
    failures = _failed_turns(opened, connection, ranked)
    if not failures:
        waiting = ~ranked.is_fact[np.searchsorted(positions, done) :]
        return replace(ranked, unread=int(np.count_nonzero(waiting)))
    positions = positions[~ranked.is_fact]
    waiting = positions >= done
    failed = np.isin(positions, failures)
    degraded = (*ranked.degraded, *_failure_in_words(int(np.count_nonzero(failed))))
    return replace(ranked, unread=int(np.count_nonzero(waiting | failed)), degraded=degraded)


def _read_to(opened: Opened, connection: Connection, last: int) -> int:
    """Give the position before which all turns were read; past the last where none ever is."""
    if opened.extraction is not None and opened.extraction.extracting.pointer.done > last:
        return last + 1  # what is written down lags behind, and costs a query
    done = read_for_facts_to(opened, connection)
    return last + 1 if done is None else done


def _failed_turns(opened: Opened, connection: Connection, ranked: Ranked) -> list[int]:
    generation = ranked.serving.get("extractions")
    if generation is None:
        return []
    rows = connection.execute(_failed(failed_table(generation.number)), {"in_log": opened.log.log})
    return list(rows.scalars())


def _failure_in_words(turns: int) -> list[str]:
    if not turns:
        return []
    counted = "1 turn" if turns == 1 else f"{turns:,} turns"
    return [f"extraction: failed for {counted}; `smriti-es extract retry` tries again"]


@cache
def _failed(table: Table) -> Select[Any]:
    return select(table.c.position).where(table.c.log == bindparam("in_log"))
