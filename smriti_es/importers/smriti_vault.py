"""smriti-mcp: a folder of Markdown notes with YAML before them, and the traces of agents."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from smriti_es.events.errors import InvalidInput, MissingExtra
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
from smriti_es.importers.source import Advanced, not_counted

NOTE_BYTES_MAX: Final = 4 * 1024 * 1024
_NOTES_MAX: Final = 100_000
_DERIVED: Final = frozenset({"index.md", "log.md"})
_LABELS: Final = (
    *("category", "status", "memory_type", "subtype", "confidence", "source_agent", "author"),
    *("visibility", "superseded_by", "expires_at", "updated_at"),
)


def is_vault(folder: Path) -> bool:
    """Tell whether a folder is a vault: with traces, or with a note that begins as notes do."""
    if (folder / ".smriti").is_dir():
        return True
    for note in folder.rglob("*.md"):
        if _is_note(note, folder):
            with note.open("rb") as file:
                return file.read(4).rstrip(b"\r\n") == b"---"
    return False


def read_vault(folder: Path, advanced: Advanced = not_counted) -> Items:
    """Read the notes and traces of a vault, and change nothing in it.

    A note becomes a turn of the kind `note` in a session of its own, `vault:<id>`, with its title
    before its text; a trace becomes one of the kind `trace` in `vault:traces/<agent>`. Both are of
    origin `agent`. Links of the file system are not followed.

    Args:
        folder: The root of the vault.
        advanced: Told how many bytes were read.

    Raises:
        MissingExtra: PyYAML is not installed.
    """
    _yaml()
    notes = [each for each in sorted(folder.rglob("*.md")) if _is_note(each, folder)]
    if len(notes) > _NOTES_MAX:
        raise InvalidInput(f"{folder} holds more than {_NOTES_MAX:,} notes", hint="Name a part.")
    for note in notes:
        place = RecordPlace(f"{folder}: {note.relative_to(folder)}")
        try:
            yield _note(note, folder, place)
            advanced(note.stat().st_size)
        except Unreadable as error:
            yield LeftOut(place, "unreadable", str(error))
        except OSError as error:
            yield LeftOut(place, "unreadable", f"cannot be read: {error.strerror}")
    for trace in sorted((folder / ".smriti" / "traces").rglob("*.ndjson")):
        if trace.is_file() and not trace.is_symlink():
            yield from _traces(trace, folder, advanced)


def vault_bytes(folder: Path) -> int:
    """Count the bytes that reading a vault reads."""
    traces = (folder / ".smriti" / "traces").rglob("*.ndjson")
    notes = (each for each in folder.rglob("*.md") if _is_note(each, folder))
    return sum(each.stat().st_size for each in (*notes, *traces))


def _is_note(path: Path, folder: Path) -> bool:
    inside = path.relative_to(folder)
    above = [folder / part for part in list(inside.parents)[:-1]]
    return (
        str(inside) not in _DERIVED
        and not any(part.startswith(".") for part in inside.parts)
        and not any(each.is_symlink() for each in (path, *above))
        and path.is_file()
    )


def _note(path: Path, folder: Path, place: RecordPlace) -> Conversation:
    if path.stat().st_size > NOTE_BYTES_MAX:
        raise Unreadable(f"has more than {NOTE_BYTES_MAX} bytes")
    try:
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8 at byte {error.start}") from error
    about, body = _parted(text)
    name = path.relative_to(folder).with_suffix("").as_posix()
    title = about.get("title") if isinstance(about.get("title"), str) else None
    shown = body.strip()
    if title and title.strip() not in shown.partition("\n")[0]:
        shown = f"{title.strip()}\n\n{shown}"
    message = {
        "role": "assistant",
        "name": _speaker(about),
        "content": shown,
        "id": f"note:{name}",
        "timestamp": _time(about.get("created_at")) or _time(about.get("updated_at")),
        "kind": "note",
        "origin": "agent",
        "tags": _tags(about.get("tags")),
        "metadata": known(**{key: _plain(about.get(key)) for key in _LABELS}),
    }
    carried = known(source="smriti-mcp", note=name, title=title)
    return Conversation(
        f"vault:{name}", [message], [place], place, tags=("smriti-mcp",), metadata=carried
    )


def _parted(text: str) -> tuple[Mapping[str, Any], str]:
    """Part a note into what stands in YAML before it and its body."""
    if not text.startswith("---\n"):
        return {}, text
    head, mark, body = text[4:].partition("\n---\n")
    if not mark:
        head, mark, body = text[4:].partition("\n---")
    if not mark:
        return {}, text
    yaml = _yaml()
    try:
        about = yaml.load(head, Loader=_plain_loader(yaml))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        where = "" if line is None else f", line {line + 2}"
        raise Unreadable(f"its YAML cannot be read{where}") from error
    return (about if isinstance(about, dict) else {}), body


def _yaml() -> Any:
    try:
        import yaml
    except ImportError as error:
        raise MissingExtra(
            "notes of smriti-mcp need PyYAML", hint="pip install 'smriti-es[vault]'"
        ) from error
    return yaml


def _plain_loader(yaml: Any) -> Any:
    """Give a loader of plain values that refuses aliases, by which a small text can grow huge."""

    class Plain(yaml.SafeLoader):  # type: ignore[misc, name-defined, unused-ignore]
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.events.AliasEvent):
                raise yaml.YAMLError("an alias")
            return super().compose_node(parent, index)

    return Plain


def _speaker(about: Mapping[str, Any]) -> str | None:
    named = known(agent=about.get("source_agent"), author=about.get("author"))
    return named.get("agent") or named.get("author")


def _time(value: Any) -> str | None:
    """Give a time as text; YAML makes dates of what is written without quotes."""
    if isinstance(value, str) and value.strip():
        return value.strip()
    return value.isoformat() if hasattr(value, "isoformat") else None


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value


def _tags(value: Any) -> list[str]:
    listed = value if isinstance(value, list) else [value]
    return [each.strip() for each in listed if isinstance(each, str) and each.strip()]


def _traces(path: Path, folder: Path, advanced: Advanced) -> Items:
    name = f"{folder}: {path.relative_to(folder)}"
    document = Document(name, path.stat().st_size, lambda: path.open("rb"), path)
    messages: list[Mapping[str, Any]] = []
    places: list[RecordPlace] = []
    for place, line in numbered_objects(document, advanced):
        if isinstance(line, LeftOut):
            yield line
        elif line.get("type") == "consolidated":
            yield LeftOut(place, "bookkeeping", "it says which traces a note was made of")
        else:
            try:
                messages.append(_trace(line, path.stem))
                places.append(place)
            except Unreadable as error:
                yield LeftOut(place, "unreadable", str(error))
    if messages:
        carried = known(source="smriti-mcp", agent=path.stem)
        yield Conversation(
            f"vault:traces/{path.stem}",
            messages,
            places,
            RecordPlace(name),
            tags=("smriti-mcp",),
            metadata=carried,
        )


def _trace(line: Mapping[str, Any], agent: str) -> Mapping[str, Any]:
    given = mapping(line, "the trace")
    return {
        "role": "assistant",
        "name": given.get("agent") or agent,
        "content": given.get("content"),
        "id": f"trace:{identifier(given.get('id'), 'its id')}",
        "timestamp": given.get("timestamp"),
        "kind": "trace",
        "origin": "agent",
        "metadata": known(type=given.get("type"), note=given.get("memory_id")),
    }
