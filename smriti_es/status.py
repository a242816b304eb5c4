"""What there is and how well it is, in one look."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, false, func, or_, select

from smriti_es.embedding import VECTORS
from smriti_es.events.catalogue.facts import DIGEST
from smriti_es.events.instants import format_instant
from smriti_es.events.tables import log_table
from smriti_es.extraction_pointer import turns_from
from smriti_es.migrate import SCHEMA_REVISION
from smriti_es.opened import Opened
from smriti_es.policy import ReadPolicy, ReadTables, turn_predicate
from smriti_es.projections.extractions import failed_table
from smriti_es.projections.facts import ADMITTED, LAPSED, RETRACTED, fact_tables
from smriti_es.projections.generation import SERVING, Generation
from smriti_es.projections.trust import not_withheld, trust_tables
from smriti_es.projections.turns import turn_tables
from smriti_es.projections.vectors.tables import vector_tables
from smriti_es.projections.vectors.token_rows import space_key
from smriti_es.recall.late_interaction import told_without_tokens
from smriti_es.results import ProjectionStatus, Status
from smriti_es.reviewing import ReviewQueue
from smriti_es.scrubbing import pending_scrubs
from smriti_es.semantic import told_other
from smriti_es.standing_quarantines import QuarantineReader
from smriti_es.unread import read_for_facts_to

_FAILED_SHOWN = 100


def read_status(opened: Opened) -> Status:
    """Gather the status in one snapshot."""
    log = opened.log.log
    with opened.database.read() as connection:
        head = connection.execute(select(log_table).where(log_table.c.log == log)).one()
        generations = opened.projector.generations(connection)
        projections = opened.projector.projections
        # What another release has built meanwhile is listed, but cannot be looked into.
        serving = {
            g.name: g
            for g in generations
            if g.state in SERVING and g.version == projections[g.name].version
        }
        sessions, turns, undated = _counts(connection, log, serving, opened.spaces)
        facts = _facts(connection, log, serving, opened.spaces)
        review, quarantines = _for_owners(opened, connection, serving)
        vectors, pending, failed = _vectors(opened, connection, serving)
        without_tokens = _without_tokens(opened, connection, serving)
        waiting, unextracted = _extraction(opened, connection, serving)
        detail = serving[VECTORS].detail if VECTORS in serving else None
    return Status(
        location=opened.database.location,
        tenant=head.tenant,
        log_id=opened.log.log_id,
        events=head.size,
        head=bytes(head.head).hex(),
        known=format_instant(head.known),
        spaces=opened.spaces,
        sessions=sessions,
        turns=turns,
        undated=undated,
        facts=facts,
        review=review,
        quarantines=quarantines,
        size_bytes=opened.database.size_bytes,
        schema=SCHEMA_REVISION,
        database=opened.database.product,
        embedder=None if detail is None else json.loads(detail),
        vectors=vectors,
        pending=pending,
        failed=failed,
        extraction_behind=waiting,
        extraction_failed=unextracted,
        projections=tuple(_standing(g, head.size) for g in generations),
        degraded=(*_degraded(opened, serving, failed), *told_without_tokens(without_tokens)),
    )


def _counts(
    connection: Connection, log: int, serving: dict[str, Generation], spaces: Sequence[str]
) -> tuple[int, int, int]:
    """Count sessions, turns, and the turns that nobody gave a time to."""
    if "turns" not in serving:
        return 0, 0, 0
    tables = turn_tables(serving["turns"].number)
    session, turn = tables.session.c, tables.turn.c
    among = select(session.position).where(session.log == log, session.space.in_(spaces))
    row = connection.execute(
        select(func.count(), func.coalesce(func.sum(session.turns), 0)).where(
            session.log == log, session.space.in_(spaces)
        )
    ).one()
    undated = connection.execute(
        select(func.count()).where(
            turn.log == log, turn.said_precision == "unknown", turn.session.in_(among)
        )
    ).scalar_one()
    return int(row[0]), int(row[1]), int(undated)


def _facts(
    connection: Connection, log: int, serving: dict[str, Generation], spaces: Sequence[str]
) -> int:
    if "facts" not in serving:
        return 0
    fact = fact_tables(serving["facts"].number).fact.c
    counted = select(func.count()).where(
        fact.log == log, fact.kind != DIGEST, fact.space.in_(spaces)
    )
    return int(connection.execute(counted).scalar_one())


def _for_owners(
    opened: Opened, connection: Connection, serving: dict[str, Generation]
) -> tuple[int, int]:
    """Count what waits for review, and the quarantines that stand."""
    if not {"turns", "facts", "revisions", "entities", "trust"} <= serving.keys():
        return 0, 0
    log = opened.log.log
    queue = ReviewQueue(opened.beliefs(connection, None, opened.clock()), opened.spaces)
    quarantines = QuarantineReader.of(connection, log, serving, opened.spaces)
    return queue.size, len(quarantines.standing())


def _extraction(
    opened: Opened, connection: Connection, serving: dict[str, Generation]
) -> tuple[int, tuple[tuple[int, str], ...]]:
    waiting = _turns_waiting(opened, connection, serving)
    if "extractions" not in serving:
        return waiting, ()
    failed = failed_table(serving["extractions"].number).c
    rows = connection.execute(
        select(failed.position, failed.error)
        .where(failed.log == opened.log.log, _may_be_read(opened, failed.position, serving))
        .order_by(failed.position)
        .limit(_FAILED_SHOWN)
    )
    return waiting, tuple((row.position, row.error) for row in rows)


def _may_be_read(
    opened: Opened, position: ColumnElement[int], serving: dict[str, Generation]
) -> ColumnElement[bool]:
    """Write that a turn or fact may be read: why something failed may quote what it failed on."""
    if not {"turns", "facts", "trust"} <= serving.keys():
        return false()
    log, trust = opened.log.log, trust_tables(serving["trust"].number)
    turns = turn_tables(serving["turns"].number)
    policy = ReadPolicy(opened.spaces)
    seen = turn_predicate(policy, ReadTables(turns, trust), log)
    fact = fact_tables(serving["facts"].number).fact.c
    believed = select(fact.position).where(
        fact.log == log,
        fact.space.in_(opened.spaces),
        fact.state.in_([ADMITTED, LAPSED, RETRACTED]),
        not_withheld(trust, fact.log, fact.position),
    )
    return or_(position.in_(select(turns.turn.c.position).where(seen)), position.in_(believed))


def _turns_waiting(opened: Opened, connection: Connection, serving: dict[str, Generation]) -> int:
    """Count the turns that extraction has not come to; none where nobody has ever extracted."""
    if "turns" not in serving:
        return 0
    done = read_for_facts_to(opened, connection)
    if done is None:
        return 0
    return turns_from(connection, opened.log.log, done, serving["turns"].number)


def _vectors(
    opened: Opened, connection: Connection, serving: dict[str, Generation]
) -> tuple[int, int, tuple[tuple[int, str], ...]]:
    """Count, in the whole log, what has vectors and what waits; and tell what failed, and why."""
    log = opened.log.log
    items = _items(connection, log, serving)
    if VECTORS not in serving:
        return 0, items, ()
    tables = vector_tables(serving[VECTORS].number)
    vector, failure = tables.vector.c, tables.failure.c
    embedded = connection.execute(
        select(func.count(vector.position.distinct())).where(vector.log == log)
    ).scalar_one()
    missing = connection.execute(
        select(func.count(failure.position.distinct())).where(failure.log == log)
    ).scalar_one()
    failed = connection.execute(
        select(failure.position, failure.error)
        .where(failure.log == log, _may_be_read(opened, failure.position, serving))
        .order_by(failure.position)
        .limit(_FAILED_SHOWN)
    )
    reasons: tuple[Any, ...] = tuple((row.position, row.error) for row in failed)
    return embedded, items - embedded - missing, reasons


def _without_tokens(opened: Opened, connection: Connection, serving: dict[str, Generation]) -> int:
    """Count the turns and facts with vectors, but without token vectors that could be compared."""
    known = opened.reader.known
    if known is None or VECTORS not in serving or serving[VECTORS].detail != known.identity:
        return 0
    space = known.token_space
    if space is None:
        return 0
    tables, log = vector_tables(serving[VECTORS].number), opened.log.log
    vector, token = tables.vector.c, tables.token.c
    comparable = select(token.position).where(token.log == log, token.space == space_key(space))
    lacking = select(func.count(vector.position.distinct())).where(
        vector.log == log, vector.position.not_in(comparable)
    )
    return int(connection.execute(lacking).scalar_one())


def _items(connection: Connection, log: int, serving: dict[str, Generation]) -> int:
    """Count what vectors are made of: turns, and facts that are no digests."""
    found = 0
    if "turns" in serving:
        session = turn_tables(serving["turns"].number).session.c
        said = select(func.coalesce(func.sum(session.turns), 0)).where(session.log == log)
        found += int(connection.execute(said).scalar_one())
    if "facts" in serving:
        fact = fact_tables(serving["facts"].number).fact.c
        stated = select(func.count()).where(fact.log == log, fact.kind != DIGEST)
        found += int(connection.execute(stated).scalar_one())
    return found


def _standing(generation: Generation, size: int) -> ProjectionStatus:
    return ProjectionStatus(
        generation.name,
        generation.version,
        generation.number,
        generation.state,
        generation.folded,
        size - generation.folded,
        generation.error,
    )


def _degraded(
    opened: Opened, serving: dict[str, Generation], failed: tuple[tuple[int, str], ...]
) -> list[str]:
    said = [f"writing: {opened.database.newer}"] if opened.database.newer else []
    if opened.embedder is None:
        said.append("semantic: the engine was opened without an embedder")
    elif opened.worker.error is not None:
        said.append(f"semantic: {opened.worker.error}")
    elif opened.reader.queries_for(serving) is None:
        said.append(told_other(serving.get(VECTORS)))
    elif opened.embedder.weak:
        said.append("semantic: weak, the embedder compares spelling and not meaning")
    if opened.embedder is not None and failed:
        some = f"{len(failed)} or more" if len(failed) == _FAILED_SHOWN else f"{len(failed)}"
        said.append(f"semantic: turns and facts without a vector, as embedding failed: {some}")
    semantic = opened.reader.semantic
    said += [each for each in (semantic.graph_problem, semantic.graph_progress) if each is not None]
    if opened.log.halted is not None:
        said.append(f"nothing can be recorded: {opened.log.halted}")
    said += [f"{g.name}: halted: {g.error}" for g in serving.values() if g.error is not None]
    return [*said, *(_scrubs_waiting(opened) if "trust" in serving else [])]


def _scrubs_waiting(opened: Opened) -> list[str]:
    waiting = len(pending_scrubs(opened))
    if not waiting:
        return []
    return [f"erasure: not scrubbed from every file yet: {waiting}; the next opening goes on"]
