"""The facts that a read may see, as further rows of what ranking works on.

A fact is found like a turn: by its words, its meaning and its time. Which facts are seen depends on
both times, so they are read anew when something about facts has changed, and chosen per question.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from sqlalchemy import and_, func, select

from smriti_es.beliefs import BeliefReader, FactFilter, FactStatus, status_of
from smriti_es.policy import ROLES
from smriti_es.projections.lexical.projection import lexical_tables
from smriti_es.recall.channels import Mask
from smriti_es.recall.visible import VisibleTurns

_USER: Final = ROLES.index("user")
_READS_KEPT: Final = 16


@dataclass(frozen=True, slots=True)
class VisibleFacts:
    """Facts that stand as a question wants them, sorted by position.

    Attributes:
        positions: int64, position of each fact.
        lengths: int32, terms in it.
        valid_from: int64, since when it holds, microseconds.
        past: bool, whether it holds no longer.
    """

    positions: Any
    lengths: Any
    valid_from: Any
    past: Any

    def __len__(self) -> int:
        return len(self.positions)

    @classmethod
    def none(cls) -> Self:
        """Give no facts at all."""
        empty = np.empty(0, np.int64)
        return cls(empty, empty.astype(np.int32), empty, empty.astype(np.bool_))


class FactCache:
    """Keeps the rows of facts, light, until something about them changes."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Any, ...], list[Any]] = OrderedDict()
        self._door = threading.Lock()

    def load(
        self,
        reader: BeliefReader,
        wanted: FactFilter,
        lexical: int,
        *,
        lagging_at: int | None,
        history: bool,
    ) -> VisibleFacts:
        """Give the facts that stand at the reader's two times.

        Args:
            reader: Knows both times.
            wanted: Which facts.
            lexical: Generation of the lexical projection that serves.
            lagging_at: How many events that has indexed, if it lags behind the facts; else None.
            history: Whether facts that hold no longer are wanted, too.
        """
        rows = self._rows(reader, wanted, lexical, lagging_at)
        statuses = {FactStatus.CURRENT, FactStatus.SCHEDULED}
        if history:
            statuses |= {FactStatus.SUPERSEDED, FactStatus.ENDED}
        chosen = [
            (row, status) for row in rows if (status := status_of(row, reader.valid_at)) in statuses
        ]
        over = (FactStatus.SUPERSEDED, FactStatus.ENDED)
        return VisibleFacts(
            np.array([row.position for row, _ in chosen], np.int64),
            np.array([row.length for row, _ in chosen], np.int32),
            np.array([row.valid_from for row, _ in chosen], np.int64),
            np.array([status in over for _, status in chosen], np.bool_),
        )

    def forget(self) -> None:
        """Drop everything."""
        with self._door:
            self._kept.clear()

    def _rows(
        self, reader: BeliefReader, wanted: FactFilter, lexical: int, lagging_at: int | None
    ) -> list[Any]:
        key = (
            reader.tables.facts.fact.name,
            reader.tables.revisions.name,
            lexical,
            # What is not indexed yet must not keep the length 0 for good.
            lagging_at,
            wanted,
            reader.known,
            self._stamp(reader),
        )
        with self._door:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        document = lexical_tables(lexical).document
        fact = reader.tables.facts.fact.c
        light, values = reader.light(wanted)
        statement = (
            light.add_columns(func.coalesce(document.c.length, 0).label("length"))
            .outerjoin(
                document,
                and_(document.c.log == fact.log, document.c.position == fact.position),
            )
            .order_by(fact.position)
        )
        rows = list(reader.connection.execute(statement, values))
        with self._door:
            self._kept[key] = rows
            while len(self._kept) > _READS_KEPT:
                self._kept.popitem(last=False)
        return rows

    @staticmethod
    def _stamp(reader: BeliefReader) -> int | None:
        """Tell when the memory last changed its mind about any fact."""
        r = reader.tables.revisions.c
        statement = select(func.max(r.cause)).where(r.log == reader.log)
        return reader.connection.execute(statement).scalar()


def joined(turns: VisibleTurns, facts: VisibleFacts) -> tuple[VisibleTurns, Mask]:
    """Join facts to turns, sorted by position; a fact is a session of its own.

    Returns:
        Both as rows to rank, and which of them are facts.
    """
    if len(facts) == 0:
        return turns, np.zeros(len(turns), np.bool_)
    positions = np.concatenate([turns.positions, facts.positions])
    order = np.argsort(positions, kind="stable")

    def both(of_turns: Any, of_facts: Any) -> Any:
        return np.concatenate([of_turns, of_facts])[order]

    count = len(facts)
    rows = VisibleTurns(
        positions[order],
        both(turns.lengths, facts.lengths),
        both(turns.sessions, -1 - facts.positions),
        both(turns.ordinals, np.zeros(count, np.int32)),
        both(turns.said_at, facts.valid_from),
        both(turns.roles, np.full(count, _USER, np.int8)),
        both(turns.speakers, np.full(count, -1, np.int32)),
        both(turns.dateish, np.zeros(count, np.bool_)),
        turns.speaker_names,
    )
    is_fact = np.concatenate([np.zeros(len(turns), np.bool_), np.ones(count, np.bool_)])[order]
    return rows, is_fact
