"""The facts that a read may see, as further rows of what ranking works on.

A fact is found like a turn: by its words, its meaning and its time. Which facts are seen depends on
both times, so they are read anew when something about facts has changed, and chosen per question.
"""

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Self

import numpy as np
from sqlalchemy import Select, Table, and_, bindparam, case, func, or_, select

from smriti_es.beliefs import BeliefReader, FactFilter
from smriti_es.events.catalogue.facts import NOBODY
from smriti_es.events.key_form import key_form
from smriti_es.policy import ROLES
from smriti_es.projections.facts import ADMITTED, LAPSED
from smriti_es.projections.lexical.projection import document_table
from smriti_es.projections.trust import last_change
from smriti_es.recall.channels import Mask
from smriti_es.recall.rank import NO_SPEAKER
from smriti_es.recall.visible import VisibleTurns

_USER: Final = ROLES.index("user")
_READS_KEPT: Final = 16
# So few changes are read by themselves; of more, everything is read again.
_FEW: Final = 1_000
# Where an interval has no end; SQLite and numpy have no greater number.
_NEVER: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class VisibleFacts:
    """Facts that stand as a question wants them, sorted by position.

    Attributes:
        positions: int64, position of each fact.
        lengths: int32, terms in it.
        valid_from: int64, since when it holds, microseconds.
        away: bool, whether it holds at another time than the one that is asked about.
        subjects: int32, whom or what it is about, as `numbers` count them.
        numbers: The number of each subject, by its name in key form.
        past: Whether those that hold no longer are among them; None: no facts were asked for.
    """

    positions: Any
    lengths: Any
    valid_from: Any
    away: Any
    subjects: Any
    numbers: Mapping[str, int]
    past: bool | None

    def __len__(self) -> int:
        return len(self.positions)

    def away_among(self, is_fact: Mask) -> Mask:
        """Tell of rows, among which these are the facts, which are facts of another time."""
        away = is_fact.copy()
        away[is_fact] = self.away
        return away

    def rank_as(self, others: "VisibleFacts") -> bool:
        """Tell whether others make the same rows."""
        return self.numbers is others.numbers and all(
            np.array_equal(getattr(self, name), getattr(others, name))
            for name in ("positions", "lengths", "valid_from", "subjects")
        )

    @staticmethod
    def none() -> "VisibleFacts":
        """Give no facts at all."""
        none = _Intervals.none().standing(0, {}, history=True, future=True)
        return replace(none, past=None)


@dataclass(frozen=True, slots=True)
class _Intervals:
    """Every fact that holds at some world time, sorted by position; columns as in `VisibleFacts`.

    Attributes:
        positions: int64.
        lengths: int32.
        valid_from: int64.
        valid_to: int64, `_NEVER` where no end is known.
        subjects: int32.
    """

    positions: Any
    lengths: Any
    valid_from: Any
    valid_to: Any
    subjects: Any

    @classmethod
    def of(cls, table: Any) -> Self:
        """Take them from a table of five columns, int64, sorted."""
        positions, lengths, valid_from, valid_to, subjects = map(np.ascontiguousarray, table.T)
        return cls(
            positions, lengths.astype(np.int32), valid_from, valid_to, subjects.astype(np.int32)
        )

    @classmethod
    def none(cls) -> Self:
        """Give none at all."""
        return cls.of(np.empty((0, 5), np.int64))

    def with_others(self, positions: Sequence[int], others: Self) -> Self:
        """Let others take the place of those of some positions."""
        kept = ~np.isin(self.positions, positions)
        order = np.argsort(np.concatenate([self.positions[kept], others.positions]), kind="stable")

        def both(own: Any, new: Any) -> Any:
            return np.concatenate([own[kept], new])[order]

        return type(self)(
            both(self.positions, others.positions),
            both(self.lengths, others.lengths),
            both(self.valid_from, others.valid_from),
            both(self.valid_to, others.valid_to),
            both(self.subjects, others.subjects),
        )

    def standing(
        self, valid_at: int, numbers: Mapping[str, int], *, history: bool, future: bool
    ) -> VisibleFacts:
        """Pick those that hold at a world time or later, or with their history all of them."""
        past = self.valid_to <= valid_at
        kept = np.ones(len(past), np.bool_) if history else ~past
        # What only begins later is as far from an answer as what is over, unless it is asked for.
        away = past if future else past | (self.valid_from > valid_at)
        return VisibleFacts(
            self.positions[kept],
            self.lengths[kept],
            self.valid_from[kept],
            away[kept],
            self.subjects[kept],
            numbers,
            history,
        )


class FactCache:
    """Keeps when facts hold, as arrays, and reads again only what has changed of it."""

    def __init__(self) -> None:
        # By what was read: the last change that it knows of, and what it came to.
        self._kept: OrderedDict[tuple[Any, ...], tuple[int, _Intervals]] = OrderedDict()
        # Subjects as numbers, which never change while the cache lives.
        self._numbers: dict[str, int] = {}
        self._door = threading.Lock()

    def load(
        self,
        reader: BeliefReader,
        wanted: FactFilter,
        lexical: int,
        *,
        lagging_at: int | None,
        history: bool,
        future: bool = False,
    ) -> VisibleFacts:
        """Give the facts that stand at the reader's two times.

        Args:
            reader: Knows both times.
            wanted: Which facts.
            lexical: Generation of the lexical projection that serves.
            lagging_at: How many events that has indexed, if it lags behind the facts; else None.
            history: Whether facts that hold no longer are wanted, too.
            future: Whether what is yet to come is asked for.
        """
        key = (
            reader.tables.facts.fact.name,
            reader.tables.revisions.name,
            lexical,
            # What is not indexed yet must not keep the length 0 for good.
            lagging_at,
            wanted,
            reader.known,
            last_change(reader.connection, reader.tables.trust, reader.log),
        )
        values = {"in_log": reader.log}
        last = reader.connection.execute(_last_cause(reader.tables.revisions), values).scalar()
        intervals = self._up_to(key, NOBODY if last is None else int(last), reader, wanted, lexical)
        return intervals.standing(reader.valid_at, self._numbers, history=history, future=future)

    def forget(self) -> None:
        """Drop everything."""
        with self._door:
            self._kept.clear()

    def _up_to(
        self,
        key: tuple[Any, ...],
        last: int,
        reader: BeliefReader,
        wanted: FactFilter,
        lexical: int,
    ) -> _Intervals:
        """Give the intervals as of the last event that changed any of them."""
        with self._door:
            known, intervals = self._kept.get(key, (NOBODY, _Intervals.none()))
        if known == last:
            pass
        elif NOBODY < known < last and len(changed := _changed_since(known, reader)) <= _FEW:
            among = replace(wanted, positions=tuple(changed))
            intervals = intervals.with_others(changed, self._read(reader, among, lexical))
        else:
            intervals = self._read(reader, wanted, lexical)
        with self._door:
            if known <= last:  # else a reader of an older snapshot would set back the others
                self._kept[key] = (last, intervals)
            self._kept.move_to_end(key)
            while len(self._kept) > _READS_KEPT:
                self._kept.popitem(last=False)
        return intervals

    def _read(self, reader: BeliefReader, wanted: FactFilter, lexical: int) -> _Intervals:
        rows = _rows(reader, wanted, lexical)
        with self._door:
            number = self._numbers.setdefault
            table = [(*row, number(subject, len(self._numbers))) for *row, subject in rows]
        return _Intervals.of(np.array(sorted(table), np.int64).reshape(-1, 5))


def _changed_since(cause: int, reader: BeliefReader) -> list[int]:
    """List the facts of which something else is believed since an event."""
    statement = _causes_since(reader.tables.revisions)
    found = reader.connection.execute(statement, {"in_log": reader.log, "last": cause})
    return sorted(set(found.scalars()))


@cache
def _last_cause(revisions: Table) -> Select[Any]:
    return select(func.max(revisions.c.cause)).where(revisions.c.log == bindparam("in_log"))


@cache
def _causes_since(revisions: Table) -> Select[Any]:
    r = revisions.c
    return select(r.fact).where(r.log == bindparam("in_log"), r.cause > bindparam("last"))


def _rows(reader: BeliefReader, wanted: FactFilter, lexical: int) -> list[tuple[Any, ...]]:
    """Read when each fact holds; those that only repeat another, or never held, hold at no time."""
    fact, r = reader.tables.facts.fact.c, reader.tables.revisions.c
    document = document_table(lexical)
    indexed = and_(document.c.log == fact.log, document.c.position == fact.position)
    light, values = reader.light(wanted)
    statement = (
        light.outerjoin(document, indexed)
        .with_only_columns(
            fact.position,
            func.coalesce(document.c.length, 0),
            r.valid_from,
            # Of a lapsed one the end is not known: it counts as over as soon as it has begun.
            func.coalesce(r.valid_to, case((r.state == LAPSED, r.valid_from), else_=_NEVER)),
            fact.subject,
        )
        .where(
            r.state.in_([ADMITTED, LAPSED]),
            r.folded_into.is_(None),
            or_(r.valid_to.is_(None), r.valid_to > r.valid_from),
        )
    )
    # The driver's own rows: SQLAlchemy's would cost more than reading them.
    return list(reader.connection.execute(statement, values).cursor.fetchall())


@dataclass(frozen=True, slots=True)
class _Joined:
    turns: VisibleTurns
    facts: VisibleFacts
    rows: VisibleTurns


class JoinedRows:
    """Turns and facts as rows to rank, kept for the next question over the same ones."""

    def __init__(self) -> None:
        self._last: _Joined | None = None

    def of(self, turns: VisibleTurns, facts: VisibleFacts) -> VisibleTurns:
        """Join them, or give what they came to last time: sorting them costs more than looking."""
        last = self._last
        if last is not None and last.turns is turns and last.facts.rank_as(facts):
            return last.rows
        rows = joined(turns, facts)
        self._last = _Joined(turns, facts, rows)
        return rows

    def forget(self) -> None:
        """Drop them."""
        self._last = None


def joined(turns: VisibleTurns, facts: VisibleFacts) -> VisibleTurns:
    """Join facts to turns, sorted by position; a fact is a session of its own."""
    if len(facts) == 0:
        return turns
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
        both(turns.speakers, _as_speakers(facts, turns.speaker_names)),
        both(turns.dateish, np.zeros(count, np.bool_)),
        turns.speaker_names,
    )
    rows.read_as(turns)
    return rows


def _as_speakers(facts: VisibleFacts, speaker_names: Sequence[str]) -> Any:
    """Let a fact about somebody who speaks count as theirs: who asks about Ana wants it, too."""
    count = 1 + int(facts.subjects.max())
    speakers = np.full(count, NO_SPEAKER, np.int32)
    for speaker, name in enumerate(speaker_names):
        number = facts.numbers.get(key_form(name), count)
        if number < count:
            speakers[number] = speaker
    return speakers[facts.subjects]
