"""What was attested of a log, beside what its events give."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from sqlalchemy import Connection, select

from smriti_es.events.catalogue import KeyRotated, LogRestored
from smriti_es.events.checkpoint import Checkpoint, key_name, log_id_of, origin_of
from smriti_es.events.errors import IntegrityError, InvalidInput
from smriti_es.events.header import Header
from smriti_es.events.log_keys import LogKey, gives_up, keys_in
from smriti_es.events.tables import checkpoint_table
from smriti_es.events.tree_verification import TreeMadeAnew

# Events that say who attests the log, and as what.
_MARKS: Final = frozenset({KeyRotated.TYPE, LogRestored.TYPE})


class Wrong(NamedTuple):
    """One thing that is wrong: the event from which on, where, and what."""

    position: int | None
    place: str
    problem: str


@dataclass(slots=True)
class Attested:
    """The checkpoints that a log is compared with.

    Attributes:
        given: Checkpoints from elsewhere, which somebody asked about.
        known: Checkpoints from elsewhere that must be the log's own.
        damaged: What is wrong with those from elsewhere.
        unproved: What could not be decided, in words.
    """

    given: Sequence[Checkpoint] = ()
    known: Sequence[Checkpoint] = ()
    damaged: list[Wrong] = field(default_factory=list)
    unproved: list[str] = field(default_factory=list)
    _marks: list[Header] = field(default_factory=list)
    _kept: list[Checkpoint] = field(default_factory=list)
    _keys: list[LogKey] = field(default_factory=list)

    def load(self, connection: Connection, log: int) -> None:
        """Read the checkpoints that the database keeps."""
        columns = checkpoint_table.c
        statement = select(columns.size, columns.origin, columns.note).where(columns.log == log)
        for row in connection.execute(statement.order_by(columns.size)):
            try:
                found = Checkpoint.parse(row.note)
            except (InvalidInput, TypeError) as error:
                self.damaged.append(beside(f"that of {row.size!r} events is none: {error}"))
                continue
            if (found.size, found.origin) != (row.size, row.origin):
                self.damaged.append(beside(f"that of {row.size!r} events is another one"))
            self._kept.append(found)

    def note(self, header: Header) -> None:
        """Keep a header that says who attests the log; it is told of every one, in order."""
        if header.type in _MARKS:
            self._marks.append(header)

    def sizes(self) -> list[int]:
        """Give the sizes at which the root of the tree matters, ascending."""
        return sorted({each.size for each in (*self._kept, *self.known, *self.given)})

    def wrong(self, log_id: str | None, tree: TreeMadeAnew, events: int) -> Iterator[Wrong]:
        """Compare everything with the tree that the events gave.

        Args:
            log_id: The log's id, as its events have it.
            tree: The tree; its roots were noted at `sizes`.
            events: How many there are.
        """
        yield from self.damaged
        if log_id is None:
            return  # there is no event that could tell
        yield from self._wrong_keys(log_id)
        restored = [each for each in self._marks if each.type == LogRestored.TYPE]
        origin = origin_of(log_id, restored[-1].position if restored else None)
        # What is kept from before the log was restored is not compared.
        own = [each for each in self._kept if each.origin == origin]
        own += [
            each for each in self.known if not any(gives_up(header, each) for header in restored)
        ]
        good = 0
        for each in sorted(own, key=lambda one: one.size):
            problem = _problem(each, tree, events, good)
            if problem is not None:
                yield problem
            elif not self._is_signed(each):
                yield beside(f"that of {each.size} events is not signed by the log's key")
            else:
                good = each.size
        for each in self.given:
            yield from self._wrong_given(each, log_id, origin, tree, events)

    def _wrong_keys(self, log_id: str) -> Iterator[Wrong]:
        rotations = [each for each in self._marks if each.type == KeyRotated.TYPE]
        before = ""
        for header in rotations:
            try:
                (key,) = keys_in([header])
            except IntegrityError as error:
                yield Wrong(header.position, "event.header", str(error))
                continue
            lost = header.facets.get("endorsement") == ""
            if key.key.name != key_name(log_id):
                yield Wrong(header.position, "event.header", "names a key of another log")
            elif key.previous != before or not (key.is_endorsed or lost):
                yield Wrong(
                    header.position, "event.header", "names a key that none before endorsed"
                )
            before = str(key.key)
            self._keys.append(key)

    def _is_signed(self, checkpoint: Checkpoint) -> bool:
        """Tell whether the key that was in force at its size signed it."""
        in_force = [each for each in self._keys if each.position < checkpoint.size]
        return bool(in_force) and checkpoint.note.is_signed_by(in_force[-1].key)

    def _wrong_given(
        self, given: Checkpoint, log_id: str, origin: str, tree: TreeMadeAnew, events: int
    ) -> Iterator[Wrong]:
        if log_id_of(given.origin) != log_id:
            yield beside(f"is one of {given.origin!r}, this is {origin!r}")
            return
        problem = _problem(given, tree, events, 0)
        if problem is not None and given.origin != origin:
            told = f"{problem.problem} (the log was restored since: its checkpoints name {origin})"
            yield problem._replace(problem=told)
        elif problem is not None:
            yield problem
        elif given.size not in tree.roots:
            self.unproved.append(f"events before {given.size} are missing: nothing can be proved")
        elif not self._is_signed(given):
            self.unproved.append(
                f"the checkpoint of {given.size} events is not signed by the key that the log "
                "names: the log continues it, but it may be anybody's"
            )


def _problem(checkpoint: Checkpoint, tree: TreeMadeAnew, events: int, good: int) -> Wrong | None:
    """Say how a log fails to continue a checkpoint; None when it does, or nobody can know.

    Args:
        checkpoint: The checkpoint.
        tree: The tree made anew.
        events: How many events there are.
        good: How many of the first events were attested by a checkpoint that holds.
    """
    if checkpoint.size > events:
        told = f"attests {checkpoint.size} events, there are {events}: the end was cut off"
        return Wrong(events, "checkpoint", told)
    root = tree.roots.get(checkpoint.size)
    if root is None or root == checkpoint.root:
        return None
    told = f"attests other events than those at positions {good} to {checkpoint.size - 1}"
    return Wrong(good, "checkpoint", told)


def beside(problem: str) -> Wrong:
    """Say what is wrong with a checkpoint, whatever the events are."""
    return Wrong(None, "checkpoint", problem)
