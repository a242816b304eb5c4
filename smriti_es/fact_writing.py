"""The commands that change what is believed: each decides under the head lock and relinks.

Nothing here calls a model. What a model said (facts found, verdicts given) comes in as a value and
is recorded beside the decision.
"""

import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import select

from smriti_es.chain import Replacement
from smriti_es.consolidation import FactKey, Pending, Relinker
from smriti_es.events.catalogue import (
    AliasRemoved,
    ArbitrationDecided,
    EntityAliased,
    FactAsserted,
    FactEnded,
    FactEndRetracted,
    FactRetracted,
)
from smriti_es.events.errors import InvalidInput, NotFound
from smriti_es.events.idempotency import hmac_key
from smriti_es.events.key_form import key_form
from smriti_es.events.records import NewEvent, Transaction
from smriti_es.projections.entities import Names, alias_table, names_at
from smriti_es.projections.facts import ADMITTED, FactTables, fact_tables
from smriti_es.projections.projector import Projector


@dataclass(frozen=True, slots=True)
class Ground:
    """What every fact command stands on: the tables that serve, inside one append."""

    projector: Projector
    transaction: Transaction

    @property
    def tables(self) -> FactTables:
        """Tables of the facts generation that serves."""
        return fact_tables(self.projector.serving_in(self.transaction)["facts"].number)

    @property
    def aliases(self) -> int:
        """Generation of the entities projection that serves."""
        return self.projector.serving_in(self.transaction)["entities"].number

    def names(self) -> Names:
        """Who is who now."""
        return names_at(self.transaction.connection, self.transaction.log, self.aliases)

    def relinker(self, names: Names | None = None) -> Relinker:
        """Give a relinker for the names as they will be."""
        return Relinker(
            self.transaction.connection,
            self.transaction.log,
            self.tables,
            names if names is not None else self.names(),
        )

    def admitted(self, positions: Sequence[int]) -> set[int]:
        """Tell which positions are facts that are admitted."""
        fact = self.tables.fact.c
        return set(
            self.transaction.connection.execute(
                select(fact.position).where(
                    fact.log == self.transaction.log,
                    fact.position.in_(positions),
                    fact.state == ADMITTED,
                )
            ).scalars()
        )

    def require_admitted(self, positions: Sequence[int]) -> None:
        """Refuse positions that name no admitted fact.

        Raises:
            NotFound: At least one of them does not.
        """
        missing = sorted(set(positions) - self.admitted(positions))
        if missing:
            raise NotFound(
                f"there is no fact at position {missing[0]} that is believed",
                hint="engine.facts() and engine.history() give positions.",
            )


@dataclass(frozen=True, slots=True)
class FactDraft:
    """A statement about to be recorded, with the events that it rests on.

    Attributes:
        event: The statement; its `fact` id is filled in when it is recorded.
        refs: Positions of turns, extraction and premises.
        verdict: What an arbiter said of it, or None when none was asked.
    """

    event: FactAsserted
    refs: tuple[int, ...] = ()
    verdict: ArbitrationDecided | None = None


@dataclass(slots=True)
class AssertFacts:
    """Record statements and stated ends, with what led to them, and relink.

    Attributes:
        projector: Knows which tables serve.
        drafts: The statements.
        ends: Stated ends, each with the events that it rests on.
        preceding: Events of the same commit that come first (an `ExtractionCompleted`).
        only_if_new: Record nothing at all when no statement or end is new.
        positions: After it ran, the positions of the statements recorded; -1 for one that was there
            already, or that the arbiter skipped.
    """

    projector: Projector
    drafts: Sequence[FactDraft]
    ends: Sequence[tuple[FactEnded, tuple[int, ...]]] = ()
    preceding: Sequence[NewEvent] = ()
    only_if_new: bool = False
    positions: list[int] = field(default_factory=list)

    def __call__(self, transaction: Transaction) -> list[NewEvent]:
        """Decide on the events."""
        ground = Ground(self.projector, transaction)
        ground.require_admitted([p for draft in self.drafts for p in draft.event.because])
        events = list(self.preceding)
        pending = Pending()
        self.positions = []
        source = tuple(range(transaction.size, transaction.size + len(events)))
        identified = [self._identified(draft, ground) for draft in self.drafts]
        known = self._known(identified, ground)
        for draft in identified:
            if draft.event.fact in known or _skipped(draft):
                self.positions.append(-1)
            else:
                known.add(draft.event.fact)
                position = transaction.size + len(events)
                self.positions.append(position)
                pending.asserted[position] = draft.event
                refs = tuple(sorted({*draft.refs, *draft.event.because, *source}))
                events.append(NewEvent(draft.event, refs))
            _add_verdict(draft, self.positions[-1], events, pending, ground)
        for ended, refs in self.ends:
            if not self._is_stated(ended, ground):
                pending.ended.append(ended)
                events.append(NewEvent(ended, tuple(sorted({*refs, *source}))))
        if self.only_if_new and not pending.asserted and not pending.ended:
            return []
        relinker = ground.relinker()
        keys = {relinker.key_of(event) for event in pending.asserted.values()}
        keys |= {relinker.key_of(event) for event in pending.ended}
        causes = tuple(
            range(transaction.size + len(self.preceding), transaction.size + len(events))
        )
        return events + relinker.relink(keys, pending, causes[:64])

    def _is_stated(self, ended: FactEnded, ground: Ground) -> bool:
        """Tell whether exactly this end is recorded already."""
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
            end.retracted_known.is_(None),
        )
        return ground.transaction.connection.execute(statement).first() is not None

    def _identified(self, draft: FactDraft, ground: Ground) -> FactDraft:
        key = hmac_key(ground.transaction.connection, ground.transaction.log)
        return replace(draft, event=replace(draft.event, fact=fact_id(key, draft.event)))

    def _known(self, drafts: Sequence[FactDraft], ground: Ground) -> set[str]:
        """Find which of the statements are recorded already: an extraction that ran twice."""
        fact = ground.tables.fact.c
        return set(
            ground.transaction.connection.execute(
                select(fact.fact).where(
                    fact.log == ground.transaction.log,
                    fact.fact.in_([draft.event.fact for draft in drafts]),
                )
            ).scalars()
        )


def fact_id(key: bytes, event: FactAsserted) -> str:
    """Derive a fact's id from what it states: 32 hex of an HMAC under the log's key.

    Source: decision 13.
    """
    stated = [
        event.space,
        event.subject,
        event.predicate,
        event.object,
        event.scope,
        event.valid_from,
        event.said_at,
        event.source,
    ]
    body = b"smriti-es/fact/1\0" + json.dumps(stated).encode()
    return hmac.digest(key, body, hashlib.sha256).hex()[:32]


def _skipped(draft: FactDraft) -> bool:
    return draft.verdict is not None and draft.verdict.action == "skip"


def _add_verdict(
    draft: FactDraft, position: int, events: list[NewEvent], pending: Pending, ground: Ground
) -> None:
    """Record what the arbiter said; a verdict on a fact that went meanwhile replaces nothing."""
    if draft.verdict is None:
        return
    verdict = replace(draft.verdict, fact=position)
    if verdict.action == "supersede":
        if position < 0 or not ground.admitted([verdict.target]):
            verdict = replace(verdict, action="add", target=-1, status="target is gone")
        else:
            pending.replacements.append(Replacement(position, verdict.target))
    refs = {p for p in (position, verdict.target) if p >= 0}
    events.append(NewEvent(verdict, tuple(sorted(refs))))


@dataclass(slots=True)
class EndFact:
    """Say that a recorded fact's value holds no longer."""

    projector: Projector
    position: int
    valid_to: int | None
    said_at: int
    precision: str
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
            said_at=self.said_at,
            reason=self.reason,
        )
        relinker = ground.relinker()
        events = [NewEvent(ended, (self.position,))]
        keys = {relinker.key_of(ended)}
        return events + relinker.relink(keys, Pending(ended=[ended]), (transaction.size,))


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
        pending = Pending(retracted={self.position})
        events = [NewEvent(retracted, (self.position,))]
        return events + relinker.relink(keys, pending, (transaction.size,))


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
        pending = Pending(ends_retracted={self.position})
        events = [NewEvent(taken_back, (self.position,))]
        return events + relinker.relink({key}, pending, (transaction.size,))


@dataclass(slots=True)
class AliasEntity:
    """Say that two names are one entity, and relink what both are the subject of."""

    projector: Projector
    alias: str
    canonical: str
    reason: str

    def __call__(self, transaction: Transaction) -> list[NewEvent]:
        """Decide on the events."""
        ground = Ground(self.projector, transaction)
        pair = (key_form(self.alias), key_form(self.canonical))
        before = ground.names()
        if before.root(pair[0]) == before.root(pair[1]):
            return []
        names = _names_with(ground, transaction, added=pair)
        event = EntityAliased(alias=self.alias, canonical=self.canonical, reason=self.reason)
        return _renamed(ground, transaction, NewEvent(event), names, names.all_of(pair[1]))


@dataclass(slots=True)
class RemoveAlias:
    """Say that two names are not one entity after all."""

    projector: Projector
    alias: str
    reason: str

    def __call__(self, transaction: Transaction) -> list[NewEvent]:
        """Decide on the events."""
        ground = Ground(self.projector, transaction)
        row = _alias_rows(ground, transaction, key_form(self.alias))
        if row is None:
            raise NotFound(f"{self.alias!r} is no alias", hint="engine.aliases() lists them.")
        names = _names_with(ground, transaction, removed=row.position)
        event = AliasRemoved(aliased=row.position, reason=self.reason)
        concerned = ground.names().all_of(row.alias)
        return _renamed(ground, transaction, NewEvent(event, (row.position,)), names, concerned)


def _alias_rows(ground: Ground, transaction: Transaction, alias: str) -> Any:
    c = alias_table(ground.aliases).c
    statement = select(c.position, c.alias).where(
        c.log == transaction.log, c.alias == alias, c.known_to.is_(None)
    )
    return transaction.connection.execute(statement.order_by(c.position.desc())).first()


def _names_with(
    ground: Ground,
    transaction: Transaction,
    *,
    added: tuple[str, str] | None = None,
    removed: int | None = None,
) -> Names:
    c = alias_table(ground.aliases).c
    rows = transaction.connection.execute(
        select(c.position, c.alias, c.canonical)
        .where(c.log == transaction.log, c.known_to.is_(None))
        .order_by(c.position)
    )
    pairs = [(row.alias, row.canonical) for row in rows if row.position != removed]
    return Names([*pairs, added] if added is not None else pairs)


def _renamed(
    ground: Ground,
    transaction: Transaction,
    event: NewEvent,
    names: Names,
    concerned: Sequence[str],
) -> list[NewEvent]:
    relinker = ground.relinker(names)
    keys = relinker.keys_of_subjects(concerned)
    return [event, *relinker.relink(keys, Pending(), (transaction.size,))]
