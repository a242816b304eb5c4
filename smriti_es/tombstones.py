"""What keeps erased turns and forgotten values from coming back, without telling what they were.

A tombstone is an HMAC under the tenant's own key: who has the key and is handed the same words
again recognises them; nobody can read them off. Source: design page on trust, "Erasure"; decision
36.
"""

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Self

from sqlalchemy import Connection, Select, Table, bindparam, select

from smriti_es.captured import ORIGINS, CapturedTurn
from smriti_es.events.catalogue import FactAsserted, FactEnded
from smriti_es.events.catalogue.facts import NOBODY
from smriti_es.events.database import fetch_rows, in_parts
from smriti_es.events.key_form import key_form
from smriti_es.projections.entities import Names
from smriti_es.projections.keeping import KeepingTables
from smriti_es.replay_detection import (
    StoredSession,
    StoredTurn,
    continues,
    repeated_turns,
)

# A turn that is or was in a session: where in it, what recognises it, and whether it was erased.
# Stands for what a tombstone knows and the call does not say: it equals nothing that can be said.
_OTHER: Final = "other"
_RANKS: Final[dict[str, int]] = {origin: rank for rank, origin in enumerate(ORIGINS)}
_OTHER_TIME: Final = -(2**63)


def mac(key: bytes, kind: str, *values: Any) -> str:
    """Compute 64 hex by which values are recognised by who has the key."""
    body = f"smriti-es/{kind}/1\0".encode() + json.dumps(values).encode()
    return hmac.digest(key, body, hashlib.sha256).hex()


def session_mac(key: bytes, space: str, session: str) -> str:
    """Name a session by what recognises it."""
    return mac(key, "session", space, session)


def turn_macs(
    key: bytes, session: str, digest: str, said_at: int | None, source_id: str | None
) -> dict[str, str]:
    """Give what recognises a turn of a session when it is sent again."""
    macs = {"said": mac(key, "turn", session, digest)}
    if said_at is not None:
        macs["timed"] = mac(key, "timed turn", session, digest, said_at)
    if source_id is not None:
        macs["source"] = mac(key, "turn id", session, source_id)
    return macs


@dataclass(frozen=True, slots=True)
class Value:
    """What is said of whom, whenever it holds and wherever it applies.

    Attributes:
        space: The space.
        subject: Whom or what it is about.
        predicate: What is said of it, in key form.
        object: The value.
    """

    space: str
    subject: str
    predicate: str
    object: str

    @classmethod
    def of(cls, said: FactAsserted | FactEnded) -> Self:
        """Take it from a statement, or a stated end."""
        return cls(said.space, said.subject, said.predicate, said.object)


def value_macs(key: bytes, value: Value, names: Names) -> list[str]:
    """Give what recognises a value, by every name of its subject.

    White space and case make no difference.
    """
    subject = key_form(value.subject)
    known_as = {subject, *names.all_of(names.root(subject))}
    what = (value.predicate, key_form(value.object))
    return [mac(key, "value", value.space, each, *what) for each in sorted(known_as)]


@dataclass(frozen=True, slots=True)
class _Place:
    """A turn that a session holds, or held.

    Attributes:
        ordinal: Its place in the session.
        turn: What it is recognised by.
        position: Where it is recorded, or was.
        erased: Position of the erasure; -1 for one that is held.
    """

    ordinal: int
    turn: StoredTurn
    position: int
    erased: int = NOBODY

    @property
    def is_gone(self) -> bool:
        return self.erased != NOBODY


@dataclass(frozen=True, slots=True)
class ErasedTurns:
    """Turns of one session that were erased and are to stay out.

    Attributes:
        rows: Their tombstones, in the order in which they had been recorded.
        session: What recognises the session.
        key: The key of all tombstones.
    """

    rows: Sequence[Any]
    session: str
    key: bytes

    @property
    def next_ordinal(self) -> int:
        """The number after the last one that any of them had."""
        return max((row.ordinal + 1 for row in self.rows), default=0)

    def told_apart(
        self, captured: Sequence[CapturedTurn], stored: StoredSession
    ) -> tuple[list[CapturedTurn], int]:
        """Give the turns of a call that are new, and how many of the others had been erased.

        They are recognised as if nothing had been erased (see `repeated_turns`); of a turn that was
        let in again, at its old place as well.

        Args:
            captured: The turns of one call, in order.
            stored: What the session holds.
        """
        known = self._known_from([*captured, *stored.turns])
        gone = [
            _Place(row.ordinal, _as_stored(row, known), row.position, row.erased)
            for row in self.rows
        ]
        there = [
            _Place(ordinal, turn, position)
            for ordinal, position, turn in zip(
                stored.ordinals, stored.positions, stored.turns, strict=True
            )
        ]
        places = sorted([*gone, *there], key=lambda each: each.ordinal)
        session = _session_of(places, captured, stored)
        if not continues(captured, session):
            again = _let_in_again(places)
            old_places = _session_of(again, captured, stored)
            if continues(captured, old_places):
                places, session = again, old_places
        repeated = repeated_turns(captured, session)
        new = [turn for turn, place in zip(captured, repeated, strict=True) if place is None]
        return new, sum(place is not None and places[place].is_gone for place in repeated)

    def _known_from(self, turns: Sequence[CapturedTurn | StoredTurn]) -> dict[str, Any]:
        """Give what turns say, by what recognises it."""
        known: dict[str, Any] = {}
        for turn in turns:
            said = {"said": turn.digest, "timed": turn.said_at, "source": turn.source_id}
            macs = turn_macs(self.key, self.session, turn.digest, turn.said_at, turn.source_id)
            known.update((value, said[name]) for name, value in macs.items())
        return known


def _session_of(
    places: Sequence[_Place], captured: Sequence[CapturedTurn], stored: StoredSession
) -> StoredSession:
    whole = stored.whole and len(places) <= len(captured)
    return StoredSession(tuple(place.turn for place in places), whole=whole)


def _let_in_again(places: Sequence[_Place]) -> list[_Place]:
    """Put what was recorded again after its erasure at the place that it had before."""
    at: dict[StoredTurn, int] = {}
    put: list[_Place] = []
    for place in places:
        before = at.get(place.turn)
        if before is not None and place.position > put[before].erased >= 0:
            put[before] = replace(place, ordinal=put[before].ordinal)
            continue
        if place.is_gone:
            at.setdefault(place.turn, len(put))
        put.append(place)
    return put


def _as_stored(row: Any, known: Mapping[str, Any]) -> StoredTurn:
    timed = None if row.timed is None else known.get(row.timed, _OTHER_TIME)
    source = None if row.source is None else known.get(row.source, _OTHER)
    return StoredTurn(known.get(row.said, _OTHER), timed, source)


def erased_turns(
    connection: Connection, log: int, tables: KeepingTables, session: str, key: bytes
) -> ErasedTurns:
    """Read which turns of a session were erased, by what recognises the session."""
    c = tables.turn.c
    statement = (
        select(c.ordinal, c.position, c.erased, c.said, c.timed, c.source)
        .where(c.log == bindparam("in_log"), c.session == bindparam("of_session"))
        .order_by(c.ordinal, c.position)
    )
    rows = connection.execute(statement, {"in_log": log, "of_session": session}).all()
    return ErasedTurns(rows, session, key)


def kept_out(
    connection: Connection,
    log: int,
    tables: KeepingTables,
    key: bytes,
    said: Sequence[FactAsserted | FactEnded],
    names: Callable[[], Names],
) -> list[bool]:
    """Tell of each of some statements whether a tombstone keeps it out.

    Args:
        connection: A snapshot.
        log: The log.
        tables: Where the tombstones are.
        key: Their key.
        said: The statements.
        names: Says who is who; an alias may be younger than the tombstone.
    """
    if not fetch_rows(connection, _anything(tables.value), {"in_log": log}):
        return [False for _ in said]  # as a rule
    who = names()
    claims = [(each, value_macs(key, Value.of(each), who)) for each in said]
    c, found = tables.value.c, {}
    for part in in_parts(sorted({mac for _, macs in claims for mac in macs})):
        rows = connection.execute(select(c.mac, c.origin).where(c.log == log, c.mac.in_(part)))
        found.update({row.mac: _RANKS[row.origin] for row in rows})
    return [
        any(value in found and _RANKS[each.origin] >= found[value] for value in macs)
        for each, macs in claims
    ]


@cache
def _anything(value: Table) -> Select[Any]:
    return select(value.c.mac).where(value.c.log == bindparam("in_log")).limit(1)
