"""Claude's data export: `conversations.json`, a list of conversations with `chat_messages`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from smriti_es.importers.documents import Document
from smriti_es.importers.message_tree import path_to
from smriti_es.importers.records import (
    Conversation,
    Items,
    LeftOut,
    RecordPlace,
    identifier,
    known,
    listing,
    mapping,
)
from smriti_es.importers.source import Advanced, not_counted, read_entries

_ROOT: Final = "00000000-0000-4000-8000-000000000000"
_THOUGHTS: Final = frozenset({"thinking", "redacted_thinking"})
# Parts that steer the page and say nothing.
_SILENT: Final = frozenset({"token_budget", "flag"})
_NOTHING: Final = {"type": "text", "text": ""}


def read_claude(document: Document, advanced: Advanced = not_counted) -> Items:
    """Read the conversations of Claude.

    Each becomes a session `claude:<uuid>` with the ids and times of the export; where messages name
    their parents, of those that lead to the last one. The text of an attached document is a turn of
    its own, of the kind `attachment` and of untrusted origin: the user attached it and did not say
    it.

    Args:
        document: `conversations.json`, or one conversation.
        advanced: Told how many bytes were read.
    """
    return read_entries(document, _conversation, advanced, ("conversations",))


def _conversation(entry: Any, place: RecordPlace) -> Items:
    given = mapping(entry, "the conversation")
    name = identifier(given.get("uuid"), "its uuid")
    title = given.get("name") or given.get("title")
    said = listing(given.get("chat_messages"), "its chat_messages")
    place = RecordPlace(
        place.file, None, place.conversation, str(known(title=title).get("title", name))
    )
    shown = _shown(given, said)
    messages: list[Mapping[str, Any]] = []
    places: list[RecordPlace] = []
    for index, message in enumerate(said):
        at = place.at(index)
        if not isinstance(message, dict):
            yield LeftOut(at, "unreadable", "the message is no JSON object")
        elif shown is not None and message.get("uuid") not in shown:
            yield LeftOut(at, "branch", "it does not lead to the last message")
        else:
            for read in _messages(message):
                messages.append(read)
                places.append(at)
    yield Conversation(
        session=f"claude:{name}",
        messages=messages,
        places=places,
        place=place,
        at=given.get("created_at"),
        tags=("claude",),
        metadata=known(source="claude", conversation_id=name, title=title),
    )


def _shown(given: Mapping[str, Any], said: Sequence[Any]) -> set[str] | None:
    """Find the messages of the branch that was shown last; None where nothing says a branch."""
    parents = {
        each["uuid"]: each.get("parent_message_uuid")
        for each in said
        if isinstance(each, dict) and isinstance(each.get("uuid"), str)
    }
    if len(parents) != len(said) or not all(isinstance(each, str) for each in parents.values()):
        return None
    if not parents:
        return None
    leaf = given.get("current_leaf_message_uuid")
    shown = isinstance(leaf, str) and leaf in parents
    way = path_to(str(leaf) if shown else list(parents)[-1], parents)
    # Where the way ends at a message that is not there, it is no whole branch.
    return set(way) if parents[way[0]] == _ROOT else None


def _messages(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    name = message.get("uuid")
    role = message.get("sender")
    base = {"role": role, "timestamp": message.get("created_at")}
    content = _content(message)
    files = [each for each in _listed(message, "files", "files_v2") if isinstance(each, dict)]
    attached = [each for each in _listed(message, "attachments") if isinstance(each, dict)]
    held = [{"type": "file", **known(name=each.get("file_name"))} for each in attached]
    more = [{"type": "file", **known(name=each.get("file_name"))} for each in files]
    held += [each for each in more if each not in held]
    if held:
        said = [{"type": "text", "text": content}] if isinstance(content, str) else content
        content = [*(each for each in said or () if each != _NOTHING), *held]
    yield base | {"id": name, "content": content}
    for number, each in enumerate(attached):
        text = each.get("extracted_content")
        if isinstance(text, str) and text.strip():
            yield base | {
                "id": None if name is None else f"{name}/{number}",
                "content": text,
                "kind": "attachment",
                "origin": "untrusted",
                "metadata": known(file=each.get("file_name")),
            }


def _listed(message: Mapping[str, Any], *keys: str) -> list[Any]:
    """Give the list under the first key that has one with something in it."""
    for key in keys:
        if isinstance(found := message.get(key), list) and found:
            return found
    return []


def _content(message: Mapping[str, Any]) -> Any:
    """Give the parts of a message; its `text`, where it has no parts that say anything."""
    parts = [
        each
        for each in _listed(message, "content")
        if not (isinstance(each, dict) and str(each.get("type")) in _THOUGHTS | _SILENT)
    ]
    if not parts:
        text = message.get("text")
        return text if isinstance(text, str) else ""
    read = [_part(each) for each in parts]
    if all(isinstance(each, dict) and each.get("type") == "text" for each in read):
        return "\n\n".join(str(each["text"]) for each in read if each.get("text"))
    return read


def _part(part: Any) -> Any:
    """Keep of a part what it says, and not how the page showed it."""
    if not isinstance(part, dict):
        return part
    kept = ("type", "text", "id", "name", "input", "tool_use_id", "content", "is_error")
    return {key: part[key] for key in kept if part.get(key) is not None}
