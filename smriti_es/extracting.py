"""Turns become facts: after they are recorded, outside any transaction.

A model is asked by one process at a time, and what it said is recorded session by session. What an
immediate extractor finds is recorded with one flush for a whole batch, and its claim is spared for
turns that this process has just recorded: should another process extract them too, the facts are
the same, and recorded once.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import Connection, select

from smriti_es.arbitrating import Arbitration
from smriti_es.drafting import Drafting
from smriti_es.events.catalogue import ExtractionCompleted, ExtractionFailed, TurnRecorded
from smriti_es.events.errors import ExtractionError, InvalidInput, SmritiError
from smriti_es.events.header import Actor
from smriti_es.events.log import EventLog
from smriti_es.events.records import Append, Commit, NewEvent, RecordedEvent
from smriti_es.extraction.contract import ExtractedFact, Extraction, Extractor, SourceTurn
from smriti_es.extraction_pointer import ExtractionPointer
from smriti_es.fact_draft import FactDraft
from smriti_es.fact_writing import AssertFacts
from smriti_es.kept_turns import WhileKept
from smriti_es.predicates import SingleValued
from smriti_es.projections.extractions import failed_table
from smriti_es.projections.projector import Progress, Projector, no_progress
from smriti_es.withholding import Withholding

_BATCH: Final = 256
_CLAIM_S: Final = 10.0
_AHEAD_MAX: Final = 64
_NOT_SHOWN: Final = ExtractionError("withheld: no model is shown it before it is released")

Turns = Sequence[RecordedEvent]
_Command = AssertFacts | Sequence[NewEvent]


@dataclass(slots=True)
class Extracted:
    """What a run of the extractor left in the log.

    Attributes:
        facts: Positions of the facts recorded.
        last: Position of the last event recorded, or -1 when there was none.
        repeatable: Whether running it again would record nothing more.
    """

    facts: list[int] = field(default_factory=list)
    last: int = -1
    repeatable: bool = True

    def join(self, other: "Extracted") -> None:
        """Take over what another run left."""
        self.facts += other.facts
        self.last = max(self.last, other.last)
        self.repeatable = self.repeatable and other.repeatable


@dataclass(frozen=True, slots=True)
class _Found:
    """What the extractor made of turns of one session, or why it could not."""

    turns: Turns
    sources: Sequence[SourceTurn]
    outcome: Extraction | ExtractionError

    @property
    def session(self) -> int:
        return int(self.turns[0].header.facets["session"])

    @property
    def positions(self) -> tuple[int, ...]:
        return tuple(turn.position for turn in self.turns)


def _never() -> bool:
    return False


@dataclass(slots=True)
class Extracting:
    """Runs one extractor over one log.

    Attributes:
        projector: The runner of the log.
        extractor: Finds facts.
        actor: Who records them.
        zone: IANA name of the zone in which days are counted.
        single: Which predicates hold one value at a time.
        space_of: Gives the space of a session by its position, in a snapshot.
        arbitration: Asks a model about facts alike; None: nobody is asked.
        pointer: How far it has come.
    """

    projector: Projector
    extractor: Extractor
    actor: Actor
    zone: str
    single: SingleValued
    space_of: Callable[[Connection, int], str]
    arbitration: Arbitration | None = None
    pointer: ExtractionPointer = field(init=False)
    _door: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.pointer = ExtractionPointer(self.log)

    @property
    def log(self) -> EventLog:
        """The log."""
        return self.projector.log

    @property
    def _one_by_one(self) -> bool:
        """Whether a model takes its time, so that each session is recorded as it comes."""
        return not self.extractor.immediate or self.arbitration is not None

    def follow(self, recorded: Sequence[RecordedEvent], *, alone: bool) -> Extracted:
        """Extract at once from what this process has just recorded.

        Args:
            recorded: Events of adjoining commits.
            alone: Whether no other thread has turns in hand: then what waits before these was left
                by another process, and is extracted too.
        """
        if not recorded:
            return Extracted()
        if self._one_by_one:
            return self.run()
        extracted = self._extract(_by_session(recorded), 1)
        self.pointer.pass_over(recorded[0].position, recorded[-1].position + 1)
        waits = self.pointer.stretches_ahead
        if waits > _AHEAD_MAX or (waits and alone):
            extracted.join(self.run())
        elif extracted.repeatable:
            self.pointer.persist_now_and_then()
        else:
            self.pointer.persist()
        return extracted

    def run(
        self, *, progress: Progress = no_progress, stopping: Callable[[], bool] = _never
    ) -> Extracted:
        """Extract from every turn that waits.

        Args:
            progress: Called with "extract", events done and events in all.
            stopping: Whether to leave off; looked at between sessions.
        """
        extracted = Extracted()
        with self._claimed() as won:
            # Without the claim: whoever has it does it.
            while won and (events := self.projector.events_from(self.pointer.done, _BATCH)):
                extracted.join(self._extract_batch(events, progress, stopping))
                if len(events) < _BATCH or stopping():
                    break
            self.pointer.persist()
        return extracted

    def retry(self, *, progress: Progress = no_progress) -> Extracted:
        """Try the turns again that an extraction failed on."""
        extracted = Extracted()
        with self._claimed() as won:
            groups = self._failed() if won else []
            for number, (attempts, positions) in enumerate(groups):
                progress("extract", number, len(groups))
                events = [self.projector.events_from(position, 1)[0] for position in positions]
                remaining = [event for event in events if event.event is not None]
                if remaining:
                    extracted.join(self._extract([remaining], attempts + 1))
        return extracted

    @contextmanager
    def _claimed(self) -> Iterator[bool]:
        """Let one thread of one process extract at a time; it goes on where others have come to."""
        database = self.log.database
        with self._door, database.exclusive(f"extract-{self.log.log}", wait_s=_CLAIM_S) as won:
            if won:
                with database.read() as connection:
                    self.pointer.look(connection)
            yield won

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

    def _extract_batch(
        self, events: Sequence[RecordedEvent], progress: Progress, stopping: Callable[[], bool]
    ) -> Extracted:
        """Extract from the turns among adjoining events, and move the pointer past them."""
        extracted = Extracted()
        sessions = _by_session(events)
        groups = [[turns] for turns in sessions] if self._one_by_one else [sessions]
        for group in filter(None, groups):
            # Whatever lies before is done, and what a model has said of it is not asked again.
            self.pointer.pass_over(self.pointer.done, group[0][0].position)
            if self._one_by_one:
                self.pointer.persist()
            if stopping():
                return extracted
            progress("extract", self.pointer.done, events[-1].position + 1)
            extracted.join(self._extract(group, 1))
        self.pointer.pass_over(self.pointer.done, events[-1].position + 1)
        return extracted

    def _extract(self, sessions: Sequence[Turns], attempt: int) -> Extracted:
        """Extract from turns, those of each session together, and record what came of it."""
        withheld = self._withheld_among(sessions)
        shown = [[turn for turn in turns if turn.position not in withheld] for turns in sessions]
        kept_back = [[turn for turn in turns if turn.position in withheld] for turns in sessions]
        # Once is enough to put them on the list of what is tried again.
        waiting = [_Found(turns, (), _NOT_SHOWN) for turns in kept_back if turns and attempt == 1]
        # After a failure it is always recorded, for that takes the turns off the list.
        telling = [
            found
            for found in (*waiting, *map(self._ask, filter(None, shown)))
            if attempt > 1 or isinstance(found.outcome, ExtractionError) or _says(found.outcome)
        ]
        if not telling:
            return Extracted()
        with self.log.database.read() as connection:
            spaces = {each.session: self.space_of(connection, each.session) for each in telling}
        commands = [
            self._kept(found, self._told(found, spaces[found.session], attempt))
            for found in telling
        ]
        outcomes = self._append(commands)
        extracted = Extracted()
        for found, command, outcome in zip(telling, commands, outcomes, strict=True):
            if isinstance(outcome, InvalidInput):
                unfit = ExtractionError(f"what the extractor gave cannot be recorded: {outcome}")
                command = self._kept(found, [self._failure(found, unfit, attempt)])
                (outcome,) = self._append([command])
            if isinstance(outcome, Exception):
                raise outcome
            if command.overtaken and (remaining := self._remaining(found)):
                extracted.join(self._extract([remaining], attempt))
            elif outcome.count:
                self.pointer.pass_over(outcome.first, outcome.last + 1)
                extracted.join(_recorded(command.command, outcome.last))
        return extracted

    def _kept(self, found: _Found, command: _Command) -> WhileKept:
        return WhileKept(self.projector, command, found.positions)

    def _remaining(self, found: _Found) -> Turns:
        """Read the turns anew that were not erased while the extractor had them."""
        events = [self.projector.events_from(position, 1)[0] for position in found.positions]
        return [event for event in events if event.event is not None]

    def _withheld_among(self, sessions: Sequence[Turns]) -> set[int]:
        """Give the turns that no model may be shown; what reads them in this process reads all.

        What is found in turns that are withheld is withheld with them.
        """
        if self.extractor.immediate and not self.extractor.model:
            return set()
        positions = [turn.position for turns in sessions for turn in turns]
        with self.log.database.read() as connection:
            return Withholding.read(self.projector, connection).withheld_among(positions)

    def _judged(self, drafts: Sequence[FactDraft]) -> list[FactDraft]:
        """Ask the arbiter about statements; it is shown none that rests on what is withheld."""
        if self.arbitration is None:
            return list(drafts)
        turns = sorted({turn for draft in drafts for turn in draft.refs})
        with self.log.database.read() as connection:
            withheld = Withholding.read(self.projector, connection).withheld_among(turns)
        return [
            draft if withheld & set(draft.refs) else self.arbitration.judged(draft)
            for draft in drafts
        ]

    def _append(self, commands: Sequence[WhileKept]) -> list[Commit | Exception]:
        return self.log.append_all([Append(command, self.actor) for command in commands])

    def _ask(self, turns: Turns) -> _Found:
        """Ask the extractor; whatever it raises that is not ours is a failure of its own."""
        sources = [_source(turn) for turn in turns]
        outcome: Extraction | ExtractionError
        try:
            outcome = _checked(self.extractor.extract(sources, timezone=self.zone))
        except ExtractionError as error:
            outcome = error
        except SmritiError:
            raise
        except Exception as error:  # noqa: BLE001  recorded as its failure
            outcome = ExtractionError(
                f"the extractor {self.extractor.name} raised {type(error).__name__}: {error}"
            )
        return _Found(turns, sources, outcome)

    def _told(self, found: _Found, space: str, attempt: int) -> _Command:
        """Bring what was found into events; facts that are none are a failure of the extractor."""
        try:
            return self._command(found, space, attempt)
        except SmritiError:
            raise
        except Exception as error:  # noqa: BLE001  recorded as the extractor's failure
            unfit = ExtractionError(f"what the extractor gave cannot be recorded: {error!r}")
            return [self._failure(found, unfit, attempt)]

    def _command(self, found: _Found, space: str, attempt: int) -> _Command:
        extraction = found.outcome
        if isinstance(extraction, ExtractionError):
            return [self._failure(found, extraction, attempt)]
        shown = {source.position: source for source in found.sources}
        drafting = Drafting(self.extractor.name, space, shown, self.single)
        for fact in extraction.facts:
            drafting.add(fact)
        drafting.drafts = self._judged(drafting.drafts)
        dropped = [{"reason": d.reason, "item": d.item} for d in extraction.dropped]
        completed = ExtractionCompleted(
            session=found.session,
            turns=found.positions,
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
        return AssertFacts(
            self.projector,
            drafting.drafts,
            ends=drafting.ends,
            preceding=[NewEvent(completed, found.positions)],
            only_if_new=not extraction.replies and attempt == 1,
        )

    def _failure(self, found: _Found, error: ExtractionError, attempt: int) -> NewEvent:
        failed = ExtractionFailed(
            session=found.session,
            turns=found.positions,
            extractor=self.extractor.name,
            error=str(error),
            retryable=error.retryable,
            attempt=attempt,
        )
        return NewEvent(failed, found.positions)


def _by_session(events: Sequence[RecordedEvent]) -> list[Turns]:
    by_session: dict[int, list[RecordedEvent]] = {}
    for event in events:
        if isinstance(event.event, TurnRecorded):
            by_session.setdefault(event.event.session, []).append(event)
    return list(by_session.values())


def _checked(given: object) -> Extraction:
    if not isinstance(given, Extraction) or not all(
        isinstance(fact, ExtractedFact) for fact in given.facts
    ):
        raise ExtractionError(f"the extractor gave {type(given).__name__}, not facts")
    return given


def _says(extraction: Extraction) -> bool:
    """Tell whether there is anything to record."""
    return bool(extraction.facts or extraction.replies)


def _recorded(command: object, last: int) -> Extracted:
    if not isinstance(command, AssertFacts):
        return Extracted([], last, repeatable=False)
    facts = [position for position in command.positions if position >= 0]
    return Extracted(facts, last, repeatable=command.only_if_new)


def _source(recorded: RecordedEvent) -> SourceTurn:
    turn = recorded.event
    assert isinstance(turn, TurnRecorded)
    said_at = recorded.header.known if turn.said_at is None else turn.said_at
    return SourceTurn(recorded.position, turn.role, turn.name, turn.text, said_at, turn.origin)
