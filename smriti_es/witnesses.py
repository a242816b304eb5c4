"""Witnesses: others who remember how far a log has come, and sign only what goes on from there.

Source: c2sp.org/tlog-cosignature.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final, Protocol

from filelock import FileLock

from smriti_es.clock import system_clock
from smriti_es.events.checkpoint import Checkpoint
from smriti_es.events.errors import InvalidInput, LogRolledBack, StorageUnavailable
from smriti_es.events.log import Clock
from smriti_es.events.merkle_tree import is_consistent
from smriti_es.events.signed_note import (
    COSIGNATURE,
    NoteKey,
    NoteSignature,
    cosignature,
    cosigned_message,
)
from smriti_es.rollback_guard import RollbackGuard
from smriti_es.signing_key import KeyFile

_SECOND: Final = 1_000_000
# Size of an older tree -> the proof that the checkpoint's begins with it.
ConsistencyFrom = Callable[[int], Sequence[bytes]]


class Witness(Protocol):
    """Somebody who signs checkpoints that go on from those that it signed before.

    Attributes:
        key: What its signatures are checked with.
        endpoint: Where checkpoints are sent to; None when they stay on this machine.
    """

    key: NoteKey
    endpoint: str | None

    def cosign(
        self, checkpoint: Checkpoint, seen: int, consistency_from: ConsistencyFrom
    ) -> NoteSignature:
        """Sign a checkpoint.

        Args:
            checkpoint: The checkpoint, signed by the log.
            seen: How many events the last checkpoint had that this witness is known to have signed.
            consistency_from: Proves that the checkpoint goes on from an older size.

        Raises:
            LogRolledBack: The witness has seen more, or something else.
            WitnessError: It did not sign.
        """


@dataclass(slots=True)
class FolderWitness:
    """A witness that is a folder, best on another disk: it remembers, and signs with its own key.

    Whoever may write to the folder can make it forget; it is for those who have no other.

    Args:
        folder: Where it keeps its key and what it has seen; made when it is not there.
        clock: Gives microseconds since the epoch.

    Raises:
        StorageUnavailable: The folder cannot be used.
    """

    folder: Path
    clock: Clock = system_clock
    endpoint: str | None = None
    key: NoteKey = field(init=False)
    _file: KeyFile = field(init=False)

    def __post_init__(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise StorageUnavailable(f"{self.folder} cannot be made: {error.strerror}") from error
        self._file = KeyFile(self.folder / "witness.key")
        public_key = self._file.made().public_key
        name = f"smriti-es-witness/{sha256(public_key).hexdigest()[:16]}"
        self.key = NoteKey(name, COSIGNATURE, public_key)

    def cosign(
        self,
        checkpoint: Checkpoint,
        seen: int,  # noqa: ARG002  it knows better itself
        consistency_from: ConsistencyFrom,
    ) -> NoteSignature:
        """Sign a checkpoint that goes on from the last one seen (see `Witness`)."""
        name = sha256(checkpoint.origin.encode()).hexdigest()[:32]
        memory = RollbackGuard(self.folder / f"{name}.checkpoint")
        with FileLock(self.folder / f"{name}.lock", mode=0o600):
            last = memory.read()
            if last is not None:
                _assert_goes_on(last, checkpoint, consistency_from)
            seen_at = self.clock() // _SECOND
            message = cosigned_message(checkpoint.note.text, seen_at)
            signature = cosignature(self._file.read().sign(message), seen_at)
            signed = NoteSignature(self.key.name, self.key.id, signature)
            # Remembered before it is told, so that no crash can make it sign a fork.
            memory.keep(checkpoint.with_signatures([signed]))
        return signed


def _assert_goes_on(
    last: Checkpoint, checkpoint: Checkpoint, consistency_from: ConsistencyFrom
) -> None:
    if last.size <= checkpoint.size:
        proof = consistency_from(last.size)
        if is_consistent(last.size, checkpoint.size, proof, last.root, checkpoint.root):
            return
    raise seen_otherwise(last.size, checkpoint.size)


def seen_otherwise(seen: int, size: int) -> LogRolledBack:
    """Say that a witness has seen another log than the one it is shown."""
    return LogRolledBack(
        f"the witness has signed {seen} events of this log; these {size} do not go on from them",
        size=size,
        attested=seen,
    )


def witness_at(place: str, clock: Clock = system_clock) -> Witness:
    """Give the witness at a place, as the command line names it.

    Args:
        place: A folder; or the address of a witness, `#` and its public key.
        clock: Gives microseconds since the epoch.

    Raises:
        InvalidInput: An address without a key, or one that is none.
        StorageUnavailable: The folder cannot be used.
    """
    if not place.startswith(("http://", "https://")):
        return FolderWitness(Path(os.path.expanduser(place)), clock)
    from smriti_es.http_witness import HttpWitness

    address, mark, key = place.partition("#")
    if not mark:
        raise InvalidInput(
            f"{address} names no public key, and without it nobody knows who signs",
            hint="Write it behind the address: URL#name+id+base64.",
            field="witness",
        )
    return HttpWitness(address, NoteKey.parse(key))
