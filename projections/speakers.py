"""Who speaks in a turn: a name that was given, or one that the text itself begins with."""

import re
import unicodedata

GENERIC_NAMES = frozenset(
    {"user", "assistant", "system", "tool", "other", "human", "ai", "bot", "developer", "function"}
)

_WORD = r"[^\s:\uff1a]{1,31}"
_NAME_PREFIX = re.compile(rf"\s*({_WORD}(?: {_WORD}){{0,2}})(?::(?=\s)|\uff1a)")
_NAME_MARKS = ".'\u2019-"


def speaker_in_text(text: str) -> str | None:
    """Read the speaker from a leading "Name: ", lower-cased, or None.

    A name is one to three words of at most 31 characters that begin with a capital, or with a
    letter of a script that has no capitals. A role such as "Assistant: " is no name: a turn does
    not become another's by saying so.

    Args:
        text: What was said.

    Returns:
        The name in lower case, or None.
    """
    match = _NAME_PREFIX.match(text)
    if match is None or not all(_is_name_word(word) for word in match[1].split(" ")):
        return None
    name = match[1].lower()
    return None if name in GENERIC_NAMES else name


def _is_name_word(word: str) -> bool:
    if unicodedata.category(word[0]) not in ("Lu", "Lt", "Lo"):
        return False
    return all(unicodedata.category(mark)[0] in "LMN" or mark in _NAME_MARKS for mark in word)


def speaker_of(name: str | None, text: str) -> str | None:
    """Give the speaker of a turn in lower case: the given name, else the one in its text."""
    return name.lower() if name else speaker_in_text(text)
