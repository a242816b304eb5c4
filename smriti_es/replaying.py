"""Replay: fold the log up to a moment into a memory of its own and answer from that.

It needs no projection of the live memory, so it is the referee of every answer as of the past. Only
vectors are taken over, since making them again would need the model and cost more than all the
rest.
"""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Connection, select, update

from smriti_es.belief_changes import BeliefChange, beliefs_left_out
from smriti_es.beliefs import FactFilter
from smriti_es.blast_radius import BlastRadius, Target
from smriti_es.closing import ClosedOnExit
from smriti_es.embedding import VECTORS, VectorWorker
from smriti_es.events.database import insert_rows
from smriti_es.events.log import EventLog
from smriti_es.events.tables import event_table, projection_table
from smriti_es.known_spaces import KnownSpaces
from smriti_es.opened import Opened
from smriti_es.opening import assemble
from smriti_es.projections.generation import Generation
from smriti_es.projections.preparing import prepare_projections
from smriti_es.projections.trust import trust_tables
from smriti_es.projections.vectors.tables import vector_tables
from smriti_es.time_travel import Moment, copy_prefix
from smriti_es.trust_writing import Quarantine
from smriti_es.view import View


class Replay(View, ClosedOnExit):
    """A memory in memory, folded from the log up to a moment; close it when done with it.

    Attributes:
        without: What was left out of a counterfactual one; empty in any other.
        changes: How beliefs differ there from what was believed with it; none in any other.
    """

    def __init__(
        self,
        opened: Opened,
        moment: Moment,
        without: BlastRadius | None = None,
        changes: Sequence[BeliefChange] = (),
        *,
        then: bool = False,
    ) -> None:
        super().__init__(opened, moment, then=then)
        self.without = without or BlastRadius()
        self.changes = tuple(changes)

    def close(self) -> None:
        """Give the memory back."""
        self._opened.close()


def counterfactual(live: Opened, moment: Moment, target: Target) -> Replay:
    """Fold the log up to a moment, and believe what would be believed without something.

    The copy withholds it and relinks; nothing else happens to it, and nothing to the live memory.
    Decisions that a model took in view of what is left out (an arbiter's verdict) count no longer,
    and are not taken anew: it is another answer than the past would have given itself.

    Raises:
        NotFound: There is no such thing.
    """
    replay = replayed(live, moment)
    opened = replay._opened
    # The copy's clock stands still: world time stays that of the moment.
    opened.log.clock = lambda: moment.known
    leave_out = Quarantine(
        opened.projector, opened.log, opened.space, target, cascade=True, reason="left out"
    )
    try:
        commit = opened.log.append(leave_out, actor=opened.actor)
        after = Moment(commit.last, commit.known)
        left_out = leave_out.withheld
        changes = _changes(live, moment, Replay(opened, after), left_out, commit.first)
    except BaseException:
        replay.close()
        raise
    return _known(live, Replay(opened, after, left_out, changes))


def _changes(
    live: Opened, moment: Moment, copy: Replay, left_out: BlastRadius, cause: int
) -> list[BeliefChange]:
    """Compare what was believed at a moment with what the copy believes without something.

    What is withheld from the copy is withheld from its past, too; the live memory still knows it.
    """
    with live.database.read() as connection:
        reader = live.beliefs(connection, moment, moment.known)
        wanted = FactFilter(live.spaces, scopes=None)
        gone = beliefs_left_out(reader, left_out.facts, wanted, cause)
    moved = copy.diff(moment.position, copy.head)
    return sorted([*gone, *moved], key=lambda change: change.position)


def replayed(live: Opened, moment: Moment, *, then: bool = False) -> Replay:
    """Fold the log of an open memory up to a moment; `then`: under the trust of then.

    Under the trust of then, what was withheld since counts for the labels alone: as in the memory
    itself, it is known to be withheld from a later time on.
    """
    database = copy_prefix(live.log, moment)
    log = EventLog(database, live.log.log, live.log.log_id, live.clock)
    settings = replace(live.settings, embed_in_background=False)
    queries = live.reader.queries
    opened = assemble(
        database,
        log,
        embedder=None if queries is None else queries.embedder,
        actor=live.actor,
        space=live.space,
        spaces=live.spaces,
        zone=live.zone,
        single=live.single,
        settings=settings,
        clock=live.clock,
    )
    opened.projector.skips_of, opened.reranker = live.log, live.reranker
    opened.known_spaces = KnownSpaces(live.known_spaces.required)
    prepare_projections(opened.projector)
    opened.worker = VectorWorker(opened.projector, bind=opened.bind_embedder, background=False)
    _take_over_vectors(live, opened, moment)
    _take_over_withheld(live, opened, moment)
    opened.reader.queries = queries
    return _known(live, Replay(opened, moment, then=then))


def _known(live: Opened, replay: Replay) -> Replay:
    """Let the memory know of a copy of it, which must not outlive an erasure."""
    live.replays.add(replay)
    return replay


def _take_over_vectors(live: Opened, opened: Opened, moment: Moment) -> None:
    with live.database.read() as source:
        generation = live.projector.serving(source)[VECTORS]
        theirs = vector_tables(generation.number)
        rows = {
            name: [
                tuple(row)
                for row in source.execute(
                    select(table)
                    .where(table.c.log == live.log.log, table.c.position <= moment.position)
                    .order_by(*table.primary_key)
                )
            ]
            for name, table in (
                ("vector", theirs.vector),
                ("token", theirs.token),
                ("failure", theirs.failure),
            )
        }
    with opened.database.write() as target:
        own = opened.projector.serving(target)[VECTORS]
        tables = vector_tables(own.number)
        insert_rows(target, tables.vector, rows["vector"])
        insert_rows(target, tables.token, rows["token"])
        insert_rows(target, tables.failure, rows["failure"])
        folded = min(generation.folded, moment.position + 1)
        _move_checkpoint(opened.log, target, own, folded, generation.detail)


def _take_over_withheld(live: Opened, opened: Opened, moment: Moment) -> None:
    """Take over what is withheld now, which the past is read under the trust of (decision 22)."""
    with live.database.read() as source:
        theirs = trust_tables(live.projector.serving(source)["trust"].number).withheld
        c = theirs.c
        statement = select(theirs).where(
            c.log == live.log.log, c.item <= moment.position, c.released_known.is_(None)
        )
        rows = [tuple(row) for row in source.execute(statement)]
    with opened.database.write() as target:
        own = trust_tables(opened.projector.serving(target)["trust"].number).withheld
        there = set(
            target.execute(select(own.c.item, own.c.cause).where(own.c.log == opened.log.log))
        )
        # The log keeps its number in the copy.
        new = [row for row in rows if (row[1], row[2]) not in there]
        insert_rows(target, own, new)


def _move_checkpoint(
    log: EventLog, connection: Connection, generation: Generation, folded: int, detail: str | None
) -> None:
    """Say that rows copied from elsewhere bring a generation to where it stood there."""
    event, row = event_table.c, projection_table.c
    leaf = connection.execute(
        select(event.leaf).where(event.log == log.log, event.position == folded - 1)
    ).scalar()
    connection.execute(
        update(projection_table)
        .where(
            row.log == log.log,
            row.name == generation.name,
            row.generation == generation.number,
        )
        .values(folded=folded, leaf=leaf or bytes(32), detail=detail)
    )
