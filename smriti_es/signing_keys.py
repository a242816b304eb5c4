"""The keys that sign a log's checkpoints: which is in force, and how another takes over."""

from dataclasses import dataclass

from smriti_es.events.database import Database
from smriti_es.events.ed25519 import PUBLIC_KEY_BYTES
from smriti_es.events.errors import ConflictError, InvalidInput, NotAllowed
from smriti_es.events.header import Actor
from smriti_es.events.log import EventLog
from smriti_es.events.log_keys import (
    LogKey,
    endorsement_message,
    key_of_log,
    keys_of,
    rotation,
)
from smriti_es.events.records import NewEvent, Transaction
from smriti_es.events.signed_note import NoteKey
from smriti_es.signing_key import KeyFile, Signer


@dataclass(frozen=True, slots=True)
class SigningKeys:
    """The keys of one log.

    Attributes:
        log: The log.
        actor: Who records what happens to them.
        key_file: Where the key lies unless the caller has it; None for a database in memory.
    """

    log: EventLog
    actor: Actor
    key_file: KeyFile | None

    @classmethod
    def of(cls, database: Database, log: EventLog, actor: Actor) -> "SigningKeys":
        """Say where the key file of a log lies; it is named by the log."""
        path = database.beside(f"key-{log.log_id}")
        return cls(log, actor, None if path is None else KeyFile(path))

    def all(self) -> list[LogKey]:
        """Give the keys of the log in the order in which they came into force."""
        with self.log.database.read() as connection:
            return keys_of(connection, self.log.log)

    def signing(self, signer: Signer | None) -> tuple[NoteKey, Signer]:
        """Give the key in force and who signs with it; the first one comes into force now."""
        in_force = self._in_force()
        if signer is not None:
            signing = signer
        elif in_force is not None:
            signing = self._read(in_force)
        else:
            signing = self._file().made()
        if in_force is None:
            in_force = self._begin(_public_key(signing))
        if _public_key(signing) != in_force.key.public_key:
            raise _another_key(in_force)
        return in_force.key, signing

    def _begin(self, public_key: bytes) -> LogKey:
        log = self.log
        first = rotation(key_of_log(log.log_id, public_key), None, b"", "")

        def decide(transaction: Transaction) -> list[NewEvent]:
            return [] if keys_of(transaction.connection, log.log) else [NewEvent(first)]

        log.append(decide, actor=self.actor)
        return self.all()[-1]

    def _file(self) -> KeyFile:
        if self.key_file is None:
            raise InvalidInput(
                "a memory without a file has no key file", hint="Hand in a signer.", field="signer"
            )
        return self.key_file

    def _read(self, in_force: LogKey) -> Signer:
        """Read the key file; one that was about to take over is the key once the log says so."""
        file = self._file()
        successor = file.successor()
        if successor.exists() and successor.read().public_key == in_force.key.public_key:
            file.replace_by(successor)
        return file.read()

    def rotate(
        self, signer: Signer | None, previous: Signer | None, reason: str, *, lost: bool
    ) -> LogKey:
        """Let another key sign from here on (see `Attesting.rotate_key`)."""
        log = self.log
        before = self._in_force()
        if before is None:
            raise InvalidInput(
                "this log has no key yet", hint="The first checkpoint makes one: `log checkpoint`."
            )
        old = None if lost else previous or self._read(before)
        if old is not None and _public_key(old) != before.key.public_key:
            raise _another_key(before)
        new = signer or self._file().successor().made()
        key = key_of_log(log.log_id, _public_key(new))
        message = endorsement_message(str(before.key), str(key))
        event = rotation(key, before, b"" if old is None else old.sign(message), reason)

        def decide(transaction: Transaction) -> list[NewEvent]:
            if keys_of(transaction.connection, log.log)[-1] != before:
                raise ConflictError("somebody else has rotated the key meanwhile")
            return [NewEvent(event, (before.position,))]

        log.append(decide, actor=self.actor)
        if signer is None and self.key_file is not None:
            self.key_file.replace_by(self.key_file.successor())
        after = self._in_force()
        assert after is not None
        return after

    def _in_force(self) -> LogKey | None:
        keys = self.all()
        return keys[-1] if keys else None


def _public_key(signer: Signer) -> bytes:
    public_key = signer.public_key
    if len(public_key) != PUBLIC_KEY_BYTES:
        raise InvalidInput(
            f"a signer's public_key is {PUBLIC_KEY_BYTES} bytes of Ed25519", field="signer"
        )
    return public_key


def _another_key(in_force: LogKey) -> NotAllowed:
    return NotAllowed(
        f"the log's checkpoints are signed with the key {in_force.key.id.hex()}, not with this one",
        hint="Use that key; `smriti-es log keys --rotate` lets another take over.",
    )
