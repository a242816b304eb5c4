"""Read turns and sessions back: by position, or listed page by page under a policy."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, TypeVar

from sqlalchemy import BigInteger, Connection, Select, and_, bindparam, func, literal, select
from sqlalchemy.sql.elements import ColumnElement

from smriti_es.answer import KnownTo
from smriti_es.events.rows_among import fetch_among, keys
from smriti_es.events.tables import payload_table
from smriti_es.filter_predicates import metadata_predicate, tag_conditions
from smriti_es.policy import (
    ReadPolicy,
    ReadTables,
    assert_sessions_exist,
    session_conditions,
    turn_predicate,
)
from smriti_es.projections.generation import Generation
from smriti_es.projections.projector import Projector
from smriti_es.projections.trust import not_withheld, trust_tables
from smriti_es.projections.turns import TurnTables, turn_tables
from smriti_es.results import RecordedSession, RecordedTurn
from smriti_es.trust_of_then import withheld_today
from smriti_es.withholding import Withholding

_Listed = TypeVar("_Listed", RecordedTurn, RecordedSession)


def read_tables(
    projector: Projector, serving: Mapping[str, Generation], *, then: bool = False
) -> ReadTables:
    """Give the tables that a policy is written on; `then`: to read under the trust of then.

    Raises:
        ProjectionBehind: Another release has built one of the projections.
    """
    trust = trust_tables(projector.readable(serving, "trust").number)
    return ReadTables(
        turn_tables(projector.readable(serving, "turns").number),
        trust.of_then() if then else trust,
    )


@dataclass(frozen=True, slots=True)
class TurnReader:
    """Reads the turns of one log in one snapshot.

    Attributes:
        connection: The snapshot.
        log: The log's number.
        read: Tables of the generations that serve.
        known_to: Up to where it knows the log.
        until: Position of the last event that is known; None: all are.
        known: Its knowledge time; None: now.
    """

    connection: Connection
    log: int
    read: ReadTables
    known_to: KnownTo
    until: int | None = None
    known: int | None = None

    @property
    def tables(self) -> TurnTables:
        """Tables of turns and sessions."""
        return self.read.turns

    def by_position(self, positions: Iterable[int]) -> dict[int, RecordedTurn]:
        """Read turns by position; one that is not there, or whose text is erased, is left out."""
        rows = fetch_among(
            self.connection,
            partial(_by_position, self.tables),
            list(positions),
            {"this_log": self.log},
        )
        return {row[0]: _turn(row) for row in rows if self.until is None or row[0] <= self.until}

    def listed(
        self, policy: ReadPolicy, *, after: int | None, limit: int, newest: bool
    ) -> list[RecordedTurn]:
        """List turns in the order in which they were recorded.

        Args:
            policy: What may be seen.
            after: Position of the last turn of the page before, or None.
            limit: How many at most.
            newest: Newest first instead of oldest first.
        """
        column = self.tables.turn.c.position
        statement = self._select().where(turn_predicate(policy, self.read, self.log, self.known))
        if after is not None:
            statement = statement.where(column < after if newest else column > after)
        ordered = statement.order_by(column.desc() if newest else column).limit(limit)
        return self._labelled([_turn(row) for row in self.connection.execute(ordered)])

    def assert_sessions_exist(self, policy: ReadPolicy) -> None:
        """Refuse a policy that names a session nobody ever started (see `policy`)."""
        assert_sessions_exist(
            policy, self.read, self.log, self.connection, until=self.until, known=self.known
        )

    def sessions(
        self, policy: ReadPolicy, *, after: int | None, limit: int
    ) -> list[RecordedSession]:
        """List sessions in the order in which they were started."""
        session = self.tables.session
        statement = self._select_sessions().where(
            *session_conditions(policy, self.read, self.known)
        )
        at = session.c.position
        statement = statement.where(*tag_conditions(self.tables.tag, self.log, at, policy.tags, ()))
        if policy.condition is not None:
            statement = statement.where(
                metadata_predicate(
                    policy.condition, self.tables.attribute, self.log, session.c.position
                )
            )
        if after is not None:
            statement = statement.where(session.c.position > after)
        rows = self.connection.execute(statement.order_by(session.c.position).limit(limit)).all()
        labels = self._labels([row.position for row in rows])
        sessions = [
            RecordedSession(
                row.position,
                row.space,
                row.name,
                row.turns,
                row.first_said_at,
                row.last_said_at,
                row.known,
                *labels[row.position],
            )
            for row in rows
        ]
        return self._labelled(sessions)

    def _labelled(self, listed: list[_Listed]) -> list[_Listed]:
        """Say of what is shown under the trust of then what is withheld today."""
        shown = {each.position: (each.position,) for each in listed}
        causes = withheld_today(self.connection, self.read.trust, self.log, shown)
        return [
            replace(each, withheld=causes[each.position]) if each.position in causes else each
            for each in listed
        ]

    def _select_sessions(self) -> Select[Any]:
        """Select sessions with what was in them.

        It is counted anew for a time in the past, and where something is withheld: that counts not.
        """
        session, turn = self.tables.session, self.tables.turn
        statement = select(session).where(session.c.log == self.log)
        if self.until is None and not self._withholds_anything:
            return statement
        known = None if self.known is None else literal(self.known, BigInteger)
        may_see = not_withheld(self.read.trust, turn.c.log, turn.c.position, known)
        said = (
            select(
                turn.c.session,
                func.count().label("turns"),
                func.min(turn.c.said_at).label("first_said_at"),
                func.max(turn.c.said_at).label("last_said_at"),
            )
            .where(turn.c.log == self.log, may_see, *self._known(turn.c.position))
            .group_by(turn.c.session)
            .subquery()
        )
        return (
            select(
                session.c.position,
                session.c.space,
                session.c.name,
                session.c.known,
                func.coalesce(said.c.turns, 0).label("turns"),
                said.c.first_said_at,
                said.c.last_said_at,
            )
            .outerjoin(said, said.c.session == session.c.position)
            .where(session.c.log == self.log, *self._known(session.c.position))
        )

    @property
    def _withholds_anything(self) -> bool:
        return Withholding(self.connection, self.log, self.read.trust).anything

    def _labels(
        self, positions: Sequence[int]
    ) -> dict[int, tuple[tuple[str, ...], dict[str, Any]]]:
        """Read tags and metadata of sessions from their payloads."""
        rows = self.connection.execute(
            select(payload_table.c.position, payload_table.c.body).where(
                payload_table.c.log == self.log, payload_table.c.position.in_(positions)
            )
        )
        bodies = {row.position: json.loads(row.body) for row in rows}
        return {
            position: (
                tuple(bodies.get(position, {}).get("tags", ())),
                bodies.get(position, {}).get("metadata", {}),
            )
            for position in positions
        }

    def _select(self) -> Select[Any]:
        position = self.tables.turn.c.position
        return _turns(self.tables).where(self.tables.turn.c.log == self.log, *self._known(position))

    def _known(self, position: ColumnElement[int]) -> tuple[ColumnElement[bool], ...]:
        return () if self.until is None else (position <= self.until,)


@cache
def _turns(tables: TurnTables) -> Select[Any]:
    turn, session = tables.turn, tables.session
    return (
        select(
            turn.c.position,
            session.c.space,
            session.c.name.label("session_name"),
            turn.c.ordinal,
            turn.c.role,
            turn.c.origin,
            turn.c.said_at,
            turn.c.said_precision,
            turn.c.known,
            payload_table.c.body,
        )
        .join(session, and_(session.c.log == turn.c.log, session.c.position == turn.c.session))
        .join(
            payload_table,
            and_(payload_table.c.log == turn.c.log, payload_table.c.position == turn.c.position),
        )
    )


@cache
def _by_position(tables: TurnTables, size: int) -> Select[Any]:
    """Built once: for a few turns, building it would cost more than running it."""
    turn = tables.turn.c
    return _turns(tables).where(
        turn.log == bindparam("this_log"),
        turn.position.in_(keys(size)),
    )


def _turn(row: Sequence[Any]) -> RecordedTurn:
    """Make a turn of a row of `_turns`."""
    position, space, session, ordinal, role, origin, said_at, precision, known, body = row
    said = json.loads(body)
    return RecordedTurn(
        position=position,
        space=space,
        session=session,
        ordinal=ordinal,
        role=role,
        name=said.get("name"),
        text=said["text"],
        said_at=said_at,
        said_precision=precision,
        known=known,
        origin=origin,
        kind=said.get("kind", "message"),
        source_id=said.get("source_id"),
        tags=tuple(said.get("tags", ())),
        metadata=said.get("metadata", {}),
        tool_calls=said.get("tool_calls"),
        tool_call_id=said.get("tool_call_id"),
    )
