"""What other memories held: Smriti, smriti-mcp, smrti and mem0."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput

AsJson = Callable[..., Path]
Read = Callable[[Path], Any]
Open = Callable[..., Engine]


def fact(number: int, **more: Any) -> dict[str, Any]:
    words = {"subject": "rachel", "predicate": "lives_in", "object": "Pune"}
    said = {"statement": "Rachel lives in Pune.", "ingested_at": "2026-01-15T10:00:00Z"}
    return {"id": number, "kind": "knowledge", **words, **said, **more}


def smriti(version: Any = 3, **more: Any) -> dict[str, Any]:
    return {"format": "smriti", "version": version, "episodes": [], "facts": [], **more}


def test_episodes_of_smriti_become_turns_of_their_sessions(as_json: AsJson, engine: Open) -> None:
    episodes = [
        {"id": 1, "session_id": "s1", "role": "user", "content": "I moved.", "ts": "2026-01-15"},
        {"id": 2, "session_id": "s2", "role": "assistant", "content": "Noted.", "ts": ""},
        {"id": 3, "session_id": "s1", "role": "user", "content": "To Pune.", "embedding": "AAAA"},
    ]
    memory = engine()
    done = memory.import_file(as_json(smriti(episodes=episodes)))
    assert (done.format, done.sessions, done.recorded) == ("smriti", 2, 3)
    assert [(turn.session, turn.text) for turn in memory.turns()] == [
        ("s1", "I moved."),
        ("s1", "To Pune."),
        ("s2", "Noted."),
    ]


def test_facts_of_smriti_keep_their_intervals(as_json: AsJson, engine: Open) -> None:
    facts = [
        fact(1, valid_from="2025-01-01", invalid_at="2026-01-01", superseded_by=2),
        fact(2, object="Oslo", statement="Rachel lives in Oslo.", valid_from="2026-01-01"),
    ]
    memory = engine()
    done = memory.import_file(as_json(smriti(facts=facts)))
    assert (done.stated, done.left_out) == (2, ())
    (then,) = memory.facts("rachel", "lives_in", valid_at="2025-06-01")
    (now,) = memory.facts("rachel", "lives_in", valid_at="2026-06-01")
    assert (then.object, now.object) == ("Pune", "Oslo")
    assert now.metadata == {"smriti_id": "2"}


def test_values_that_stood_side_by_side_still_do(as_json: AsJson, engine: Open) -> None:
    likes = [fact(n, predicate="likes", object=what) for n, what in enumerate(("tea", "rain"))]
    memory = engine()
    memory.import_file(as_json(smriti(facts=likes)))
    assert {each.object for each in memory.facts("rachel", "likes")} == {"tea", "rain"}


@pytest.mark.parametrize("version", [1, 2])
def test_before_version_3_facts_have_no_scope(version: int, as_json: AsJson, engine: Open) -> None:
    memory = engine()
    memory.import_file(as_json(smriti(version, facts=[fact(1)])))
    assert [each.scope for each in memory.facts("rachel")] == [""]


def test_a_scope_of_smriti_is_kept(as_json: AsJson, engine: Open) -> None:
    memory = engine()
    memory.import_file(as_json(smriti(facts=[fact(1, scope="project:Atlas")])))
    assert [each.scope for each in memory.facts("rachel", scopes=["project:Atlas"])] == [
        "project:Atlas"
    ]


def test_digests_are_left_out_and_sentences_become_turns(as_json: AsJson, engine: Open) -> None:
    facts = [
        fact(1, kind="observation"),
        fact(2, subject="", statement="It rained."),
        fact(3, scope="nonsense"),
        7,
    ]
    memory = engine()
    done = memory.import_file(as_json(smriti(facts=facts)))
    assert [(each.place.name, each.reason) for each in done.left_out] == [
        ("facts[0]", "derived"),
        ("facts[2]", "unreadable"),
        ("facts[3]", "unreadable"),
    ]
    (turn,) = memory.turns()
    assert (turn.text, turn.kind, turn.origin) == ("It rained.", "fact", "agent")


@pytest.mark.parametrize(
    "aliases", [[{"alias": "ray", "canonical": "rachel"}], [["ray", "rachel"]], {"ray": "rachel"}]
)
def test_aliases_of_smriti_are_known(aliases: Any, as_json: AsJson, engine: Open) -> None:
    memory = engine()
    done = memory.import_file(as_json(smriti(facts=[fact(1)], aliases=aliases)))
    assert done.stated == 2
    assert [each.object for each in memory.facts("ray")] == ["Pune"]
    assert memory.import_file(as_json(smriti(facts=[fact(1)], aliases=aliases))).stated == 0


@pytest.mark.parametrize("version", [0, 4, "3", None])
def test_another_version_of_smriti_is_refused(version: Any, as_json: AsJson, engine: Open) -> None:
    with pytest.raises(InvalidInput, match="export is unsupported"):
        engine().import_file(as_json(smriti(version)))


def test_memories_of_mem0_become_turns_that_a_model_wrote(as_json: AsJson, engine: Open) -> None:
    memories = [
        {
            "id": "a1",
            "memory": "Lives in Pune",
            "user_id": "rachel",
            "metadata": {"topic": "home", "nested": {"x": 1}},
            "created_at": "2026-01-15T10:00:00.5-08:00",
            "updated_at": None,
            "categories": ["personal"],
        },
        {"id": "a2", "memory": "Likes tea", "agent_id": "bot"},
        {"id": "a3"},
    ]
    memory = engine()
    done = memory.import_file(as_json({"results": memories, "relations": []}))
    assert (done.format, done.recorded) == ("mem0", 2)
    assert [str(each).split(": ", 1)[1] for each in done.left_out] == [
        "conversation 2: unreadable: its memory is no text"
    ]
    first, second = memory.turns()
    assert (first.text, first.kind, first.origin) == ("Lives in Pune", "memory", "agent")
    assert (first.session, second.session) == ("mem0:rachel", "mem0:bot")
    assert (first.source_id, first.said) == ("mem0:a1", "2026-01-15T18:00:00.500000Z")
    assert first.metadata == {"topic": "home", "user_id": "rachel"}
    assert first.tags == ("personal",)


def test_memories_of_mem0_may_come_line_by_line(tmp_path: Path, engine: Open) -> None:
    file = tmp_path / "mem0.jsonl"
    lines = [{"id": n, "memory": text} for n, text in enumerate(("one", "two"))]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines) + "{\n", "utf-8")
    done = engine().import_file(file)
    assert (done.format, done.recorded) == ("mem0", 2)
    assert [each.place.line for each in done.faults] == [3]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault of two notes and the traces of one agent."""
    root = tmp_path / "vault"
    (root / "people").mkdir(parents=True)
    head = "title: Rachel\ntags: [friend]\nstatus: archived\ncreated_at: 2026-01-15\n"
    note = f"---\n{head}---\nIn Pune.\n"
    (root / "people" / "Rachel.md").write_text(note, "utf-8")
    (root / "plain.md").write_text("No head here.\n", "utf-8")
    (root / "index.md").write_text("# Memory Index\n", "utf-8")
    traces = root / ".smriti" / "traces" / "2026-01-15"
    traces.mkdir(parents=True)
    lines = [
        {
            "id": "t1",
            "type": "observed",
            "content": "She moved.",
            "timestamp": "2026-01-15T10:00:00Z",
        },
        {"id": "t2", "type": "consolidated", "content": "x"},
        {"content": "nameless"},
    ]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (traces / "scribe.ndjson").write_text(text, "utf-8")
    return root


def test_notes_and_traces_of_a_vault_become_turns(vault: Path, engine: Open) -> None:
    memory = engine()
    done = memory.import_file(vault)
    assert (done.format, done.sessions, done.recorded) == ("smriti-mcp", 3, 3)
    note, plain, trace = memory.turns()
    assert (note.text, note.kind, note.origin) == ("Rachel\n\nIn Pune.", "note", "agent")
    assert (note.session, note.tags) == ("vault:people/Rachel", ("friend",))
    assert (note.metadata, note.said[:10]) == ({"status": "archived"}, "2026-01-15")
    assert plain.text == "No head here."
    assert (trace.text, trace.kind, trace.session) == ("She moved.", "trace", "vault:traces/scribe")
    assert [(each.place.line, each.reason) for each in done.left_out] == [
        (2, "bookkeeping"),
        (3, "unreadable"),
    ]


def test_a_note_that_cannot_be_read_is_named_and_the_others_are_taken(
    vault: Path, engine: Open
) -> None:
    (vault / "broken.md").write_text("---\ntitle: [x\n---\ny\n", "utf-8")
    (vault / "bomb.md").write_text("---\na: &a [x]\nb: [*a, *a]\n---\ny\n", "utf-8")
    (vault / "bytes.md").write_bytes(b"\xff")
    (vault / "elsewhere.md").symlink_to(vault / "plain.md")
    done = engine().import_file(vault)
    assert done.recorded == 3
    assert [str(each) for each in done.faults if each.place.line is None] == [
        f"{vault}: bomb.md: unreadable: its YAML cannot be read",
        f"{vault}: broken.md: unreadable: its YAML cannot be read, line 2",
        f"{vault}: bytes.md: unreadable: not UTF-8 at byte 0",
    ]


@pytest.fixture
def smrti(tmp_path: Path) -> Path:
    """A database of smrti with one atom of each fate."""
    file = tmp_path / "smrti.db"
    rows = [
        ("e1", "episode", "I moved to Pune.", "2026-01-15 10:00:00", "{}"),
        ("b1", "belief", "Rain is good.", "2026-01-15 10:00:01", '{"source": "agent"}'),
        ("e2", "episode", "Never mind.", "2026-01-15 10:00:02", '{"forgotten": "2026"}'),
        ("e3", "episode", "Broken.", "2026-01-15 10:00:03", "{"),
        ("c1", "concept", "Pune", "2026-01-15 10:00:04", None),
        ("r1", "relation", "", "2026-01-15 10:00:05", None),
        ("r2", "relation", "", "2026-01-15 10:00:06", None),
    ]
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(
            "CREATE TABLE atoms (id TEXT, type TEXT, content TEXT, created_at TEXT, metadata TEXT,"
            " probability REAL DEFAULT 0.5, tenant_id TEXT DEFAULT 't', space TEXT DEFAULT 'home')"
        )
        connection.executemany(
            "INSERT INTO atoms (id, type, content, created_at, metadata) VALUES (?, ?, ?, ?, ?)",
            rows,
        )
    return file


def test_atoms_of_smrti_become_turns_and_the_forgotten_stay_so(smrti: Path, engine: Open) -> None:
    memory = engine()
    before = smrti.read_bytes()
    done = memory.import_file(smrti)
    assert (done.format, done.recorded) == ("smrti", 2)
    assert done.reasons == {"derived": 3, "forgotten": 1, "unreadable": 1}
    episode, belief = memory.turns()
    assert (episode.text, episode.session) == ("I moved to Pune.", "smrti:t/home")
    assert (episode.said, episode.source_id) == ("2026-01-15T10:00:00.000000Z", "smrti:e1")
    assert (belief.kind, belief.origin, belief.metadata["probability"]) == ("belief", "agent", 0.5)
    assert smrti.read_bytes() == before


def test_another_database_is_refused(tmp_path: Path, engine: Open) -> None:
    file = tmp_path / "smriti.db"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE episodes (id)")
        connection.execute("CREATE TABLE facts (id)")
    with pytest.raises(InvalidInput, match="is a database, and none of smrti") as refused:
        engine().import_file(file)
    assert "export_json" in str(refused.value.hint)
    with pytest.raises(InvalidInput, match="its table of atoms has no content"):
        engine().import_file(file, format="smrti")
