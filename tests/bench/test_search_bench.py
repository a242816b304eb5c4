"""The bench of search, on a handful of turns."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from rich.console import Console

from bench.disk_use import bytes_by_table
from bench.search_command import search_command


def test_a_size_is_filled_opened_and_asked(tmp_path: Path) -> None:
    out = tmp_path / "search.json"
    search_command(Console(quiet=True), sizes=[40], folder=tmp_path, repetitions=1, out=out)
    result = json.loads(out.read_text("utf-8"))
    figures = result["figures"]["40"]
    assert result["settings"]["repetitions"] == 1
    assert figures["turns"] == 40
    for name in ("search_ms", "context_ms", "context_alone_ms", "filtered_search_ms"):
        assert 0 < figures[name]["p50"] <= figures[name]["p95"]
    for name in ("fill_turns_per_s", "open_ms", "first_search_ms", "ask_peak_mib"):
        assert figures[name] > 0
    assert figures["search_and_context_ms"]["p50"] > figures["context_ms"]["p50"]
    assert figures["graph"]["state"] == "not needed"
    plain = figures["without_token_vectors"]["bytes_per_turn_by_table"]
    parts = figures["bytes_per_turn_by_table"]
    assert {"event", "payload", "turn", "vector", "token_vector"} <= parts.keys()
    assert plain["vector"] == parts["vector"]
    assert plain["token_vector"] < parts["token_vector"]
    assert abs(sum(parts.values()) - figures["bytes_per_turn"]) < 1.0


def test_bytes_of_a_database_add_up_to_its_size(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE large_v1_g1 (body BLOB)")
        connection.execute("CREATE TABLE small (id INTEGER PRIMARY KEY)")
        connection.execute("INSERT INTO large_v1_g1 VALUES (zeroblob(400000))")
        connection.commit()
    found = bytes_by_table(path)
    assert sum(found.values()) == path.stat().st_size
    assert found["large"] >= 400_000
    assert found["small"] == 4_096
