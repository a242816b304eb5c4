"""What is written of each event that is held on somebody: what it says, how it stands, its hash.

A record can be checked without the memory: SHA-256 of a zero byte and `header` is `leaf`, and the
commitment in the header is that of `content` under `key` (docs/subject-access.md).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from sqlalchemy import Connection, RowMapping, and_, select

from smriti_es.events.catalogue import (
    AliasRemoved,
    ArbitrationDecided,
    ContextServed,
    EntityAliased,
    Erased,
    ErasureCompleted,
    ExtractionCompleted,
    ExtractionFailed,
    FactAsserted,
    FactEnded,
    HoldPlaced,
    HoldReleased,
    Quarantined,
    Released,
    SessionStarted,
    TurnRecorded,
)
from smriti_es.events.catalogue.event import members_of
from smriti_es.events.catalogue.facts import DIGEST
from smriti_es.events.database import in_parts
from smriti_es.events.header import Header, decode_header
from smriti_es.events.instants import format_instant
from smriti_es.events.tables import event_table, payload_table
from smriti_es.opened import Opened
from smriti_es.projections.facts import FactTables, fact_tables
from smriti_es.projections.revisions import revision_table
from smriti_es.projections.trust import causes_among, trust_tables
from smriti_es.projections.turns import TurnTables, turn_tables
from smriti_es.subject_access.marking import Mark, Marks

Record = dict[str, Any]

_BATCH: Final = 64
_KINDS: Final[Mapping[str, str]] = {
    SessionStarted.TYPE: "session",
    TurnRecorded.TYPE: "turn",
    ExtractionCompleted.TYPE: "extraction",
    ExtractionFailed.TYPE: "extraction",
    FactAsserted.TYPE: "fact",
    FactEnded.TYPE: "end",
    ArbitrationDecided.TYPE: "decision",
    EntityAliased.TYPE: "alias",
    AliasRemoved.TYPE: "alias",
    Quarantined.TYPE: "quarantine",
    Released.TYPE: "quarantine",
    ContextServed.TYPE: "served",
    Erased.TYPE: "erasure",
    ErasureCompleted.TYPE: "erasure",
    HoldPlaced.TYPE: "hold",
    HoldReleased.TYPE: "hold",
}
_REASONS: Final = {
    Mark.NAMED: "names them",
    Mark.SAID: "said by them",
    Mark.SOURCE: "source of a fact about them",
    Mark.FOLLOWS: "follows from one of these",
}
ABOUT_OTHERS: Final = "it is about somebody else, and rests on what they said or what is about them"
SAID_BY_OTHERS: Final = "others said it: only the sentences that name them are here"
OF_OTHERS_TOO: Final = "it may speak of others: what a model replied, the labels of a conversation"
ERASED: Final = "it was erased"
# What is written of a turn that others said, beside its text; and what may speak of others.
_OF_A_TURN: Final = frozenset({"said_at", "said_precision", "kind"})
_OF_OTHERS: Final = {
    SessionStarted.TYPE: frozenset({"tags", "metadata"}),
    ExtractionCompleted.TYPE: frozenset({"replies", "dropped", "details"}),
    ExtractionFailed.TYPE: frozenset({"replies", "error", "details"}),
    ArbitrationDecided.TYPE: frozenset({"statement", "reply"}),
}
_TIMES: Final = ("valid_from", "valid_to", "known_from", "known_to", "said_at")


@dataclass(frozen=True, slots=True)
class Records:
    """Reads the records of what is held, in one snapshot and in parts.

    Attributes:
        connection: The snapshot.
        log: The log's number.
        marks: What is held.
        excerpts: Whether of what others said only what names the person is written.
        turns: Tables of turns and sessions.
        facts: Tables of facts and ends.
        generations: Of the revisions and trust projections that serve.
    """

    connection: Connection
    log: int
    marks: Marks
    excerpts: bool
    turns: TurnTables
    facts: FactTables
    generations: tuple[int, int]

    @classmethod
    def of(cls, opened: Opened, connection: Connection, marks: Marks, *, excerpts: bool) -> Self:
        """Take the tables of the generations that serve."""
        serving = opened.projector.serving(connection)
        turns, facts, revisions, trust = (
            opened.projector.readable(serving, name).number
            for name in ("turns", "facts", "revisions", "trust")
        )
        return cls(
            connection,
            opened.log.log,
            marks,
            excerpts,
            turn_tables(turns),
            fact_tables(facts),
            (revisions, trust),
        )

    def of_kinds(self, kinds: int | None = None) -> Iterator[Record]:
        """Give the records in the order of the log (see `Marks.held`)."""
        batch: list[int] = []
        for position in self.marks.held(kinds):
            batch.append(position)
            if len(batch) == _BATCH:
                yield from self._read(batch)
                batch = []
        yield from self._read(batch)

    def _read(self, positions: Sequence[int]) -> list[Record]:
        if not positions:
            return []
        event, stored = event_table.c, payload_table.c
        same = and_(stored.log == event.log, stored.position == event.position)
        rows = self.connection.execute(
            select(event.position, event.leaf, event.header, stored.key, stored.body)
            .select_from(event_table.outerjoin(payload_table, same))
            .where(event.log == self.log, event.position.in_(positions))
            .order_by(event.position)
        ).all()
        withheld = causes_among(
            self.connection, trust_tables(self.generations[1]), self.log, positions
        )
        standing = self._standing(positions)
        sessions = self._sessions(positions)
        records = []
        for row in rows:
            record = self._record(row)
            if (name := sessions.get(row.position)) is not None:
                record["session"] = name
            how = standing.get(row.position)
            if how is not None and not self.marks.is_about_others(row.position):
                record["standing"] = how
            if row.position in withheld:
                record["withheld_by"] = sorted(withheld[row.position])
            records.append(record)
        return records

    def _record(self, row: Any) -> Record:
        header = decode_header(row.header)
        flags = self.marks.flags[row.position]
        record: Record = {
            "record": _KINDS.get(header.type, "decision"),
            "position": header.position,
            "type": header.type,
            "known": format_instant(header.known),
            "actor": f"{header.actor.kind}:{header.actor.id}",
            "why": [reason for mark, reason in _REASONS.items() if flags & mark],
            "facets": dict(header.facets),
            "leaf": bytes(row.leaf).hex(),
            "header": bytes(row.header).decode("ascii"),
        }
        if row.body is None:
            return record | ({} if header.payload is None else {"left_out": ERASED})
        members = members_of(row.body)
        if members.get("kind") == DIGEST:
            record["record"] = "digest"
        if self.marks.is_about_others(row.position):
            return record | {"left_out": ABOUT_OTHERS}
        shown, left_out = self._shown(header, members)
        record["content"] = shown
        if left_out is not None:
            return record | {"left_out": left_out}
        record["key"] = bytes(row.key).hex()
        if payload_bytes(members) != row.body:
            record["body"] = row.body.decode()  # another release may have written it otherwise
        return record

    def _shown(self, header: Header, members: Record) -> tuple[Record, str | None]:
        """Give what is written of an event's content, and why something of it is not."""
        flags = self.marks.flags[header.position]
        if not self.excerpts or flags & Mark.SAID:
            return members, None
        if header.type == TurnRecorded.TYPE:
            said = self.marks.person.sentences_in(members["text"])
            kept = {name: members[name] for name in _OF_A_TURN & members.keys()}
            return kept | {"text": said}, SAID_BY_OTHERS
        hidden = _OF_OTHERS.get(header.type, frozenset())
        kept = {name: value for name, value in members.items() if name not in hidden}
        return kept, None if kept == members else OF_OTHERS_TOO

    def _sessions(self, positions: Sequence[int]) -> dict[int, str]:
        """Give the names of the sessions of those that are turns."""
        turn, session = self.turns.turn.c, self.turns.session.c
        same = and_(session.log == turn.log, session.position == turn.session)
        rows = self.connection.execute(
            select(turn.position, session.name)
            .join(self.turns.session, same)
            .where(turn.log == self.log, turn.position.in_(positions))
        )
        return {row.position: row.name for row in rows}

    def _standing(self, positions: Sequence[int]) -> dict[int, Record]:
        """Say how those stand that are facts or ends, and what was believed of them."""
        fact, end = self.facts.fact.c, self.facts.end.c
        columns = (fact.state, fact.approved, fact.valid_from, fact.valid_to, fact.superseded_by)
        found: dict[int, Record] = {}
        for row in self.connection.execute(
            select(fact.position, *columns, fact.folded_into).where(
                fact.log == self.log, fact.position.in_(positions)
            )
        ).mappings():
            found[row["position"]] = _told(row) | {"revisions": []}
        for row in self.connection.execute(
            select(end.position, end.state, end.approved, end.retracted_known).where(
                end.log == self.log, end.position.in_(positions)
            )
        ).mappings():
            taken_back = row["retracted_known"] is not None
            state = {"state": row["state"], "approved": row["approved"], "taken_back": taken_back}
            found[row["position"]] = state
        revisions = revision_table(self.generations[0])
        c = revisions.c
        for part in in_parts(sorted(found)):
            for row in self.connection.execute(
                select(revisions)
                .where(c.log == self.log, c.fact.in_(part))
                .order_by(c.fact, c.revision)
            ).mappings():
                told = _told(row)
                found[told.pop("fact")]["revisions"].append(told)
        return found


def payload_bytes(members: Mapping[str, Any]) -> bytes:
    """Write an event's content as the log does, so that its commitment can be checked."""
    written = json.dumps(members, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return written.encode()


def _told(row: RowMapping) -> Record:
    """Write a row with its times as RFC 3339 text, without what says where it lies."""
    return {
        name: format_instant(value) if name in _TIMES and value is not None else value
        for name, value in row.items()
        if name not in ("log", "position")
    }
