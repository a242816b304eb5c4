"""Record what readers of other programs' files give: in parts, each whole, and only what is new."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from smriti_es.events.errors import InvalidInput, NotAllowed
from smriti_es.events.records import Append, NewEvent, Transaction
from smriti_es.fact_verbs import FactVerbs
from smriti_es.importers.formats import Source
from smriti_es.importers.recognition import messages_of, recognisable
from smriti_es.importers.records import Conversation, Item, LeftOut, StatedAlias, StatedFact
from smriti_es.opened import Opened
from smriti_es.projections.projector import Progress
from smriti_es.recording import RecordTurns, SessionInput
from smriti_es.results import Added

# What is recorded with one flush, and is done again after a crash: so many parts, or messages.
_PARTS_MAX: Final = 64
_MESSAGES_MAX: Final = 2_000

Mode = Literal["check", "rehearse", "record"]


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What holds for everything of an import; see `Engine.import_file`."""

    session_prefix: str = ""
    origin: str | None = None
    tags: Sequence[str] = ()
    readmit: bool = False


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did, or in a dry run would have done.

    Attributes:
        path: The file or folder.
        format: The format that it was read in.
        dry_run: Whether nothing was written.
        sessions: How many sessions there are in it.
        recorded: How many turns were recorded.
        replayed: How many turns were there already.
        erased: How many turns had been erased, and stay out.
        stated: How many facts and aliases were recorded; in a dry run, how many there are.
        left_out: Every record that was not imported, with its place and why.
        kept: Session and id of each turn that came again with other words; the stored ones stay.
        redacted: Kind of credential -> how many were replaced.
        stripped: How many contexts of a memory were taken out.
        head: Position of the last event of the log afterwards.
    """

    path: str
    format: str
    dry_run: bool
    sessions: int
    recorded: int
    replayed: int
    erased: int
    stated: int
    left_out: tuple[LeftOut, ...]
    kept: tuple[tuple[str, str], ...]
    redacted: Mapping[str, int] = field(hash=False)
    stripped: int
    head: int

    @property
    def faults(self) -> tuple[LeftOut, ...]:
        """What could not be understood."""
        return tuple(each for each in self.left_out if each.is_fault)

    @property
    def reasons(self) -> dict[str, int]:
        """How many records were left out for each reason."""
        counted: Counter[str] = Counter()
        for each in self.left_out:
            counted[each.reason] += each.count
        return dict(sorted(counted.items()))


@dataclass(slots=True)
class Tally:
    """What an import has done so far."""

    sessions: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    left_out: list[LeftOut] = field(default_factory=list)
    kept: list[tuple[str, str]] = field(default_factory=list)
    redacted: Counter[str] = field(default_factory=Counter)

    def done(self, source: Source, *, dry_run: bool, head: int) -> Imported:
        """Give it as a result."""
        return Imported(
            path=os.fspath(source.path),
            format=source.format,
            dry_run=dry_run,
            sessions=len(self.sessions),
            recorded=self.counts["recorded"],
            replayed=self.counts["replayed"],
            erased=self.counts["erased"],
            stated=self.counts["stated"],
            left_out=tuple(self.left_out),
            kept=tuple(self.kept),
            redacted=dict(sorted(self.redacted.items())),
            stripped=self.counts["stripped"],
            head=head,
        )


@dataclass(frozen=True, slots=True)
class Memory:
    """What an import needs of the engine that it records with.

    Attributes:
        opened: Its parts.
        command: Checks a session.
        add_part: Records checked sessions with one flush.
        facts: Whose facts are stated; in a rehearsal, a memory that is gone afterwards.
    """

    opened: Opened
    command: Callable[[SessionInput], RecordTurns]
    add_part: Callable[[Sequence[RecordTurns]], list[Added]]
    facts: FactVerbs


class Import:
    """One pass over a source.

    Args:
        memory: Where to.
        source: What is read.
        options: What holds for all of it.
        mode: "check" looks whether everything can be recorded; "rehearse" also decides what is new,
            and writes nothing; "record" writes.
        progress: Called with "import file", bytes read and in all.
    """

    def __init__(
        self,
        memory: Memory,
        source: Source,
        options: ImportOptions,
        mode: Mode,
        progress: Progress,
    ) -> None:
        self._memory = memory
        self._source = source
        self._options = options
        self._mode = mode
        self._progress = progress
        self._pending: list[RecordTurns] = []
        self._read = 0
        self._size = source.size
        self.tally = Tally()

    def run(self) -> Tally:
        """Read everything, and do with it what the mode says."""
        for item in self._source.items(self._advanced):
            self._take(item)
        self._flush()
        # What is told when a session is whole comes after lines that stand below it.
        self.tally.left_out.sort(key=lambda each: (each.place.file, each.place.line or 0))
        return self.tally

    def _advanced(self, count: int) -> None:
        self._read += count
        self._progress("import file", self._read, max(self._size, self._read))

    def _take(self, item: Item) -> None:
        match item:
            case LeftOut():
                self.tally.left_out.append(item)
            case Conversation():
                self._converse(item)
            case StatedFact() | StatedAlias():
                self._state(item)

    def _converse(self, conversation: Conversation) -> None:
        size = self._memory.opened.settings.limits.messages_max
        for part in _parts(conversation, size, self.tally.left_out):
            for command in self._fitting(part):
                self._pending.append(command)
                self.tally.sessions.add(command.session)
        waiting = sum(len(each.captured.turns) for each in self._pending)
        if len(self._pending) >= _PARTS_MAX or waiting >= _MESSAGES_MAX:
            self._flush()

    def _fitting(self, part: Conversation) -> Iterator[RecordTurns]:
        """Give the command that records what can be recorded of a part, if anything can."""
        try:
            command = self._command(part)
        except InvalidInput:
            part = self._without_faults(part)
            if not part.messages:
                return
            try:
                command = self._command(part)
            except InvalidInput as error:
                self.tally.left_out.append(LeftOut(part.place, "unreadable", str(error)))
                return
        for skipped in command.captured.skipped:
            pattern = "" if skipped.pattern is None else f"it fits {skipped.pattern}"
            place = part.places[skipped.index]
            self.tally.left_out.append(LeftOut(place, skipped.reason, pattern))
        if command.captured.turns:
            yield command

    def _without_faults(self, part: Conversation) -> Conversation:
        """Look at each message by itself, and leave out those that cannot be recorded."""
        fitting: list[int] = []
        first: dict[str, int] = {}
        for index, message in enumerate(part.messages):
            alone = replace(part, messages=[message])
            try:
                turns = self._command(alone).captured.turns
            except InvalidInput as error:
                if getattr(error, "index", None) is None:  # it is of the session, not the message
                    self.tally.left_out.append(LeftOut(part.place, "unreadable", str(error)))
                    return replace(part, messages=[])
                problem = str(error).removeprefix("message 0: ")
                self.tally.left_out.append(LeftOut(part.places[index], "unreadable", problem))
                continue
            name = turns[0].source_id if turns else None
            before = index if name is None else first.setdefault(name, index)
            if part.messages[before] != message:
                problem = f"id {name!r} already stands for another message"
                self.tally.left_out.append(LeftOut(part.places[index], "unreadable", problem))
                continue
            fitting.append(index)
        return replace(
            part,
            messages=[part.messages[index] for index in fitting],
            places=[part.places[index] for index in fitting],
        )

    def _command(self, part: Conversation) -> RecordTurns:
        options = self._options
        given = SessionInput(
            session=f"{options.session_prefix}{part.session}",
            messages=[dict(each) for each in part.messages],
            at=part.at,
            tags=options.tags,
            origin=options.origin,
            session_tags=part.tags,
            session_metadata=part.metadata,
            readmit=options.readmit,
        )
        (known,) = recognisable([given], space=self._memory.opened.space)
        # A reader's own word on origin is lowered, too.
        if options.origin is not None:
            known = replace(
                known, messages=[_lowered(e, options.origin) for e in messages_of(known)]
            )
        return self._memory.command(known)

    def _state(self, item: StatedFact | StatedAlias) -> None:
        facts = self._memory.facts
        try:
            if isinstance(item, StatedAlias):
                before = facts._opened.log.head
                facts.alias(item.alias, item.canonical)
                new = facts._opened.log.head > before
            else:
                origin = {} if self._options.origin is None else {"origin": self._options.origin}
                new = facts.assert_fact(*item.words, **(dict(item.options) | origin)) >= 0
        except (InvalidInput, NotAllowed) as error:
            self.tally.left_out.append(LeftOut(item.place, "unreadable", str(error)))
            return
        self.tally.counts["stated" if new else "stated before"] += 1

    def _flush(self) -> None:
        commands, self._pending = self._pending, []
        if not commands or self._mode == "check":
            return
        if self._mode == "rehearse":
            self._rehearse(commands)
            return
        for command, added in zip(commands, self._memory.add_part(commands), strict=True):
            new = 0 if added.repeated else len(added.positions)
            self._count(command, new)

    def _rehearse(self, commands: Sequence[RecordTurns]) -> None:
        opened = self._memory.opened
        rehearsed = [_Rehearsed(each) for each in commands]
        requests = [Append(each, opened.actor, once=each.command.once) for each in rehearsed]
        for each, outcome in zip(rehearsed, opened.log.append_all(requests), strict=True):
            if isinstance(outcome, Exception):
                raise outcome
            self._count(each.command, 0 if outcome.replayed else each.turns)

    def _count(self, command: RecordTurns, new: int) -> None:
        tally = self.tally
        tally.counts["recorded"] += new
        tally.counts["erased"] += command.erased
        tally.counts["replayed"] += len(command.captured.turns) - new - command.erased
        tally.counts["stripped"] += command.captured.stripped
        tally.redacted.update(command.captured.redacted)
        tally.kept += [(command.session, each) for each in command.kept]


@dataclass(slots=True)
class _Rehearsed:
    """A command that decides and records nothing.

    Attributes:
        command: The command.
        turns: After it ran, how many turns it would have recorded.
    """

    command: RecordTurns
    turns: int = 0

    def __call__(self, transaction: Transaction) -> list[NewEvent]:
        """Decide, and give no events."""
        events = self.command(transaction)
        self.turns = sum(each.event.TYPE == "TurnRecorded" for each in events)
        return []


def _lowered(message: dict[str, Any], origin: str) -> dict[str, Any]:
    """Let the origin of the call stand, where a reader named another."""
    return {key: value for key, value in message.items() if key != "origin"} | {"origin": origin}


def _parts(
    conversation: Conversation, size: int, left_out: list[LeftOut]
) -> Iterator[Conversation]:
    """Part a conversation into what one call may hold."""
    messages, places = list(conversation.messages), list(conversation.places)
    if len(messages) > size:
        known = [
            each.get("id") is not None or each.get("timestamp") is not None for each in messages
        ]
        problem = f"has neither id nor timestamp, in a session of {len(messages)} messages"
        left_out += [
            LeftOut(place, "unreadable", problem)
            for place, is_known in zip(places, known, strict=True)
            if not is_known
        ]
        messages = [each for each, is_known in zip(messages, known, strict=True) if is_known]
        places = [each for each, is_known in zip(places, known, strict=True) if is_known]
    for start in range(0, len(messages), size):
        stop = start + size
        yield replace(conversation, messages=messages[start:stop], places=places[start:stop])


def refuse_faults(tally: Tally) -> None:
    """Refuse what could not be understood whole.

    Raises:
        InvalidInput: Some record could not.
    """
    faults = [each for each in tally.left_out if each.is_fault]
    if faults:
        more = f", and {len(faults) - 1:,} more like it" if faults[1:] else ""
        raise InvalidInput(
            f"{faults[0]}{more}",
            hint="Mend the file, or leave out --strict to import the rest.",
            faults=len(faults),
        )
