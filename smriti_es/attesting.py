"""The verbs that verify the log, attest it to others and prove to them what is in it.

None of them is for an agent: no surface that a model reaches offers one.
"""

from smriti_es.attestation import Attestation
from smriti_es.checked_values import Place, checked_position
from smriti_es.events.checkpoint import Checkpoint
from smriti_es.events.checkpoint_store import kept_checkpoints
from smriti_es.events.checkpoint_verification import Attested, beside
from smriti_es.events.errors import IntegrityError
from smriti_es.events.log_keys import LogKey
from smriti_es.events.proofs import ConsistencyProof, InclusionProof
from smriti_es.events.verification import verify_log
from smriti_es.fact_verbs import FactVerbs, checked_reason
from smriti_es.projections.check import CheckReport, check
from smriti_es.projections.projector import Progress, no_progress
from smriti_es.results import VerifyReport
from smriti_es.signing_key import Signer
from smriti_es.traced_figures import of_verified
from smriti_es.tracing import traced
from smriti_es.witnesses import Witness


class Attesting(FactVerbs):
    """Checks, checkpoints, proofs, keys, witnesses; the engine has them, a view of the past not."""

    def checkpoint(
        self, *, signer: Signer | None = None, progress: Progress = no_progress
    ) -> Checkpoint:
        """Sign how many events there are and the root of their tree, and keep that.

        Everything since the last checkpoint is read and hashed again first. It is kept in the
        database and, as the newest one, in a file beside it, by which an older copy of the database
        is noticed when it is opened. `str(checkpoint)` is a C2SP signed note; a copy of it in a
        place that whoever has the database cannot change is what makes rewriting it impossible.

        Args:
            signer: Has the key; None: the file beside the database, which is made when the log has
                no key yet. The first key is recorded in the log before it signs.
            progress: Called with "checkpoint", events done and in all.

        Returns:
            The checkpoint; the last one again when nothing was appended since.

        Raises:
            LogRolledBack: The log does not go on from a checkpoint that was signed before.
            IntegrityError: The log is not what was written.
            NotAllowed: The key is not the one that the log names, or the log is read only.
            NotFound: The key file is missing.
            StorageUnavailable: Others may read the key file, or a file cannot be written.
        """
        return Attestation.of(self._opened).sign(signer, progress)

    def checkpoints(self) -> list[Checkpoint]:
        """List the checkpoints that are kept, in the order in which they were signed."""
        with self._opened.database.read() as connection:
            return kept_checkpoints(connection, self._opened.log.log)

    def witness(self, witness: Witness) -> Checkpoint:
        """Have the newest checkpoint signed by a witness, and keep its signature with it.

        Args:
            witness: `FolderWitness`, `HttpWitness`, or one of your own.

        Raises:
            LogRolledBack: The witness has seen more, or something else: keep both checkpoints.
            WitnessError: It did not sign.
            EgressRefused: The profile does not allow to send it there.
            NotFound: There is no checkpoint yet.
        """
        return Attestation.of(self._opened).cosigned(witness)

    def prove(self, position: int) -> InclusionProof:
        """Prove that an event stands in the log, to somebody who has the newest checkpoint or key.

        `str(proof)` is a C2SP proof that stands by itself; `check_inclusion` checks it with nothing
        but that text, the event's header and the log's key.

        Raises:
            NotFound: There is no checkpoint that reaches so far.
            ChainBroken: The event is not the one that was attested.
        """
        return Attestation.of(self._opened).prove(checked_position(position, Place("position")))

    def prove_consistency(self, old_size: int, size: int | None = None) -> ConsistencyProof:
        """Prove that the log went on from a number of events without changing any of them.

        `str(proof)` is what C2SP witnesses are asked with; `check_consistency` checks it with
        nothing but that text, the older checkpoint and the log's key.

        Args:
            old_size: How many events the older state had.
            size: Of which checkpoint to prove it; None: the newest.

        Raises:
            InvalidInput: The older state is larger.
            NotFound: There is no such checkpoint.
            ChainBroken: The tree is not the one that was attested.
        """
        old = checked_position(old_size, Place("old_size"))
        wanted = None if size is None else checked_position(size, Place("size"))
        return Attestation.of(self._opened).prove_consistency(old, wanted)

    def signing_keys(self) -> list[LogKey]:
        """List the keys that signed this log's checkpoints, the one in force last."""
        return Attestation.of(self._opened).keys.all()

    def rotate_key(
        self,
        *,
        signer: Signer | None = None,
        previous: Signer | None = None,
        lost: bool = False,
        reason: str = "",
    ) -> LogKey:
        """Let another key sign from here on; what was signed before stays valid.

        Args:
            signer: Has the new key; None: a new one takes the place of the key file.
            previous: Has the key in force, which endorses the new one; None: the key file.
            lost: The key in force is lost: nothing endorses the new one, and everybody can see it.
            reason: Why.

        Returns:
            The new key.

        Raises:
            InvalidInput: There is no key yet.
            NotAllowed: `previous` is not the key in force.
            NotFound: The key file is missing, and not said to be lost.
        """
        attestation = Attestation.of(self._opened)
        attestation.assert_writable()
        return attestation.keys.rotate(signer, previous, checked_reason(reason), lost=lost)

    def accept_restore(self, *, reason: str) -> int:
        """Record that the log does not go on from what was attested, and go on; owners only.

        For when a backup took the place of the newest database, and that one is lost. Events that
        came after the backup are lost with it, and the log says so for ever; its next checkpoint
        names another identity, so that nobody takes it for the continuation.

        Args:
            reason: Why.

        Returns:
            Position of the event.

        Raises:
            InvalidInput: The log goes on as it is.
        """
        return Attestation.of(self._opened).go_on(checked_reason(reason))

    @traced(of_verified)
    def verify(
        self,
        *,
        projections: bool = True,
        checkpoint: str | bytes | Checkpoint | None = None,
        progress: Progress = no_progress,
    ) -> VerifyReport:
        """Recompute the log's chain and tree from its bytes, and what every projection should say.

        A damaged page of the file is a finding like any other, and so is a log that does not go on
        from a checkpoint which is kept in it or beside it. Of a log with events that only a later
        release knows the chain can be verified, and no projection.

        Args:
            checkpoint: One from elsewhere, which the log must go on from, too.
            projections: Also let the database check its file, fold the log anew, aside, and
                compare; as long as nothing before is wrong.
            progress: Called with phase, done and total (events).

        Raises:
            InvalidInput: `checkpoint` is none.
        """
        verified = verify_log(self._opened.log, progress, self._attested(checkpoint))
        damage = self._opened.database.self_check() if projections else None
        newer = self._opened.database.newer
        if not projections or damage is not None or not verified.ok or newer:
            return VerifyReport(verified, (), damage)
        return VerifyReport(verified, tuple(self.check(progress=progress)))

    def check(
        self, name: str | None = None, *, progress: Progress = no_progress
    ) -> list[CheckReport]:
        """Fold the log anew, aside, and compare with one projection, or with all.

        Raises:
            NotFound: There is no such projection.
        """
        projector = self._opened.projector
        names = list(projector.projections) if name is None else [projector.named(name).name]
        return [check(projector, each, progress=progress) for each in names]

    def _attested(self, checkpoint: str | bytes | Checkpoint | None) -> Attested:
        """Gather what the log is compared with when it is verified."""
        attested = Attested()
        if checkpoint is not None:
            note = str(checkpoint) if isinstance(checkpoint, Checkpoint) else checkpoint
            attested.given = [Checkpoint.parse(note)]
        try:
            newest = Attestation.of(self._opened).guard.read()
        except IntegrityError as error:
            attested.damaged.append(beside(str(error)))
        else:
            attested.known = [] if newest is None else [newest]
        return attested
