"""Read JSON that somebody wrote, refusing what would have to be guessed at."""

import codecs
import json
import re
from collections.abc import Callable, Iterator
from typing import IO, Any, Final, NoReturn

from smriti_es.events.errors import InvalidInput

# A conversation larger than this is no conversation.
ELEMENT_CHARACTERS_MAX: Final = 64 * 1024 * 1024
_CHUNK_BYTES: Final = 1024 * 1024
# A number that is cut here may go on: "1" as "1e+2".
_NUMBER_AHEAD: Final = 4
_BETWEEN: Final = re.compile(r"[ \t\r\n]*")


def read_json(text: str, place: str, hint: str) -> Any:
    """Read a JSON text, in which no object may name a key twice and every number is one of JSON.

    Args:
        text: The text.
        place: Where it stands, for the message.
        hint: What should stand there.

    Raises:
        InvalidInput: It is no such JSON.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_object)
    except _Twice as error:
        raise InvalidInput(f"{place}: {error}", hint="Keep one of the two.") from error
    except (ValueError, RecursionError, _Constant) as error:
        raise InvalidInput(f"{place}: not JSON: {error}", hint=hint) from error


class BrokenList(Exception):
    """A list of JSON cannot be read on; the message says why."""


class BrokenElement(Exception):
    """An element cannot be used, and those after it can; the message says why."""


def list_elements(
    stream: IO[bytes], advanced: Callable[[int], None] = lambda _: None
) -> Iterator[Any]:
    """Read a JSON list element by element, holding no more than one of them in memory.

    Args:
        stream: The bytes of the list, in UTF-8.
        advanced: Told of every number of bytes that is read.

    Yields:
        Each element; a `BrokenElement` in the place of one that cannot be used.

    Raises:
        BrokenList: What follows is no JSON, or an element is larger than any may be.
    """
    reading = _Reading(stream, advanced)
    if reading.next_character() != "[":
        raise BrokenList("it is no JSON list")
    reading.skip()
    if reading.next_character() != "]":
        while True:
            yield reading.element()
            if (mark := reading.next_character()) != ",":
                break
            reading.skip()
        if mark != "]":
            raise BrokenList(f"the list goes on with {mark!r}" if mark else "the list has no end")
    reading.skip()
    if rest := reading.next_character():
        raise BrokenList(f"{rest!r} follows the end of the list")


class _Reading:
    """Text of a stream, as far as it is needed."""

    def __init__(self, stream: IO[bytes], advanced: Callable[[int], None]) -> None:
        self._stream = stream
        self._advanced = advanced
        self._decode = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._at = 0
        self._ended = False

    def next_character(self) -> str:
        """Give the next character that is no white space, without taking it; "" at the end."""
        while True:
            found = _BETWEEN.match(self._text, self._at)
            self._at = self._at if found is None else found.end()
            if self._at < len(self._text) or self._ended:
                return self._text[self._at : self._at + 1]
            self._more(_CHUNK_BYTES)

    def skip(self) -> None:
        """Take the character that was given."""
        self._at += 1

    def element(self) -> Any:
        """Take one value."""
        self.next_character()
        while True:
            try:
                value, end = self._decoded()
            except json.JSONDecodeError as error:
                self._lengthen(error)
                continue
            except (ValueError, RecursionError) as error:
                raise BrokenList(f"not JSON: {error}") from error
            if end + _NUMBER_AHEAD > len(self._text) and not self._ended:
                self._more(_CHUNK_BYTES)
                continue
            self._at = end
            return value

    def _decoded(self) -> tuple[Any, int]:
        try:
            return _STRICT.raw_decode(self._text, self._at)
        except (_Twice, _Constant) as error:
            return BrokenElement(str(error)), _LENIENT.raw_decode(self._text, self._at)[1]

    def _lengthen(self, error: json.JSONDecodeError) -> None:
        """Read as much again as is there: what seems broken may only be cut."""
        held = len(self._text) - self._at
        if self._ended:
            raise BrokenList(f"not JSON: {error.msg}") from error
        if held > ELEMENT_CHARACTERS_MAX:
            raise BrokenList(
                f"no value of JSON ends within {ELEMENT_CHARACTERS_MAX:,} characters"
            ) from error
        self._more(max(_CHUNK_BYTES, held))

    def _more(self, count: int) -> None:
        read = self._stream.read(count)
        self._ended = not read
        self._advanced(len(read))
        try:
            more = self._decode.decode(read, final=self._ended)
        except UnicodeDecodeError as error:
            raise BrokenList(f"not UTF-8: {error.reason}") from error
        self._text = self._text[self._at :] + more
        self._at = 0


class _Twice(Exception):
    """A key that stands twice in one object; readers of JSON differ in which of them they take."""


class _Constant(Exception):
    """A number that JSON does not have."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) == len(pairs):
        return read
    seen: set[str] = set()
    twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    raise _Twice(f"has the key {twice!r} twice")


def _refuse_constant(name: str) -> NoReturn:
    raise _Constant(f"{name} is no number of JSON")


_STRICT: Final = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_object)
_LENIENT: Final = json.JSONDecoder()
