"""The engine: every verb that a program uses, each a few lines that name its steps."""

import os
from collections.abc import Mapping, Sequence
from typing import Final, Literal, Self, Unpack

from smriti_es.audit_verbs import AuditVerbs
from smriti_es.capture import Messages
from smriti_es.captured import MetadataValue, TimeGiven
from smriti_es.checked_values import Place, checked_position, checked_text
from smriti_es.clock import system_clock
from smriti_es.closing import ClosedOnExit
from smriti_es.data_flow import DataFlow, data_flow
from smriti_es.doctor_verbs import DoctorVerbs
from smriti_es.embedders import Embedder
from smriti_es.events.catalogue import ProjectionSkipped
from smriti_es.events.errors import InvalidInput
from smriti_es.events.log import Clock
from smriti_es.events.records import Append, NewEvent, RecordedEvent, Transaction
from smriti_es.extracting import Extracted
from smriti_es.extraction.arbitration import Arbiter
from smriti_es.extraction.contract import Extractor
from smriti_es.guarding import Guards
from smriti_es.import_verb import Importing
from smriti_es.keeping_verbs import KeepingVerbs
from smriti_es.observing import Observing
from smriti_es.opening import open_parts
from smriti_es.past_verbs import PastVerbs
from smriti_es.projections.projector import Progress, no_progress
from smriti_es.projections.rebuild import RebuildReport
from smriti_es.recording import RecordTurns, SessionInput, added_by
from smriti_es.results import Added, Status
from smriti_es.settings import Settings
from smriti_es.status import read_status
from smriti_es.subject_access.verb import SubjectAccess
from smriti_es.traced_figures import of_added, of_all_added, of_rebuilt
from smriti_es.tracing import traced
from smriti_es.view import View
from smriti_es.waiting import EXTRACTOR_NEEDED, check_wait, waited_for

# How many sessions `add_many` commits with one flush.
_SESSIONS_PER_FLUSH: Final = 64


class Engine(
    View,
    PastVerbs,
    Observing,
    KeepingVerbs,
    DoctorVerbs,
    SubjectAccess,
    Importing,
    AuditVerbs,
    ClosedOnExit,
):
    """A memory: one tenant's log, its projections, and the reads that they answer (see `View`).

    Made by `Engine.open`. It may be used from any number of threads, and several processes may have
    the same file open at once.
    """

    @classmethod
    def open(  # noqa: PLR0913  the public door: everything that may be chosen, each with a default
        cls,
        location: str | os.PathLike[str],
        *,
        tenant: str = "default",
        space: str = "main",
        spaces: Sequence[str] | None = None,
        embedder: Embedder | Literal["auto"] | None = "auto",
        extractor: Extractor | Literal["auto"] | None = "auto",
        arbiter: Arbiter | None = None,
        timezone: str | None = None,
        single_valued: Sequence[str] = (),
        actor: str = "local",
        read_only: bool = False,
        settings: Settings | None = None,
        clock: Clock = system_clock,
        **guards: Unpack[Guards],
    ) -> Self:
        """Open a memory, founding it when there is none.

        Args:
            location: Path of an SQLite file, `:memory:` (gone when closed), or a PostgreSQL URL.
            tenant: Whose log; several may lie in one file, and nothing crosses between them.
            space: The space that is written to.
            spaces: Those that are read, and must exist then; None: the one that is written to.
            embedder: Makes vectors. "auto": MiniLM where installed, else by hashing. None: nothing.
            extractor: Finds facts in turns. "auto": by patterns of English. None: nothing does.
            arbiter: Asked whether a new fact replaces one like it; None: it stands beside it.
            timezone: IANA name of the zone of times without an offset. None: as founded, else UTC.
            single_valued: Predicates that hold one value at a time, beside the shipped ones, and
                `preferred_*` for all that begin so; settled when the memory is founded.
            actor: Opaque name of whoever writes, in printable ASCII; it stays in the log for ever.
            read_only: Never write, lock or migrate.
            settings: Knobs; None: the defaults.
            clock: Gives microseconds since the epoch.
            guards: What is kept out, what may leave, whose word counts: see `Guards`.

        Raises:
            EgressRefused: An adapter sends text to where the profile does not allow.
            InvalidInput: Something cannot be used, or the memory was founded otherwise.
            NotFound: Opened to read only, and there is no such tenant.
            StorageError: It cannot be opened, or a later release wrote it.
        """
        parts = open_parts(
            location,
            tenant=tenant,
            space=space,
            spaces=spaces,
            embedder=embedder,
            extractor=extractor,
            arbiter=arbiter,
            timezone=timezone,
            single_valued=single_valued,
            actor=actor,
            read_only=read_only,
            settings=settings,
            clock=clock,
            guards=guards,
        )
        return cls(parts)

    def close(self) -> None:
        """Stop embedding after the step in hand and close the database; calling it again is fine.

        Turns without vectors get them when the memory is next opened.
        """
        self._opened.close()

    @traced(of_added)
    def add(  # noqa: PLR0913  everything that may be said of a call's turns
        self,
        messages: Messages,
        *,
        session: str,
        at: TimeGiven | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, MetadataValue] | None = None,
        kind: str | None = None,
        origin: str | None = None,
        session_tags: Sequence[str] = (),
        session_metadata: Mapping[str, MetadataValue] | None = None,
        idempotency_key: str | None = None,
        readmit: bool = False,
        wait_for: Literal["commit", "vectors", "facts"] = "commit",
    ) -> Added:
        """Record what was said, durably, before anything is made of it: all new turns, or none.

        Args:
            messages: `{role, content, name?, timestamp?, id?}` mappings, `Turn`s or texts, or one.
            session: Your name of the conversation, unique within the space.
            at: When the turns were said, for those that do not say it themselves.
            tags: Added to the tags of each turn.
            metadata: Added to the metadata of each turn.
            kind: The kind of turns that name none.
            origin: Lowers the origin of turns that name none: owner, agent, tool, untrusted.
            session_tags: Tags of the session, if it begins here.
            session_metadata: Metadata of the session, if it begins here.
            idempotency_key: Makes a repeated call take effect once.
            readmit: Record turns again that were erased; else they stay out and are counted.
            wait_for: "vectors" returns only when the turns can be found by their meaning, too;
                "facts" only when they were read for facts, which the result then names.

        Returns:
            Positions of the new turns, how many the session held already, and what was skipped.

        Raises:
            InvalidInput: A message cannot be stored as it is; nothing was written.
            IdempotencyConflict: The key was used for another call.
            ProjectionBehind: A projection that writing depends on has halted.
            StorageError: The database could not take it; nothing was written.
            EmbedderError, ExtractionError: What was waited for failed; the turns are recorded.
        """
        batch = SessionInput(
            session=session,
            messages=messages,
            at=at,
            tags=tags,
            metadata=metadata,
            kind=kind,
            origin=origin,
            session_tags=session_tags,
            session_metadata=session_metadata,
            idempotency_key=idempotency_key,
            readmit=readmit,
        )
        return self._record_turns(self._command(batch), wait_for)

    @traced(of_all_added)
    def add_many(
        self, sessions: Sequence[SessionInput], *, progress: Progress = no_progress
    ) -> list[Added]:
        """Record many sessions, each whole or not at all, with few flushes to disk.

        Args:
            sessions: What `add` would take, one entry a call.
            progress: Called with "add", sessions done and in all.

        Returns:
            One result per session, in order.

        Raises:
            InvalidInput: One of them cannot be stored as it is; nothing was written at all.
            SmritiError: The log refused one of them; of the others some are recorded, and calling
                again records only what is not.
        """
        commands = [self._command(batch) for batch in sessions]
        added: list[Added] = []
        while commands:
            added += self._add_part(commands[:_SESSIONS_PER_FLUSH])
            del commands[:_SESSIONS_PER_FLUSH]  # a long import need not hold what is recorded
            progress("add", len(added), len(sessions))
        return added

    def status(self) -> Status:
        """Say what there is and how well it is; cheap, and never an error of its own."""
        return read_status(self._opened)

    def describe_data_flow(self) -> DataFlow:
        """Say where the text of this memory is kept and where it can go; nothing is sent."""
        return data_flow(self._opened)

    @traced(of_rebuilt)
    def rebuild(self, name: str, *, progress: Progress = no_progress) -> RebuildReport:
        """Rebuild a projection beside the serving one and switch to it in one step.

        Rebuilding `vectors` uses the embedder that the engine has: if it is another one than made
        those that serve, it takes over, and its change is recorded (see `switch_embedder`).

        Raises:
            NotFound: There is no such projection.
            StorageBusy: Another process rebuilds it.
            EmbedderError: There is no embedder, or it is out of reach; what there was serves on.
        """
        return self._opened.rebuild(name, progress)

    def rebuild_all(
        self, names: Sequence[str] = (), *, progress: Progress = no_progress
    ) -> list[RebuildReport]:
        """Rebuild several projections in one pass over the log, and switch to all in one step.

        Vectors, which a model makes, come last and in a pass and a step of their own.

        Args:
            names: Which; none: all of them.
            progress: Called with phase, done and total (events).

        Returns:
            What was done, one report a projection.

        Raises:
            NotFound: There is no such projection.
            StorageBusy: Another process rebuilds one of them.
            EmbedderError: Vectors are among them, and the engine has no embedder or it is out of
                reach; the others are done.
        """
        return self._opened.rebuild_all(names, progress)

    def extract_pending(self, *, retry: bool = True, progress: Progress = no_progress) -> list[int]:
        """Extract facts from every turn that waits, and return then.

        Args:
            retry: Also try the turns again that an extraction failed on.
            progress: Called with "extract", done and total.

        Returns:
            Positions of the facts recorded.

        Raises:
            InvalidInput: The engine has no extractor.
        """
        worker = self._opened.extraction
        if worker is None:
            raise InvalidInput("there is no extractor", hint=EXTRACTOR_NEEDED)
        extracted = worker.extracting.run(progress=progress)
        if retry:
            extracted.join(worker.extracting.retry(progress=progress))
        self._opened.worker.wake()
        return extracted.facts

    def wait_for_vectors(self, *, progress: Progress = no_progress) -> None:
        """Embed everything that waits, trying once more what failed before, and return then.

        Where there are vectors enough for a graph, it is brought up to them, too.

        Raises:
            EmbedderError: There is no embedder for these vectors, or it is out of reach.
        """
        self._opened.worker.catch_up(progress=progress, graph=True)

    def skip(self, projection: str, position: int, reason: str) -> None:
        """Let a projection step over an event that it cannot fold, here and in every rebuild.

        Args:
            projection: Its name.
            position: The event.
            reason: Why, for the record.

        Raises:
            NotFound: There is no such projection.
            InvalidInput: There is no such event, or the projection has folded it already.
        """
        opened = self._opened
        opened.guarding.assert_owner()
        opened.projector.named(projection)
        checked_position(position, Place("position"))
        event = ProjectionSkipped(
            projection=projection, target=position, reason=checked_text(reason, Place("reason"))
        )

        def decide(transaction: Transaction) -> list[NewEvent]:
            folded = opened.projector.serving_in(transaction)[projection].folded
            _assert_steppable(projection, position, folded, transaction.size)
            return [NewEvent(event, (position,))]

        opened.log.append(decide, actor=opened.actor)
        opened.projector.catch_up(projection)

    def _record_turns(self, command: RecordTurns, wait_for: str) -> Added:
        opened = self._opened
        check_wait(opened, wait_for)
        with opened.adding():
            commit = opened.log.append(command, actor=opened.actor, once=command.once)
            extracted = self._extract(commit.events)
        added = added_by(command, commit, opened.log, extracted)
        return waited_for(wait_for, opened, added, commit.last)

    def _add_part(self, commands: Sequence[RecordTurns]) -> list[Added]:
        opened = self._opened
        requests = [Append(each, opened.actor, once=each.once) for each in commands]
        recorded: list[RecordedEvent] = []
        added: list[Added] = []
        with opened.adding():
            for command, outcome in zip(commands, opened.log.append_all(requests), strict=True):
                if isinstance(outcome, Exception):
                    raise outcome
                recorded += outcome.events
                added.append(added_by(command, outcome, opened.log))
            self._extract(recorded)
        return added

    def _extract(self, recorded: Sequence[RecordedEvent]) -> Extracted:
        """Let facts and vectors follow what was recorded."""
        worker = self._opened.extraction
        extracted = Extracted() if worker is None else worker.after_add(recorded)
        self._opened.worker.wake()
        return extracted

    def _command(self, batch: SessionInput) -> RecordTurns:
        opened = self._opened
        return RecordTurns.of(
            batch,
            projector=opened.projector,
            space=opened.space,
            zone=opened.zone,
            limits=opened.settings.limits,
            screening=opened.guarding.screening,
            most_trusted=opened.guarding.origin,
        )


def _assert_steppable(projection: str, position: int, folded: int, size: int) -> None:
    """Refuse to step over what a projection has folded, and over what is no event."""
    if folded <= position < size:
        return
    ahead = (
        f"positions from {folded} to {size - 1}" if folded < size else "nothing: it is up to date"
    )
    raise InvalidInput(
        f"projection {projection} can step over {ahead}; {position} was named",
        hint="The status names the event at which a projection has halted.",
    )
