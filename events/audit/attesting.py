"""Compare the events of a bundle with what was signed: its checkpoint, and older ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from smriti_es.events.audit.bundle_chain import BundleChain
from smriti_es.events.audit.bundle_files import small_file
from smriti_es.events.audit.layout import (
    CHECKPOINT,
    CONSISTENCY,
    INCLUSION,
    NOTE_BYTES_MAX,
    PROOFS,
)
from smriti_es.events.audit.outcome import Outcome
from smriti_es.events.checkpoint import Checkpoint, log_id_of, origin_of
from smriti_es.events.errors import IntegrityError, InvalidInput
from smriti_es.events.merkle_tree import is_consistent, is_included
from smriti_es.events.proofs import ConsistencyProof, InclusionProof
from smriti_es.events.signed_note import NoteKey

SINCE: Final = "since"


def read_checkpoint(
    note: bytes, keys: Sequence[NoteKey], place: str, outcome: Outcome
) -> Checkpoint:
    """Read a checkpoint and check the signatures that are by a key which was given.

    Raises:
        IntegrityError: It is none.
    """
    try:
        checkpoint = Checkpoint.parse(note)
    except InvalidInput as error:
        raise IntegrityError(f"is no checkpoint: {error}") from error
    signatures = checkpoint.note.signatures
    named = [key for key in keys if any(each.is_by(key) for each in signatures)]
    for key in named:
        if not checkpoint.note.is_signed_by(key):
            outcome.found(None, place, f"its signature by {key.name} is not valid")
    unknown = sum(not any(each.is_by(key) for key in keys) for each in signatures)
    if not keys:
        outcome.unattested(f"{place}: its signature is not checked: no key was given")
    elif not named:
        outcome.found(None, place, "no key that was given has signed it")
    elif unknown:
        outcome.remarks.append(f"{place}: {unknown} signatures are by keys that were not given")
    return checkpoint


@dataclass(slots=True)
class Comparison:
    """What the events of a bundle are compared with.

    Attributes:
        folder: The bundle.
        chain: Its events.
        checkpoint: Its checkpoint, or None.
        outcome: Where to note what is found.
    """

    folder: Path
    chain: BundleChain
    checkpoint: Checkpoint | None
    outcome: Outcome

    def events(self) -> None:
        """Compare the events with the checkpoint, by their own tree or by a proof.

        Raises:
            IntegrityError: There are proofs, and no checkpoint that they could lead to.
        """
        if self.checkpoint is None:
            self._nothing_signed()
            return
        size, end = self.checkpoint.size, self.chain.position
        self._identity(self.checkpoint)
        root = self._root(size)
        if root is not None:
            if root != self.checkpoint.root:
                self.outcome.found(None, CHECKPOINT, "its root is not that of the events")
            if size < end:
                self.outcome.unattested(f"events from {size} on stand under no checkpoint")
        elif size < end:
            self.outcome.found(None, CHECKPOINT, "does not reach to the end of the bundle")
        elif INCLUSION not in self.chain.manifest.files:
            problem = f"covers {size} events, and no proof leads there from the last one here"
            self.outcome.found(None, CHECKPOINT, problem)
        if INCLUSION in self.chain.manifest.files:
            self._inclusion(self.checkpoint, end - 1)

    def _nothing_signed(self) -> None:
        if PROOFS & set(self.chain.manifest.files):
            raise IntegrityError("there are proofs, but no checkpoint that they lead to")
        self.outcome.unattested("there is no checkpoint: nothing that was signed is compared")

    def _identity(self, checkpoint: Checkpoint) -> None:
        """Compare the origin with the log's id, and with where the log was restored."""
        log_id = self.chain.manifest.log
        restored = [each for each in self.chain.restored if each < checkpoint.size]
        own = origin_of(log_id, restored[-1] if restored else None)
        is_known = self._root(checkpoint.size) is not None
        is_own = checkpoint.origin == own if is_known else log_id_of(checkpoint.origin) == log_id
        if not is_own:
            self.outcome.found(None, CHECKPOINT, "is of another log")

    def _inclusion(self, checkpoint: Checkpoint, last: int) -> None:
        text = small_file(self.folder, INCLUSION, NOTE_BYTES_MAX)
        try:
            proof = InclusionProof.parse(text)
        except InvalidInput as error:
            raise IntegrityError(f"{INCLUSION}: {error}") from error
        if str(proof).encode() != text or proof.checkpoint != checkpoint:
            raise IntegrityError(f"{INCLUSION} does not end with the checkpoint of the bundle")
        leaf, size, root = self.chain.leaf, checkpoint.size, checkpoint.root
        holds = is_included(leaf, proof.position, size, proof.hashes, root)
        if proof.position != last or not holds:
            problem = "does not lead from the last event to the root of the checkpoint"
            self.outcome.found(last, INCLUSION, problem)

    def older(self, older: Sequence[Checkpoint]) -> None:
        """Compare with older checkpoints: the bundle must continue each of them."""
        proven = self._consistency(older)
        for each in older:
            if log_id_of(each.origin) != self.chain.manifest.log:
                self.outcome.found(None, SINCE, "is a checkpoint of another log")
            root = self._root(each.size)
            if root is None and self.checkpoint and self.checkpoint.size == each.size:
                root = self.checkpoint.root
            if root is not None and root != each.root:
                self.outcome.found(None, SINCE, "its root is another than is attested here")
            if root is None and each.size != proven:
                self._not_reached(each.size)

    def _consistency(self, older: Sequence[Checkpoint]) -> int | None:
        """Check the consistency proof, if there is one; give the size that it begins at."""
        if self.checkpoint is None or CONSISTENCY not in self.chain.manifest.files:
            return None
        text = small_file(self.folder, CONSISTENCY, NOTE_BYTES_MAX)
        try:
            proof = ConsistencyProof.parse(text)
        except InvalidInput as error:
            raise IntegrityError(f"{CONSISTENCY}: {error}") from error
        if str(proof).encode() != text or proof.checkpoint != self.checkpoint:
            raise IntegrityError(f"{CONSISTENCY} does not end with the checkpoint of the bundle")
        size, root = self.checkpoint.size, self.checkpoint.root
        begins = [each for each in older if each.size == proof.old_size]
        if not begins:
            self.outcome.incomplete.append(
                "consistency is not checked: give the older checkpoint that it begins at"
            )
        if not all(is_consistent(e.size, size, proof.hashes, e.root, root) for e in begins):
            problem = "does not lead from the older checkpoint to that of the bundle"
            self.outcome.found(None, CONSISTENCY, problem)
        return proof.old_size

    def _root(self, size: int) -> bytes | None:
        """Give the root of the first `size` events, where the bundle holds them all."""
        return self.chain.roots.get(size) if self.chain.manifest.first == 0 else None

    def _not_reached(self, size: int) -> None:
        if size > max(self.chain.position, self.checkpoint.size if self.checkpoint else 0):
            self.outcome.found(None, SINCE, f"covers {size} events: the log was cut off")
        else:
            self.outcome.incomplete.append(f"no proof leads from the older checkpoint of {size}")
