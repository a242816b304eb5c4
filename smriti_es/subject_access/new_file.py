"""Make a file that is there whole or not at all, that nobody else can read, and replaces none."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from smriti_es.events.durable_files import put_in_free_place
from smriti_es.events.errors import InvalidInput, StorageUnavailable


@dataclass(slots=True)
class Writing:
    """A file that is being written.

    Attributes:
        stream: Where its bytes go.
        digest: SHA-256 of them so far.
    """

    stream: IO[bytes]
    digest: Any = field(default_factory=hashlib.sha256)

    def line(self, text: str) -> None:
        """Write a line."""
        written = f"{text}\n".encode()
        self.digest.update(written)
        self.stream.write(written)


@contextmanager
def new_file(path: Path, mark: str) -> Iterator[Writing]:
    """Write a file under another name beside its place, and give it its own when it is whole.

    Args:
        path: Where it is to lie; nothing may be there.
        mark: Part of the other name, which nobody else uses.

    Raises:
        InvalidInput: Something is there, or the folder is not.
        StorageUnavailable: It cannot be written.
    """
    _assert_free(path)
    partial = path.with_name(f".{mark}.part")
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                yield Writing(stream)
                stream.flush()
                os.fsync(stream.fileno())
            _put_in_place(partial, path)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise StorageUnavailable(
            f"{path} cannot be written: {error.strerror or error}",
            hint="Name a file in a folder that is writable and has room.",
        ) from error


def _put_in_place(partial: Path, path: Path) -> None:
    try:
        put_in_free_place(partial, path)
    except FileExistsError:
        _assert_free(path)
        raise


def _assert_free(path: Path) -> None:
    if os.path.lexists(path):
        raise InvalidInput(f"there is a file at {path} already", hint="Name a new one.")
    if not path.parent.is_dir():
        raise InvalidInput(
            f"there is no folder {path.parent}", hint="Make it, or name a file in another."
        )
