"""The turns that a read may see, as columns: what ranking works on.

Kept per policy and extended by the turns that are new, so that a read of a large memory does not
read it all again. Only what the policy lets through is ever in here; ranking cannot see anything
else.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, and_, func, select

from smriti_es.policy import ROLES, ReadPolicy, ReadTables, turn_predicate
from smriti_es.projections.lexical.projection import document_table
from smriti_es.projections.places import Places
from smriti_es.projections.trust import WithheldAsOf

Positions = npt.NDArray[np.int64]
ASSISTANT: Final = ROLES.index("assistant")
_POLICIES_KEPT: Final = 32


@dataclass(frozen=True)
class VisibleTurns:
    """Parallel arrays, sorted by position.

    Attributes:
        positions: int64, position of each turn in the log; its id.
        lengths: int32, terms in it.
        sessions: int64, position of the event that started its session.
        ordinals: int32, place in its session.
        said_at: int64, microseconds since the epoch.
        roles: int8, index into `ROLES`.
        speakers: int32, index into `speaker_names`; -1 for none.
        dateish: bool, whether it mentions a date in words.
        speaker_names: Lower-case names.
    """

    positions: Positions
    lengths: npt.NDArray[np.int32]
    sessions: Positions
    ordinals: npt.NDArray[np.int32]
    said_at: Positions
    roles: npt.NDArray[np.int8]
    speakers: npt.NDArray[np.int32]
    dateish: npt.NDArray[np.bool_]
    speaker_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.positions)

    def places(self, positions: Positions) -> tuple[Positions, npt.NDArray[np.bool_]]:
        """Find where positions stand; the second array says which are visible at all."""
        return self._places.of(positions)

    @cached_property
    def _places(self) -> Places:
        return Places(self.positions)

    @cached_property
    def mean_length(self) -> float:
        """How many terms a row has in the mean, at least 1."""
        return max(float(self.lengths.mean()), 1.0) if len(self) else 1.0

    @cached_property
    def is_fact(self) -> npt.NDArray[np.bool_]:
        """Which rows are facts: each of them is a session of its own, numbered below zero."""
        return self.sessions < 0

    @cached_property
    def reading_order(self) -> tuple[Positions, Positions]:
        """The order by session and ordinal, and each turn's place in it; facts stand anywhere."""
        order = np.lexsort((self.ordinals, self.sessions))
        ranks = np.empty_like(order)
        ranks[order] = np.arange(len(order))
        return order, ranks

    def beside(self, place: int, distance: int) -> list[int]:
        """Give the places of the turns up to `distance` before and after one, in its session."""
        order, ranks = self.reading_order
        rank = int(ranks[place])
        near = range(max(0, rank - distance), min(len(order), rank + distance + 1))
        return [
            int(order[other])
            for other in near
            if other != rank
            and self.sessions[order[other]] == self.sessions[place]
            and abs(int(self.ordinals[order[other]]) - int(self.ordinals[place])) <= distance
        ]

    def read_as(self, turns: "VisibleTurns") -> None:
        """Take over the order of the turns among these rows: sorting them costs more than all else.

        Args:
            turns: Those of the rows that are no facts, in the same order.
        """
        fact = self.is_fact
        said = np.flatnonzero(~fact)[turns.reading_order[0]]
        order = np.concatenate([said, np.flatnonzero(fact)])
        ranks = np.empty_like(order)
        ranks[order] = np.arange(len(order))
        self.__dict__["reading_order"] = order, ranks

    def adjacent(self, places: Positions) -> tuple[Positions, Positions]:
        """Give the places of the turns said right before and right after some, -1 for none."""
        order, ranks = self.reading_order
        found = []
        for step in (-1, 1):
            rank = ranks[places] + step
            others = order[np.clip(rank, 0, max(len(order) - 1, 0))]
            beside = (rank >= 0) & (rank < len(order))
            beside &= self.sessions[others] == self.sessions[places]
            beside &= self.ordinals[others] == self.ordinals[places] + step
            found.append(np.where(beside, others, -1))
        return found[0], found[1]

    def before(self, position: int) -> "VisibleTurns":
        """Give the turns that lie before a position."""
        count = int(np.searchsorted(self.positions, position))
        if count == len(self.positions):
            return self
        return VisibleTurns(
            self.positions[:count],
            self.lengths[:count],
            self.sessions[:count],
            self.ordinals[:count],
            self.said_at[:count],
            self.roles[:count],
            self.speakers[:count],
            self.dateish[:count],
            self.speaker_names,
        )


@dataclass(frozen=True, slots=True)
class _Kept:
    turns: VisibleTurns
    folded: int


class VisibleCache:
    """Keeps what each policy sees of one log."""

    def __init__(self, log: int) -> None:
        self._log = log
        self._kept: OrderedDict[tuple[Any, ...], _Kept] = OrderedDict()
        self._door = threading.Lock()

    def load(
        self,
        connection: Connection,
        policy: ReadPolicy,
        *,
        tables: ReadTables,
        withheld: WithheldAsOf,
        lexical: int,
        folded: int,
        indexed: int,
    ) -> VisibleTurns:
        """Give the turns that a policy sees in one snapshot.

        Args:
            connection: The snapshot.
            policy: What may be seen.
            tables: Tables of the turns and trust projections that serve.
            withheld: What is withheld.
            lexical: Generation of the lexical projection that serves.
            folded: How many events the snapshot has folded; later turns are left out.
            indexed: How many of them the lexical projection has; turns after have no length yet.
        """
        key = (tables, withheld, lexical, policy)
        with self._door:
            kept = self._kept.get(key)
        if kept is None or kept.folded < folded:
            start = 0 if kept is None else kept.folded
            added = _read(connection, self._log, policy, tables, withheld.known, lexical, start)
            joined = added if kept is None else _joined(kept.turns, added)
            # What is not indexed yet is read again: it must not keep the length 0 for good.
            joined = joined if indexed < folded else self._shared(key, folded, joined)
            self._keep(key, _Kept(joined.before(indexed), min(indexed, folded)))
            return joined
        # If another thread has read on meanwhile, this read stays in its own snapshot.
        return kept.turns.before(folded)

    def forget(self) -> None:
        """Drop everything; the next read starts anew."""
        with self._door:
            self._kept.clear()

    def _shared(self, key: tuple[Any, ...], folded: int, turns: VisibleTurns) -> VisibleTurns:
        """Give the same turns as another policy sees them, if one does: they are kept once."""
        with self._door:
            others = list(self._kept.items())
        for other, kept in others:
            if (
                kept.folded == folded
                and (other[0], other[2]) == (key[0], key[2])
                and np.array_equal(kept.turns.positions, turns.positions)
            ):
                return kept.turns
        return turns

    def _keep(self, key: tuple[Any, ...], kept: _Kept) -> None:
        with self._door:
            there = self._kept.get(key)
            if there is None or there.folded < kept.folded:
                self._kept[key] = kept
            self._kept.move_to_end(key)
            while len(self._kept) > _POLICIES_KEPT:
                self._kept.popitem(last=False)


def _read(
    connection: Connection,
    log: int,
    policy: ReadPolicy,
    tables: ReadTables,
    known: int | None,
    lexical: int,
    start: int,
) -> VisibleTurns:
    document = document_table(lexical)
    turn = tables.turns.turn.c
    rows = connection.execute(
        select(
            turn.position,
            func.coalesce(document.c.length, 0),
            turn.session,
            turn.ordinal,
            turn.said_at,
            turn.role,
            turn.speaker,
            turn.dateish,
        )
        .outerjoin(
            document,
            and_(document.c.log == turn.log, document.c.position == turn.position),
        )
        .where(turn_predicate(policy, tables, log, known), turn.position >= start)
        .order_by(turn.position)
    ).all()
    columns = list(zip(*rows, strict=True)) if rows else [()] * 8
    names = tuple(sorted({name for name in columns[6] if name is not None}))
    number = {name: index for index, name in enumerate(names)}
    return VisibleTurns(
        np.array(columns[0], np.int64),
        np.array(columns[1], np.int32),
        np.array(columns[2], np.int64),
        np.array(columns[3], np.int32),
        np.array(columns[4], np.int64),
        np.array([ROLES.index(role) for role in columns[5]], np.int8),
        np.array([number.get(name, -1) for name in columns[6]], np.int32),
        np.array(columns[7], np.bool_),
        names,
    )


def _joined(before: VisibleTurns, after: VisibleTurns) -> VisibleTurns:
    if len(after) == 0:
        return before
    names = tuple(dict.fromkeys(before.speaker_names + after.speaker_names))
    number = {name: index for index, name in enumerate(names)}
    # -1 (no speaker) maps to the last entry, which is -1 again.
    renumbered = np.array([number[name] for name in after.speaker_names] + [-1], np.int32)

    def both(one: Any, other: Any) -> Any:
        return np.concatenate([one, other])

    return VisibleTurns(
        both(before.positions, after.positions),
        both(before.lengths, after.lengths),
        both(before.sessions, after.sessions),
        both(before.ordinals, after.ordinals),
        both(before.said_at, after.said_at),
        both(before.roles, after.roles),
        both(before.speakers, renumbered[after.speakers]),
        both(before.dateish, after.dateish),
        names,
    )
