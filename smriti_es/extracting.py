"""Turns become facts: after they are recorded, outside any transaction, one process at a time.

How far extraction has come is kept as a position. Moving it costs a flush, so as long as nothing is
found it is moved now and then only; going over turns twice records nothing twice, since a fact's id
is derived from what it states.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import Connection, insert, select, update

from smriti_es.arbitrating import Arbitration
from smriti_es.background import Background
from smriti_es.captured import ORIGINS
from smriti_es.events.catalogue import (
    ExtractionCompleted,
    ExtractionFailed,
    FactAsserted,
    FactEnded,
    TurnRecorded,
)
from smriti_es.events.errors import ExtractionError, InvalidInput
from smriti_es.events.header import Actor
from smriti_es.events.log import EventLog
from smriti_es.events.records import NewEvent, RecordedEvent
from smriti_es.events.tables import projection_table
from smriti_es.extraction.contract import ExtractedFact, Extraction, Extractor, SourceTurn
from smriti_es.fact_writing import AssertFacts, FactDraft
from smriti_es.predicates import checked_scope, is_single, predicate_form
from smriti_es.projections.extractions import failed_table
from smriti_es.projections.generation import POINTER as POINTER_STATE
from smriti_es.projections.projector import Progress, Projector, no_progress

POINTER: Final = "extraction"
_BATCH: Final = 256
_PERSIST_EVERY: Final = 512
_CLAIM_S: Final = 10.0
_ITEM_MAX: Final = 500


@dataclass(slots=True)
class Extracting:
    """Runs one extractor over one log.

    Attributes:
        projector: The runner of the log.
        extractor: Finds facts.
        actor: Who records them.
        space_of: Gives the space of a session by its position, in a snapshot.
        zone: IANA name of the zone in which days are counted.
        arbitration: Asks a model about facts alike; None: nobody is asked.
    """

    projector: Projector
    extractor: Extractor
    actor: Actor
    zone: str
    space_of: Callable[[Connection, int], str]
    arbitration: Arbitration | None = None
    _done: int = 0
    _persisted: int = 0
    _door: threading.Lock = field(default_factory=threading.Lock)

    @property
    def log(self) -> EventLog:
        """The log."""
        return self.projector.log

    def begin(self) -> None:
        """Read how far extraction has come; a log that is new to it begins at its end."""
        with self.log.database.write() as connection:
            found = self._pointer(connection)
            if found is None:
                found = 0
                connection.execute(
                    insert(projection_table).values(
                        log=self.log.log,
                        name=POINTER,
                        generation=1,
                        version=1,
                        state=POINTER_STATE,
                        folded=0,
                        leaf=bytes(32),
                    )
                )
        self._done = self._persisted = found

    def run(self, *, progress: Progress = no_progress) -> list[int]:
        """Extract from every turn that waits.

        Returns:
            Positions of the facts recorded.
        """
        with (
            self._door,
            self.log.database.exclusive(f"extract-{self.log.log}", wait_s=_CLAIM_S) as won,
        ):
            if not won:
                return []  # whoever has the claim does it
            return self._run(progress)

    def retry(self, *, progress: Progress = no_progress) -> list[int]:
        """Try the turns again that an extraction failed on.

        Returns:
            Positions of the facts recorded.
        """
        with self.log.database.read() as connection:
            generation = self.projector.serving(connection)["extractions"].number
            failed = failed_table(generation)
            rows = connection.execute(
                select(failed).where(failed.c.log == self.log.log).order_by(failed.c.position)
            ).all()
        groups: dict[tuple[int, int], list[int]] = {}
        for row in rows:
            groups.setdefault((row.session, row.attempts), []).append(row.position)
        recorded: list[int] = []
        for number, ((_, attempts), positions) in enumerate(groups.items()):
            progress("extract", number, len(groups))
            events = [self.projector.events_from(position, 1)[0] for position in positions]
            recorded += self._extract([e for e in events if e.event is not None], attempts + 1)
        return recorded

    def waiting(self, connection: Connection) -> int:
        """Count the events that extraction has not come to, which bounds the turns that wait."""
        return max(0, self.log.size(connection) - self._done)

    def persist(self) -> None:
        """Record how far extraction has come."""
        if self._done == self._persisted:
            return
        with self.log.database.write() as connection:
            connection.execute(
                update(projection_table)
                .where(
                    projection_table.c.log == self.log.log,
                    projection_table.c.name == POINTER,
                    projection_table.c.folded < self._done,
                )
                .values(folded=self._done)
            )
        self._persisted = self._done

    def _run(self, progress: Progress) -> list[int]:
        recorded: list[int] = []
        while events := self.projector.events_from(self._done, _BATCH):
            progress("extract", self._done, self._done + len(events))
            by_session: dict[int, list[RecordedEvent]] = {}
            for event in events:
                if isinstance(event.event, TurnRecorded):
                    by_session.setdefault(event.event.session, []).append(event)
            for turns in by_session.values():
                recorded += self._extract(turns, 1)
            self._done = events[-1].position + 1
            if len(events) < _BATCH:
                break
        if recorded or self._done - self._persisted >= _PERSIST_EVERY:
            self.persist()
        return recorded

    def _extract(self, turns: Sequence[RecordedEvent], attempt: int) -> list[int]:
        """Extract from turns of one session, and record what came of it."""
        if not turns:
            return []
        sources = [_source(turn) for turn in turns]
        try:
            extraction = self.extractor.extract(sources, timezone=self.zone)
        except ExtractionError as error:
            self._record_failure(turns, error, attempt)
            return []
        if not extraction.facts and not extraction.replies and attempt == 1:
            return []
        return self._record(turns, sources, extraction)

    def _record_failure(
        self, turns: Sequence[RecordedEvent], error: ExtractionError, attempt: int
    ) -> None:
        positions = tuple(turn.position for turn in turns)
        failed = ExtractionFailed(
            session=turns[0].header.facets["session"],
            turns=positions,
            extractor=self.extractor.name,
            error=str(error),
            retryable=error.retryable,
            attempt=attempt,
            replies=getattr(error, "replies", ()),
            usage=dict(getattr(error, "usage", {})),
            details=dict(getattr(error, "details", {})),
        )
        self.log.append([NewEvent(failed, positions)], actor=self.actor)

    def _record(
        self,
        turns: Sequence[RecordedEvent],
        sources: Sequence[SourceTurn],
        extraction: Extraction,
    ) -> list[int]:
        session = turns[0].header.facets["session"]
        with self.log.database.read() as connection:
            space = self.space_of(connection, session)
        drafting = _Drafting(self.extractor.name, space, {s.position: s for s in sources})
        for fact in extraction.facts:
            drafting.add(fact)
        if self.arbitration is not None:
            drafting.drafts = self.arbitration.judged(drafting.drafts)
        dropped = [{"reason": d.reason, "item": d.item} for d in extraction.dropped]
        completed = ExtractionCompleted(
            session=session,
            turns=[turn.position for turn in turns],
            extractor=self.extractor.name,
            model=self.extractor.model,
            prompt=self.extractor.prompt_digest,
            replies=extraction.replies,
            accepted=len(drafting.drafts) + len(drafting.ends),
            dropped=[*dropped, *drafting.dropped],
            status=extraction.status,
            usage=dict(extraction.usage),
            details=dict(extraction.details),
        )
        refs = tuple(turn.position for turn in turns)
        command = AssertFacts(
            self.projector,
            drafting.drafts,
            ends=drafting.ends,
            preceding=[NewEvent(completed, refs)],
            only_if_new=not extraction.replies,
        )
        self.log.append(command, actor=self.actor)
        return [position for position in command.positions if position >= 0]

    def _pointer(self, connection: Connection) -> int | None:
        c = projection_table.c
        statement = select(c.folded).where(c.log == self.log.log, c.name == POINTER)
        found = connection.execute(statement).scalar()
        return None if found is None else int(found)


def _source(recorded: RecordedEvent) -> SourceTurn:
    turn = recorded.event
    assert isinstance(turn, TurnRecorded)
    said_at = recorded.header.known if turn.said_at is None else turn.said_at
    return SourceTurn(recorded.position, turn.role, turn.name, turn.text, said_at, turn.origin)


@dataclass(slots=True)
class _Drafting:
    """Brings what an extractor found into the form in which it is recorded."""

    source: str
    space: str
    turns: dict[int, SourceTurn]
    drafts: list[FactDraft] = field(default_factory=list)
    ends: list[tuple[FactEnded, tuple[int, ...]]] = field(default_factory=list)
    dropped: list[dict[str, Any]] = field(default_factory=list)

    def add(self, fact: ExtractedFact) -> None:
        """Take over a fact, or say why not."""
        support = [self.turns[e.turn] for e in fact.evidence if e.turn in self.turns]
        try:
            scope = checked_scope(fact.scope)
        except InvalidInput as error:
            self._drop(str(error), fact)
            return
        if not support or not fact.subject.strip() or not fact.predicate.strip():
            self._drop("nothing supports it, or it is about nothing", fact)
            return
        refs = tuple(sorted({turn.position for turn in support}))
        if fact.ends:
            self.ends.append((self._ended(fact, scope, support), refs))
        elif fact.object.strip():
            self.drafts.append(FactDraft(self._asserted(fact, scope, support), refs))
        else:
            self._drop("it has no value", fact)

    def _asserted(
        self, fact: ExtractedFact, scope: str, support: Sequence[SourceTurn]
    ) -> FactAsserted:
        said_at = min(turn.said_at for turn in support)
        predicate = predicate_form(fact.predicate)
        begins = said_at if fact.valid_from is None else fact.valid_from
        ends = fact.valid_to if fact.valid_to is not None and fact.valid_to > begins else None
        return FactAsserted(
            origin=max((turn.origin for turn in support), key=ORIGINS.index),
            fact="",
            space=self.space,
            subject=fact.subject.strip(),
            predicate=predicate,
            object=fact.object.strip(),
            statement=fact.statement,
            said_at=said_at,
            valid_from=begins,
            scope=scope,
            single=is_single(predicate) if fact.single is None else fact.single,
            valid_precision=fact.precision if fact.valid_from is not None else "unknown",
            valid_to=ends,
            valid_text=fact.time_text,
            kind=fact.kind,
            evidence=[{"turn": e.turn, "quote": e.quote} for e in fact.evidence],
            entities=fact.entities,
            search_keys=fact.search_keys,
            source=self.source,
        )

    def _ended(self, fact: ExtractedFact, scope: str, support: Sequence[SourceTurn]) -> FactEnded:
        said_at = min(turn.said_at for turn in support)
        when = fact.valid_to if fact.valid_to is not None else fact.valid_from
        return FactEnded(
            space=self.space,
            subject=fact.subject.strip(),
            predicate=predicate_form(fact.predicate),
            object=fact.object.strip(),
            scope=scope,
            valid_to=said_at if when is None else when,
            valid_precision=fact.precision if when is not None else "unknown",
            valid_text=fact.time_text,
            said_at=said_at,
            reason=fact.statement,
            evidence=[{"turn": e.turn, "quote": e.quote} for e in fact.evidence],
            source=self.source,
        )

    def _drop(self, reason: str, fact: ExtractedFact) -> None:
        self.dropped.append({"reason": reason, "item": fact.statement[:_ITEM_MAX]})


class ExtractionWorker:
    """Keeps the facts of one log in step with its turns.

    Args:
        extracting: What runs the extractor.
        background: Whether a slow extractor has a thread of its own.
    """

    def __init__(self, extracting: Extracting, *, background: bool) -> None:
        self.extracting = extracting
        extracting.begin()
        self._thread: Background | None = None
        if background and not extracting.extractor.immediate:
            self._thread = Background("smriti-es-facts", extracting.run)
            self._thread.wake()
        elif extracting.extractor.immediate:
            extracting.run()  # what was recorded while no engine was open

    def after_add(self) -> list[int]:
        """Extract at once if that is fast; else see to it that it is done.

        Returns:
            Positions of the facts recorded.
        """
        if self.extracting.extractor.immediate:
            return self.extracting.run()
        if self._thread is not None:
            self._thread.wake()
        return []

    @property
    def error(self) -> str | None:
        """What the background thread last failed on, or None."""
        return None if self._thread is None else self._thread.error

    def stop(self) -> None:
        """End the thread, and record how far extraction has come."""
        if self._thread is not None:
            self._thread.stop()
        self.extracting.persist()
