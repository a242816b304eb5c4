"""Sign what the log has come to, keep it, and prove it; the verbs are in `attesting`."""

from dataclasses import dataclass

from sqlalchemy import Connection, select

from smriti_es.events.catalogue import LogRestored
from smriti_es.events.chain import leaf_hash
from smriti_es.events.checkpoint import Checkpoint, checkpoint_text
from smriti_es.events.checkpoint_store import (
    keep_checkpoint,
    kept_checkpoints,
    newest_checkpoint,
    tree_to_attest,
)
from smriti_es.events.durable_files import delete
from smriti_es.events.errors import (
    ChainBroken,
    InvalidInput,
    NotAllowed,
    NotFound,
)
from smriti_es.events.log_keys import (
    origin_in_force,
)
from smriti_es.events.merkle_tree import (
    consistency_proof,
    inclusion_proof,
    is_consistent,
    is_included,
)
from smriti_es.events.proofs import ConsistencyProof, InclusionProof
from smriti_es.events.records import NewEvent
from smriti_es.events.signed_note import NoteKey, NoteSignature, SignedNote
from smriti_es.events.stored_tree import StoredTree
from smriti_es.events.tables import event_table
from smriti_es.opened import Opened
from smriti_es.projections.projector import Progress
from smriti_es.rollback_guard import RollbackGuard
from smriti_es.signing_key import Signer
from smriti_es.signing_keys import SigningKeys
from smriti_es.witnesses import Witness


@dataclass(frozen=True, slots=True)
class Attestation:
    """What an open memory needs to attest its log.

    Attributes:
        opened: The memory.
        guard: The newest checkpoint outside the database.
        keys: The keys that sign.
    """

    opened: Opened
    guard: RollbackGuard
    keys: SigningKeys

    @classmethod
    def of(cls, opened: Opened) -> "Attestation":
        """Say where the files of a memory's log lie."""
        guard = RollbackGuard.beside(opened.database, opened.log.log_id)
        return cls(opened, guard, SigningKeys.of(opened.database, opened.log, opened.actor))

    def sign(self, signer: Signer | None, progress: Progress) -> Checkpoint:
        """Sign what the log has come to, unless that is signed already (see `checkpoint`)."""
        opened, log = self.opened, self.opened.log
        self.assert_goes_on()
        key, signing = self.keys.signing(signer)
        with opened.database.read() as connection:
            origin = origin_in_force(connection, log.log, log.log_id)
            last = newest_checkpoint(connection, log.log, origin)
            known = [] if last is None else [last]
            tree = tree_to_attest(connection, log.log, known, progress)
        if last is not None and last.size == tree.size:
            made = last
        else:
            made = _signed(checkpoint_text(origin, tree.size, tree.root()), key, signing)
        return self.keep(made)

    def keep(self, checkpoint: Checkpoint) -> Checkpoint:
        """Keep a checkpoint in the database, and beside it when none there is newer."""
        opened = self.opened
        with opened.database.held():
            with opened.database.write() as connection:
                kept = keep_checkpoint(connection, opened.log.log, checkpoint, opened.clock())
            outside = self.guard.read()
            if outside is None or outside.origin != kept.origin or outside.size <= kept.size:
                self.guard.keep(kept)
        return kept

    def newest(self, connection: Connection) -> Checkpoint:
        """Give the newest checkpoint.

        Raises:
            NotFound: There is none.
        """
        log = self.opened.log
        origin = origin_in_force(connection, log.log, log.log_id)
        newest = newest_checkpoint(connection, log.log, origin)
        if newest is None:
            raise _without_checkpoint("there is no checkpoint of this log yet")
        return newest

    def prove(self, position: int) -> InclusionProof:
        """Prove that an event stands in the log (see `Attesting.prove`)."""
        log = self.opened.log.log
        with self.opened.database.read() as connection:
            checkpoint = self.newest(connection)
            if position >= checkpoint.size:
                raise _without_checkpoint(
                    f"the newest checkpoint attests {checkpoint.size} events, none at {position}"
                )
            subtree = StoredTree(connection, log).subtree
            hashes = tuple(inclusion_proof(position, checkpoint.size, subtree))
            header = connection.execute(
                select(event_table.c.header).where(
                    event_table.c.log == log, event_table.c.position == position
                )
            ).scalar_one()
        leaf = leaf_hash(header)
        if not is_included(leaf, position, checkpoint.size, hashes, checkpoint.root):
            raise ChainBroken(
                f"the event at position {position}, or the tree over it, is not what was attested",
                position=position,
            )
        return InclusionProof(position, hashes, checkpoint, header)

    def prove_consistency(self, old_size: int, size: int | None) -> ConsistencyProof:
        """Prove that the log went on from a size (see `Attesting.prove_consistency`)."""
        with self.opened.database.read() as connection:
            newest = self.newest(connection)
            checkpoint = newest if size is None else self._of_size(connection, newest, size)
            if old_size > checkpoint.size:
                raise InvalidInput(
                    f"{old_size} events are more than the {checkpoint.size} of the checkpoint",
                    hint="Name the size of an older one first.",
                    field="old_size",
                )
            hashes = self.consistency(connection, checkpoint, old_size)
        return ConsistencyProof(old_size, tuple(hashes), checkpoint)

    def consistency(
        self, connection: Connection, checkpoint: Checkpoint, old_size: int
    ) -> list[bytes]:
        """Prove that a checkpoint goes on from a size, and check it.

        Raises:
            ChainBroken: The tree that is kept does not lead to the checkpoint.
        """
        stored = StoredTree(connection, self.opened.log.log)
        hashes = consistency_proof(old_size, checkpoint.size, stored.subtree)
        old_root = stored.at(old_size).root()
        if not is_consistent(old_size, checkpoint.size, hashes, old_root, checkpoint.root):
            raise ChainBroken(f"the tree is not what was attested of {checkpoint.size} events")
        return hashes

    def cosigned(self, witness: Witness) -> Checkpoint:
        """Have the newest checkpoint signed by a witness (see `Attesting.witness`)."""
        self.assert_goes_on()
        opened = self.opened
        with opened.database.read() as connection:
            checkpoint = self.newest(connection)
            signed = [
                each.size
                for each in kept_checkpoints(connection, opened.log.log)
                if each.origin == checkpoint.origin and each.note.is_signed_by(witness.key)
            ]

        def consistency_from(old_size: int) -> list[bytes]:
            with opened.database.read() as reading:
                return self.consistency(reading, checkpoint, old_size)

        with opened.guarding.guard.sending("the witness", witness):
            signature = witness.cosign(checkpoint, max(signed, default=0), consistency_from)
        return self.keep(checkpoint.with_signatures([signature]))

    def go_on(self, reason: str) -> int:
        """Record that the log was restored, and go on (see `Attesting.accept_restore`)."""
        log = self.opened.log
        self.assert_writable()
        if self.guard.problem(log) is None:
            raise InvalidInput(
                "the log goes on from the newest checkpoint known outside the database",
                hint="There is nothing to accept.",
            )
        lost = self.guard.read()
        assert lost is not None
        event = LogRestored(
            size=lost.size, root=lost.root.hex(), checkpoint=str(lost), reason=reason
        )
        commit = log.going_on().append([NewEvent(event)], actor=self.opened.actor)
        log.halted = None
        self.guard.forget()
        return commit.first

    def _of_size(self, connection: Connection, newest: Checkpoint, size: int) -> Checkpoint:
        for each in kept_checkpoints(connection, self.opened.log.log):
            if (each.origin, each.size) == (newest.origin, size):
                return each
        raise _without_checkpoint(f"there is no checkpoint of {size} events")

    def forget(self) -> None:
        """Delete key and newest checkpoint beside the database, as when the log is destroyed."""
        self.guard.forget()
        if (file := self.keys.key_file) is not None:
            delete(file.path, file.successor().path)

    def assert_goes_on(self) -> None:
        """Refuse a log that may not be written, or does not go on from the newest checkpoint.

        Raises:
            NotAllowed: It was opened to read only.
            IntegrityError: It has gone back, or nobody can tell.
        """
        self.assert_writable()
        if (problem := self.guard.problem(self.opened.log)) is not None:
            raise problem

    def assert_writable(self) -> None:
        """Refuse a memory that was opened to read only.

        Raises:
            NotAllowed: It was.
        """
        database = self.opened.database
        if database.read_only:
            raise NotAllowed(
                f"{database.location} was opened to read only", hint="Open it without read_only."
            )


def _signed(text: str, key: NoteKey, signer: Signer) -> Checkpoint:
    signature = NoteSignature(key.name, key.id, signer.sign(text.encode()))
    note = SignedNote(text, (signature,))
    if not note.is_signed_by(key):
        raise InvalidInput("the signer gave something that is not its signature", field="signer")
    return Checkpoint.parse(str(note))


def _without_checkpoint(what: str) -> NotFound:
    return NotFound(what, hint="`smriti-es log checkpoint` signs what there is now.")
