"""Open a memory: database, schema, log, projections, embedder, readers, put together once."""

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal
from zoneinfo import ZoneInfo

from smriti_es.database_egress import check_database
from smriti_es.embedders import Embedder, default_embedder
from smriti_es.embedders.tokens import PooledOnly
from smriti_es.embedding import VectorWorker
from smriti_es.events.database import Database
from smriti_es.events.errors import EmbedderError, StorageDamaged
from smriti_es.events.header import Actor
from smriti_es.events.log import Clock, EventLog
from smriti_es.events.newer_events import note_newer
from smriti_es.events.opening import open_database
from smriti_es.events.registry import open_log
from smriti_es.extraction.arbitration import Arbiter
from smriti_es.extraction.contract import Extractor
from smriti_es.founding import founded, founding_with, zone_named
from smriti_es.guarding import Guarding, Guards, guarding_with
from smriti_es.known_spaces import KnownSpaces
from smriti_es.migrate import migrate
from smriti_es.opened import Opened
from smriti_es.opening_arguments import (
    check_adapters,
    check_plain,
    check_switches,
    checked_actor,
    checked_location,
    checked_spaces,
)
from smriti_es.opening_extraction import extraction_worker
from smriti_es.opening_projections import projector_of
from smriti_es.predicates import SingleValued
from smriti_es.projections.preparing import assert_readable, prepare_projections
from smriti_es.projections.projector import Projector, no_progress
from smriti_es.question_vectors import QueryVectors
from smriti_es.recall.reader import EvidenceReader
from smriti_es.recall.visible import VisibleCache
from smriti_es.recall.visible_facts import FactCache
from smriti_es.rollback_guard import RollbackGuard
from smriti_es.scrubbing import finish_scrubs
from smriti_es.semantic import SemanticIndex
from smriti_es.settings import Settings
from smriti_es.withholding import assert_profile


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
    check_plain(tenant=tenant, timezone=timezone, settings=settings, clock=clock)
    receipts, token_vectors = _checked_guards(guards, read_only=read_only)
    check_adapters(embedder=embedder, extractor=extractor, arbiter=arbiter)
    read, name, knobs = checked_spaces(space, spaces), checked_actor(actor), settings or Settings()
    founding = founding_with(timezone, single_valued, guards.get("trust"))
    made = given_embedder(embedder, token_vectors=token_vectors)
    guarding = guarding_with(guards, embedder=made, extractor=extractor, arbiter=arbiter)
    guarding.check_names(tenant, space, actor)
    database = _database(path, guarding, knobs, read_only=read_only)
    try:
        migrate(database, read_only=read_only)
        log = open_log(database, tenant, clock=clock, founding=None if read_only else founding)
        read_only = note_newer(log.database, log.log) or read_only
        kept = founded(log, single_valued)
        log.halted = RollbackGuard.beside(database, log.log_id).problem(log)
        opened = assemble(
            log.database,
            log,
            embedder=guarding.embedder(made),
            actor=Actor(guarding.origin, name),
            space=space,
            spaces=read,
            zone=zone_named(timezone or kept.timezone),
            single=kept.single,
            settings=knobs,
            clock=clock,
        )
        opened.guarding, opened.reranker = guarding, guarding.reranker()
        log.screen = guarding.screening.of_events
        opened.known_spaces = KnownSpaces.of(read, space, read_only=read_only)
        opened.keeps_receipts, opened.token_vectors = receipts and not read_only, token_vectors
        (assert_readable if read_only else prepare_projections)(opened.projector)
        assert_profile(opened.projector, guards.get("trust"))
        _begin_embedding(opened)
        if opened.records:
            _go_on_scrubbing(opened)
            opened.extraction = extraction_worker(opened, extractor, arbiter)
    except BaseException:
        database.close()
        raise
    return opened


def _go_on_scrubbing(opened: Opened) -> None:
    """Finish what earlier erasures left; where that cannot be read, a rebuild comes first."""
    with suppress(StorageDamaged):
        finish_scrubs(opened, no_progress)


def _checked_guards(guards: Guards, *, read_only: bool) -> tuple[bool, bool]:
    """Check the reranker and what is on or off; gives of that receipts and token vectors."""
    check_adapters(reranker=guards.get("reranker"))
    receipts, token_vectors = guards.get("receipts", False), guards.get("token_vectors", True)
    check_switches(read_only=read_only, receipts=receipts, token_vectors=token_vectors)
    return receipts, token_vectors


def _database(path: str, guarding: Guarding, knobs: Settings, *, read_only: bool) -> Database:
    """Open the database, if the profile allows to send text to where it is."""
    check_database(guarding.guard.policy, path)
    return open_database(path, read_only=read_only, busy_timeout_ms=knobs.busy_timeout_ms)


def given_embedder(
    given: Embedder | Literal["auto"] | None, *, token_vectors: bool
) -> Embedder | None:
    """Give the embedder that was named, which may be kept from giving token vectors."""
    made = default_embedder() if given == "auto" else given
    return made if made is None or token_vectors else PooledOnly(made)


def _begin_embedding(opened: Opened) -> None:
    """Give it what makes vectors, and bind those there are to the embedder, if it can be had."""
    wanted = opened.settings.embed_in_background and opened.embedder is not None
    opened.worker = VectorWorker(
        opened.projector,
        bind=opened.bind_embedder,
        background=wanted and opened.records,
        keep_graph=opened.keep_graph,
        save_graph=opened.save_graph,
    )
    if opened.embedder is None:
        return
    try:
        opened.bind_embedder()
    except EmbedderError as error:
        # Turns are found by their words meanwhile; the worker tries again.
        opened.worker.error = str(error)


def assemble(  # noqa: PLR0913  one argument a part
    database: Database,
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
    projector = projector_of(log, embedder)
    return Opened(
        database,
        log,
        projector,
        _reader(projector, database, embedder, settings, zone),
        actor,
        space,
        tuple(spaces),
        zone,
        single,
        settings,
        clock,
    )


def _reader(
    projector: Projector,
    database: Database,
    embedder: Embedder | None,
    settings: Settings,
    zone: ZoneInfo,
) -> EvidenceReader:
    log = projector.log.log
    return EvidenceReader(
        projector,
        VisibleCache(log),
        FactCache(),
        SemanticIndex(
            log,
            graph_path=database.graph_path(log),
            graph_threshold=settings.graph_threshold,
            keeps_graph=not database.read_only,
        ),
        None if embedder is None else QueryVectors(embedder),
        settings.recall,
        zone,
    )
