"""`turns`: which sessions there are, and what was said in them, when and by whom.

The text itself stays in the payload, stored once; a turn's row leads to it by position. So erased
text is gone from here without being touched.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    bindparam,
    case,
    func,
    select,
    text,
    update,
)

from smriti_es.events.catalogue import SessionStarted, TurnRecorded
from smriti_es.events.database import in_parts, insert_rows, run_for_each
from smriti_es.events.records import RecordedEvent
from smriti_es.projections.labels import LabelRows, attribute_table, position_key, tag_table
from smriti_es.projections.lexical.date_words import mentions_a_date
from smriti_es.projections.projection import Fold, Projection, rows_by_key
from smriti_es.projections.speakers import speaker_of
from smriti_es.projections.turn_digest import digest_of


@dataclass(frozen=True, slots=True)
class TurnTables:
    """The tables of one generation."""

    session: Table
    turn: Table
    tag: Table
    attribute: Table


@cache
def turn_tables(generation: int) -> TurnTables:
    """Give the tables of a generation."""
    suffix = f"v{TurnsProjection.version}_g{generation}"
    metadata = MetaData()
    return TurnTables(
        _session_table(suffix, metadata),
        _turn_table(suffix, metadata),
        tag_table(f"tag_{suffix}", metadata),
        attribute_table(f"attribute_{suffix}", metadata),
    )


def _session_table(suffix: str, metadata: MetaData) -> Table:
    return Table(
        f"session_{suffix}",
        metadata,
        *position_key(),
        Column("space", String, nullable=False),
        Column("name", String, nullable=False),
        Column("known", BigInteger, nullable=False),
        Column("turns", Integer, nullable=False),
        Column("next_ordinal", Integer, nullable=False),
        Column("first_said_at", BigInteger, nullable=True),
        Column("last_said_at", BigInteger, nullable=True),
        Index(f"session_by_name_{suffix}", "log", "space", "name", unique=True),
    )


def _turn_table(suffix: str, metadata: MetaData) -> Table:
    has_source = text("source_id IS NOT NULL")
    return Table(
        f"turn_{suffix}",
        metadata,
        *position_key(),
        Column("session", BigInteger, nullable=False),
        Column("ordinal", Integer, nullable=False),
        Column("role", String, nullable=False),
        Column("name", String, nullable=True),
        Column("speaker", String, nullable=True),
        Column("origin", String, nullable=False),
        Column("kind", String, nullable=False),
        Column("source_id", String, nullable=True),
        Column("tool_call_id", String, nullable=True),
        Column("said_at", BigInteger, nullable=False),
        Column("said_precision", String, nullable=False),
        Column("known", BigInteger, nullable=False),
        # Whether the caller said when; otherwise `said_at` is when it was recorded.
        Column("timed", Boolean, nullable=False),
        Column("dateish", Boolean, nullable=False),
        Column("digest", String(32), nullable=False),
        Index(f"turn_by_session_{suffix}", "log", "session", "ordinal"),
        # By these two a turn that is sent again is found in a long session.
        Index(f"turn_by_digest_{suffix}", "log", "session", "digest"),
        Index(
            f"turn_by_source_{suffix}",
            "log",
            "session",
            "source_id",
            sqlite_where=has_source,
            postgresql_where=has_source,
        ),
    )


# Per session: turns added, next ordinal, earliest and latest said_at.
_Growth = tuple[int, int, int | None, int | None]
_UNGROWN: Final[_Growth] = (0, 0, None, None)


@dataclass(slots=True)
class _Rows:
    """What one batch adds, gathered before it is written in few statements."""

    sessions: list[tuple[Any, ...]] = field(default_factory=list)
    turns: list[tuple[Any, ...]] = field(default_factory=list)
    labels: LabelRows = field(default_factory=LabelRows)
    growth: dict[int, _Growth] = field(default_factory=dict)  # by the session's position


class TurnsProjection(Projection):
    """Sessions and turns, with the caller's tags and metadata."""

    name: ClassVar[str] = "turns"
    version: ClassVar[int] = 1
    stems: ClassVar[tuple[str, ...]] = ("session", "turn", "tag", "attribute")

    def tables(self, generation: int) -> Sequence[Table]:
        """Give the four tables of a generation."""
        tables = turn_tables(generation)
        return (tables.session, tables.turn, tables.tag, tables.attribute)

    def apply(self, prepared: Sequence[RecordedEvent], fold: Fold) -> None:
        """Fold `SessionStarted` and `TurnRecorded`."""
        rows = _Rows()
        started: list[tuple[RecordedEvent, SessionStarted]] = []
        for recorded in prepared:
            if recorded.header.type == TurnRecorded.TYPE:
                _add_turn(rows, recorded, fold.log)
            elif isinstance(recorded.event, SessionStarted):
                started.append((recorded, recorded.event))
        for recorded, session in started:
            _add_session(rows, recorded, session, fold.log)
        tables = turn_tables(fold.generation)
        insert_rows(fold.connection, tables.session, rows.sessions)
        insert_rows(fold.connection, tables.turn, rows.turns)
        rows.labels.write(fold.connection, tables.tag, tables.attribute)
        _grow_sessions(tables.session, rows, fold)

    def erase(self, positions: Sequence[int], fold: Fold) -> None:
        """Delete sessions and turns, and count anew what is left of the sessions."""
        turn = turn_tables(fold.generation).turn.c
        touched: set[int] = set()
        for part in in_parts(positions):
            found = select(turn.session).where(turn.log == fold.log, turn.position.in_(part))
            touched.update(fold.connection.execute(found.distinct()).scalars())
        super().erase(positions, fold)
        _count_anew(turn_tables(fold.generation), sorted(touched), fold)

    def canonical_rows(self, fold: Fold) -> Iterable[Sequence[Any]]:
        """Give all rows, table by table."""
        return rows_by_key(self.tables(fold.generation), fold)


def _count_anew(tables: TurnTables, sessions: Sequence[int], fold: Fold) -> None:
    """Count the turns of sessions that lost some; their numbering goes on where it was."""
    session, turn = tables.session.c, tables.turn.c
    of_session = (turn.log == session.log) & (turn.session == session.position)

    def told(value: Any) -> Any:
        return select(value).where(of_session).scalar_subquery()

    for part in in_parts(sessions):
        fold.connection.execute(
            update(tables.session)
            .where(session.log == fold.log, session.position.in_(part))
            .values(
                turns=told(func.count()),
                first_said_at=told(func.min(turn.said_at)),
                last_said_at=told(func.max(turn.said_at)),
            )
        )


def _add_session(rows: _Rows, recorded: RecordedEvent, session: SessionStarted, log: int) -> None:
    # What a session grew by in the batch that it begins in needs no update.
    growth = rows.growth.pop(recorded.position, _UNGROWN)
    rows.sessions.append(
        (
            log,
            recorded.position,
            session.space,
            session.session,
            recorded.header.known,
            *growth,
        )
    )
    rows.labels.add(log, recorded.position, session.tags, session.metadata)


def _add_turn(rows: _Rows, recorded: RecordedEvent, log: int) -> None:
    header, turn = recorded.header, recorded.event
    session, ordinal = header.facets["session"], header.facets["ordinal"]
    if not isinstance(turn, TurnRecorded):  # erased: only its place remains
        _grow(rows, session, ordinal, None)
        return
    said_at = header.known if turn.said_at is None else turn.said_at
    rows.turns.append(
        (
            log,
            header.position,
            session,
            ordinal,
            turn.role,
            turn.name,
            speaker_of(turn.name, turn.text),
            turn.origin,
            turn.kind,
            turn.source_id,
            turn.tool_call_id,
            said_at,
            turn.said_precision if turn.said_at is not None else "unknown",
            header.known,
            turn.said_at is not None,
            mentions_a_date(turn.text),
            digest_of(turn),
        )
    )
    rows.labels.add(log, header.position, turn.tags, turn.metadata)
    _grow(rows, session, ordinal, said_at)


def _grow(rows: _Rows, session: int, ordinal: int, said_at: int | None) -> None:
    turns, following, first, last = rows.growth.get(session, _UNGROWN)
    if said_at is not None:
        turns += 1
        first = said_at if first is None else min(first, said_at)
        last = said_at if last is None else max(last, said_at)
    rows.growth[session] = (turns, max(following, ordinal + 1), first, last)


def _grow_sessions(session: Table, rows: _Rows, fold: Fold) -> None:
    run_for_each(
        fold.connection,
        _growth_statement(session),
        [
            {
                "this_log": fold.log,
                "this_session": position,
                "added": turns,
                "following": following,
                "first": first,
                "last": last,
            }
            for position, (turns, following, first, last) in rows.growth.items()
        ],
    )


@cache
def _growth_statement(session: Table) -> Any:
    c = session.c
    first, last = bindparam("first", type_=BigInteger), bindparam("last", type_=BigInteger)
    following = bindparam("following", type_=Integer)
    return (
        update(session)
        .where(c.log == bindparam("this_log"), c.position == bindparam("this_session"))
        .values(
            turns=c.turns + bindparam("added"),
            next_ordinal=case((c.next_ordinal > following, c.next_ordinal), else_=following),
            first_said_at=case(
                (c.first_said_at.is_(None), first),
                (first.is_(None), c.first_said_at),
                (c.first_said_at < first, c.first_said_at),
                else_=first,
            ),
            last_said_at=case(
                (c.last_said_at.is_(None), last),
                (last.is_(None), c.last_said_at),
                (c.last_said_at > last, c.last_said_at),
                else_=last,
            ),
        )
    )
