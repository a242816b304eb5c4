"""Files that are damaged, hostile or mad: told in one line, and never more than that."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput, NotFound
from smriti_es.importers import LeftOut, documents_at, find_source
from smriti_es.importers.json_text import BrokenElement, BrokenList, list_elements
from smriti_es.settings import Settings

Open = Callable[..., Engine]
CHATGPT = {
    "conversation_id": "c1",
    "title": "Kilns",
    "create_time": 1.0,
    "current_node": "b",
    "mapping": {
        "a": {"id": "a", "parent": None, "children": ["b"], "message": None},
        "b": {
            "id": "b",
            "parent": "a",
            "message": {
                "id": "m1",
                "author": {"role": "user", "name": "x"},
                "recipient": "all",
                "content": {"content_type": "text", "parts": ["clay", {"content_type": "x"}]},
                "metadata": {"attachments": [{"id": "f", "name": "n"}], "model_slug": "m"},
            },
        },
    },
}
CLAUDE = {
    "uuid": "c1",
    "name": "Kilns",
    "created_at": "2026-01-15",
    "chat_messages": [
        {
            "uuid": "m1",
            "sender": "human",
            "text": "clay",
            "content": [{"type": "text", "text": "clay"}, {"type": "tool_use", "name": "x"}],
            "attachments": [{"file_name": "f", "extracted_content": "x"}],
            "files": [{"file_name": "g"}],
            "parent_message_uuid": "00000000-0000-4000-8000-000000000000",
        }
    ],
}
FACT = {"id": 1, "subject": "a", "predicate": "b", "object": "c", "statement": "a b c"}
EPISODE = {"id": 1, "session_id": "s", "role": "user", "content": "x", "ts": "2026"}
SAMPLES: dict[str, Any] = {
    "chatgpt": [CHATGPT],
    "claude": [CLAUDE],
    "locomo": [
        {
            "sample_id": "a",
            "conversation": {
                "session_1": [{"speaker": "A", "text": "x", "dia_id": "D1:1"}],
                "session_1_date_time": "1:56 pm on 8 May, 2023",
            },
        }
    ],
    "longmemeval": [
        {
            "question_id": "q",
            "haystack_session_ids": ["s"],
            "haystack_dates": ["2023/05/30 (Tue) 23:40"],
            "haystack_sessions": [[{"role": "user", "content": "x"}]],
        }
    ],
    "mem0": {"results": [{"id": "a", "memory": "x", "user_id": "u", "metadata": {"a": 1}}]},
    "smriti": {
        "version": 3,
        "episodes": [EPISODE],
        "facts": [FACT],
        "aliases": [{"alias": "x", "canonical": "a"}],
    },
    "gemini": {
        "sessionId": "s",
        "messages": [{"type": "user", "content": ["x"], "toolCalls": [{"name": "y"}]}],
    },
    "claude-code": {
        "type": "user",
        "sessionId": "s",
        "uuid": "u",
        "message": {"role": "user", "content": [{"type": "text", "text": "x"}]},
    },
    "codex": {
        "type": "response_item",
        "payload": {"type": "message", "role": "user", "content": [{"type": "input_text"}]},
    },
    "jsonl": {"session": "s", "role": "user", "content": "x", "session_tags": ["t"]},
}
STRANGE: list[Any] = [None, True, 7, -1.5, "", "x", [], [[]], {}, {"a": {}}, ["x", 7], "\ud800"]
MAD = st.sampled_from(STRANGE)


def paths(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a value."""
    if not isinstance(value, (dict, list)):
        return [way]
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    return [way, *(found for key, each in inner for found in paths(each, (*way, key)))]


def put(value: Any, way: tuple[Any, ...], mad: Any) -> Any:
    """Give the value with something else at a place."""
    if not way:
        return mad
    copy = value.copy()
    copy[way[0]] = put(value[way[0]], way[1:], mad)
    return copy


@pytest.fixture(scope="module")
def taker() -> Any:
    """A memory that takes whatever is given to it."""
    settings = Settings(embed_in_background=False)
    with Engine.open(":memory:", embedder=None, extractor=None, settings=settings) as memory:
        yield memory


@pytest.mark.parametrize("name", SAMPLES)
@given(data=st.data())
def test_whatever_stands_in_a_place_is_taken_left_out_or_refused(
    name: str, data: st.DataObject, taker: Engine, tmp_path_factory: pytest.TempPathFactory
) -> None:
    value = SAMPLES[name]
    for _ in range(data.draw(st.integers(1, 2))):
        value = put(value, data.draw(st.sampled_from(paths(value))), data.draw(MAD))
    file = tmp_path_factory.getbasetemp() / f"mad-{name}.json"
    file.write_text(json.dumps(value), "utf-8")
    try:
        done = taker.import_file(file, format=name)
    except InvalidInput as refused:
        assert "\n" not in str(refused)
    else:
        assert done.format == name


@pytest.fixture
def zipped(tmp_path: Path) -> Callable[..., Path]:
    """Write an archive of texts by their names."""

    def write(members: dict[str, Any], compression: int = zipfile.ZIP_DEFLATED) -> Path:
        file = tmp_path / "export.zip"
        with zipfile.ZipFile(file, "w", compression) as archive:
            for name, value in members.items():
                archive.writestr(name, value if isinstance(value, bytes) else json.dumps(value))
        return file

    return write


def test_an_archive_is_read_as_it_was_downloaded(zipped: Callable[..., Path], engine: Open) -> None:
    file = zipped({"conversations.json": [CHATGPT], "chat.html": "x", "user.json": {}})
    done = engine().import_file(file)
    assert (done.format, done.recorded) == ("chatgpt", 1)
    assert [str(each) for each in done.left_out] == [
        f"{file}: other file: 2 files that hold no conversations"
    ]


def test_conversations_in_several_files_of_an_archive_are_all_read(
    zipped: Callable[..., Path], engine: Open
) -> None:
    parts = [CHATGPT | {"conversation_id": name} for name in ("c1", "c2")]
    members = {f"export/conversations-00{n}.json": [part] for n, part in enumerate(parts)}
    assert engine().import_file(zipped(members)).sessions == 2


def test_an_unpacked_archive_is_read_like_the_archive(tmp_path: Path, engine: Open) -> None:
    (tmp_path / "export").mkdir()
    (tmp_path / "export" / "conversations.json").write_text(json.dumps([CLAUDE]), "utf-8")
    (tmp_path / "export" / "users.json").write_text("[]", "utf-8")
    (tmp_path / "export" / "linked.json").symlink_to(tmp_path / "elsewhere.json")
    done = engine().import_file(tmp_path / "export")
    assert (done.format, done.sessions, done.reasons) == ("claude", 1, {"other file": 1})


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("../conversations.json", "leads out of it"),
        ("/etc/conversations.json", "leads out of it"),
        ("C:/conversations.json", "leads out of it"),
        ("a/..\\conversations.json", "leads out of it"),
        ("notes.txt", "holds no conversations.json"),
    ],
)
def test_an_archive_whose_names_are_hostile_or_strange_is_refused(
    name: str, problem: str, zipped: Callable[..., Path]
) -> None:
    with pytest.raises(InvalidInput, match=problem):
        documents_at(zipped({name: []}))


def test_a_bomb_is_refused_before_it_is_unpacked(zipped: Callable[..., Path]) -> None:
    file = zipped({"conversations.json": b" " * (17 * 1024 * 1024)})
    with pytest.raises(InvalidInput, match=r"unpacks from [\d,]+ to 17,825,792 bytes, which no"):
        documents_at(file)


def test_an_archive_that_lies_about_its_sizes_is_refused(
    zipped: Callable[..., Path], engine: Open
) -> None:
    file = zipped({"conversations.json": [CHATGPT]}, zipfile.ZIP_STORED)
    content = file.read_bytes()
    file.write_bytes(content.replace(b"Kilns", b"Tiles"))
    memory = engine()
    with pytest.raises(InvalidInput, match=r"conversations\.json is damaged: Bad CRC-32"):
        memory.import_file(file)
    file.write_bytes(content[:-30])
    with pytest.raises(InvalidInput, match="none of the known formats"):
        memory.import_file(file)


def test_an_encrypted_archive_is_refused(zipped: Callable[..., Path]) -> None:
    file = zipped({"conversations.json": [CHATGPT]})
    content = bytearray(file.read_bytes())
    content[content.rindex(b"PK\x01\x02") + 8] |= 1
    file.write_bytes(bytes(content))
    with pytest.raises(InvalidInput, match=r"conversations\.json is encrypted"):
        documents_at(file)


def test_what_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no such file"):
        find_source(tmp_path / "nowhere.zip")


def test_deep_nesting_ends_the_reading_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "deep.json"
    file.write_text(f"[{json.dumps(CLAUDE)}, {'[' * 200_000}", "utf-8")
    *_, left_out = find_source(file).items()
    assert isinstance(left_out, LeftOut)
    assert str(left_out).startswith(f"{file}: unreadable: not JSON: maximum recursion depth")
    assert str(left_out).endswith("; nothing was read after conversation 0")


def elements(text: str) -> list[Any]:
    return list(list_elements(io.BytesIO(text.encode())))


@given(
    st.lists(
        st.recursive(
            st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.text(), st.lists
        )
    )
)
def test_a_list_is_read_element_by_element_as_json_reads_it(value: list[Any]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("smriti_es.importers.json_text._CHUNK_BYTES", 3)
        assert elements(json.dumps(value, ensure_ascii=False, indent=1)) == value


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{}", "it is no JSON list"),
        ("[1, 2", "the list has no end"),
        ("[1 2]", "the list goes on with '2'"),
        ("[1] 2", "'2' follows the end of the list"),
        ("[1, nonsense]", "not JSON: Expecting value"),
        ('["x', "not JSON: Unterminated string starting at"),
    ],
)
def test_a_list_that_is_broken_is_told(text: str, problem: str) -> None:
    with pytest.raises(BrokenList) as broken:
        elements(text)
    assert str(broken.value) == problem


def test_an_element_that_cannot_be_used_costs_itself_only() -> None:
    first, second, third, last = elements('[1, {"a": [NaN]}, {"b": 1, "b": 2}, 4]')
    assert (first, last) == (1, 4)
    assert isinstance(second, BrokenElement)
    assert (str(second), str(third)) == ("NaN is no number of JSON", "has the key 'b' twice")


def test_an_element_beyond_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("smriti_es.importers.json_text.ELEMENT_CHARACTERS_MAX", 10)
    monkeypatch.setattr("smriti_es.importers.json_text._CHUNK_BYTES", 8)
    with pytest.raises(BrokenList, match="no value of JSON ends within 10 characters"):
        elements(f'["{"x" * 100}"]')
