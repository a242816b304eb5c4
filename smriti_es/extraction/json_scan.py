"""Find JSON in what a model wrote, also where it is damaged or cut off.

It is more lenient than the standard: line ends inside strings, unknown escapes, a comma too many,
Python's names for constants. What cannot be a value ends the value that it stands in, and what was
whole by then is kept. One pass over the text, whatever stands in it.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

DEPTH_MAX = 64
_NUMBER_LENGTH_MAX = 40

_OPENING = re.compile(r"[\[{]")
_SPACE = re.compile(r"[\s\ufeff]*")
_STRING = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"', re.DOTALL)
_BARE = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|-?[A-Za-z]+")
_UNKNOWN_ESCAPE = re.compile(r'\\(u[0-9A-Fa-f]{4}|["\\/bfnrt]|.)', re.DOTALL)
_ESCAPES = frozenset('"\\/bfnrt')
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_CONSTANTS = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
    "None": None,
}
# No JSON, but written all the same; nothing downstream can do anything with them.
_NO_NUMBERS = frozenset({"NaN", "nan", "Infinity", "-Infinity", "inf"})


@dataclass(frozen=True, slots=True)
class FoundJson:
    """An array or object that stands in a text.

    Attributes:
        value: What it says; numbers that are none (NaN) are None.
        complete: False when it is damaged or cut off. Then arrays hold the items that were whole,
            and objects may lack members.
        notes: What is odd about it: `duplicate key: a`, `no number: NaN`.
    """

    value: Any
    complete: bool
    notes: tuple[str, ...]


def find_json(text: str) -> Iterator[FoundJson]:
    """Give every array and object in a text, in its order; never raises.

    Values inside another are not given again. Of a key that stands twice, the last value counts.
    A damaged value is given when anything in it was whole.
    """
    at = 0
    while opening := _OPENING.search(text, at):
        scanner = _Scanner(text, opening.start())
        value = scanner.value(0)
        at = scanner.at
        if value or not scanner.broken:
            yield FoundJson(value, not scanner.broken, tuple(scanner.notes))


class _Scanner:
    """Reads one value; `broken` tells that it could not go on, `at` where."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        self.broken = False
        self.notes: list[str] = []

    def value(self, depth: int) -> Any:
        """Read the value that comes next; of a broken one, give what was whole."""
        self._skip_space()
        opening = self.text[self.at : self.at + 1]
        if opening == '"':
            return self._string()
        if opening in ("{", "[") and depth < DEPTH_MAX:
            self.at += 1
            return self._object(depth) if opening == "{" else self._array(depth)
        return self._bare()

    def _array(self, depth: int) -> list[Any]:
        items: list[Any] = []
        while not self._take("]"):
            item = self.value(depth + 1)
            if self.broken:
                break
            items.append(item)
            if not self._separated("]"):
                break
        return items

    def _object(self, depth: int) -> dict[str, Any]:
        members: dict[str, Any] = {}
        while not self._take("}"):
            key = self._key()
            if key is None:
                break
            value = self.value(depth + 1)
            # The list of facts may be the very value in which the text was cut off.
            if self.broken and not isinstance(value, list | dict):
                break
            if key in members:
                self.notes.append(f"duplicate key: {key[:40]}")
            members[key] = value
            if self.broken or not self._separated("}"):
                break
        return members

    def _key(self) -> str | None:
        """Read a key and its colon; None when there is none."""
        self._skip_space()
        if self.text[self.at : self.at + 1] == '"':
            key = self._string()
            if self._take(":"):
                return key
        self.broken = True
        return None

    def _string(self) -> str:
        match = _STRING.match(self.text, self.at)
        if match is None:
            self.broken = True
            self.at = len(self.text)  # the rest is the inside of a string, not JSON
            return ""
        self.at = match.end()
        return _unescaped(match[1])

    def _bare(self) -> Any:
        match = _BARE.match(self.text, self.at)
        token = match[0] if match else ""
        constant = token in _CONSTANTS or token in _NO_NUMBERS
        # A number at the very end may be the beginning of a longer one.
        at_end = self.at + len(token) == len(self.text)
        if not constant and (at_end or not token[-1:].isdigit()):
            self.broken = True
            return None
        self.at += len(token)
        if token in _NO_NUMBERS:
            self.notes.append(f"no number: {token}")
        return _CONSTANTS.get(token) if constant else _number(token)

    def _separated(self, closing: str) -> bool:
        """Take the comma; without one, the container has to end here."""
        if not self._take(",") and self.text[self.at : self.at + 1] != closing:
            self.broken = True
        return not self.broken

    def _take(self, mark: str) -> bool:
        self._skip_space()
        found = self.text.startswith(mark, self.at)
        self.at += len(mark) if found else 0
        return found

    def _skip_space(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at


def _unescaped(raw: str) -> str:
    if "\\" not in raw:
        return _LONE_SURROGATE.sub("\ufffd", raw)
    mended = _UNKNOWN_ESCAPE.sub(
        lambda match: match[0] if match[1] in _ESCAPES or len(match[1]) == 5 else match[1], raw
    )
    text: str = json.loads(f'"{mended}"', strict=False)
    return _LONE_SURROGATE.sub("\ufffd", text)


def _number(token: str) -> int | float | None:
    if token.lstrip("-").isdigit() and len(token) <= _NUMBER_LENGTH_MAX:
        return int(token)
    number = float(token)
    # What is too large for a float is infinite, and no number that anybody meant.
    return number if abs(number) != float("inf") else None
