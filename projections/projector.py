"""The runner: keeps every projection in step with the log, and knows where each stands.

A projection's checkpoint moves in the transaction that writes its rows, by compare-and-set, and
carries the leaf hash it was folded up to, so that rows built from another history are noticed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, bindparam, insert, or_, select, update

from smriti_es.events.database import fetch_rows, run_for_each
from smriti_es.events.erasure import is_unchanged
from smriti_es.events.errors import NotFound, ProjectionBehind, ProjectionFailed, SmritiError
from smriti_es.events.log import EventLog, assert_in_order
from smriti_es.events.records import RecordedEvent, Transaction, decode_recorded
from smriti_es.events.tables import projection_table
from smriti_es.projections.generation import ACTIVE, HALTED, POINTER, SERVING, Generation
from smriti_es.projections.halting import failure, skipped
from smriti_es.projections.projection import Fold, Projection

CATCH_UP_BATCH: Final = 256
_ERROR_LENGTH_MAX: Final = 2_000

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
# Moves a checkpoint by compare-and-set; `Projector.step` gives its values.
ADVANCE: Final = (
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
        log: The log.
        projections: Every projection, in the order in which they fold.
    """

    def __init__(self, log: EventLog, projections: Sequence[Projection]) -> None:
        self.log = log
        # Where it is said what projections step over: for a copy of a log, the log as it now is.
        self.skips_of = log
        self.projections = {projection.name: projection for projection in projections}

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
            update(projection_table).where(self._is_row_of(generation)).values(detail=detail)
        )

    def begin_again(
        self, connection: Connection, projection: Projection, generation: Generation
    ) -> Generation:
        """Empty a generation and let it be folded from the first event on."""
        projection.clear(self.fold(connection, generation))
        begun = {"folded": 0, "leaf": bytes(32)}
        connection.execute(
            update(projection_table).where(self._is_row_of(generation)).values(begun)
        )
        return replace(generation, folded=0, leaf=bytes(32))

    def _is_row_of(self, generation: Generation) -> ColumnElement[bool]:
        return and_(
            _c.log == self.log.log,
            _c.name == generation.name,
            _c.generation == generation.number,
        )

    def generations(self, connection: Connection) -> list[Generation]:
        """List every generation there is, by name and number."""
        found = connection.execute(
            _SELECT.order_by(_c.name, _c.generation), {"this_log": self.log.log}
        )
        return [Generation(*row) for row in found]

    def serving(self, connection: Connection) -> dict[str, Generation]:
        """Give the generation of each projection that answers reads."""
        found = fetch_rows(connection, _SERVING, {"this_log": self.log.log})
        return {row[0]: Generation(*row) for row in found}

    def readable(self, serving: Mapping[str, Generation], name: str) -> Generation:
        """Give what serves of one projection, if this release can read it.

        Raises:
            ProjectionBehind: It is missing, or another release built it.
        """
        found = serving.get(name)
        if found is not None and found.version == self.projections[name].version:
            return found
        problem = "is missing: the tenant was destroyed, or" if found is None else "has gone on:"
        raise ProjectionBehind(
            f"projection {name} {problem} another release of smriti-es has the memory in hand",
            hint="Open the memory again, with that release.",
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
            How many; 0 when another process was faster, or some were erased meanwhile.

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
        told = self.without_skipped(projection.name, events)
        prepared = projection.prepare(told)
        try:
            with self.log.database.write() as connection:
                if not self.move(connection, generation, events):
                    return 0
                projection.write(prepared, told, self.fold(connection, generation))
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
        """Move a generation's checkpoint past the events, if it still stands before them.

        Events that were erased since they were read must be read again.
        """
        return self.is_unchanged(connection, events) and self.move_past(
            connection, generation, events
        )

    def is_unchanged(self, connection: Connection, events: Sequence[RecordedEvent]) -> bool:
        """Tell whether nothing of events was erased since they were read."""
        return is_unchanged(connection, self.log.log, events)

    def move_past(
        self, connection: Connection, generation: Generation, events: Sequence[RecordedEvent]
    ) -> bool:
        """Do the same with events of which nothing was erased."""
        start = generation.folded
        step = self.step(generation, start, start + len(events), events[-1].leaf)
        return run_for_each(connection, ADVANCE, [step]) == 1

    def step(self, generation: Generation, start: int, stop: int, leaf: bytes) -> dict[str, Any]:
        """Give the values of `ADVANCE` that move a checkpoint, if it stands where it should."""
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
            # One that was retired since it was read must not come back into service.
            .where(self._is_row_of(generation), _c.state == generation.state)
            .values(state=state, error=None if error is None else error[:_ERROR_LENGTH_MAX])
        )

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
        stepped_over = skipped(self.skips_of, name)
        return [event for event in events if event.position not in stepped_over]
