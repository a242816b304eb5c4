"""How long things are kept, and which of them are due: the more specific word counts.

Age is counted from when something was said; what came without a time was said when it was recorded.
What was found in a session falls under its rule; found in several, it is kept as long as in any.
Source: design page on trust, "Retention and holds".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import Connection, select

from smriti_es.blast_radius import BlastRadius
from smriti_es.erasure_plan import ErasurePlan, Planner
from smriti_es.events.database import in_parts
from smriti_es.holds import active_holds, held_positions
from smriti_es.opened import Opened
from smriti_es.projections.lineage import lineage_table, parents_of
from smriti_es.projections.trust import TrustTables, trust_tables

_MICROSECONDS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Retention:
    """How long something is kept.

    Attributes:
        position: Position of the event that settled it.
        space: The space that it applies to.
        session: One session of it; "" for all.
        kind: Turns and facts of one kind; "" for all.
        keep_for: Microseconds from when it was said; -1: for as long as one likes.
    """

    position: int
    space: str
    session: str
    kind: str
    keep_for: int

    @property
    def keep_for_s(self) -> float | None:
        """The same in seconds; None: for as long as one likes."""
        return None if self.keep_for < 0 else self.keep_for / _MICROSECONDS


@dataclass(slots=True)
class DueItems:
    """Finds what is due, inside one snapshot, and what of it a hold keeps.

    Attributes:
        now: As of when things are due, microseconds.
        clock: What time it is: a hold that has expired by then does not count.
        held: After it ran, how many due turns and facts are held.
        due: After it ran, how many turns and facts are due and not held.
    """

    now: int
    clock: int
    held: int = 0
    due: int = 0
    _rules: Sequence[Retention] = field(default=(), init=False)

    def plan(self, planner: Planner) -> ErasurePlan:
        """List everything that goes with what is due and not held."""
        tracer = planner.tracer
        self._rules = read_retention(planner)
        due = {*self._due_turns(planner), *self._due_facts(planner)}
        kept = due & _under_hold(planner, self.clock) if due else set()
        self.held, going = len(kept), due - kept
        self.due = len(going)
        sessions = tracer.sessions_within(going) | self._empty_sessions(planner)
        # The rules stay: what the session gets later falls under them, too.
        return planner.plan_of(tracer.resting_on({*going, *sessions}), rules=False)

    def _due_turns(self, planner: Planner) -> Iterator[int]:
        turn, session = planner.tracer.turns.turn.c, planner.tracer.turns.session.c
        rows = planner.tracer.connection.execute(
            select(turn.position, session.space, session.name, turn.kind, turn.said_at)
            .join(
                planner.tracer.turns.session,
                (session.log == turn.log) & (session.position == turn.session),
            )
            .where(turn.log == planner.tracer.log.log, turn.said_at <= self._latest)
        )
        yield from (row.position for row in rows if self._is_due(*row[1:]))

    def _empty_sessions(self, planner: Planner) -> set[int]:
        """Give the sessions of which no turn is left, and that began too long ago."""
        table = planner.tracer.turns.session
        rows = planner.tracer.connection.execute(
            select(table.c.position, table.c.space, table.c.name, table.c.known).where(
                table.c.log == planner.tracer.log.log, table.c.turns == 0
            )
        ).all()
        old = {at for at, space, name, known in rows if self._is_due(space, name, "", known)}
        return old - (_under_hold(planner, self.clock) if old else set())

    def _due_facts(self, planner: Planner) -> Iterator[int]:
        for table in (planner.tracer.facts.fact, planner.tracer.facts.end):
            c = table.c
            kind = [c.kind] if "kind" in c else []
            rows = planner.tracer.connection.execute(
                select(c.position, c.space, c.said_at, *kind).where(
                    c.log == planner.tracer.log.log, c.said_at <= self._latest
                )
            ).all()
            said_in = self._sessions_of([row.position for row in rows], planner)
            for position, space, said_at, *of_kind in rows:
                sessions = said_in.get(position, {""})
                if all(self._is_due(space, each, "".join(of_kind), said_at) for each in sessions):
                    yield position

    def _sessions_of(self, facts: Sequence[int], planner: Planner) -> Mapping[int, set[str]]:
        """Tell in which sessions statements were found: it is the rule of each that counts."""
        found: dict[int, set[str]] = {}
        if not any(rule.session for rule in self._rules):
            return found
        tracer = planner.tracer
        c, turn = lineage_table(tracer.lineage).c, tracer.turns.turn.c
        session = tracer.turns.session.c
        for part in in_parts(facts):
            rows = tracer.connection.execute(
                select(c.child, session.name)
                .join(tracer.turns.turn, (turn.log == c.log) & (turn.position == c.parent))
                .join(
                    tracer.turns.session,
                    (session.log == turn.log) & (session.position == turn.session),
                )
                .where(c.log == tracer.log.log, c.child.in_(part))
            )
            for row in rows:
                found.setdefault(row.child, set()).add(row.name)
        return found

    @property
    def _latest(self) -> int:
        """The latest time at which anything that is due can have been said."""
        ending = (rule.keep_for for rule in self._rules if rule.keep_for >= 0)
        return self.now - min(ending, default=2**62)

    def _is_due(self, space: str, session: str, kind: str, said_at: int) -> bool:
        applying = [
            rule
            for rule in self._rules
            if rule.space == space and rule.session in ("", session) and rule.kind in ("", kind)
        ]
        rule = max(applying, key=lambda each: (each.session != "", each.kind != ""), default=None)
        return rule is not None and 0 <= rule.keep_for <= self.now - said_at


def read_retention(planner: Planner) -> list[Retention]:
    """Read how long what is kept."""
    return _retention(planner.tracer.connection, planner.tracer.log.log, planner.trust)


def kept_how_long(opened: Opened) -> list[Retention]:
    """List how long what is kept, by space, session and kind."""
    with opened.database.read() as connection:
        serving = opened.projector.serving(connection)
        tables = trust_tables(opened.projector.readable(serving, "trust").number)
        return _retention(connection, opened.log.log, tables)


def _retention(connection: Connection, log: int, tables: TrustTables) -> list[Retention]:
    c = tables.keeping.retention.c
    rows = connection.execute(
        select(c.position, c.space, c.session, c.kind, c.keep_for)
        .where(c.log == log)
        .order_by(c.space, c.session, c.kind)
    )
    return [Retention(*row) for row in rows]


def _under_hold(planner: Planner, now: int) -> set[int]:
    """Give everything that a hold in force keeps, and everything that this rests on.

    Erasing a source would take what was derived from it along.
    """
    tracer = planner.tracer
    found: set[int] = set()
    for row in active_holds(planner, now):
        if row.kind == "tenant":
            return set(tracer.everything())
        found |= held_positions(planner, row)
    waiting = list(found)
    while waiting:
        parents = parents_of(tracer.connection, tracer.log.log, tracer.lineage, waiting.pop())
        new = [each for each in parents if each not in found]
        found.update(new)
        waiting += new
    return found


@dataclass(frozen=True, slots=True)
class Sweep:
    """What a sweep did, or would do.

    Attributes:
        due: How many turns and facts were older than they are to be kept.
        held: How many more are as old, and a hold keeps them.
        content: What went with them, and they themselves, by position.
        position: Of the event that records the erasure; None when nothing was erased.
        pending: What keeps it from being scrubbed to the end, or None (see `Erasure`).
        verified: Whether every file was searched for what was erased and did not hold it.
    """

    due: int
    held: int
    content: BlastRadius
    position: int | None = None
    pending: str | None = None
    verified: bool = False
