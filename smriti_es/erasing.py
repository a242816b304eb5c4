"""The command that erases: decided and done in one transaction, under the head lock.

What was erased is gone from every projection when it commits, and its payloads and keys with them.
Freed pages and files are scrubbed afterwards (see `smriti_es.scrubbing`). Source: design page on
trust, "Erasure".
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Literal, get_args

from sqlalchemy import select

from smriti_es.blast_radius import Target
from smriti_es.chain_members import Pending
from smriti_es.consolidation import FactKey
from smriti_es.erased_predecessors import orphans_of, predecessors_of
from smriti_es.erasure_lineage import LINKS
from smriti_es.erasure_plan import ErasurePlan, Planner, read_events
from smriti_es.events.catalogue import (
    ArbitrationDecided,
    Erased,
    FactAdmitted,
    FactApproved,
    FactAsserted,
    FactEnded,
    FactLapsed,
    FactProposed,
    FactReaffirmed,
    FactRejected,
    FactRetracted,
    SessionStarted,
    TurnRecorded,
)
from smriti_es.events.catalogue.facts import NOBODY
from smriti_es.events.database import in_parts
from smriti_es.events.erasure import ranges_of
from smriti_es.events.idempotency import hmac_key
from smriti_es.events.log import EventLog
from smriti_es.events.records import NewEvent, RecordedEvent, Transaction
from smriti_es.ground import Ground
from smriti_es.holds import assert_not_held
from smriti_es.projections.letting_go import LettingGo
from smriti_es.projections.lineage import children_of_any
from smriti_es.projections.projector import Projector
from smriti_es.projections.trust import last_erasure
from smriti_es.projections.turn_digest import digest_of
from smriti_es.projections.vectors.projection import VectorsProjection
from smriti_es.projections.vectors.tables import vector_tables
from smriti_es.tombstones import Value, session_mac, turn_macs, value_macs
from smriti_es.withholding import note_erasure

Predecessor = Literal["lapse", "reopen"]
PREDECESSORS: tuple[Predecessor, ...] = get_args(Predecessor)
# What changes how one statement stands.
_CHANGES = LINKS | {
    kind.TYPE
    for kind in (
        FactReaffirmed,
        FactLapsed,
        FactProposed,
        FactAdmitted,
        FactApproved,
        FactRejected,
        FactRetracted,
    )
}
PlanOf = Callable[[Planner], ErasurePlan]


def plan_of_target(target: Target) -> PlanOf:
    """Give the plan of erasing one target."""
    return lambda planner: planner.plan(target)


@dataclass(slots=True, kw_only=True)
class Erase:
    """Erase something with everything that was derived from it.

    Attributes:
        projector: Knows which tables serve.
        log: The log.
        space: The space in which a session is looked for.
        plan_of: Lists what goes, in a snapshot.
        named: What kind of thing was named.
        reason: Why.
        now: When it is done, microseconds: a hold that has expired by then does not count.
        predecessor: What becomes of facts that an erased one had replaced.
        forget_values: Whether erased values are kept from being extracted again.
        plan: After it ran, what went, with its content.
        predecessors: After it ran, the facts that an erased one had replaced.
        orphans: After it ran, the proposals that an erased one had kept waiting, and that wait on.
        vectors: After it ran, the vectors that went, as they were stored, by their number.
        tokens: After it ran, the token vectors that went, as they were stored; and whatever went of
            vectors that are being made anew.
        before: After it ran, position of the erasure before this one, -1 for none.
    """

    projector: Projector
    log: EventLog
    space: str
    plan_of: PlanOf
    named: str
    reason: str
    now: int
    predecessor: Predecessor = "lapse"
    forget_values: bool = False
    plan: ErasurePlan = field(init=False)
    predecessors: list[int] = field(default_factory=list)
    orphans: list[int] = field(default_factory=list)
    vectors: dict[int, bytes] = field(default_factory=dict)
    tokens: list[bytes] = field(default_factory=list)
    before: int = NOBODY

    def __call__(self, transaction: Transaction) -> list[NewEvent]:
        """Decide on the events, and take the rows of what goes out of the projections."""
        ground = Ground(self.projector, transaction)
        serving = self.projector.serving_in(transaction)
        planner = Planner.of(transaction.connection, self.log, serving, self.space)
        self.plan = self.plan_of(planner)
        assert_not_held(planner, self.plan, self.now)
        claims = [*self.plan.content.facts, *self.plan.content.ends]
        keys = ground.relinker().keys_at(claims)
        self.predecessors = predecessors_of(planner, self.plan)
        self.orphans = orphans_of(planner, self.plan) if self.predecessor == "lapse" else []
        self.vectors, self.tokens = _vectors_of(ground, self.plan.positions)
        self.before = last_erasure(transaction.connection, planner.trust, transaction.log)
        erased = self._erased(ground, transaction.size)
        note_erasure(transaction)
        letting_go = LettingGo(self.projector, transaction)
        letting_go.rows_of(self.plan.events)
        letting_go.facts_of(claims, self._concerned(planner))
        mark = transaction.size if self.predecessor == "lapse" else None
        pending = Pending(marks=dict.fromkeys(self._marked, mark))
        causes: Mapping[FactKey, list[int]] = {key: [transaction.size] for key in keys}
        # Who is who is read anew: an alias of an erased entity is not one any longer.
        relinker = ground.relinker(planner.names_without(self.plan.aliases))
        return [*erased, *relinker.relink(causes, pending)]

    @property
    def _marked(self) -> list[int]:
        return [*self.predecessors, *self.orphans]

    def _erased(self, ground: Ground, at: int) -> list[NewEvent]:
        """Say what goes, in as many events as headers have room for."""
        going, before = ranges_of(self.plan.positions), ranges_of(self._marked)
        nothing: list[list[int]] = []
        key = hmac_key(ground.transaction.connection, ground.transaction.log)
        events: list[NewEvent] = []
        for ranges, predecessors in zip_longest(going, before, fillvalue=nothing):
            first = not events
            event = Erased(
                ranges=ranges,
                part_of=-1 if first else at,
                predecessor=self.predecessor,
                predecessors=predecessors,
                named=self.named if first else "",
                reason=self.reason if first else "",
                turns=self._turns(ground, key) if first else (),
                values=self._values(ground, key) if first and self.forget_values else (),
            )
            events.append(NewEvent(event, () if first else (at,)))
        return events

    def _turns(self, ground: Ground, key: bytes) -> list[Mapping[str, Any]]:
        """Say what recognises the turns that go, should they be sent again."""
        gone = [self.plan.events[at] for at in self.plan.content.turns if at in self.plan.events]
        sessions = sorted({each.header.facets["session"] for each in gone})
        transaction = ground.transaction
        started = read_events(transaction.connection, transaction.log, sessions)
        macs = {
            at: session_mac(key, each.event.space, each.event.session)
            for at, each in started.items()
            if isinstance(each.event, SessionStarted)
        }
        return [
            {
                "session": macs[recorded.header.facets["session"]],
                "position": recorded.position,
                "ordinal": recorded.header.facets["ordinal"],
                **_macs_of(recorded.event, key, macs[recorded.header.facets["session"]]),
            }
            for recorded in gone
            if isinstance(recorded.event, TurnRecorded)
        ]

    def _values(self, ground: Ground, key: bytes) -> list[str]:
        names = ground.names()
        return sorted(
            {
                each
                for recorded in self.plan.events.values()
                if isinstance(recorded.event, (FactAsserted, FactEnded))
                for each in value_macs(key, Value.of(recorded.event), names)
            }
        )

    def _concerned(self, planner: Planner) -> list[RecordedEvent]:
        """Give what was recorded of the statements that stay and whose chain rests on what goes."""
        gone = set(self.plan.positions)
        touched = {
            recorded.header.facets["fact"]
            for recorded in self.plan.events.values()
            if recorded.header.type in _CHANGES
        } - gone
        tracer = planner.tracer
        children = children_of_any(tracer.connection, self.log.log, tracer.lineage, sorted(touched))
        around = {*touched, *(child for _, child in children)}
        recorded = read_events(tracer.connection, self.log.log, sorted(around))
        return [
            RecordedEvent(each.header, each.leaf, None) if each.position in gone else each
            for each in recorded.values()
            if _concerns(each, touched)
        ]


def _macs_of(turn: TurnRecorded, key: bytes, session: str) -> dict[str, str]:
    return turn_macs(key, session, digest_of(turn), turn.said_at, turn.source_id)


def _concerns(recorded: RecordedEvent, facts: set[int]) -> bool:
    """Tell whether an event is one of some statements, or changes how one of them stands."""
    kind, facets = recorded.header.type, recorded.header.facets
    if kind == FactAsserted.TYPE:
        return recorded.position in facts
    if kind == ArbitrationDecided.TYPE:
        return not facts.isdisjoint({facets["fact"], facets["target"]})
    return kind in _CHANGES and facets["fact"] in facts


def _vectors_of(ground: Ground, positions: Sequence[int]) -> tuple[dict[int, bytes], list[bytes]]:
    """Read the vectors of what goes, to take them out of files and to look for them there.

    Returns:
        Those that serve, by number; and the token vectors, with all that are being made anew.
    """
    transaction = ground.transaction
    serving = ground.projector.serving_in(transaction)[VectorsProjection.name]
    vectors, others = dict[int, bytes](), list[bytes]()
    for each in ground.projector.generations(transaction.connection):
        if (each.name, each.version) != (serving.name, serving.version):
            continue
        tables = vector_tables(each.number)
        c, t = tables.vector.c, tables.token.c
        for part in in_parts(positions):
            rows = transaction.connection.execute(
                select(c.vector_seq, c.vector).where(c.log == transaction.log, c.position.in_(part))
            ).all()
            if each.number == serving.number:
                vectors.update((row.vector_seq, row.vector) for row in rows)
            else:
                others.extend(row.vector for row in rows)
            read = select(t.tokens).where(t.log == transaction.log, t.position.in_(part))
            others.extend(transaction.connection.execute(read).scalars())
    return vectors, others
