"""Every error that the library raises, in one tree.

::

    SmritiError
    ├── InvalidInput (ValueError)          what was handed in cannot be used
    ├── NotFound (LookupError)             what was named does not exist
    ├── Conflict                           somebody else was first
    │   ├── ConflictError                  the log has moved past `expected`
    │   └── IdempotencyConflict            the key was used for another request
    ├── IntegrityError                     the log is not what it was; never caught inside
    │   ├── ChainBroken                    an event does not follow from the one before
    │   ├── PayloadMissing                 content is gone that nothing erased
    │   ├── LogRolledBack                  the log does not go on from what was attested
    │   └── ProofFailed                    a proof does not show what it should
    ├── ProjectionError
    │   ├── ProjectionFailed               an event could not be folded
    │   └── ProjectionBehind               a projection that the write needs has halted
    ├── StorageError
    │   ├── StorageBusy                    somebody held the lock for too long
    │   ├── StorageUnavailable             disk full, not writable, closed
    │   │   └── StorageDamaged             the file cannot be read as a memory
    │   ├── SchemaOutdated                 the file is older and may not be migrated here
    │   └── SchemaNewer                    the file was written by a newer release
    ├── PolicyError
    │   ├── EgressRefused                  text would go where the profile does not allow
    │   ├── HeldError                      a legal hold keeps what was to be erased
    │   └── NotAllowed                     the engine was opened without that right
    ├── WitnessError                       a witness did not sign
    ├── EmbedderError                      no usable vector came back
    ├── ExtractionError                    no usable facts came back
    ├── RerankerError                      no usable judgement came back
    └── MissingExtra (ImportError)         an optional package is not installed

`hint` says what to do about it; `retryable` says whether the same call may work later.
"""

from typing import Any


class SmritiError(Exception):
    """The root: whatever this library raises on purpose.

    Args:
        message: What went wrong, in one line.
        hint: What the caller can do about it, in one line.
        values: The facts behind the message; each becomes an attribute.
    """

    hint: str = ""
    retryable: bool = False

    def __init__(self, message: str, *, hint: str = "", **values: Any) -> None:
        super().__init__(message)
        if hint:
            self.hint = hint
        for name, value in values.items():
            setattr(self, name, value)

    def __getattr__(self, name: str) -> Any:
        """Say plainly that the error carries no such value."""
        raise AttributeError(name)


class InvalidInput(SmritiError, ValueError):
    """What was handed in cannot be used; nothing was written."""


class NotFound(SmritiError, LookupError):
    """What was named does not exist."""


class Conflict(SmritiError):
    """Somebody else was first; nothing was written."""


class ConflictError(Conflict):
    """The log has moved past the position the caller expected (`expected`, `found`)."""

    hint = "Read again and repeat the command."
    retryable = True


class IdempotencyConflict(Conflict):
    """The idempotency key was already used for a different request."""

    hint = "Use a new key for a new request, or send the first request unchanged."


class IntegrityError(SmritiError):
    """The log is not what was written."""

    hint = "Run `smriti-es log verify` and restore from a backup; nothing was changed."


class ChainBroken(IntegrityError):
    """An event does not follow from the one before it (`position`, `expected`, `found`)."""


class PayloadMissing(IntegrityError):
    """Content is gone that no event erased (`position`)."""


class LogRolledBack(IntegrityError):
    """The log does not go on from a checkpoint that was signed of it (`size`, `attested`)."""

    hint = (
        "Put the newest database back; if it is lost, `smriti-es log restored` records that, and "
        "the log goes on."
    )


class ProofFailed(IntegrityError):
    """A proof does not show what it should."""

    hint = "Ask whoever gave you the proof, and trust nothing that rests on it."


class ProjectionError(SmritiError):
    """A projection cannot do what was asked of it (`projection`)."""


class ProjectionFailed(ProjectionError):
    """An event could not be folded (`projection`, `position`)."""


class ProjectionBehind(ProjectionError):
    """A projection that the command depends on has halted (`projection`, `position`)."""

    hint = "See `smriti-es projections status`, then `smriti-es projections rebuild`."


class StorageError(SmritiError):
    """The database could not be used."""


class StorageBusy(StorageError):
    """Another process held the write lock for longer than the busy timeout."""

    hint = "Try again; raise busy_timeout_ms if writers are many or slow."
    retryable = True


class StorageUnavailable(StorageError):
    """The database cannot be reached, read or written."""


class StorageDamaged(StorageUnavailable):
    """The file, or a part of it, cannot be read as a memory."""

    hint = "Run `smriti-es log verify`: it tells what is damaged and what can be done."


class SchemaOutdated(StorageError):
    """The file is older than this release and cannot be migrated here."""

    hint = "Open it once writable, without read_only, to migrate it."


class SchemaNewer(StorageError):
    """The file was written by a newer release than this one."""

    hint = "Upgrade smriti-es; an older release must not touch this file."


class PolicyError(SmritiError):
    """The engine's policy does not permit it."""


class EgressRefused(PolicyError):
    """Text would go where the deployment profile does not allow (`profile`, `host`, `endpoint`)."""


class HeldError(PolicyError):
    """A legal hold keeps some of what was to be erased; nothing was (`holds`: their positions)."""

    hint = "Release the holds, or name less; engine.holds() lists them."


class NotAllowed(PolicyError):
    """The engine was opened without the right to do this."""


class WitnessError(SmritiError):
    """A witness did not sign a checkpoint (`status`); the checkpoint is kept all the same."""


class EmbedderError(SmritiError):
    """The embedder gave no usable vectors."""


class ExtractionError(SmritiError):
    """The extractor could not do its work; the turns are recorded all the same."""


class RerankerError(SmritiError):
    """The reranker gave no usable judgement; answers then keep the order that they had."""


class MissingExtra(SmritiError, ImportError):
    """An optional package is not installed (`extra`)."""
