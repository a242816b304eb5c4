"""Text that PostgreSQL refuses: it cannot hold U+0000 in a column of text, and everybody else can.

What was said lies in payloads, which are bytes; of this concern are names, tags, values and reasons
in the projections. They are written in other characters on the way in and read back on the way out,
so that nothing is lost, rows and fingerprints are those of SQLite, the order of texts stays that of
their code points, and one text occurs in another exactly when it did before.

U+0000, U+0001 and U+0002 become words of four characters U+0001 and U+0002. The words rise in the
order of what they stand for; and none begins inside any two that follow each other (the code is
comma-free), so that no search finds what is not there.
"""

import re
from typing import Any, Final

from psycopg import Connection
from psycopg.types.string import StrDumperUnknown, TextLoader

_WORDS: Final = {
    "\x00": "\x01\x01\x01\x02",
    "\x01": "\x01\x01\x02\x02",
    "\x02": "\x01\x02\x02\x02",
}
_WRITE: Final = str.maketrans(_WORDS)
_READ: Final = {word: character for character, word in _WORDS.items()}
_WORD: Final = re.compile("|".join(_READ))


def written(text: str) -> str:
    """Write a text so that PostgreSQL takes it; nearly every text stays as it is."""
    return text if text.isprintable() else text.translate(_WRITE)


def read_back(text: str) -> str:
    """Give the text of what `written` made of it."""
    if text.isprintable() or "\x01" not in text:
        return text
    return _WORD.sub(lambda match: _READ[match[0]], text)


class _Dumper(StrDumperUnknown):
    def dump(self, obj: str) -> Any:
        return super().dump(written(obj))


class _Loader(TextLoader):
    def load(self, data: Any) -> Any:
        text = super().load(data)
        return read_back(text) if isinstance(text, str) else text


def carry_every_text(connection: Connection[Any]) -> None:
    """Let a connection carry every text in both directions."""
    connection.adapters.register_dumper(str, _Dumper)
    for name in ("text", "varchar", "bpchar", "name"):
        connection.adapters.register_loader(name, _Loader)
