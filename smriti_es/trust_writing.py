"""An owner's commands about what may be believed and read, each decided under the head lock."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sqlalchemy import select

from smriti_es.blast_radius import BlastRadius, Target, Tracer
from smriti_es.chain_members import Pending
from smriti_es.consolidation import FactKey
from smriti_es.erasure_plan import read_events
from smriti_es.events.catalogue import (
    Event,
    FactApproved,
    FactAsserted,
    FactRejected,
    Quarantined,
    Released,
    SettingsChanged,
)
from smriti_es.events.catalogue.facts import NOBODY
from smriti_es.events.erasure import ranges_of
from smriti_es.events.errors import NotFound
from smriti_es.events.idempotency import hmac_key
from smriti_es.events.instants import Instant
from smriti_es.events.log import EventLog
from smriti_es.events.records import NewEvent, Transaction
from smriti_es.fact_draft import FactDraft
from smriti_es.fact_writing import (
    AssertFacts,
    assert_ends_later,
    plain_sentence,
)
from smriti_es.ground import Ground
from smriti_es.projections.facts import PROPOSED
from smriti_es.projections.projector import Projector
from smriti_es.projections.trust import trust_tables
from smriti_es.tombstones import Value, value_macs
from smriti_es.trust import TrustPolicy
from smriti_es.verdicts_in_doubt import asked_again

OWNER = "owner"


@dataclass(slots=True)
class Quarantine:
    """Withhold a target, and with `cascade` everything that rests on it.

    Attributes:
        projector: Knows which tables serve.
        log: The log.
        space: The space in which a session is looked for.
        target: What.
        cascade: Whether what rests on it goes along.
        reason: Why.
        withheld: After it ran, what is withheld by it.
    """

    projector: Projector
    log: EventLog
    space: str
    target: Target
    cascade: bool
    reason: str
    withheld: BlastRadius = field(default_factory=BlastRadius)

    def __call__(self, transaction: Transaction) -> list[NewEvent]:
        """Decide on the events."""
        ground = Ground(self.projector, transaction)
        serving = self.projector.serving_in(transaction)
        tracer = Tracer.of(transaction.connection, self.log, serving, self.space)
        self.withheld = tracer.radius(self.target, cascade=self.cascade)
        first, *others = list(ranges_of(self.withheld.positions)) or [[]]
        quarantined = Quarantined(
            ranges=first,
            part_of=-1,
            target={self.target.kind: self.target.name},
            cascade=self.cascade,
            reason=self.reason,
        )
        at = transaction.size
        events = [NewEvent(quarantined)]
        events += [NewEvent(Quarantined(ranges=each, part_of=at), (at,)) for each in others]
        withheld = self.withheld
        events += asked_again(ground, self.log, withheld.facts, withheld.positions)
        gone = {*withheld.facts, *withheld.ends}
        return [*events, *_relinked(ground, gone, Pending(gone=gone), at)]


@dataclass(slots=True)
class Release:
    """Lift a quarantine; what no other one holds back is read and believed again."""

    projector: Projector
    quarantine: int
    reason: str

    def __call__(self, transaction: Transaction) -> list[NewEvent]:
        """Decide on the events."""
        ground = Ground(self.projector, transaction)
        tables = trust_tables(ground.projector.serving_in(transaction)["trust"].number)
        q, w = tables.quarantine.c, tables.withheld.c
        standing = transaction.connection.execute(
            select(q.position).where(
                q.log == transaction.log,
                q.position == self.quarantine,
                q.released_known.is_(None),
            )
        ).first()
        if standing is None:
            raise NotFound(
                f"no quarantine at position {self.quarantine}",
                hint="engine.quarantines() lists those that are not lifted.",
            )
        items = transaction.connection.execute(
            select(w.item).where(w.log == transaction.log, w.cause == self.quarantine)
        ).scalars()
        released = Released(quarantine=self.quarantine, reason=self.reason)
        pending = Pending(releasing=self.quarantine)
        at = transaction.size
        event = NewEvent(released, (self.quarantine,))
        return [event, *_relinked(ground, set(items), pending, at)]


@dataclass(slots=True)
class Review:
    """Approve or reject what waits for an owner's word.

    Attributes:
        projector: Knows which tables serve.
        position: The proposed statement, or stated end.
        approve: Whether it shall stand.
        reason: Why.
    """

    projector: Projector
    position: int
    approve: bool
    reason: str

    def __call__(self, transaction: Transaction) -> list[NewEvent]:
        """Decide on the events."""
        ground = Ground(self.projector, transaction)
        stated_to = _proposed(ground, self.position)
        at = transaction.size
        if self.approve:
            approved = FactApproved(fact=self.position, valid_to=stated_to, reason=self.reason)
            pending = Pending(approved={self.position})
            event = NewEvent(approved, (self.position,))
        else:
            rejected = _rejected(ground, self.position, self.reason)
            pending = Pending(gone={self.position})
            event = NewEvent(rejected, (self.position,))
        return [event, *_relinked(ground, {self.position}, pending, at)]


@dataclass(slots=True, kw_only=True)
class EditProposal:
    """Turn a proposed statement down, and state it corrected, in one commit.

    Attributes:
        projector: Knows which tables serve.
        position: The proposal.
        now: When the owner says it, microseconds.
        object: The right value; None: as proposed.
        statement: A sentence that says it; None: made of subject, predicate and value.
        valid_from: Since when it holds; None: as proposed.
        valid_to: Until when; None: as proposed.
        reason: Why.
        screened: Takes out of the statement what is not to be recorded.
        position_of_new: After it ran, the position of the new statement.
    """

    projector: Projector
    position: int
    now: int
    object: str | None
    statement: str | None
    valid_from: Instant | None
    valid_to: Instant | None
    reason: str
    screened: Callable[[FactAsserted], FactAsserted]
    position_of_new: int = NOBODY

    def __call__(self, transaction: Transaction) -> list[NewEvent]:
        """Decide on the events."""
        ground = Ground(self.projector, transaction)
        _proposed(ground, self.position)
        corrected = self.screened(self._corrected(_statement_at(ground, self.position)))
        turns = {int(each["turn"]) for each in corrected.evidence}
        rejected = FactRejected(fact=self.position, reason=self.reason)
        if self.object is not None:
            rejected = _rejected(ground, self.position, self.reason)
        record = AssertFacts(
            self.projector,
            # By the rejection it leads to the proposal; it does not rest on it.
            [FactDraft(corrected, tuple(sorted(turns)))],
            preceding=[NewEvent(rejected, (self.position,))],
            gone=(self.position,),
        )
        events = record(transaction)
        (self.position_of_new,) = record.positions
        return events

    def _corrected(self, said: FactAsserted) -> FactAsserted:
        """Give the statement as the owner makes it."""
        begins = said.valid_from if self.valid_from is None else self.valid_from.at
        ends = said.valid_to if self.valid_to is None else self.valid_to.at
        assert_ends_later(begins, ends)
        value = said.object if self.object is None else self.object
        plain = plain_sentence(said.subject, said.predicate, value)
        unchanged = said.statement if self.object is None else plain
        return replace(
            said,
            origin="owner",
            object=value,
            statement=unchanged if self.statement is None else self.statement,
            valid_from=begins,
            valid_precision=(
                said.valid_precision if self.valid_from is None else self.valid_from.precision
            ),
            valid_to=ends,
            said_at=self.now,
            source="direct",
        )


@dataclass(slots=True)
class ChangeTrust:
    """Let another profile of trust hold from here on, for what was said before as well."""

    projector: Projector
    policy: TrustPolicy
    reason: str

    def __call__(self, transaction: Transaction) -> list[NewEvent]:
        """Decide on the events."""
        ground = Ground(self.projector, transaction)
        if ground.withholding.policy == self.policy:
            return []
        changed = SettingsChanged(trust=self.policy.name, reason=self.reason)
        relinker = ground.relinker()
        causes = {key: [transaction.size] for key in relinker.keys_below(OWNER)}
        return [NewEvent(changed), *relinker.relink(causes, Pending(policy=self.policy))]


def _relinked(ground: Ground, claims: set[int], pending: Pending, cause: int) -> list[NewEvent]:
    relinker = ground.relinker()
    causes: dict[FactKey, list[int]] = {key: [cause] for key in relinker.keys_at(claims)}
    return relinker.relink(causes, pending)


def _rejected(ground: Ground, position: int, reason: str) -> FactRejected:
    """Turn a claim down; of a statement, keep what recognises it when it is extracted again."""
    said = _recorded_at(ground, position)
    if not isinstance(said, FactAsserted):
        return FactRejected(fact=position, reason=reason)
    key = hmac_key(ground.transaction.connection, ground.transaction.log)
    macs = value_macs(key, Value.of(said), ground.names())
    return FactRejected(fact=position, reason=reason, tombstones=macs, origin=said.origin)


def _statement_at(ground: Ground, position: int) -> FactAsserted:
    said = _recorded_at(ground, position)
    if not isinstance(said, FactAsserted):
        raise NotFound(
            f"what waits at position {position} is the end of a fact, not a fact",
            hint="Approve or reject it.",
        )
    return said


def _recorded_at(ground: Ground, position: int) -> Event | None:
    found = read_events(ground.transaction.connection, ground.transaction.log, [position])
    return found[position].event if position in found else None


def _proposed(ground: Ground, position: int) -> int | None:
    """Give the stated end of what waits at a position.

    Raises:
        NotFound: Nothing waits there.
    """
    connection, log = ground.transaction.connection, ground.transaction.log
    fact, end = ground.tables.fact.c, ground.tables.end.c
    for c, stated_to in ((fact, fact.stated_to), (end, None)):
        row = connection.execute(
            select(c.position, *([] if stated_to is None else [stated_to])).where(
                c.log == log, c.position == position, c.state == PROPOSED
            )
        ).first()
        if row is not None and not ground.withholding.withheld_among([position]):
            return None if stated_to is None else row.stated_to
    raise NotFound(
        f"nothing at position {position} waits for review",
        hint="engine.review() lists what does.",
    )
