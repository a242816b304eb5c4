"""Read the bytes that an importer is given: of a sane size, and text."""

import codecs
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from smriti_es.events.errors import InvalidInput, NotFound
from smriti_es.importers.documents import Document
from smriti_es.importers.json_text import BrokenElement, BrokenList, list_elements, read_json
from smriti_es.importers.records import Items, LeftOut, RecordPlace, Unreadable

# What is not a list of conversations is held in memory as a whole, several times its size.
FILE_BYTES_MAX: Final = 256 * 1024 * 1024
LINE_BYTES_MAX: Final = 64 * 1024 * 1024
_BYTE_ORDER_MARK: Final = codecs.BOM_UTF8
_HEAD_BYTES: Final = 65_536

Advanced = Callable[[int], None]


def not_counted(_: int) -> None:
    """Tell nobody how far reading has come."""


def head_of(document: Document) -> bytes:
    """Give the first bytes of a document, without white space and a byte order mark before them."""
    with document.open() as stream:
        return stream.read(_HEAD_BYTES).removeprefix(_BYTE_ORDER_MARK).lstrip()


def read_lines(document: Document, advanced: Advanced = not_counted) -> Iterator[tuple[int, str]]:
    """Read a text file line by line.

    Args:
        document: The file, in UTF-8; a byte order mark is skipped.
        advanced: Told how many bytes were read.

    Yields:
        The 1-based number of each line that is not blank, and the line.

    Raises:
        InvalidInput: It cannot be read, or a line is too long or not UTF-8.
    """
    with document.open() as stream:
        number = 0
        # Split at line feeds alone: JSON text may hold other characters that str calls line ends.
        while line := stream.readline(LINE_BYTES_MAX + 1):
            number += 1
            advanced(len(line))
            if len(line) > LINE_BYTES_MAX:
                raise InvalidInput(
                    f"{document.name}:{number}: has more than {LINE_BYTES_MAX} bytes",
                    hint="No line of chats is as long.",
                    limit=LINE_BYTES_MAX,
                    line=number,
                )
            if number == 1:
                line = line.removeprefix(_BYTE_ORDER_MARK)
            if line.strip():
                yield number, _decoded(line.rstrip(b"\n"), f"{document.name}:{number}", number)


def read_document(document: Document, advanced: Advanced = not_counted) -> str:
    """Read a whole document in UTF-8.

    Raises:
        InvalidInput: It is too large, cannot be read, or is not UTF-8.
    """
    assert_small(document)
    with document.open() as stream:
        content = stream.read(FILE_BYTES_MAX + 1)
        advanced(len(content))
    return _decoded(content.removeprefix(_BYTE_ORDER_MARK), document.name)


def assert_small(document: Document) -> None:
    """Refuse a document that has to be held in memory as a whole, and is too large for it."""
    if document.size > FILE_BYTES_MAX:
        raise InvalidInput(
            f"{document.name} has {document.size} bytes, at most {FILE_BYTES_MAX} are read",
            hint="Split it into several files; a session may go on in the next.",
            limit=FILE_BYTES_MAX,
        )


def read_text(path: Path) -> str:
    """Read a whole text file in UTF-8.

    Raises:
        NotFound: There is no such file.
        InvalidInput: It is too large, cannot be read, or is not UTF-8.
    """
    try:
        size = path.stat().st_size
    except FileNotFoundError as error:
        raise NotFound(f"no such file: {path}", hint="Check the path.") from error
    return read_document(Document(str(path), size, lambda: path.open("rb"), path))


def read_entries(
    document: Document,
    read_one: Callable[[Any, RecordPlace], Items],
    advanced: Advanced,
    keys: tuple[str, ...] = (),
) -> Items:
    """Read the entries of a list, one at a time and each by itself.

    Args:
        document: A JSON list of entries, a JSON object that is one, or an object with a list.
        read_one: Reads an entry; what it calls `Unreadable` is left out, and the next one read.
        advanced: Told how many bytes were read.
        keys: Where an object may have its list.
    """
    place = RecordPlace(document.name)
    entries: Iterator[Any]
    with document.open() as stream:
        if head_of(document)[:1] == b"[":
            entries = list_elements(stream, advanced)
        else:
            entries = iter(_within(document, keys, advanced))
        index = -1
        try:
            for index, entry in enumerate(entries):
                yield from _one_entry(entry, RecordPlace(document.name, None, index), read_one)
        except BrokenList as error:
            after = "" if index < 0 else f" after conversation {index}"
            yield LeftOut(place, "unreadable", f"{error}; nothing was read{after}")


def _within(document: Document, keys: tuple[str, ...], advanced: Advanced) -> list[Any]:
    text = read_document(document, advanced)
    whole = read_json(text, document.name, "Give a file as it was exported.")
    for key in keys:
        if isinstance(whole, dict) and isinstance(whole.get(key), list):
            return list(whole[key])
    return [whole]


def _one_entry(
    entry: Any, place: RecordPlace, read_one: Callable[[Any, RecordPlace], Items]
) -> Items:
    if isinstance(entry, BrokenElement):
        yield LeftOut(place, "unreadable", str(entry))
        return
    try:
        yield from read_one(entry, place)
    except Unreadable as error:
        yield LeftOut(place, "unreadable", str(error))


def _decoded(content: bytes, place: str, line: int | None = None) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{place}: not UTF-8 at byte {error.start}",
            hint="Convert the file to UTF-8.",
            line=line,
        ) from error
