"""ChatGPT's data export: `conversations.json`, a list of conversations that are trees of messages.

A message that was edited or answered anew has several successors; `current_node` is the leaf that
was shown last. Checked against exports as of 2026.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from smriti_es.importers.documents import Document
from smriti_es.importers.message_tree import newest_leaf, path_to
from smriti_es.importers.records import (
    Conversation,
    Items,
    LeftOut,
    Reason,
    RecordPlace,
    Unreadable,
    identifier,
    known,
    mapping,
)
from smriti_es.importers.source import Advanced, not_counted, read_entries

# Marks of citations, which the page shows as links: private characters around a reference.
_CITATION: Final = re.compile("\ue200[^\ue201]*\ue201|[\ue200-\ue203]")
_WORDS: Final = frozenset({"text", "multimodal_text", "code", "execution_output", "system_error"})
_PAGES: Final = frozenset({"tether_quote", "tether_browsing_display", "sonic_webpage"})
_SETTINGS: Final = frozenset(
    {"user_editable_context", "model_editable_context", "app_pairing_content"}
)
_THOUGHTS: Final = frozenset({"thoughts", "reasoning_recap"})
_POINTERS: Final = {
    "image_asset_pointer": "image",
    "audio_asset_pointer": "audio",
    "video_container_asset_pointer": "video",
    "real_time_user_audio_video_asset_pointer": "audio",
}


def read_chatgpt(document: Document, advanced: Advanced = not_counted) -> Items:
    """Read the conversations of ChatGPT.

    Each becomes a session `chatgpt:<conversation id>` of the messages that lead to its current
    node, with the ids and times of the export. What the page does not show is left out: reasoning,
    settings and hidden messages, and the other branches.

    Args:
        document: `conversations.json`, or one conversation.
        advanced: Told how many bytes were read.
    """
    return read_entries(document, _conversation, advanced, ("conversations",))


def _conversation(entry: Any, place: RecordPlace) -> Items:
    given = mapping(entry, "the conversation")
    name = identifier(given.get("conversation_id") or given.get("id"), "its conversation_id")
    nodes = mapping(given.get("mapping"), "its mapping")
    parents = {
        node: value["parent"] if isinstance(value.get("parent"), str) else None
        for node, value in nodes.items()
        if isinstance(value, dict)
    }
    way = path_to(_leaf(given, parents, nodes), parents)
    place = RecordPlace(
        place.file,
        None,
        place.conversation,
        str(known(title=given.get("title")).get("title", name)),
    )
    yield from _strange_nodes(nodes, place)
    messages: list[Mapping[str, Any]] = []
    places: list[RecordPlace] = []
    calls: dict[str | None, Any] = {}
    for node in way:
        if (message := nodes[node].get("message")) is None:
            continue
        if (why := _why_left_out(message)) is not None:
            yield LeftOut(place.at(node), *why)
            continue
        messages.append(_message(message, node, parents[node], calls))
        places.append(place.at(node))
    yield from _branches(nodes, set(way), place)
    yield Conversation(
        session=f"chatgpt:{name}",
        messages=messages,
        places=places,
        place=place,
        at=given.get("create_time"),
        tags=("chatgpt",),
        metadata=known(source="chatgpt", conversation_id=name, title=given.get("title")),
    )


def _leaf(
    given: Mapping[str, Any], parents: Mapping[str, str | None], nodes: Mapping[str, Any]
) -> str:
    current = given.get("current_node")
    if isinstance(current, str) and current in parents:
        return current
    times = {
        node: message.get("create_time")
        for node in parents
        if isinstance(message := nodes[node].get("message"), dict)
    }
    leaf = newest_leaf(parents, times)
    if leaf is None:
        raise Unreadable("its mapping has no leaf")
    return leaf


def _strange_nodes(nodes: Mapping[str, Any], place: RecordPlace) -> Items:
    for node, value in nodes.items():
        if not isinstance(value, dict):
            yield LeftOut(place.at(node), "unreadable", "the node is no JSON object")


def _branches(nodes: Mapping[str, Any], shown: set[str], place: RecordPlace) -> Items:
    for node, value in nodes.items():
        if node not in shown and isinstance(value, dict) and value.get("message") is not None:
            yield LeftOut(place.at(node), "branch", "it does not lead to the current node")


def _why_left_out(message: Any) -> tuple[Reason, str] | None:
    """Say why a message of the way is left out; None for one that is read."""
    if not isinstance(message, dict) or not isinstance(message.get("author"), dict):
        return "unreadable", "the message has no author"
    content, about = message.get("content"), message.get("metadata")
    if not isinstance(content, dict):
        return "unreadable", "the message has no content"
    kind = str(content.get("content_type"))
    if kind in _THOUGHTS:
        return "reasoning", ""
    hidden = isinstance(about, dict) and about.get("is_visually_hidden_from_conversation") is True
    if kind in _SETTINGS or hidden or message.get("weight") == 0:
        return "hidden", "the page does not show it"
    if kind not in _WORDS | _PAGES:
        return "unsupported", f"content of the type {kind}"
    return None


def _message(
    message: Mapping[str, Any], node: str, parent: str | None, calls: dict[str | None, Any]
) -> Mapping[str, Any]:
    """Read a message; `calls` holds the nodes that called tools with the ids of their calls."""
    content, author = message["content"], message["author"]
    about = message["metadata"] if isinstance(message.get("metadata"), dict) else {}
    name, role, recipient = message.get("id"), author.get("role"), message.get("recipient")
    read = {
        "role": role,
        "id": name,
        "timestamp": message.get("create_time"),
        "metadata": known(model=about.get("model_slug")),
    }
    if role == "assistant" and recipient not in (None, "all"):
        calls[node] = name
        call = {"id": name, "name": recipient, "arguments": _text(content)}
        return read | {"content": None, "tool_calls": [call]}
    read["content"] = _content(content, about)
    if role == "tool":
        read["name"] = author.get("name")
        read["tool_call_id"] = calls.get(parent)
    return read


def _content(content: Mapping[str, Any], about: Mapping[str, Any]) -> str | list[dict[str, Any]]:
    """Give the words, and in their places what else was there, as parts."""
    parts = content.get("parts")
    read = [_part(each) for each in parts] if isinstance(parts, list) else []
    attached = about.get("attachments")
    for each in attached if isinstance(attached, list) else ():
        if isinstance(each, dict) and not _is_shown(each, read):
            read.append({"type": "file", **known(name=each.get("name"), file_id=each.get("id"))})
    if all(each["type"] == "text" for each in read):
        return "\n".join(each["text"] for each in read) if read else _text(content)
    return [each for each in read if each["type"] != "text" or each["text"]]


def _part(part: Any) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": _CITATION.sub("", part)}
    if not isinstance(part, dict):
        return {"type": "text", "text": ""}
    kind = part.get("content_type")
    if isinstance(part.get("text"), str):
        return {"type": "text", "text": _CITATION.sub("", part["text"])}
    return {"type": _POINTERS.get(str(kind), "file"), **known(file_id=part.get("asset_pointer"))}


def _is_shown(attachment: Mapping[str, Any], parts: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether an attachment stands among the parts already, as pictures do."""
    name = attachment.get("id")
    return isinstance(name, str) and any(
        str(part.get("file_id", "")).endswith(name) for part in parts
    )


def _text(content: Mapping[str, Any]) -> str:
    """Give the words of content, wherever its type keeps them."""
    for key in ("text", "result"):
        if isinstance(text := content.get(key), str):
            return _CITATION.sub("", text)
    parts = content.get("parts")
    texts = [each for each in parts if isinstance(each, str)] if isinstance(parts, list) else []
    return _CITATION.sub("", "\n".join(texts))
