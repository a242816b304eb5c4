"""The newest checkpoint outside the database: a small file that notices when the log goes back.

A database can be replaced by an older copy of itself, and nothing in it can tell. This file can, as
long as it is not replaced along with it. Source: design page on events, "Checkpoints and proofs".
"""

from dataclasses import dataclass
from pathlib import Path

from smriti_es.events.checkpoint import Checkpoint
from smriti_es.events.checkpoint_store import assert_continues
from smriti_es.events.database import Database
from smriti_es.events.durable_files import delete, put_in_place, write_new
from smriti_es.events.errors import IntegrityError, InvalidInput, StorageUnavailable
from smriti_es.events.log import EventLog
from smriti_es.events.log_keys import is_given_up


@dataclass(frozen=True, slots=True)
class RollbackGuard:
    """The file beside a database that holds the newest checkpoint of one log.

    Attributes:
        path: Where it lies; None for a database in memory, which has none.
    """

    path: Path | None

    @classmethod
    def beside(cls, database: Database, log_id: str) -> "RollbackGuard":
        """Give the guard of a log; its file is named by the log, so none takes another's."""
        return cls(database.beside(f"checkpoint-{log_id}"))

    def read(self) -> Checkpoint | None:
        """Read the checkpoint; None where there is no file.

        Raises:
            IntegrityError: The file holds none.
            StorageUnavailable: It cannot be read.
        """
        if self.path is None:
            return None
        try:
            return Checkpoint.parse(self.path.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageUnavailable(f"{self.path} cannot be read: {error.strerror}") from error
        except InvalidInput as error:
            raise IntegrityError(
                f"{self.path}, which holds the newest checkpoint, is damaged",
                hint="Compare the log with a checkpoint from elsewhere, then delete the file.",
            ) from error

    def keep(self, checkpoint: Checkpoint) -> None:
        """Put a checkpoint there, durably, in one step.

        Raises:
            StorageUnavailable: It cannot be written.
        """
        if self.path is None:
            return
        aside = self.path.with_name(f"{self.path.name}.new")
        try:
            aside.unlink(missing_ok=True)  # what a crash left
            write_new(aside, str(checkpoint).encode())
            put_in_place(aside, self.path)
        except OSError as error:
            raise StorageUnavailable(
                f"{self.path} cannot be written: {error.strerror}",
                hint="Free space or make the folder writable; the checkpoint is in the database.",
            ) from error

    def forget(self) -> None:
        """Delete the file, once the log has said that it does not go on from it."""
        if self.path is not None:
            delete(self.path)

    def problem(self, log: EventLog) -> IntegrityError | None:
        """Say how a log fails to go on from what is kept here; None when it does."""
        try:
            newest = self.read()
            if newest is None:
                return None
            # The log is read later than the file, so that a checkpoint of just now is no problem.
            with log.database.read() as connection:
                if not is_given_up(connection, log.log, newest):
                    assert_continues(connection, log.log, newest)
        except IntegrityError as error:
            return error
        return None
