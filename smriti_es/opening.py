"""Open a memory: database, schema, log, projections, embedder, readers, put together once."""

import json
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, select

from smriti_es.answer import KnownTo
from smriti_es.belief_queries import BeliefTables
from smriti_es.beliefs import BeliefReader
from smriti_es.embedders import Embedder, default_embedder
from smriti_es.embedding import VECTORS, EmbedTurns, VectorWorker
from smriti_es.events.catalogue import EmbedderChanged
from smriti_es.events.dialect_sqlite import SqliteDatabase
from smriti_es.events.errors import EmbedderError
from smriti_es.events.header import Actor
from smriti_es.events.log import Clock, EventLog
from smriti_es.events.records import Append, NewEvent
from smriti_es.events.registry import ENGINE_ACTOR, assert_not_reserved, open_log
from smriti_es.extraction.arbitration import Arbiter
from smriti_es.extraction.contract import Extractor
from smriti_es.extraction_worker import ExtractionWorker
from smriti_es.founding import founded, founding_with, zone_named
from smriti_es.guarding import UNGUARDED, Guarding, Guards, guarding_with
from smriti_es.known_spaces import KnownSpaces
from smriti_es.migrate import migrate
from smriti_es.opening_arguments import (
    check_adapters,
    check_plain,
    check_switches,
    checked_actor,
    checked_location,
    checked_spaces,
)
from smriti_es.opening_extraction import extraction_worker
from smriti_es.predicates import SingleValued
from smriti_es.projections.entities import EntitiesProjection
from smriti_es.projections.extractions import ExtractionsProjection
from smriti_es.projections.facts import FactsProjection, fact_tables
from smriti_es.projections.generation import Generation
from smriti_es.projections.inline import InlineFolding
from smriti_es.projections.lexical.projection import LexicalProjection
from smriti_es.projections.lineage import LineageProjection
from smriti_es.projections.preparing import assert_readable, prepare_projections
from smriti_es.projections.projector import Progress, Projector
from smriti_es.projections.rebuild import RebuildReport, rebuild
from smriti_es.projections.receipts import ReceiptsProjection
from smriti_es.projections.revisions import RevisionsProjection, revision_table
from smriti_es.projections.trust import TrustProjection, trust_tables
from smriti_es.projections.turns import TurnsProjection, turn_tables
from smriti_es.projections.vectors.projection import EMBEDDER_NEEDED, VectorsProjection
from smriti_es.recall.reader import EvidenceReader
from smriti_es.recall.visible import VisibleCache
from smriti_es.recall.visible_facts import FactCache
from smriti_es.rollback_guard import RollbackGuard
from smriti_es.semantic import QueryVectors, SemanticIndex
from smriti_es.settings import Settings
from smriti_es.time_travel import Moment
from smriti_es.withholding import assert_profile


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
        embedder: Makes vectors and questions comparable, or None.
        actor: Who writes.
        space: The space that is written to.
        spaces: The spaces that are read.
        zone: Where times without an offset are meant.
        single: Which predicates hold one value at a time.
        settings: Knobs.
        clock: Gives microseconds since the epoch.
        guarding: What is done to text that comes in and to text that goes out.
        known_spaces: Which of the spaces that are read have to exist.
        keeps_receipts: Whether it is recorded which answers were handed out.
    """

    database: SqliteDatabase
    log: EventLog
    projector: Projector
    reader: EvidenceReader
    embedder: Embedder | None
    actor: Actor
    space: str
    spaces: tuple[str, ...]
    zone: ZoneInfo
    single: SingleValued
    settings: Settings
    clock: Clock
    worker: VectorWorker = field(init=False)
    keeps_receipts: bool = False
    extraction: ExtractionWorker | None = None
    guarding: Guarding = UNGUARDED
    known_spaces: KnownSpaces = field(default_factory=KnownSpaces)

    @property
    def records(self) -> bool:
        """Whether anything may be appended here."""
        return not self.database.read_only and self.log.halted is None

    def close(self) -> None:
        """Stop the workers and close the database."""
        if self.extraction is not None:
            self.extraction.stop()
        self.worker.stop()
        self.database.close()

    def adding(self) -> AbstractContextManager[None]:
        """Hold this from the append of turns until facts were looked for in them."""
        return nullcontext() if self.extraction is None else self.extraction.adding()

    def beliefs(self, connection: Connection, moment: Moment | None, valid_at: int) -> BeliefReader:
        """Open a reader of beliefs, as of a moment (None: now) and at a world time."""
        serving = self.projector.serving(connection)
        facts, revisions, trust, entities = (
            self.projector.readable(serving, name)
            for name in ("facts", "revisions", "trust", "entities")
        )
        tables = BeliefTables(
            fact_tables(facts.number),
            revision_table(revisions.number),
            trust_tables(trust.number),
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
        if self.embedder is None:
            raise EmbedderError("the engine was opened without an embedder", hint=EMBEDDER_NEEDED)
        identity = EmbedTurns(self.embedder).identity
        self.reader.identity = identity
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
        if name != VECTORS:
            report = rebuild(self.projector, name, progress=progress)
        else:
            self.bind_embedder()
            assert self.embedder is not None
            report = rebuild(
                self.projector,
                name,
                replacement=VectorsProjection(EmbedTurns(self.embedder)),
                on_switch=self._record_switch,
                progress=progress,
            )
        self.forget_caches()
        self.worker.wake()  # what was said meanwhile may wait for its vectors
        return report

    def forget_caches(self) -> None:
        """Drop what this process keeps in memory of turns, facts and vectors."""
        self.reader.visible.forget()
        self.reader.facts.forget()
        self.reader.semantic.forget()

    def _record_switch(self, connection: Connection, building: Generation) -> None:
        """Record that another embedder takes over; the same one rebuilt is no event."""
        serving = self.projector.serving(connection).get(VECTORS)
        assert building.detail is not None
        if serving is None or serving.detail != building.detail:
            self._append_change(connection, building, building.detail)

    def _record_embedder(
        self, connection: Connection, generation: Generation, identity: str
    ) -> None:
        self.projector.bind(connection, generation, identity)
        self._append_change(connection, generation, identity)

    def _append_change(self, connection: Connection, generation: Generation, identity: str) -> None:
        changed = EmbedderChanged(embedder=json.loads(identity), generation=generation.number)
        self.log.append_within(connection, Append([NewEvent(changed)], ENGINE_ACTOR))


def open_parts(  # noqa: PLR0913  what `Engine.open` takes, see there
    location: str | os.PathLike[str],
    *,
    tenant: str,
    space: str,
    spaces: Sequence[str] | None,
    embedder: Embedder | Literal["auto"] | None,
    extractor: Extractor | Literal["auto"] | None,
    arbiter: Arbiter | None,
    timezone: str | None,
    single_valued: Sequence[str],
    actor: str,
    read_only: bool,
    settings: Settings | None,
    clock: Clock,
    guards: Guards,
) -> Opened:
    """Open a memory; every part that was opened is closed again if a later one fails."""
    path = checked_location(location)
    assert_not_reserved(tenant)
    check_plain(tenant=tenant, timezone=timezone, settings=settings, clock=clock)
    check_switches(read_only=read_only, receipts=guards.get("receipts", False))
    check_adapters(embedder=embedder, extractor=extractor, arbiter=arbiter)
    read, who = checked_spaces(space, spaces), Actor("owner", checked_actor(actor))
    founding = founding_with(timezone, single_valued, guards.get("trust"))
    knobs = settings or Settings()
    made = default_embedder() if embedder == "auto" else embedder
    guarding = guarding_with(guards, embedder=made, extractor=extractor, arbiter=arbiter)
    guarding.check_names(tenant, space, actor)
    database = SqliteDatabase(path, read_only=read_only, busy_timeout_ms=knobs.busy_timeout_ms)
    try:
        migrate(database, read_only=read_only)
        log = open_log(database, tenant, clock=clock, founding=None if read_only else founding)
        kept = founded(log, single_valued)
        log.halted = RollbackGuard.beside(database, log.log_id).problem(log)
        opened = assemble(
            database,
            log,
            embedder=guarding.embedder(made),
            actor=who,
            space=space,
            spaces=read,
            zone=zone_named(timezone or kept.timezone),
            single=kept.single,
            settings=knobs,
            clock=clock,
        )
        opened.guarding, log.screen = guarding, guarding.screening.of_events
        opened.known_spaces = KnownSpaces.of(read, space, read_only=read_only)
        opened.keeps_receipts = guards.get("receipts", False) and not read_only
        prepare = assert_readable if read_only else prepare_projections
        prepare(opened.projector)
        assert_profile(opened.projector, guards.get("trust"))
        opened.worker = _vector_worker(opened)
        _try_to_bind(opened)
        if opened.records:
            opened.extraction = extraction_worker(opened, extractor, arbiter)
    except BaseException:
        database.close()
        raise
    return opened


def _vector_worker(opened: Opened) -> VectorWorker:
    wanted = opened.settings.embed_in_background and opened.embedder is not None
    return VectorWorker(
        opened.projector, bind=opened.bind_embedder, background=wanted and opened.records
    )


def assemble(  # noqa: PLR0913  one argument a part
    database: SqliteDatabase,
    log: EventLog,
    *,
    embedder: Embedder | None,
    actor: Actor,
    space: str,
    spaces: Sequence[str],
    zone: ZoneInfo,
    single: SingleValued,
    settings: Settings,
    clock: Clock,
) -> Opened:
    """Put projections and readers around an open log; the worker is for the caller to add."""
    projector = _projector(log, embedder)
    return Opened(
        database,
        log,
        projector,
        _reader(projector, database, embedder, settings, zone),
        embedder,
        actor,
        space,
        tuple(spaces),
        zone,
        single,
        settings,
        clock,
    )


def _projector(log: EventLog, embedder: Embedder | None) -> Projector:
    embed = None if embedder is None else EmbedTurns(embedder)
    projector = Projector(
        log,
        [
            TurnsProjection(),
            EntitiesProjection(),
            LineageProjection(),
            TrustProjection(),
            FactsProjection(),
            RevisionsProjection(),
            ExtractionsProjection(),
            LexicalProjection(),
            ReceiptsProjection(),
            VectorsProjection(embed),
        ],
    )
    InlineFolding(projector)
    return projector


def _reader(
    projector: Projector,
    database: SqliteDatabase,
    embedder: Embedder | None,
    settings: Settings,
    zone: ZoneInfo,
) -> EvidenceReader:
    log = projector.log.log
    graph = None if database.in_memory else graph_path(database.path, log)
    return EvidenceReader(
        projector,
        VisibleCache(log),
        FactCache(),
        SemanticIndex(
            log,
            graph_path=graph,
            graph_threshold=settings.graph_threshold,
            keeps_graph=not database.read_only,
        ),
        None if embedder is None else QueryVectors(embedder),
        None,
        settings.recall,
        zone,
    )


def graph_path(path: Path, log: int) -> Path:
    """Give where the graph of a log's vectors lies, beside the database."""
    return path.with_name(f"{path.name}-vectors-{log}.hnsw")


def _try_to_bind(opened: Opened) -> None:
    if opened.embedder is None:
        return
    try:
        opened.bind_embedder()
    except EmbedderError as error:
        # Turns are found by their words meanwhile; the worker tries again.
        opened.worker.error = str(error)
