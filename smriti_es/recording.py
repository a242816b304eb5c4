"""Turns in: decide, under the head lock, which of the captured turns are new, and record those."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from functools import cache, partial
from typing import Any, NamedTuple, Self

from sqlalchemy import Table, bindparam, select

from smriti_es.capture import Messages, capture
from smriti_es.captured import Captured, CapturedTurn, Limits, MetadataValue, Origin, TimeGiven
from smriti_es.checked_values import Place, checked_label, checked_metadata, checked_tags
from smriti_es.events.catalogue import SessionStarted, TurnRecorded
from smriti_es.events.database import fetch_rows
from smriti_es.events.errors import InvalidInput
from smriti_es.events.idempotency import KEY_LENGTH_MAX, Idempotency, hmac_key
from smriti_es.events.log import EventLog
from smriti_es.events.records import Commit, NewEvent, Transaction
from smriti_es.extracting import Extracted
from smriti_es.projections.projector import Projector
from smriti_es.projections.turns import TurnsProjection, TurnTables, turn_tables
from smriti_es.replay_detection import StoredSession, StoredTurn, kept_back, new_turns
from smriti_es.results import Added
from smriti_es.screening import Screening, Tally
from smriti_es.tombstones import ErasedTurns, erased_turns, session_mac
from smriti_es.withheld_sources import withheld_with_their_session
from smriti_es.withholding import Withholding, last_erasure_in


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInput:
    """What one call of `Engine.add` takes, as a value; see there for each.

    Attributes:
        session: The caller's name of the session.
        messages: What was said, in any usual form.
        at: When, for turns that do not say it.
        tags: Added to each turn's tags.
        metadata: Added to each turn's metadata.
        kind: The kind of turns that name none.
        origin: Lowers the origin of turns that name none.
        session_tags: Tags of the session, if it begins here.
        session_metadata: Metadata of the session, if it begins here.
        idempotency_key: Makes a repeated call take effect once.
        readmit: Whether turns that were erased may be recorded again.
    """

    session: str
    messages: Messages
    at: TimeGiven | None = None
    tags: Sequence[str] = ()
    metadata: Mapping[str, MetadataValue] | None = None
    kind: str | None = None
    origin: str | None = None
    session_tags: Sequence[str] = ()
    session_metadata: Mapping[str, MetadataValue] | None = None
    idempotency_key: str | None = None
    readmit: bool = False


@dataclass(slots=True)
class RecordTurns:
    """The command behind `Engine.add`: one session's captured turns.

    It may run more than once, and reads nothing but the turns projection. After it ran, `replayed`
    says how many turns the session held already.

    Attributes:
        projector: Knows which tables serve.
        space: The space.
        session: The caller's name of the session.
        captured: The turns.
        tags: Tags of the session, should it begin here.
        metadata: Metadata of the session, should it begin here.
        idempotency_key: Makes a repeated call take effect once, or None.
        readmit: Whether turns that were erased may be recorded again.
        replayed: How many of the turns were there already.
        erased: How many of them had been there and were erased.
        kept: Ids of those among them that came with other words.
    """

    projector: Projector
    space: str
    session: str
    captured: Captured
    tags: Sequence[str] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    idempotency_key: str | None = None
    readmit: bool = False
    replayed: int = 0
    erased: int = 0
    kept: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        given: SessionInput,
        *,
        projector: Projector,
        space: str,
        zone: tzinfo,
        limits: Limits,
        screening: Screening,
        most_trusted: Origin = "owner",
    ) -> Self:
        """Check everything that was handed in; nothing is written yet.

        Raises:
            InvalidInput: Something cannot be stored as it is.
        """
        captured = capture(
            given.messages,
            at=given.at,
            zone=zone,
            tags=given.tags,
            metadata=given.metadata,
            kind=given.kind,
            origin=given.origin,
            most_trusted=most_trusted,
            limits=limits,
            screening=screening,
        )
        session = checked_label(given.session, Place("session"), limits.name_length_max)
        if not session:
            raise InvalidInput("the session has no name", hint="Name the conversation.")
        tally = Tally()
        tags, metadata = screening.value((given.session_tags, given.session_metadata), tally)
        if tally.redacted:
            together = tally.redacted + Counter(captured.redacted)
            captured = replace(captured, redacted=dict(together))
        return cls(
            projector=projector,
            space=space,
            session=screening.checked_name(session, Place("session")),
            captured=captured,
            tags=sorted(checked_tags(tags, Place("session_tags"), limits)),
            metadata=checked_metadata(metadata, Place("session_metadata"), limits),
            idempotency_key=_checked_key(given.idempotency_key),
            readmit=given.readmit,
        )

    @property
    def once(self) -> Idempotency | None:
        """What makes a repeated call take effect once, if the caller asked for that."""
        if self.idempotency_key is None:
            return None
        return Idempotency(self.idempotency_key, self._request())

    def _request(self) -> bytes:
        turns = [
            [
                turn.digest,
                turn.said_at,
                turn.source_id,
                turn.kind,
                turn.origin,
                list(turn.tags),
                turn.metadata,
                turn.extra,
            ]
            for turn in self.captured.turns
        ]
        session = [self.space, self.session, list(self.tags), dict(self.metadata)]
        return json.dumps([*session, turns], sort_keys=True).encode()

    def __call__(self, transaction: Transaction) -> list[NewEvent]:
        """Decide on the events."""
        if not self.captured.turns:
            return []
        tables = self._tables(transaction)
        session = self._find_session(tables, transaction)
        stored = StoredSession() if session is None else self._stored(session, tables, transaction)
        captured, erased = self.captured.turns, self._erased_turns(transaction)
        new: Sequence[CapturedTurn] = captured
        self.erased = 0
        if erased is not None:
            new, self.erased = erased.told_apart(captured, stored)
        elif stored.turns:
            new = new_turns(captured, stored)
        self.replayed = len(captured) - len(new) - self.erased
        self.kept = kept_back(captured, stored) if self.replayed else ()
        if not new:
            return []
        if session is not None:
            said = _turn_events(new, session.position, session.next_ordinal, transaction.size)
            recorded = range(transaction.size, transaction.size + len(said))
            withholding = Withholding.under(self.projector, transaction)
            return said + withheld_with_their_session(session.position, recorded, withholding)
        started = SessionStarted(
            session=self.session, space=self.space, tags=self.tags, metadata=self.metadata
        )
        first, ordinal = transaction.size, 0 if erased is None else erased.next_ordinal
        return [NewEvent(started), *_turn_events(new, first, ordinal, first + 1)]

    def _erased_turns(self, transaction: Transaction) -> ErasedTurns | None:
        """Read which turns of the session were erased and are to stay out; None for none."""
        if self.readmit or last_erasure_in(self.projector, transaction) < 0:
            return None
        tables = Withholding.under(self.projector, transaction).tables.keeping
        key = hmac_key(transaction.connection, transaction.log)
        named = session_mac(key, self.space, self.session)
        found = erased_turns(transaction.connection, transaction.log, tables, named, key)
        return found if found.rows else None

    def _tables(self, transaction: Transaction) -> TurnTables:
        serving = self.projector.serving_in(transaction)
        return turn_tables(self.projector.readable(serving, TurnsProjection.name).number)

    def _find_session(self, tables: TurnTables, transaction: Transaction) -> "_Session | None":
        rows = fetch_rows(
            transaction.connection,
            _session_statement(tables.session),
            {"this_log": transaction.log, "this_space": self.space, "this_name": self.session},
        )
        return _Session(*rows[0]) if rows else None

    def _stored(
        self, session: "_Session", tables: TurnTables, transaction: Transaction
    ) -> StoredSession:
        """Read what replays are recognised by; of a longer session, what looks alike."""
        whole = session.turns <= len(self.captured.turns)
        find = partial(_find_stored, tables.turn, transaction, session.position)
        if whole:
            rows = find()
        else:
            rows = find("digest", [turn.digest for turn in self.captured.turns])
            ids = [t.source_id for t in self.captured.turns if t.source_id is not None]
            if ids:
                rows = sorted({*rows, *find("source_id", ids)}, key=lambda row: row.ordinal)
        return StoredSession(
            tuple(
                StoredTurn(row.digest, row.said_at if row.timed else None, row.source_id)
                for row in rows
            ),
            whole=whole,
            ordinals=tuple(row.ordinal for row in rows),
            positions=tuple(row.position for row in rows),
        )


class _Session(NamedTuple):
    """What an append needs of the session that it goes on with."""

    position: int
    turns: int
    next_ordinal: int


class _Stored(NamedTuple):
    """What a replay of a stored turn is recognised by."""

    ordinal: int
    digest: str
    said_at: int
    timed: bool
    source_id: str | None
    position: int


@cache
def _session_statement(session: Table) -> Any:
    c = session.c
    return select(c.position, c.turns, c.next_ordinal).where(
        c.log == bindparam("this_log"),
        c.space == bindparam("this_space"),
        c.name == bindparam("this_name"),
    )


def _find_stored(
    turn: Table,
    transaction: Transaction,
    session: int,
    column: str | None = None,
    values: Sequence[str] = (),
) -> list[_Stored]:
    """Read the turns of a session, or those that have one of the values in a column."""
    named: dict[str, Any] = {"this_log": transaction.log, "this_session": session}
    if column is not None:
        named["looked_for"] = values[0] if len(values) == 1 else values
    statement = _stored_statement(turn, column, several=len(values) > 1)
    if len(values) > 1:
        return [_Stored(*row) for row in transaction.connection.execute(statement, named)]
    return [_Stored(*row) for row in fetch_rows(transaction.connection, statement, named)]


@cache
def _stored_statement(turn: Table, column: str | None, *, several: bool) -> Any:
    c = turn.c
    statement = (
        select(c.ordinal, c.digest, c.said_at, c.timed, c.source_id, c.position)
        .where(c.log == bindparam("this_log"), c.session == bindparam("this_session"))
        .order_by(c.ordinal)
    )
    if column is None:
        return statement
    if several:
        return statement.where(c[column].in_(bindparam("looked_for", expanding=True)))
    # The usual case by far, and an IN is expanded anew each time.
    return statement.where(c[column] == bindparam("looked_for"))


def _turn_events(
    turns: Sequence[CapturedTurn], session: int, ordinal: int, position: int
) -> list[NewEvent]:
    """Write turns as events; a tool's answer also refers to the turn that asked for it."""
    callers: dict[str, int] = {}
    events = []
    for offset, turn in enumerate(turns):
        asked_at = callers.get(turn.tool_call_id) if turn.tool_call_id is not None else None
        refs = (session,) if asked_at is None else (session, asked_at)
        for call in turn.tool_calls or ():
            callers[str(call.get("id"))] = position + offset
        events.append(NewEvent(_recorded(turn, session, ordinal + offset), refs))
    return events


def _recorded(turn: CapturedTurn, session: int, ordinal: int) -> TurnRecorded:
    return TurnRecorded(
        session=session,
        ordinal=ordinal,
        origin=turn.origin,
        role=turn.role,
        text=turn.text,
        name=turn.name,
        said_at=turn.said_at,
        said_precision=turn.said_precision if turn.said_at is not None else "instant",
        said_text=turn.said_text,
        content=turn.content,
        source_id=turn.source_id,
        kind=turn.kind,
        tags=turn.tags,
        metadata=turn.metadata,
        tool_calls=turn.tool_calls,
        tool_call_id=turn.tool_call_id,
        extra=turn.extra,
    )


def _checked_key(key: str | None) -> str | None:
    return None if key is None else checked_label(key, Place("idempotency_key"), KEY_LENGTH_MAX)


def added_by(
    command: RecordTurns, commit: Commit, log: EventLog, extracted: Extracted | None = None
) -> Added:
    """Say what became of a command once it was appended, and what was extracted from it."""
    extracted = extracted or Extracted()
    if commit.replayed:
        # The command did not run: what it recorded the first time stands in the log.
        events = log.read(commit.first, commit.last + 1)
        positions = tuple(e.position for e in events if e.header.type == TurnRecorded.TYPE)
    else:
        positions = tuple(
            event.position for event in commit.events if event.header.type == TurnRecorded.TYPE
        )
    return Added(
        session=command.session,
        positions=positions,
        replayed=command.replayed,
        kept=command.kept,
        skipped=command.captured.skipped,
        redacted=command.captured.redacted,
        stripped=command.captured.stripped,
        erased=command.erased,
        facts=tuple(extracted.facts),
        head=max(commit.last, extracted.last),
        repeated=commit.replayed,
    )
