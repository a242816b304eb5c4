"""Checkpoints: how many events a log has and the root of their tree, in a signed note.

Source: c2sp.org/tlog-checkpoint.
"""

import base64
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from smriti_es.events.errors import InvalidInput
from smriti_es.events.merkle_tree import HASH_BYTES
from smriti_es.events.signed_note import NoteKey, NoteSignature, SignedNote, decoded

_NAMESPACE: Final = "smriti-es"
_COUNT: Final = re.compile("0|[1-9][0-9]{0,18}")
_LINES: Final = 3


def key_name(log_id: str) -> str:
    """Give the name of the keys that sign a log's checkpoints."""
    return f"{_NAMESPACE}/{log_id}"


def origin_of(log_id: str, restored_at: int | None) -> str:
    """Give the identity of a log in its checkpoints.

    Args:
        log_id: The log's id.
        restored_at: Position of the newest `LogRestored`; None when there is none. From there on it
            is another log to whoever holds earlier checkpoints: no proof can lead over it.
    """
    return key_name(log_id) if restored_at is None else f"{key_name(log_id)}/{restored_at}"


def log_id_of(origin: str) -> str | None:
    """Give the id of the log that an origin names; None when it is none of ours."""
    parts = origin.split("/")
    return parts[1] if parts[0] == _NAMESPACE and len(parts) in (2, 3) else None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A signed statement: at this size, the tree of this log has this root.

    Attributes:
        origin: The log's identity.
        size: How many events.
        root: Root of their tree, 32 bytes.
        note: The text and its signatures.
    """

    origin: str
    size: int
    root: bytes
    note: SignedNote

    @classmethod
    def parse(cls, note: str | bytes) -> "Checkpoint":
        """Read a checkpoint; whether its signatures hold is another question.

        Raises:
            InvalidInput: It is none.
        """
        signed = SignedNote.parse(note)
        lines = signed.text.removesuffix("\n").split("\n")
        if len(lines) < _LINES or not all(lines) or not _COUNT.fullmatch(lines[1]):
            raise _no_checkpoint()
        root = decoded(lines[2])
        if len(root) != HASH_BYTES:
            raise _no_checkpoint()
        return cls(lines[0], int(lines[1]), root, signed)

    def __str__(self) -> str:
        return str(self.note)

    def signers(self, keys: Iterable[NoteKey]) -> list[NoteKey]:
        """Give those of some keys that signed it."""
        return [key for key in keys if self.note.is_signed_by(key)]

    def with_signatures(self, added: Sequence[NoteSignature]) -> "Checkpoint":
        """Give the checkpoint with further signatures, as those of witnesses."""
        return replace(self, note=self.note.with_signatures(added))


def checkpoint_text(origin: str, size: int, root: bytes) -> str:
    """Write what is signed of a checkpoint."""
    return f"{origin}\n{size}\n{base64.b64encode(root).decode()}\n"


def _no_checkpoint() -> InvalidInput:
    return InvalidInput(
        "this is no checkpoint",
        hint="It is a signed note: the log's name, a number of events, a root in base64.",
        field="checkpoint",
    )
