"""Turns become facts: after they are recorded, outside any transaction, one process at a time.

How far extraction has come is kept as a position. Moving it costs a flush, so as long as nothing is
found it is moved now and then only; going over turns twice records nothing twice, since a fact's id
is derived from what it states.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import Connection, func, insert, select, update

from smriti_es.arbitrating import Arbitration
from smriti_es.background import Background
from smriti_es.drafting import Drafting
from smriti_es.events.catalogue import ExtractionCompleted, ExtractionFailed, TurnRecorded
from smriti_es.events.errors import ExtractionError, InvalidInput, SmritiError
from smriti_es.events.header import Actor
from smriti_es.events.log import EventLog
from smriti_es.events.records import NewEvent, RecordedEvent
from smriti_es.events.tables import projection_table
from smriti_es.extraction.contract import Extraction, Extractor, SourceTurn
from smriti_es.fact_writing import AssertFacts
from smriti_es.projections.extractions import failed_table
from smriti_es.projections.generation import POINTER as POINTER_STATE
from smriti_es.projections.projector import Progress, Projector, no_progress
from smriti_es.projections.turns import turn_tables

POINTER: Final = "extraction"
_BATCH: Final = 256
_PERSIST_EVERY: Final = 512
_CLAIM_S: Final = 10.0


@dataclass(slots=True)
class Extracted:
    """What a run of the extractor left in the log.

    Attributes:
        facts: Positions of the facts recorded.
        last: Position of the last event recorded, or -1 when there was none.
    """

    facts: list[int] = field(default_factory=list)
    last: int = -1

    def join(self, other: "Extracted") -> None:
        """Take over what another run left."""
        self.facts += other.facts
        self.last = max(self.last, other.last)


def _never() -> bool:
    return False


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
        """Read how far extraction has come; in a log that is new to it, it begins at the start."""
        with self.log.database.write() as connection:
            if self._pointer(connection) is None:
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
            self._look(connection)

    def run(
        self, *, progress: Progress = no_progress, stopping: Callable[[], bool] = _never
    ) -> Extracted:
        """Extract from every turn that waits.

        Args:
            progress: Called with "extract", events done and events in all.
            stopping: Whether to leave off; looked at between sessions.
        """
        with self._claimed() as won:
            if not won:
                return Extracted()  # whoever has the claim does it
            return self._run(progress, stopping)

    def retry(self, *, progress: Progress = no_progress) -> Extracted:
        """Try the turns again that an extraction failed on."""
        extracted = Extracted()
        with self._claimed() as won:
            groups = self._failed() if won else []
            for number, (attempts, positions) in enumerate(groups):
                progress("extract", number, len(groups))
                events = [self.projector.events_from(position, 1)[0] for position in positions]
                remaining = [event for event in events if event.event is not None]
                extracted.join(self._extract(remaining, attempts + 1))
        return extracted

    def waiting(self, connection: Connection, turns: int) -> int:
        """Count the turns that extraction has not come to, here or in another process.

        Args:
            connection: A snapshot.
            turns: Generation of the turns projection that serves.
        """
        done = max(self._done, self._pointer(connection) or 0)
        turn = turn_tables(turns).turn.c
        statement = select(func.count()).where(turn.log == self.log.log, turn.position >= done)
        return int(connection.execute(statement).scalar_one())

    def persist(self) -> None:
        """Record how far extraction has come."""
        if self._done <= self._persisted:
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

    @contextmanager
    def _claimed(self) -> Iterator[bool]:
        """Let one thread of one process extract at a time; it goes on where others have come to."""
        database = self.log.database
        with self._door, database.exclusive(f"extract-{self.log.log}", wait_s=_CLAIM_S) as won:
            if won:
                with database.read() as connection:
                    self._look(connection)
            yield won

    def _look(self, connection: Connection) -> None:
        """Look how far another process has come."""
        self._persisted = max(self._persisted, self._pointer(connection) or 0)
        self._done = max(self._done, self._persisted)

    def _failed(self) -> list[tuple[int, list[int]]]:
        """List the turns that failed, those of one session together: attempts and positions."""
        with self.log.database.read() as connection:
            generation = self.projector.serving(connection)["extractions"].number
            failed = failed_table(generation)
            rows = connection.execute(
                select(failed).where(failed.c.log == self.log.log).order_by(failed.c.position)
            ).all()
        groups: dict[tuple[int, int], list[int]] = {}
        for row in rows:
            groups.setdefault((row.session, row.attempts), []).append(row.position)
        return [(attempts, positions) for (_, attempts), positions in groups.items()]

    def _run(self, progress: Progress, stopping: Callable[[], bool]) -> Extracted:
        extracted = Extracted()
        while events := self.projector.events_from(self._done, _BATCH):
            by_session: dict[int, list[RecordedEvent]] = {}
            for event in events:
                if isinstance(event.event, TurnRecorded):
                    by_session.setdefault(event.event.session, []).append(event)
            for turns in by_session.values():
                self._done = turns[0].position  # whatever lies before is done
                if stopping():
                    return extracted
                progress("extract", self._done, events[-1].position + 1)
                extracted.join(self._extract(turns, 1))
            self._done = events[-1].position + 1
            if len(events) < _BATCH:
                break
        if extracted.last >= 0 or self._done - self._persisted >= _PERSIST_EVERY:
            self.persist()
        return extracted

    def _extract(self, turns: Sequence[RecordedEvent], attempt: int) -> Extracted:
        """Extract from turns of one session, and record what came of it."""
        if not turns:
            return Extracted()
        sources = [_source(turn) for turn in turns]
        try:
            extraction = self._asked(sources)
        except ExtractionError as error:
            return self._record_failure(turns, error, attempt)
        if not extraction.facts and not extraction.replies and attempt == 1:
            return Extracted()
        try:
            return self._record(turns, sources, extraction, attempt)
        except InvalidInput as error:
            unfit = ExtractionError(f"what the extractor gave cannot be recorded: {error}")
            return self._record_failure(turns, unfit, attempt)

    def _asked(self, sources: Sequence[SourceTurn]) -> Extraction:
        """Ask the extractor; whatever it raises that is not ours is a failure of its own."""
        try:
            return self.extractor.extract(sources, timezone=self.zone)
        except SmritiError:
            raise
        except Exception as error:
            raise ExtractionError(
                f"the extractor {self.extractor.name} raised {type(error).__name__}: {error}"
            ) from error

    def _record_failure(
        self, turns: Sequence[RecordedEvent], error: ExtractionError, attempt: int
    ) -> Extracted:
        positions = tuple(turn.position for turn in turns)
        failed = ExtractionFailed(
            session=turns[0].header.facets["session"],
            turns=positions,
            extractor=self.extractor.name,
            error=str(error),
            retryable=error.retryable,
            attempt=attempt,
        )
        commit = self.log.append([NewEvent(failed, positions)], actor=self.actor)
        return Extracted([], commit.last)

    def _record(
        self,
        turns: Sequence[RecordedEvent],
        sources: Sequence[SourceTurn],
        extraction: Extraction,
        attempt: int,
    ) -> Extracted:
        session = turns[0].header.facets["session"]
        with self.log.database.read() as connection:
            space = self.space_of(connection, session)
        drafting = Drafting(self.extractor.name, space, {s.position: s for s in sources})
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
            # After a failure it is always recorded, for that takes the turns off the list.
            only_if_new=not extraction.replies and attempt == 1,
        )
        commit = self.log.append(command, actor=self.actor)
        recorded = [position for position in command.positions if position >= 0]
        return Extracted(recorded, commit.last if commit.count else -1)

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


class ExtractionWorker:
    """Keeps the facts of one log in step with its turns.

    Args:
        extracting: What runs the extractor.
        background: Whether to extract unasked: a slow extractor in a thread of its own, a fast one
            at once from what was recorded while no engine was open.
    """

    def __init__(self, extracting: Extracting, *, background: bool) -> None:
        self.extracting = extracting
        extracting.begin()
        self._thread: Background | None = None
        if background and not extracting.extractor.immediate:
            self._thread = Background("smriti-es-facts", self._follow)
            self._thread.wake()
        elif background:
            extracting.run()

    def after_add(self, progress: Progress) -> Extracted:
        """Extract at once if that is fast; else see to it that it is done."""
        if self.extracting.extractor.immediate:
            return self.extracting.run(progress=progress)
        if self._thread is not None:
            self._thread.wake()
        return Extracted()

    @property
    def error(self) -> str | None:
        """What the background thread last failed on, or None."""
        return None if self._thread is None else self._thread.error

    def stop(self) -> None:
        """End the thread, and record how far extraction has come."""
        if self._thread is not None:
            self._thread.stop()
        self.extracting.persist()

    def _follow(self) -> None:
        thread = self._thread
        self.extracting.run(stopping=lambda: thread is not None and thread.stopping)
