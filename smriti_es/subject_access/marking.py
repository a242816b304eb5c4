"""Which events are held on somebody, and why: one look over the log, one byte for each event.

The first pass marks what names them or was said by them, and what that rests on; the second, by
headers alone, what was made of it and decided about it. No other table is asked, so that what is
withheld, waits for review, was turned down or taken back is found like anything else.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntFlag
from typing import Final

from smriti_es.events.catalogue import (
    ExtractionCompleted,
    ExtractionFailed,
    FactAsserted,
    FactEnded,
    SessionStarted,
    TurnRecorded,
)
from smriti_es.events.header import Header
from smriti_es.events.records import RecordedEvent
from smriti_es.subject_access.naming import Person


class Mark(IntFlag):
    """Why an event is held on somebody, and what kind of event it is; together one byte."""

    NAMED = 1
    SAID = 2
    SOURCE = 4
    FOLLOWS = 8
    TURN = 16
    EXTRACTION = 32
    FACT = 64
    ELSEWHERE = 128


HELD: Final = Mark.NAMED | Mark.SAID | Mark.SOURCE | Mark.FOLLOWS
_THEIRS: Final = Mark.NAMED | Mark.SAID
_KINDS: Final = {
    SessionStarted.TYPE: Mark.TURN,
    TurnRecorded.TYPE: Mark.TURN,
    ExtractionCompleted.TYPE: Mark.EXTRACTION,
    ExtractionFailed.TYPE: Mark.EXTRACTION,
    FactAsserted.TYPE: Mark.FACT,
    FactEnded.TYPE: Mark.FACT,
}


@dataclass(slots=True)
class Marks:
    """What is held on somebody in a log of so many events.

    Attributes:
        person: Who.
        spaces: The spaces that are looked into.
        size: How many events the log has.
        erased: How many events say nothing any more; whether they spoke of them nobody can tell.
        elsewhere: Names of the spaces that were met and not looked into.
        flags: A byte an event, see `Mark`.
    """

    person: Person
    spaces: frozenset[str]
    size: int
    erased: int = 0
    elsewhere: set[str] = field(default_factory=set)
    flags: bytearray = field(init=False)

    def __post_init__(self) -> None:
        self.flags = bytearray(self.size)

    def look_at(self, recorded: RecordedEvent) -> None:
        """Mark one event for what it says, and what it rests on; to be called in order."""
        header, said = recorded.header, recorded.event
        at = header.position
        self.flags[at] |= _KINDS.get(header.type, Mark(0))
        if said is None:
            self.erased += 1
        if self._lies_elsewhere(recorded):
            self.flags[at] |= Mark.ELSEWHERE
            return
        if said is not None and (why := self._why(recorded)):
            self.flags[at] |= why
            if self.flags[at] & Mark.FACT:
                self._mark_sources(header)

    def follow(self, recorded: RecordedEvent) -> None:
        """Mark what was made of marked events, or decided about them; to be called in order."""
        header, at = recorded.header, recorded.position
        flags = self.flags[at]
        if flags & Mark.ELSEWHERE:
            return
        if flags & Mark.TURN:
            if flags & HELD and "session" in header.facets:
                self.flags[header.facets["session"]] |= Mark.SOURCE
        elif not flags & HELD and any(map(self._passes_on(header), _touched_by(header))):
            self.flags[at] |= Mark.FOLLOWS

    def held(self, kinds: int | None = None) -> Iterator[int]:
        """Give the positions of what is held, ascending.

        Args:
            kinds: Only of these kinds, as flags; 0: of none of them. None: of any.
        """
        every = Mark.TURN | Mark.EXTRACTION | Mark.FACT
        for position, flags in enumerate(self.flags):
            if flags & HELD and (
                kinds is None or flags & kinds or (kinds == 0 and not flags & every)
            ):
                yield position

    def is_about_others(self, position: int) -> bool:
        """Tell whether a statement is held only because it rests on something of theirs."""
        flags = self.flags[position]
        return bool(flags & Mark.FACT) and flags & HELD == Mark.FOLLOWS

    def _why(self, recorded: RecordedEvent) -> Mark:
        said, person = recorded.event, self.person
        why = Mark(0)
        if isinstance(said, TurnRecorded) and person.says(said):
            why |= Mark.SAID
        if isinstance(said, FactAsserted):
            named = (said.subject, said.object, *said.entities)
        elif isinstance(said, FactEnded):
            named = (said.subject, said.object)
        else:
            named = ()
        if person.is_one_of(named) or person.is_named_in(said):
            why |= Mark.NAMED
        return why

    def _mark_sources(self, header: Header) -> None:
        """Mark the turns and the extraction that a statement came from; not its premises."""
        for parent in header.refs:
            if self.flags[parent] & (Mark.TURN | Mark.EXTRACTION):
                self.flags[parent] |= Mark.SOURCE

    def _passes_on(self, header: Header) -> "_PassesOn":
        statement = bool(self.flags[header.position] & Mark.FACT)
        return _PassesOn(self.flags, _THEIRS if statement else HELD, statement=statement)

    def _lies_elsewhere(self, recorded: RecordedEvent) -> bool:
        said, header = recorded.event, recorded.header
        if isinstance(said, (SessionStarted, FactAsserted, FactEnded)):
            if said.space in self.spaces:
                return False
            self.elsewhere.add(said.space)
            return True
        elsewhere = (self.flags[each] & Mark.ELSEWHERE for each in _touched_by(header))
        return bool(next(elsewhere, False)) and all(elsewhere)


@dataclass(frozen=True, slots=True)
class _PassesOn:
    """Tells whether what refers to an event is held because that is.

    Of what an extraction found only what rests on a marked turn is, and what is decided about a
    statement on somebody else is theirs alone.
    """

    flags: bytearray
    reasons: Mark
    statement: bool

    def __call__(self, position: int) -> bool:
        flags = self.flags[position]
        if self.statement and flags & Mark.EXTRACTION:
            return False
        if flags & Mark.FACT and flags & HELD == Mark.FOLLOWS:
            return False
        return bool(flags & self.reasons)


def _touched_by(header: Header) -> Iterator[int]:
    """Give what an event refers to, and what it names in ranges of positions, one by one."""
    yield from header.refs
    for first, last in header.facets.get("ranges", ()):
        yield from range(first, min(last + 1, header.position))
