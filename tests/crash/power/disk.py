"""A disk that remembers what was written to it in order, and what of that was synced.

From a recording follows every state in which the power can have failed: whatever was synced is
there, and of what was not each write is there, is not, or is torn, whatever became of the writes
before it. What a sector holds is all old or all new. Entries of the folder are kept, like the
content of a file, only once the folder is synced.
"""

import random
import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

SECTOR: Final = 512


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes were written to a file."""

    file: int
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Resize:
    """A file was cut or made longer."""

    file: int
    size: int


@dataclass(frozen=True, slots=True)
class Sync:
    """What was written to a file was brought to the disk."""

    file: int


@dataclass(frozen=True, slots=True)
class Enter:
    """A file got its name in the folder, which another name of it lost, if there is one."""

    name: str
    file: int
    instead_of: str | None = None


@dataclass(frozen=True, slots=True)
class Remove:
    """A name was taken out of the folder."""

    name: str


@dataclass(frozen=True, slots=True)
class SyncFolder:
    """The names in the folder were brought to the disk."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Somebody was told something: no operation, but what was before it is acknowledged."""

    what: str
    value: int


Operation = Write | Resize | Sync | Enter | Remove | SyncFolder | Mark


class Disk:
    """Records what happens to the files of one folder.

    Whoever does something to a file holds `lock` while it is done and recorded, so that both happen
    in one order.

    Args:
        files: What lies in the folder at the beginning, and is synced.
    """

    def __init__(self, files: dict[str, bytes]) -> None:
        self.lock = threading.RLock()
        self.operations: list[Operation] = []
        self.begun = [bytes(content) for content in files.values()]
        self.names = {name: number for number, name in enumerate(files)}
        self.begun_names = dict(self.names)
        self._next = len(self.begun)

    def entered(self, name: str) -> int:
        """Give the number of a file by its name; one that is new enters the folder."""
        if name not in self.names:
            self.names[name] = self._next
            self._next += 1
            self.operations.append(Enter(name, self.names[name]))
        return self.names[name]

    def renamed(self, source: str, target: str) -> None:
        """A file got another name."""
        self.names[target] = self.names.pop(source)
        self.operations.append(Enter(target, self.names[target], source))

    def linked(self, name: str, another: str) -> None:
        """A file got a second name."""
        self.names[another] = self.names[name]
        self.operations.append(Enter(another, self.names[another]))

    def removed(self, name: str) -> None:
        """A file was deleted."""
        if self.names.pop(name, None) is not None:
            self.operations.append(Remove(name))

    def record(self, operation: Operation) -> None:
        """Something else happened."""
        with self.lock:
            self.operations.append(operation)


@dataclass(slots=True)
class Fates:
    """Decides what becomes of each operation that was not synced.

    Attributes:
        chance: Where chance comes from.
        kept: With which probability an operation is kept whole.
        torn: With which probability a write that is not kept whole is torn.
        in_order: After how many operations that are kept no other is; None: each by itself.
        counts: How many were kept, torn, and dropped.
    """

    chance: random.Random
    kept: float
    torn: float
    in_order: int | None = None
    counts: Counter[str] = field(default_factory=Counter)

    @classmethod
    def drawn(cls, chance: random.Random, pending: int) -> "Fates":
        """Choose how bad it gets; now and then the disk simply stops, as most disks would."""
        kept, torn = chance.choice(((1.0, 0.0), (0.9, 0.5), (0.5, 0.5), (0.2, 0.5), (0.0, 0.0)))
        if chance.random() < 0.25:
            return cls(chance, 1.0, torn, chance.randint(0, pending))
        return cls(chance, kept, torn)

    def decide(self, operation: Operation) -> str:
        """Say what becomes of one operation: kept, torn or dropped."""
        if self.in_order is not None:
            self.in_order -= 1
            stopped = self.in_order < 0
        else:
            stopped = self.chance.random() >= self.kept
        fate = "kept"
        if stopped:
            tears = isinstance(operation, Write) and self.chance.random() < self.torn
            fate = "torn" if tears else "dropped"
        self.counts[fate] += 1
        return fate


def after_power_loss(
    disk: Disk, cut: int, chance: random.Random, *, syncs: bool = True
) -> tuple[dict[str, bytes], Counter[str]]:
    """Give what the folder holds when the power failed before an operation.

    Args:
        disk: The recording.
        cut: How many operations had been done.
        chance: Decides what becomes of those that were not synced.
        syncs: Off: the disk only says that it has synced.

    Returns:
        The files by name, and how many operations were kept, torn and dropped.
    """
    files = [bytearray(content) for content in disk.begun]
    names, pending = dict(disk.begun_names), list[Operation]()
    for operation in disk.operations[:cut]:
        if isinstance(operation, Sync | SyncFolder):
            if syncs:
                pending = _brought_to_disk(pending, files, names, _of(operation))
        elif not isinstance(operation, Mark):
            pending.append(operation)
    fates = Fates.drawn(chance, len(pending))
    for operation in pending:
        fate = fates.decide(operation)
        if fate == "torn":
            assert isinstance(operation, Write)
            _tear(operation, _content(files, operation.file), chance)
        elif fate == "kept":
            _apply(operation, files, names)
    return {name: bytes(_content(files, number)) for name, number in names.items()}, fates.counts


def _brought_to_disk(
    pending: list[Operation], files: list[bytearray], names: dict[str, int], file: int | None
) -> list[Operation]:
    """Apply what is pending for a file, or for the folder; gives what is still pending."""
    left = list[Operation]()
    for operation in pending:
        if _of(operation) == file:
            _apply(operation, files, names)
        else:
            left.append(operation)
    return left


def _of(operation: Operation) -> int | None:
    """Give the file whose content an operation is about; None: it is about the folder."""
    return operation.file if isinstance(operation, Write | Resize | Sync) else None


def _apply(operation: Operation, files: list[bytearray], names: dict[str, int]) -> None:
    match operation:
        case Write(file, offset, data):
            content = _content(files, file)
            _lengthen(content, offset)
            content[offset : offset + len(data)] = data
        case Resize(file, size):
            content = _content(files, file)
            del content[size:]
            _lengthen(content, size)
        case Enter(name, file, instead_of):
            if instead_of is not None:
                names.pop(instead_of, None)
            names[name] = file
        case Remove(name):
            names.pop(name, None)


def _tear(write: Write, content: bytearray, chance: random.Random) -> None:
    """Bring some sectors of a write to the disk; where the file grew, the others hold anything."""
    end = write.offset + len(write.data)
    _lengthen(content, write.offset)
    content.extend(chance.randbytes(max(0, end - len(content))))
    start = write.offset
    while start < end:
        stop = min(end, start - start % SECTOR + SECTOR)
        if chance.random() < 0.5:
            content[start:stop] = write.data[start - write.offset : stop - write.offset]
        start = stop


def _content(files: list[bytearray], number: int) -> bytearray:
    while len(files) <= number:
        files.append(bytearray())
    return files[number]


def _lengthen(content: bytearray, size: int) -> None:
    content.extend(bytes(max(0, size - len(content))))
