"""The commands that change what is believed: each decides under the head lock and relinks.

Nothing here calls a model. What a model said (facts found, verdicts given) comes in as a value and
is recorded beside the decision.
"""

import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from sqlalchemy import Select, Table, bindparam, select

from smriti_es.chain_members import Pending
from smriti_es.consolidation import FactKey
from smriti_es.events.catalogue import (
    FactAsserted,
    FactEnded,
    FactEndRetracted,
    FactRetracted,
)
from smriti_es.events.catalogue.facts import NOBODY
from smriti_es.events.errors import InvalidInput, NotFound
from smriti_es.events.idempotency import hmac_key
from smriti_es.events.key_form import key_form
from smriti_es.events.records import NewEvent, Transaction
from smriti_es.fact_draft import FactDraft
from smriti_es.forgotten_values import without_forgotten
from smriti_es.ground import Ground
from smriti_es.inheriting import inheriting, read_premises
from smriti_es.kept_turns import gone_among
from smriti_es.projections.projector import Projector
from smriti_es.withheld_sources import withheld_with_their_sources


@dataclass(slots=True)
class AssertFacts:
    """Record statements and stated ends, with what led to them, and relink.

    Attributes:
        projector: Knows which tables serve.
        drafts: The statements.
        ends: Stated ends, each with the events that it rests on.
        preceding: Events of the same commit that come first (an `ExtractionCompleted`).
        gone: Positions of what these take out of its chain.
        only_if_new: Record nothing at all when no statement or end is new.
        positions: After it ran, the positions of the statements recorded; -1 for one that was there
            already, or that the arbiter skipped.
    """

    projector: Projector
    drafts: Sequence[FactDraft]
    ends: Sequence[tuple[FactEnded, tuple[int, ...]]] = ()
    preceding: Sequence[NewEvent] = ()
    gone: Sequence[int] = ()
    only_if_new: bool = False
    positions: list[int] = field(default_factory=list)

    def __call__(self, transaction: Transaction) -> list[NewEvent]:
        """Decide on the events."""
        ground = Ground(self.projector, transaction)
        inherited = [_inherited(draft, ground) for draft in self.drafts]
        preceding, drafts, ends = without_forgotten(self.preceding, inherited, self.ends, ground)
        events = list(preceding)
        pending = Pending(gone=set(self.gone))
        self.positions = []
        source = tuple(range(transaction.size, transaction.size + len(events)))
        identified = _identified(drafts, transaction)
        known = self._known(identified, ground)
        for draft in identified:
            if draft.event.fact in known:
                # Recorded before, and with it whatever an arbiter had said of it.
                self.positions.append(NOBODY)
                continue
            known.add(draft.event.fact)
            recorded, position = _recorded(draft, transaction.size + len(events), source, ground)
            self.positions.append(position)
            pending.take_over(recorded, transaction.size + len(events))
            events += recorded
        for ended, refs in ends:
            if ended not in pending.ended.values() and not _is_stated(ended, ground):
                pending.ended[transaction.size + len(events)] = ended
                events.append(NewEvent(ended, tuple(sorted({*refs, *source}))))
        if self.only_if_new and len(events) == len(self.preceding):
            return []
        relinker = ground.relinker()
        causes = relinker.causes_in(events, transaction.size, pending)
        for key in relinker.keys_at(self.gone):
            causes.setdefault(key, []).extend(source)
        held = withheld_with_their_sources(events, transaction.size, ground.withholding)
        pending.gone |= held.positions
        return [*events, *held.events, *relinker.relink(causes, pending)]

    def _known(self, drafts: Sequence[FactDraft], ground: Ground) -> set[str]:
        """Find which of the statements are recorded already: an extraction that ran twice."""
        if not drafts:
            return set()
        ids = [draft.event.fact for draft in drafts]
        values = {"in_log": ground.transaction.log, "ids": ids}
        found = ground.transaction.connection.execute(_recorded_ids(ground.tables.fact), values)
        return set(found.scalars())


@cache
def _recorded_ids(table: Table) -> Select[Any]:
    c = table.c
    named = c.fact.in_(bindparam("ids", expanding=True))
    return select(c.fact).where(c.log == bindparam("in_log"), named)


def _inherited(draft: FactDraft, ground: Ground) -> FactDraft:
    """Let a statement take over what it must from the facts that it follows from.

    Raises:
        NotFound: One of them is not believed.
        InvalidInput: The origin that somebody named is higher than that of one of them.
    """
    positions = draft.event.because
    if not positions:
        return draft
    ground.require_admitted(positions)
    transaction = ground.transaction
    premises = read_premises(transaction.connection, transaction.log, ground.tables.fact, positions)
    event = inheriting(draft.event, premises, named=draft.origin_named)
    return replace(draft, event=event)


def _identified(drafts: Sequence[FactDraft], transaction: Transaction) -> list[FactDraft]:
    key = hmac_key(transaction.connection, transaction.log)
    return [
        replace(draft, event=replace(draft.event, fact=fact_id(key, draft.event)))
        for draft in drafts
    ]


def fact_id(key: bytes, event: FactAsserted) -> str:
    """Derive a fact's id from what it states: 32 hex of an HMAC under the log's key.

    Everything that moves a chain is in it, so that of two statements neither is dropped because it
    came second. Source: decision 13.
    """
    stated = [
        event.space,
        event.subject,
        event.predicate,
        event.object,
        event.scope,
        event.valid_from,
        event.valid_to,
        event.single,
        event.said_at,
        event.source,
    ]
    body = b"smriti-es/fact/1\0" + json.dumps(stated).encode()
    return hmac.digest(key, body, hashlib.sha256).hex()[:32]


def plain_sentence(subject: str, predicate: str, value: str) -> str:
    """Say a fact in its own words, where nobody gave a better sentence."""
    return f"{subject} {predicate.replace('_', ' ')} {value}"


def assert_ends_later(begins: int, ends: int | None) -> None:
    """Refuse a fact that would end when it begins, or before.

    Raises:
        InvalidInput: It would.
    """
    if ends is not None and ends <= begins:
        raise InvalidInput(
            "valid_to does not lie after valid_from",
            hint="Give a later valid_to, or an earlier valid_from; without one it holds since "
            "it was said.",
            field="valid_to",
        )


def _is_stated(ended: FactEnded, ground: Ground) -> bool:
    """Tell whether exactly this end was recorded before, taken back since or not."""
    end = ground.tables.end.c
    statement = select(end.position).where(
        end.log == ground.transaction.log,
        end.space == ended.space,
        end.subject == key_form(ended.subject),
        end.predicate == ended.predicate,
        end.scope == key_form(ended.scope),
        end.value == key_form(ended.object),
        end.valid_to == ended.valid_to,
        end.said_at == ended.said_at,
    )
    return ground.transaction.connection.execute(statement).first() is not None


def _recorded(
    draft: FactDraft, position: int, source: Sequence[int], ground: Ground
) -> tuple[list[NewEvent], int]:
    """Give the events of a statement and of what an arbiter said of it, and its position.

    A verdict on a fact that went meanwhile changes nothing; one to skip leaves the verdict alone.
    """
    event, verdict = draft.event, draft.verdict
    refs = tuple(sorted({*draft.refs, *event.because, *source}))
    asserted = NewEvent(event, refs)
    if verdict is None:
        return [asserted], position
    if verdict.candidates and gone_among(ground.projector, verdict.candidates, ground.transaction):
        # What was said of it may repeat what is gone.
        verdict = replace(verdict, candidates=(), reply="", status="a candidate was erased")
    gone = verdict.target != NOBODY and not ground.admitted([verdict.target])
    if gone and verdict.action != "add":
        verdict = replace(verdict, action="add", target=NOBODY, status="target is gone")
    if verdict.action == "skip":
        named = {verdict.target, *draft.refs} - {NOBODY}
        return [NewEvent(replace(verdict, fact=NOBODY), tuple(sorted(named)))], NOBODY
    named = {position, verdict.target} - {NOBODY}
    decided = NewEvent(replace(verdict, fact=position), tuple(sorted(named)))
    return [asserted, decided], position


@dataclass(slots=True)
class EndFact:
    """Say that a recorded fact's value holds no longer."""

    projector: Projector
    position: int
    valid_to: int | None
    said_at: int
    precision: str
    written: str | None
    reason: str

    def __call__(self, transaction: Transaction) -> list[NewEvent]:
        """Decide on the events."""
        ground = Ground(self.projector, transaction)
        ground.require_admitted([self.position])
        fact = ground.tables.fact.c
        row = transaction.connection.execute(
            select(ground.tables.fact).where(
                fact.log == transaction.log, fact.position == self.position
            )
        ).one()
        valid_to = self.said_at if self.valid_to is None else self.valid_to
        if valid_to <= row.valid_from:
            raise InvalidInput(
                "a fact cannot end before it began",
                hint="Give a later time, or retract it if it was never true.",
            )
        ended = FactEnded(
            space=row.space,
            subject=row.subject,
            predicate=row.predicate,
            object=row.value,
            scope=row.scope,
            valid_to=valid_to,
            valid_precision=self.precision,
            valid_text=self.written,
            said_at=self.said_at,
            reason=self.reason,
        )
        relinker = ground.relinker()
        events = [NewEvent(ended, (self.position,))]
        causes = {relinker.key_of(ended): [transaction.size]}
        pending = Pending(ended={transaction.size: ended})
        return events + relinker.relink(causes, pending)


@dataclass(slots=True)
class RetractFact:
    """Say that a recorded fact was never true."""

    projector: Projector
    position: int
    reason: str

    def __call__(self, transaction: Transaction) -> list[NewEvent]:
        """Decide on the events."""
        ground = Ground(self.projector, transaction)
        ground.require_admitted([self.position])
        relinker = ground.relinker()
        keys = relinker.keys_at([self.position])
        retracted = FactRetracted(fact=self.position, reason=self.reason)
        pending = Pending(gone={self.position})
        events = [NewEvent(retracted, (self.position,))]
        causes = {key: [transaction.size] for key in keys}
        return events + relinker.relink(causes, pending)


@dataclass(slots=True)
class RetractEnd:
    """Take back a stated end."""

    projector: Projector
    position: int
    reason: str

    def __call__(self, transaction: Transaction) -> list[NewEvent]:
        """Decide on the events."""
        ground = Ground(self.projector, transaction)
        end = ground.tables.end.c
        row = transaction.connection.execute(
            select(ground.tables.end).where(
                end.log == transaction.log,
                end.position == self.position,
                end.retracted_known.is_(None),
            )
        ).one_or_none()
        if row is None:
            raise NotFound(f"no stated end at position {self.position}")
        relinker = ground.relinker()
        key = FactKey(row.space, relinker.names.root(row.subject), row.predicate, row.scope)
        taken_back = FactEndRetracted(end=self.position, reason=self.reason)
        pending = Pending(gone={self.position})
        events = [NewEvent(taken_back, (self.position,))]
        return events + relinker.relink({key: [transaction.size]}, pending)
