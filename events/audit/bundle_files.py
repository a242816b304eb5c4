"""Write the files of a bundle, and read them back: hashed on the way, private, compressed at will.

Files are hashed before they are compressed, so that a bundle is the same bundle once `zstd -d` has
unpacked it.
"""

import hashlib
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from smriti_es.events.audit.layout import COMPRESSED, ListedFile
from smriti_es.events.errors import IntegrityError, MissingExtra, StorageUnavailable

_LEVEL: Final = 6
_PART: Final = 1024 * 1024


@dataclass(slots=True)
class HashedFile:
    """A file that is being written, and what the manifest will say of it."""

    file: Any
    digest: Any = field(default_factory=hashlib.sha256)
    size: int = 0

    def write(self, content: bytes) -> None:
        """Write some more."""
        self.file.write(content)
        self.digest.update(content)
        self.size += len(content)

    @property
    def listed(self) -> ListedFile:
        """What was written so far."""
        return ListedFile(self.size, self.digest.hexdigest())


@contextmanager
def written(path: Path, *, compressed: bool = False) -> Iterator[HashedFile]:
    """Write a new file that only its owner may read, and that is on the disk once it is left.

    Raises:
        MissingExtra: It is to be compressed, and zstandard is not installed.
    """
    target = path.with_name(path.name + COMPRESSED) if compressed else path
    compressor = _zstandard().ZstdCompressor(_LEVEL, write_checksum=True) if compressed else None
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as plain:
        if compressor is None:
            yield HashedFile(plain)
        else:
            with compressor.stream_writer(plain, closefd=False) as packed:
                yield HashedFile(packed)
        plain.flush()
        os.fsync(plain.fileno())


def is_there(folder: Path, name: str) -> bool:
    """Tell whether the bundle has a file, compressed or not."""
    return (folder / name).is_file() or (folder / f"{name}{COMPRESSED}").is_file()


@contextmanager
def opened(folder: Path, name: str) -> Iterator[BinaryIO]:
    """Open a file of a bundle to read.

    Raises:
        IntegrityError: It is not there, or what is compressed cannot be unpacked.
        MissingExtra: It is compressed, and zstandard is not installed.
        StorageUnavailable: It cannot be read.
    """
    plain, packed = folder / name, folder / f"{name}{COMPRESSED}"
    try:
        if plain.is_file():
            with plain.open("rb") as file:
                yield file
        elif packed.is_file():
            with packed.open("rb") as file, _unpacked(file) as stream:
                yield stream
        else:
            raise IntegrityError(f"{name} is missing")
    except OSError as error:
        raise StorageUnavailable(f"{folder / name} cannot be read: {error}") from error


@contextmanager
def _unpacked(file: BinaryIO) -> Iterator[BinaryIO]:
    zstandard = _zstandard()
    try:
        with zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as reader:
            yield cast(BinaryIO, io.BufferedReader(reader, _PART))
    except zstandard.ZstdError as error:
        raise IntegrityError(f"{Path(file.name).name} cannot be unpacked: {error}") from error


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtra(
            "compressed bundles need the package zstandard",
            hint="pip install 'smriti-es[zstd]', or unpack one with `zstd -d --rm BUNDLE/*.zst`.",
            extra="zstd",
        ) from error
    return zstandard


def small_file(folder: Path, name: str, bytes_max: int) -> bytes:
    """Read a file that must not be large.

    Raises:
        IntegrityError: It is, or it is not there.
    """
    with opened(folder, name) as file:
        content = file.read(bytes_max + 1)
    if len(content) > bytes_max:
        raise IntegrityError(f"{name} has more than {bytes_max} bytes")
    return content


def lines_of(file: BinaryIO, bytes_max: int) -> Iterator[bytes]:
    """Read the lines of a file, without their ends.

    Raises:
        IntegrityError: One has more than `bytes_max` bytes, or the last one has no end.
    """
    while line := file.readline(bytes_max + 1):
        if not line.endswith(b"\n"):
            raise IntegrityError("a line is too long, or the last one has no end")
        yield line[:-1]


def is_listed(folder: Path, name: str, listed: ListedFile) -> bool:
    """Tell whether a file is the one that the manifest lists.

    Raises:
        IntegrityError: It is not there.
    """
    digest, size = hashlib.sha256(), 0
    with opened(folder, name) as file:
        # What is compressed may unpack to anything: no more is read than there should be.
        while size <= listed.size and (part := file.read(_PART)):
            digest.update(part)
            size += len(part)
    return ListedFile(size, digest.hexdigest()) == listed
