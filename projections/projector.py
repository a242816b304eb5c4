"""The runner: keeps every projection in step with the log, and knows where each stands.

A projection's checkpoint moves in the transaction that writes its rows, by compare-and-set, and
carries the leaf hash it was folded up to, so that rows built from another history are noticed.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Final

from sqlalchemy import Connection, bindparam, insert, or_, select, update

from smriti_es.events.catalogue import EmbedderChanged, ProjectionSkipped
from smriti_es.events.database import is_storage_failure, run_for_each
from smriti_es.events.errors import NotFound, ProjectionBehind, ProjectionFailed, SmritiError
from smriti_es.events.log import EventLog, assert_in_order
from smriti_es.events.records import RecordedEvent, Transaction, decode_recorded
from smriti_es.events.tables import projection_table
from smriti_es.projections.generation import ACTIVE, HALTED, POINTER, SERVING, Generation
from smriti_es.projections.halting import failure, first_that_fails, skipped
from smriti_es.projections.projection import Fold, Projection

CATCH_UP_BATCH: Final = 256
# What is said of the log itself rests on no projection: a halted one must not keep its owner from
# stepping over the event that it halted at.
_ABOUT_THE_LOG: Final = (ProjectionSkipped.TYPE, EmbedderChanged.TYPE)
_ERROR_LENGTH_MAX: Final = 2_000
_PUT_OFF: Final = "folds put off"  # what a transaction remembers them under

Progress = Callable[[str, int, int], None]


def no_progress(phase: str, done: int, total: int) -> None:
    """Report progress to nobody."""


_c = projection_table.c
_SELECT: Final = select(
    _c.name,
    _c.generation.label("number"),
    _c.version,
    _c.state,
    _c.folded,
    _c.leaf,
    _c.error,
    _c.detail,
).where(_c.log == bindparam("this_log"), _c.state != POINTER)
# Without IN, which SQLAlchemy would expand anew each time.
_SERVING: Final = _SELECT.where(or_(*(_c.state == state for state in SERVING)))
_ADVANCE: Final = (
    update(projection_table)
    .where(
        _c.log == bindparam("this_log"),
        _c.name == bindparam("this_name"),
        _c.generation == bindparam("this_generation"),
        _c.folded == bindparam("old_folded"),
    )
    .values(folded=bindparam("new_folded"), leaf=bindparam("new_leaf"))
)


class Projector:
    """Runs the projections of one log.

    Args:
        log: The log; its `inline` hook is set to this projector.
        projections: Every projection, in the order in which they fold.
    """

    def __init__(self, log: EventLog, projections: Sequence[Projection]) -> None:
        self.log = log
        self.projections = {projection.name: projection for projection in projections}
        self._inline = [projection for projection in projections if projection.inline]
        self._inline_names = frozenset(projection.name for projection in self._inline)
        log.inline = self.apply_inline
        log.settle_inline = self.settle_inline

    def named(self, name: str) -> Projection:
        """Give a projection by name.

        Raises:
            NotFound: There is none of that name.
        """
        if name not in self.projections:
            known = ", ".join(sorted(self.projections))
            raise NotFound(f"no projection {name!r}", hint=f"There are: {known}.")
        return self.projections[name]

    def bind(self, connection: Connection, generation: Generation, detail: str) -> None:
        """Say what else identifies a generation that was begun without saying it."""
        connection.execute(
            update(projection_table)
            .where(
                _c.log == self.log.log,
                _c.name == generation.name,
                _c.generation == generation.number,
            )
            .values(detail=detail)
        )

    def generations(self, connection: Connection) -> list[Generation]:
        """List every generation there is, by name and number."""
        found = connection.execute(
            _SELECT.order_by(_c.name, _c.generation), {"this_log": self.log.log}
        )
        return [Generation(*row) for row in found]

    def serving(self, connection: Connection) -> dict[str, Generation]:
        """Give the generation of each projection that answers reads."""
        found = connection.execute(_SERVING, {"this_log": self.log.log})
        return {row.name: Generation(*row) for row in found}

    def readable(self, serving: Mapping[str, Generation], name: str) -> Generation:
        """Give what serves of one projection, if this release can read it.

        Raises:
            ProjectionBehind: It is missing, or another release built it.
        """
        found = serving.get(name)
        if found is not None and found.version == self.projections[name].version:
            return found
        problem = "is missing" if found is None else f"is version {found.version} by now"
        raise ProjectionBehind(
            f"projection {name} {problem}: another release of smriti-es has the memory in hand",
            hint="Restart this process with that release.",
            projection=name,
        )

    def serving_in(self, transaction: Transaction) -> dict[str, Generation]:
        """Give what serves, inside an append: the head lock keeps it as it is."""
        if "serving" not in transaction.seen:
            transaction.seen["serving"] = self.serving(transaction.connection)
        serving: dict[str, Generation] = transaction.seen["serving"]
        return serving

    def fold(self, connection: Connection, generation: Generation) -> Fold:
        """Say where a generation's rows lie."""
        return Fold(connection, self.log.log, generation.number)

    def begin(self, connection: Connection) -> None:
        """Give every projection that has no generation yet an empty one, to be caught up."""
        serving = self.serving(connection)
        for projection in self.projections.values():
            if projection.name not in serving:
                self.add_generation(connection, projection, ACTIVE, detail=None)

    def add_generation(
        self, connection: Connection, projection: Projection, state: str, *, detail: str | None
    ) -> Generation:
        """Add a new empty generation of a projection, with its tables."""
        number = 1 + max(
            (g.number for g in self.generations(connection) if g.name == projection.name), default=0
        )
        made = Generation(
            projection.name,
            number,
            projection.version,
            state,
            0,
            bytes(32),
            None,
            detail,
        )
        projection.create(self.fold(connection, made))
        connection.execute(
            insert(projection_table).values(
                log=self.log.log,
                name=made.name,
                generation=made.number,
                version=made.version,
                state=made.state,
                folded=made.folded,
                leaf=made.leaf,
                detail=made.detail,
            )
        )
        return made

    def apply_inline(self, transaction: Transaction, events: Sequence[RecordedEvent]) -> None:
        """Fold a commit into every inline projection, in its own transaction.

        What writes do not depend on is put off until `settle_inline`, where commits that share the
        transaction are folded at once.

        Raises:
            ProjectionBehind: A projection that writes depend on has halted or lags.
            ProjectionFailed: One that writes depend on cannot fold the events; the commit is
            undone.
        """
        serving = self.serving_in(transaction)
        for projection in self._inline:
            generation = serving.get(projection.name)
            if generation is None or not self._ready(projection, generation, events, transaction):
                continue
            if projection.required:
                self._fold_required(projection, generation, events, transaction)
            else:
                put_off = transaction.seen.setdefault(_PUT_OFF, {})
                put_off.setdefault(projection.name, (generation, []))[1].extend(events)
            # Kept here for appends that share the lock; written by `settle_inline`.
            serving[projection.name] = generation.after(events)

    def settle_inline(self, transaction: Transaction) -> None:
        """Fold what was put off, and move the checkpoints of all since the head was locked."""
        serving = self.serving_in(transaction)
        for name, (generation, events) in transaction.seen.pop(_PUT_OFF, {}).items():
            if not self._fold_if_possible(self.projections[name], generation, events, transaction):
                serving[name] = generation
        advanced = [
            generation
            for generation in serving.values()
            if generation.name in self._inline_names and generation.folded == transaction.size
        ]
        moved = run_for_each(
            transaction.connection,
            _ADVANCE,
            [self._step(each, transaction.start, each.folded, each.leaf) for each in advanced],
        )
        assert moved == len(advanced), "a checkpoint moved under the head lock"

    def catch_up(
        self,
        name: str,
        *,
        batch: int = CATCH_UP_BATCH,
        progress: Progress = no_progress,
    ) -> int:
        """Fold what a projection has not seen yet, in short transactions.

        Returns:
            How many events were folded.

        Raises:
            ProjectionFailed: An event cannot be folded; the projection has halted there.
        """
        folded = 0
        while True:
            with self.log.database.read() as connection:
                generation = self.serving(connection)[name]
                size = self.log.size(connection)
            if generation.folded >= size:
                return folded
            progress("fold", generation.folded, size)
            folded += self.advance(self.projections[name], generation, batch)

    def advance(self, projection: Projection, generation: Generation, batch: int) -> int:
        """Fold the next events of one generation: prepared outside, written in a transaction.

        Returns:
            How many; 0 when another process was faster.

        Raises:
            ProjectionFailed: An event cannot be folded; the generation has halted.
            ProjectionBehind: The generation is made by another embedder than the projection's.
        """
        if projection.detail != generation.detail:
            # Vectors of two embedders must never meet in one generation, not even in the moment
            # after another process has switched.
            raise ProjectionBehind(
                f"projection {projection.name} is made with {generation.detail}",
                hint="Open the memory with that embedder, or rebuild it with this one.",
                projection=projection.name,
                position=generation.folded,
            )
        events = self.events_from(generation.folded, batch)
        if not events:
            self.log.assert_whole(generation.folded)
            return 0
        prepared = projection.prepare(self.without_skipped(projection.name, events))
        try:
            with self.log.database.write() as connection:
                if not self.move(connection, generation, events):
                    return 0
                projection.apply(prepared, self.fold(connection, generation))
                if generation.state == HALTED:
                    self.set_state(connection, generation, ACTIVE)
        except SmritiError:
            raise
        except Exception as error:
            if len(events) > 1:
                # Halved until the one event that cannot be folded stands alone.
                return self.advance(projection, generation, len(events) // 2)
            raise self._halt(generation, error) from error
        return len(events)

    def move(
        self, connection: Connection, generation: Generation, events: Sequence[RecordedEvent]
    ) -> bool:
        """Move a generation's checkpoint past the events, if it still stands before them."""
        start = generation.folded
        step = self._step(generation, start, start + len(events), events[-1].leaf)
        return run_for_each(connection, _ADVANCE, [step]) == 1

    def _step(self, generation: Generation, start: int, stop: int, leaf: bytes) -> dict[str, Any]:
        return {
            "this_log": self.log.log,
            "this_name": generation.name,
            "this_generation": generation.number,
            "old_folded": start,
            "new_folded": stop,
            "new_leaf": leaf,
        }

    def events_from(
        self, start: int, limit: int, connection: Connection | None = None
    ) -> list[RecordedEvent]:
        """Read the next events in order."""
        rows = self.log.read_rows(start, limit, connection)
        assert_in_order(rows, start)
        return [decode_recorded(row.header, row.leaf, row.body) for row in rows]

    def set_state(
        self, connection: Connection, generation: Generation, state: str, error: str | None = None
    ) -> None:
        """Change a generation's state, unless somebody else has changed it meanwhile."""
        connection.execute(
            update(projection_table)
            .where(
                _c.log == self.log.log,
                _c.name == generation.name,
                _c.generation == generation.number,
                # One that was retired since it was read must not come back into service.
                _c.state == generation.state,
            )
            .values(state=state, error=None if error is None else error[:_ERROR_LENGTH_MAX])
        )

    def _ready(
        self,
        projection: Projection,
        generation: Generation,
        events: Sequence[RecordedEvent],
        transaction: Transaction,
    ) -> bool:
        problem = generation.error
        if generation.version != projection.version:
            problem = f"another release built it as version {generation.version}"
        elif generation.state == ACTIVE and generation.folded == transaction.size:
            if generation.leaf == transaction.leaf:
                return True
            problem = "it was folded from another history"
        if projection.required and not all(e.header.type in _ABOUT_THE_LOG for e in events):
            raise ProjectionBehind(
                f"projection {projection.name} stands at {generation.folded} of "
                f"{transaction.size}: {problem or 'it lags behind the log'}",
                projection=projection.name,
                position=generation.folded,
            )
        return False

    def _fold_required(
        self,
        projection: Projection,
        generation: Generation,
        events: Sequence[RecordedEvent],
        transaction: Transaction,
    ) -> None:
        """Fold a commit; if that fails, the commit is undone."""
        try:
            projection.apply(
                projection.prepare(events), self.fold(transaction.connection, generation)
            )
        except Exception as error:
            if is_storage_failure(error):
                raise
            raise failure(projection.name, error, generation.folded, exact=False) from error

    def _fold_if_possible(
        self,
        projection: Projection,
        generation: Generation,
        events: Sequence[RecordedEvent],
        transaction: Transaction,
    ) -> bool:
        """Fold commits into a projection that may lag; if that fails, it halts, and alone."""
        fold = self.fold(transaction.connection, generation)
        try:
            # Where appends stand and fall together, they are tried again apart, with savepoints.
            with nullcontext() if transaction.together else fold.connection.begin_nested():
                projection.apply(projection.prepare(events), fold)
        except Exception as error:
            if is_storage_failure(error) or transaction.together:
                raise
            position = first_that_fails(projection, events, fold)
            failed = failure(
                projection.name,
                error,
                generation.folded if position is None else position,
                exact=position is not None,
            )
            self.set_state(fold.connection, generation, HALTED, str(failed))
            return False
        return True

    def _halt(self, generation: Generation, error: Exception) -> ProjectionFailed:
        """Record why a generation stands still; one that is being built does not serve by that."""
        failed = failure(generation.name, error, generation.folded, exact=True)
        state = HALTED if generation.state in SERVING else generation.state
        with self.log.database.write() as connection:
            self.set_state(connection, generation, state, str(failed))
        return failed

    def without_skipped(
        self, name: str, events: Sequence[RecordedEvent]
    ) -> Sequence[RecordedEvent]:
        """Leave out the events that the owner told a projection to step over."""
        stepped_over = skipped(self.log, name)
        return [event for event in events if event.position not in stepped_over]
