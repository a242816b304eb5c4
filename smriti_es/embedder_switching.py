"""Switch a memory to another embedder, while reads and writes go on; or say what it would cost.

The vectors are made anew beside those that serve, step by step, each step durable by itself; one
transaction records the change, lets the new ones serve and takes the old ones out of service. What
breaks off, by a failing embedder or the end of the process, is gone on with by the next call for
the same embedder. Source: design page on projections, "Changing the embedder"; DESIGN.md, 72.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlalchemy import Connection, func, select

from smriti_es.embedders import Embedder
from smriti_es.embedding import VECTORS, EmbedTurns, vectors_by
from smriti_es.events.errors import EmbedderError, InvalidInput, NotAllowed
from smriti_es.opened import Opened
from smriti_es.opening import given_embedder
from smriti_es.opening_arguments import check_adapters
from smriti_es.projections.generation import BUILDING, RETIRED, Generation
from smriti_es.projections.projector import Progress
from smriti_es.projections.rebuild import alone
from smriti_es.projections.sweeping import sweep
from smriti_es.projections.vectors.projection import NOT_SHOWN, VectorsProjection, last_change
from smriti_es.projections.vectors.tables import vector_tables
from smriti_es.question_vectors import QueryVectors
from smriti_es.switch_survey import Cost, CountedTurns, Survey


@dataclass(frozen=True, slots=True)
class EmbedderSwitch:
    """What a switch to another embedder did, or would do.

    Attributes:
        before: Identity of the embedder whose vectors served; None: there were none.
        after: Identity of the one that it is switched to.
        position: Of the event that records the change; None: nothing changed, for it was a dry run,
            or the vectors were that embedder's already.
        resumed: How many turns and facts an earlier switch to the same one, which broke off, had
            done already.
        items: How many turns and facts were embedded, or would be.
        characters: Of their texts.
        tokens: About how many tokens a model reads of them, by rule of thumb: four letters of a
            Latin script each, or one character of any other.
        size_bytes: Bytes of their vectors and token vectors, indexes apart; until the old ones are
            removed, both take room.
        seconds: How long it took; of a dry run, how long it would take at the speed of a sample.
        failed: How many turns and facts the new embedder could make no vectors of; None: not known
            yet.
        withheld: How many it was not shown, as they are quarantined and it sends text on.
        removed: Whether the old vectors are gone; somebody who still reads them keeps them until
            the memory is next opened or erased from.
    """

    before: Mapping[str, Any] | None
    after: Mapping[str, Any]
    position: int | None = None
    resumed: int = 0
    items: int = 0
    characters: int = 0
    tokens: int = 0
    size_bytes: int = 0
    seconds: float = 0.0
    failed: int | None = None
    withheld: int = 0
    removed: bool = False


@dataclass(frozen=True, slots=True)
class EmbedderState:
    """Whose vectors serve, and whether that is whose the engine was opened with.

    Attributes:
        serving: Identity of the embedder whose vectors serve; None: there are none yet.
        since: Position of the event that recorded it, or None.
        given: Identity of the one at hand; None: there is none, or it does not say what it is.
        problem: Why the one at hand does not say what it is, or None.
        next: Identity of one that a switch broke off to, or is going on to; None: there is none.
        next_folded: How many events of the log that switch has come past.
        events: How many events there are.
    """

    serving: Mapping[str, Any] | None
    since: int | None
    given: Mapping[str, Any] | None
    problem: str | None
    next: Mapping[str, Any] | None
    next_folded: int
    events: int

    @property
    def same(self) -> bool:
        """Whether the vectors that serve are those of the embedder at hand."""
        return self.serving is not None and self.serving == self.given


@dataclass(frozen=True, slots=True)
class SwitchEmbedder:
    """A switch of an open memory to another embedder.

    Attributes:
        opened: The memory.
        given: The embedder, as it was given.
        queries: What embeds questions with it.
    """

    opened: Opened
    given: Embedder
    queries: QueryVectors

    @classmethod
    def to(cls, opened: Opened, embedder: Embedder | Literal["auto"]) -> "SwitchEmbedder":
        """Check the embedder that is wanted, and put the guards of the memory before it.

        Raises:
            InvalidInput: It cannot be used as one.
            EgressRefused: The profile does not allow where it sends text.
            EmbedderError: It does not say what it is.
        """
        check_adapters(embedder=embedder)
        given = given_embedder(embedder, token_vectors=opened.token_vectors)
        if given is None:
            raise InvalidInput(
                "there is no embedder to switch to", hint="Give one, or auto.", field="embedder"
            )
        opened.guarding.guard.check("the embedder", given)
        guarded = opened.guarding.embedder(given)
        assert guarded is not None
        queries = QueryVectors(guarded)
        queries.learn()
        return cls(opened, given, queries)

    def surveyed(self, progress: Progress) -> EmbedderSwitch:
        """Say what the switch would cost; nothing is changed."""
        serving, begun, resumed = self._standing()
        if serving.detail == self._identity:
            return self._result(serving, Cost())
        start = 0 if begun is None else begun.folded
        survey = Survey(
            self.opened.projector, self._projection(), EmbedTurns(self.queries.embedder)
        )
        cost = survey.cost(start, progress)
        return self._result(serving, cost, resumed=resumed, withheld=survey.withheld)

    def done(self, progress: Progress) -> EmbedderSwitch:
        """Make the switch."""
        self._assert_recorded()
        serving, _, resumed = self._standing()
        if serving.detail == self._identity:
            self._give_up_others()
            self._take_over()
            return self._result(serving, Cost(), removed=True)
        turns = CountedTurns(EmbedTurns(self.queries.embedder))
        report = self.opened.remake_vectors(
            self.queries, self._projection(turns), self.opened.actor, progress
        )
        self._take_over()
        turns.cost.seconds = report.seconds
        return self._outcome(serving, turns.cost, report.generation, resumed)

    @property
    def _identity(self) -> str:
        return self.queries.learn().identity

    def _projection(self, turns: CountedTurns | None = None) -> VectorsProjection:
        return vectors_by(self.queries.embedder, self.opened.log, turns)

    def _assert_recorded(self) -> None:
        """Refuse what could not be recorded in the end, before anything is embedded."""
        if self.opened.log.halted is not None:
            raise self.opened.log.halted.with_traceback(None)
        if not self.opened.records:
            raise NotAllowed("the memory was opened to read only", hint="Open it to write.")

    def _standing(self) -> tuple[Generation, Generation | None, int]:
        """Give what serves; what is there of these vectors; and of how many turns and facts."""
        opened = self.opened
        with opened.database.read() as connection:
            serving = opened.projector.readable(opened.projector.serving(connection), VECTORS)
            begun = unfinished(opened, connection)
            if begun is None or begun.detail != self._identity:
                return serving, None, 0
            tables, log = vector_tables(begun.number), opened.log.log
            done = 0
            for c in (tables.vector.c, tables.failure.c):
                counted = select(func.count(c.position.distinct())).where(c.log == log)
                done += int(connection.execute(counted).scalar_one())
            return serving, begun, done

    def _give_up_others(self) -> None:
        """Drop what a switch to another one, which broke off, has left: it is not wanted any more.

        Raises:
            StorageBusy: It has not broken off.
        """
        opened = self.opened
        with opened.database.read() as connection:
            if unfinished(opened, connection) is None:
                return
        with alone(opened.projector, VECTORS), opened.database.write() as connection:
            left = unfinished(opened, connection)
            if left is not None:
                opened.projector.set_state(connection, left, RETIRED)
        sweep(opened.projector)

    def _take_over(self) -> None:
        """Let the embedder be the one of the open memory, wherever one is named."""
        opened = self.opened
        with opened.handing_over(self.queries):
            opened.projector.projections[VECTORS] = self._projection()
        adapters = {**opened.guarding.adapters, "embedder": self.given}
        opened.guarding = replace(opened.guarding, adapters=adapters)
        opened.worker.error = None
        if opened.settings.embed_in_background:
            opened.worker.start()
        opened.worker.wake()

    def _outcome(
        self, before: Generation, cost: Cost, generation: int, resumed: int
    ) -> EmbedderSwitch:
        opened, log = self.opened, self.opened.log.log
        failure = vector_tables(generation).failure.c
        with opened.database.read() as connection:
            rows = connection.execute(select(failure.error).where(failure.log == log)).scalars()
            errors = list(rows)
            changed = last_change(opened.projector.fold(connection, before))
            left = {(g.name, g.number) for g in opened.projector.generations(connection)}
        withheld = errors.count(NOT_SHOWN)
        return self._result(
            before,
            cost,
            position=None if changed is None else changed.position,
            resumed=resumed,
            failed=len(errors) - withheld,
            withheld=withheld,
            removed=(before.name, before.number) not in left,
        )

    def _result(self, before: Generation, cost: Cost, **more: Any) -> EmbedderSwitch:
        return EmbedderSwitch(
            before=_identity_of(before.detail),
            after=json.loads(self._identity),
            items=cost.items,
            characters=cost.characters,
            tokens=cost.tokens,
            size_bytes=cost.size_bytes,
            seconds=cost.seconds,
            **more,
        )


def unfinished(opened: Opened, connection: Connection) -> Generation | None:
    """Give the vectors that a switch, or a rebuild, has begun to make and that do not serve yet."""
    version = opened.projector.projections[VECTORS].version
    for each in opened.projector.generations(connection):
        if (each.name, each.state, each.version) == (VECTORS, BUILDING, version):
            return each
    return None


def embedder_state(opened: Opened) -> EmbedderState:
    """Say whose vectors serve, and whose are being made."""
    given, problem = None, None
    if opened.reader.queries is not None:
        try:
            given = opened.reader.queries.learn().identity
        except EmbedderError as error:
            problem = str(error)
    with opened.database.read() as connection:
        serving = opened.projector.readable(opened.projector.serving(connection), VECTORS)
        since = last_change(opened.projector.fold(connection, serving))
        begun = unfinished(opened, connection)
        size = opened.log.size(connection)
    return EmbedderState(
        serving=_identity_of(serving.detail),
        since=None if since is None else since.position,
        given=_identity_of(given),
        problem=problem,
        next=None if begun is None else _identity_of(begun.detail),
        next_folded=0 if begun is None else begun.folded,
        events=size,
    )


def _identity_of(detail: str | None) -> Mapping[str, Any] | None:
    return None if detail is None else json.loads(detail)
