"""Importers: read what other programs wrote, as sessions that `Engine.add_many` takes.

A reader looks at one file and at nothing else; it writes nothing, and either understands the whole
file or refuses it.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from smriti_es.events.errors import InvalidInput
from smriti_es.importers.jsonl import read_jsonl
from smriti_es.importers.locomo import read_locomo
from smriti_es.importers.source import FILE_BYTES_MAX, first_character
from smriti_es.recording import SessionInput

__all__ = [
    "FILE_BYTES_MAX",
    "FORMATS",
    "detect_format",
    "read_jsonl",
    "read_locomo",
    "read_sessions",
]

FORMATS: Final[dict[str, Callable[[Path], Sequence[SessionInput]]]] = {
    "jsonl": read_jsonl,
    "locomo": read_locomo,
}


def read_sessions(path: Path, name: str = "auto") -> tuple[str, Sequence[SessionInput]]:
    """Read a file of conversations.

    Args:
        path: The file.
        name: A key of `FORMATS`, or "auto" to tell it from how the file begins.

    Returns:
        The format, and the sessions in the order in which they are to be recorded.

    Raises:
        NotFound: There is no such file.
        InvalidInput: There is no such format, or the file is not in it; the message says where.
    """
    if name != "auto" and name not in FORMATS:
        raise InvalidInput(
            f"there is no format {name!r}", hint=f"Use one of auto, {', '.join(FORMATS)}."
        )
    found = detect_format(path) if name == "auto" else name
    return found, FORMATS[found](path)


def detect_format(path: Path) -> str:
    """Tell a format from the first character: LoCoMo is one JSON list, JSONL is objects.

    Raises:
        NotFound: There is no such file.
        InvalidInput: It is neither, or too large.
    """
    match first_character(path):
        case "[":
            return "locomo"
        case "{":
            return "jsonl"
        case _:
            raise InvalidInput(
                f"{path} begins like neither JSON lines nor a LoCoMo file",
                hint=f"Readable are: {', '.join(FORMATS)}.",
            )
