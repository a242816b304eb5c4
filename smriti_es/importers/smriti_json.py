"""Smriti's own export, versions 1 to 3: episodes, facts, aliases.

Vectors, search keys and the log of what was taken in are left behind: this memory makes its own.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from smriti_es.events.errors import InvalidInput
from smriti_es.importers.documents import Document
from smriti_es.importers.json_text import read_json
from smriti_es.importers.records import (
    Conversation,
    Items,
    LeftOut,
    RecordPlace,
    StatedAlias,
    StatedFact,
    Unreadable,
    identifier,
    known,
    listing,
    mapping,
)
from smriti_es.importers.source import Advanced, not_counted, read_document

_VERSIONS: Final = (1, 2, 3)
_HINT: Final = "Give what `export_json` of Smriti wrote."
_KINDS: Final = ("profile", "preference", "event", "knowledge")
_FACTS: Final = "smriti:facts"
_Key = tuple[str, str, str]


def read_smriti(document: Document, advanced: Advanced = not_counted) -> Items:
    """Read an export of Smriti.

    Episodes become turns of the sessions that they were in; facts of subject, predicate and object
    become facts with their intervals and scopes (none before version 3); a fact of nothing but a
    sentence becomes a turn of the kind `fact`; aliases become aliases. Digests are left out:
    `observe` makes them anew.

    Args:
        document: The export, at most `FILE_BYTES_MAX` bytes.
        advanced: Told how many bytes were read.

    Raises:
        InvalidInput: It is no export of Smriti, or of a version that is not known.
    """
    whole = read_json(read_document(document, advanced), document.name, _HINT)
    if not isinstance(whole, dict) or "episodes" not in whole:
        raise InvalidInput(f"{document.name}: has no episodes", hint=_HINT)
    version = whole.get("version")
    if version not in _VERSIONS:
        raise InvalidInput(
            f"{document.name}: version {version!r} of Smriti's export is unsupported",
            hint=f"Readable are the versions {', '.join(map(str, _VERSIONS))}.",
        )
    file = document.name
    try:
        episodes, facts = (listing(whole.get(key, []), key) for key in ("episodes", "facts"))
    except Unreadable as error:
        raise InvalidInput(f"{file}: {error}", hint=_HINT) from error
    yield from _episodes(episodes, file)
    yield from _facts(facts, file)
    yield from _aliases(whole.get("aliases") or [], file)


def _episodes(episodes: Sequence[Any], file: str) -> Items:
    sessions: dict[str, Conversation] = {}
    for index, entry in enumerate(episodes):
        place = RecordPlace(file, name=f"episodes[{index}]")
        try:
            given = mapping(entry, "the episode")
            name = identifier(given.get("session_id") or "smriti", "its session_id")
            message = {
                "role": given.get("role") or "user",
                "content": given.get("content"),
                "id": f"smriti:{identifier(given.get('id'), 'its id')}",
                "timestamp": given.get("ts") or None,
            }
        except Unreadable as error:
            yield LeftOut(place, "unreadable", str(error))
            continue
        new = Conversation(name, [], [], place, tags=("smriti",), metadata={"source": "smriti"})
        session = sessions.setdefault(name, new)
        assert isinstance(session.messages, list)
        assert isinstance(session.places, list)
        session.messages.append(message)
        session.places.append(place)
    yield from sessions.values()


def _facts(facts: Sequence[Any], file: str) -> Items:
    beside = Counter(_key(each) for each in facts if isinstance(each, dict) and _is_open(each))
    sentences: list[Mapping[str, Any]] = []
    places: list[RecordPlace] = []
    for index, entry in enumerate(facts):
        place = RecordPlace(file, name=f"facts[{index}]")
        try:
            given = mapping(entry, "the fact")
            read = _fact(given, place, several=beside[_key(given)] > 1)
        except Unreadable as error:
            yield LeftOut(place, "unreadable", str(error))
            continue
        if isinstance(read, (LeftOut, StatedFact)):
            yield read
        else:
            sentences.append(read)
            places.append(place)
    if sentences:
        whole = RecordPlace(file, name="facts")
        yield Conversation(_FACTS, sentences, places, whole, tags=("smriti",))


def _fact(
    given: Mapping[str, Any], place: RecordPlace, *, several: bool
) -> LeftOut | StatedFact | dict[str, Any]:
    if given.get("kind") == "observation":
        return LeftOut(place, "derived", "a digest, which `observe` makes anew")
    words = tuple(given.get(key) or "" for key in ("subject", "predicate", "object"))
    said = given.get("ingested_at") or given.get("valid_from") or None
    name = identifier(given.get("id"), "its id")
    if not all(isinstance(each, str) and each.strip() for each in words):
        return {
            "role": "user",
            "content": given.get("statement"),
            "id": f"smriti:fact:{name}",
            "timestamp": given.get("valid_from") or said,
            "kind": "fact",
            "origin": "agent",
        }
    begins, ends = given.get("valid_from") or given.get("event_date"), given.get("invalid_at")
    options: dict[str, Any] = {
        "statement": given.get("statement") or None,
        "scope": given.get("scope") or "",
        "valid_from": begins or None,
        # What was replaced as soon as it began is left to the order of the chain.
        "valid_to": None if ends == begins else ends or None,
        "said_at": said,
        "multi": several,
        "kind": given["kind"] if str(given.get("kind")) in _KINDS else "knowledge",
        "tags": ["smriti"],
        "metadata": known(smriti_id=name, session=given.get("session_id")),
    }
    return StatedFact(place, (words[0], words[1], words[2]), options)


def _is_open(fact: Mapping[str, Any]) -> bool:
    return not fact.get("invalid_at")


def _key(fact: Mapping[str, Any]) -> _Key:
    """Give what Smriti chained facts by."""
    subject, predicate, scope = (
        str(fact.get(key) or "").strip() for key in ("subject", "predicate", "scope")
    )
    return (subject.lower(), predicate.lower(), scope)


def _aliases(aliases: Any, file: str) -> Items:
    pairs = list(aliases.items()) if isinstance(aliases, dict) else aliases
    for index, entry in enumerate(pairs if isinstance(pairs, list) else [pairs]):
        place = RecordPlace(file, name=f"aliases[{index}]")
        pair = [entry.get("alias"), entry.get("canonical")] if isinstance(entry, dict) else entry
        match pair:
            case [str() as alias, str() as canonical] | (str() as alias, str() as canonical):
                yield StatedAlias(place, alias, canonical)
            case _:
                yield LeftOut(place, "unreadable", "no alias with the name that it stands for")
