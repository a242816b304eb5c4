"""Which formats there are, and which one a file is in."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from smriti_es.events.errors import InvalidInput
from smriti_es.importers.agent_sessions import read_claude_code, read_codex, read_gemini
from smriti_es.importers.chatgpt import read_chatgpt
from smriti_es.importers.claude import read_claude
from smriti_es.importers.documents import Document, Documents, documents_at
from smriti_es.importers.json_text import BrokenElement, BrokenList, list_elements, read_json
from smriti_es.importers.jsonl import read_jsonl
from smriti_es.importers.locomo import read_locomo
from smriti_es.importers.longmemeval import read_longmemeval
from smriti_es.importers.mem0 import LISTS, read_mem0, read_mem0_lines
from smriti_es.importers.records import Items, LeftOut, RecordPlace
from smriti_es.importers.smriti_json import read_smriti
from smriti_es.importers.smriti_vault import is_vault, read_vault, vault_bytes
from smriti_es.importers.smrti_database import MAGIC, read_smrti, tables_of
from smriti_es.importers.source import Advanced, head_of, not_counted, read_document, read_lines

Reader = Callable[[Document, Advanced], Items]

VAULT: Final = "smriti-mcp"
_READERS: Final[Mapping[str, Reader]] = {
    "chatgpt": read_chatgpt,
    "claude": read_claude,
    "jsonl": read_jsonl,
    "locomo": read_locomo,
    "longmemeval": read_longmemeval,
    "smriti": read_smriti,
    "smrti": read_smrti,
    "mem0": read_mem0,
    "claude-code": read_claude_code,
    "codex": read_codex,
    "gemini": read_gemini,
}
FORMATS: Final = tuple(sorted([*_READERS, VAULT]))
_HINT: Final = f"Name it with --format: {', '.join(FORMATS)}."


@dataclass(frozen=True, slots=True)
class Source:
    """What is to be imported, and how it is read.

    Attributes:
        path: The file or folder.
        format: One of `FORMATS`.
        documents: Its files; none for a vault.
    """

    path: Path
    format: str
    documents: Documents

    @property
    def size(self) -> int:
        """How many bytes there are to read."""
        if self.format == VAULT:
            return vault_bytes(self.path)
        return sum(each.size for each in self.documents.found)

    def items(self, advanced: Advanced = not_counted) -> Items:
        """Read everything, in order.

        Args:
            advanced: Told how many bytes were read.

        Raises:
            InvalidInput: A file is damaged, or not in the format at all.
        """
        if self.format == VAULT:
            yield from read_vault(self.path, advanced)
            return
        for document in self.documents.found:
            yield from self._reader(document)(document, advanced)
        if count := self.documents.others:
            place = RecordPlace(str(self.path))
            yield LeftOut(place, "other file", f"{count:,} files that hold no conversations", count)

    def _reader(self, document: Document) -> Reader:
        if self.format == "mem0" and _is_by_lines(document):
            return read_mem0_lines
        return _READERS[self.format]


def find_source(path: Path, name: str = "auto") -> Source:
    """Find what is at a path, and in which format it is.

    Args:
        path: A file, an archive as it was downloaded, or a folder.
        name: One of `FORMATS`, or "auto" to tell it from what is there.

    Raises:
        NotFound: There is nothing at the path.
        InvalidInput: There is no such format, or it cannot be told, or nothing there can be read.
    """
    if name != "auto" and name not in FORMATS:
        raise InvalidInput(
            f"there is no format {name!r}", hint=f"Use one of auto, {', '.join(FORMATS)}."
        )
    if path.is_dir() and (name == VAULT or (name == "auto" and is_vault(path))):
        return Source(path, VAULT, Documents([]))
    if name == VAULT:
        raise InvalidInput(f"{path} is no folder", hint="Name the root of the vault.")
    documents = documents_at(path)
    if name != "auto":
        return Source(path, name, documents)
    known = [(each, format_of(each)) for each in documents.found]
    first = next((found for _, found in known if found is not None), None)
    if first is None:
        raise InvalidInput(f"{path}: none of the known formats begins like this", hint=_HINT)
    fitting = [each for each, found in known if found == first]
    others = documents.others + len(known) - len(fitting)
    return Source(path, first, Documents(fitting, others, documents.archive))


def format_of(document: Document) -> str | None:
    """Tell the format of a document from its first record; None for none of them.

    Raises:
        InvalidInput: It cannot be read.
    """
    head = head_of(document)
    if head.startswith(MAGIC):
        return _format_of_database(document)
    if head[:1] == b"[":
        return _format_of_record(_first_element(document))
    if head[:1] != b"{":
        return None
    line = _first_line(document)
    if line is not None and (found := _format_of_line(line)):
        return found
    whole = line if line is not None else _whole(document)
    return _format_of_whole(whole)


def _format_of_database(document: Document) -> str:
    tables = set() if document.path is None else tables_of(document.path)
    if "atoms" in tables:
        return "smrti"
    hint = (
        "Write it as JSON first, with `export_json` of Smriti."
        if {"episodes", "facts"} <= tables
        else _HINT
    )
    raise InvalidInput(f"{document.name} is a database, and none of smrti", hint=hint)


def _first_element(document: Document) -> Any:
    try:
        with document.open() as stream:
            found = next(iter(list_elements(stream)), None)
    except BrokenList as error:
        raise InvalidInput(f"{document.name}: {error}", hint=_HINT) from error
    if isinstance(found, BrokenElement):
        raise InvalidInput(f"{document.name}: its first entry {found}", hint=_HINT)
    return found


def _first_line(document: Document) -> Any:
    """Give the first line as JSON, if it is."""
    try:
        _, line = next(read_lines(document), (0, ""))
        return json.loads(line)
    except (ValueError, RecursionError, InvalidInput):
        return None


def _whole(document: Document) -> Any:
    return read_json(read_document(document), document.name, _HINT)


def _is_by_lines(document: Document) -> bool:
    line = _first_line(document)
    return isinstance(line, dict) and not any(isinstance(line.get(key), list) for key in LISTS)


def _format_of_record(record: Any) -> str | None:
    """Tell the format from an entry of a list."""
    if not isinstance(record, dict):
        return None
    for keys, name in (
        ({"mapping"}, "chatgpt"),
        ({"chat_messages"}, "claude"),
        ({"conversation", "sample_id"}, "locomo"),
        ({"haystack_sessions"}, "longmemeval"),
        ({"memory", "id"}, "mem0"),
    ):
        if keys <= record.keys():
            return name
    return None


def _format_of_line(line: Any) -> str | None:
    """Tell the format from the first of several lines."""
    if not isinstance(line, dict):
        return None
    if "session" in line and line.keys() & {"role", "session_tags", "session_metadata"}:
        return "jsonl"
    if line.get("type") == "session_meta" and "payload" in line:
        return "codex"
    if "sessionId" in line and "type" in line and "messages" not in line:
        return "claude-code"
    return _format_of_record(line)


def _format_of_whole(whole: Any) -> str | None:
    """Tell the format from the object that a file holds."""
    if not isinstance(whole, dict):
        return None
    if "episodes" in whole and "version" in whole:
        return "smriti"
    if "sessionId" in whole and "messages" in whole:
        return "gemini"
    if any(isinstance(whole.get(key), list) for key in LISTS):
        return "mem0"
    if isinstance(listed := whole.get("conversations"), list) and listed:
        return _format_of_record(listed[0])
    return _format_of_record(whole)
