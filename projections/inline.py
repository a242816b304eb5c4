"""Folding inside the append: what was appended is in the inline projections when it is durable."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Final

from smriti_es.events.catalogue import (
    EmbedderChanged,
    KeyRotated,
    LogRestored,
    ProjectionSkipped,
)
from smriti_es.events.database import is_storage_failure, run_for_each
from smriti_es.events.errors import ProjectionBehind
from smriti_es.events.records import RecordedEvent, Transaction
from smriti_es.projections.generation import ACTIVE, HALTED, Generation
from smriti_es.projections.halting import failure, first_that_fails
from smriti_es.projections.projection import Projection
from smriti_es.projections.projector import ADVANCE, Projector

# What is said of the log itself rests on no projection: a halted one must not keep its owner from
# stepping over the event that it halted at.
_ABOUT_THE_LOG: Final = (
    ProjectionSkipped.TYPE,
    EmbedderChanged.TYPE,
    KeyRotated.TYPE,
    LogRestored.TYPE,
)
_PUT_OFF: Final = "folds put off"  # what a transaction remembers them under


class InlineFolding:
    """Keeps the inline projections of one log in step with it, in the appends' own transactions.

    Args:
        projector: The projections; the hooks of its log are set to this.
    """

    def __init__(self, projector: Projector) -> None:
        self._projector = projector
        self._inline = [each for each in projector.projections.values() if each.inline]
        self._inline_names = frozenset(projection.name for projection in self._inline)
        projector.log.inline = self.apply
        projector.log.settle_inline = self.settle

    def apply(self, transaction: Transaction, events: Sequence[RecordedEvent]) -> None:
        """Fold a commit into every inline projection, in its own transaction.

        What writes do not depend on is put off until `settle`, where commits that share the
        transaction are folded at once.

        Raises:
            ProjectionBehind: A projection that writes depend on has halted or lags.
            ProjectionFailed: One that writes depend on cannot fold the events; the commit is
            undone.
        """
        serving = self._projector.serving_in(transaction)
        for projection in self._inline:
            generation = serving.get(projection.name)
            if generation is None or not self._ready(projection, generation, events, transaction):
                continue
            if projection.required:
                self._fold_required(projection, generation, events, transaction)
            else:
                put_off = transaction.seen.setdefault(_PUT_OFF, {})
                put_off.setdefault(projection.name, (generation, []))[1].extend(events)
            # Kept here for appends that share the lock; written by `settle`.
            serving[projection.name] = generation.after(events)

    def settle(self, transaction: Transaction) -> None:
        """Fold what was put off, and move the checkpoints of all since the head was locked."""
        serving = self._projector.serving_in(transaction)
        for name, (generation, events) in transaction.seen.pop(_PUT_OFF, {}).items():
            if not self._fold_if_possible(
                self._projector.projections[name], generation, events, transaction
            ):
                serving[name] = generation
        advanced = [
            generation
            for generation in serving.values()
            if generation.name in self._inline_names and generation.folded == transaction.size
        ]
        moved = run_for_each(
            transaction.connection,
            ADVANCE,
            [
                self._projector.step(each, transaction.start, each.folded, each.leaf)
                for each in advanced
            ],
        )
        assert moved == len(advanced), "a checkpoint moved under the head lock"

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
            fold = self._projector.fold(transaction.connection, generation)
            projection.write(projection.prepare(events), events, fold)
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
        fold = self._projector.fold(transaction.connection, generation)
        try:
            # Where appends stand and fall together, they are tried again apart, with savepoints.
            with nullcontext() if transaction.together else fold.connection.begin_nested():
                projection.write(projection.prepare(events), events, fold)
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
            self._projector.set_state(fold.connection, generation, HALTED, str(failed))
            return False
        return True
