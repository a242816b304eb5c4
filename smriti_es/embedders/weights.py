"""Model files on disk: what they are, told by their SHA-256."""

import hashlib
from functools import lru_cache
from pathlib import Path

from smriti_es.events.errors import EmbedderError


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hex.

    Cost: reads the file once a process, and again when its size or its time of change differs.
    """
    found = path.stat()
    return _sha256(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=64)
def _sha256(path: Path, _changed_ns: int, _size_bytes: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def require_sha256(path: Path, expected: str, *, hint: str) -> None:
    """Refuse a model file that is not the one that was reviewed.

    Args:
        path: An existing file.
        expected: Its SHA-256 in hex.
        hint: How to get the right file.

    Raises:
        EmbedderError: The file differs (`file`, `expected`, `found`).
    """
    found = sha256_of(path)
    if found != expected:
        raise EmbedderError(
            f"{path} is not the expected file: its SHA-256 is {found}, expected {expected}",
            hint=hint,
            file=str(path),
            expected=expected,
            found=found,
        )
