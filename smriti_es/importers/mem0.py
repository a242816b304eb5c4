"""mem0: what `get_all`, its server or its platform give, as JSON or as JSON lines."""

from typing import Any, Final

from smriti_es.importers.documents import Document
from smriti_es.importers.jsonl import numbered_objects
from smriti_es.importers.records import (
    Conversation,
    Items,
    LeftOut,
    RecordPlace,
    Unreadable,
    identifier,
    known,
    mapping,
)
from smriti_es.importers.source import Advanced, not_counted, read_entries

_OWNERS: Final = ("user_id", "agent_id", "run_id", "app_id")
LISTS: Final = ("results", "memories")


def read_mem0(document: Document, advanced: Advanced = not_counted) -> Items:
    """Read memories of mem0.

    Each becomes a turn of the kind `memory` in the session `mem0:<whose it is>`, dated when it was
    made. Its origin is `agent`: a model wrote it down, and nobody said it in these words.

    Args:
        document: A list of memories, or an object with one under `results` or `memories`.
        advanced: Told how many bytes were read.
    """
    return read_entries(document, _memory, advanced, LISTS)


def read_mem0_lines(document: Document, advanced: Advanced = not_counted) -> Items:
    """Read memories of mem0, one a line; see `read_mem0`."""
    for place, line in numbered_objects(document, advanced):
        if isinstance(line, LeftOut):
            yield line
            continue
        try:
            yield from _memory(line, place)
        except Unreadable as error:
            yield LeftOut(place, "unreadable", str(error))


def _memory(entry: Any, place: RecordPlace) -> Items:
    given = mapping(entry, "the memory")
    name = identifier(given.get("id"), "its id")
    text = given.get("memory", given.get("text"))
    if not isinstance(text, str):
        raise Unreadable("its memory is no text")
    at = place.at(name)
    owners = known(**{key: given.get(key) for key in _OWNERS})
    message = {
        "role": "user",
        "content": text,
        "id": f"mem0:{name}",
        "timestamp": given.get("created_at") or given.get("updated_at"),
        "kind": "memory",
        "origin": "agent",
        "metadata": owners
        | _own(given.get("metadata"))
        | known(updated_at=given.get("updated_at")),
        "tags": _tags(given.get("categories")),
    }
    owner = next((owners[key] for key in _OWNERS if key in owners), "memories")
    yield Conversation(
        f"mem0:{owner}", [message], [at], at, tags=("mem0",), metadata={"source": "mem0"}
    )


def _own(metadata: Any) -> dict[str, Any]:
    """Give what metadata can hold of the memory's own."""
    if not isinstance(metadata, dict):
        return {}
    flat = {
        key: each for key, each in metadata.items() if isinstance(each, (str, int, float, bool))
    }
    return {key: each for key, each in flat.items() if each != "" and key.strip()}


def _tags(categories: Any) -> list[str]:
    if not isinstance(categories, list):
        return []
    return [each for each in categories if isinstance(each, str) and each.strip()]
