"""What an import reads: a file, the conversations of an archive as downloaded, or a folder.

Nothing is ever unpacked to disk. Members of an archive are read as streams, so that a name in it
leads nowhere, and refused where their sizes are those of a bomb.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Final

from smriti_es.events.errors import InvalidInput, NotFound

UNPACKED_BYTES_MAX: Final = 16 * 1024**3
# Text of chats packs to a tenth or a twentieth; DEFLATE itself can do a thousandth.
RATIO_MAX: Final = 200
_RATIO_MATTERS_BYTES: Final = 16 * 1024 * 1024
_MEMBERS_MAX: Final = 200_000
_FILES_MAX: Final = 100_000
_CONVERSATIONS: Final = re.compile(r"conversations(?:[-_]?\d+)?\.json", re.IGNORECASE)
_UNSAFE: Final = re.compile(r"^(?:/|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)|[\0-\x1f]")
_READ: Final = (".json", ".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class Document:
    """A file to read, wherever it lies.

    Attributes:
        name: What it is called in messages.
        size: Its size in bytes, unpacked.
        opens: Opens it.
        path: Where it lies, when it is a file of its own.
    """

    name: str
    size: int
    opens: Callable[[], IO[bytes]]
    path: Path | None = None

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open it to read.

        Raises:
            InvalidInput: It cannot be read, or is damaged.
        """
        try:
            with self.opens() as stream:
                yield stream
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise _damaged(self.name, error) from error
        except OSError as error:
            raise InvalidInput(
                f"{self.name} cannot be read: {error.strerror or error}",
                hint="Name a file that you may read.",
            ) from error


@dataclass(frozen=True, slots=True)
class Documents:
    """What a path leads to.

    Attributes:
        found: The files to read, in order.
        others: How many files of the archive or folder are no conversations.
        archive: Whether it is an archive or a folder.
    """

    found: Sequence[Document]
    others: int = 0
    archive: bool = False


def documents_at(path: Path) -> Documents:
    """Find what is to be read at a path.

    Raises:
        NotFound: There is nothing.
        InvalidInput: It cannot be read, is no archive that may be read, or holds no conversations.
    """
    try:
        if path.is_dir():
            return _in_folder(path)
        size = path.stat().st_size
        if zipfile.is_zipfile(path):
            return _in_archive(path)
    except FileNotFoundError as error:
        raise NotFound(f"no such file: {path}", hint="Check the path.") from error
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be read: {error.strerror}", hint="Name a file that you may read."
        ) from error
    return Documents([_file(path, str(path), size)])


def _file(path: Path, name: str, size: int) -> Document:
    return Document(name, size, lambda: path.open("rb"), path)


def _in_folder(folder: Path) -> Documents:
    files = [each for each in sorted(folder.rglob("*")) if _is_own_file(each, folder)]
    if len(files) > _FILES_MAX:
        raise InvalidInput(
            f"{folder} holds more than {_FILES_MAX:,} files", hint="Name the folder of the export."
        )
    names = {str(each.relative_to(folder)): each for each in files}
    chosen = _chosen(list(names), str(folder), "folder")
    found = [_file(names[each], f"{folder}: {each}", names[each].stat().st_size) for each in chosen]
    return Documents(found, len(files) - len(found), archive=True)


def _is_own_file(path: Path, folder: Path) -> bool:
    """Tell whether a path is a file of the folder, reached without a link and not hidden."""
    inside = path.relative_to(folder)
    above = [folder / part for part in list(inside.parents)[:-1]]
    hidden = any(part.startswith(".") for part in inside.parts)
    return not hidden and path.is_file() and not any(e.is_symlink() for e in (path, *above))


def _in_archive(path: Path) -> Documents:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [each for each in archive.infolist() if not each.is_dir()]
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise _damaged(str(path), error) from error
    _assert_harmless(members, path)
    sizes = {each.filename: each.file_size for each in members}
    chosen = _chosen(list(sizes), str(path), "archive")
    found = [
        Document(f"{path}: {name}", sizes[name], _opener(path, name, sizes[name]))
        for name in chosen
    ]
    return Documents(found, len(members) - len(found), archive=True)


def _opener(path: Path, name: str, size: int) -> Callable[[], IO[bytes]]:
    def opened() -> IO[bytes]:
        archive = zipfile.ZipFile(path)
        return io.BufferedReader(_Member(archive, archive.open(name), f"{path}: {name}", size))

    return opened


class _Member(io.RawIOBase):
    """A member of an archive, which gives no more than the archive says that it holds."""

    def __init__(self, archive: zipfile.ZipFile, stream: IO[bytes], name: str, size: int) -> None:
        super().__init__()
        self._archive, self._stream, self._name, self._left = archive, stream, name, size

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]
        """Read into a buffer."""
        read = self._stream.read(len(buffer))
        self._left -= len(read)
        if self._left < 0:
            raise InvalidInput(
                f"{self._name} unpacks to more than the archive says",
                hint="Download the export again.",
            )
        buffer[: len(read)] = read
        return len(read)

    def close(self) -> None:
        """Close the member and the archive."""
        self._stream.close()
        self._archive.close()
        super().close()


def _assert_harmless(members: Sequence[zipfile.ZipInfo], path: Path) -> None:
    hint = "Give the archive as it was downloaded."
    if len(members) > _MEMBERS_MAX:
        raise InvalidInput(f"{path} holds more than {_MEMBERS_MAX:,} files", hint=hint)
    if len({each.filename for each in members}) != len(members):
        raise InvalidInput(f"{path} holds two files of one name", hint=hint)
    for each in members:
        if _UNSAFE.search(each.filename):
            raise InvalidInput(
                f"{path} holds a file whose name leads out of it: {each.filename!r}", hint=hint
            )
        if not each.filename.lower().endswith(_READ):
            continue  # never read
        if each.flag_bits & 1:
            raise InvalidInput(
                f"{path}: {each.filename} is encrypted", hint="Unpack it, and name the folder."
            )
        packed = max(each.compress_size, 1)
        if each.file_size > UNPACKED_BYTES_MAX or (
            each.file_size > _RATIO_MATTERS_BYTES and each.file_size > RATIO_MAX * packed
        ):
            raise InvalidInput(
                f"{path}: {each.filename} unpacks from {packed:,} to {each.file_size:,} bytes, "
                "which no chats do",
                hint=hint,
            )


def _chosen(names: Sequence[str], place: str, what: str) -> list[str]:
    """Choose the files of an export that hold conversations."""
    exports = [each for each in names if _CONVERSATIONS.fullmatch(PurePosixPath(each).name)]
    chosen = exports or [each for each in names if each.lower().endswith(_READ)]
    if not chosen:
        raise InvalidInput(
            f"{place}: the {what} holds no conversations.json, and no other JSON",
            hint="Give the export as it was downloaded.",
        )
    return sorted(chosen)


def _damaged(name: str, error: Exception) -> InvalidInput:
    return InvalidInput(f"{name} is damaged: {error}", hint="Download it again.")
