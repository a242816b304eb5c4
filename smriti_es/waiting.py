"""Wait until what follows from turns is there: their vectors, or the facts found in them."""

from dataclasses import replace
from typing import Final

from sqlalchemy import select

from smriti_es.embedding import VECTORS
from smriti_es.events.errors import EmbedderError, ExtractionError, InvalidInput
from smriti_es.opened import Opened
from smriti_es.projections.extractions import failed_table
from smriti_es.projections.facts import fact_tables
from smriti_es.projections.lineage import lineage_table
from smriti_es.projections.vectors.projection import NOT_SHOWN
from smriti_es.projections.vectors.tables import vector_tables
from smriti_es.results import Added

WAITS: Final = ("commit", "vectors", "facts")
EXTRACTOR_NEEDED: Final = "Open the memory with an extractor."


def check_wait(opened: Opened, wait_for: str) -> None:
    """Refuse to wait for what never comes.

    Raises:
        InvalidInput: There is no such thing to wait for, or no extractor.
    """
    if wait_for not in WAITS:
        raise InvalidInput(f"cannot wait for {wait_for!r}", hint=f"There are: {', '.join(WAITS)}.")
    if wait_for == "facts" and opened.extraction is None:
        raise InvalidInput("there is no extractor to wait for", hint=EXTRACTOR_NEEDED)


def waited_for(wait_for: str, opened: Opened, added: Added, last: int) -> Added:
    """Wait until what follows from turns is there.

    Args:
        wait_for: One of `WAITS`.
        opened: The memory.
        added: What was added.
        last: Position up to which turns are waited for.

    Returns:
        What was added; with the facts that were found in it, if they were waited for.

    Raises:
        EmbedderError: There is no embedder for these vectors, it is out of reach, or it failed on
            one of the turns that were added.
        ExtractionError: The extraction of one of the turns that were added failed.
    """
    if wait_for == "vectors":
        opened.worker.catch_up()
        _assert_embedded(opened, added)
    return _with_facts(opened, added, last) if wait_for == "facts" else added


def _assert_embedded(opened: Opened, added: Added) -> None:
    log = opened.log.log
    with opened.database.read() as connection:
        serving = opened.projector.serving(connection)
        failure = vector_tables(opened.projector.readable(serving, VECTORS).number).failure.c
        problem = connection.execute(
            select(failure.position, failure.error)
            .where(
                failure.log == log,
                failure.position.between(*_first_and_last(added)),
                failure.error != NOT_SHOWN,
            )
            .order_by(failure.position)
        ).first()
    if problem is not None:
        raise EmbedderError(
            f"no vector could be made of the turn at position {problem.position}: {problem.error}",
            hint="The turns are recorded; `wait_for_vectors` tries again.",
        )


def _first_and_last(added: Added) -> tuple[int, int]:
    """Bound the turns that were added: they are one commit and adjoin."""
    return (added.positions[0], added.positions[-1]) if added.positions else (0, -1)


def _with_facts(opened: Opened, added: Added, last: int) -> Added:
    assert opened.extraction is not None
    opened.extraction.wait(last)
    opened.worker.wake()
    turns = _first_and_last(added)
    log = opened.log.log
    with opened.database.read() as connection:
        serving = opened.projector.serving(connection)
        fact = fact_tables(opened.projector.readable(serving, "facts").number).fact.c
        lineage = lineage_table(opened.projector.readable(serving, "lineage").number).c
        failed = failed_table(opened.projector.readable(serving, "extractions").number).c
        problem = connection.execute(
            select(failed.position, failed.error)
            .where(failed.log == log, failed.position.between(*turns))
            .order_by(failed.position)
        ).first()
        derived = select(lineage.child).where(lineage.log == log, lineage.parent.between(*turns))
        found = connection.execute(
            select(fact.position)
            .where(fact.log == log, fact.position.in_(derived))
            .order_by(fact.position)
        ).scalars()
        facts, head = tuple(found), opened.log.size(connection) - 1
    if problem is not None:
        raise ExtractionError(
            f"the turn at position {problem.position} could not be read for facts: {problem.error}",
            hint="The turns are recorded; `extract_pending` tries again.",
        )
    return replace(added, facts=facts, head=head)
