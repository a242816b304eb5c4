"""Proofs as texts that stand by themselves, and their checks, which take texts and bytes alone.

Each ends with the checkpoint that it leads to. Source: c2sp.org/tlog-proof for inclusion; for
consistency the request of c2sp.org/tlog-witness, which is that proof in front of a checkpoint.
"""

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from smriti_es.events.chain import leaf_hash
from smriti_es.events.checkpoint import Checkpoint
from smriti_es.events.errors import InvalidInput, ProofFailed
from smriti_es.events.merkle_tree import HASH_BYTES, is_consistent, is_included
from smriti_es.events.signed_note import NoteKey, decoded

_TITLE: Final = "c2sp.org/tlog-proof@v1"
# A tree that needs more hashes than this has more leaves than fit a number of 63 bits.
_HASHES_MAX: Final = 63
_INDEX: Final = re.compile("index (0|[1-9][0-9]{0,18})")
_OLD: Final = re.compile("old (0|[1-9][0-9]{0,18})")


@dataclass(frozen=True, slots=True)
class InclusionProof:
    """Shows that an event stands at a position of what a checkpoint attests.

    Attributes:
        position: Where.
        hashes: From the leaf up.
        checkpoint: What it leads to.
        header: The event's header bytes, which are not part of the text.
    """

    position: int
    hashes: tuple[bytes, ...]
    checkpoint: Checkpoint
    header: bytes = b""

    @classmethod
    def parse(cls, text: str | bytes) -> "InclusionProof":
        """Read a proof.

        Raises:
            InvalidInput: It is none.
        """
        head, checkpoint = _parted(text)
        if head[:1] == [_TITLE]:
            # What an application adds is authenticated by nothing.
            rest = head[2:] if head[1:] and head[1].startswith("extra ") else head[1:]
            index = _INDEX.fullmatch(rest[0]) if rest else None
            if index is not None:
                return cls(int(index[1]), _hashes(rest[1:]), checkpoint)
        raise _no_proof()

    def __str__(self) -> str:
        return f"{_TITLE}\nindex {self.position}\n{_lines(self.hashes)}\n{self.checkpoint}"


@dataclass(frozen=True, slots=True)
class ConsistencyProof:
    """Shows that what a checkpoint attests begins with an older and smaller log.

    Attributes:
        old_size: How many events the older has.
        hashes: As RFC 6962 orders them.
        checkpoint: What the newer is attested by.
    """

    old_size: int
    hashes: tuple[bytes, ...]
    checkpoint: Checkpoint

    @classmethod
    def parse(cls, text: str | bytes) -> "ConsistencyProof":
        """Read a proof.

        Raises:
            InvalidInput: It is none.
        """
        head, checkpoint = _parted(text)
        old = _OLD.fullmatch(head[0])
        if old is None:
            raise _no_proof()
        return cls(int(old[1]), _hashes(head[1:]), checkpoint)

    def __str__(self) -> str:
        return f"old {self.old_size}\n{_lines(self.hashes)}\n{self.checkpoint}"


def check_inclusion(proof: str | bytes, header: bytes, keys: Sequence[str]) -> Checkpoint:
    """Check that an event stands in a log that somebody attested.

    Args:
        proof: The text of an `InclusionProof`.
        header: The event's header, byte for byte.
        keys: Public keys as `log keys` shows them; one of them must have signed.

    Returns:
        The checkpoint in which it stands.

    Raises:
        InvalidInput: The proof, or a key, has not the form of one.
        ProofFailed: It shows nothing of the kind.
    """
    read = InclusionProof.parse(proof)
    checkpoint = read.checkpoint
    _assert_signed(checkpoint, keys)
    leaf = leaf_hash(header)
    if not is_included(leaf, read.position, checkpoint.size, read.hashes, checkpoint.root):
        raise ProofFailed(f"this event is not the one that was attested at {read.position}")
    return checkpoint


def check_consistency(proof: str | bytes, older: str | bytes, keys: Sequence[str]) -> Checkpoint:
    """Check that a log went on from an older checkpoint to the one in a proof.

    Args:
        proof: The text of a `ConsistencyProof`.
        older: The older checkpoint.
        keys: Public keys as `log keys` shows them; of those that signed, one must have signed each.

    Returns:
        The newer checkpoint.

    Raises:
        InvalidInput: The proof, the checkpoint or a key has not the form of one.
        ProofFailed: It shows nothing of the kind.
    """
    read, old = ConsistencyProof.parse(proof), Checkpoint.parse(older)
    new = read.checkpoint
    for each in (old, new):
        _assert_signed(each, keys)
    if (old.origin, old.size) != (new.origin, read.old_size):
        raise ProofFailed(
            f"the proof leads from {read.old_size} events of {new.origin}, "
            f"the checkpoint has {old.size} of {old.origin}"
        )
    if not is_consistent(old.size, new.size, read.hashes, old.root, new.root):
        raise ProofFailed(f"the log of {new.size} events does not begin with that of {old.size}")
    return new


def _assert_signed(checkpoint: Checkpoint, keys: Sequence[str]) -> None:
    if not checkpoint.signers(NoteKey.parse(key) for key in keys):
        raise ProofFailed(
            f"no key that was named has signed the checkpoint of {checkpoint.size} events",
            hint="Name the key of the log, from a source that you trust.",
        )


def _parted(text: str | bytes) -> tuple[list[str], Checkpoint]:
    """Part the lines of a proof from the checkpoint below them."""
    try:
        written = text if isinstance(text, str) else text.decode()
    except UnicodeDecodeError as error:
        raise _no_proof() from error
    head, gap, note = written.partition("\n\n")
    if not gap:
        raise _no_proof()
    return head.split("\n"), Checkpoint.parse(note)


def _hashes(lines: Sequence[str]) -> tuple[bytes, ...]:
    hashes = tuple(map(decoded, lines))
    if len(hashes) > _HASHES_MAX or any(len(each) != HASH_BYTES for each in hashes):
        raise _no_proof()
    return hashes


def _lines(hashes: Sequence[bytes]) -> str:
    return "".join(f"{base64.b64encode(each).decode()}\n" for each in hashes)


def _no_proof() -> InvalidInput:
    return InvalidInput(
        "this is no proof",
        hint="A proof of inclusion and one of consistency are told by their first line.",
        field="proof",
    )
