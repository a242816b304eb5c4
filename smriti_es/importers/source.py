"""Open the file that an importer reads: there, of a sane size, and text."""

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from smriti_es.events.errors import InvalidInput, NotFound

# A reader holds the whole file in memory, several times its size.
FILE_BYTES_MAX: Final = 256 * 1024 * 1024
_BYTE_ORDER_MARK: Final = codecs.BOM_UTF8
_HEAD_BYTES: Final = 4_096


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Read a text file line by line.

    Args:
        path: The file, in UTF-8; a byte order mark is skipped.

    Yields:
        The 1-based number of each line that is not blank, and the line.

    Raises:
        NotFound: There is no such file.
        InvalidInput: It is too large, cannot be read, or a line is not UTF-8.
    """
    # Split at line feeds alone: JSON text may hold the other characters that str calls line ends.
    for number, line in enumerate(_content(path).split(b"\n"), start=1):
        if line.strip():
            yield number, _decoded(line, f"{path}:{number}")


def read_text(path: Path) -> str:
    """Read a whole text file in UTF-8.

    Raises:
        NotFound: There is no such file.
        InvalidInput: It is too large, cannot be read, or is not UTF-8.
    """
    return _decoded(_content(path), str(path))


def first_character(path: Path) -> str:
    """Give the first character that is not white space; "" when there is none near the beginning.

    Raises:
        NotFound: There is no such file.
        InvalidInput: It is too large or cannot be read.
    """
    head = _content(path, _HEAD_BYTES).lstrip()
    return head[:1].decode("ascii", "replace")


def _content(path: Path, count: int = -1) -> bytes:
    try:
        with path.open("rb") as file:
            size_bytes = path.stat().st_size
            if size_bytes > FILE_BYTES_MAX:
                raise InvalidInput(
                    f"{path} has {size_bytes} bytes, at most {FILE_BYTES_MAX} are read",
                    hint="Split it into several files; a session may go on in the next.",
                    limit=FILE_BYTES_MAX,
                )
            return file.read(count).removeprefix(_BYTE_ORDER_MARK)
    except FileNotFoundError as error:
        raise NotFound(f"no such file: {path}", hint="Check the path.") from error
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be read: {error.strerror}", hint="Name a file that you may read."
        ) from error


def _decoded(content: bytes, place: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{place}: not UTF-8 at byte {error.start}", hint="Convert the file to UTF-8."
        ) from error
