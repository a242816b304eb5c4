"""The parts of an open memory, as its verbs use them."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from weakref import WeakSet
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, select

from smriti_es.answer import KnownTo
from smriti_es.belief_queries import BeliefTables
from smriti_es.beliefs import BeliefReader
from smriti_es.closing import ClosedOnExit
from smriti_es.embedders import Embedder
from smriti_es.embedding import VECTORS, VectorWorker, vectors_by
from smriti_es.events.catalogue import EmbedderChanged
from smriti_es.events.database import Database
from smriti_es.events.errors import EmbedderError
from smriti_es.events.header import Actor
from smriti_es.events.log import Clock, EventLog
from smriti_es.events.records import Append, NewEvent
from smriti_es.events.registry import ENGINE_ACTOR
from smriti_es.extraction_worker import ExtractionWorker
from smriti_es.guarding import UNGUARDED, Guarding
from smriti_es.known_spaces import KnownSpaces
from smriti_es.predicates import SingleValued
from smriti_es.projections.facts import fact_tables
from smriti_es.projections.generation import Generation
from smriti_es.projections.projector import Progress, Projector
from smriti_es.projections.rebuild import RebuildReport, rebuild, rebuild_together
from smriti_es.projections.revisions import revision_table
from smriti_es.projections.trust import TrustProjection, last_erasure, trust_tables
from smriti_es.projections.turns import turn_tables
from smriti_es.projections.vectors.projection import EMBEDDER_NEEDED, VectorsProjection
from smriti_es.question_vectors import QueryVectors
from smriti_es.recall.reader import EvidenceReader
from smriti_es.rerankers.reranker import Reranker
from smriti_es.settings import Settings
from smriti_es.time_travel import Moment


@dataclass(slots=True)
class Opened:
    """The parts of an open memory, as `Engine` uses them.

    Attributes:
        database: Where it lies.
        log: The tenant's log.
        projector: Runs its projections.
        reader: Ranks turns.
        worker: Makes vectors.
        extraction: Finds facts, or None.
        actor: Who writes.
        space: The space that is written to.
        spaces: The spaces that are read.
        zone: Where times without an offset are meant.
        single: Which predicates hold one value at a time.
        settings: Knobs.
        clock: Gives microseconds since the epoch.
        guarding: What is done to text that comes in and to text that goes out.
        known_spaces: Which of the spaces that are read have to exist.
        reranker: Judges the best candidates of a question, or None.
        keeps_receipts: Whether it is recorded which answers were handed out.
        replays: Copies of the past that were made of it and are in use.
        token_vectors: Whether those of an embedder are kept, where it gives them.
    """

    database: Database
    log: EventLog
    projector: Projector
    reader: EvidenceReader
    actor: Actor
    space: str
    spaces: tuple[str, ...]
    zone: ZoneInfo
    single: SingleValued
    settings: Settings
    clock: Clock
    worker: VectorWorker = field(init=False)
    reranker: Reranker | None = None
    keeps_receipts: bool = False
    replays: "WeakSet[ClosedOnExit]" = field(default_factory=WeakSet)
    extraction: ExtractionWorker | None = None
    guarding: Guarding = UNGUARDED
    known_spaces: KnownSpaces = field(default_factory=KnownSpaces)
    token_vectors: bool = True

    @property
    def embedder(self) -> Embedder | None:
        """What makes vectors and questions comparable, or None."""
        return None if self.reader.queries is None else self.reader.queries.embedder

    @property
    def records(self) -> bool:
        """Whether anything may be appended here."""
        return not self.database.read_only and self.log.halted is None

    def close_replays(self) -> None:
        """Close what holds a copy of content that is gone."""
        for replay in list(self.replays):
            replay.close()

    def close(self) -> None:
        """Stop the workers and close the database."""
        if self.extraction is not None:
            self.extraction.stop()
        self.worker.stop()
        self.database.close()

    def adding(self) -> AbstractContextManager[None]:
        """Hold this from the append of turns until facts were looked for in them."""
        return nullcontext() if self.extraction is None else self.extraction.adding()

    def beliefs(
        self,
        connection: Connection,
        moment: Moment | None,
        valid_at: int,
        *,
        then: bool = False,
        serving: Mapping[str, Generation] | None = None,
    ) -> BeliefReader:
        """Open a reader of beliefs, as of a moment (None: now) and at a world time.

        Args:
            connection: A snapshot.
            moment: The moment.
            valid_at: The world time, microseconds.
            then: Whether under the trust of then, which no model may read, and not of today.
            serving: What serves in this snapshot, where that was looked up already.
        """
        serving = serving or self.projector.serving(connection)
        facts, revisions, trust, entities = (
            self.projector.readable(serving, name)
            for name in ("facts", "revisions", "trust", "entities")
        )
        tables = BeliefTables(
            fact_tables(facts.number),
            revision_table(revisions.number),
            trust_tables(trust.number).of_then() if then else trust_tables(trust.number),
            entities.number,
        )
        known_to = KnownTo.of(min(facts.folded, revisions.folded, entities.folded), moment)
        known = None if moment is None else moment.known
        return BeliefReader(connection, self.log.log, tables, known, valid_at, known_to)

    def assert_spaces_exist(
        self, connection: Connection, spaces: Sequence[str], moment: Moment | None
    ) -> None:
        """Refuse to read a space that does not exist, as of a moment (None: now).

        Raises:
            NotFound: One of them does not.
        """
        if not self.known_spaces.required:
            return
        serving = self.projector.serving(connection)
        turns, facts = (self.projector.readable(serving, name) for name in ("turns", "facts"))
        tables = (turn_tables(turns.number).session, fact_tables(facts.number).fact)
        until = None if moment is None else moment.position
        self.known_spaces.assert_exist(connection, self.log.log, tables, spaces, until)

    def space_of(self, connection: Connection, session: int) -> str:
        """Give the space of a session, by the position of the event that started it."""
        generation = self.projector.readable(self.projector.serving(connection), "turns")
        table = turn_tables(generation.number).session.c
        statement = select(table.space).where(table.log == self.log.log, table.position == session)
        return str(connection.execute(statement).scalar_one())

    def bind_embedder(self) -> bool:
        """Bind the embedder to the vectors, if they have none yet.

        Returns:
            Whether the serving vectors are this embedder's.

        Raises:
            EmbedderError: There is none, or it does not say what it is.
        """
        identity = self._queries().learn().identity
        with self.database.read() as connection:
            generation = self.projector.serving(connection)[VECTORS]
        if generation.detail is None and self.records:
            with self.database.write() as connection:
                generation = self.projector.serving(connection)[VECTORS]
                if generation.detail is None:
                    self._record_embedder(connection, generation, identity)
                    return True
        return generation.detail == identity

    def rebuild(self, name: str, progress: Progress) -> RebuildReport:
        """Rebuild a projection; vectors are rebuilt with the engine's embedder."""
        if name == VECTORS:
            self.bind_embedder()
            queries = self._queries()
            made_by = vectors_by(queries.embedder, self.log)
            return self.remake_vectors(queries, made_by, ENGINE_ACTOR, progress)
        report = rebuild(self.projector, name, progress=progress)
        self.forget_caches()
        self.worker.wake()  # what was said meanwhile may wait for its vectors
        return report

    def rebuild_all(self, names: Sequence[str], progress: Progress) -> list[RebuildReport]:
        """Rebuild several: all that are folded with each append in one pass, then the others."""
        known = self.projector.projections
        for name in names:
            self.projector.named(name)
        wanted = [name for name in known if not names or name in names]
        together = [name for name in wanted if known[name].inline]
        reports = []
        if together:
            reports += rebuild_together(self.projector, together, progress=progress)
            self.forget_caches()
            self.worker.wake()
        return reports + [self.rebuild(each, progress) for each in wanted if each not in together]

    def remake_vectors(
        self,
        queries: QueryVectors,
        made_by: VectorsProjection,
        actor: Actor,
        progress: Progress,
    ) -> RebuildReport:
        """Make all vectors anew beside those that serve, and switch to them in one transaction.

        Args:
            queries: Embeds the questions from then on.
            made_by: Makes the vectors, with the same embedder.
            actor: Who is recorded to have changed the embedder, if it is another one.
            progress: Called with phase, done and total (events).
        """
        report = rebuild(
            self.projector,
            VECTORS,
            replacement=made_by,
            on_switch=partial(self._record_switch, actor),
            switching=lambda: self.handing_over(queries),
            progress=progress,
        )
        self.forget_caches()
        with self.database.read() as connection:
            serving = self.projector.serving(connection)
            trust = trust_tables(self.projector.readable(serving, "trust").number)
            erasure = last_erasure(connection, trust, self.log.log)
        self.reader.semantic.begin_anew(serving[VECTORS], erasure)
        self.worker.wake()
        return report

    @contextmanager
    def handing_over(self, queries: QueryVectors) -> Iterator[None]:
        """Let whoever makes the vectors embed the questions, from the commit inside on.

        Reads that come between find the successor; the worker stands still meanwhile.
        """
        reader = self.reader
        with self.worker.paused():
            reader.successor = queries
            try:
                yield
                reader.queries = queries
            finally:
                reader.successor = None

    def _queries(self) -> QueryVectors:
        if self.reader.queries is None:
            raise EmbedderError("the engine was opened without an embedder", hint=EMBEDDER_NEEDED)
        return self.reader.queries

    def forget_caches(self) -> None:
        """Drop what this process keeps in memory of turns, facts and vectors."""
        self.reader.visible.forget()
        self.reader.facts.forget()
        self.reader.rows.forget()
        self.reader.semantic.forget()
        self.reader.recent.forget()

    def keep_graph(self, pause: Callable[[], bool]) -> None:
        """Bring the graph up to the vectors, where there are enough for one; `pause` stops it."""
        if self.database.read_only:
            return
        semantic = self.reader.semantic
        with self.database.read() as connection:
            generation = self.projector.serving(connection)[VECTORS]
            loaded = semantic.rows_for_graph(connection, generation, self.erased(connection))
        if loaded is not None:
            semantic.keep_graph(loaded, self._last_erasure, pause)

    def save_graph(self) -> None:
        """Save a graph that is not built to the end."""
        self.reader.semantic.save_graph(self._last_erasure)

    def _last_erasure(self) -> int:
        with self.database.read() as connection:
            return self.erased(connection)

    def erased(self, connection: Connection) -> int:
        """Give the position of the last erasure of content, -1 before the first."""
        trust = self.projector.serving(connection)[TrustProjection.name]
        return last_erasure(connection, trust_tables(trust.number), self.log.log)

    def _record_switch(self, actor: Actor, connection: Connection, building: Generation) -> None:
        """Record that another embedder takes over; the same one rebuilt is no event."""
        serving = self.projector.serving(connection).get(VECTORS)
        assert building.detail is not None
        if serving is None or serving.detail != building.detail:
            self._append_change(connection, building, building.detail, actor)

    def _record_embedder(
        self, connection: Connection, generation: Generation, identity: str
    ) -> None:
        self.projector.bind(connection, generation, identity)
        self._append_change(connection, generation, identity, ENGINE_ACTOR)

    def _append_change(
        self, connection: Connection, generation: Generation, identity: str, actor: Actor
    ) -> None:
        changed = EmbedderChanged(embedder=json.loads(identity), generation=generation.number)
        self.log.append_within(connection, Append([NewEvent(changed)], actor))
